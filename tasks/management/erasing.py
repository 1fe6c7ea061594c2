"""Lets a process beside a worker go on with deletions of clients that were begun in a page, or whose process died."""

from __future__ import annotations

import subprocess
import time

from tasks import erasure
from tasks.management.processes import manage
from tasks.queue import AWAY

LOOK_SECONDS = 20.0
PAUSE_SECONDS = 600.0
"""Before it is tried again after something could not be removed."""


class ErasureKeeper:
    """`tick` is called in every round of a worker; it never waits. Several workers may each have one: what one has removed, another passes by."""

    def __init__(self) -> None:
        self._child: subprocess.Popen | None = None
        self._look_at = 0.0

    def tick(self) -> None:
        now = time.monotonic()
        if now < self._look_at:
            return
        self._look_at = now + LOOK_SECONDS
        if self._child is not None:
            if (code := self._child.poll()) is None:
                return
            self._child = None
            if code:  # it has said why
                self._look_at = now + PAUSE_SECONDS
                return
        try:
            is_needed = erasure.unfinished().exists()
        except AWAY:
            return  # the worker itself says so
        if is_needed:
            self._child = subprocess.Popen(
                manage("delete_client", "--open"), stdin=subprocess.DEVNULL, start_new_session=True
            )

    def end(self) -> None:
        """It is begun again elsewhere, and goes on where it was."""
        if self._child is not None:
            self._child.terminate()
