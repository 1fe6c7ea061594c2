"""Reads line items: a heading row of column names, and the rows under it that carry an amount."""

from __future__ import annotations

from decimal import Decimal

from tasks.agent.layout import Line
from tasks.agent.rules.counted import read_counted
from tasks.agent.rules.headings import heading, target_of
from tasks.agent.rules.numbers import ROUNDING
from tasks.agent.rules.rows import ENDING, Rows, is_plainer, row_in, says_less, summary_of
from tasks.agent.rules.tables import Column, Table, worth
from tasks.agent.rules.text import Text

MOST_HEADING = 12
"""Lines of a heading whose columns are narrow."""
ROWS_APART = 4
"""Lines at the foot of a page between its last row and the next page."""
MOST_AROUND = 12
"""Lines of an address and of what else every page bears, at the foot of a page or at its head; the rows around it have more than LEAST_PARTS parts."""
LEAST_PARTS = 2


def table_of(text: Text) -> Table:
    table = Table()
    index = 0
    while index < len(text.lines):
        columns = heading(text, text.lines[index])
        if columns is None:
            index += 1
            continue
        table.headings[index] = columns
        table.taken.add(index)
        begin, at = len(table.rows), index
        index = _read_table(text, at, columns, table)
        if len(table.rows) == begin:
            # It heads something else ("Divisa | Totale documento")
            table.taken.discard(at)
            del table.headings[at]
        while (further := next_rows(text, index, columns, table)) is not None:
            index = Rows(text, further, columns, table).read()
    _leave_sums(table)
    if not table.rows:
        read_counted(text, table)
    return table


def _leave_sums(table: Table) -> None:
    """Rows that say less than all before them, the first or all of which are what those sum to ("Parts", "Labor"): no items."""
    value = Decimal(0)
    rest = worth(table.rows)
    for position, row in enumerate(table.rows):
        if (
            (is_plainer(row, table.rows[:position]) or says_less(row, table.rows[:position]))
            and "amount" in row.parts
            and any(abs(value - other) <= ROUNDING for other in (row.amount, rest - value))
        ):
            table.taken -= {other.line for other in table.rows[position:]}
            table.rows = table.rows[:position]
            return
        value += worth([row])


def _read_table(text: Text, at: int, columns: list[Column], table: Table) -> int:
    """Read the rows below the heading at line `at`; where nothing stands under the last column of amounts, those under the one before it."""
    begin = len(table.rows)
    while True:
        index = Rows(text, at + 1, columns, table).read()
        if len(table.rows) == begin and parts_from_rows(text, at, index):
            index = Rows(text, index, columns, table).read()
        amounts = [column for column in columns if column.role == "amount"]
        if len(table.rows) > begin or len(amounts) < 2:
            return index
        columns.remove(max(amounts, key=lambda column: column.x1))


def parts_from_rows(text: Text, at: int, index: int) -> bool:
    """Whether the page ends between the heading at line `at` and the first of its rows, at line `index`."""
    return at + MOST_HEADING >= index < len(text.lines) and text.lines[index].page == text.lines[at].page + 1


def next_rows(text: Text, index: int, columns: list[Column], table: Table) -> int | None:
    """The line of the next page where rows of the same table go on, without heading it again; None where they do not.

    What is printed at the foot and the head of each page may stand in between, but no sums.
    """
    if not 0 < index < len(text.lines) or not table.rows:
        return None
    last = table.rows[-1]
    if text.lines[index].page == text.lines[index - 1].page or last.line < index - MOST_AROUND:
        return None
    if any(_ends(text, line) for line in text.lines[last.line + 1 : index]):
        return None
    apart = last.line < index - ROWS_APART
    for line in text.lines[index : index + MOST_AROUND]:
        if line.page != text.lines[index].page or _ends(text, line) or heading(text, line) is not None:
            return None
        row = row_in(text, line, columns, target_of(columns))
        if row is not None and row.parts.keys() == last.parts.keys() and summary_of(text, line) is None:
            return line.index if not apart or len(row.parts) > LEAST_PARTS else None
        apart = True
    return None


def _ends(text: Text, line: Line) -> bool:
    """Whether the line is one of the sums below a table."""
    return text.bears_money(line.cells) and summary_of(text, line) in ENDING
