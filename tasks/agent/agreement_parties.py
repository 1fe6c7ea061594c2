"""Finds who makes a contract: whom its opening defines, else whom labels name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from tasks.agent.layout import Cell
from tasks.agent.rules.flow import Flow
from tasks.agent.rules.labels import fold
from tasks.agent.rules.patterns import LEGAL, clean, key_of
from tasks.agent.rules.text import Candidate, Text, words_at

MOST_PARTIES = 6
STATED, LABELLED, GUESSED = 0.9, 0.88, 0.6
OPENING_LENGTH = 900
FIRST_WORDS = 3000
"""Characters in which a contract says who makes it."""

PARTY = (
    r"(?:the |der |des |die |le |la |du |de la |de l')?(?:licensor|licensee|landlord|tenant|lessor|lessee|employer|employee|contractor|consultant|customer|client"
    r"|supplier|vendor|seller|buyer|purchaser|lender|borrower|insurer|policyholder|insured|service provider|provider|company|principal|agent|franchisor"
    r"|franchisee|owner|operator|party [ab12]|(?:unter)?vermieter(?:in|s)?|mieter(?:in|s)?|auftraggeber(?:in|s)?|auftragnehmer(?:in|s)?|arbeitgeber(?:in|s)?|arbeitnehmer(?:in|s)?"
    r"|kaufer(?:in|s)?|verkaufer(?:in|s)?|lizenzgeber(?:in|s)?|lizenznehmer(?:in|s)?|dienstleister(?:in|s)?|anbieter(?:in|s)?|kunden?|bestellers?|lieferanten?|eigentumers?"
    r"|betreibers?|bailleur|locataire|preneur|employeur|salarie|vendeur|acheteur|acquereur|prestataire|fournisseur|proprietaire|exploitant|mandant|mandataire)"
)
LABEL = re.compile(rf"^(?:\d+\.?\s*)?(?:name of |nom |name )?{PARTY}(?:'s name| name)?\s*(?:[:.]\s*|$)")
ASKED = re.compile(rf"^(?:\d+\.?\s*)?(?:full |legal )?name\b.{{0,40}}\bof\s+{PARTY}\s*:?$")
SENTENCE = re.compile(
    r"\b(?:we|you|is|are|will|shall|may|must|ist|sind|wird|werden|est|sont)\b", re.IGNORECASE
)
"""A name holds no verb."""
OPENING = re.compile(r"\b(?:by and between|between|zwischen|entre les soussignes|entre)\b[\s:]*")
_CAPITAL = r"(?:[A-Z0-9À-Þ][\w.&'\-]*)"
_SMALL_FORM = r"(?:plc|mbH|e\. ?K\.|s\.r\.l\.|s\.p\.a\.|a\.s\.|s\.r\.o\.|d\.o\.o\.|sp\. z o\.o\.)"
_JOIN = r"(?:&|of|de|der|des|du|la|le|und|trading as|t/a|et)"
NAME = re.compile(
    rf"(?:\(?[0-9a-z]\)\s*)?(?:(?:der|die|dem|den|la societe|le|la)\s+)?({_CAPITAL}(?:,?\s+(?:{_CAPITAL}|{_JOIN}(?=\s+[A-Z0-9])))*(?:,?\s+{_SMALL_FORM})?)"
)
NEXT = re.compile(r"(?:\band|\bund|\bet|;|\bof the (?:one|first) part,? and|\d\.|\(\d\))\s+")
DEFINED = re.compile(
    r"\s*[,–-]?\s*(?:\(|- ?nachfolgend|, ?(?:a|an|eine?|une?|whose|having|located|with|represented|vertreten|dont|representee?)\b)"
)
ROLE = re.compile(
    rf"\((?:the |hereinafter|hereafter|herein|together|im folgenden|nachfolgend|nachstehend|ci-apres|le |la |l')|\(\s*\"|\b(?:hereinafter|hereafter|referred to as"
    rf"|im folgenden|nachfolgend|nachstehend|ci-apres|designee? par)\b|^,? (?:als|as|en qualite de) {PARTY}\b"
)
"""Words that give a party the name that the contract has for it."""
ROLE_WITHIN = 160
ARTICLE = re.compile(r"(?:the|der|die|das|la societe|la|le) ")
HELD = re.compile(r"^[^:]{3,40}:\s*$")


def parties_of(text: Text, flow: Flow) -> list[Candidate]:
    """Those of the opening, else those that labels name."""
    for stated in (distinct(_stated(flow)), distinct(_named_again(flow))):
        if len(stated) >= 2:
            return stated
    labelled = distinct([*_labelled(text), *_stated(flow)])
    if len(labelled) >= 2:
        return labelled
    others = [
        one
        for one in _companies(text)
        if not any(key_of(one.value) in key_of(known.value) for known in labelled)
    ]
    return distinct([*labelled, *others])


def distinct(found: Iterable[Candidate]) -> list[Candidate]:
    known: dict[str, Candidate] = {}
    for candidate in found:
        known.setdefault(key_of(candidate.value), candidate)
    return [c for key, c in known.items() if len(key) > 2][:MOST_PARTIES]


def _stated(flow: Flow) -> Iterator[Candidate]:
    """ "between A (the "Licensor") … and B (the "Licensee")": every name that a definition or a description follows."""
    for opening in list(OPENING.finditer(flow.folded))[:12]:
        found = []
        end = min(opening.end() + OPENING_LENGTH, len(flow.text))
        starts = [opening.end(), *(m.end() for m in NEXT.finditer(flow.folded, opening.end(), end))]
        for start in starts:
            match = NAME.match(flow.text, start)
            if match is None or match.start(1) >= end:
                continue
            stop = _end_of_name(flow.text, match)
            if DEFINED.match(flow.folded, stop):
                found.append(_stretch(flow, match.start(1), stop))
        if len(found) >= 2:
            yield from found
            return


def _named_again(flow: Flow) -> Iterator[Candidate]:
    """ "A Ltd, hereinafter the Client": names with a legal form, each with the name that the contract gives it right behind."""
    spans = []
    for match in NAME.finditer(flow.text[:FIRST_WORDS]):
        start = _start_of_name(flow, match)
        legal = LEGAL.match(flow.folded[start : match.end(1)])
        if legal and legal.group("form"):
            spans.append((start, start + legal.end("form")))
    for (start, stop), following in zip(spans, [*spans[1:], (FIRST_WORDS, 0)], strict=False):
        behind = flow.folded[stop : min(stop + ROLE_WITHIN, following[0])]
        if ROLE.search(re.split(r"[a-z]\. ", behind)[0]):
            yield _stretch(flow, start, stop)


def _start_of_name(flow: Flow, match: re.Match[str]) -> int:
    """A heading over the name, in other letters or further away than the next line, is no part of it; nor is an article."""
    start = match.start(1)
    words = flow.words_at(start, match.end(1))
    for before, word in pairwise(words):
        height = before.y1 - before.y0
        apart = word.y0 - before.y1 > 0.8 * height or word.page != before.page
        if apart or not 0.85 < (word.y1 - word.y0) / height < 1.15:
            start = flow.starts[flow.words.index(word)]
    article = ARTICLE.match(flow.folded, start)
    return article.end() if article else start


def _stretch(flow: Flow, start: int, stop: int) -> Candidate:
    return Candidate(clean(flow.text[start:stop]), STATED, flow.words_at(start, stop))


def _end_of_name(text: str, match: re.Match[str]) -> int:
    """A legal form ends a name, even if capitals follow."""
    legal = LEGAL.match(fold(match.group(1)))
    return match.start(1) + legal.end("form") if legal and legal.group("form") else match.end(1)


def _labelled(text: Text) -> Iterator[Candidate]:
    """ "Landlord: A", "Policyholder   B", "Name of the contractor" with the name below."""
    for cell in text.cells:
        folded = text.folded[cell]
        match = LABEL.match(folded)
        if match is not None and match.end() < len(cell.text):
            if not SENTENCE.search(cell.text[match.end() :]):
                yield _name_in(cell.text[match.end() :], cell, match.end())
        elif match is not None or ASKED.match(folded):
            for other in [*list(text.right_of(cell))[:1], *text.below(cell, 1)]:
                start = len(other.text) - len(re.sub(r"^\w{0,12}:\s*", "", other.text))
                name = other.text[start:]
                if re.search(r"[^\W\d_]{2}", name) and name[:1].isupper() and not SENTENCE.search(name):
                    yield _name_in(other.text[start:], other, start)
                    break


def _companies(text: Text) -> Iterator[Candidate]:
    """A name with a legal form behind any label with a colon, on the first page; a guess."""
    for cell in text.cells:
        label, colon, _ = cell.text.partition(":")
        if cell.page != min(text.pages) or not HELD.match(label + colon):
            continue
        start = len(cell.text) - len(cell.text[len(label) + 1 :].lstrip())
        legal = LEGAL.match(text.folded[cell][start:])
        if legal and legal.group("form") and not SENTENCE.search(cell.text[start:]):
            candidate = _name_in(cell.text[start : start + legal.end("form")], cell, start)
            candidate.score = GUESSED
            yield candidate


def _name_in(name: str, cell: Cell, start: int) -> Candidate:
    name = re.split(r"\s*(?:\(|, (?=\d)|;)", name)[0]
    return Candidate(clean(name), LABELLED, words_at(cell, start, start + len(name)))
