"""The periodic pass that recovers what nobody renews: expired leases, overdue attempts, runs that are to be stopped.

One round (`tick`) takes what it works on for itself, commits, asks executors outside of any transaction, then settles (DESIGN §6).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from tasks import events, faults, notify, queue
from tasks.agent.contract import Code, Completed, Failed
from tasks.audit import Actor, Entry, record
from tasks.events import News
from tasks.executors import Executor, Report, Run, RunState
from tasks.outcomes import Answer
from tasks.states import AttemptStatus

log = logging.getLogger(__name__)

MOST = 100
"""Rows per statement: a short transaction each, and as many of them as there is work."""
TRANSIENT = frozenset(
    {
        Code.CRASHED,
        Code.TIMEOUT,
        Code.LOST,
        Code.STORAGE,
        Code.UPSTREAM,
        Code.RATE_LIMITED,
        Code.RELEASED,
        Code.CANCELLED,
    }
)
_STATUS = {
    Code.TIMEOUT: AttemptStatus.TIMEOUT,
    Code.CANCELLED: AttemptStatus.CANCELLED,
    Code.RELEASED: AttemptStatus.RELEASED,
    Code.LOST: AttemptStatus.LOST,
}
LOST_MESSAGE = "The worker that ran this attempt stopped answering."


def news_of(report: Report) -> list[News]:
    """What a report of an ended run means: its own last word if it had one, else how it ended."""
    common = {
        "ended": True,
        "run_id": report.run_id,
        "process_seconds": report.cpu_seconds,
        "max_rss_bytes": report.max_rss_bytes,
    }
    spoken = [event for event in report.events if isinstance(event, Completed | Failed)]
    if spoken:
        return [News(report.attempt, event, **common) for event in spoken]  # type: ignore[arg-type]
    status = _STATUS.get(report.code, AttemptStatus.FAILED)
    answer = Answer(
        status,
        True,
        report.code,
        report.message or "The run ended without a result.",
        report.code in TRANSIENT,
    )
    return [News(report.attempt, answer=answer, **common)]  # type: ignore[arg-type]


class Sweeper:
    """Sweeps for every replica. `adopted` collects attempts whose lease this process holds from now on."""

    def __init__(
        self, worker: UUID, executors: Mapping[str, Executor], lease_seconds: float, age_seconds: float
    ) -> None:
        self.worker, self.executors, self.lease_seconds, self.age_seconds = (
            worker,
            executors,
            lease_seconds,
            age_seconds,
        )
        self.adopted: list[tuple[int, Run, str]] = []
        self._braked_since: float | None = None
        self._aged_at = 0.0

    def tick(self) -> bool:
        """One round; whether it changed anything."""
        db = queue.connection()
        worked = bool(queue.retried(lambda: queue.flag_overdue(db, MOST)))
        if not self._braking(db):
            worked |= self._recover(db)
        worked |= self._confirm(db)
        worked |= self._age(db)
        queue.retried(lambda: queue.close_silent_workers(db, self.lease_seconds))
        if worked:
            notify.hint(notify.WORK, notify.CHANGED)
        return worked

    def _braking(self, db: Any) -> bool:
        """Most workers silent at once is rather a database that was away than so many deaths: they get one more lease to come back."""
        seen = queue.silent_workers(db, self.worker, self.lease_seconds)
        if seen.expected < 2 or seen.silent * 2 <= seen.expected:
            self._braked_since = None
            return False
        if self._braked_since is None:
            self._braked_since = time.monotonic()
            log.warning(
                "%d of %d workers are silent; sweeping waits %g s for them to come back.",
                seen.silent,
                seen.expected,
                self.lease_seconds,
            )
        return time.monotonic() - self._braked_since < self.lease_seconds

    def _recover(self, db: Any) -> bool:
        """Tasks whose lease has expired: adopted, settled, or back to the queue."""
        taken = queue.retried(
            lambda: queue.take_over_expired(
                db,
                sweeper=self.worker,
                lease_seconds=self.lease_seconds,
                most=MOST,
                executors=list(self.executors),
            )
        )
        faults.point("sweep:taken")
        if not taken:
            return False
        described = queue.describe(db, [row.attempt_id for row in taken], self.lease_seconds)
        batch: list[News] = []
        for attempt, report in self._asked(described):
            if report.state in (RunState.RUNNING, RunState.STARTING) and not attempt.stop_requested:
                self._adopt(db, attempt, report)
            else:
                batch += self._lost(attempt, report)
        faults.point("sweep:asked")
        self._settle(db, batch, "sweep")
        return True

    def _lost(self, attempt: Any, report: Report) -> list[News]:
        if report.state is RunState.ENDED:
            return news_of(report)
        # A run that is only out of reach may still live: its attempt is given up, but counts against limits until its end is confirmed
        gone = report.state is RunState.NOT_FOUND and not self.executors[attempt.executor].remote
        answer = Answer(AttemptStatus.LOST, gone, Code.LOST, LOST_MESSAGE, True, holder=None if gone else self.worker)
        return [News(attempt.attempt_id, answer=answer, ended=gone)]

    def _confirm(self, db: Any) -> bool:
        """Attempts that are to be stopped and that no living worker looks after."""
        attempts = queue.unconfirmed(
            db, lease_seconds=self.lease_seconds, most=MOST, executors=list(self.executors)
        )
        described = queue.describe(db, attempts, self.lease_seconds)
        batch: list[News] = []
        for attempt, report in self._asked(described):
            executor = self.executors[attempt.executor]
            if report.state is RunState.ENDED:
                batch += news_of(report)
            elif report.state is RunState.NOT_FOUND and not executor.remote:
                batch += self._lost(attempt, report)
            else:
                executor.stop([Run(attempt.attempt_id, attempt.run_id)])
        self._settle(db, batch, "confirm")
        return bool(batch)

    def _asked(self, described: Sequence[Any]) -> list[tuple[Any, Report]]:
        """Each attempt with its executor's answer; one that says nothing about a run is out of reach."""
        answers: dict[UUID, Report] = {}
        for name in {attempt.executor for attempt in described}:
            runs = [
                Run(attempt.attempt_id, attempt.run_id) for attempt in described if attempt.executor == name
            ]
            answers |= {report.attempt: report for report in self.executors[name].ask(runs)}
        unknown = RunState.UNREACHABLE
        return [
            (attempt, answers.get(attempt.attempt_id, Report(attempt.attempt_id, unknown)))
            for attempt in described
        ]

    def _adopt(self, db: Any, attempt: Any, report: Report) -> None:
        run_id = report.run_id or attempt.run_id
        kept = queue.retried(
            lambda: queue.adopt(
                db,
                task=attempt.task_id,
                attempt=attempt.attempt_id,
                sweeper=self.worker,
                run_id=run_id,
                lease_seconds=self.lease_seconds,
            )
        )
        if kept:
            self.adopted.append((attempt.task_id, Run(attempt.attempt_id, run_id), attempt.executor))
            record(
                Actor.system("sweeper"),
                [Entry("adopt", "task", str(attempt.task_id), after={"attempt": str(attempt.attempt_id)})],
            )

    def _settle(self, db: Any, batch: Sequence[News], verb: str) -> None:
        if not batch:
            return
        events.apply(db, batch)
        faults.point("sweep:settled")
        entries = [
            Entry(
                verb,
                "attempt",
                str(news.attempt),
                after={"code": str(news.answer.code)} if news.answer else None,
            )
            for news in batch
        ]
        record(Actor.system("sweeper"), entries)
        log.info("Swept %d attempts.", len(batch))

    def _age(self, db: Any) -> bool:
        """Levels that have waited long without a start get the next one, one task each."""
        if not self.age_seconds or time.monotonic() - self._aged_at < min(self.age_seconds / 20, 60):
            return False
        self._aged_at = time.monotonic()
        raised = [
            row
            for level in queue.aged_levels(db, self.age_seconds)
            if (row := queue.raise_head(db, level.task_id))
        ]
        if raised:
            reason = f"nothing of its level had started for {self.age_seconds:g} s"
            record(
                Actor.system("sweeper"),
                [Entry("age", "task", str(row.id), after={"priority": row.priority}) for row in raised],
                reason,
            )
        return bool(raised)
