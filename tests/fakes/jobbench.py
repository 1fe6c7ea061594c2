"""The executor of Lakeflow jobs in front of the local workspace, whose runs are the job's real program in processes of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from uuid import UUID

from tasks.agent.contract import Order
from tasks.callbacks import written_outcome
from tasks.executors import Executor, Report, Run, RunState
from tasks.executors.databricks import DatabricksExecutor
from tasks.orders import callback_secrets, outcome_name
from tasks.storage import get_storage
from tests.attempts import make_order
from tests.fakes.databricks import Workspace
from tests.fakes.jobs import Runner
from tests.fakes.programs import as_process


class Asked(DatabricksExecutor):
    """Hears of its runs as a worker does, by asking; the tests of all executors wait for news."""

    def __init__(self, *args, **keywords) -> None:
        super().__init__(*args, **keywords)
        self._told: dict[UUID, RunState] = {}

    def news(self, timeout: float) -> list[Report]:
        super().news(min(timeout, 0.05))
        reports = self.ask(
            [Run(attempt) for attempt in self._begun if self._told.get(attempt) is not RunState.ENDED]
        )
        changed = [report for report in reports if report.state is not self._told.get(report.attempt)]
        self._told |= {report.attempt: report.state for report in changed}
        return changed


class Ear:
    """An address that takes every callback and keeps its body."""

    def __init__(self) -> None:
        ear = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                ear.heard.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

        self.heard: list[bytes] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def url(self, attempt: UUID) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/{attempt}/"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class JobBench:
    """Runs of a job that outlive whoever started them. `runner`: what they do."""

    def __init__(self, workspace: Workspace, runner: Runner | None = as_process) -> None:
        self.workspace, self.ear = workspace, Ear()
        workspace.jobs.runner = runner
        self.storage = get_storage()
        self.executor: Executor = self.another()

    def order(self, behaviour: str) -> Order:
        order = make_order(behaviour)
        outcome = str(self.storage.path_for_attempt(outcome_name(order.attempt)))
        secret = callback_secrets(order.attempt)[0]
        return order.model_copy(update={"outcome": outcome, "callback_secret": secret})

    def runs(self, attempts: set[UUID]) -> int:
        return sum(not run.ended for run in self.workspace.jobs.all())

    def another(self, replicas: Callable[[], int] = lambda: 1) -> DatabricksExecutor:
        """The executor of another worker, in front of the same workspace."""
        return Asked(
            self.workspace.jobs.job_id,
            self.storage,
            callback_url=self.ear.url,
            written=partial(written_outcome, certain=True),
            replicas=replicas,
        )
