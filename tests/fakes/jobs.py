"""Lakeflow Jobs of the local workspace: jobs, their runs, idempotency tokens, and how runs end. What a run does is its runner's matter."""

from __future__ import annotations

import inspect
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.fakes.http import Answer, Refused, Request, Route, like

if TYPE_CHECKING:
    from tests.fakes.databricks import Workspace

PARAMETERS = ("attempt", "order", "document", "outcome", "callback_url", "agent_version")
MOST_TOKEN, MOST_PARAMETER_BYTES, PAGE = 64, 10_000, 24
SUCCESS = ("SUCCESS", "SUCCESS")
FAILED = ("RUN_EXECUTION_ERROR", "CLIENT_ERROR")
CANCELLED = ("USER_CANCELED", "SUCCESS")
OLD_RESULTS = {
    "SUCCESS": "SUCCESS",
    "RUN_EXECUTION_ERROR": "FAILED",
    "USER_CANCELED": "CANCELED",
    "CANCELED": "CANCELED",
}
ENTRY_POINT = {"package_name": "agentaudit", "entry_point": "agentaudit-job"}
Runner = Callable[["Jobs", "FakeRun"], None]


def keep_running(_jobs: Jobs, run: FakeRun) -> None:
    """A runner for runs that end only when they are cancelled, or when a test ends them."""
    run.stop.wait()


@dataclass(slots=True)
class FakeRun:
    """One run. `state` is the API's word, also one that no SDK knows; `code` and `type` say how it ended."""

    run_id: int
    job_id: int
    token: str
    parameters: dict[str, str]
    state: str = "PENDING"
    code: str = ""
    type: str = ""
    message: str = ""
    began_at: float = field(default_factory=time.time)
    ended_at: float | None = None
    attempt_number: int = 0
    asked: int = 1
    """How often a start with its token came in; only the first one started anything."""
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def ended(self) -> bool:
        return self.state == "TERMINATED"


