"""What pages read: counts of tasks, running attempts, living workers. Reads only."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, DateTimeField, Func, Q, QuerySet
from django.utils.translation import gettext as _

from tasks import maintenance
from tasks.models import Attempt, Extraction, Switches, Task, Worker
from tasks.states import TaskStatus


class DatabaseNow(Func):
    """The database's clock, as an expression."""

    function = "agentaudit_now"
    output_field = DateTimeField()


@dataclass(frozen=True, slots=True)
class Counts:
    """How many tasks of an extraction are in which state; `review` are those of `completed` that need a look."""

    enqueued: int = 0
    processing: int = 0
    completed: int = 0
    failed: int = 0
    cancelled: int = 0
    review: int = 0
    more: bool = False
    """Whether files are still being sent."""

    @property
    def total(self) -> int:
        return self.enqueued + self.processing + self.completed + self.failed + self.cancelled

    @property
    def done(self) -> int:
        return self.completed + self.failed + self.cancelled

    @property
    def is_finished(self) -> bool:
        return self.done == self.total and not self.more

    @property
    def shares(self) -> list[tuple[str, float, float]]:
        """(state, start, width) of each part of the bar, in per cent of the whole."""
        parts = {
            "completed": self.completed - self.review, "review": self.review, "failed": self.failed,
            "cancelled": self.cancelled, "processing": self.processing,
        }  # fmt: skip
        shares, start = [], 0.0
        for state, number in parts.items():
            if number:
                width = 100.0 * number / self.total
                shares.append((state, start, width))
                start += width
        return shares


def counts_of(extraction_ids: Collection[int]) -> dict[int, Counts]:
    """extraction id → its counts (zeros where it has no tasks)."""
    numbers: dict[int, dict[str, Any]] = {key: {} for key in extraction_ids}
    rows = Task.objects.filter(extraction__in=extraction_ids).values("extraction", "status")
    for row in rows.annotate(tasks=Count("*"), review=Count("pk", filter=Q(needs_review=True))).order_by():
        found = numbers[row["extraction"]]
        found[row["status"]] = row["tasks"]
        if row["status"] == TaskStatus.COMPLETED:
            found["review"] = row["review"]
    return {key: Counts(**found) for key, found in numbers.items()}


def being_sent(extractions: Collection[Extraction]) -> set[int]:
    """The ids of those whose sender was heard of lately and has not said that this is all."""
    unfinished = [extraction.pk for extraction in extractions if extraction.more_until]
    if not unfinished:
        return set()
    heard = Extraction.objects.filter(pk__in=unfinished, more_until__gt=DatabaseNow())
    return set(heard.values_list("pk", flat=True))


def state_is(state: str) -> Q:
    """The tasks that a filter of the page names; every tile's number is the length of its list."""
    return Q(status=TaskStatus.COMPLETED, needs_review=True) if state == "review" else Q(status=state)


def with_running_attempts(tasks: Collection[Task]) -> None:
    """Give each processing task its current attempt as `running` (None for the others)."""
    ids = [task.current_attempt for task in tasks if task.status == TaskStatus.PROCESSING]
    attempts = (
        Attempt.objects.only("id", "pages_done", "pages_total", "number", "status").in_bulk(ids)
        if ids
        else {}
    )
    for task in tasks:
        task.running = attempts.get(task.current_attempt)


def comparable(documents: Collection[int]) -> set[int]:
    """Those of these documents that more than one run has a result of."""
    runs = Attempt.objects.filter(task__document__in=documents, result__isnull=False)
    found = runs.values("task__document").annotate(runs=Count("*")).filter(runs__gt=1).order_by()
    return {row["task__document"] for row in found}


def living_workers() -> QuerySet[Worker]:
    """Workers whose heartbeat is younger than a lease."""
    oldest = DatabaseNow() - timedelta(seconds=settings.LEASE_SECONDS)
    return Worker.objects.filter(stopped_at__isnull=True, heartbeat_at__gt=oldest)


def database_now() -> datetime:
    return Switches.objects.annotate(now=DatabaseNow()).values_list("now", flat=True).get()


def standstill(extraction: Extraction) -> str:
    """Why nothing of an extraction can start at the moment, in a sentence; empty if something can."""
    switches = Switches.objects.get()
    if switches.maintenance_since:
        return _("Maintenance is under way. Waiting documents start when it is over.")
    if switches.is_paused:
        return _("Everything is paused. Waiting documents start when an operator resumes.")
    if extraction.agent.is_paused:
        return _("The agent %(agent)s is paused. Waiting documents start when an operator resumes it.") % {
            "agent": extraction.agent
        }
    if extraction.client.is_paused:
        return _("Work for %(client)s is paused. Waiting documents start when an operator resumes it.") % {
            "client": extraction.client
        }
    if not living_workers().filter(slots__gt=0).exists():
        return _(
            "No worker is running. Waiting documents start as soon as one is; the command is “manage.py worker”."
        )
    return ""


@dataclass(frozen=True, slots=True)
class Overview:
    """The installation in a few numbers, for those who look after it."""

    waiting: int
    processing: int
    failed_today: int
    workers: int
    paused: list[str]


def overview() -> Overview:
    day_ago = DatabaseNow() - timedelta(days=1)
    waiting = Task.objects.filter(status=TaskStatus.ENQUEUED)
    return Overview(
        # Two counts, because each has a partial index of its own
        waiting=waiting.filter(deferred=False).count() + waiting.filter(deferred=True).count(),
        processing=Task.objects.filter(status=TaskStatus.PROCESSING).count(),
        failed_today=Task.objects.filter(status=TaskStatus.FAILED, finished_at__gt=day_ago).count(),
        workers=living_workers().filter(slots__gt=0).count(),
        paused=maintenance.paused(),
    )
