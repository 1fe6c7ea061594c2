"""Puts a model's values on the page, or says that they are not there. Where the model says that they are counts for nothing."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tasks.agent import confidence
from tasks.agent.confidence import Signals
from tasks.agent.contract import FieldValue, Source
from tasks.agent.finding import Habits, PageText, Place, places
from tasks.agent.grounding import evidence
from tasks.agent.nearness import ranked
from tasks.agent.page import Page
from tasks.agent.pdf import Document
from tasks.agent.schema import Field

NOT_FOUND = "Not found on page: nothing that is printed there holds this value."
NO_VALUE = "The {} was not found."
SUPPORT, UNPROVEN = 0.9, 0.4
MOST_TRIED = 5
PAGES_AT_HAND = 24
ROW = 6.0
"""Points by which the heights of what stands in one row may differ."""

Row = tuple[int, float]
"""Page, and points from its top, of the row in which an entry of a list stands."""


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
            return FieldValue(
                value=None,
                confidence=0.0,
                reasons=(NO_VALUE.format(field.name.replace("_", " ")),) if field.required else (),
            )
        texts = self._page_texts(pages)
        for place in ranked(texts, self._found(texts, field, value), field.name, near)[:MOST_TRIED]:
            proof = evidence(self.document, self.pages, list(place.words))
            if proof:
                recognised, clear = confidence.letters_of(list(place.words))
                sure = confidence.supported(Signals(SUPPORT, 0, bool(place.doubt), True, recognised, clear))
                reasons = (place.doubt,) if place.doubt else ()
                return FieldValue(
                    value=value, confidence=sure, source=Source.MODEL, evidence=proof, reasons=reasons
                )
        return FieldValue(value=value, confidence=UNPROVEN, source=Source.MODEL, reasons=(NOT_FOUND,))

    def entry(
        self,
        columns: Sequence[Field],
        cells: dict[str, str | int | None],
        pages: Iterable[int],
        after: Row | None,
    ) -> Entry:
        """An entry of a list: its values are looked for in the row that holds most of them, the first one after the entry before."""
        texts = self._page_texts(pages)
        said = [(column, cells.get(column.name)) for column in columns]
        found = {
            column.name: self._found(texts, column, value) for column, value in said if value is not None
        }
        row = best_row(list(found.values()), after)
        return Entry(
            {
                column.name: self.value(column, value, pages, row)
                for column, value in said
                if value is not None
            },
            row,
        )

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
