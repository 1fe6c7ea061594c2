"""What all rules look at: the document's lines and cells with their labels, amounts and dates, each found once."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property

from tasks.agent.layout import Cell, Line, lines_of
from tasks.agent.page import Page, Word
from tasks.agent.rules import dates, labels, numbers
from tasks.agent.rules.countries import Countries, countries_of
from tasks.agent.rules.labels import Hit

ADDRESS_LINES = 6
STACKED, OVERLAP = 4.0, 0.3
"""Points by which two lines of a label begin apart at most; the share of its height that a value between them reaches into each."""
NOT_A_LABEL_BEFORE = re.compile(r"[^\W\d_]")
EDGE = 4.0
"""Points by which the edges of two lines of a label differ at most."""


@dataclass(slots=True)
class Candidate:
    """A value that a rule proposes for a field: the words it stands in, how well it is supported (0..1), and its doubts in words."""

    value: str
    score: float
    words: list[Word] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    label: str = ""
    source: str = "page"

    @property
    def amount(self) -> Decimal:
        return Decimal(self.value)


class Text:
    """The readable text of some pages in reading order. `mark` is the decimal mark, `month_first` the order of numeric dates.

    `languages` are those that most of its labels are in, several where these say nothing more; `language` is the same one of them each time.
    """

    def __init__(self, pages: list[Page]):
        self.pages = {page.number: page for page in pages}
        self.lines: list[Line] = []
        for page in pages:
            self.lines += lines_of(page, len(self.lines))
        self.cells = [cell for line in self.lines for cell in line.cells]
        self.folded: dict[Cell, str] = {cell: labels.fold(cell.text) for cell in self.cells}
        self.hits: dict[Cell, list[Hit]] = {}
        self._labelled: dict[str, list[tuple[Cell, Hit]]] = {}
        weights: dict[str, float] = defaultdict(float)
        for cell, folded in self.folded.items():
            found = labels.find(folded)
            if found:
                self.hits[cell] = found
                for hit in found:
                    for language in hit.languages:
                        weights[language] += hit.words / len(hit.languages)
        self._join_languages()
        most = max(weights.values(), default=0.0)
        self.languages = frozenset(language for language, weight in weights.items() if weight == most)
        self.language = "en" if "en" in self.languages else min(self.languages, default="")
        texts = [cell.text for cell in self.cells if any(map(str.isdigit, cell.text))]
        self.mark = numbers.decimal_mark(texts)
        self.month_first = (
            dates.month_first(texts, lambda: self.countries.month_first)
            if self.language in ("en", "")
            else False
        )
        self._amounts: dict[Cell, list[numbers.Amount]] = {}
        self._dates: dict[Cell, list[dates.Found]] = {}

    def _join_languages(self) -> None:
        """Let a party's label right below one in another language say the same: on a Finnish payment slip "Mottagare" below "Saaja" is who is paid."""
        for cell in [cell for cell, hits in self.hits.items() if _is_party(cell, hits)]:
            hit = self.hits[cell][0]
            for other in self.above(cell):
                aligned = min(abs(other.x0 - cell.x0), abs(other.x1 - cell.x1)) < EDGE
                if (
                    aligned
                    and cell.y0 - other.y1 < cell.height / 2
                    and next(self.right_of(other), None) is None  # else each has its own value
                    and _is_party(other, self.hits.get(other, []))
                ):
                    upper = self.hits[other][0]
                    if upper.languages.isdisjoint(hit.languages):
                        self.hits[cell] = [replace(hit, roles=upper.roles)]

    @cached_property
    def countries(self) -> Countries:
        """Where the writer is: by all but what stands below the labels of those who are written to."""
        theirs: set[Cell] = set()
        for cell, hit in (*self.labelled("buyer"), *self.labelled("other_party")):
            if self.leads(cell, hit):
                theirs.update((cell, *self.below(cell, ADDRESS_LINES)))
        own = [cell for cell in self.cells if cell not in theirs]
        return countries_of("\n".join(c.text for c in own), "\n".join(self.folded[c] for c in own))

    @cached_property
    def printed(self) -> Counter[str]:
        """What the cells say, and how often."""
        return Counter(cell.text for cell in self.cells)

    def amounts(self, cell: Cell) -> list[numbers.Amount]:
        found = self._amounts.get(cell)
        if found is None:
            found = numbers.amounts(cell.text, self.mark)
            if len(found) == 1 and self._is_rate(cell):
                found = [replace(found[0], percent=True)]
            if found and (taken := self.dates(cell)):
                found = [a for a in found if not any(d.start < a.end and a.start < d.end for d in taken)]
            self._amounts[cell] = found
        return found

    def money(self, cell: Cell) -> list[numbers.Amount]:
        return [amount for amount in self.amounts(cell) if amount.money]

    def bears_money(self, cells: Iterable[Cell]) -> bool:
        """Whether a figure of money stands in any of the cells."""
        return any(amount.money for cell in cells for amount in self.amounts(cell))

    def _is_rate(self, cell: Cell) -> bool:
        """Whether the sign of percent behind the cell's figure stands in a column of its own."""
        behind = self.lines[cell.line].cells[cell.column + 1 : cell.column + 2]
        return bool(behind) and behind[0].text == "%"

    def dates(self, cell: Cell) -> list[dates.Found]:
        found = self._dates.get(cell)
        if found is None:
            found = self._dates[cell] = dates.find(self.folded[cell], self.month_first)
        return found

    def cell_of(self, word: Word) -> Cell:
        return self._cells_of_words[id(word)]

    @cached_property
    def _cells_of_words(self) -> dict[int, Cell]:
        return {id(word): cell for cell in self.cells for word in cell.words}

    def labelled(self, prefix: str) -> Iterator[tuple[Cell, Hit]]:
        """Cells and hits in reading order whose role starts with `prefix`."""
        found = self._labelled.get(prefix)
        if found is None:
            found = self._labelled[prefix] = [
                (cell, hit) for cell, hits in self.hits.items() for hit in hits if hit.plays(prefix)
            ]
        return iter(found)

    def leads(self, cell: Cell, hit: Hit) -> bool:
        """Whether the label opens its cell (behind figures and signs at most), and is not a word within a sentence."""
        return not NOT_A_LABEL_BEFORE.search(self.folded[cell], 0, hit.start)

    def labels(self, role: str) -> bool:
        """Whether a label of this role opens a cell."""
        return any(role in hit.roles and self.leads(cell, hit) for cell, hit in self.labelled(role))

    def brackets(self, cell: Cell, hit: Hit) -> bool:
        """Whether the label stands within brackets, and so in a remark."""
        return cell.text.count("(", 0, hit.start) > cell.text.count(")", 0, hit.start)

    def leading_hit(self, cell: Cell) -> Hit | None:
        hits = self.hits.get(cell)
        return hits[0] if hits and self.leads(cell, hits[0]) else None

    def right_of(self, cell: Cell) -> Iterator[Cell]:
        """Cells to the right on the same line, up to the next label."""
        line = self.lines[cell.line]
        for other in line.cells[cell.column + 1 :] or self._beside_both(cell):
            hit = self.leading_hit(other)
            if hit is not None and not self.amounts(other) and not self.dates(other):
                return
            yield other

    def _beside_both(self, cell: Cell) -> list[Cell]:
        """What stands beside a label of two lines, as high as the gap between them: one in each of two languages."""
        for start in (cell.line, max(cell.line - 2, 0)):
            three = self.lines[start : start + 3]
            if len(three) < 3 or cell.line == start + 1:
                continue
            upper, between, lower = three
            one, other = upper.cells[0], lower.cells[0]
            stacked = len(upper.cells) == len(lower.cells) == 1 and abs(one.x0 - other.x0) < STACKED
            overlap = min(one.y1 - between.y0, between.y1 - other.y0)
            if stacked and upper.page == lower.page and overlap > OVERLAP * one.height:
                return [c for c in between.cells if c.x0 > max(one.x1, other.x1)]
        return []

    def below(self, cell: Cell, lines: int = 2) -> Iterator[Cell]:
        """Cells under this one in the next few lines, nearest first."""
        bottom = cell.y1
        for line in self.lines[cell.line + 1 : cell.line + 1 + 2 * lines]:
            if line.page != cell.page or line.y0 - bottom > 2.2 * cell.height:
                return
            under = [c for c in line.cells if (c.x0 < cell.x1 and c.x1 > cell.x0) or abs(c.x0 - cell.x0) < 6]
            if under:
                yield from under
                bottom = line.y1
                lines -= 1
                if not lines:
                    return

    def above(self, cell: Cell) -> list[Cell]:
        """The cells right over this one, in the line before it."""
        if not cell.line or (line := self.lines[cell.line - 1]).page != cell.page:
            return []
        if cell.y0 - line.y1 > 2.2 * cell.height:
            return []
        return [c for c in line.cells if c.x0 < cell.x1 and c.x1 > cell.x0]


