"""Reads the rows of a table of line items, and tells them from the sums, charges and remarks among and below them."""

from __future__ import annotations

import re
from decimal import Decimal

from tasks.agent.layout import Cell, Line
from tasks.agent.rules import numbers
from tasks.agent.rules.headings import ENDS_ITEMS, SUMMARY, add_lower, heading, heads_sums, target_of
from tasks.agent.rules.item_names import name_of
from tasks.agent.rules.labels import Hit, fold
from tasks.agent.rules.numbers import CENT, ROUNDING
from tasks.agent.rules.tables import Column, Row, Table, worth
from tasks.agent.rules.text import Text, part_at, words_at
from tasks.agent.rules.vocabulary.columns import INCLUDED

FAR_BELOW = 140
"""Points below the last row; what stands further down is another part of the page."""
ONE_HEADING = 12
"""Points between the rows of one heading."""
REMARK = re.compile(r"\([^()]*\)")
ENDING = ("tax", "total", "amount_due")
CHANGING = ("charge", "discount")
OPENS_INCLUDED = tuple(fold(word) for words in INCLUDED.values() for word in words.split("|"))


class Rows:
    """Reads rows from a line on, until a total, another heading or the page's end."""

    def __init__(self, text: Text, index: int, columns: list[Column], table: Table):
        self.text, self.index, self.columns, self.table = text, index, columns, table
        self.target = target_of(columns)
        self.begin = len(table.rows)
        self.first = self.last = text.lines[index - 1]
        """The heading, and the last line that is the table's."""
        self.in_heading, self.summed = True, False
        self.changes = Decimal(0)
        """Charges less discounts that stand among the rows."""
        self.opened: str | None = None
        """What the first row changes or pays where it is no item."""

    @property
    def before(self) -> list[Row]:
        """The rows of this table read so far."""
        return self.table.rows[self.begin :]

    def read(self) -> int:
        """Put the rows into the table; returns the line to go on with."""
        page = self.first.page if self.index >= len(self.text.lines) else self.text.lines[self.index].page
        while self.index < len(self.text.lines):
            line = self.text.lines[self.index]
            if line.page != page or (line.y0 - self.last.y1 > FAR_BELOW and self.table.rows):
                break
            row = row_in(self.text, line, self.columns, self.target)
            role = self._role(line, row)
            figures = (amount for cell in line.cells for amount in self.text.amounts(cell))
            if role is not None and not all(amount.percent for amount in figures):
                if role in ENDING:
                    break
                self._pass(line, row, role)
            elif self._is_unknown_sum(row) or not self._take(line, row):
                break
            self.index += 1
        return self.index

    def _role(self, line: Line, row: Row | None) -> str | None:
        """What sum the line is; None for a row of the table and for lines that say nothing of sums."""
        if row is None:
            return summary_of(self.text, line)
        role = None if multiplies(self.text, line, row) else summary_of(self.text, line)
        if role in CHANGING and is_alike(row, self.before):
            role = None
        # A row of an account of days, as its tax of each night is: "03/10/25 | Occupancy tax 12.5 % | 31.13"
        daily = self.last is not self.first and is_dated(self.text, line) and is_dated(self.text, self.last)
        if daily and role in ENDING:
            role = None
        opens = role == "charge" or (role == "settled" and says_more(self.text, line.cells[0]))
        if opens and (not self.before or self.opened == role):
            # Nothing stands before it that it could be charged on, or paid: "Delivery of water, 41 m³", "Payment for invoice 17"
            self.opened, role = role, None
        if role is None and is_plainer(row, self.before):
            role = sum_anywhere(self.text, line)
        if role is None and not daily and is_rated(self.text, line, row):
            role = "tax"
        return role

    def _pass(self, line: Line, row: Row | None, role: str) -> None:
        """Go past a sum behind which the items may go on."""
        if row is not None and role in CHANGING:
            self.changes += abs(row.amount) * (1 if role == "charge" else -1)
        self.summed = self.summed or (role == "net" and is_sum_of(self.text, line, self.before, self.changes))
        self.last = line

    def _is_unknown_sum(self, row: Row | None) -> bool:
        """Whether it is a sum with a label that is not known, behind that of the items."""
        return (
            self.summed
            and row is not None
            and (
                row.amount < 0 < worth(self.before)
                or is_plainer(row, self.before)
                or says_less(row, self.before)
            )
        )

    def _take(self, line: Line, row: Row | None) -> bool:
        """Take the line as a row, as a further line of the heading or as a remark; False where another table begins."""
        if row is None and self._goes_on_heading(line):
            # A heading may take two or three lines, and the second of them may read as one of sums: "netto | VAT | brutto".
            self.table.taken.add(self.index)
            add_lower(self.text, line, self.columns)
            self.target, self.last = target_of(self.columns), line
            return True
        known = self.index in self.table.headings
        if heads_sums(self.text, line) or (not known and heading(self.text, line) is not None):
            return False
        self.in_heading = False
        if row is not None:
            row.line = self.index
            self.table.rows.append(row)
            self.table.taken.add(self.index)
            self.last = line
        return True

    def _goes_on_heading(self, line: Line) -> bool:
        return (
            self.in_heading
            and self.index == self.last.index + 1
            and self.last.index in self.table.taken
            and line.y0 - self.last.y1 < ONE_HEADING
            and not any(self.text.amounts(cell) for cell in line.cells)
        )


