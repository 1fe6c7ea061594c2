"""The long-lived process that claims tasks, starts attempts, hears how they end, and renews its leases.

`run()` waits and handles signals; `tick()` is one round and says whether it found work. Losing the database stops nothing but claims:
news is kept until it can be settled, and local runs end by themselves when the lease runs out.
"""

from __future__ import annotations

import logging
import os
import random
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from uuid import UUID, uuid4

from django.db import connection as django_connection

from tasks import bulk, callbacks, claims, events, faults, idleness, keeping, learning, notify, queue
from tasks.agent.contract import Code, Completed, Order, Progress, Started
from tasks.events import News
from tasks.executors import Executor, Refusal, Report, Run, RunState
from tasks.orders import order
from tasks.outcomes import Answer
from tasks.queue import AWAY
from tasks.states import AttemptStatus
from tasks.storage import StorageError, get_storage
from tasks.sweeper import ALIVE, Held, Sweeper, news_of
from tasks.whereabouts import Whereabouts

log = logging.getLogger(__name__)

FLAG_SECONDS = 1.0
"""How often flags to stop are looked for when no hint comes."""
SILENT_SECONDS, MOST_READ, READ_SECONDS = 30.0, 100, 5.0
"""When a remote run counts as silent, and how many outcome files are looked for in one poll, and for how long."""
IDLE_SECONDS = (1.0, 2.0)
"""How long an idle worker waits for a hint before it looks by itself; at random in between, so that replicas do not look together."""
BULK_SECONDS = 0.5
"""How often open actions on many rows are looked for; while there is one, a piece of it is done in every round."""
CONTENDED_SECONDS = (0.002, 0.02)
"""How long before a worker looks again at an agent for which another one was claiming."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How a worker works; from the settings, or a test's own."""

    slots: int = 4
    lease_seconds: float = 60.0
    heartbeat_seconds: float = 20.0
    sweep_seconds: float = 10.0
    poll_seconds: float = 10.0
    look_ahead: int = 200
    reserve_after_seconds: float = 300.0
    age_seconds: float = 3600.0
    max_pages: int = 2000
    keep_days: int = 30
    version: str = ""

    @property
    def margin_seconds(self) -> float:
        """So much before the lease's end the worker lets go: the next holder must not meet its children."""
        return min(2.0, self.lease_seconds / 6)


@dataclass(slots=True)
class Timer:
    """Says once per period that it is time. `spread`: periods differ by this share, so that replicas do not act together."""

    seconds: float
    spread: float = 0.0
    at: float = field(default=0.0)

    def due(self) -> bool:
        if time.monotonic() < self.at:
            return False
        self.at = time.monotonic() + self.seconds * random.uniform(1 - self.spread, 1 + self.spread)  # noqa: S311
        return True


