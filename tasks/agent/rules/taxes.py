"""Adds up what is printed for each rate of tax, or for each authority that takes one: CGST and SGST, 7 % and 19 %."""

from __future__ import annotations

from decimal import Decimal

from tasks.agent.rules.numbers import ROUNDING
from tasks.agent.rules.sums import OF_RATES, Figure, together

OTHER_IN_ROW = "beside"
"""The label of figures that stand in the row of a tax without being its last one."""
NOT_LABELLED = ("column", OF_RATES, OTHER_IN_ROW)
MOST_RATES = 6


def add_rates(by_role: dict[str, list[Figure]]) -> None:
    """Several taxes are one more candidate together, and so are the net amounts beside them, which count only if the total proves them."""
    taxes = _labelled(by_role["tax"])
    if printed := _sum_among(taxes):
        printed.candidate.score = min(printed.candidate.score + 0.03, 0.99)
    elif 2 <= len(taxes) <= MOST_RATES:
        by_role["tax"].append(together(taxes, 0.6, "sum"))
    nets = _labelled(by_role["net"])
    if 2 <= len(nets) <= len(taxes) <= MOST_RATES:
        by_role["net"].append(together(nets, 0.5, OF_RATES))


def _labelled(figures: list[Figure]) -> list[Figure]:
    """Those with a label of their own that are not zero, each printed figure once."""
    found = {
        id(figure.candidate.words[0]): figure
        for figure in figures
        if figure.candidate.label not in NOT_LABELLED and figure.amount.money and figure.amount.value
    }
    return list(found.values())


def _sum_among(taxes: list[Figure]) -> Figure | None:
    """The printed sum of the others, of which there are at least two: it says more than its parts."""
    whole = sum((figure.amount.value for figure in taxes), Decimal(0))
    sums = (figure for figure in taxes if abs(whole - 2 * figure.amount.value) <= ROUNDING)
    return next(sums, None) if len(taxes) > 2 else None
