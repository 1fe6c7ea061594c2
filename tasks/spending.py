"""Spend limits in USD: what is left of them, which levels are reached, and what one document may still cost. Pure.

Days and months are UTC, by the database's clock. What an attempt cost counts on the day on which that became known; until then
what it is expected to cost is reserved.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_UP, Decimal
from typing import Any

from django.utils import formats

from tasks.admission import NOTHING, Purse

PERIODS = ("day", "month")
MILLION = Decimal(1_000_000)
SMALLEST = Decimal("0.000001")


def expected_usd(tokens: int, output_tokens: int, input_usd: Decimal, output_usd: Decimal) -> Decimal:
    """What a task of these estimates will cost, at prices per million tokens."""
    asked = max(tokens - output_tokens, 0)
    return ((asked * input_usd + output_tokens * output_usd) / MILLION).quantize(SMALLEST, ROUND_UP)


def committed(row: Any, period: str) -> Decimal:
    """What a row of the statement `spending` has spent in the present day or month."""
    return row.day_usd if period == "day" else row.month_usd


def limit(row: Any, level: str, period: str) -> Decimal | None:
    """The "warn" or "stop" limit of a day or month; None: no limit."""
    return getattr(row, f"spend_{level}_per_{period}")


def purse(row: Any) -> Purse | None:
    """What is left to spend of the stricter stop limit, live attempts taken off; None: no such limit."""
    left = [
        stop - committed(row, period) - row.reserved_usd
        for period in PERIODS
        if (stop := limit(row, "stop", period)) is not None
    ]
    return Purse(min(left)) if left else None


def reached(row: Any, wanted: Decimal = NOTHING) -> list[dict[str, Any]]:
    """Levels that are reached and not told of yet, as rows of the statement `spend_notice`.

    A warn level is reached by what is spent; a stop level also by what is reserved and `wanted`, the least that was asked for in vain.
    """
    notices = []
    for period in PERIODS:
        for level in ("warn", "stop"):
            most = limit(row, level, period)
            if most is None or f"{period} {level} {most}" in row.notices:
                continue
            spent = committed(row, period)
            if spent >= most or (level == "stop" and is_over(spent + row.reserved_usd, wanted, most)):
                notices.append(
                    {
                        "holder": row.holder, "holder_id": row.id, "period": period, "level": level, "limit_usd": str(most),
                        "starts_on": str(row.day if period == "day" else row.month),
                    }
                )  # fmt: skip
    return notices


def is_over(spent: Decimal, wanted: Decimal, most: Decimal) -> bool:
    """Whether a limit stops what `wanted` more; one that is reached stops everything."""
    return spent >= most or spent + wanted > most


def least(amounts: Iterable[Decimal]) -> Decimal:
    return min(amounts, default=NOTHING)


def over_ceiling(spent: Decimal, expected: Decimal, ceiling: Decimal | None) -> str:
    """Why a document may not be read (again) for its cost, in a sentence; empty: it may."""
    if ceiling is None or not is_over(spent, expected, ceiling):
        return ""
    so_far = (
        f"This document has cost {money(spent)} USD so far"
        if spent
        else "Nothing is spent on this document yet"
    )
    another = f", and another attempt would cost about {money(expected)} USD" if expected else ""
    return (
        f"{so_far}{another}; its agent allows {money(ceiling)} USD per document. "
        "Raise the most USD per document of the agent, then reprocess it."
    )


def money(usd: Decimal) -> str:
    """USD as the reader writes it: cents, and more places where an amount is smaller than one."""
    text = f"{usd:.2f}" if usd >= Decimal("0.01") or not usd else f"{usd:.6f}".rstrip("0")
    return formats.number_format(Decimal(text))
