"""Finds who sends the document: labels, letterhead, sender line, legal forms, web addresses, account holder."""

from __future__ import annotations

import re

from tasks.agent.layout import Cell
from tasks.agent.page import Word
from tasks.agent.rules.buyers import addresses_of, buyers_of, others_of
from tasks.agent.rules.labels import find, fold
from tasks.agent.rules.letterheads import announces, is_something_else, is_spelled, spelled_out
from tasks.agent.rules.party import (
    Party,
    around,
    beside,
    domains_of,
    form_below,
    goes_on,
    has_neighbour,
    is_no_name,
    left_of,
    says_more,
    stands_beside,
)
from tasks.agent.rules.patterns import (
    BANK,
    CONTACT,
    COPYRIGHT,
    DOCTOR,
    DOMAIN,
    FOOTER_WORDS,
    FROM,
    GREETED,
    HONOURED,
    LABELLED,
    LEGAL,
    PERSON,
    POSTCODE,
    PREFIX,
    REACHED,
    SEAT,
    SPLIT,
    STREET,
    TITLES,
    clean,
    key_of,
    little,
    named,
)
from tasks.agent.rules.text import Candidate, Text, words_at
from tasks.agent.rules.windows import sender_of, window_of

STATE = re.compile(r"\b(?:CO|SC)$")
"""States of America that are written as a legal form is."""
HOLDER = re.compile(
    r"(?<=\w )\W?(?:t\.? ?n\.? ?v\b|ten name van|account (?:name|holder)|kontoinhaber(?:in)?|lautend auf|zugunsten(?: von)?|in the name of|in favou?r of|payable to"
    r"|titulaire|au nom de|a l'ordre de|titular|a nombre de|a favor de|intestat[oa] a|a favore di|begunstigde|rekeninghouder|na rzecz|saaja)[\s.:]+(\S.{2,60})"
)
"""What says in a sentence whose the account is, folded."""
ACCOUNT = re.compile(r"\b[A-Z]{2}\d\d(?: ?[\dA-Z]{4}){2}")
COLLECTED = re.compile(
    r"buch|einzug|einzieh|eingezogen|debit|collect|prelev|incass|adde?bit|domicili|mandat|polecen|veloit"
)
"""What collects a sum from the account of who pays, folded."""
CLEAR = 0.6
"""Recognised words that are less sure on average are stamps and logos rather than a letterhead."""
FORM_MARGIN = 1.0
"""The same where the second has a label that calls it so, or a company's legal form, and the first has nothing but its place."""
HEAD_LINES = 5
"""Below these stands who is written to as well as who writes."""
LOW = 0.15
"""Below this share of an empty page top the letterhead is a picture, and the first name who is written to."""
LEAST_KEY, SENTENCE = 5, 4
"""Letters of a name that is known again in a sentence, and words of that before it, at least."""
BLOCK = 7
"""Lines that a name and what belongs to it take at most."""
FOOT = 0.6
"""From this share of the page on who writes may stand over his registration."""
HALF, MOST_LETTERS = 3.0, 70
WEAK = 1.0
"""What stands near the top, but is neither large nor first nor over an address, scores less."""
UNSAID = "Nothing says that this name is the supplier's; it does not stand at the head of the page as a letterhead does."
RIVAL_MARGIN = 0.3
"""A second name that comes this near makes the choice doubtful."""


