"""How an extraction goes: cost, documents per minute, time left as a range, waiting against working, and each document's place in line."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.queries import Counts
from tasks import queue
from tasks.models import Extraction, Task
from tasks.states import TaskStatus

LATELY_MINUTES = 10.0
HOURS_FROM_MINUTES = 120
FEWEST_DONE = 5
"""Of fewer finished documents nothing is foretold."""
MOST_LOOKED_AT = 10_000


@dataclass(frozen=True, slots=True)
class Pace:
    """`usd` None: nothing is known of the cost. The rate is documents per minute, lately, or when all are done over all of the time, waits for a password and pauses included; seconds are sums over all documents."""

    usd: Decimal | None
    unknown: int
    estimated: int
    per_minute: float | None
    left: tuple[float, float] | None
    elapsed: float | None
    waiting: float
    working: float

    @property
    def left_sentence(self) -> str:
        """The time left, for people; empty where it cannot be said."""
        if self.left is None:
            return ""
        low, high = (math.ceil(seconds / 60) for seconds in self.left)
        if high <= 1:
            return _("less than a minute left")
        if low >= HOURS_FROM_MINUTES:
            hours = {"low": low // 60, "high": math.ceil(high / 60)}
            return _("%(low)d to %(high)d hours left") % hours
        if low == high:
            return ngettext("about %(n)d minute left", "about %(n)d minutes left", low) % {"n": low}
        return _("%(low)d to %(high)d minutes left") % {"low": low, "high": high}


def pace(extraction: Extraction, counts: Counts) -> Pace:
    [row] = queue.read(queue.connection(), "list_pace", extraction=extraction.pk)
    since = row.first_claim_at or row.begun_at
    minutes = _seconds(since, row.now if not counts.is_finished else row.last_at) / 60 if since else 0.0
    lately = row.lately / min(LATELY_MINUTES, max(minutes, 1 / 60)) if minutes else 0.0
    overall = counts.done / max(minutes, 1 / 60) if minutes else 0.0
    known = counts.done >= FEWEST_DONE
    rates = [rate for rate in (lately, overall) if rate > 0]
    rest = counts.total - counts.done
    return Pace(
        usd=row.usd, unknown=row.unknown, estimated=row.estimated,
        per_minute=(overall if counts.is_finished else lately) if known else None,
        left=(rest * 60 / max(rates), rest * 60 / min(rates)) if known and rest and rates and lately and not counts.more else None,
        elapsed=_seconds(row.begun_at, row.last_at) if row.last_at and row.begun_at else None,
        waiting=max(0.0, row.whole - row.working), working=row.working,
    )  # fmt: skip


def _seconds(start: datetime, end: datetime) -> float:
    return (end - start).total_seconds()


def with_places(tasks: Collection[Task]) -> None:
    """Give each task its `place` in line (1: it is next), None where it is in none or too far behind."""
    found: dict[int, int] = {}
    waiting = [task for task in tasks if task.status == TaskStatus.ENQUEUED and not task.deferred]
    for agent in {task.agent_id for task in waiting}:
        ids = [task.pk for task in waiting if task.agent_id == agent]
        rows = queue.read(queue.connection(), "list_places", agent=agent, tasks=ids, most=MOST_LOOKED_AT)
        found |= {row.id: row.place for row in rows}
    for task in tasks:
        task.place = found.get(task.pk)
