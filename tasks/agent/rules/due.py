"""Tells the total apart from what is left of it: a price reduction or a charge behind the total changes it, a payment does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from tasks.agent.rules.combining import Amounts, sums_of
from tasks.agent.rules.sums import CENT, Figure

LEAST = Decimal(1)
"""Smaller changes round what is paid."""


def settle_due(by_role: dict[str, list[Figure]], chosen: Amounts) -> None:
    """Take what is left where a discount or a charge stands between it and the total, or say that it is doubtful.

    Net and tax that add up to the total keep it. Taxes withheld and discounts for early payment change only what is paid.
    """
    total = next((f for f in _sums(by_role) if f.candidate is chosen.total), None)
    if total is None:
        return
    later = [f for f in _sums(by_role) if f.line > total.line and f.amount.value != total.amount.value]
    for left in later:
        changes = [value for line, value in _changes(by_role) if total.line < line < left.line]
        rest = left.amount.value - total.amount.value
        if not any(abs(rest - change) <= CENT for change in sums_of(changes)):
            continue
        if chosen.adds_up and chosen.tax is not None and chosen.tax.amount:
            total.candidate.reasons.append(
                f"A reduction or charge of {abs(rest)} stands below this total, and {left.amount.value} is left to pay."
            )
            return
        chosen.subtotals.append(total.amount.value)
        if left.role == "amount_due":
            reason = f"A reduction or charge of {abs(rest)} stands below the printed total of {total.amount.value}; what is left was taken as the total."
            chosen.total = replace(left.candidate, reasons=[reason])
        else:
            chosen.total = left.candidate
        return


def _sums(by_role: dict[str, list[Figure]]) -> Iterator[Figure]:
    yield from by_role["total"]
    yield from by_role["amount_due"]


def _changes(by_role: dict[str, list[Figure]]) -> Iterator[tuple[int, Decimal]]:
    """The lines of printed discounts (negative) and charges that change the price, and by how much."""
    for role, sign in (("discount", -1), ("charge", 1)):
        for figure in by_role[role]:
            value = sign * abs(figure.amount.value)
            if figure.of_price and not figure.amount.percent and abs(value) >= LEAST:
                yield figure.line, value