def says_more(text: Text, cell: Cell) -> bool:
    """Whether words follow the label that opens the cell: "Payment for invoice 17", and not "Previous balance"."""
    hit = text.leading_hit(cell)
    return hit is not None and re.search(r"[^\W\d_]{2}", cell.text[hit.end :]) is not None


def is_plainer(row: Row, before: list[Row]) -> bool:
    """Whether the row lacks a quantity or a price, where all rows before it have both."""
    more = {"quantity", "unit_price"}
    return (
        not more <= row.parts.keys() and bool(before) and all(more <= other.parts.keys() for other in before)
    )


def says_less(row: Row, before: list[Row]) -> bool:
    """Whether the row lacks something that all rows before it have."""
    return bool(before) and all(row.parts.keys() < other.parts.keys() for other in before)


def is_alike(row: Row, before: list[Row]) -> bool:
    """Whether the row counts or prices something, and says nothing that the row before it does not say."""
    more = {"quantity", "unit_price"} & row.parts.keys()
    return bool(before) and bool(more) and row.parts.keys() <= before[-1].parts.keys()


def is_dated(text: Text, line: Line) -> bool:
    """Whether the line opens with a date."""
    return bool((found := text.dates(line.cells[0])) and found[0].start == 0)


def is_sum_of(text: Text, line: Line, rows: list[Row], changes: Decimal) -> bool:
    """Whether a figure of the line is what the rows sum to, without the changes printed among them or with all of these."""
    value = worth(rows)
    figures = [amount.value for cell in line.cells for amount in text.amounts(cell)]
    return any(abs(figure - value - change) <= ROUNDING for figure in figures for change in (0, changes))


def is_rated(text: Text, line: Line, row: Row) -> bool:
    """Whether the row is a tax with its rate and has neither quantity nor price: "Parts tax 7 %"."""
    named = any(
        "tax" in hit.roles
        for cell in line.cells
        for hit in text.hits.get(cell, ())
        if "description" in row.parts
    )
    bare = not {"quantity", "unit_price"} & row.parts.keys()
    return bare and named and "%" in row.parts.get("description", ("",))[0]


def sum_anywhere(text: Text, line: Line) -> str | None:
    """The role of a summary label within the line: "VAT - United Kingdom (20% on 24.00)", "Parts tax 7 %"."""
    hits = [hit for cell in line.cells for hit in text.hits.get(cell, ())]
    return next((role for hit in hits for role in ENDS_ITEMS if role in hit.roles), None)


def multiplies(text: Text, line: Line, row: Row) -> bool:
    """Whether quantity × price is the amount, or is it less a rate printed beside them: then it is an item, even if its words could head a sum ("Transport", "Cambio de aceite"), or a tax stands beside it."""
    figures = [
        Decimal(row.parts[name][0]) for name in ("quantity", "unit_price", "amount") if name in row.parts
    ]
    if len(figures) < 3:
        return False
    product, amount = abs(figures[0] * figures[1]), abs(figures[2])
    rates = [other.value for cell in line.cells for other in text.amounts(cell) if 0 < other.value < 100]
    return any(abs(product * (1 - rate / 100) - amount) <= CENT for rate in (Decimal(0), *rates))


