"""What runs of the local workspace do: the job's own program, as a process or as a thread, on volumes mounted where they are kept.

A job sees volumes at /Volumes. Here they are below a folder, so that paths in its parameters and its order are changed on the way,
as a mount would do it; nothing else is.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from uuid import UUID

from tasks.agent import job
from tasks.agent.contract import Order, Result, Usage
from tests.fakes.jobs import FAILED, FakeRun, Jobs

ROOT = Path(__file__).resolve().parents[2]
LOOK_SECONDS = 0.02
_doors: dict[UUID, threading.Event] = {}
"""What holds back a run that waits to be let go, by attempt."""


def as_process(jobs: Jobs, run: FakeRun) -> None:
    """A process of its own that knows nothing of ours, as on a cluster; a cancelled run is ended with SIGTERM."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(jobs.workspace.folder)}
    process = subprocess.Popen(
        [sys.executable, "-m", "tasks.agent.job", *_mounted(jobs, run)],
        env=environment, cwd=jobs.workspace.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while process.poll() is None:
        if run.stop.wait(LOOK_SECONDS):
            process.terminate()
            process.wait(20)
    if process.returncode and not run.stop.is_set():
        jobs.end(run, *FAILED)


def as_thread(jobs: Jobs, run: FakeRun) -> None:
    """The same program in this process, where hundreds of runs have to be quick."""
    try:
        job.main(_mounted(jobs, run), run.stop.is_set)
    except SystemExit:
        if not run.stop.is_set():
            jobs.end(run, *FAILED)


def _mounted(jobs: Jobs, run: FakeRun) -> list[str]:
    """The run's command line, with paths of this machine; of the order a private copy."""
    files = jobs.workspace.files
    arguments = []
    for argument in jobs.argv(run):
        name, _, value = argument.partition("=")
        if name == "--order":
            order = files.path(value)
            copy = files.path(value).parent / f"mounted-{order.name}"
            copy.write_text(order.read_text().replace('"/Volumes/', f'"{files.root}/Volumes/'))
            value = str(copy)
        arguments.append(f"{name}={value}")
    return arguments


# What agents of benches do in those runs


def digests(order: Order, progress) -> tuple[Result, Usage]:
    """Takes a moment, and says in the result what the document's bytes are."""
    time.sleep(float(order.settings.get("seconds", 0.0)))
    found = hashlib.sha256(Path(order.document).read_bytes()).hexdigest()
    return Result(kind="invoice", pages=1, confidence=0.9, needs_review=False, notes=(found,)), Usage()


def waits_to_be_let_go(order: Order, progress) -> tuple[Result, Usage]:
    """The same, when a bench says so."""
    _doors.setdefault(order.attempt, threading.Event()).wait()
    return digests(order, progress)


def let_go(count: int) -> list[UUID]:
    """Let so many waiting runs go on; which ones."""
    chosen = [attempt for attempt, door in list(_doors.items()) if not door.is_set()][:count]
    for attempt in chosen:
        _doors[attempt].set()
    return chosen
