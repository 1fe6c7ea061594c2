"""Explains sums that do not add up: by a charge among them whose label nobody knows, by a tax that lies within the total."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from tasks.agent.layout import Line
from tasks.agent.rules.combining import Amounts
from tasks.agent.rules.due import reductions
from tasks.agent.rules.headings import SUMMARY
from tasks.agent.rules.numbers import CENT, ROUNDING
from tasks.agent.rules.sums import Figure
from tasks.agent.rules.tables import Table
from tasks.agent.rules.text import Text

WORD, NEAR = re.compile(r"[^\W\d_]{3}"), 4
"""Lines below the last of the sums that are looked at."""
NOT_INCLUDED = "The tax is its rate of this amount, which so seems not to include it."


def explain(text: Text, table: Table, taxes: list[Figure], chosen: Amounts) -> None:
    """Where net and tax are not the total: take the charge that stands among them (what is taken off may have been paid), or else no net."""
    net, tax, total = chosen.net, chosen.tax, chosen.total
    if tax is None or total is None or not (tax.words and total.words and tax.amount and total.amount):
        return
    rates = list(_rates(text, taxes, chosen))
    if net is None:
        if any(_is_on(rate, chosen) and not _is_in(rate, chosen) for rate in rates):
            total.reasons.append(NOT_INCLUDED)
        return
    if chosen.adds_up is not False or not net.words:
        return
    rest = total.amount - net.amount - tax.amount
    if rest > ROUNDING and rest in _unnamed(text, table, chosen):
        chosen.adjustments.append(rest)
        chosen.adds_up = True
    elif abs(net.amount) > abs(total.amount) and any(_is_in(rate, chosen) for rate in rates):
        # What is called net includes the tax as well, and is that before a discount
        chosen.adjustments += [
            change for change in reductions(text, net.amount) if change == total.amount - net.amount
        ]
        chosen.net, chosen.adds_up = None, None


def _rates(text: Text, taxes: list[Figure], chosen: Amounts) -> Iterator[Decimal]:
    """The rates beside the tax, as shares."""
    for line in {figure.line for figure in taxes if figure.candidate is chosen.tax}:
        for cell in text.lines[line].cells:
            yield from (a.value / 100 for a in text.amounts(cell) if a.percent and a.value > 0)


def _is_on(rate: Decimal, chosen: Amounts) -> bool:
    """Whether the tax is its rate of the total."""
    return abs(rate * chosen.total.amount - chosen.tax.amount) <= ROUNDING  # type: ignore[union-attr]


def _is_in(rate: Decimal, chosen: Amounts) -> bool:
    """Whether the tax is what its rate makes of the total with it."""
    within = chosen.total.amount * rate / (1 + rate)  # type: ignore[union-attr]
    return abs(within - chosen.tax.amount) <= CENT  # type: ignore[union-attr]


def _unnamed(text: Text, table: Table, chosen: Amounts) -> Iterator[Decimal]:
    """Figures near the sums beside words of which no label is made; not those between net and tax, which may be taxed as well, and those over them, which were owed before; nor rates, as taxes have."""
    net, tax, total = (
        text.cell_of(candidate.words[0]).line
        for candidate in (chosen.net, chosen.tax, chosen.total)
        if candidate is not None
    )
    first, last = min(net, tax, total), max(net, tax, total)
    for line in text.lines[first : last + NEAR]:
        between = min(net, tax) <= line.index <= max(net, tax)
        if between or line.index == total or line.index in table.taken or _is_named(text, line):
            continue
        figures = [amount.value for cell in line.cells for amount in text.money(cell)]
        rated = any(amount.percent for cell in line.cells for amount in text.amounts(cell))
        if len(figures) == 1 and not rated:
            yield figures[0]


def _is_named(text: Text, line: Line) -> bool:
    """Whether a label says which sum stands on the line, or no word says anything."""
    hits = (hit for cell in line.cells if (hit := text.leading_hit(cell)) is not None)
    return not WORD.search(line.text) or any(hit.plays_one((*SUMMARY, "received")) for hit in hits)
