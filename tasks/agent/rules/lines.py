"""Reads line items: a heading row of column names, and the rows under it that carry an amount."""

from __future__ import annotations

import re
from decimal import Decimal

from tasks.agent.layout import Cell, Line
from tasks.agent.rules import numbers
from tasks.agent.rules.counted import read_counted
from tasks.agent.rules.item_names import name_of
from tasks.agent.rules.labels import Hit, fold
from tasks.agent.rules.numbers import CENT, ROUNDING
from tasks.agent.rules.tables import Column, Row, Table, worth
from tasks.agent.rules.text import Text, part_at, words_at
from tasks.agent.rules.vocabulary.columns import INCLUDED

MOST_HEADING = 12
"""Lines of a heading whose columns are narrow."""
ROWS_APART = 4
"""Lines at the foot of a page between its last row and the next page."""
SUMMARY = ("net", "tax", "total", "amount_due", "discount", "charge", "settled")
ENDS_ITEMS = ("net", "tax", "total")
ENDING = ("tax", "total", "amount_due")
MEANT = frozenset(["description", "quantity", "unit_price", "amount"])
OPENS_INCLUDED = tuple(fold(word) for words in INCLUDED.values() for word in words.split("|"))


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
            index = _read_rows(text, index, columns, table)
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
            (is_plainer(row, table.rows, 0, position) or says_less(row, table.rows[:position]))
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
        index = _read_rows(text, at + 1, columns, table)
        if len(table.rows) == begin and parts_from_rows(text, at, index):
            index = _read_rows(text, index, columns, table)
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
    row = _row(text, line, columns, _target(columns))
    return (
        row is not None and row.parts.keys() == table.rows[-1].parts.keys() and _summary(text, line) is None
    )


def heading(text: Text, line: Line) -> list[Column] | None:
    """The columns of a heading row: at least three names, or two with an amount; never a row with figures of money."""
    if text.bears_money(line.cells):
        return None
    columns = columns_of(text, line)
    roles = {column.role for column in columns}
    priced = roles & {"amount", "unit_price", "either"}
    if (
        heads_sums(text, line)
        or not priced
        or len(columns) < 2
        or not roles & {"description", "quantity", "unit_price", "other"}
    ):
        return None
    if len(columns) * 3 < sum(len(cell.words) for cell in line.cells) or len(line.text) > 200:
        return None
    return columns


def columns_of(text: Text, line: Line) -> list[Column]:
    columns: list[Column] = []
    for cell in line.cells:
        hits = [hit for hit in text.hits.get(cell, ()) if hit.plays("column:")]
        for hit in hits:
            # What stands beside the only name of a cell belongs to it, and the figures end where it ends: "Total CHF"
            words = words_at(cell, hit.start, hit.end) if len(hits) > 1 else cell.words
            columns.append(Column(_role(hit.roles), words[0].x0, words[-1].x1))
    return columns


def add_lower(text: Text, line: Line, columns: list[Column]) -> None:
    """Add what a further row of the heading names and the rows before it do not: "Menge | Preis/" over "Bezeichnung | Einheit | Entgelt"."""
    known = {column.role for column in columns}
    for column in columns_of(text, line):
        over = {other.role for other in columns if other.x0 < column.x1 and other.x1 > column.x0}
        # What stands below the heading of names is one of them, and no heading: "Service charges"
        if column.role in MEANT - known and "description" not in over:
            column.lower = bool(over)
            columns.append(column)


def heads_sums(text: Text, line: Line) -> bool:
    """Whether the line heads a table of sums: names of net, tax and total, and nothing that only items have."""
    if text.bears_money(line.cells):
        return False
    leading = [hit for cell in line.cells if (hit := text.leading_hit(cell)) is not None]
    sums = {
        next(role for role in ENDS_ITEMS if role in hit.roles)
        for hit in leading
        if set(ENDS_ITEMS) & hit.roles
    }
    items = {"column:description", "column:quantity", "column:unit_price"}
    return len(sums) >= 2 and not any(
        items & hit.roles and not set(ENDS_ITEMS) & hit.roles for hit in leading
    )


def _role(roles: frozenset[str]) -> str:
    names = [role[7:] for role in roles if role.startswith("column:")]
    for name in ("amount", "unit_price", "quantity", "description", "tax_rate", "other"):
        if name in names:
            return name
    return "other"


def _target(columns: list[Column]) -> Column:
    """The column of the items' amounts."""
    priced = [c for c in columns if c.role == "amount"] or [c for c in columns if c.role == "unit_price"]
    return max(priced or columns, key=lambda column: column.x1)