class Jobs:
    """`workspace.jobs.runner` decides what new runs do; without one they stay PENDING until a test says otherwise."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.runner: Runner | None = None
        self.jobs: dict[int, Any] = {}
        self.runs: dict[int, FakeRun] = {}
        self._by_token: dict[str, int] = {}
        self._deleted: set[str] = set()
        self._lock = threading.RLock()
        workspace.add(
            [
                Route("POST", "/api/2.2/jobs/run-now", self._run_now),
                Route("GET", "/api/2.2/jobs/runs/get", self._get, frozenset({"run_id", "include_history"})),
                Route("POST", "/api/2.2/jobs/runs/cancel", self._cancel),
                Route("POST", "/api/2.2/jobs/runs/delete", self._delete),
                Route("GET", "/api/2.2/jobs/runs/list", self._list, frozenset({"job_id", "active_only", "limit", "page_token"})),
                Route("GET", "/api/2.2/jobs/get", self._job, frozenset({"job_id", "page_token"})),
            ]
        )  # fmt: skip
        self.job_id = self.make_job()

    # For tests

    def make_job(self, **settings: Any) -> int:
        """A job as the bundle describes it; `settings` replace the SDK's JobSettings fields."""
        from databricks.sdk.service.jobs import (
            JobParameterDefinition,
            JobSettings,
            PythonWheelTask,
            QueueSettings,
            Task,
        )

        named = {name: f"{{{{job.parameters.{name}}}}}" for name in PARAMETERS} | {"run_id": "{{job.run_id}}"}
        wheel = PythonWheelTask(**ENTRY_POINT, named_parameters=named)
        task = Task("read", python_wheel_task=wheel, max_retries=0, disable_auto_optimization=True)
        common = {
            "name": "agentaudit", "tasks": [task], "queue": QueueSettings(enabled=True), "max_concurrent_runs": 1000,
            "parameters": [JobParameterDefinition(name, "") for name in PARAMETERS],
        }  # fmt: skip
        with self._lock:
            job_id = 7 + len(self.jobs)
            self.jobs[job_id] = JobSettings(**{**common, **settings})
        return job_id

    def all(self) -> list[FakeRun]:
        """Every run there ever was, oldest first."""
        with self._lock:
            return sorted(self.runs.values(), key=lambda run: run.run_id)

    def of(self, attempt: Any) -> FakeRun:
        """The run of an attempt."""
        return next(run for run in self.all() if run.parameters["attempt"] == str(attempt))

    def end(self, run: FakeRun, code: str = "SUCCESS", type: str = "SUCCESS", message: str = "") -> None:
        """Let a run have ended now, in this way; one that has ended stays as it is."""
        with self._lock:
            if not run.ended:
                run.state, run.code, run.type, run.message, run.ended_at = (
                    "TERMINATED",
                    code,
                    type,
                    message,
                    time.time(),
                )
        run.stop.set()

    def argv(self, run: FakeRun) -> list[str]:
        """The command line of the run's program, as the job's task makes it from the parameters."""
        named = self.jobs[run.job_id].tasks[0].python_wheel_task.named_parameters
        values = {f"{{{{job.parameters.{name}}}}}": value for name, value in run.parameters.items()}
        values["{{job.run_id}}"] = str(run.run_id)
        return [f"--{name}={values.get(text, text)}" for name, text in named.items()]

    def stop(self) -> None:
        for run in self.all():
            run.stop.set()

    # What may be asked

    def _run_now(self, request: Request) -> Answer:
        from databricks.sdk.service.jobs import JobsAPI, QueueSettings, RunNowResponse

        body = request.json(set(inspect.signature(JobsAPI.run_now).parameters) - {"self"})
        queue = like(QueueSettings, body.get("queue", {}))
        token, parameters = body.get("idempotency_token", ""), body.get("job_parameters", {})
        self._check(body["job_id"], token, parameters)
        with self._lock:
            if token in self._deleted:
                raise Refused(400, "INVALID_STATE", "The run of this idempotency token was deleted.")
            known = self._by_token.get(token) if token else None
            if known is not None:
                self.runs[known].asked += 1
                run = self.runs[known]
            else:
                run = self._begin(body["job_id"], token, parameters, bool(queue.enabled))
        return Answer(RunNowResponse(run_id=run.run_id, number_in_job=run.run_id).as_dict())

    def _check(self, job_id: int, token: str, parameters: dict[str, str]) -> None:
        if job_id not in self.jobs:
            raise Refused(400, "INVALID_PARAMETER_VALUE", f"Job {job_id} does not exist.")
        if len(token) > MOST_TOKEN:
            raise Refused(
                400, "INVALID_PARAMETER_VALUE", f"idempotency_token has more than {MOST_TOKEN} characters."
            )
        unknown = set(parameters) - {one.name for one in self.jobs[job_id].parameters or []}
        if unknown or not all(isinstance(value, str) for value in parameters.values()):
            raise Refused(400, "MALFORMED_REQUEST", f"The job has no such parameters: {sorted(unknown)}.")
        if len(json.dumps(parameters).encode()) > MOST_PARAMETER_BYTES:
            raise Refused(
                400, "INVALID_PARAMETER_VALUE", f"job_parameters have more than {MOST_PARAMETER_BYTES} bytes."
            )

    def _begin(self, job_id: int, token: str, parameters: dict[str, str], queued: bool) -> FakeRun:
        run = FakeRun(1000 + len(self.runs), job_id, token, parameters)
        active = sum(not other.ended for other in self.runs.values())
        self.runs[run.run_id] = run
        if token:
            self._by_token[token] = run.run_id
        if active >= (self.jobs[job_id].max_concurrent_runs or 1):
            if queued:
                run.state = "QUEUED"
            else:
                self.end(run, "SKIPPED", "CLIENT_ERROR", "The job has as many runs as it may have.")
        elif self.runner is not None:
            threading.Thread(target=self._carry_out, args=(run, self.runner), daemon=True).start()
        return run

    def _carry_out(self, run: FakeRun, runner: Runner) -> None:
        run.state = "RUNNING"
        try:
            runner(self, run)
        except BaseException:
            self.end(run, *FAILED, message="The program of the run failed.")
        self.end(run, *(CANCELLED if run.stop.is_set() else SUCCESS))

    def _get(self, request: Request) -> Answer:
        run = self._found(request.query["run_id"])
        return Answer(self._told(run))

    def _found(self, run_id: Any) -> FakeRun:
        with self._lock:
            run = self.runs.get(int(run_id))
        if run is None:
            raise Refused(400, "INVALID_PARAMETER_VALUE", f"Run {run_id} does not exist.")
        return run

    def _told(self, run: FakeRun) -> dict[str, Any]:
        """The run as the API tells it. Words that the SDK does not know stay as a test has put them."""
        from databricks.sdk.service.jobs import JobParameter, Run

        parameters = [JobParameter(name=name, value=value) for name, value in run.parameters.items()]
        told = Run(
            run_id=run.run_id, job_id=run.job_id, job_run_id=run.run_id, number_in_job=run.run_id, job_parameters=parameters,
            attempt_number=run.attempt_number, start_time=int(run.began_at * 1000),
            end_time=int(run.ended_at * 1000) if run.ended_at else 0,
            run_page_url=f"{self.workspace.host}/?o=123#job/{run.job_id}/run/{run.run_id}",
        ).as_dict()  # fmt: skip
        told["status"] = {"state": run.state}
        told["state"] = {"life_cycle_state": run.state}
        if run.ended:
            told["status"]["termination_details"] = {
                "code": run.code,
                "type": run.type,
                "message": run.message,
            }
            # A serverless run whose program failed says INTERNAL_ERROR here, whoever is to blame
            cycle = "INTERNAL_ERROR" if run.code == "RUN_EXECUTION_ERROR" else "TERMINATED"
            told["state"] = {"life_cycle_state": cycle, "result_state": OLD_RESULTS.get(run.code, "FAILED")}
        return told

    def _cancel(self, request: Request) -> Answer:
        run = self._found(request.json({"run_id"})["run_id"])
        self.end(run, *CANCELLED, message="Cancelled by a user.") if self.runner is None else run.stop.set()
        with self._lock:
            if not run.ended:
                run.state = "TERMINATING"
        return Answer({})

    def _delete(self, request: Request) -> Answer:
        run = self._found(request.json({"run_id"})["run_id"])
        if not run.ended:
            raise Refused(400, "INVALID_STATE", "A run that is active cannot be deleted.")
        with self._lock:
            del self.runs[run.run_id]
            self._deleted.add(run.token)
        return Answer({})

    def _list(self, request: Request) -> Answer:
        limit = int(request.query.get("limit") or 20)
        if not 0 < limit <= PAGE:
            raise Refused(400, "INVALID_PARAMETER_VALUE", f"limit has to be between 1 and {PAGE}.")
        before = int(request.query.get("page_token") or 0)
        wanted = [
            run for run in reversed(self.all())
            if ("job_id" not in request.query or run.job_id == int(request.query["job_id"]))
            and (request.query.get("active_only") != "true" or not run.ended)
            and (not before or run.run_id < before)
        ]  # fmt: skip
        page, more = wanted[:limit], len(wanted) > limit
        told = {"runs": [self._told(run) for run in page], "has_more": more}
        return Answer({**told, "next_page_token": str(page[-1].run_id)} if more else told)

    def _job(self, request: Request) -> Answer:
        from databricks.sdk.service.jobs import Job

        job_id = int(request.query["job_id"])
        if job_id not in self.jobs:
            raise Refused(400, "INVALID_PARAMETER_VALUE", f"Job {job_id} does not exist.")
        return Answer(Job(job_id=job_id, settings=self.jobs[job_id]).as_dict())
