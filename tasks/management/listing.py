"""Rows of files as a table for a terminal: what a line cannot hold is wrapped or stands under it, and nothing is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tasks import confidence
from tasks.management.rows import REFUSED, Row, plain
from tasks.states import TaskStatus

# What stands in a column for agents that have no field of its name
INSTEAD = {
    "supplier": ("company", "issuer", "party_1"),
    "number": ("party_2",),
    "date": ("effective_date", "period_end"),
}
STYLES = {
    TaskStatus.COMPLETED: "green",
    TaskStatus.FAILED: "red",
    REFUSED: "red",
    TaskStatus.CANCELLED: "yellow",
}
GAP = 2


@dataclass(frozen=True, slots=True)
class _Column:
    """`least`: characters below which it is not worth reading."""

    head: str
    least: int
    cell: Callable[[Row], str]
    justify: Literal["left", "right"] = "left"


COLUMNS = (
    _Column("file", 20, lambda row: Path(row.file).name),
    _Column("state", 9, lambda row: row.state),
    _Column(
        "conf.", 5, lambda row: "" if row.confidence is None else f"{confidence.shown(row.confidence):.2f}"
    ),
    _Column("supplier", 14, lambda row: _text(row, "supplier")),
    _Column("number", 10, lambda row: _text(row, "number")),
    _Column("date", 10, lambda row: _text(row, "date")),
    _Column("total", 14, lambda row: _total(row), "right"),
    _Column("needs a look", 12, lambda row: needs_a_look(row)),
    _Column("att.", 4, lambda row: str(row.attempts or ""), "right"),
    _Column("s", 4, lambda row: "" if row.seconds is None else f"{row.seconds:.1f}", "right"),
)
LEAVING = ("s", "att.", "date", "number", "needs a look", "conf.", "supplier", "total")
"""Columns that go under the line, the first first, where a terminal is too narrow for all; file and state never do."""


def table(rows: Iterable[Row], width: int) -> Group:
    """A line per row within `width` characters, and under it what has no column there."""
    rows, columns = list(rows), _fitting(width)
    under = [column for column in COLUMNS if column not in columns]
    lines = [[Text(plain(column.cell(row))) for column in columns] for row in rows]
    heads = [Text(column.head, "bold") for column in columns]
    widths = _widths(columns, [heads, *lines], width)
    made: list[RenderableType] = [_line(columns, widths, heads)]
    for row, line in zip(rows, lines, strict=True):
        line[1].stylize("yellow" if row.needs_review else STYLES.get(row.state, ""))
        made.append(_line(columns, widths, line))
        if rest := [f"{column.head} {text}" for column in under if (text := plain(column.cell(row)))]:
            made.append(Padding(Text("; ".join(rest), "dim", overflow="fold"), (0, 0, 0, GAP)))
    return Group(*made)


def _fitting(width: int) -> list[_Column]:
    columns, leaving = list(COLUMNS), list(LEAVING)
    while leaving and sum(column.least for column in columns) + GAP * (len(columns) - 1) > width:
        gone = leaving.pop(0)
        columns = [column for column in columns if column.head != gone]
    return columns


def _widths(columns: Sequence[_Column], lines: Iterable[Sequence[Text]], width: int) -> list[int]:
    """As wide as what stands in them; where that is too much, the widest give way, as far as they can."""
    widths = [max(map(cell_len, map(str, cells))) for cells in zip(*lines, strict=True)]
    too_much = sum(widths) + GAP * (len(widths) - 1) - width
    for _character in range(too_much):
        wide = [x for x, column in enumerate(columns) if widths[x] > column.least]
        if not wide:
            break
        widths[max(wide, key=lambda x: widths[x])] -= 1
    return widths


def _line(columns: Sequence[_Column], widths: Sequence[int], cells: Sequence[Text]) -> Table:
    line = Table.grid(padding=(0, GAP, 0, 0))
    for column, width in zip(columns, widths, strict=True):
        line.add_column(width=width, justify=column.justify, overflow="fold")
    line.add_row(*cells)
    return line


def needs_a_look(row: Row) -> str:
    """Names of the fields that ask for a look; "document" where it is the whole."""
    if row.state != TaskStatus.COMPLETED or not row.needs_review:
        return ""
    return ", ".join(row.flagged) or "document"


def _total(row: Row) -> str:
    total = _text(row, "total")
    return f"{total} {_text(row, 'currency')}".strip() if total else ""


def _text(row: Row, name: str) -> str:
    found = (row.fields.get(one) for one in (name, *INSTEAD.get(name, ())))
    return next((str(value) for value in found if value is not None), "")