def summary_of(text: Text, line: Line) -> str | None:
    """The role of a summary label that opens the line or the last labelled cell of it; None in a row of the table."""
    for cell in line.cells:
        hit = text.leading_hit(cell)
        if hit is None:
            continue
        roles = [role for role in SUMMARY if role in hit.roles]
        behind = REMARK.sub("", text.folded[cell][last_sum(text, cell).end :]) if roles else ""
        if (
            roles
            and (cell is line.cells[0] or cell.column >= len(line.cells) - 2)
            and not re.search(r"[a-z]{4,}.*[a-z]{4,}", behind)
        ):
            return roles[0] if "total" not in roles else "total"
    return None


def last_sum(text: Text, cell: Cell) -> Hit:
    """The last of the labels of sums that open the cell one after the other: "Less | discount", "Invoice total | net | (excl. VAT)"."""
    last, *others = text.hits[cell]
    for hit in others:
        if not hit.plays_one(SUMMARY) or re.search(r"\w", cell.text[last.end : hit.start]):
            break
        last = hit
    return last


def row_in(text: Text, line: Line, columns: list[Column], target: Column) -> Row | None:
    if text.folded[line.cells[0]].startswith(OPENS_INCLUDED):
        return None
    placed = _amount_under(text, line, target) or _amount_last(text, line, columns, target)
    if placed is None:
        return None
    cell, amount = placed
    if not amount.money and len(text.amounts(cell)) > 1 and _is_numbered(text, cell):
        return None  # the end of an account or of a registration at the foot of the page
    if re.search(r"[^\W\d_]:\s", cell.text[: amount.start]):
        return None  # a remark like "Rebate: -2.50" below an item
    row = Row({"amount": part_at(cell, amount)})
    for role in ("quantity", "unit_price"):
        for column in columns:
            if (
                column.role == role
                and column is not target
                and (
                    found := _amount_under(text, line, column) or _amount_behind(line, text, column, columns)
                )
            ):
                other, number = found
                if (other, number.start) != (cell, amount.start):
                    row.parts[role] = part_at(other, number)
                    break
    words = name_of(text, line, columns, row)
    figures = sum(len(text.amounts(cell)) for cell in line.cells) if "quantity" in row.parts else 0
    if not words and max(len(row.parts), figures) < 3:
        return None
    if words:
        row.parts["description"] = (" ".join(word.text for word in words), words)
    return row


def _is_numbered(text: Text, cell: Cell) -> bool:
    """Whether the cell before this one says what number it is: "IBAN", "VAT no."."""
    before = text.lines[cell.line].cells[cell.column - 1] if cell.column else None
    hit = text.leading_hit(before) if before is not None else None
    return hit is not None and hit.plays_one(("other_number", "tax_id"))


def _amount_behind(
    line: Line, text: Text, column: Column, columns: list[Column]
) -> tuple[Cell, numbers.Amount] | None:
    """The only number of a cell between where this heading begins and where the next one does: figures may be set further to the right than their headings."""
    end = min((other.x0 for other in columns if other.x0 > column.x1), default=column.x1)
    for cell in line.cells:
        amounts = text.amounts(cell)
        if column.x0 <= cell.x0 and cell.x1 <= end and len(amounts) == 1 and not amounts[0].percent:
            return cell, amounts[0]
    return None


def _amount_last(
    text: Text, line: Line, columns: list[Column], target: Column
) -> tuple[Cell, numbers.Amount] | None:
    """The only figure of the last cell, behind all other columns: figures may be set left in a wide column, away from the middle of its heading."""
    last, others = line.cells[-1], [column.x1 for column in columns if column is not target]
    money = text.money(last)
    whole = len(money) == 1 and money[0].start == 0 and money[0].end == len(last.text)
    alone = whole and not last.text.startswith("(")  # brackets hold a remark
    return (last, money[0]) if alone and max(others, default=last.x1) < last.x0 < target.x1 else None


def _amount_under(text: Text, line: Line, column: Column) -> tuple[Cell, numbers.Amount] | None:
    """The number whose words stand under the column: they overlap it, or end where it ends."""
    best, best_distance = None, 40.0
    for cell in line.cells:
        if cell.x1 < column.x0 - 45 or cell.x0 > column.x1 + 45:
            continue
        for amount in text.amounts(cell):
            if amount.percent:
                continue
            words = words_at(cell, amount.start, amount.end)
            if not words:
                continue
            x0, x1 = words[0].x0, words[-1].x1
            overlap = min(x1, column.x1) - max(x0, column.x0)
            distance = min(abs(x1 - column.x1), abs((x0 + x1) / 2 - (column.x0 + column.x1) / 2)) + (
                0 if overlap > 0 else 18
            )
            if distance < best_distance:
                best, best_distance = (cell, amount), distance
    return best