class Parties:
    """All names of the document, scored as its supplier."""

    def __init__(self, text: Text, taken: set[int] = frozenset()):  # type: ignore[assignment]
        """`taken`: lines of the table of items, where no party stands."""
        self.text, self.taken, self.found = text, taken, dict[str, Party]()
        self.first = min(text.pages)
        self.tallest = max((c.height for c in text.cells if c.page == self.first), default=1.0)
        self.buyers = {key_of(candidate.value) for candidate in buyers_of(text)}
        self.theirs = addresses_of(text)
        self.addressed: list[Candidate] = []
        self.domains = domains_of(text)
        self.greeted = next((match[1] for said in text.folded.values() if (match := GREETED.match(said))), "")
        self._look()

    def suppliers(self) -> list[Candidate]:
        """Best first; the margin to the second best tells how sure the choice is."""
        others = dict.fromkeys(others_of(self.text), -1.2) | dict.fromkeys(self.buyers, -2.5)
        for key, party in self.found.items():
            if key in others:
                party.add("somebody else", others[key])
            elif key in self.theirs and party.signs <= {"letterhead", "again"}:
                party.add("somebody else", -2.5)
            self._weigh_domain(key, party)
            self._weigh_relatives(key, party)
            if BANK.search(fold(party.name)) and "label" not in party.signs:
                party.add("bank", -1.2)
        self._weigh_holder()
        self._weigh_halves()
        ordered = sorted(self.found.values(), key=lambda p: (-p.score, p.words[0].page, p.words[0].y0))
        ordered = [party for party in ordered if party.score > 0.6]
        if not ordered:
            return []
        best = ordered[0]
        rivals = [
            p
            for p in ordered[1:]
            if key_of(p.name) not in key_of(best.name) and key_of(best.name) not in key_of(p.name)
        ]
        margin = best.score - (rivals[0].score if rivals else 0.0)
        if rivals and margin < RIVAL_MARGIN and beside(best, rivals[0]):
            # Side by side and without a label: who is written to stands at the left, in the window of the envelope
            best, rivals[0] = rivals[0], best
        elif not self.buyers and (left := left_of(self.text, best, rivals)) is not None:
            rivals, best, margin = [best, *(p for p in rivals if p is not left)], left, 0.0
        confidence = min(0.45 + 0.1 * best.score + 0.2 * min(margin, 1.2), 0.6 + 0.35 * margin, 0.97)
        candidate = Candidate(best.name, confidence, best.words)
        registered = next((p for p in rivals if {"imprint", "legal form"} <= p.signs), None)
        if registered is not None and not {"imprint", "label", "domain"} & best.signs:
            candidate.reasons.append(f"The foot of the page names another company: {registered.name[:80]}.")
        elif rivals and margin < (FORM_MARGIN if says_more(rivals[0], best) else RIVAL_MARGIN):
            candidate.reasons.append(f"This name could be the supplier's as well: {rivals[0].name[:80]}.")
        if (form := form_below(self.text, best)) is not None:
            candidate.value, candidate.words = f"{best.name} {form.text}", [*best.words, *form.words]
        elif (rest := next((p for p in rivals if goes_on(self.text, best, p)), None)) is not None:
            candidate.reasons.append(f"The name may go on in the line below it: {rest.name[:80]}.")
        if self._may_be_anybodys(best):
            candidate.reasons.append(UNSAID)
        return [candidate]

    def _may_be_anybodys(self, best: Party) -> bool:
        """Whether the place of the name is all that speaks for it, and that place may as well be the one of who is written to."""
        cell = self.text.cell_of(best.words[0])
        if not best.signs <= {"letterhead", "legal form", "again"}:
            # Both of two have a mail address in their blocks, or may
            usual = best.signs <= {"letterhead", "again", "domain"}
            return (
                usual
                and not self.buyers
                and stands_beside(self.text, cell)
                and not self._is_said_elsewhere(cell)
            )
        weak = best.signs == {"letterhead"} and best.score < WEAK
        low = cell.y0 > LOW * self.text.pages[cell.page].height and "legal form" not in best.signs
        block = [self.text.folded[other] for other in self.text.below(cell, BLOCK)] if low else []
        alone = low and not any(CONTACT.search(line) or FOOTER_WORDS.search(line) for line in block)
        return (
            weak
            or alone
            or (not self.buyers and has_neighbour(self.text, cell))
            or not self._heads(best)
            or (cell.line > 0 and not self._is_reached())
        )

    def _is_said_elsewhere(self, cell: Cell) -> bool:
        """Whether a web or mail address stands outside of the block below the name."""
        block = set(self.text.below(cell, BLOCK))
        return any(DOMAIN.search(said) for other, said in self.text.folded.items() if other not in block)

    def _is_reached(self) -> bool:
        """Whether the document names who is written to, or says of the writer how to reach him or his tax number."""
        said = self.text.folded.values()
        return bool(self.buyers) or any(self.text.labelled("tax_id")) or any(map(REACHED.search, said))

    def _heads(self, party: Party) -> bool:
        """Whether the name stands in one of the first lines of the document."""
        cell = self.text.cell_of(party.words[0])
        return cell.line < HEAD_LINES and cell.page == self.first

    def _look(self) -> None:
        for cell in self.text.cells:
            self._letterhead(cell)
            self._sender_line(cell)
            self._legal_form(cell)
            self._imprint(cell)
        for cell, hit in little(self.text, FROM):
            for candidate in named(self.text, cell, hit):
                self._add(candidate.value, candidate.words, "label", 2.2)
        for cell, hit in self.text.labelled("supplier"):
            opens = self.text.leads(cell, hit) or (
                cell.text[hit.end :].lstrip().startswith(":")
                and re.search(r"[–—\-•|;,]\s*$", cell.text[: hit.start])
            )
            if "supplier" in hit.roles and opens:
                strong = not self.text.folded[cell].startswith(("from", "zahl", "payable", "pay to", "remit"))
                for candidate in named(self.text, cell, hit):
                    self._add(
                        candidate.value,
                        candidate.words,
                        "label" if strong else "weak label",
                        2.2 if strong else 1.0,
                    )

    def _add(self, name: str, words: list[Word], sign: str, weight: float) -> None:
        name = clean(name)
        key = key_of(name)
        if len(key) < 2 or not words or len(name) > MOST_LETTERS or is_no_name(name):
            return
        party = self.found.get(key)
        if party is None:
            party = self.found[key] = Party(name, words)
        elif weight > party.best:
            party.name, party.words = name, words
        party.best = max(party.best, weight)
        party.add(sign, weight)
        if party.words[0].y0 != words[0].y0:
            party.add("again", 0.3)

    def _letterhead(self, cell: Cell) -> None:
        """Large or first text at the top of the first page."""
        page = self.text.pages[cell.page]
        spelled = is_spelled(cell)
        if (
            cell.page != self.first
            or cell.line in self.taken
            or cell.y0 > 0.3 * page.height
            or (len(cell.words) > 7 and not spelled)
            or not (spelled or re.search(r"[^\W\d_]{2}", cell.text))
        ):
            return
        if (
            is_something_else(self.text, cell)
            or self._is_written_to(cell)
            or sum(word.sure for word in cell.words) < CLEAR * len(cell.words)
        ):
            return
        position = self.text.lines[cell.line].index
        weight = 0.9 * max(0.0, 1.0 - cell.y0 / (0.3 * page.height))
        weight += 0.9 if position == 0 else 0.5 if position == 1 else 0.0
        weight += 0.8 * (cell.height / self.tallest) ** 2 if self.tallest > 11 else 0.2
        weight += 0.4 if self._address_follows(cell) else 0.0
        weight += 0.4 if any(CONTACT.search(self.text.folded[c]) for c in self.text.below(cell, 6)) else 0.0
        announced = PREFIX.match(self.text.folded[cell])
        first = announced.end() if announced is not None else 0
        name = spelled_out(cell.words) if spelled else cell.text[first:]
        if not (spelled and any(hit.plays("kind:") for hit in find(fold(name)))):
            self._add(name, words_at(cell, first, len(cell.text)), "letterhead", weight)

    def _is_written_to(self, cell: Cell) -> bool:
        """Whether the line above, in the same block, calls somebody by a form of address, or one below names such a person, or who is greeted in the letter."""
        if cell.text.endswith(HONOURED) or any(
            abs(other.x0 - cell.x0) < 4 and TITLES.match(other.text) and not DOCTOR.search(other.text)
            for other in self.text.above(cell)
        ):
            return True
        block = [other for other in self.text.below(cell, 2) if abs(other.x0 - cell.x0) < 4]
        greeted = self.greeted and any(self.greeted in self.text.folded[other] for other in (cell, *block))
        return greeted or any(PERSON.match(other.text) for other in block)

    def _address_follows(self, cell: Cell) -> bool:
        return any(POSTCODE.search(c.text) or STREET.search(c.text) for c in self.text.below(cell, 3))

    def _sender_line(self, cell: Cell) -> None:
        sender = sender_of(self.text, cell) if cell.line not in self.taken else None
        if sender is None:
            return
        self._add(sender.name, sender.words, "sender line", 1.7 if sender.early else 0.8)
        if sender.early:
            own = key_of(clean(sender.name))
            window = [one for one in window_of(self.text, sender.last) if key_of(one.value) != own]
            self.buyers |= {key_of(one.value) for one in window}
            self.addressed += window[:1]

    def _legal_form(self, cell: Cell) -> None:
        """A company's name ends in its legal form; an item's may end so too ("Coffee beans 1 kg")."""
        if cell.line in self.taken:
            return
        start = 0
        for part in SPLIT.split(cell.text):
            at = cell.text.find(part, start)
            start = at + len(part)
            match = LEGAL.match(fold(part))
            if match is None or len(part) > 140:
                continue
            if self._is_written_to(cell):
                return
            end = match.end("form") if match.group("form") else len(part)
            first = next(
                (
                    hit.end
                    for hit in self.text.hits.get(cell, ())
                    if at <= hit.start <= at + 1
                    and (cell.text[hit.end : hit.end + 1] == ":" or announces(cell, hit))
                ),
                at,
            )
            announced = PREFIX.match(fold(cell.text[first : at + end]))
            first += announced.end() if announced is not None else 0
            marked = COPYRIGHT.match(cell.text[first : at + end])
            first += marked.end() if marked is not None else 0
            name = cell.text[first : at + end].lstrip(": ")
            behind = part[end:].split()
            if STATE.search(part[:end]) and behind and re.match(r"\d{5}\b", behind[0]):
                continue  # "Denver CO 80202" is a town
            if len(name.split()) > 8 or re.match(r"[a-z]", name) or LABELLED.match(name):
                continue  # a sentence, or a party with a label that nobody knows: "Party : X Ltd"
            if behind and behind[0][:1].islower() and not FOOTER_WORDS.search(fold(part)):
                continue  # a company in the middle of a sentence
            page = self.text.pages[cell.page]
            weight = 1.2 + (0.2 if cell.y0 < 0.3 * page.height else 0.0)
            words = words_at(cell, first, at + end)
            footer = cell.y0 > 0.75 * page.height
            self._add(name, words, "legal form", weight)
            # Further down or at the right it may be anybody's: "Insured by X Limited, registered office ..."
            heads = cell.page == self.first and cell.line < HEAD_LINES and cell.x0 < page.width / 2
            if heads and not at and SEAT.match(cell.text, len(part)):
                self._add(name, words, "seat", 1.6)
            if footer or FOOTER_WORDS.search(around(self.text, cell)):
                self._add(name, words, "imprint", 0.9)

    def _weigh_domain(self, key: str, party: Party) -> None:
        """A web or mail address of the same name as the company."""
        for domain in self.domains:
            words = [
                word
                for word in re.findall(r"[^\W_]{3,}", fold(party.name))
                if word not in ("the", "und", "and", "gmbh", "ltd", "inc")
            ]
            if (
                key == domain
                or (len(key) >= 4 and domain.startswith(key))
                or key.startswith(domain)
                or (
                    words
                    and (
                        (domain.startswith(words[0]) and len(words[0]) >= 4)
                        or sum(word in domain for word in words) >= 2
                    )
                )
            ):
                party.add("domain", 1.1)

    def _weigh_holder(self) -> None:
        """Who a sentence says to pay to: "on account NL68 ... in the name of X at Y" names X, whole or its end; one that collects names who pays."""
        cells = (c for c in self.text.cells if len(c.words) > SENTENCE and ACCOUNT.search(c.text))
        sentences = (said for c in cells if not COLLECTED.search(said := self.text.folded[c]))
        for holder in [key_of(match[1]) for said in sentences if (match := HOLDER.search(said))]:
            for key, party in self.found.items():
                if len(key) >= LEAST_KEY <= len(holder) and (holder.startswith(key) or key.endswith(holder)):
                    party.add("holder", 1.2)

    def _weigh_relatives(self, key: str, party: Party) -> None:
        """A short form of a company's full name elsewhere speaks for the full name."""
        match = LEGAL.match(fold(party.name))
        if "legal form" not in party.signs or match is None or not match.group("name"):
            return
        bare = key_of(match.group("name"))
        for other, relative in self.found.items():
            if (
                other != key
                and len(min(bare, other, key=len)) >= 4
                and (other.startswith(bare) or bare.startswith(other))
            ):
                party.add("short form", 0.4 * max(relative.score, 0.0))

    def _weigh_halves(self) -> None:
        """A name that is set in two lines and stands in one elsewhere is the whole of both."""
        for key, party in list(self.found.items()):
            for half in [other for other in self.found if other != key and key.startswith(other)]:
                if (rest := self.found.get(key[len(half) :])) is not None:
                    party.add("two lines", max(self.found[half].score, rest.score, 0.0))
                    for one in (self.found[half], rest):
                        one.add("half", -HALF)

    def _imprint(self, cell: Cell) -> None:
        """A short line in the lower part of the page, over the company's registration, an address between them at most."""
        page = self.text.pages[cell.page]
        if (
            cell.y0 < FOOT * page.height
            or len(cell.words) > 5
            or self.text.leading_hit(cell) is not None
            or self.text.amounts(cell)
        ):
            return
        below = " ".join(self.text.folded[other] for other in self.text.below(cell, 3))
        if (
            FOOTER_WORDS.search(below)
            and not FOOTER_WORDS.search(self.text.folded[cell])
            and re.search(r"[A-ZÀ-Ý\u3040-\u9fff]", cell.text)
        ):
            self._add(cell.text, cell.words, "imprint", 0.9)
