"""Reads tables of sums: headings that name net, tax and total, and the figures under them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product

from tasks.agent.layout import Cell, Line
from tasks.agent.rules import numbers
from tasks.agent.rules.headings import ENDS_ITEMS
from tasks.agent.rules.numbers import ROUNDING
from tasks.agent.rules.tables import Table
from tasks.agent.rules.text import Candidate, Text, figure_at, words_at
from tasks.agent.rules.untaxed import priced_with

OF_RATES = "rates"
Columns = dict[str, tuple[Cell, ...]]
"""The headings that play a role; of taxes there may be several, whose figures are added up."""
MOST_HEADINGS = 3
OF_ROW = 0.9
CLOSE, DIGIT = 4.0, re.compile(r"\d")
"""Points between the rows of a heading."""


@dataclass(slots=True)
class Figure:
    role: str
    amount: numbers.Amount
    candidate: Candidate
    line: int
    spare: bool = False
    """A total that may be the net amount, if a tax proves it."""
    of_price: bool = True
    """Whether a discount lowers the price itself, and not only what is paid."""
    held: bool = False
    """A tax that the sum over it holds."""


def columned(text: Text, table: Table) -> Iterator[Figure]:
    """Tables of totals: a heading row that names at least two of net, tax and total, and figures under it."""
    for line in text.lines:
        best: dict[str, Figure] | None = None
        rates: list[dict[str, Figure]] = []
        seen: list[dict[str, Figure]] = []
        for headings in total_headings(text, line):
            rows = list(_total_rows(text, line, headings, line.index in table.headings, table))
            seen += rows
            row = _last_or_sum(rows)
            if row is None:
                rates = max(rates, rows or _item_rows(text, line, headings, table), key=_told)
                row = rates[0] if len(rates) == 1 and _is_sum(rates[0]) else None
            if row is not None and (best is None or (_is_sum(row) and not _is_sum(best))):
                best = row
        yield from _row_of_sums(text, line, table)
        for figure in (best or {}).values():
            figure.candidate.score = 0.98 if _is_sum(best or {}) else 0.7
            yield figure
        if best is None:
            yield from _sums_of_rates(rates)
        else:
            yield from _before_changes(seen, best)


def _row_of_sums(text: Text, line: Line, table: Table) -> Iterator[Figure]:
    """ "Total | 100.00 | 20.00 | 120.00": three figures behind the name of a sum, the last of which is the other two, whatever heads them."""
    hit = text.leading_hit(line.cells[0]) if line.index not in table.taken else None
    if hit is None or not hit.plays_one(("net", "total")):
        return
    money = [(cell, amount) for cell in line.cells for amount in text.money(cell)]
    if len(money) == len(ENDS_ITEMS) and not any(cell in text.hits for cell in line.cells[1:]):
        pairs = zip(ENDS_ITEMS, money, strict=True)
        row = {r: Figure(r, a, figure_at(c, a, OF_ROW, "column"), line.index) for r, (c, a) in pairs}
        if _is_sum(row) and row["tax"].amount.value > 0:
            yield from row.values()


def _told(rows: list[dict[str, Figure]]) -> int:
    return sum(map(len, rows))


def _before_changes(rows: list[dict[str, Figure]], best: dict[str, Figure]) -> Iterator[Figure]:
    """What else is called net in the row of sums: the worth of the goods before discounts and freight."""
    for row in rows:
        if "net" in row and "net" in best and row["net"].line == best["net"].line:
            yield replace(row["net"], role="subtotal")


def _sums_of_rates(rows: list[dict[str, Figure]]) -> Iterator[Figure]:
    """The sums of net and tax over the rates, where no row of sums is printed; they count only if the total proves them. What is exempt bears no tax."""
    for role in ("net", "tax"):
        figures = [row[role] for row in rows if role in row]
        if len(rows) > 1 and (len(figures) == len(rows) or (figures and role == "tax")):
            value = sum((figure.amount.value for figure in figures), Decimal(0))
            words = figures[0].candidate.words if len(figures) == 1 else []
            source = "page" if words else "computed"
            candidate = Candidate(numbers.plain(value), 0.5, words, label=OF_RATES, source=source)
            yield Figure(role, numbers.Amount(value, 0, 0, "", 2, False), candidate, figures[-1].line)


def _is_sum(row: dict[str, Figure]) -> bool:
    """Whether net and tax of the row are its total; no tax is more than half of its net ("VAT code" beside "VAT" may change the two)."""
    if len(row) < len(ENDS_ITEMS) or 2 * abs(row["tax"].amount.value) > abs(row["net"].amount.value):
        return False
    return abs(row["net"].amount.value + row["tax"].amount.value - row["total"].amount.value) <= ROUNDING


def total_headings(text: Text, line: Line) -> Iterator[Columns]:
    """The columns of a table of totals; where several could be the same one ("Warenwert", "Nettobetrag"), each choice of them, and all taxes at once."""
    found: dict[str, list[tuple[Cell, ...]]] = {}
    for cell in line.cells:
        if text.money(cell):
            return
        for hit in text.hits.get(cell, ()):
            role = next((role for role in ENDS_ITEMS if role in hit.roles and text.leads(cell, hit)), None)
            if "tax" in hit.roles and role is None:
                role = priced_with(text.folded[cell][: hit.end])
            if role is not None:
                found.setdefault(role, []).append((cell,))
    if len(found) < 2:
        return
    if len(taxes := found.get("tax", ())) > 1:
        found["tax"] = [*taxes[:MOST_HEADINGS], tuple(cell for cells in taxes for cell in cells)]
    for columns in product(*(choices[: MOST_HEADINGS + 1] for choices in found.values())):
        cells = [cell for column in columns for cell in column]
        if len(set(map(id, cells))) == len(cells):
            yield dict(zip(found, columns, strict=True))


def _total_rows(
    text: Text, head: Line, headings: Columns, items: bool, table: Table
) -> Iterator[dict[str, Figure]]:
    """Rows under the heading with a figure in at least two of its columns; under a heading of items only the row of sums."""
    gap = 60.0 if not items else 500.0
    bottom, begun = head.y1, False
    for line in text.lines[head.index + 1 : head.index + (60 if items else 10)]:
        if line.page != head.page or line.y0 - bottom > gap:
            return
        hit = text.leading_hit(line.cells[0])
        if items and (line.index in table.taken or hit is None or not {"total", "net"} & hit.roles):
            continue
        row = _row_under(text, line, head, headings, bare=not items)
        if len(row) >= 2 or (begun and row.keys() == {"net"} and hit is None):
            bottom, begun = line.y1, True
            yield row
        elif not items and not begun and line.y0 - bottom < CLOSE and not DIGIT.search(line.text):
            bottom = line.y1  # a further row of the heading
        elif not items and hit is not None and not text.amounts(line.cells[-1]):
            return


def _row_under(
    text: Text, line: Line, head: Line, headings: Columns, bare: bool = False
) -> dict[str, Figure]:
    """`bare`: whole numbers count where the line holds no cents ("22 % | 2000 | 460")."""
    row: dict[str, Figure] = {}
    bare = bare and not text.bears_money(line.cells)
    for cell in line.cells:
        for amount in text.amounts(cell):
            words = words_at(cell, amount.start, amount.end)
            counts = amount.money or (bare and amount.value and not (amount.percent or amount.decimals))
            role = _column_of(words, head, headings) if counts else None
            if role is not None:
                figure = Figure(role, amount, figure_at(cell, amount, 0.7, "column"), line.index)
                several = role in row and len(headings[role]) > 1
                row[role] = together([row[role], figure], 0.7, "column") if several else figure
    return _swapped(row) if len(row) == len(ENDS_ITEMS) and not _is_sum(row) else row


def together(figures: list[Figure], score: float, label: str) -> Figure:
    """The sum of printed figures of one role, as one more figure, at the last of them."""
    value = sum((figure.amount.value for figure in figures), Decimal(0))
    words = [word for figure in figures for word in figure.candidate.words]
    candidate = Candidate(numbers.plain(value), score, words, label=label, source="computed")
    line = max(figure.line for figure in figures)
    return Figure(figures[0].role, numbers.Amount(value, 0, 0, "", 2, False), candidate, line)


def _swapped(row: dict[str, Figure]) -> dict[str, Figure]:
    """The row with net and tax exchanged, if only so it is a sum: its figures may stand beside their headings."""
    net, tax = row["net"], row["tax"]
    other = {
        **row,
        "net": Figure("net", tax.amount, tax.candidate, tax.line),
        "tax": Figure("tax", net.amount, net.candidate, net.line),
    }
    return other if _is_sum(other) else row


def _item_rows(text: Text, head: Line, headings: Columns, table: Table) -> list[dict[str, Figure]]:
    """The items under columns of net, tax and total, each of which adds up."""
    lines = [text.lines[item.line] for item in table.rows if item.line > head.index]
    rows = [_row_under(text, line, head, headings) for line in lines if line.page == head.page]
    return rows if rows and len(rows) == len(table.rows) and all(map(_is_sum, rows)) else []


def _column_of(words: list, head: Line, headings: Columns) -> str | None:
    """The role of the heading over these words: the one that they overlap most, else the one that they follow before the next."""
    x0, x1 = words[0].x0, words[-1].x1
    over = max(head.cells, key=lambda cell: min(x1, cell.x1) - max(x0, cell.x0))
    if min(x1, over.x1) - max(x0, over.x0) <= 0 and abs(x1 - over.x1) > 16:
        over = max((cell for cell in head.cells if cell.x0 <= x0), key=lambda cell: cell.x0, default=over)
    return next((role for role, cells in headings.items() if over in cells), None)


def _last_or_sum(rows: list[dict[str, Figure]]) -> dict[str, Figure] | None:
    """The row of sums. With several rates and no row of sums nothing is chosen, for a sum that is not printed is not read."""
    if len(rows) < 2:
        return rows[0] if rows else None
    for position in range(len(rows) - 1, 0, -1):
        last = rows[position]
        role = next(iter(last))
        earlier = [row[role].amount.value for row in rows[:position] if role in row]
        if abs(sum(earlier) - last[role].amount.value) <= ROUNDING:
            return last
    same = {tuple((role, row[role].amount.value) for role in row) for row in rows}
    return rows[0] if len(same) == 1 else None


def doubt_rate(text: Text, chosen: list[Candidate]) -> None:
    """Net, tax and total on one line may be those of one rate: where the line below adds up too, they are no proof of the whole. A row of sums stands last."""
    words = {id(candidate.words[0]) for candidate in chosen if candidate.words}
    lines = {text.cell_of(candidate.words[0]).line for candidate in chosen if candidate.words}
    if len(words) < len(ENDS_ITEMS) or len(lines) != 1:
        return
    below = lines.pop() + 1
    if below < len(text.lines) and _is_triple(text, text.lines[below]):
        for candidate in chosen:
            candidate.reasons.append("The row below it adds up as well: this may be one rate of several.")


def _is_triple(text: Text, line: Line) -> bool:
    """Whether the first three figures of money of the line are net, tax and total, none of them zero."""
    values = [a.value for cell in line.cells for a in text.money(cell)][: len(ENDS_ITEMS)]
    return (
        len(values) == len(ENDS_ITEMS) and all(values) and abs(values[0] + values[1] - values[2]) <= ROUNDING
    )
