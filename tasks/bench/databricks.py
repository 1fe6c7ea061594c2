"""Attempts as runs of a Databricks job when everything goes wrong, and what watching many of them costs the workspace's API.

The workspace is a local one (tests/fakes), spoken to through the real SDK; its runs are the job's real program, in threads of it. First
answers are lost, refused and broken off while workers are killed: each attempt has to be one run. Then many runs live at once, their
callbacks go nowhere, and requests are counted.
"""

from __future__ import annotations

import hashlib
import io
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings

from tasks import databricks, operations
from tasks.audit import Actor
from tasks.bench import Measured, Say
from tasks.bench.web import Web
from tasks.bench.workspace import Workers, Workspace, local_workspace
from tasks.executors.pacing import PER_SECOND
from tasks.models import Agent, AgentVersion, Attempt, Client, Document, Task, Worker
from tasks.states import TaskStatus
from tasks.storage.volumes import VolumeStorage

LOST, TOO_MANY, BUSY = 0.10, 0.05, 0.02
JOBS, FILES = "/api/2.2/jobs", "/api/2.0/fs/"
DOCUMENTS, SEED = 20, 7
LEASES = {"LEASE_SECONDS": "6", "HEARTBEAT_SECONDS": "1.5", "POLL_SECONDS": "1"}
NOWHERE = "http://127.0.0.1:9"
START_SECONDS, END_SECONDS = 300.0, 300.0


def run(full: bool, say: Say) -> Measured:
    portions, each, live, replicas, watch = (20, 25, 1000, 4, 40.0) if full else (2, 20, 40, 2, 5.0)
    with local_workspace(Path(settings.AGENTAUDIT_HOME, "workspace")) as workspace:
        os.environ.update(workspace.login)
        databricks.forget()
        desk = Desk(workspace)
        fire, notes = _under_fire(workspace, desk, portions, each, say)
        watched, more = _watched(workspace, desk, live, replicas, watch, say)
    return Measured(fire | watched, notes + more)


class Desk:
    """Documents on the volume, and tasks that read them as runs of the job."""

    def __init__(self, workspace: Workspace) -> None:
        self.client = Client.objects.create(name="Databricks")
        storage, self.documents = VolumeStorage(workspace.volume), []
        for number in range(DOCUMENTS):
            content = f"document {number}".encode()
            digest = hashlib.sha256(content).hexdigest()
            name = f"documents/{digest[:2]}/{digest}.pdf"
            storage.put(name, io.BytesIO(content))
            self.documents.append(
                Document.objects.create(
                    client=self.client, sha256=digest, size_bytes=len(content), pages=1, original_name="a.pdf", storage_name=name
                )
            )  # fmt: skip

    def agent(self, name: str, program: str, **options: Any) -> Agent:
        agent = Agent.objects.create(name=name, executor=Agent.Executor.DATABRICKS)
        program = f"tests.fakes.programs:{program}"
        agent.current_version = AgentVersion.objects.create(
            agent=agent, number=1, program=program, options=options
        )
        agent.save(update_fields=["current_version"])
        return agent

    def hand_in(self, agent: Agent, count: int) -> None:
        handed = [operations.Handed(self.documents[number % DOCUMENTS]) for number in range(count)]
        operations.submit(Actor.system("bench"), client=self.client, agent=agent, documents=handed)


