"""The numbers of the operators' page: stored sums as far as they reach, the rest counted, all of one snapshot; shared by all viewers.

Every number is about the same tasks: those that finished in the chosen time, and all that wait or are processed. Tokens and costs
are those of all attempts of these tasks.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from dashboard.filters import Filters
from tasks import queue, rollup
from tasks.totals import DAY, FOREVER, HOUR, Closed, Cover, Totals, bins, cover, percentile, start_of

OUTCOMES = ("completed", "review", "failed", "cancelled")
UNFINISHED = ("enqueued", "processing")
EXACT_UP_TO = 100_000
"""So many response times are sorted; of more the percentiles come from buckets, and the page says so."""
MANY, MANY_SECONDS = 10_000, 30.0
REMEMBERED_SECONDS = 1.2
"""Times the number of web processes: how old the numbers may be, so that all of them together ask once a second."""
SILENT_SECONDS, MOST_SILENT = 120.0, 20
MOST_HOURLY, MOST_DAILY = 3 * DAY, 100 * DAY


@dataclass(slots=True)
class Response:
    """Median and 95th percentile of the response time in seconds; approximate: from buckets of 1 % width."""

    median: float | None = None
    p95: float | None = None
    approximate: bool = False
    at: datetime | None = None


@dataclass(slots=True)
class AgentLine:
    """An agent now (`now`: a row of summary_agents) and over the chosen time."""

    now: Any
    waiting: int = 0
    completed: int = 0
    failed: int = 0
    tokens: int = 0
    spark: list[int] = field(default_factory=list)

    @property
    def failure_rate(self) -> float | None:
        ended = self.completed + self.failed
        return self.failed / ended if ended else None


@dataclass(slots=True)
class Board:
    """Everything that the page shows. `states` ignore the chosen state (each is the link to it); all other numbers obey it."""

    at: datetime
    since: datetime
    until: datetime
    unit: str
    states: dict[str, int]
    oldest: datetime | None
    totals: Totals
    response: Response
    series: dict[datetime, dict[str, int]]
    agents: list[AgentLine]
    workers: list[Any]
    silent: list[Any]


class Shared:
    """One value per key for everybody in this process, made by one thread at a time and kept for a while."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._makers: dict[Hashable, threading.Lock] = {}
        self._values: dict[Hashable, tuple[float, Any]] = {}

    def get(self, key: Hashable, seconds: float, make: Callable[[], Any]) -> Any:
        with self._lock:
            maker = self._makers.setdefault(key, threading.Lock())
        with maker:
            kept = self._values.get(key)
            if kept and kept[0] > time.monotonic():
                return kept[1]
            value = make()
            with self._lock:
                self._values[key] = (time.monotonic() + seconds, value)
                self._forget()
            return value

    def _forget(self) -> None:
        """What nobody asks for any more goes. A maker that is at work keeps its lock for itself."""
        now = time.monotonic()
        for key in [key for key, (until, _) in self._values.items() if until < now]:
            del self._values[key]
            self._makers.pop(key, None)

    def clear(self) -> None:
        with self._lock:
            self._values.clear()


shared = Shared()


def board(filters: Filters) -> Board:
    """At most REMEMBERED_SECONDS old per web process of this installation."""
    return shared.get(filters, REMEMBERED_SECONDS * settings.WEB_WORKERS, lambda: make(filters))


def make(filters: Filters) -> Board:
    """Read everything anew, in one read-only transaction on one snapshot."""
    nested = connection.in_atomic_block
    with transaction.atomic():
        db = queue.connection()
        if not nested:
            db.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        return _Maker(db, filters).board()


def spans_of(parts: Cover) -> dict[str, list]:
    """The stored periods as parameters."""
    return {"levels": [level for level, _ in parts.stored], "starts": [start for _, start in parts.stored]}


