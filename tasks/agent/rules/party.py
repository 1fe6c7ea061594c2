"""What is known of one name of a document: where it stands, and what speaks for it as the supplier's."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tasks.agent.layout import Cell
from tasks.agent.page import Word
from tasks.agent.rules.labels import fold
from tasks.agent.rules.numbers import code_of
from tasks.agent.rules.patterns import (
    DOMAIN,
    FORMS,
    FREE_MAIL,
    NOT_NAMES,
    POSTCODE,
    RUNNING,
    TOWN,
    clean,
    is_name,
)
from tasks.agent.rules.text import Text


@dataclass(slots=True)
class Party:
    """One name, wherever it stands, with what speaks for and against it."""

    name: str
    words: list[Word]
    score: float = 0.0
    signs: set[str] = field(default_factory=set)
    best: float = 0.0

    def add(self, sign: str, weight: float) -> None:
        if sign not in self.signs:
            self.signs.add(sign)
            self.score += weight


def says_more(rival: Party, best: Party) -> bool:
    """Whether a label names the rival alone, or its legal form speaks for it where the best one has only its place."""
    named = "label" in rival.signs - best.signs
    return named or (best.signs == {"letterhead"} and "legal form" in rival.signs)


def beside(one: Party, other: Party) -> bool:
    """Whether `other` stands on the same height as `one`, further right."""
    first, second = one.words[0], other.words[0]
    return (
        first.page == second.page
        and abs(first.y0 - second.y0) < first.y1 - first.y0
        and second.x0 > one.words[-1].x1
    )


def goes_on(text: Text, one: Party, other: Party) -> bool:
    """Whether `other` is written as a name is, right below at one edge or under its middle and as large, and is not the street over a town; below a label it has the legal form that `one` lacks."""
    letterhead = one.signs == other.signs == {"letterhead"}
    labelled = "label" in one.signs and "legal form" in other.signs - one.signs
    if not (letterhead or labelled):
        return False
    first, second = text.cell_of(one.words[0]), text.cell_of(other.words[0])
    return (
        second in text.below(first, 1)
        and (abs(second.x0 - first.x0) < 4 or abs(second.x0 + second.x1 - first.x0 - first.x1) < 8)
        and abs(second.height - first.height) < 0.1 * first.height
        and all(word.text[0].isupper() for word in other.words if len(word.text) > 3)
        and not any(POSTCODE.search(below.text) for below in text.below(second, 1))
    )


def form_below(text: Text, party: Party) -> Cell | None:
    """The legal form alone right below a name that is set in two lines, as large."""
    cell = text.cell_of(party.words[0])
    below = text.below(cell, 1) if party.words[-1] is cell.words[-1] else ()
    forms = (other for other in below if FORMS.fullmatch(text.folded[other]))
    return next((form for form in forms if abs(form.height - cell.height) < 0.1 * cell.height), None)


def is_no_name(name: str) -> bool:
    """Whether the words are a currency, a legal form alone, or something else that nobody is called."""
    said = NOT_NAMES.search(name) or RUNNING.match(name) or FORMS.fullmatch(fold(name))
    return said is not None or bool(code_of(name))


def has_neighbour(text: Text, cell: Cell) -> bool:
    """Whether another name stands at its left, each over an address of its own: who writes may be either."""
    before = text.lines[cell.line].cells[: cell.column]
    return is_housed(text, cell) and any(
        is_name(clean(other.text)) and is_housed(text, other) for other in before
    )


def stands_beside(text: Text, cell: Cell) -> bool:
    """Whether another name stands on its line, and an address below one of the two."""
    others = [other for other in text.lines[cell.line].cells if other is not cell]
    named = [other for other in others if text.leading_hit(other) is None and is_name(clean(other.text))]
    return any(is_housed(text, other) or is_housed(text, cell) for other in named)


def left_of(text: Text, best: Party, rivals: list[Party]) -> Party | None:
    """Who stands at the left of the best name, each over an address, where the document's title stands over both: there who writes comes first."""
    cell = text.cell_of(best.words[0])
    titled = any(
        text.leads(other, hit) and other.page == cell.page and other.y1 <= cell.y0
        for role in ("kind:", "number")
        for other, hit in text.labelled(role)
    )
    if "label" in best.signs or not titled or not has_neighbour(text, cell):
        return None
    return next((party for party in rivals if beside(party, best)), None)


def around(text: Text, cell: Cell) -> str:
    """What stands in the line of the cell and in the two below it, folded."""
    lines = text.lines[cell.line : cell.line + 3]
    return " ".join(
        text.folded[c]
        for line in lines
        if line.page == cell.page
        for c in line.cells
        if abs(c.x0 - cell.x0) < 150
    )


def is_housed(text: Text, cell: Cell) -> bool:
    """Whether a town stands in one of the lines below."""
    return any(TOWN.search(other.text) or POSTCODE.search(other.text) for other in text.below(cell, 3))


def domains_of(text: Text) -> set[str]:
    found = set()
    for folded in text.folded.values():
        for match in DOMAIN.finditer(folded):
            for part in match.group(1).split("."):
                bare = re.sub(r"[\W_]+", "", part)
                if len(bare) >= 3 and bare not in FREE_MAIL and bare != "www":
                    found.add(bare)
            if "@" in match.group(0) or "www" in match.group(0):
                host = match.group(1).split(".")[-1]
                if host in FREE_MAIL and "www" in match.group(0):
                    found.add(host)
    return found
