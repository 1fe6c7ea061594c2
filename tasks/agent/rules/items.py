"""Finds line items by what they sum to: where no heading row names the columns, or where its rows are not those of the sum."""

from __future__ import annotations

import re
from decimal import Decimal

from tasks.agent.layout import Cell, Line
from tasks.agent.rules.combining import Amounts, sums_of
from tasks.agent.rules.counted import COUNTED_PRICE
from tasks.agent.rules.numbers import ROUNDING
from tasks.agent.rules.tables import Row, Table, worth
from tasks.agent.rules.text import Text, part_at, words_at

LETTERS = re.compile(r"[^\W\d_]{2}")
HEADS = ("number", "date", "due_date", "supplier", "buyer", "tax_id", "other_number")
MOST_WITHOUT = 3
"""Lines without an amount that an item may take beside the one with its amount."""
MOST_ROWS = 200
LEAST = 2
SET_IN = 4.0
"""Points by which the parts of an item begin further to the right."""


def proved(text: Text, table: Table, amounts: Amounts) -> Table:
    """The table, or the rows over the sums that add up to one of them, where those of the table do not."""
    targets = [c.amount for c in (amounts.net, amounts.total) if c is not None and c.source == "page"]
    if not targets:
        return table
    printed = amounts.net is not None and amounts.net.source == "page"
    if not printed and amounts.total is not None and amounts.tax is not None:
        targets.append(amounts.total.amount - amounts.tax.amount)
    targets += [value for value in amounts.subtotals if value not in targets]
    full = [row for row in table.rows if {"quantity", "unit_price"} & row.parts.keys()]
    if len(full) < len(table.rows) and is_one_of(full, targets):
        return Table(full, table.headings, table.taken)
    if sums_up(table.rows, targets, amounts):
        return table
    for heading in sorted(table.headings)[1:]:
        before = [row for row in table.rows if row.line < heading]
        if is_one_of(before, targets):
            return Table(
                before, table.headings, table.taken
            )  # what the items are made of may follow in an annex
    blocks = (_block(text, targets, start) for start in _starts(text, table, amounts, targets))
    rows = next((rows for rows in blocks if counts(rows) >= LEAST), [])
    rows = rows or with_parts(text, targets)
    if not rows:
        return table
    return Table(rows, table.headings, table.taken | {row.line for row in rows})


def counts(rows: list[Row]) -> int:
    """How many of the rows are worth something; one of them and nothing beside it is the sum itself ("Charges 4.11, credits 0.00")."""
    return sum(bool(row.amount) for row in rows)


def with_parts(text: Text, targets: list[Decimal]) -> list[Row]:
    """Rows that add up to one of the targets, each with rows below it, set in, that add up to it: services and what they are made of."""
    items: list[Row] = []
    index = 0
    while index < len(text.lines):
        item, after = _whole(text, index)
        if item is not None:
            items.append(item)
        elif counts(items) >= LEAST and is_one_of(items, targets):
            break
        else:
            items = []
        index = after
    return items if counts(items) >= LEAST and is_one_of(items, targets) else []


def _whole(text: Text, index: int) -> tuple[Row | None, int]:
    """The row of this line if the rows below it, set in, add up to it; and the line to go on with."""
    line = text.lines[index]
    item = _row_of(text, line)
    if item is None:
        return None, index + 1
    rest, after = item.amount, index + 1
    while after < len(text.lines) and text.lines[after].cells[0].x0 > line.cells[0].x0 + SET_IN:
        part = _row_of(text, text.lines[after])
        rest -= part.amount if part is not None else 0
        after += 1
    whole = after > index + 1 and abs(rest) <= ROUNDING
    return (item, after) if whole else (None, index + 1)


def is_one_of(rows: list[Row], targets: list[Decimal]) -> bool:
    value = worth(rows)
    return bool(rows) and any(abs(value - target) <= ROUNDING for target in targets)


def sums_up(rows: list[Row], targets: list[Decimal], amounts: Amounts) -> bool:
    """Whether the rows add up to a target, with some of the printed discounts and charges or without."""
    changes = sums_of(amounts.adjustments) | {Decimal(0)}
    return any(is_one_of(rows, [target - change for target in targets]) for change in changes)


