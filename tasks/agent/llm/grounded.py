"""Puts a model's values on the page, or says that they are not there. Where the model says that they are counts for nothing."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tasks.agent import confidence
from tasks.agent.confidence import Signals
from tasks.agent.contract import Evidence, FieldValue, Source
from tasks.agent.finding import Habits, PageText, Place, places
from tasks.agent.grounding import PLACELESS, doubts_of, evidence
from tasks.agent.nearness import ranked
from tasks.agent.page import Page, Word
from tasks.agent.pdf import Document
from tasks.agent.schema import Field, Type

NOT_FOUND = "Not found on page: nothing that is printed there holds this value."
NO_VALUE = "The {} was not found."
SUPPORT, UNPROVEN = 0.9, 0.4
MOST_TRIED, MOST_PARTS, MOST_PIECES = 5, 10, 20
PAGES_AT_HAND = 24
ROW = 6.0
"""Points by which the heights of what stands in one row may differ."""

Row = tuple[int, float]
"""Page, and points from its top, of the row in which an entry of a list stands."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Where a value stands; `doubt` in words, where that could also mean another one."""

    evidence: tuple[Evidence, ...]
    words: list[Word]
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a list with the row in which most of it stands; None where none of it was found."""

    cells: dict[str, FieldValue]
    row: Row | None


class Grounder:
    """Grounds values on the pages of one document."""

    def __init__(self, document: Document, pages: dict[int, Page]):
        self.document, self.pages = document, pages
        self.habits = Habits.of(pages.values())
        self._texts: OrderedDict[int, PageText] = OrderedDict()

    def value(
        self, field: Field, value: str | int | None, pages: Iterable[int], near: Row | None = None
    ) -> FieldValue:
        """The value with its proof, looked for on these pages only."""
        if value is None:
            missing = (NO_VALUE.format(field.name.replace("_", " ")),) if field.required else ()
            return FieldValue(value=None, confidence=0.0, reasons=missing)
        texts = self._page_texts(pages)
        proof = self._proof(texts, field, value, near) or self._proof_of_parts(texts, field, value)
        if proof is None:
            reason = PLACELESS if self._is_read(texts, field, value) else NOT_FOUND
            return FieldValue(value=value, confidence=UNPROVEN, source=Source.MODEL, reasons=(reason,))
        recognised, clear = confidence.letters_of(proof.words)
        doubts = (*filter(None, [proof.doubt]), *doubts_of(self.document, self.pages, proof.words))
        sure = confidence.supported(Signals(SUPPORT, 0, bool(doubts), True, recognised, clear))
        return FieldValue(
            value=value, confidence=sure, source=Source.MODEL, evidence=proof.evidence, reasons=doubts
        )

    def entry(
        self, columns: Sequence[Field], cells: Mapping[str, str | int | None], pages: Iterable[int], after: Row | None
    ) -> Entry:  # fmt: skip
        """An entry of a list: its values are looked for in the row that holds most of them, the first one after the entry before."""
        pages = list(pages)
        texts = self._page_texts(pages)
        said = [(column, value) for column in columns if (value := cells.get(column.name)) is not None]
        row = best_row([self._found(texts, column, value) for column, value in said], after)
        return Entry({column.name: self.value(column, value, pages, row) for column, value in said}, row)

    def _proof(
        self, texts: dict[int, PageText], field: Field, value: str | int, near: Row | None = None
    ) -> Proof | None:
        for place in ranked(texts, self._found(texts, field, value), field.name, near)[:MOST_TRIED]:
            words = list(place.words)
            if found := evidence(self.document, self.pages, words):
                return Proof(found, words, place.doubt)
        return None

    def _proof_of_parts(self, texts: dict[int, PageText], field: Field, value: str | int) -> Proof | None:
        """Of a text that names several things with semicolons between them, where all of them are found."""
        parts = [part for part in str(value).split(";") if part.strip()]
        if field.type is not Type.TEXT or not 1 < len(parts) <= MOST_PARTS:
            return None
        found = [proof for part in parts if (proof := self._proof(texts, field, part))]
        if len(found) < len(parts):
            return None
        return Proof(
            tuple(piece for proof in found for piece in proof.evidence)[:MOST_PIECES],
            [word for proof in found for word in proof.words],
        )

    def _is_read(self, texts: dict[int, PageText], field: Field, value: str | int) -> bool:
        """Whether the value stands in words that were read without their places."""
        return any(self.pages[place.words[0].page].placeless for place in self._found(texts, field, value))

    def _found(self, texts: dict[int, PageText], field: Field, value: str | int) -> list[Place]:
        return [place for text in texts.values() for place in places(text, field.type, value, self.habits)]

    def _page_texts(self, pages: Iterable[int]) -> dict[int, PageText]:
        wanted = {}
        for number in pages:
            text = self._texts.pop(number, None) or PageText(self.pages[number].words)
            wanted[number] = self._texts[number] = text
        while len(self._texts) > max(PAGES_AT_HAND, len(wanted)):
            self._texts.popitem(last=False)
        return wanted


def best_row(found: list[list[Place]], after: Row | None) -> Row | None:
    """Page and height where places of the most values are; of equal ones the first after `after`, else the first."""
    rows = sorted({place.order[:2] for one in found for place in one})
    if not rows:
        return None
    bands = [{(place.order[0], place.order[1] // ROW) for place in one} for one in found]

    def values_beside(row: Row) -> int:
        page, band = row[0], row[1] // ROW
        return sum(any((page, band + step) in one for step in (-1, 0, 1)) for one in bands)

    beside = {row: values_beside(row) for row in rows}
    most = max(beside.values())
    best = [row for row in rows if beside[row] == most]
    return next((row for row in best if after is None or row > (after[0], after[1] + ROW)), best[0])
