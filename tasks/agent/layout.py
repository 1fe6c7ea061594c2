"""Puts words into lines and cells: what stands on one height, and what stands apart on it."""

from __future__ import annotations

import re

from tasks.agent.page import Page, Word

APART = 0.75
"""A gap of this share of the line's height starts a new cell; a space between words is a third of it."""
LEAST_LETTERS, TALL = 4, 1.5
"""A word of so many letters that is so many times higher than wide is printed along the side of the page."""
FIGURE, LONGEST_UNIT = re.compile(r"\d[.,]\d\d$"), 3
"""The end of a figure of money; letters of a unit beside it at most."""
MIDWAY, PITCH, EDGE = 0.3, 1.8, 3.0
"""Shares of a height: by so much a row misses the middle of two lines at most, and so far these begin apart. Points by which their edges differ at most."""


class Cell:
    """Words of one line that stand close together: a phrase, a figure, a label."""

    __slots__ = ("column", "line", "text", "words", "x0", "x1", "y0", "y1")

    def __init__(self, words: list[Word], line: int, column: int):
        self.words, self.line, self.column = words, line, column
        self.text = " ".join([word.text for word in words])
        self.x0, self.x1 = words[0].x0, words[-1].x1
        self.y0, self.y1 = min([word.y0 for word in words]), max([word.y1 for word in words])

    @property
    def page(self) -> int:
        return self.words[0].page

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    def __repr__(self) -> str:
        return f"Cell({self.text!r})"


class Line:
    """Cells at one height, from left to right. `index` counts through the whole document."""

    __slots__ = ("cells", "index", "page", "text", "y0", "y1")

    def __init__(self, cells: list[Cell], index: int, page: int):
        self.cells, self.index, self.page = cells, index, page
        self.text = "  ".join([cell.text for cell in cells])
        self.y0, self.y1 = min([cell.y0 for cell in cells]), max([cell.y1 for cell in cells])

    def __repr__(self) -> str:
        return f"Line({self.text!r})"


def lines_of(page: Page, first_index: int = 0) -> list[Line]:
    """The page's lines from top to bottom, numbered from `first_index`; behind them what is printed along its sides, a run on each."""
    lines: list[Line] = []
    runs = turned(page.words)
    aside = {id(word) for run in runs for word in run}
    for row in gathered(rows_of([w for w in page.words if id(w) not in aside] if runs else page.words)):
        row.sort(key=lambda word: word.x0)
        index = first_index + len(lines)
        lines.append(Line(cells_of(row, index), index, page.number))
    for run in runs:
        index = first_index + len(lines)
        lines.append(Line([Cell(run, index, 0)], index, page.number))
    return lines


def turned(words: list[Word]) -> list[list[Word]]:
    """The runs of words that are printed upwards or downwards, which share their sides; none where most of the page is printed so."""
    tall = [w for w in words if len(w.text) >= LEAST_LETTERS and w.y1 - w.y0 > TALL * (w.x1 - w.x0)]
    if not tall or 2 * len(tall) >= len(words):
        return []
    runs: dict[tuple[int, int], list[Word]] = {(round(word.x0), round(word.x1)): [] for word in tall}
    for word in words:
        run = runs.get((round(word.x0), round(word.x1)))
        if run is not None:
            run.append(word)
    return list(runs.values())


def rows_of(words: list[Word]) -> list[list[Word]]:
    """Words grouped by height: a word joins a row whose middle lies within its own middle half."""
    rows: list[list[Word]] = []
    middle = -1e9
    for centre, _, word in sorted(
        [((word.y0 + word.y1) / 2, index, word) for index, word in enumerate(words)]
    ):
        if centre - middle > 0.4 * (word.y1 - word.y0):
            rows.append([])
            middle = centre
        rows[-1].append(word)
    return rows


def gathered(rows: list[list[Word]]) -> list[list[Word]]:
    """The rows, with each figure in that row to which its cell belongs, where that is set in two lines and the others of the row in one, at the middle of the two."""
    middles = [(row[0].y0 + row[0].y1) / 2 for row in rows]
    heights = [row[0].y1 - row[0].y0 for row in rows]
    for at, height in enumerate(heights[1:-1], 1):
        above, middle, below = middles[at - 1 : at + 2]
        if below - above < PITCH * height and abs(above + below - 2 * middle) < MIDWAY * height:
            for own, other in ((at - 1, at + 1), (at + 1, at - 1)):
                for run in halves_of(rows[own], rows[at], rows[other]):
                    rows[own] = [word for word in rows[own] if word not in run]
                    rows[at] += run
    return [row for row in rows if row]


def halves_of(own: list[Word], row: list[Word], other: list[Word]) -> list[list[Word]]:
    """Figures of the line `own` whose cells go on in the line `other`, with a currency, and whose nearest neighbour at the left stands in `row` between the two."""
    if not any(FIGURE.search(word.text) for word in own):
        return []
    runs, rest = _runs(own), [run for run in _runs(other) if _is_unit(run)]
    found = []
    for run in filter(_is_figure, runs):
        x0, x1 = run[0].x0, run[-1].x1
        aligned = any(min(abs(r[0].x0 - x0), abs(r[-1].x1 - x1)) < EDGE for r in rest)
        nearest = max((word.x1 for word in row if word.x1 <= x0), default=0.0)
        covered = any(word.x0 < x1 and word.x1 > x0 for word in row)
        if aligned and not covered and nearest > max((r[-1].x1 for r in runs if r[-1].x1 <= x0), default=0.0):
            found.append(run)
    return found


def _runs(row: list[Word]) -> list[list[Word]]:
    return [cell.words for cell in cells_of(sorted(row, key=lambda word: word.x0), 0)]


def _is_figure(run: list[Word]) -> bool:
    figures = [word for word in run if FIGURE.search(word.text)]
    return bool(figures) and all(word in figures or len(word.text) <= LONGEST_UNIT for word in run)


def _is_unit(run: list[Word]) -> bool:
    """Whether it is no label: "€", "PLN", "zł"."""
    return all(len(word.text) <= LONGEST_UNIT and not any(map(str.isdigit, word.text)) for word in run)


def cells_of(row: list[Word], line: int) -> list[Cell]:
    cells: list[Cell] = []
    run = [row[0]]
    for word in row[1:]:
        last = run[-1]
        if word.x0 - last.x1 > APART * min(last.y1 - last.y0, word.y1 - word.y0):
            cells.append(Cell(run, line, len(cells)))
            run = []
        run.append(word)
    cells.append(Cell(run, line, len(cells)))
    return cells