def _block(text: Text, targets: list[Decimal], start: int) -> list[Row]:
    """The lines with a name and a figure at their end that stand right over the line `start` and add up to one of the targets."""
    rows: list[Row] = []
    best: list[Row] = []
    value, without = Decimal(0), 0
    for line in reversed(text.lines[:start]):
        row = _row_of(text, line)
        if row is not None and any(_sums(text, cell) for cell in line.cells):
            break
        if row is None:
            without += 1
            heads = any(hit.plays_one(HEADS) for cell in line.cells for hit in text.hits.get(cell, ()))
            if rows and (without > MOST_WITHOUT or heads):
                break
            continue
        without = 0
        value += row.amount
        if not (_is_tax(text, line) or _is_reduction(text, line, row)):
            rows.append(row)
        if any(abs(value - target) <= ROUNDING for target in targets):
            best = rows[::-1]
        if len(rows) > MOST_ROWS:
            break
    if counts(best) < LEAST:
        return []
    # "Food & drink 47.10 | Service 4.71" are no items either, where those above sum to the first of them
    inner = _block(text, [best[0].amount], best[0].line)
    return inner or best


def _starts(text: Text, table: Table, amounts: Amounts, targets: list[Decimal]) -> list[int]:
    """The line of the first of the sums, and further down those that say a target again: what is to pay may stand at the head of the page as well."""
    first = _first_sum(text, amounts)
    if table.rows:
        return [first]
    summed = {cell.line for cell in text.hits if cell.line > first and _sums(text, cell)}
    again = {
        index
        for index in summed
        if any(amount.value in targets for cell in text.lines[index].cells for amount in text.money(cell))
    }
    return [first, *sorted(again)]


def _first_sum(text: Text, amounts: Amounts) -> int:
    found = [
        c for c in (amounts.net, amounts.tax, amounts.total, amounts.amount_due) if c is not None and c.words
    ]
    lines = [text.cell_of(c.words[0]).line for c in found]
    labelled = [
        cell.line
        for cell, hits in text.hits.items()
        for hit in hits
        if hit.plays_one(("net", "tax", "total"))
        and text.leads(cell, hit)
        and text.bears_money(text.lines[cell.line].cells)
    ]
    first = min(lines, default=0)
    return min([index for index in labelled if first - MOST_ROWS < index <= first], default=first)


def _is_tax(text: Text, line: Line) -> bool:
    """Whether the line is a tax with its rate, which adds to the sum and is no item: "Iowa state tax 7 %"."""
    return "%" in line.text and any(
        "tax" in hit.roles and not text.brackets(cell, hit)
        for cell in line.cells
        for hit in text.hits.get(cell, ())
    )


def _is_reduction(text: Text, line: Line, row: Row) -> bool:
    """Whether the line takes off of what stands over it: "Loyalty discount  -0.50"."""
    hit = text.leading_hit(line.cells[0])
    return hit is not None and "discount" in hit.roles and row.amount < 0


def _sums(text: Text, cell: Cell) -> bool:
    hit = text.leading_hit(cell)
    return hit is not None and hit.plays_one(("net", "tax", "total", "amount_due", "settled"))


def _heads(text: Text, cell: Cell) -> bool:
    """Whether the cell is a label of something that is no item, which more words may follow only behind a colon: "Buyer: ...", not "Buyer fee"."""
    hit = text.leading_hit(cell)
    if hit is None or not hit.plays_one(HEADS):
        return False
    behind = cell.text[hit.end :].lstrip()
    return behind.startswith(":") or not LETTERS.search(behind)


def _multiplies(text: Text, line: Line) -> bool:
    """Whether the line is a quantity, a price and their product, and nothing else."""
    figures = [amount.value for cell in line.cells for amount in text.amounts(cell) if not amount.percent]
    return len(figures) == 3 and bool(figures[2]) and abs(figures[0] * figures[1] - figures[2]) <= ROUNDING


def _row_of(text: Text, line: Line) -> Row | None:
    """An item: words, and behind them a figure of money as the last figure of the line."""
    last = next((cell for cell in reversed(line.cells) if text.money(cell)), None)
    if last is None or last.column < len(line.cells) - 2:
        return None
    amount = text.money(last)[-1]
    if any(_heads(text, cell) for cell in line.cells):
        return None
    words = [
        word
        for cell in line.cells[: last.column + 1]
        if LETTERS.search(cell.text)
        for word in (cell.words if cell is not last else words_at(cell, 0, max(amount.start - 1, 0)))
    ]
    figures = {id(w) for cell in line.cells for a in text.money(cell) for w in words_at(cell, a.start, a.end)}
    words = [word for word in words if id(word) not in figures]
    if not LETTERS.search(" ".join(word.text for word in words)):
        before = text.lines[line.index - 1] if line.index else line
        counted = COUNTED_PRICE.search(line.text) or _multiplies(text, line)
        if not counted or text.bears_money(before.cells):
            return None
        words = [word for cell in before.cells for word in cell.words]  # its name stands in the line before
    row = Row(line=line.index)
    row.parts["amount"] = part_at(last, amount)
    row.parts["description"] = (" ".join(word.text for word in words), words)
    return row
