"""Somebody who works: the workers that live already, or one of our own for as long as a command needs it."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from django.conf import settings

from tasks.clock import NOW
from tasks.management import processes
from tasks.models import Worker

LOOK_SECONDS = 3.0


def workers_alive() -> list[Worker]:
    """Workers that take tasks: heard within a lease, not stopping, and, where they ran on this machine, still there."""
    recent = Worker.objects.filter(
        slots__gt=0,
        stopped_at=None,
        stopping_at=None,
        heartbeat_at__gt=NOW - timedelta(seconds=settings.LEASE_SECONDS),
    )
    return [worker for worker in recent if worker.host != platform.node() or _lives(worker.pid)]


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


class Hands:
    """Starts a worker when none lives, keeps it alive, and stops it at the end. `tick()` is called while waiting."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.log = Path(settings.AGENTAUDIT_HOME) / "worker.log"
        self.say = say
        self._own: processes.Supervisor | None = None
        self._look_at = 0.0

    def __enter__(self) -> Hands:
        return self

    def __exit__(self, *args: object) -> None:
        if self._own:
            processes.stop([child.process for child in self._own.children if child.process])

    @property
    def given_up(self) -> bool:
        """Whether the worker of our own keeps ending."""
        return self._own is not None and any(child.given_up for child in self._own.children)

    def tick(self) -> None:
        now = time.monotonic()
        if self._own:
            self._own.tick(now)
        elif now >= self._look_at:
            self._look_at = now + LOOK_SECONDS
            if not workers_alive():
                worker = processes.Kept(
                    "The worker", processes.manage("worker"), cwd=settings.BASE_DIR, log=self.log
                )
                self._own = processes.Supervisor([worker], self.say)
                self._own.tick(now)
