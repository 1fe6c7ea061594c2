"""The executor in front of the stand-in service: what a worker sees of a remote place, with every way in which that goes wrong."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from uuid import UUID

from tasks.agent.contract import Code, Completed, Failed, Order
from tasks.executors import Refusal, Report, Run, RunState, StartAnswer
from tests.standin.cloud import Cloud, CloudRun, Rejected, Unreachable

LOOK_SECONDS = 0.05


class StandinExecutor:
    """Runs belong to the service: another executor on the same service finds them all."""

    name = "standin"
    remote = True

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        self._watched: dict[UUID, RunState] = {}
        self._woken = threading.Event()

    def start(self, orders: Sequence[Order]) -> StartAnswer:
        started: list[Report] = []
        refused: list[Refusal] = []
        unsure: list[UUID] = []
        for order in orders:
            try:
                run_id = self.cloud.start(order)
            except Rejected as error:
                refused.append(Refusal(order.attempt, Code.UPSTREAM, str(error), retryable=True))
            except Unreachable:
                unsure.append(order.attempt)
            else:
                page = f"https://standin.invalid/{run_id}"
                started.append(Report(order.attempt, RunState.STARTING, run_id=run_id, run_page_url=page))
                self._watched.setdefault(order.attempt, RunState.STARTING)
        return StartAnswer(tuple(started), tuple(refused), tuple(unsure))

    def news(self, timeout: float) -> list[Report]:
        """What has changed of the runs that were started here."""
        deadline = time.monotonic() + timeout
        while True:
            watched = [attempt for attempt, state in self._watched.items() if state is not RunState.ENDED]
            changed = [
                report
                for report in self.ask([Run(attempt) for attempt in watched])
                if report.state in (RunState.RUNNING, RunState.ENDED)
                and report.state is not self._watched[report.attempt]
            ]
            self._watched |= {report.attempt: report.state for report in changed}
            left = deadline - time.monotonic()
            if changed or left <= 0 or self._woken.is_set():
                self._woken.clear()
                return changed
            self._woken.wait(min(left, LOOK_SECONDS if watched else left))

    def wake(self) -> None:
        """Let a waiting `news` return at once."""
        self._woken.set()

    def ask(self, runs: Sequence[Run]) -> list[Report]:
        if not runs:
            return []
        try:
            found = self.cloud.look([run.attempt for run in runs])
        except Unreachable:
            return [Report(run.attempt, RunState.UNREACHABLE) for run in runs]
        return [_report(run, found.get(run.attempt)) for run in runs]

    def stop(self, runs: Sequence[Run]) -> None:
        try:
            self.cloud.stop([run.attempt for run in runs])
        except Unreachable:
            return

    def extend(self, seconds: float) -> None:
        """Leases mean nothing to these runs."""

    def close(self, grace: float) -> None:
        """Runs are left to whoever adopts them."""


def _report(run: Run, found: CloudRun | None) -> Report:
    if found is None:
        return Report(run.attempt, RunState.NOT_FOUND)
    events = found.events()
    if not found.ended:
        return Report(run.attempt, RunState.RUNNING, events, found.run_id)
    last = events[-1]
    code, message = Code.CRASHED, "The run ended without a word."
    if isinstance(last, Completed | Failed):
        code, message = getattr(last, "code", code), getattr(last, "message", "")
    elif found.ending == "cancelled":
        code, message = Code.CANCELLED, "Stopped on request."
    return Report(run.attempt, RunState.ENDED, events, found.run_id, code=code, message=message)
