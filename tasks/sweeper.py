"""The periodic pass that recovers what nobody renews: expired leases, overdue attempts, runs that are to be stopped.

One round (`tick`) takes what it works on for itself, commits, asks executors outside of any transaction, then settles (DESIGN §6).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from tasks import callbacks, events, faults, keeping, notify, queue, rollup
from tasks.agent.contract import Code, Completed, Failed, Order
from tasks.audit import Actor, Entry, record
from tasks.costs import cells
from tasks.events import News
from tasks.executors import Executor, Refusal, Report, Run, RunState
from tasks.orders import order
from tasks.outcomes import Answer
from tasks.queue import inbox
from tasks.states import AttemptStatus
from tasks.storage import StorageError, get_storage

log = logging.getLogger(__name__)

MOST = 100
"""Rows per statement: a short transaction each, and as many of them as there is work."""
PRUNE_SECONDS, MOST_PRUNED, TIDY_SECONDS = 3600.0, 5000, 86_400.0
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
LOST_MESSAGE = "The worker that ran this attempt stopped answering."
ALIVE = (RunState.STARTING, RunState.RUNNING)
FIRST = UUID(int=0)


@dataclass(slots=True)
class Held:
    """An attempt whose lease this process renews. `unsure`: whether it was started is not known; `order` starts it again."""

    task: int
    run: Run
    executor: str
    order: Order | None = None
    unsure: bool = False
    running: bool = False


def news_of(report: Report) -> list[News]:
    """What a report means for its attempt: its own last word if it had one, spoken or only written; else how its run ended.

    Outside of any transaction: a run that ended without a word may have left its outcome in the storage.
    """
    ended = report.state is RunState.ENDED
    common = {
        "ended": ended,
        "run_id": report.run_id,
        "process_seconds": report.cpu_seconds,
        "max_rss_bytes": report.max_rss_bytes,
    }
    spoken = [event for event in report.events if isinstance(event, Completed | Failed)]
    if ended and not spoken and (written := callbacks.left_outcome(report.attempt)):
        spoken = [_as_ended(written, report)]
    if spoken or not ended:
        return [News(report.attempt, event, **common) for event in spoken]  # type: ignore[arg-type]
    answer = Answer(
        events.status_of(report.code),
        True,
        report.code,
        report.message or "The run ended without a result.",
        report.code in TRANSIENT,
    )
    return [News(report.attempt, answer=answer, **common)]  # type: ignore[arg-type]


def _as_ended(written: Completed | Failed, report: Report) -> Completed | Failed:
    """Who was stopped knows only that; why is known to who stopped it."""
    if isinstance(written, Completed) or written.code != Code.CANCELLED or report.code == Code.CRASHED:
        return written
    return written.model_copy(
        update={"code": report.code, "message": report.message, "retryable": report.code in TRANSIENT}
    )


def _certainly_not(refusal: Refusal) -> Report:
    """A refused start as a run that has ended: nothing of it runs and nothing will."""
    event = Failed(
        attempt=refusal.attempt, code=refusal.code, message=refusal.message,
        retryable=refusal.retryable, retry_after=refusal.retry_after,
    )  # fmt: skip
    return Report(refusal.attempt, RunState.ENDED, (event,))


class Sweeper:
    """Sweeps for every replica. Attempts that it adopts are added to `held`: their leases are this process's to renew."""

    def __init__(
        self, worker: UUID, executors: Mapping[str, Executor], held: dict[UUID, Held], *,
        lease_seconds: float, age_seconds: float, max_pages: int, keep_days: int = 30,
    ) -> None:  # fmt: skip
        self.worker, self.executors, self.held = worker, executors, held
        self.lease_seconds, self.age_seconds, self.max_pages = lease_seconds, age_seconds, max_pages
        self.keep_days = keep_days
        self._after = FIRST
        self._braked_since: float | None = None
        self._aged_at = 0.0
        self._pruned_at = time.monotonic()
        self._tidied_at = float("-inf")
        self._summed_at = 0.0

    def tick(self) -> bool:
        """One round; whether it changed anything."""
        db = queue.connection()
        faults.point("sweep:before")
        worked = bool(queue.retried(lambda: queue.flag_overdue(db, MOST)))
        faults.point("sweep:overdue")
        if not self._braking(db):
            worked |= self._recover(db)
        worked |= self._confirm(db)
        worked |= self._age(db)
        self._prune(db)
        self._sum_up()
        queue.retried(lambda: queue.close_silent_workers(db, self.lease_seconds))
        faults.point("sweep:done")
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
        until = time.monotonic() + self.lease_seconds / 2
        taken = queue.retried(
            lambda: queue.take_over_expired(
                db, sweeper=self.worker, lease_seconds=self.lease_seconds, most=MOST, executors=list(self.executors)
            )
        )  # fmt: skip
        faults.point("sweep:taken")
        if not taken:
            return False
        batch: list[News] = []
        for attempt, report in self._found(db, [row.attempt_id for row in taken], until):
            if report.state in ALIVE and not attempt.given_up:
                self._adopt(db, attempt, report)
            elif written := self._written(attempt, report):
                batch += written
            elif report.state is RunState.UNREACHABLE and not attempt.given_up:
                # Another run would be a second bill if this one lives. The lease just taken runs out, and then it is asked for again,
                # by whoever; at the attempt's deadline it is given up.
                log.warning(
                    "Attempt %s is out of reach of its executor (%s).", attempt.attempt_id, attempt.executor
                )
            else:
                batch += self._lost(attempt, report)
        self._settle(db, batch, "sweep")
        return True

    def _is_gone(self, attempt: Any, report: Report) -> bool:
        """Local runs die with their worker, so that one which is not found has ended."""
        return report.state is RunState.NOT_FOUND and not self.executors[attempt.executor].remote

    def _written(self, attempt: Any, report: Report) -> list[News]:
        """The outcome of an attempt that nobody hears any more, if it had come so far: it is paid for, and not run again."""
        if report.state is RunState.ENDED or attempt.status == AttemptStatus.COMPLETED:
            return []
        event = callbacks.left_outcome(attempt.attempt_id)
        return [News(attempt.attempt_id, event, ended=self._is_gone(attempt, report))] if event else []

    def _lost(self, attempt: Any, report: Report) -> list[News]:
        if report.state is RunState.ENDED:
            return news_of(report)
        # A run that is only out of reach may still live: its attempt is given up, but counts against limits until its end is confirmed
        gone = self._is_gone(attempt, report)
        answer = Answer(
            AttemptStatus.LOST, gone, Code.LOST, LOST_MESSAGE, True, holder=None if gone else self.worker
        )
        return [News(attempt.attempt_id, answer=answer, ended=gone)]

    def _confirm(self, db: Any) -> bool:
        """Attempts that are to be stopped and that nobody else looks after: until the executor confirms their end."""
        until = time.monotonic() + self.lease_seconds / 2
        attempts = queue.unconfirmed(
            db, sweeper=self.worker, held=list(self.held), after=self._after, lease_seconds=self.lease_seconds, most=MOST,
            executors=list(self.executors),
        )  # fmt: skip
        faults.point("confirm:taken")
        self._after = max(attempts) if len(attempts) == MOST else FIRST
        batch: list[News] = []
        for attempt, report in self._found(db, attempts, until):
            if report.state is RunState.ENDED or self._is_gone(attempt, report):
                batch += self._written(attempt, report) or self._lost(attempt, report)
            else:
                self.executors[attempt.executor].stop(
                    [Run(attempt.attempt_id, report.run_id or attempt.run_id)]
                )
                faults.point("confirm:stopped")
        self._settle(db, batch, "confirm")
        return bool(batch)

    def _found(self, db: Any, attempts: Sequence[UUID], until: float) -> list[tuple[Any, Report]]:
        """Each attempt with its executor's answer; one that says nothing about a run is out of reach.

        A remote run that nobody ever heard of may still be starting, so that "not found" confirms nothing: its start is asked for
        again with its token, which ends in the same run, or in the certainty that there is none.
        """
        described = queue.describe(db, attempts, self.lease_seconds) if attempts else []
        answers: dict[UUID, Report] = {}
        for name in {attempt.executor for attempt in described}:
            runs = [
                Run(attempt.attempt_id, attempt.run_id) for attempt in described if attempt.executor == name
            ]
            answers |= {report.attempt: report for report in self.executors[name].ask(runs)}
        if described:
            faults.point("sweep:asked")
        unheard = [
            attempt
            for attempt in described
            if self.executors[attempt.executor].remote
            and not attempt.run_id
            and attempt.attempt_id in answers
            and answers[attempt.attempt_id].state is RunState.NOT_FOUND
        ]
        answers |= self._started_again(db, unheard, until)
        return [
            (attempt, answers.get(attempt.attempt_id, Report(attempt.attempt_id, RunState.UNREACHABLE)))
            for attempt in described
        ]

    def _started_again(self, db: Any, unheard: Sequence[Any], until: float) -> dict[UUID, Report]:
        """Ask for these starts again. What stays unsure, or would come after somebody else may have taken over, is out of reach."""
        answers = {
            attempt.attempt_id: Report(attempt.attempt_id, RunState.UNREACHABLE) for attempt in unheard
        }
        orders: dict[str, list[Order]] = {}
        for row in queue.orders_again(db, list(answers)) if unheard else []:
            try:
                orders.setdefault(row.executor, []).append(order(row, get_storage(), self.max_pages))
            except StorageError as error:
                log.warning("Attempt %s cannot be asked for again yet: %s", row.attempt_id, error)
        for name, batch in orders.items():
            if time.monotonic() >= until:
                break
            faults.point("sweep:submitting")
            answer = self.executors[name].start(batch)
            faults.point("sweep:submitted")
            answers |= {report.attempt: report for report in answer.started}
            answers |= {refusal.attempt: _certainly_not(refusal) for refusal in answer.refused}
            started = [(report.attempt, report.run_id, report.run_page_url) for report in answer.started]
            if started:
                queue.retried(partial(queue.mark_running, db, started))
                faults.point("sweep:stored")
        return answers

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
        faults.point("sweep:adopted")
        if kept:
            run = Run(attempt.attempt_id, run_id)
            self.held[attempt.attempt_id] = Held(attempt.task_id, run, attempt.executor)
            if attempt.stop_requested:
                self.executors[attempt.executor].stop([run])
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
        faults.point("sweep:recorded")
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

    def _prune(self, db: Any) -> None:
        """Old deliveries go, a bounded number at a time: one message id has to be known only as long as its attempt may speak. So do old
        counters, inserted results, and answers that nobody needs."""
        if time.monotonic() - self._pruned_at < PRUNE_SECONDS:
            return
        self._pruned_at = time.monotonic()
        removed = inbox.prune_callbacks(db, days=self.keep_days, most=MOST_PRUNED)
        others = queue.prune_spending(db, most=MOST_PRUNED), inbox.prune_results(db, most=MOST_PRUNED)
        if max(removed, *others) == MOST_PRUNED:
            self._pruned_at -= PRUNE_SECONDS  # there is more: in the next round
        keeping.clean(get_storage())
        if time.monotonic() - self._tidied_at >= TIDY_SECONDS:
            self._tidied_at = time.monotonic()
            keeping.tidy(get_storage())

    def _sum_up(self) -> None:
        """Sums for the pages, as often as they are worth it."""
        if time.monotonic() - self._summed_at >= rollup.EVERY_SECONDS:
            rollup.catch_up()
            cells.catch_up()
            self._summed_at = time.monotonic()
