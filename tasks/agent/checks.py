"""Checks values against each other: sums, dates, the electronic invoice against the page. Each fault becomes a reason in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal

from tasks.agent.einvoice import EInvoice
from tasks.agent.rules.combining import sums_of
from tasks.agent.rules.numbers import ROUNDING
from tasks.agent.rules.patterns import key_of

EARLIEST = date(1990, 1, 1)
LONGEST_TERM = timedelta(days=730)


@dataclass(slots=True)
class Findings:
    """What the checks found: doubts by field, and how many checks confirm a field."""

    reasons: dict[str, list[str]] = field(default_factory=dict)
    confirmed: dict[str, int] = field(default_factory=dict)

    def doubt(self, reason: str, *names: str) -> None:
        for name in names:
            self.reasons.setdefault(name, []).append(reason)

    def confirm(self, *names: str) -> None:
        for name in names:
            self.confirmed[name] = self.confirmed.get(name, 0) + 1


def check_sums(
    found: Findings, net: Decimal | None, tax: Decimal | None, total: Decimal | None, changes: list[Decimal]
) -> None:
    """net + tax = total, where needed with the printed discounts and charges."""
    if net is None or total is None:
        return
    if tax is None:
        if abs(net - total) <= ROUNDING:
            found.confirm("net", "total")
        return
    rest = total - net - tax
    if abs(rest) <= ROUNDING:
        found.confirm("net", "tax", "total")
    elif any(abs(sum_of - rest) <= ROUNDING for sum_of in sums_of(changes)):
        found.confirm("tax", "total")
    else:
        reason = f"The sums do not add up: net {net} + tax {tax} = {net + tax}, but the total says {total}."
        found.doubt(reason, "net", "tax", "total")


def check_lines(
    found: Findings,
    amounts: list[Decimal],
    net: Decimal | None,
    total: Decimal | None,
    changes: list[Decimal],
    subtotals: Sequence[Decimal] = (),
) -> bool | None:
    """Whether the line items sum to net or total (with the changes) or to a printed subtotal; None where there is nothing to compare."""
    if not amounts or (net is None and total is None):
        return None
    sum_of_lines = sum(amounts, Decimal(0))
    for name, value in (("net", net), ("total", total)):
        if value is None:
            continue
        rests = [Decimal(0), *sums_of(changes)]
        tolerance = ROUNDING + Decimal("0.005") * len(amounts)
        if any(abs(abs(sum_of_lines) + rest - abs(value)) <= tolerance for rest in rests):
            found.confirm(name)
            return True
    if any(abs(sum_of_lines - subtotal) <= ROUNDING for subtotal in subtotals):
        return True
    least = sum_of_lines + sum(change for change in changes if change < 0)
    if total is not None and not found.confirmed.get("total") and least > total > 0:
        found.doubt(f"The line items sum to {sum_of_lines}, which is more than the total.", "total")
    return False


def check_words(found: Findings, said: Decimal, total: Decimal | None, others: Sequence[Decimal]) -> None:
    """The whole units that words say are those of the total, if not of another printed sum."""
    if total is None:
        return
    if abs(abs(total) - said) < 1:
        found.confirm("total")
    elif not any(abs(abs(other) - said) < 1 for other in others):
        found.doubt(f"In words the amount is {said}, and the total says {total}.", "total")


def check_dates(found: Findings, issued: str | None, due: str | None, today: date) -> None:
    """An invoice is due on or after its date, and neither lies decades back or far ahead."""
    first = date.fromisoformat(issued) if issued else None
    last = date.fromisoformat(due) if due else None
    if first and not EARLIEST <= first <= today + timedelta(days=366):
        found.doubt(f"The date {issued} is implausible.", "date")
    if first and last:
        if last < first:
            found.doubt(f"The due date {due} lies before the date {issued}.", "due_date")
        elif last - first > LONGEST_TERM:
            found.doubt(f"The due date {due} lies more than two years after the date {issued}.", "due_date")
        else:
            found.confirm("due_date")


def compare(found: Findings, values: dict[str, str | None], xml: EInvoice) -> set[str]:
    """Compare the page's values with the XML's; returns the fields that agree. Contradictions are flagged with both values."""
    agree: set[str] = set()
    for name in ("supplier", "buyer", "number", "date", "due_date", "currency", "net", "tax", "total"):
        said, printed = getattr(xml, name), values.get(name)
        if said is None or printed is None:
            continue
        if _same(name, printed, said):
            agree.add(name)
            found.confirm(name, name)  # a second source says more than a sum
        else:
            found.doubt(f"The page says {printed}, the embedded electronic invoice says {said}.", name)
    return agree


def _same(name: str, printed: str, said: str | Decimal) -> bool:
    if isinstance(said, Decimal):
        return abs(abs(Decimal(printed)) - abs(said)) <= Decimal("0.005")
    one, other = key_of(printed), key_of(said)
    if name in ("supplier", "buyer"):
        return bool(one) and (one in other or other in one)
    return one == other
