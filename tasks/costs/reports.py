"""What was spent in a period: by one thing, narrowed by others, known and unknown apart; always equal to a plain count over the attempts.

Days that are over come from `cost_cells`, all others from the rows of their attempts, both on one snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.db import connection, transaction

from tasks import queue
from tasks.costs import cells
from tasks.costs.periods import Period, day_of, first_of_month, months, start_of_day
from tasks.costs.questions import By, Query
from tasks.costs.sums import Key, Money, Sums, Terms
from tasks.models import ClosedMonth, MonthTerms

MOST_SORTED, MOST_SORTED_BY_TASK = 120_000, 40_000
"""A median is exact or not shown: attempts in the period that it is worth reading, and fewer where each one's task has to be asked."""
MEMORY = "64MB"
"""So that the spend of each of many tasks is sorted without files; one report is made at a time per process."""
SMALLEST = Decimal("0.000001")


@dataclass(slots=True)
class Line:
    """One value of what the report is by: its sums at list prices, and the money after the terms of each month."""

    key: str = ""
    sums: Sums = field(default_factory=Sums)
    completed: int = 0
    money: Money = field(default_factory=Money)
    of_month: dict[date, Sums] = field(default_factory=dict)

    def add(self, month: date, sums: Any, *, is_result: bool) -> None:
        self.of_month.setdefault(month, Sums()).add(sums)
        self.completed += sums.attempts if is_result else 0

    def made(self, terms: Mapping[date, Terms]) -> Line:
        """The line after all of its rows were added: its sums, and its money at the terms of each month. What nothing ran for has cost nothing."""
        if not self.of_month:
            self.money.add_nothing()
        for month, sums in self.of_month.items():
            self.sums.add(sums)
            self.money.add(sums, terms.get(month, Terms()))
        return self

    @property
    def per_document(self) -> Decimal | None:
        return _divided(self.money.total, self.sums.documents)

    @property
    def per_completed(self) -> Decimal | None:
        return _divided(self.money.total, self.completed)

    @property
    def tokens_ratio(self) -> float | None:
        """Tokens used of those expected, 1.0: as expected."""
        return self.sums.actual_tokens / self.sums.expected_tokens if self.sums.expected_tokens else None

    @property
    def usd_ratio(self) -> float | None:
        return float(self.sums.actual_usd / self.sums.expected_usd) if self.sums.expected_usd else None


def _divided(usd: Decimal | None, number: int) -> Decimal | None:
    return (usd / number).quantize(SMALLEST) if usd is not None and number > 0 else None


@dataclass(frozen=True, slots=True)
class Median:
    """The spend of the middle task, exact. usd None: no task's is known, or there are too many (`is_too_many`)."""

    tasks: int = 0
    known: int = 0
    usd: Decimal | None = None
    is_too_many: bool = False


@dataclass(slots=True)
class Report:
    """lines: the largest first (days and months in order). total: everything that was asked for, corrections included.

    wasted: attempts without a result; retries: of it those of tasks that completed or are open; failures: of tasks that failed or were cancelled.
    corrections: what was learnt of closed months. other_usd: spend that no run carries; None: no bill was read, or the report is narrowed.
    """

    query: Query
    at: datetime
    zone: str
    lines: list[Line]
    total: Line
    wasted: Line
    retries: Line
    failures: Line
    corrections: Line
    running: int
    median: Median
    other_usd: Decimal | None = None
    other_as_of: datetime | None = None
    closed: list[date] = field(default_factory=list)
    terms: dict[date, Terms] = field(default_factory=dict)

    @property
    def waste_share(self) -> float | None:
        """Which part of the money was wasted; None where either is unknown, or nothing was spent."""
        total, wasted = self.total.money.total, self.wasted.money.total
        return float(wasted / total) if total and wasted is not None else None

    @property
    def is_closed(self) -> bool:
        """Whether all of it lies in closed months, so that it never changes."""
        return set(months(self.query.period.since, self.query.period.until)) <= set(self.closed)


def today() -> date:
    """By the database's clock, in the zone of money."""
    return cells.state(queue.connection()).today


@contextmanager
def _snapshot() -> Iterator[Any]:
    """A read-only transaction on one snapshot; part of the caller's where there is one."""
    nested = connection.in_atomic_block
    with transaction.atomic():
        db = queue.connection()
        if not nested:
            db.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        db.execute(f"SET LOCAL work_mem = '{MEMORY}'")
        yield db


def make(query: Query) -> Report:
    """Read everything anew."""
    with _snapshot() as db:
        return _make(db, query)


