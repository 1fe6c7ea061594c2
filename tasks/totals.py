"""Sums and distributions of finished tasks that can be added up, and which stored periods make up a span of time. Pure."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
STEP = timedelta(minutes=1)
"""Sums reach up to a multiple of this."""
LEVELS = ("month", "day", "hour")
FOREVER = datetime(9999, 1, 1, tzinfo=UTC)
WIDTH = 1.01
"""A bucket of response times ends where this many times its beginning is."""


@dataclass(slots=True)
class Totals:
    """What some tasks and all their attempts add up to. Costs in USD; what is neither settled nor estimated is unknown, not zero."""

    tasks: int = 0
    attempts: int = 0
    metered: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_settled: int = 0
    cost_estimated: int = 0
    settled_usd: Decimal = Decimal(0)
    estimated_usd: Decimal = Decimal(0)
    compute_settled: int = 0
    compute_estimated: int = 0
    compute_settled_usd: Decimal = Decimal(0)
    compute_estimated_usd: Decimal = Decimal(0)
    response: Counter[int] = field(default_factory=Counter)
    confidence: Counter[int] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)

    def add(self, row: Any) -> None:
        """Add a row with some of these columns; distributions come counted (as JSON where they are stored) or as a list of one bucket per task."""
        for name in NUMBERS:
            if (value := getattr(row, name, None)) is not None:
                setattr(self, name, getattr(self, name) + value)
        for name in DISTRIBUTIONS:
            value = getattr(row, name, None)
            if isinstance(value, str):  # as it is stored; Django's connections leave JSON to be parsed
                value = json.loads(value)
                if name != "errors":
                    value = {int(bucket): count for bucket, count in value.items()}
            if value:
                getattr(self, name).update(value)

    def stored(self) -> dict[str, Any]:
        """As JSON for a row of `summaries`."""
        return {name: str(v) if isinstance(v := getattr(self, name), Decimal) else v for name in NUMBERS} | {
            name: dict(getattr(self, name)) for name in DISTRIBUTIONS
        }

    @property
    def cost_usd(self) -> Decimal | None:
        """What is known of the LLM cost; None where nothing is. What was never tried has cost nothing."""
        known = self.cost_settled + self.cost_estimated or not self.attempts
        return self.settled_usd + self.estimated_usd if known else None

    @property
    def compute_usd(self) -> Decimal | None:
        known = self.compute_settled + self.compute_estimated or not self.attempts
        return self.compute_settled_usd + self.compute_estimated_usd if known else None


DISTRIBUTIONS = ("response", "confidence", "errors")
NUMBERS = tuple(f.name for f in fields(Totals) if f.name not in DISTRIBUTIONS)


def response_bucket(seconds: float) -> int:
    return math.floor(math.log(max(seconds, 0.001)) / math.log(WIDTH))


def percentile(response: Counter[int], share: float) -> float | None:
    """Seconds at `share` of the sorted times, from buckets: off by half a bucket's width at most. None of nothing."""
    rank = math.ceil(share * sum(response.values()))
    for bucket in sorted(response):
        rank -= response[bucket]
        if rank <= 0:
            return WIDTH ** (bucket + 0.5)
    return None


# Periods


@dataclass(frozen=True, slots=True)
class Closed:
    """How far stored sums reach: hours have rows from `hours_from` on, and those in `changed` must not be used.

    The row of the hour that `until` lies in holds what finished before `until`.
    """

    until: datetime
    hours_from: datetime
    changed: frozenset[datetime] = frozenset()


@dataclass(slots=True)
class Cover:
    """A span as stored periods (level, start) and spans that have to be counted from rows. Each moment is in exactly one of them."""

    stored: list[tuple[str, datetime]] = field(default_factory=list)
    counted: list[tuple[datetime, datetime]] = field(default_factory=list)

    def count(self, since: datetime, until: datetime) -> None:
        if self.counted and self.counted[-1][1] == since:
            self.counted[-1] = (self.counted[-1][0], until)
        else:
            self.counted.append((since, until))


def start_of(level: str, moment: datetime) -> datetime:
    """The beginning of the UTC hour, day or month that a moment is in."""
    moment = moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    if level == "hour":
        return moment
    return moment.replace(hour=0) if level == "day" else moment.replace(hour=0, day=1)


def start_of_step(moment: datetime) -> datetime:
    return start_of("hour", moment) + (moment - start_of("hour", moment)) // STEP * STEP


def next_start(level: str, start: datetime) -> datetime:
    if level == "month":
        return (start + 32 * DAY).replace(day=1)
    return start + (DAY if level == "day" else HOUR)


def cover(since: datetime, until: datetime, closed: Closed | None, coarsest: str) -> Cover:
    """Periods no coarser than `coarsest` that make up [since, until); both are whole hours, `until` may be FOREVER."""
    found, at = Cover(), since
    levels = LEVELS[LEVELS.index(coarsest) :]
    while closed is not None and at < min(until, closed.until):
        end = min(until, closed.until)
        for level in levels:
            following = next_start(level, at)
            if level == "hour":
                following = min(following, closed.until)
            if start_of(level, at) != at or following > end or (level == "hour" and at < closed.hours_from):
                continue
            if not any(at <= hour < following for hour in closed.changed):
                found.stored.append((level, at))
                at = following
                break
        else:
            whole = next_start("day", start_of("day", at)) if at < closed.hours_from else at + HOUR
            following = min(whole, end)
            found.count(at, following)
            at = following
    if at < until:
        found.count(at, until)
    return found


def bins(since: datetime, until: datetime, level: str) -> Iterator[datetime]:
    """Beginnings of all periods that a span touches."""
    at = start_of(level, since)
    while at < until:
        yield at
        at = next_start(level, at)


def grouped(rows: Iterable[Any], level: str) -> dict[tuple, Totals]:
    """(start, agent, client, outcome) → totals, each row counted for its agent and for all (0), its client and for all (0)."""
    found: dict[tuple, Totals] = {}
    for row in rows:
        start = start_of(level, row.hour)
        for agent in (row.agent_id, 0):
            for client in (row.client_id, 0):
                found.setdefault((start, agent, client, row.outcome), Totals()).add(row)
    return found