def _under_fire(
    workspace: Workspace, desk: Desk, portions: int, each: int, say: Say
) -> tuple[dict[str, Any], list[str]]:
    """Work in portions; a worker is killed in the middle of each."""
    agent, rng = desk.agent("under-fire", "digests", seconds=1.0), random.Random(SEED)  # noqa: S311 - a seeded choice
    for path in (JOBS, FILES):
        workspace.tell("fault", kind="lose", path=path, share=LOST)
        workspace.tell(
            "fault", kind="429", path=path, share=TOO_MANY, retry_after="1", code="REQUEST_LIMIT_EXCEEDED"
        )
        workspace.tell("fault", kind="503", path=path, share=BUSY)
    say(f"{portions * each} attempts; {portions} workers are killed meanwhile.")
    with Web(workers=1) as web:
        variables = workspace.variables(PUBLIC_URL=web.url, **LEASES)
        with Workers(2, 100, variables) as workers:
            for portion in range(portions):
                desk.hand_in(agent, each)
                place = portion % 2
                _wait(lambda place=place: _is_registered(workers.processes[place].pid), START_SECONDS)  # type: ignore[misc]
                time.sleep(rng.uniform(0.3, 2.5))
                workers.kill(place)
            finished = _wait(lambda: not _open_tasks(agent).exists(), END_SECONDS)
    workspace.tell("calm")
    report = workspace.tell("report")
    say("All have ended." if finished else "Some have not ended in time.")
    attempts = Attempt.objects.filter(agent=agent).count()
    right = sum(
        task.status == TaskStatus.COMPLETED and _result(task) == [task.document.sha256]
        for task in Task.objects.filter(agent=agent).select_related("document")
    )
    figures = {
        "tasks": portions * each,
        "attempts": attempts,
        "runs_there": report["runs"],
        "tasks_right": right,
    }
    notes = [
        f"{LOST:.0%} of answers lost after they were applied, {TOO_MANY:.0%} 429, {BUSY:.0%} 503, on jobs and files; {workers.killed} "
        f"workers killed; {report['starts_asked']} starts were asked for.",
        *(f"A request that the workspace does not know: {line}" for line in report["unexpected"][:5]),
    ]
    return figures, notes


def _watched(
    workspace: Workspace, desk: Desk, live: int, replicas: int, seconds: float, say: Say
) -> tuple[dict[str, Any], list[str]]:
    """Many runs at once, whose callbacks go nowhere."""
    agent = desk.agent("watched", "waits_to_be_let_go")
    desk.hand_in(agent, live)
    say(f"{live} runs that live on, with {replicas} workers.")
    with Workers(replicas, -(-live // replicas), workspace.variables(PUBLIC_URL=NOWHERE)):
        running = Attempt.objects.filter(agent=agent).exclude(run_id="")
        started = _wait(lambda: running.count() >= live, START_SECONDS)
        starting = workspace.tell("report")["peaks"]
        workspace.tell("mark")
        time.sleep(seconds)
        report = workspace.tell("report")
        chosen = workspace.tell("let_go", count=max(1, live // 20))["attempts"]
        begun = time.monotonic()
        found = _wait(
            lambda: Attempt.objects.filter(pk__in=chosen, status="completed").count() == len(chosen),
            END_SECONDS,
        )
        late = time.monotonic() - begun
    peaks = {kind: max(report["peaks"].get(kind, 0), starting.get(kind, 0)) for kind in PER_SECOND}
    polls = sum(rate for kind, rate in report["per_second"].items() if kind in ("get", "list"))
    within = all(peaks[kind] <= most for kind, most in PER_SECOND.items())
    figures = {
        "live_runs": running.count() if started else None,
        "replicas": replicas,
        "polls_per_s": round(polls, 2),
        "peak_requests_in_a_second": peaks,
        "within_rates": within,
        "lost_callback_found_s": round(late, 1) if found else None,
    }
    return figures, [
        "polls_per_s: runs/list and runs/get of all replicas together while every run lives; peaks: the most requests of a kind in any second, "
        f"where {PER_SECOND} are allowed (run-now and get published, the others our own).",
        "lost_callback_found_s: from the moment in which a twentieth of the runs may end, none of which reaches the pages, until all are settled.",
    ]  # fmt: skip


def _result(task: Task) -> list[str]:
    return Attempt.objects.values_list("result__notes", flat=True).get(pk=task.result_attempt)


def _open_tasks(agent: Agent) -> Any:
    return Task.objects.filter(agent=agent, status__in=(TaskStatus.ENQUEUED, TaskStatus.PROCESSING))


def _is_registered(pid: int) -> bool:
    return Worker.objects.filter(pid=pid).exists()


def _wait(condition: Callable[[], bool], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.2)
    return True