class Worker:
    def __init__(self, executors: Mapping[str, Executor], habits: Habits) -> None:
        self.id, self.executors, self.habits = uuid4(), executors, habits
        self.held: dict[UUID, Held] = {}
        self.stopping = self.drained = False
        self._unsettled: list[News] = []
        self._running: list[tuple[UUID, str, str]] = []
        self._told_to_stop: set[UUID] = set()
        self._lease_until = 0.0
        self._contended = False
        self._beat, self._flags = Timer(habits.heartbeat_seconds), Timer(FLAG_SECONDS)
        self._sweep, self._poll = Timer(habits.sweep_seconds, 0.1), Timer(habits.poll_seconds, 0.2)
        self.storage = Whereabouts(habits.poll_seconds)
        self._learn, self._bulk = Timer(learning.EVERY_SECONDS, 0.2), Timer(BULK_SECONDS, 0.2)
        self.sweeper = Sweeper(
            self.id, executors, self.held, lease_seconds=habits.lease_seconds, age_seconds=habits.age_seconds,
            max_pages=habits.max_pages, keep_days=habits.keep_days,
        )  # fmt: skip
        self._terms = claims.Terms(
            self.id, habits.lease_seconds, habits.look_ahead, timedelta(seconds=habits.reserve_after_seconds)
        )

    # The life of a worker

    def register(self) -> None:
        queue.register_worker(
            queue.connection(),
            worker=self.id,
            host=socket.gethostname(),
            pid=os.getpid(),
            version=self.habits.version,
            slots=self.habits.slots,
            executors=list(self.executors),
        )
        self._lease_until = time.monotonic() + self.habits.lease_seconds

    def tick(self, wait: float = 0.0) -> bool:
        """One round: hear, settle, renew, stop, sweep, claim, start. Whether it found work."""
        worked = self._hear(wait)
        try:
            worked |= self._settle()
            if self._beat.due():
                self._renew()
            if self._flags.due():
                self._heed_flags()
            if self._poll.due():
                self._ask_remote()
            if self._sweep.due():
                queue.plan_anew(queue.connection())
                worked |= self.sweeper.tick()
            if self._learn.due():
                learning.step(queue.connection())
            if self._bulk.due() and bulk.step():
                worked, self._bulk.at = True, 0.0
            worked |= self._claim()
        except AWAY as error:
            self._database_away(error)
        return worked

    def idle_seconds(self) -> float:
        """How long the next round may wait for news."""
        if self._contended:
            return random.uniform(*CONTENDED_SECONDS)  # noqa: S311
        until_beat = max(0.0, self._beat.at - time.monotonic())
        return min(random.uniform(*IDLE_SECONDS), until_beat, FLAG_SECONDS if self.held else IDLE_SECONDS[1])  # noqa: S311

    def rest(self) -> bool:
        """Leave the database alone for a moment if nobody needs it; whether that was so. The first round after it renews."""
        if self.held or self._unsettled or not idleness.may_sleep():
            return False
        self._hear(idleness.LOOK_SECONDS)
        return True

    def finish(self, grace: float) -> None:
        """Stop claiming, let what ends within `grace` seconds end, hand the rest back, and say goodbye."""
        self.stopping = True
        deadline = time.monotonic() + grace
        self._in_database(lambda: queue.worker_stopping(queue.connection(), self.id))
        while self.held and time.monotonic() < deadline - 2.0:
            self.tick(min(0.5, max(0.0, deadline - 2.0 - time.monotonic())))
        for executor in self.executors.values():
            executor.close(max(0.5, min(2.0, deadline - time.monotonic())))
        self._hear(0.0)
        self._in_database(self._settle)
        self._in_database(lambda: queue.worker_stopped(queue.connection(), self.id))

    def _in_database(self, action) -> None:
        try:
            action()
        except AWAY as error:
            log.warning(
                "The database is away at the end (%s); what was running is recovered by a sweeper.", error
            )

    def _database_away(self, error: Exception) -> None:
        log.warning(
            "The database is away (%s). Runs go on as long as their lease holds; trying again.",
            str(error).strip(),
        )
        django_connection.close()
        self._beat.at = 0.0
        time.sleep(random.uniform(0.2, 1.0))  # noqa: S311

    # Hearing and settling

    def _hear(self, wait: float) -> bool:
        """Collect news of all executors; the first one's waiting is interrupted by `wake`."""
        reports: list[Report] = []
        for executor in self.executors.values():
            reports += executor.news(wait)
            wait = 0.0
        try:
            self._take(reports)
        except AWAY as error:
            self._database_away(error)
        return bool(reports)

    def _ask_remote(self) -> None:
        """Ask after every remote run that is held: a callback that was lost costs one poll, no more."""
        self._told_to_stop.clear()
        self._read_outcomes()
        for name, executor in self.executors.items():
            if executor.remote:
                runs = [entry.run for entry in self.held.values() if entry.executor == name]
                reports = executor.ask(runs) if runs else []
                self._take([report for report in reports if report.state in (*ALIVE, RunState.ENDED)])

    def _read_outcomes(self) -> None:
        """A run whose callbacks do not come through lives on while it tries; its outcome stands in the storage already."""
        remote = [attempt for attempt, entry in self.held.items() if self.executors[entry.executor].remote]
        silent = queue.silent_among(queue.connection(), remote, SILENT_SECONDS, MOST_READ) if remote else []
        until = time.monotonic() + READ_SECONDS
        for attempt in silent:
            if event := callbacks.left_outcome(attempt):
                self._unsettled.append(News(attempt, event))
            if time.monotonic() >= until:  # a storage that hardly answers must not hold up the leases
                break

    def _take(self, reports: Sequence[Report]) -> None:
        """Keep what is to be settled, and store how far attempts are; the latter is only worth something now."""
        for report in reports:
            self._unsettled += news_of(report)
            if report.state in ALIVE and any(isinstance(event, Started) for event in report.events):
                self._note_running(report)
        # How far a completed attempt was is told by its outcome
        open_ones = [r for r in reports if not any(isinstance(event, Completed) for event in r.events)]
        progress = [event for report in open_ones for event in report.events if isinstance(event, Progress)]
        if progress:
            events.progress(queue.connection(), progress)
            notify.hint(notify.CHANGED)

    def _note_running(self, report: Report) -> None:
        entry = self.held.get(report.attempt)
        if entry is not None:
            if entry.running:
                return
            entry.run = Run(report.attempt, report.run_id or entry.run.run_id)
            entry.running, entry.unsure = True, False
        self._running.append((report.attempt, report.run_id, report.run_page_url))

    def _settle(self) -> bool:
        """Settle what has ended; what is already settled need not be marked as running."""
        ended = {news.attempt for news in self._unsettled}
        running = [row for row in self._running if row[0] not in ended]
        db = queue.connection()
        if running:
            remote = [
                row[0]
                for row in running
                if row[0] in self.held and self.executors[self.held[row[0]].executor].remote
            ]
            faults.point("start:storing")
            queue.retried(lambda: queue.mark_running(db, running))
            faults.point("start:stored")
            if remote:
                queue.retried(lambda: queue.name_runs(db, remote))
                faults.point("start:named")
        self._running.clear()
        if self._unsettled:
            self._unsettled = self.storage.heed(self._unsettled)
            faults.point("settle:before")
            events.apply(db, self._unsettled)
            faults.point("settle:committed")
            done = {news.attempt for news in self._unsettled if isinstance(news.event, Completed)}
            for attempt in ended:
                entry = self.held.pop(attempt, None)
                if entry and entry.order and attempt in done:
                    keeping.forget(get_storage(), entry.order)
            self._unsettled.clear()
        if running or ended:
            notify.hint(notify.CHANGED)
        return bool(ended)

    # Leases

    def _renew(self) -> None:
        """Renew every lease and beat, in one statement. What does not come back is somebody else's now."""
        before = time.monotonic()
        held = [(entry.task, attempt) for attempt, entry in self.held.items()]
        faults.point("renew:before")
        kept = {
            row.attempt_id
            for row in queue.retried(
                lambda: queue.renew(queue.connection(), self.id, held, self.habits.lease_seconds)
            )
        }
        faults.point("renew:committed")
        self._lease_until = before + self.habits.lease_seconds
        for executor in self.executors.values():
            executor.extend(self._lease_until - time.monotonic() - self.habits.margin_seconds)
        faults.point("renew:extended")
        settled_later = {news.attempt for news in self._unsettled}
        lost = [
            entry
            for attempt, entry in self.held.items()
            if attempt not in kept and attempt not in settled_later
        ]
        for entry in lost:
            self._let_go(entry)
        self._heed_drain(queue.is_drained(queue.connection(), self.id))

    def _heed_drain(self, drained: bool) -> None:
        """An operator may ask a worker to take nothing more, and may take that back."""
        if drained != self.drained:
            log.info("Asked to %s.", "take nothing more; what runs goes on" if drained else "take work again")
        self.drained = drained

    def _let_go(self, entry: Held) -> None:
        """Somebody else decides about this attempt now. A local run of it is stopped; a remote one is with whoever has adopted it."""
        if not self.executors[entry.executor].remote:
            log.warning("The lease of attempt %s was lost; its run is stopped.", entry.run.attempt)
            self.executors[entry.executor].stop([entry.run])
        del self.held[entry.run.attempt]

    def _heed_flags(self) -> None:
        """Stop what is to be stopped; remote executors are told once per poll.

        A remote run that does not confirm it for a lease is not held any longer, so that its task goes on without it.
        """
        for flag in queue.stop_flags(queue.connection(), self.id, self.habits.lease_seconds):
            executor = self.executors.get(flag.executor)
            if executor is None or flag.id in self._told_to_stop:
                continue
            executor.stop([Run(flag.id, flag.run_id)])
            faults.point("stop:asked")
            if executor.remote:
                self._told_to_stop.add(flag.id)
                if flag.given_up:
                    self.held.pop(flag.id, None)

    def _holds(self) -> bool:
        """Whether the leases certainly hold, by the clock that no administrator sets."""
        return time.monotonic() < self._lease_until - self.habits.margin_seconds

    # Claiming and starting

    def _claim(self) -> bool:
        self._contended = False
        if not self._holds():
            return False
        self._start([entry.order for entry in self.held.values() if entry.unsure and entry.order])
        free = self.habits.slots - len(self.held)
        if self.stopping or self.drained or free <= 0 or self.storage.is_known_wrong():
            return False
        db = queue.connection()
        faults.point("claim:before")
        queue.promote_due(db)
        faults.point("claim:promoted")
        claimed = claims.claim(db, self._terms, list(self.executors), free)
        self._contended = claimed.contended
        if claimed.refused:
            notify.hint(notify.CHANGED)
        faults.point("claim:committed")
        orders = []
        for row in claimed.rows:
            self.held[row.attempt_id] = Held(row.task_id, Run(row.attempt_id), row.executor)
            try:
                orders.append(order(row, get_storage(), self.habits.max_pages))
                self.held[row.attempt_id].order = orders[-1]
            except StorageError as error:
                self._unsettled.append(_failed(row.attempt_id, Code.STORAGE, str(error), error.retryable))
        self._start(orders)
        return bool(claimed.rows)

    def _start(self, orders: list[Order]) -> None:
        """Ask executors to run these; the claim is durable by now (I7)."""
        by_executor: dict[str, list[Order]] = {}
        for wanted in orders:
            self.held[wanted.attempt].unsure = True
            by_executor.setdefault(self.held[wanted.attempt].executor, []).append(wanted)
        for name, batch in by_executor.items():
            if not self._holds():
                return  # suspended since the claim, say: somebody else may have taken over by now, and start them
            faults.point("start:before")
            answer = self.executors[name].start(batch)
            faults.point("start:asked")
            for report in answer.started:
                self._note_running(report)
            for refusal in answer.refused:
                self.held[refusal.attempt].unsure = False
                self._unsettled.append(_refused(refusal))
            if answer.unsure:
                queue.retried(partial(queue.mark_starting, queue.connection(), answer.unsure))
                faults.point("start:unsure")
            self._take(answer.started)


def _failed(
    attempt: UUID, code: Code, message: str, retryable: bool, retry_after: float | None = None
) -> News:
    status = AttemptStatus.RELEASED if code == Code.RELEASED else AttemptStatus.FAILED
    return News(attempt, answer=Answer(status, True, code, message, retryable, retry_after), ended=True)


def _refused(refusal: Refusal) -> News:
    return _failed(refusal.attempt, refusal.code, refusal.message, refusal.retryable, refusal.retry_after)