def _is_party(cell: Cell, hits: list[Hit]) -> bool:
    """Whether the cell is a party's label and nothing else."""
    whole = len(hits) == 1 and hits[0].end - hits[0].start == len(cell.text.strip(" :"))
    return whole and not labels.PARTIES.isdisjoint(hits[0].roles)


ANOTHER = "Another value stands as near to its label: "


def rivalled(value: str) -> str:
    """The reason of a value that another one rivals, until a check decides between them."""
    return f"{ANOTHER}{value[:80]}."


def figure_at(cell: Cell, amount: numbers.Amount, score: float, label: str = "") -> Candidate:
    """The candidate for a figure as it is printed in the cell."""
    value, words = part_at(cell, amount)
    return Candidate(value, score, words, label=label)


def part_at(cell: Cell, amount: numbers.Amount) -> tuple[str, list[Word]]:
    """A figure of the cell as part of a line item: its value and its words."""
    return numbers.plain(amount.value), words_at(cell, amount.start, amount.end)


def words_at(cell: Cell, start: int, end: int) -> list[Word]:
    """The words of the cell that characters start..end touch."""
    found, at = [], 0
    for word in cell.words:
        stop = at + len(word.text)
        if at < end and stop > start:
            found.append(word)
        at = stop + 1
    return found
