"""Workers of one test in front of one stand-in service: ticked by hand, with the database's clock moved instead of waited for."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import connection

from tasks import operations, queue
from tasks.audit import Actor
from tasks.models import Agent, Attempt, Client, Task
from tasks.operations import Handed
from tasks.worker import Habits, Worker
from tests.factories import make_agent, make_client, make_document
from tests.standin.cloud import Cloud, CloudRun
from tests.standin.executor import StandinExecutor

LEASE = 60.0
ACTOR = Actor.system("test")


class Fleet:
    def __init__(self, folder: Path) -> None:
        self.cloud = Cloud(folder / "cloud.sqlite")
        self.client: Client = make_client()
        self._offset = 0.0

    def agent(self, ending: str = "completes", seconds: float = 0.0, **fields: Any) -> Agent:
        """An agent whose remote runs end like this after so many seconds; `waits`: not by themselves."""
        return make_agent(
            program=f"tests.attempt_programs:{ending}",
            options={"seconds": seconds},
            executor="standin",
            **fields,
        )

    def submit(self, agent: Agent, count: int = 1) -> list[int]:
        """Ids of new tasks."""
        handed = [Handed(make_document(self.client)) for _ in range(count)]
        extraction = operations.submit(ACTOR, client=self.client, agent=agent, documents=handed)
        return list(extraction.tasks.order_by("id").values_list("id", flat=True))

    def worker(self, **habits: Any) -> Worker:
        """A registered worker that looks at everything in every round. To let it die, tick it no more."""
        quick = {
            "heartbeat_seconds": 0.0,
            "sweep_seconds": 0.0,
            "poll_seconds": 0.0,
            "lease_seconds": LEASE,
            "age_seconds": 0.0,
        }
        worker = Worker({"standin": StandinExecutor(self.cloud)}, Habits(**{**quick, **habits}))
        worker._flags.seconds = 0.0
        worker.register()
        return worker

    def advance(self, seconds: float) -> None:
        """Move the database's clock, for every worker of this test."""
        self._offset += seconds
        queue.connection().execute(
            "SELECT set_config('agentaudit.clock_offset', %s, false)", (f"{self._offset} s",)
        )

    def expire(self) -> None:
        """Let every lease run out."""
        self.advance(LEASE + 1)

    def until(self, condition: Callable[[], Any], *workers: Worker, seconds: float = 60.0) -> None:
        """Tick these workers until something is so."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"not so after {seconds} s: {self.describe()}"
            for worker in workers:
                worker.tick(0.01)

    def describe(self) -> list[Any]:
        """What there is, for a failing test's message."""
        return [*self.rows(), *self.cloud.runs()]

    def rows(self) -> list[Any]:
        """Tasks and attempts as they stand."""
        tasks = list(Task.objects.values_list("id", "status", "locked_by", "error_code"))
        attempts = list(
            Attempt.objects.values_list("task_id", "number", "status", "stop_reason", "ended_at", "run_id")
        )
        return [*tasks, *attempts]

    def status(self, task: int) -> str:
        return Task.objects.get(pk=task).status

    def attempts(self, task: int) -> list[Attempt]:
        return list(Attempt.objects.filter(task=task).order_by("number"))

    def run(self, attempt: UUID) -> CloudRun:
        return next(run for run in self.cloud.runs() if run.attempt == attempt)

    def close(self) -> None:
        """Put the clock right and the connection away, for the next test."""
        connection.close()
