"""The moment at which the worker's leases run out, in memory that the worker, its fork server and every attempt share."""

from __future__ import annotations

import ctypes
import math
import mmap
import os
import tempfile
import time

SIZE = mmap.PAGESIZE


def now() -> float:
    """Seconds on a clock that all processes of this machine read alike.

    It counts while the machine sleeps (where the system offers that): leases run out in the database meanwhile.
    """
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class LeaseClock:
    """Holds one number. Until the worker sets it for the first time, nothing runs out."""

    def __init__(self, descriptor: int | None = None):
        created = descriptor is None
        self.descriptor = _anonymous_file() if descriptor is None else descriptor
        self._memory = mmap.mmap(self.descriptor, SIZE)
        # One aligned machine word: a reader in another process never sees half of a new value.
        self._deadline = ctypes.c_double.from_buffer(self._memory)
        if created:
            self._deadline.value = math.inf

    def extend(self, seconds: float) -> None:
        self._deadline.value = now() + seconds

    def close(self) -> None:
        os.close(self.descriptor)

    def passed(self) -> bool:
        return now() >= self._deadline.value


def _anonymous_file() -> int:
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("agentaudit-lease")
    else:  # macOS: a file that has lost its name does the same
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.ftruncate(descriptor, SIZE)
    return descriptor
