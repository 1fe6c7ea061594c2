"""Reads tables of figures: rows of a label and figures, and the headings over each column of figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise

from tasks.agent.layout import Cell, Line
from tasks.agent.page import Word
from tasks.agent.rules import dates, numbers
from tasks.agent.rules.labels import fold
from tasks.agent.rules.text import Text, words_at

NOT_LABELS = re.compile(r"^[\d\W]*$|^[€$£¥₹]$")
SIGN = re.compile(r"^[\s€$£¥₹%()\-–—.]*$")
LEADING_ZERO = re.compile(r"^0\d")
CODE = re.compile(r"\d{5}")
PAGES = re.compile(r"^\d+-\d+$")
HEADING_LINES = 4
ADDRESS = re.compile(r"@|\bwww\.|https?:")
CENTS = re.compile(r"(?<![\d.,])\d[\d.,'’]*[.,]\d{2}(?![\d.,])")
GAP = 2.6
"""Lines further apart than this many heights belong to different tables."""
LEAST_IN_COLUMN = 3
"""Fewer figures under each other make no column, and what stands over them is no heading."""
SMALL, SMALLER = 1000, 100
HEADING_GAP, HEADING_WORDS = 3.5, 6
COLUMN = 26.0
"""Points within which the right edges of figures make one column."""


@dataclass(slots=True)
class Figure:
    """One figure with the words it stands in, and the column (by number) that it belongs to."""

    value: Decimal
    words: list[Word]
    currency: str = ""
    decimals: int = 0
    column: int = -1

    @property
    def right(self) -> float:
        return self.words[-1].x1


@dataclass(slots=True)
class Row:
    """A label and its figures; `dates` are what stands before the label as a date."""

    label: list[Word]
    figures: list[Figure]
    line: Line
    when: list[Word] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.label)


@dataclass(slots=True)
class Grid:
    """Rows that stand together, and the words over each of their columns."""

    rows: list[Row]
    headings: list[list[Word]] = field(default_factory=list)

    def heading(self, column: int) -> str:
        return " ".join(word.text for word in self.headings[column]) if self.headings else ""


def grids_of(text: Text) -> Iterator[Grid]:
    """All tables of figures, in reading order."""
    run: list[Row] = []
    last: Line | None = None
    between = 0
    for line in text.lines:
        rows = list(rows_in(text, line))
        apart = last is not None and (line.page != last.page or line.y0 - last.y1 > GAP * (last.y1 - last.y0))
        # Several words side by side without a figure head what follows
        heads = not rows and sum(not NOT_LABELS.match(cell.text) for cell in line.cells) > 1
        if run and (apart or heads or between > HEADING_LINES):
            yield with_columns(text, run)
            run = []
        between = 0 if rows else between + 1
        run += rows
        last = line
    if run:
        yield with_columns(text, run)


def rows_in(text: Text, line: Line) -> Iterator[Row]:
    """A line may hold several pairs of label and figures side by side."""
    label: list[Word] = []
    when: list[Word] = []
    figures: list[Figure] = []
    for cell in line.cells:
        found = figures_in(text, cell)
        if found:
            figures += found if label else []  # what stands before any label numbers the rows
            continue
        if text.dates(cell) and len(cell.words) <= 4 and not figures:
            when = cell.words
            continue
        if NOT_LABELS.match(cell.text) or PAGES.match(cell.text):
            continue
        if figures and label:
            yield Row(label, figures, line, when)
            label, figures, when = [], [], []
        glued, rest = split_label(text, cell)
        # A label with a colon needs nothing of what stands before it
        label = list(glued) if rest or cell.text.endswith(":") else [*label, *glued]
        figures += rest
    if figures and label:
        yield Row(label, figures, line, when)


def figures_in(text: Text, cell: Cell) -> list[Figure]:
    """The figures of a cell that holds nothing else; years and rates are headings and remarks."""
    amounts = [amount for amount in text.amounts(cell) if not amount.percent]
    rest = cell.text
    for amount in reversed(amounts):
        rest = rest[: amount.start] + rest[amount.end :]
    if not amounts or not SIGN.match(rest) or PAGES.match(cell.text):
        return []
    return [
        Figure(amount.value, words_at(cell, amount.start, amount.end), amount.currency, amount.decimals)
        for amount in amounts
        if not is_year(amount, cell.text) and not LEADING_ZERO.match(cell.text[amount.start :])
    ]


def is_year(amount: numbers.Amount, text: str) -> bool:
    return (
        amount.decimals == 0 and 1900 <= amount.value <= 2100 and "," not in text[amount.start : amount.end]
    )


def split_label(text: Text, cell: Cell) -> tuple[list[Word], list[Figure]]:
    """ "Portfolio value: $545" in one cell is a label and its figure."""
    colon = cell.text.find(": ")
    behind = [a for a in text.amounts(cell) if colon > 0 and a.start > colon and not a.percent]
    if len(behind) == 1 and SIGN.match(cell.text[colon + 1 : behind[0].start] + cell.text[behind[0].end :]):
        amount = behind[0]
        words = words_at(cell, amount.start, amount.end)
        return words_at(cell, 0, colon), [Figure(amount.value, words, amount.currency, amount.decimals)]
    return cell.words, []


def with_columns(text: Text, rows: list[Row]) -> Grid:
    """Number the columns by where their figures end, and gather what stands over each of them."""
    rights = sorted(figure.right for row in rows for figure in row.figures)
    edges: list[list[float]] = []
    for right in rights:
        if not edges or right - edges[-1][-1] > COLUMN:
            edges.append([])
        edges[-1].append(right)
    ends = [group[-1] for group in edges]
    for row in rows:
        for figure in row.figures:
            figure.column = next(i for i, end in enumerate(ends) if figure.right <= end)
    if are_notes([figure for row in rows for figure in row.figures if figure.column == 0], len(ends)):
        for row in rows:
            row.figures = [figure for figure in row.figures if figure.column]
        return with_columns(text, rows)
    grid = Grid(rows, headings_of(text, rows, ends))
    for column, edge in enumerate(edges):
        if len(edge) < LEAST_IN_COLUMN:
            grid.headings[column] = []
    for row in rows:
        row.figures = [figure for figure in row.figures if says_something(grid, row, figure)]
    return grid


def are_notes(figures: list[Figure], columns: int) -> bool:
    """Small whole numbers before the other columns that only ever rise: where the notes to the items are found."""
    plain = all(
        0 < figure.value < SMALLER and not figure.decimals and not figure.currency for figure in figures
    )
    rising = all(one.value < other.value for one, other in pairwise(figures))
    return columns > 1 and len(figures) >= LEAST_IN_COLUMN and plain and rising


def says_something(grid: Grid, row: Row, figure: Figure) -> bool:
    """A small bare number without heading or colon numbers a page or a remark."""
    plain = not figure.currency and not figure.decimals and abs(figure.value) < SMALL
    return not plain or bool(grid.headings[figure.column]) or row.text.endswith(":")


def headings_of(text: Text, rows: list[Row], ends: list[float]) -> list[list[Word]]:
    """For each column the words of the cells over it in the few lines before the first row; a wide cell heads several columns.

    Where something alien stands over them, what stands between it and the lowest line that heads all columns belongs to it.
    """
    starts = [
        min(f.words[0].x0 for row in rows for f in row.figures if f.column == column)
        for column in range(len(ends))
    ]
    headings: list[list[Word]] = [[] for _ in ends]
    whole: list[list[Word]] = []
    first = below = rows[0].line
    for line in reversed(text.lines[max(first.index - 2 * HEADING_LINES, 0) : first.index]):
        far = below.y0 - line.y1 > HEADING_GAP * (line.y1 - line.y0)
        if line.page != first.page or far or CODE.search(line.text) or any(rows_in(text, line)):
            break
        below = line
        over = [c for c in line.cells if c.x1 > min(starts) - COLUMN and len(c.words) <= HEADING_WORDS]
        if any(is_alien(cell.text) for cell in over):
            return whole or headings
        if not over:
            continue
        for column, (left, right) in enumerate(zip(starts, ends, strict=True)):
            middle = (left + right) / 2
            cell = min(over, key=lambda c: max(c.x0 - middle, middle - c.x1, 0.0))
            reach = 0.6 * (right - left) + (2.5 * COLUMN if len(over) < len(ends) else COLUMN)
            if max(cell.x0 - middle, middle - cell.x1, 0.0) <= reach:
                headings[column] = [*cell.words, *headings[column]]
        if len(over) >= len(ends) > 1 and all(headings) and not whole:
            whole = list(headings)
    return headings


def is_alien(heading: str) -> bool:
    """Whether this is no heading: the address of a site or a mailbox, or sums of money beside their own labels."""
    return bool(ADDRESS.search(heading) or (CENTS.search(heading) and not dates.find(fold(heading), None)))
