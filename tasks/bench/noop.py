"""A real worker whose executor does nothing, in a process of its own: what is left is what the queue costs.

`python -m tasks.bench.noop SLOTS RUN_SECONDS` works while its gate is open (tasks.bench.gate). Where runs take time, each says by its
trace id when it began and ended by this machine's clock; the file BENCH_STARTS, if named, gets a line for every run that begins.
"""

from __future__ import annotations

import heapq
import logging
import os
import sys
import time
from collections.abc import Sequence
from threading import Event
from uuid import UUID

from tasks.agent.contract import Completed, Order, Result
from tasks.executors import Report, Run, RunState, StartAnswer

RESULT = Result(kind="invoice", pages=1, confidence=0.9, needs_review=False)
STARTS = "BENCH_STARTS"


class NoopExecutor:
    """Runs that end with a result `seconds` after their start (0: at once). Like every local run they are gone when the process is."""

    name, remote = "local", False

    def __init__(self, seconds: float = 0.0, starts: str | None = None) -> None:
        self.seconds = seconds
        self._starts = os.open(starts, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600) if starts else None
        self._running: dict[UUID, float] = {}
        self._ends: list[tuple[float, UUID]] = []
        self._woken = Event()

    def start(self, orders: Sequence[Order]) -> StartAnswer:
        now = time.time()
        for order in orders:
            if order.attempt not in self._running:
                self._running[order.attempt] = now
                heapq.heappush(self._ends, (now + self.seconds, order.attempt))
        if self._starts is not None:
            os.write(self._starts, "".join(f"{order.attempt} {os.getpid()}\n" for order in orders).encode())
        return StartAnswer(tuple(Report(order.attempt, RunState.RUNNING) for order in orders))

    def news(self, timeout: float) -> list[Report]:
        if self._ends:
            timeout = min(timeout, max(0.0, self._ends[0][0] - time.time()))
        if timeout > 0:
            self._woken.wait(timeout)
        self._woken.clear()
        ended, now = [], time.time()
        while self._ends and self._ends[0][0] <= now:
            end, attempt = heapq.heappop(self._ends)
            told = f"{self._running.pop(attempt):.6f} {end:.6f}" if self.seconds else ""
            last_word = Completed(attempt=attempt, result=RESULT, trace_id=told)
            ended.append(Report(attempt, RunState.ENDED, (last_word,)))
        return ended

    def ask(self, runs: Sequence[Run]) -> list[Report]:
        return [
            Report(run.attempt, RunState.RUNNING if run.attempt in self._running else RunState.NOT_FOUND)
            for run in runs
        ]

    def stop(self, runs: Sequence[Run]) -> None:
        """They end by themselves soon."""

    def extend(self, seconds: float) -> None:
        """They do not outlive the process."""

    def wake(self) -> None:
        self._woken.set()

    def close(self, grace: float) -> None:
        """There is nothing to end."""


def main(slots: int, run_seconds: float) -> None:
    import django

    django.setup()
    logging.disable(logging.INFO)
    from tasks import notify
    from tasks.bench.gate import serve
    from tasks.management.commands.worker import habits_from_settings
    from tasks.worker import Worker

    executor = NoopExecutor(run_seconds, os.environ.get(STARTS))
    worker = Worker({executor.name: executor}, habits_from_settings(slots))
    worker.register()
    notify.Listener(notify.WORK, executor.wake).start()

    def work(stop: Event) -> None:
        worker.stopping, worked = False, True
        while not stop.is_set():
            worked = worker.tick(0.0 if worked else worker.idle_seconds())
        worker.stopping = True
        while worker.held:
            worker.tick(0.01)

    serve(work)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
