"""Workers of one test in front of the local workspace, whose runs are the job's program: ticked by hand, on the database's moved clock."""

from __future__ import annotations

from functools import partial
from typing import Any

from tasks.callbacks import written_outcome
from tasks.executors.databricks import DatabricksExecutor
from tasks.models import Agent
from tasks.storage import get_storage
from tasks.worker import Habits, Worker
from tests.factories import make_agent, make_client
from tests.fakes.databricks import Workspace
from tests.fakes.jobbench import Ear
from tests.fakes.jobs import FakeRun, Runner
from tests.fakes.programs import as_thread
from tests.standin.fleet import LEASE, Fleet


class JobFleet(Fleet):
    """Callbacks go to an address that takes them and does nothing, as if all of them were lost on their way."""

    def __init__(self, workspace: Workspace, runner: Runner | None = as_thread) -> None:
        self.workspace, self.ear = workspace, Ear()
        workspace.jobs.runner = runner
        self.client = make_client()
        self._offset = 0.0

    def agent(self, ending: str = "completes", seconds: float = 0.0, **fields: Any) -> Agent:
        return make_agent(
            program=f"tests.attempt_programs:{ending}", options={}, executor="databricks", **fields
        )

    def worker(self, **habits: Any) -> Worker:
        quick = {
            "heartbeat_seconds": 0.0,
            "sweep_seconds": 0.0,
            "poll_seconds": 0.0,
            "lease_seconds": LEASE,
            "age_seconds": 0.0,
        }
        executor = DatabricksExecutor(
            self.workspace.jobs.job_id,
            get_storage(),
            callback_url=self.ear.url,
            written=partial(written_outcome, certain=True),  # type: ignore[arg-type]
        )
        worker = Worker({"databricks": executor}, Habits(**{**quick, **habits}))
        worker._flags.seconds = 0.0
        worker.register()
        return worker

    def runs(self) -> list[FakeRun]:
        return self.workspace.jobs.all()

    def describe(self) -> list[Any]:
        return [*self.rows(), *self.runs()]

    def close(self) -> None:
        self.workspace.jobs.stop()
        self.ear.close()
        super().close()
