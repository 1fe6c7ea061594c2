"""Forks real workers for tests: `python -m tests.standin.worker` has Django loaded and makes a worker per line of its input.

Each line is a `tests.process_tools.Doomed` or a healthy worker as JSON; the answer is the new process's pid.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentaudit.settings")
    import django

    django.setup()
    import_module("tasks.worker")  # loaded once for all
    import_module("tasks.executors.local")

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody has to collect them
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            try:
                work(SimpleNamespace(**json.loads(line)))
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(70)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


def work(wanted: SimpleNamespace) -> None:
    """Be a worker until killed, or until the named point is reached for the given time."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    log = os.open(wanted.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    from django.conf import settings
    from django.db import connection

    from tasks import faults, outcomes, worker
    from tasks.executors.local import LocalExecutor
    from tests.standin.cloud import Cloud
    from tests.standin.executor import StandinExecutor

    connection.settings_dict["NAME"] = wanted.database
    folder = Path(wanted.folder)
    settings.STORAGE_URL = f"file:{folder / 'storage'}"
    outcomes.BACKOFF_SECONDS, worker.FLAG_SECONDS, worker.IDLE_SECONDS = 0.05, 0.1, (0.05, 0.1)
    if wanted.point:
        faults.point = Fault(wanted.point, wanted.hit, folder / "fired")
    executors = {"standin": StandinExecutor(Cloud(folder / "cloud.sqlite"))}
    if wanted.local:
        executors = {"local": LocalExecutor(4, lambda attempt: folder / f"{attempt}.log"), **executors}
    habits = worker.Habits(
        slots=4, lease_seconds=wanted.lease, heartbeat_seconds=wanted.lease / 4, sweep_seconds=0.1, poll_seconds=0.1, age_seconds=0
    )  # fmt: skip
    one = worker.Worker(executors, habits)
    one.register()
    executors[next(iter(executors))].extend(habits.lease_seconds - habits.margin_seconds)
    worked = True
    while True:
        worked = one.tick(0.0 if worked else one.idle_seconds())


class Fault:
    """Kills this process, as a machine that loses its power does, when a point is reached for the n-th time."""

    def __init__(self, point: str, hit: int, note: Path) -> None:
        self.point, self.left, self.note = point, hit, note

    def __call__(self, point: str) -> None:
        if point == self.point:
            self.left -= 1
            if self.left == 0:
                self.note.write_text(point)
                os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