def _make(db: Any, query: Query) -> Report:
    found = cells.state(db)
    terms = _terms(query.period)
    lines: dict[str, Line] = {}
    parts: dict[tuple[Any, ...], Sums] = {}
    for row in _rows(db, query, found):
        lines.setdefault(row.key, Line(row.key)).add(row.month, row.sums, is_result=row.is_result)
        parts.setdefault((row.month, row.status, row.is_result, row.is_correction), Sums()).add(row.sums)
    total, wasted, retries, failures, corrections = (Line() for _ in range(5))
    for (month, status, is_result, is_correction), sums in parts.items():
        parts_of_waste = (wasted, failures if status in ("failed", "cancelled") else retries)
        for line in (
            total,
            *(() if is_result else parts_of_waste),
            *((corrections,) if is_correction else ()),
        ):
            line.add(month, sums, is_result=is_result)
    for line in (*lines.values(), total, wasted, retries, failures, corrections):
        line.made(terms)
    report = Report(
        query=query, at=found.now, zone=found.zone.key, lines=_in_order(lines.values(), query.by), total=total, wasted=wasted, retries=retries, failures=failures,
        corrections=corrections, running=queue.read(db, "costs_running", clients=query.values()["clients"])[0].attempts,
        median=_median(db, query, found), terms=terms,
        closed=list(ClosedMonth.objects.order_by("month").values_list("month", flat=True)),
    )  # fmt: skip
    if not query.is_narrowed:
        _add_other(db, report)
    return report


@dataclass(frozen=True, slots=True)
class _Row:
    key: str
    month: date
    status: str
    is_result: bool
    is_correction: bool
    sums: Any


def _rows(db: Any, query: Query, found: cells.State) -> Iterable[_Row]:
    """Every cell that is asked for, once: stored, or counted."""
    period = query.period
    changed = {day_of(row.at, found.zone) for row in queue.rows(db, "costs_changed_moments")}
    stored_until = found.stored_until or period.since
    recounted = sorted(
        day for day in changed if period.since <= day < min(period.until, stored_until) and not found.is_closed(day)
    )  # fmt: skip
    stored = queue.read(
        db, "costs_read", by=query.by, since=period.since, until=period.until, stored_until=stored_until, recounted=recounted, **query.values()
    )  # fmt: skip
    for row in stored:
        yield _Row(row.key, row.month, row.task_status, row.is_result, row.is_correction, row)
    fresh = Period(max(period.since, stored_until), min(period.until, max(found.today, period.since)))
    days = [*recounted, *fresh.days()]
    if fresh.since <= found.today < period.until:
        days.append(found.today)
    if not days:
        return
    for counted in cells.counted(db, days, found.zone):
        key = Key.of(counted)
        if query.holds(key):
            month = first_of_month(counted.day)
            yield _Row(_value(query.by, key, counted.day), month, key.status, key.outcome == "completed", False, counted)  # fmt: skip


def _value(by: By, key: Key, day: date) -> str:
    """What `costs_read` calls `key`."""
    if by == "day":
        return day.isoformat()
    if by == "month":
        return first_of_month(day).isoformat()
    return f"{key.client} {key.engagement}" if by == "engagement" else str(getattr(key, by))


def _in_order(lines: Iterable[Line], by: By) -> list[Line]:
    if by in ("day", "month"):
        return sorted(lines, key=lambda line: line.key)
    return sorted(lines, key=lambda line: (-(line.money.total or 0), -line.sums.attempts, line.key))


def _terms(period: Period) -> dict[date, Terms]:
    rows = MonthTerms.objects.filter(month__gte=first_of_month(period.since), month__lt=period.until)
    return {
        row.month: Terms(row.discount_percent, row.markup_percent, row.currency, row.rate) for row in rows
    }


def _median(db: Any, query: Query, found: cells.State) -> Median:
    number = queue.first(db, "costs_size", since=query.period.since, until=query.period.until).attempts
    asks_tasks = query.status or query.engagement is not None or query.uploader
    if number > (MOST_SORTED_BY_TASK if asks_tasks else MOST_SORTED):
        return Median(is_too_many=True)
    [row] = queue.read(
        db, "costs_median", since=start_of_day(query.period.since, found.zone), until=start_of_day(query.period.until, found.zone), **query.values()
    )  # fmt: skip
    usd = None if row.usd is None else Decimal(repr(row.usd)).quantize(SMALLEST)
    return Median(row.tasks, row.known, usd)


def _add_other(db: Any, report: Report) -> None:
    period = report.query.period
    for row in queue.read(db, "costs_other", since=period.since, until=period.until):
        terms = report.terms.get(row.month, Terms())
        usd = row.usd * (1 - terms.discount_percent / 100)
        report.other_usd = usd + (report.other_usd or 0)
        report.other_as_of = max(row.as_of, report.other_as_of or row.as_of)


def calibration(query: Query) -> list[Line]:
    """What was expected at the claim beside what came, by agent version, the busiest first; of versions with completed attempts alone."""
    lines: dict[str, Line] = {}
    with _snapshot() as db:
        for row in _rows(db, replace(query, by="version"), cells.state(db)):
            lines.setdefault(row.key, Line(row.key)).add(row.month, row.sums, is_result=row.is_result)
    return sorted(
        (line for line in lines.values() if line.sums.actual_tokens), key=lambda line: -line.completed
    )
