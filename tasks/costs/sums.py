"""What attempts add up to, by what they have in common, and what a month's terms make of it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, NamedTuple

NOTHING = Decimal(0)
HUNDRED = Decimal(100)
OPEN = "open"
"""State of a task that has not ended."""


class Key(NamedTuple):
    """What the attempts of one cell have in common; the columns of `cost_cells` of the same names."""

    client: int
    engagement: str
    uploader: int
    agent: int
    version: int
    model: str
    outcome: str
    status: str

    @classmethod
    def of(cls, row: Any) -> Key:
        return cls(*(getattr(row, name) for name in cls._fields))


@dataclass(slots=True)
class Sums:
    """Costs in USD, compute at list price. What is neither settled nor estimated is unknown, not zero."""

    attempts: int = 0
    documents: int = 0
    metered: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    llm_settled: int = 0
    llm_estimated: int = 0
    llm_settled_usd: Decimal = NOTHING
    llm_estimated_usd: Decimal = NOTHING
    compute_settled: int = 0
    compute_estimated: int = 0
    compute_settled_usd: Decimal = NOTHING
    compute_estimated_usd: Decimal = NOTHING
    expected_tokens: int = 0
    actual_tokens: int = 0
    expected_usd: Decimal = NOTHING
    actual_usd: Decimal = NOTHING

    def add(self, row: Any, sign: int = 1) -> None:
        """Add a row with these columns, or another Sums; sign -1 takes it off."""
        for name in NUMBERS:
            setattr(self, name, getattr(self, name) + sign * getattr(row, name))

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in NUMBERS)

    @property
    def llm_unknown(self) -> int:
        """Attempts. (A correction of a closed month makes known what is not among this month's attempts: never below 0.)"""
        return max(0, self.attempts - self.llm_settled - self.llm_estimated)

    @property
    def compute_unknown(self) -> int:
        return max(0, self.attempts - self.compute_settled - self.compute_estimated)

    @property
    def llm_usd(self) -> Decimal | None:
        """What is known of it; None where nothing is."""
        return _known(self.llm_settled_usd + self.llm_estimated_usd, self.llm_settled, self.llm_estimated)

    @property
    def compute_usd(self) -> Decimal | None:
        return _known(
            self.compute_settled_usd + self.compute_estimated_usd,
            self.compute_settled,
            self.compute_estimated,
        )

    def stored(self) -> dict[str, Any]:
        """As JSON for a row of `cost_cells`."""
        return {name: str(v) if isinstance(v := getattr(self, name), Decimal) else v for name in NUMBERS}


NUMBERS = tuple(field.name for field in fields(Sums))


def _known(usd: Decimal, *counts: int) -> Decimal | None:
    # A correction may take the last known attempt out of a month and leave an amount; that amount is known
    return usd if any(counts) or usd else None


def plus(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    """The sum of what is known; None where nothing is."""
    if one is None or other is None:
        return other if one is None else one
    return one + other


def differences(actual: dict[Key, Sums], booked: dict[Key, Sums]) -> dict[Key, Sums]:
    """What has to be added to `booked` so that it says what `actual` says; nothing for what agrees."""
    found: dict[Key, Sums] = {}
    for key in actual.keys() | booked.keys():
        left = Sums()
        left.add(actual.get(key, left))
        left.add(booked.get(key, Sums()), -1)
        if left:
            found[key] = left
    return found


def by_key(rows: Iterable[Any]) -> dict[Key, Sums]:
    found: dict[Key, Sums] = {}
    for row in rows:
        found.setdefault(Key.of(row), Sums()).add(row)
    return found


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for a month. rate: of `currency` for one USD; None where the month has none."""

    discount_percent: Decimal = NOTHING
    markup_percent: Decimal = NOTHING
    currency: str = ""
    rate: Decimal | None = None

    @property
    def is_plain(self) -> bool:
        return not self.discount_percent and not self.markup_percent


@dataclass(slots=True)
class Money:
    """Sums of one or several months after their terms, in USD; `charged` with the mark-up, `converted` is that in the other currency.

    None: nothing of it is known. is_converted: every month with an amount has a rate in the same currency.
    """

    llm: Decimal | None = None
    compute: Decimal | None = None
    settled: Decimal | None = None
    estimated: Decimal | None = None
    charged: Decimal | None = None
    converted: Decimal | None = None
    currency: str = ""
    is_converted: bool = True

    @property
    def total(self) -> Decimal | None:
        return plus(self.llm, self.compute)

    def add_nothing(self) -> None:
        """It is known that nothing was spent."""
        self.llm = self.compute = self.settled = self.estimated = self.charged = self.converted = NOTHING

    def add(self, sums: Sums, terms: Terms) -> None:
        """Add the sums of one month at its terms; the discount is one on list prices of compute."""
        paid = 1 - terms.discount_percent / HUNDRED
        compute = None if sums.compute_usd is None else sums.compute_usd * paid
        self.llm, self.compute = plus(self.llm, sums.llm_usd), plus(self.compute, compute)
        for state in ("settled", "estimated"):
            usd = {kind: getattr(sums, f"{kind}_{state}_usd") for kind in ("llm", "compute")}
            counts = (getattr(sums, f"{kind}_{state}") for kind in usd)
            setattr(
                self, state, plus(getattr(self, state), _known(usd["llm"] + usd["compute"] * paid, *counts))
            )
        cost = plus(sums.llm_usd, compute)
        if cost is None:
            return
        charged = cost * (1 + terms.markup_percent / HUNDRED)
        self.charged = plus(self.charged, charged)
        if terms.rate is None or (self.currency and self.currency != terms.currency):
            self.is_converted = False
            return
        self.currency = terms.currency
        self.converted = plus(self.converted, charged * terms.rate)
