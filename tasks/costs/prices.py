"""What tokens cost: Decimal arithmetic over a dated price row. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

MILLION = Decimal(1_000_000)
CENT_MILLIONTH = Decimal("0.000001")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Totals of an attempt; None: not reported. `input` includes both cache kinds."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None

    def at_least(self, other: Tokens) -> Tokens:
        """The greater of each: totals only grow, so repeated and late reports change nothing."""
        return Tokens(
            _greater(self.input, other.input),
            _greater(self.output, other.output),
            _greater(self.cache_read, other.cache_read),
            _greater(self.cache_write, other.cache_write),
        )


@dataclass(frozen=True, slots=True)
class PriceRow:
    """USD per million tokens. None: this kind has no price, so its tokens make a cost unknown."""

    id: int
    input: Decimal
    output: Decimal
    cache_read: Decimal | None = None
    cache_write: Decimal | None = None


def _greater(one: int | None, other: int | None) -> int | None:
    known = [value for value in (one, other) if value is not None]
    return max(known) if known else None


def cost(tokens: Tokens, price: PriceRow) -> Decimal | None:
    """USD to six places; None where a token kind is not reported or has no price. Cached tokens are never charged twice."""
    if tokens.input is None or tokens.output is None:
        return None
    read, write = min(tokens.cache_read or 0, tokens.input), tokens.cache_write or 0
    write = min(write, tokens.input - read)
    if (read and price.cache_read is None) or (write and price.cache_write is None):
        return None
    total = (tokens.input - read - write) * price.input + tokens.output * price.output
    total += read * (price.cache_read or 0) + write * (price.cache_write or 0)
    return (total / MILLION).quantize(CENT_MILLIONTH, ROUND_HALF_UP)


def process_cost(seconds: float | None, usd_per_hour: Decimal | None) -> Decimal | None:
    """USD for processor time on a machine of one's own; None where the time was not measured or nobody said what an hour costs."""
    if seconds is None or usd_per_hour is None:
        return None
    return (Decimal(repr(seconds)) * usd_per_hour / 3600).quantize(CENT_MILLIONTH, ROUND_HALF_UP)
