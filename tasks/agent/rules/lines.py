"""Reads line items: a heading row of column names, and the rows under it that carry an amount."""

from __future__ import annotations

from decimal import Decimal

from tasks.agent.rules.counted import read_counted
from tasks.agent.rules.headings import heading, target_of
from tasks.agent.rules.numbers import ROUNDING
from tasks.agent.rules.rows import Rows, is_plainer, row_in, says_less, summary_of
from tasks.agent.rules.tables import Column, Table, worth
from tasks.agent.rules.text import Text

MOST_HEADING = 12
"""Lines of a heading whose columns are narrow."""
ROWS_APART = 4
"""Lines at the foot of a page between its last row and the next page."""


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
        while goes_on(text, index, columns, table):
            index = Rows(text, index, columns, table).read()
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


def goes_on(text: Text, index: int, columns: list[Column], table: Table) -> bool:
    """Whether the next page begins with rows of the same table, without heading it again."""
    if not 0 < index < len(text.lines) or not table.rows:
        return False
    line, before = text.lines[index], text.lines[index - 1]
    if line.page == before.page or table.rows[-1].line < index - ROWS_APART:
        return False
    row = row_in(text, line, columns, target_of(columns))
    return (
        row is not None and row.parts.keys() == table.rows[-1].parts.keys() and summary_of(text, line) is None
    )