def client_sizes(filters: Filters) -> Any:
    """How many tasks the chosen client has (`of_client`), and how many of everybody finished in the chosen time (`of_time`), by stored sums; None where no client is chosen or nothing is summed up."""
    if not filters.client:
        return None
    db = queue.connection()
    state = queue.first(db, "summary_state")
    if state.closed_until is None:
        return None
    since, until = filters.span(state.now)
    begun = queue.first(db, "summary_first_finish").at or state.now
    parts = cover(
        since or start_of("day", begun), until, Closed(state.closed_until, state.hours_from), "month"
    )
    [sizes] = queue.read(db, "summary_sizes", client=filters.client, agent=filters.agent, **spans_of(parts))
    return sizes


def is_small_client(filters: Filters) -> bool:
    """Whether the chosen client has fewer tasks than everybody finished in the chosen time: which way to its rows is shorter."""
    sizes = client_sizes(filters)
    return sizes is not None and sizes.of_client < sizes.of_time


class _Maker:
    """The steps of `make`; nothing of it outlives the transaction."""

    def __init__(self, db: Any, filters: Filters) -> None:
        self.db, self.filters = db, filters
        self.whose: dict[str, Any] = {"agent": filters.agent, "client": filters.client}
        state = queue.first(db, "summary_state")
        self.now = state.now
        changed = frozenset(row.hour for row in queue.rows(db, "summary_changed_hours"))
        self.closed = Closed(state.closed_until, state.hours_from, changed) if state.closed_until else None
        since, self.until = filters.span(self.now)
        self.since = since or self._beginning()
        length = min(self.until, self.now) - self.since
        self.unit = "hour" if length <= MOST_HOURLY else "day" if length <= MOST_DAILY else "month"
        self.outcomes = {outcome: Totals() for outcome in OUTCOMES}
        self.agents: dict[int, AgentLine] = {}
        end = min(self.until, self.now + HOUR)
        self.series = {at: dict.fromkeys(OUTCOMES, 0) for at in bins(self.since, end, self.unit)}
        self.sparks: dict[int, dict[datetime, int]] = {}

    def _beginning(self) -> datetime:
        first = queue.first(self.db, "summary_first_finish").at
        return start_of("day", min(first, self.now) if first else self.now)

    def board(self) -> Board:
        wanted = self._wanted()
        self.agents = {
            row.id: AgentLine(row) for row in queue.rows(self.db, "summary_agents", agent=self.filters.agent)
        }
        self._finished(wanted)
        waiting, processing, oldest, unfinished = self._unfinished()
        states = {
            "enqueued": waiting, "processing": processing, "completed": self.outcomes["completed"].tasks + self.outcomes["review"].tasks,
            "review": self.outcomes["review"].tasks, "failed": self.outcomes["failed"].tasks, "cancelled": self.outcomes["cancelled"].tasks,
        }  # fmt: skip
        totals = Totals()
        for name, part in {**self.outcomes, **unfinished}.items():
            if name in wanted:
                totals.add(part)
        spark_bins = list(self.series)
        for agent, line in self.agents.items():
            line.spark = [self.sparks.get(agent, {}).get(at, 0) for at in spark_bins]
        return Board(
            at=self.now, since=self.since, until=self.until, unit=self.unit, states=states, oldest=oldest, totals=totals,
            response=self._response(totals, wanted), series=self.series, agents=list(self.agents.values()),
            workers=queue.rows(self.db, "summary_workers", lease_seconds=settings.LEASE_SECONDS),
            silent=queue.silent_attempts(self.db, SILENT_SECONDS, MOST_SILENT),
        )  # fmt: skip

    def _wanted(self) -> tuple[str, ...]:
        """The outcomes and unfinished states that the chosen state means."""
        status = self.filters.status
        if not status:
            return OUTCOMES + UNFINISHED
        return ("completed", "review") if status == "completed" else (status,)

    def _finished(self, wanted: tuple[str, ...]) -> None:
        parts = cover(self.since, self.until, self.closed, self.unit)
        spans = spans_of(parts)
        for row in queue.read(self.db, "summary_read", **spans, **self.whose):
            self.outcomes[row.outcome].add(row)
            self._in_series(row.starts_at, row, wanted)
        for row in queue.read(self.db, "summary_read_agents", outcomes=list(wanted), **spans, **self.whose):
            self._of_agent(row.agent_id, row.starts_at, row.completed, row.failed, row.tokens)
        for row in rollup.counted(self.db, parts.counted, **self.whose) if parts.counted else ():
            self.outcomes[row.outcome].add(row)
            self._in_series(row.hour, row, wanted)
            if row.outcome in wanted:
                completed = row.tasks if row.outcome in ("completed", "review") else 0
                failed = row.tasks if row.outcome == "failed" else 0
                self._of_agent(
                    row.agent_id, row.hour, completed, failed, row.input_tokens + row.output_tokens
                )

    def _in_series(self, at: datetime, row: Any, wanted: tuple[str, ...]) -> None:
        place = self.series.get(start_of(self.unit, at))
        if place is not None and row.outcome in wanted:
            place[row.outcome] += row.tasks

    def _of_agent(self, agent: int, at: datetime, completed: int, failed: int, tokens: int) -> None:
        line = self.agents.get(agent)
        if line is None:
            return
        line.completed += completed
        line.failed += failed
        line.tokens += tokens
        spark, at = self.sparks.setdefault(agent, {}), start_of(self.unit, at)
        spark[at] = spark.get(at, 0) + completed

    def _unfinished(self) -> tuple[int, int, datetime | None, dict[str, Totals]]:
        waiting = queue.read(self.db, "summary_waiting", **self.whose)
        processing = queue.read(self.db, "summary_processing", **self.whose)
        for row in waiting:
            if row.agent_id in self.agents:
                self.agents[row.agent_id].waiting = row.tasks
        found = {
            state: Totals(tasks=sum(row.tasks for row in rows))
            for state, rows in (("enqueued", waiting), ("processing", processing))
        }
        tried = any(row.tried for row in waiting)
        if processing or tried:
            for row in queue.read(self.db, "summary_unfinished", tried=tried, **self.whose):
                found[row.status].add(row)
        oldest = min((row.oldest for row in waiting), default=None)
        return found["enqueued"].tasks, found["processing"].tasks, oldest, found

    def _response(self, totals: Totals, wanted: tuple[str, ...]) -> Response:
        completed = [outcome for outcome in ("completed", "review") if outcome in wanted]
        number = sum(self.outcomes[outcome].tasks for outcome in completed)
        if not number:
            return Response()
        if number > EXACT_UP_TO:
            # What was counted from rows is in the totals already; the rest comes from the coarsest periods that there are
            parts, merged = cover(self.since, self.until, self.closed, "month"), Counter[str]()
            for row in queue.read(
                self.db, "summary_read_response", outcomes=completed, **spans_of(parts), **self.whose
            ):
                merged.update(json.loads(row.response))
            totals.response.update({int(bucket): number for bucket, number in merged.items()})
            return Response(
                percentile(totals.response, 0.5), percentile(totals.response, 0.95), True, self.now
            )
        if number <= MANY:
            return self._sorted(wanted)
        # Sorting many takes a while, and some more of them move a percentile little
        return shared.get(
            ("response", replace(self.filters, error="")), MANY_SECONDS, lambda: self._sorted(wanted)
        )

    def _sorted(self, wanted: tuple[str, ...]) -> Response:
        until = None if self.until == FOREVER else self.until
        way = "summary_percentiles"
        if wanted == ("review",):
            way += "_of_review"
        elif is_small_client(self.filters):
            way += "_of_client"
        [row] = queue.read(self.db, way, since=self.since, until=until, **self.whose)
        median, p95 = row.seconds or (None, None)
        return Response(median, p95, at=self.now)
