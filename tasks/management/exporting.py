"""Keeps the process that writes traces alive beside a worker, one per machine, from the first attempt on."""

from __future__ import annotations

import logging
import subprocess
import time

from tasks.management.processes import manage
from tasks.traces.exporter import Lock
from tasks.traces.spool import Spool

LOOK_SECONDS = 1.0
STEADY_SECONDS = 60.0
"""Having lived this long, its next end counts as its first."""
LONGEST_PAUSE = 300.0

log = logging.getLogger(__name__)


class ExporterKeeper:
    """`tick` is called in every round of a worker; it never waits.

    The exporter learns of its worker's end by the pipe between them, however that end comes: it writes what is complete and goes. No
    signal, because one that comes while it still loads would kill it.
    """

    def __init__(self, files: Spool) -> None:
        self._lock, self._needed = Lock(files.folder), False
        self._child: subprocess.Popen | None = None
        self._look_at = self._started_at = self._pause = 0.0

    def tick(self, has_work: bool) -> None:
        """`has_work`: whether the worker holds attempts, whose spans will have to be written."""
        self._needed |= has_work
        now = time.monotonic()
        if not self._needed or now < self._look_at:
            return
        self._look_at = now + LOOK_SECONDS
        if self._child is not None and (code := self._child.poll()) is not None:
            self._note_end(code, now)
        elif self._child is None and self._lock.is_free():
            self._child = subprocess.Popen(
                manage("traces", "--beside-worker"), stdin=subprocess.PIPE, start_new_session=True
            )
            self._started_at = now

    def _note_end(self, code: int, now: float) -> None:
        self._child = None
        self._pause = (
            LOOK_SECONDS
            if now - self._started_at > STEADY_SECONDS
            else min(4 * self._pause + LOOK_SECONDS, LONGEST_PAUSE)
        )
        self._look_at = now + self._pause
        if code:
            log.warning(
                "The process that writes traces ended with code %d; starting it again in %.0f s. Attempts go on, their spans wait in files.",
                code, self._pause,
            )  # fmt: skip

    def end(self) -> None:
        """Let it write what is complete and go, without waiting for it."""
        if self._child is not None and self._child.stdin is not None:
            self._child.stdin.close()
