"""Checks a record's values against each other, as far as its schema names fields that can be: sums, balances, the order of dates. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal, InvalidOperation

from tasks.agent import confidence
from tasks.agent.checks import Findings, check_dates, check_lines, check_sums, compare
from tasks.agent.contract import FieldValue
from tasks.agent.einvoice import EInvoice
from tasks.agent.rules.numbers import ROUNDING

CONFIRMED = 0.97
"""The least confidence of a proven value that a check confirms."""
ORDERED = (
    ("period_from", "period_end"), ("period_from", "period_to"), ("effective_date", "end_date"), ("signed_date", "end_date"), ("start_date", "end_date"),
)  # fmt: skip
SUMS = (
    ({"total_liabilities": 1, "equity": 1}, "total_assets"),
    ({"revenue": 1, "total_expenses": -1}, "net_income"),
    ({"opening_balance": 1, "total_credits": 1, "total_debits": -1}, "closing_balance"),
)
"""Figures of a statement that add up to another."""
AMOUNTS = ("net", "tax", "total")

Fields = dict[str, FieldValue]
Lines = Sequence[dict[str, FieldValue]]


def checked(fields: Fields, lines: Lines, today: date, xml: EInvoice | None = None) -> Fields:
    """The fields with the doubts of failed checks, and surer where a check confirms them. `xml`: the electronic invoice inside the file."""
    found = Findings()
    amounts = {name: amount for name, value in fields.items() if (amount := amount_of(value)) is not None}
    dates = {name: value.value for name, value in fields.items() if is_date(value.value)}
    each = [amount for line in lines if (amount := amount_of(line.get("amount"))) is not None]
    check_sums(found, amounts.get("net"), amounts.get("tax"), amounts.get("total"), [])
    if len(each) == len(lines):
        check_lines(found, each, amounts.get("net"), amounts.get("total"), [])
    check_dates(found, _text(dates.get("date")), _text(dates.get("due_date")), today)
    check_order(found, {name: str(value) for name, value in dates.items()})
    for parts, total in SUMS:
        check_total(found, amounts, parts, total)
    check_entries(found, amounts, each, len(lines))
    if xml is not None:
        said = {name: str(value.value) for name, value in fields.items() if value.value is not None}
        compare(
            found, {name: text for name, text in said.items() if name not in AMOUNTS or name in amounts}, xml
        )
    return {
        name: _with(value, found.reasons.get(name, []), found.confirmed.get(name, 0))
        for name, value in fields.items()
    }


def check_order(found: Findings, dates: dict[str, str]) -> None:
    """A period and a term end after they have begun."""
    for first, last in ORDERED:
        if first in dates and last in dates and dates[last] < dates[first]:
            reason = f"The {_words(last)} {dates[last]} lies before the {_words(first)} {dates[first]}."
            found.doubt(reason, first, last)


def check_total(found: Findings, amounts: dict[str, Decimal], parts: dict[str, int], total: str) -> None:
    if total not in amounts or not parts.keys() <= amounts.keys():
        return
    # Printed without a sign or with one, what goes off goes off
    reached = sum(
        (amounts[name] if sign > 0 else -abs(amounts[name]) for name, sign in parts.items()), Decimal(0)
    )
    if abs(reached - amounts[total]) <= ROUNDING:
        found.confirm(*parts, total)
    else:
        reason = f"The {', '.join(map(_words, parts))} come to {reached:f}, but the {_words(total)} is {amounts[total]:f}."
        found.doubt(reason, *parts, total)


def check_entries(found: Findings, amounts: dict[str, Decimal], each: list[Decimal], count: int) -> None:
    """The entries of a bank statement lead from its opening to its closing balance."""
    if not each or len(each) < count or not {"opening_balance", "closing_balance"} <= amounts.keys():
        return
    reached = amounts["opening_balance"] + sum(each, Decimal(0))
    if abs(reached - amounts["closing_balance"]) <= ROUNDING:
        found.confirm("opening_balance", "closing_balance")
    else:
        closing = amounts["closing_balance"]
        reason = f"The entries lead from the opening balance to {reached:f}, but the closing balance is {closing:f}."
        found.doubt(reason, "opening_balance", "closing_balance")


def amount_of(value: FieldValue | None) -> Decimal | None:
    if value is None or value.value is None or is_date(value.value):
        return None
    try:
        amount = Decimal(str(value.value))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None


def is_date(value: str | int | None) -> bool:
    try:
        return isinstance(value, str) and len(value) == 10 and bool(date.fromisoformat(value))
    except ValueError:
        return False


def _text(value: str | int | None) -> str | None:
    return None if value is None else str(value)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _with(value: FieldValue, doubts: list[str], confirmed: int) -> FieldValue:
    if doubts:
        sure = min(value.confidence, confidence.FLAGGED)
        return value.model_copy(
            update={"confidence": sure, "reasons": (*value.reasons, *(doubt[:300] for doubt in doubts))[:20]}
        )
    if confirmed and value.evidence and not value.reasons:
        return value.model_copy(update={"confidence": max(value.confidence, CONFIRMED)})
    return value
