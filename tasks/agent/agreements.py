"""The program "contract-rules": parties, dates, term, amount and governing law of a contract, where a label or a sentence states them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tasks.agent.contract import FieldValue, Order, Record, Result, Usage
from tasks.agent.pdf import Document
from tasks.agent.reading import Tell
from tasks.agent.rules import dates, numbers
from tasks.agent.rules.flow import Flow
from tasks.agent.rules.labels import fold
from tasks.agent.rules.patterns import LEGAL, clean, key_of
from tasks.agent.rules.text import Candidate, Text, words_at
from tasks.agent.rules.values import grounded, missing
from tasks.agent.single import Kind

NOTHING = "No contract was recognised in this document."
REQUIRED = ("party_1", "party_2", "effective_date")
MOST_PARTIES = 6
STATED, LABELLED, GUESSED = 0.9, 0.88, 0.6

TITLE = re.compile(
    r"\b(?:agreement|contract|lease|deed|licen[cs]e|policy|memorandum of understanding|terms of engagement|\w*vertrag|vereinbarung"
    r"|contrat|convention|bail|accord|contrato|contratto|overeenkomst|umowa|sopimus)\b"
)
NO_TITLE = re.compile(r"\b(?:number|no|nr|nummer|numero|date|datum|page|seite)\.?$|\b(?:our|your|this|the)\b")
PARTY = (
    r"(?:the |der |die |le |la )?(?:licensor|licensee|landlord|tenant|lessor|lessee|employer|employee|contractor|consultant|customer|client"
    r"|supplier|vendor|seller|buyer|purchaser|lender|borrower|insurer|policyholder|insured|service provider|company|principal|agent|franchisor"
    r"|franchisee|party [ab12]|vermieter(?:in)?|mieter(?:in)?|auftraggeber(?:in)?|auftragnehmer(?:in)?|arbeitgeber(?:in)?|arbeitnehmer(?:in)?"
    r"|kaufer(?:in)?|verkaufer(?:in)?|lizenzgeber(?:in)?|lizenznehmer(?:in)?|dienstleister|bailleur|locataire|preneur|employeur|salarie|vendeur"
    r"|acheteur|acquereur|prestataire|fournisseur)"
)
LABEL = re.compile(rf"^(?:\d+\.?\s*)?(?:name of )?{PARTY}(?:'s name| name)?\s*(?:[:.]\s*|$)")
ASKED = re.compile(rf"^(?:\d+\.?\s*)?(?:full |legal )?name\b.{{0,40}}\bof\s+{PARTY}\s*:?$")
SENTENCE = re.compile(
    r"\b(?:we|you|is|are|will|shall|may|must|ist|sind|wird|werden|est|sont)\b", re.IGNORECASE
)
"""A name holds no verb."""
OPENING = re.compile(r"\b(?:by and between|between|zwischen|entre les soussignes|entre)\b[\s:]*")
_CAPITAL = r"(?:[A-Z0-9À-Þ][\w.&'\-]*)"
_JOIN = r"(?:&|of|de|der|des|du|la|le|und|trading as|t/a|et)"
NAME = re.compile(rf"(?:\(?[0-9a-z]\)\s*)?({_CAPITAL}(?:,?\s+(?:{_CAPITAL}|{_JOIN}(?=\s+[A-Z0-9])))*)")
NEXT = re.compile(r"(?:\band|\bund|\bet|;|\bof the (?:one|first) part,? and|\d\.|\(\d\))\s+")
DEFINED = re.compile(
    r"\s*[,–-]?\s*(?:\(|- ?nachfolgend|, ?(?:a|an|eine?|une?|whose|having|located|with|represented|vertreten|dont|represente)\b)"
)
OPENING_LENGTH = 900

EFFECTIVE = re.compile(
    r"(?:effective (?:date|as of|from|on)|becomes? effective(?: on)?|with effect from|in effect (?:from|as of)|(?:is |are )?(?:made|entered into|concluded|dated|executed)"
    r"(?: and entered into)?(?: this| as of| on)?|commenc\w+(?: on| date)?|starts? on|period from|vertragsbeginn|mit wirkung (?:zum|vom|ab)|beginnt am|gultig ab|in kraft(?: am)?"
    r"|geschlossen am|prend effet(?: le)?|a compter du|en date du|conclu le|date d'effet)\W{0,4}(?:the |le |den )?$"
)
ENDING = re.compile(
    r"(?:until|expir\w+(?: on| date)?|ends? on|end date|terminat\w+ on|through|up to and including|bis(?: zum)?|endet am|vertragsende|jusqu'au|prend fin le|expire le)\W{0,4}$"
)
SPAN = re.compile(
    r"(?:(?P<word>one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty|ninety)\s*)?(?:\(?(?P<number>\d{1,3})\)?)?\s*-?\s*"
    r"(?P<unit>calendar days?|business days?|days?|weeks?|months?|years?|tagen?|wochen?|monate?n?|jahre?n?|jours?|semaines?|mois|ans?|annees?)\b"
)
SPANS = {
    "notice_period": re.compile(r"\b(?:notice|notif\w+|kundigungsfrist|kundigung|preavis)\b"),
    "renewal": re.compile(r"\b(?:renew\w*|verlanger\w+|reconduction|renouvel\w+)\b"),
    "term": re.compile(r"\b(?:initial term|term of|term|duration|period of|laufzeit|dauer|duree)\b"),
}
WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
         "fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60, "ninety": 90}  # fmt: skip
LAW = (
    re.compile(
        r"(?:governed by|subject to|construed (?:under|in accordance (?:with|to)))[^.;]{0,90}?\blaws? of (?:the )?(?:state of |commonwealth of |country of |province of )?"
        r"(?P<law>[^.,;()]{3,60}?)(?=[.,;(]|\s(?:without|excluding|and the|and each|as|applicable|except|to the)\b)"
    ),
    re.compile(r"governed by (?P<law>[a-z]+(?: and [a-z]+)?) law\b"),
    re.compile(
        r"(?:gilt|unterliegt|findet|anwendbar ist|es gilt)\b[^.;]{0,60}?\b(?:das )?recht (?:der |des |von )(?P<law>[^.,;()]{3,60}?)(?=[.,;(]|\s(?:unter|anwendung|mit)\b)"
    ),
    re.compile(r"(?:gilt|unterliegt|findet)\b[^.;]{0,50}?\b(?P<law>[a-z]+(?:es|em|em)) recht\b"),
    re.compile(
        r"(?:regie?s? par|soumise?s? au|soumise?s? a)\s+(?:la |le )?(?:loi |droit |lois )(?:de la |du |de )?(?P<law>[^.,;()]{3,40}?)(?=[.,;(]|\s(?:sans|a l'exclusion)\b)"
    ),
)
AMERICAN = re.compile(r"\bUSD\b|US\$|\bU\.?S\.? dollars|\bUnited States\b|\b[A-Z]{2},? \d{5}\b")
VALUE = re.compile(
    r"\b(?:amount payable|contract (?:price|value|sum|amount)|purchase price|total (?:price|fee|amount)|fee|price|rent|premium|salary|consideration|sum of"
    r"|per year|annual|kaufpreis|verguetung|vergutung|miete|honorar|preis|entgelt|prix|loyer|montant|remuneration)\b"
)


def read(order: Order, tell: Tell) -> tuple[Result, Usage]:
    """The program "contract-rules". Raises Problem for a document that cannot be opened."""
    return Kind("contract", REQUIRED, NOTHING, record_of).read(order, tell)


def record_of(document: Document, text: Text) -> Record | None:
    """The contract in the text; None where neither a title nor parties say that it is one."""
    flow = Flow(text)
    title, parties = title_of(text), parties_of(text, flow)
    found: dict[str, Candidate | None] = {"title": title}
    found |= {f"party_{position}": party for position, party in enumerate(parties, 1)}
    found |= dates_of(text, flow) | spans_of(flow)
    found["governing_law"], found["amount"] = law_of(flow), amount_of(text, flow)
    signs = (title is not None) + (len(parties) >= 2) + (found["governing_law"] is not None)
    if signs + (found.get("effective_date") is not None) < 2 or not (title or len(parties) >= 2):
        return None
    fields = {
        name: grounded(document, text, candidate)
        for name, candidate in found.items()
        if candidate is not None
    }
    amount = found["amount"]
    if amount is not None:
        currency = Candidate(amount.label, amount.score, amount.words)
        if amount.label == "USD" and not AMERICAN.search(flow.text):
            currency.reasons.append(
                "The dollars may be those of another country; nothing says whose they are."
            )
        fields["currency"] = grounded(document, text, currency)
    for name in REQUIRED:
        fields.setdefault(name, FieldValue(value=None, confidence=0.0, reasons=(missing(name),)))
    return Record(kind="contract", fields=fields, first_page=min(text.pages), last_page=max(text.pages))


def title_of(text: Text) -> Candidate | None:
    """The largest heading near the top of the first page that names a kind of contract."""
    first = min(text.pages)
    best: tuple[float, Candidate] | None = None
    for cell in text.cells:
        if cell.page != first or cell.y0 > 0.4 * text.pages[first].height or len(cell.words) > 14:
            continue
        if (
            TITLE.search(text.folded[cell])
            and not NO_TITLE.search(text.folded[cell])
            and not cell.text.rstrip().endswith((".", ",", ";", ":"))
        ):
            size = cell.height * (1.3 if cell.text.isupper() else 1.0)
            if best is None or size > best[0] * 1.05:
                best = (size, Candidate(clean(cell.text), LABELLED, cell.words))
    return best[1] if best else None


def parties_of(text: Text, flow: Flow) -> list[Candidate]:
    """Those of the opening sentence, else those that labels name."""
    stated = distinct(_stated(flow))
    return stated if len(stated) >= 2 else distinct([*_labelled(text), *stated])


def distinct(found: Iterator[Candidate] | list[Candidate]) -> list[Candidate]:
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
                name = flow.text[match.start(1) : stop]
                words = flow.words_at(match.start(1), stop)
                found.append(Candidate(clean(name), STATED, words))
        if len(found) >= 2:
            yield from found
            return


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


def _name_in(name: str, cell, start: int) -> Candidate:  # type: ignore[no-untyped-def]
    name = re.split(r"\s*(?:\(|, (?=\d)|;)", name)[0]
    return Candidate(clean(name), LABELLED, words_at(cell, start, start + len(name)))


def dates_of(text: Text, flow: Flow) -> dict[str, Candidate | None]:
    """effective_date and end_date by the words right before them; else the first date, which asks for a look."""
    found: dict[str, Candidate | None] = {"effective_date": None, "end_date": None}
    all_dates = dates.find(flow.folded, text.month_first)
    for one in all_dates:
        before = flow.folded[max(one.start - 60, 0) : one.start]
        for name, pattern in (("effective_date", EFFECTIVE), ("end_date", ENDING)):
            if found[name] is None and pattern.search(before):
                found[name] = _dated(flow, one, STATED)
    if found["effective_date"] is None and all_dates:
        guess = _dated(flow, all_dates[0], GUESSED)
        guess.reasons.append("No words say that the contract takes effect on this date.")
        found["effective_date"] = guess
    return found


def _dated(flow: Flow, one: dates.Found, score: float) -> Candidate:
    candidate = Candidate(one.value.isoformat(), score, flow.words_at(one.start, one.end))
    if one.unsure:
        candidate.reasons.append(
            "Day and month of the date could be swapped; nothing in the document decides."
        )
    return candidate


def spans_of(flow: Flow) -> dict[str, Candidate | None]:
    """Term, renewal and period of notice: the span of time that stands nearest to their word within its sentence."""
    found: dict[str, Candidate | None] = {}
    spans = [m for m in SPAN.finditer(flow.folded) if m["word"] or m["number"]]
    for name, pattern in SPANS.items():
        best: tuple[int, re.Match[str]] | None = None
        for word in pattern.finditer(flow.folded):
            for span in spans:
                between = flow.folded[min(word.end(), span.end()) : max(word.start(), span.start())]
                if len(between) > 90 or re.search(r"[.;]\s", between):
                    continue
                # What follows its word is meant rather than what stands before it
                distance = len(between) + (60 if span.start() < word.start() and name != "renewal" else 0)
                if best is None or distance < best[0]:
                    best = (distance, span)
        if best is not None:
            span = best[1]
            spans = [other for other in spans if other is not span]
            value = (
                f"{span['number'] or WORDS[span['word']]} {flow.text[span.start('unit') : span.end('unit')]}"
            )
            found[name] = Candidate(value, 0.85, flow.words_at(span.start(), span.end()))
    return found


def law_of(flow: Flow) -> Candidate | None:
    for pattern in LAW:
        match = pattern.search(flow.folded)
        if match is not None:
            start, end = match.span("law")
            return Candidate(clean(flow.text[start:end]), STATED, flow.words_at(start, end))
    return None


def amount_of(text: Text, flow: Flow) -> Candidate | None:
    """The largest sum of money that a word for a price stands before, or right behind; its label is the currency."""
    best: tuple[float, Candidate] | None = None
    for amount in numbers.amounts(flow.text, text.mark):
        around = flow.folded[max(amount.start - 110, 0) : amount.end + 12]
        if not amount.currency or amount.percent or not VALUE.search(around):
            continue
        words = flow.words_at(amount.start, amount.end)
        candidate = Candidate(numbers.plain(amount.value), 0.85, words, label=amount.currency)
        if best is None or amount.value > best[0]:
            best = (float(amount.value), candidate)
    return best[1] if best else None
