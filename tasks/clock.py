"""The database's clock: as an expression in queries, and for code that cannot ask each time, read once a minute and carried on by the monotonic clock."""

from __future__ import annotations

import threading
import time

from django.db.models import DateTimeField, Func

from tasks import queue

NOW = Func(function="agentaudit_now", output_field=DateTimeField())
"""What statements of tasks/sql ask, in queries and updates of models."""
REFRESH_SECONDS = 60.0

_lock = threading.Lock()
_offset = 0.0
_read_at = float("-inf")


def database_seconds() -> float:
    """Seconds since 1970 by the database, right to a few milliseconds. This machine's own wall clock is never used."""
    global _offset, _read_at
    if _is_old():
        with _lock:
            if _is_old():
                before = time.monotonic()
                seconds = queue.database_clock(queue.connection())
                now = time.monotonic()
                _offset, _read_at = seconds - (before + now) / 2, now
    return time.monotonic() + _offset


def _is_old() -> bool:
    return time.monotonic() - _read_at > REFRESH_SECONDS


def forget() -> None:
    """Ask the database again at the next call."""
    global _read_at
    _read_at = float("-inf")
