"""Lets a database sleep that nobody needs: when it may (IDLE_SLEEP_SECONDS), and the sign by which processes of a machine wake each other.

The sign is a file below AGENTAUDIT_HOME whose time says when the database was needed last: by a request, an open page, a change of state.
Who finds it old asks the database once whether anything is left to do. If nothing is, connections are closed and the sign is looked at
every second, which costs nothing. What another machine hands in is found by the next slow look at the database (IDLE_POLL_SECONDS).
"""

from __future__ import annotations

import logging
import os
import threading
import time
from pathlib import Path

from django.conf import settings
from django.db import connections

from tasks import queue
from tasks.queue import AWAY

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
"""How often a process that sleeps looks at the sign, and how often it is set at most."""

_lock = threading.Lock()
_told_at = float("-inf")
_slept_on: float | None = None
"""The sign's time at which this process fell asleep; None: it is awake."""
_look_at = 0.0
_is_kept_awake = False
"""Whether the sign could not be set when it was tried last; said once, not every second."""


def needed() -> None:
    """Somebody needs the database: nobody on this machine sleeps for the next IDLE_SLEEP_SECONDS."""
    global _told_at, _slept_on, _is_kept_awake
    # So lately told that nobody can have fallen asleep since
    is_known = time.monotonic() - _told_at < min(LOOK_SECONDS, settings.IDLE_SLEEP_SECONDS / 2)
    if not settings.IDLE_SLEEP_SECONDS or is_known:
        return
    with _lock:
        _told_at, _slept_on = time.monotonic(), None
    try:
        _set(_sign())
        _is_kept_awake = False
    except OSError as error:
        if not _is_kept_awake:
            log.warning(
                "%s cannot be written (%s): the database is not let to sleep.", _sign(), error.strerror
            )
        _is_kept_awake = True


def asleep() -> bool:
    """Whether this process has left the database alone, and nobody of this machine has needed it since. Asks nobody."""
    return _slept_on is not None and _time_of_sign() == _slept_on


def may_sleep() -> bool:
    """Whether to leave the database alone at this moment; then this thread's connections are closed.

    Asks the database before the first yes and every IDLE_POLL_SECONDS after it. One that is away is none that sleeps: False.
    """
    global _slept_on, _look_at
    if not settings.IDLE_SLEEP_SECONDS:
        return False
    seen = _time_of_sign()
    # Behind a sign that cannot be set nobody could be woken; one of times to come was set before the clock was put back
    if (
        seen is None
        or not os.access(_sign(), os.W_OK)
        or seen - time.time() > max(60, settings.IDLE_SLEEP_SECONDS)
    ):
        needed()
        return False
    if not asleep() and time.time() - seen < settings.IDLE_SLEEP_SECONDS:
        return False
    if not asleep() or time.monotonic() >= _look_at:
        try:
            if queue.rows(queue.connection(), "anything_to_do")[0].found:
                needed()
                return False
        except AWAY:
            return False
        with _lock:
            _slept_on, _look_at = seen, time.monotonic() + settings.IDLE_POLL_SECONDS
    connections.close_all()
    return True


def _sign() -> Path:
    return settings.AGENTAUDIT_HOME / "database-needed"


def _set(sign: Path) -> None:
    try:
        sign.touch()
    except PermissionError:  # another user's, who ran a command once; the folder is ours
        sign.unlink()
        sign.touch()


def _time_of_sign() -> float | None:
    try:
        return os.stat(_sign()).st_mtime
    except OSError:
        return None