def _read_rows(text: Text, index: int, columns: list[Column], table: Table) -> int:
    """Read rows until a total, another heading or the page's end; returns the line to go on with."""
    target = _target(columns)
    page = text.lines[index].page if index < len(text.lines) else 0
    first = last = text.lines[index - 1]
    fresh, summed, begin = True, False, len(table.rows)
    changes = Decimal(0)
    opened: str | None = None
    while index < len(text.lines):
        line = text.lines[index]
        if line.page != page or (line.y0 - last.y1 > 140 and table.rows):
            return index
        row = _row(text, line, columns, target)
        role = None if row is not None and multiplies(row) else _summary(text, line)
        if role in ("charge", "discount") and row is not None and is_alike(row, table.rows[begin:]):
            role = None
        # A row of an account of days, as its tax of each night is: "03/10/25 | Occupancy tax 12.5 % | 31.13"
        daily = row is not None and all(is_dated(text, other) for other in [line, last]) and last is not first
        role = None if daily and role in ENDING else role
        opens = role == "charge" or (role == "settled" and says_more(text, line.cells[0]))
        if opens and row is not None and (len(table.rows) == begin or opened == role):
            # Nothing stands before it that it could be charged on, or paid: "Delivery of water, 41 m³", "Payment for invoice 17"
            opened, role = role, None
        if role is None and row is not None and is_plainer(row, table.rows, begin):
            role = _sum_anywhere(text, line)
        if role is None and row is not None and not daily and is_rated(text, line, row):
            role = "tax"
        if role is not None and any(
            not amount.percent for cell in line.cells for amount in text.amounts(cell)
        ):
            if role in ENDING:
                return index
            if row is not None and role in ("charge", "discount"):
                changes += abs(row.amount) * (1 if role == "charge" else -1)
            summed = summed or (role == "net" and is_sum_of(text, line, table.rows[begin:], changes))
            index, last = index + 1, line
            continue
        if (
            summed
            and row is not None
            and (is_plainer(row, table.rows, begin) or says_less(row, table.rows[begin:]))
        ):
            return index  # a sum with a label that is not known, behind that of the items
        goes_on_heading = (
            row is None
            and index == last.index + 1
            and last.index in table.taken
            and fresh
            and line.y0 - last.y1 < 12
            and not any(text.amounts(cell) for cell in line.cells)
        )
        if not goes_on_heading and (
            heads_sums(text, line) or (index not in table.headings and heading(text, line) is not None)
        ):
            return index
        if goes_on_heading:
            # A heading may take two or three lines, and the second of them may read as one of sums: "netto | VAT | brutto".
            table.taken.add(index)
            add_lower(text, line, columns)
            target, last = _target(columns), line
        else:
            fresh = False
        if row is not None:
            row.line = index
            table.rows.append(row)
            table.taken.add(index)
            last = line
        index += 1
    return index


def says_more(text: Text, cell: Cell) -> bool:
    """Whether words follow the label that opens the cell: "Payment for invoice 17", and not "Previous balance"."""
    hit = text.leading_hit(cell)
    return hit is not None and re.search(r"[^\W\d_]{2}", cell.text[hit.end :]) is not None


def is_plainer(row: Row, rows: list[Row], begin: int = 0, end: int | None = None) -> bool:
    """Whether the row lacks a quantity or a price, where all of rows[begin:end] have both."""
    more = {"quantity", "unit_price"}
    return (
        not more <= row.parts.keys()
        and begin < (len(rows) if end is None else end)
        and all(more <= other.parts.keys() for other in rows[begin:end])
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


def _sum_anywhere(text: Text, line: Line) -> str | None:
    """The role of a summary label within the line: "VAT - United Kingdom (20% on 24.00)", "Parts tax 7 %"."""
    hits = [hit for cell in line.cells for hit in text.hits.get(cell, ())]
    return next((role for hit in hits for role in ENDS_ITEMS if role in hit.roles), None)


def multiplies(row: Row) -> bool:
    """Whether quantity × price is the amount: then it is an item, even if its words could head a sum ("Transport", "Cambio de aceite")."""
    figures = [
        Decimal(row.parts[name][0]) for name in ("quantity", "unit_price", "amount") if name in row.parts
    ]
    return len(figures) == 3 and abs(abs(figures[0] * figures[1]) - abs(figures[2])) <= CENT


def _summary(text: Text, line: Line) -> str | None:
    """The role of a summary label that opens the line or the last labelled cell of it; None in a row of the table."""
    for cell in line.cells:
        hit = text.leading_hit(cell)
        if hit is None:
            continue
        roles = [role for role in SUMMARY if role in hit.roles]
        behind = text.folded[cell][last_sum(text, cell).end :] if roles else ""
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


def _row(text: Text, line: Line, columns: list[Column], target: Column) -> Row | None:
    if text.folded[line.cells[0]].startswith(OPENS_INCLUDED):
        return None
    placed = _amount_under(text, line, target)
    if placed is None:
        return None
    cell, amount = placed
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
    if not words and len(row.parts) < 3:
        return None
    if words:
        row.parts["description"] = (" ".join(word.text for word in words), words)
    return row


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
