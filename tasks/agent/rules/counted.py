"""Reads the items of receipts, which head no columns: rows that count and price something."""

from __future__ import annotations

import re

from tasks.agent.layout import Line
from tasks.agent.rules import numbers
from tasks.agent.rules.tables import Row, Table
from tasks.agent.rules.text import Text, part_at, words_at

COUNTED_PRICE = re.compile(
    r"(?<!\d)(?P<quantity>\d+(?:[.,]\d+)?)\s*(?:x|×|@|à)\s*(?=[€$£]|\d)", re.IGNORECASE
)


def read_counted(text: Text, table: Table) -> None:
    """Receipts have no heading row: items are the rows that say "2 @ 14.90" or "2 x 3,50"."""
    for line in text.lines:
        for cell in line.cells:
            match = COUNTED_PRICE.search(cell.text)
            if match is None:
                continue
            behind = [amount for amount in text.money(cell) if amount.start >= match.end() - 1]
            if not behind:
                continue
            price = behind[0]
            quantity, _ = numbers.parse(match["quantity"], text.mark)
            row = Row(line=line.index)
            row.parts["quantity"] = (
                numbers.plain(quantity),
                words_at(cell, match.start(), match.end("quantity")),
            )
            row.parts["unit_price"] = part_at(cell, price)
            _receipt_amount(text, line, behind, row)
            table.rows.append(row)
            table.taken.add(line.index)


def _receipt_amount(text: Text, line: Line, behind: list[numbers.Amount], row: Row) -> None:
    """The item's amount: the last figure of its row, else the lone figure in the next few rows."""
    cell = line.cells[-1]
    figures = text.money(cell)
    if figures and figures[-1] is not behind[0]:
        row.parts["amount"] = part_at(cell, figures[-1])
        return
    for other in text.lines[line.index + 1 : line.index + 4]:
        only = text.amounts(other.cells[0])
        if (
            len(other.cells) == 1
            and len(only) == 1
            and only[0].money
            and only[0].end - only[0].start >= len(other.text) - 1
        ):
            row.parts["amount"] = part_at(other.cells[0], only[0])
            return
        if COUNTED_PRICE.search(other.text):
            return
