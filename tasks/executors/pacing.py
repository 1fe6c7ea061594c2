"""Keeps the calls of all replicas below the rates that Databricks publishes for a workspace: each takes its share.

A workspace counts the calls of everybody in it, and no replica sees those of another. Evenly spaced calls of n replicas, each at one
n-th of the rate, need no agreement, and survive that one of them dies; a replica too many only makes the others slower for a moment.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

PER_SECOND = {"start": 20.0, "get": 100.0, "list": 30.0, "cancel": 20.0}
"""run-now and runs/get as published (docs resources/limits); for runs/list and runs/cancel nothing is published, so that they are few."""
OURS = 0.7
"""The rest is for people and other programs of the workspace."""


class Pace:
    """One kind of call of this process, from any of its threads."""

    def __init__(self, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = 1.0 / (per_second * OURS), clock
        self._next = 0.0
        self._lock = threading.Lock()

    def turn(self, replicas: int, until: float) -> float | None:
        """Seconds to wait before the next call; None, and nothing taken, where it would come after `until` (monotonic)."""
        with self._lock:
            now = self._clock()
            at = max(now, self._next)
            if at > until:
                return None
            self._next = at + self._seconds * max(replicas, 1)
            return at - now

    def rest(self, seconds: float) -> None:
        """Make no call for so long: the workspace has asked for it, or does not answer."""
        with self._lock:
            self._next = max(self._next, self._clock() + seconds)


class Paces:
    """The paces of one process. `wait` sleeps until it is the caller's turn."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ):
        self._paces = {kind: Pace(rate, clock) for kind, rate in PER_SECOND.items()}
        self._sleep = sleep
        self.replicas = 1

    def wait(self, kind: str, until: float) -> bool:
        """Whether the call may be made now; not, if its turn would come too late."""
        seconds = self._paces[kind].turn(self.replicas, until)
        if seconds is None:
            return False
        if seconds > 0:
            self._sleep(seconds)
        return True

    def rest(self, kind: str, seconds: float) -> None:
        self._paces[kind].rest(seconds)
