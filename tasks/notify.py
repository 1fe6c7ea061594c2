"""Hints between processes: a coalesced NOTIFY after commits, and a listener that survives lost connections.

A hint that is lost costs nothing but time (I9): whoever listens also polls. Payloads are empty or ids, never data. NOTIFY is kept
out of the transactions that change state, because a committing transaction that notifies takes a database-wide lock.
"""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg
from django.conf import settings
from django.db import connection as django_connection
from django.db import transaction

from tasks import idleness

log = logging.getLogger(__name__)

WORK = "agentaudit_work"
"""Something may be ready to be claimed, or is to be stopped."""
CHANGED = "agentaudit_changed"
"""Something that a page shows is different."""

PROBE = "probe"
"""Payload of a hint that a listener sends to learn whether it hears anything; nobody else heeds it."""
QUIET_SECONDS = 0.1
PROBE_SECONDS = 2.0
SEND = "SELECT set_config('synchronous_commit', 'off', true), pg_notify(%s, %s)"
"""A hint need not reach the disk before it is sent. Said for this statement alone, since a pooler may give the session to others."""
SILENCE_SECONDS = 15.0


def connect(name: str) -> psycopg.Connection:
    """A connection of its own to Django's database, in autocommit mode, with credentials of this moment."""
    return django_connection.connect_plain(f"agentaudit {name}")


async def connect_later(name: str, **more: Any) -> psycopg.AsyncConnection:
    """The same for an event loop; `more` are keywords of psycopg.connect()."""
    return await django_connection.connect_plain_later(f"agentaudit {name}", **more)


class Notifier(threading.Thread):
    """Sends for one process: the first hint at once, then at most one per channel and 100 ms; the last one is never swallowed."""

    def __init__(self) -> None:
        super().__init__(name="notifier", daemon=True)
        self._dirty: set[str] = set()
        self._lock = threading.Lock()
        self._work = threading.Event()
        self._idle = threading.Event()
        self._idle.set()
        self._ending = False
        self._raw: psycopg.Connection | None = None

    def hint(self, channel: str) -> None:
        idleness.needed()
        # What is noted is sent later than now, and so says that this has changed as well
        if channel in self._dirty:
            return
        with self._lock:
            self._dirty.add(channel)
            self._idle.clear()
        self._work.set()

    def flush(self, seconds: float = 2.0) -> bool:
        """Wait until everything hinted so far is sent; whether it was."""
        return self._idle.wait(seconds)

    def end(self) -> None:
        """Send what is left, and close the connection."""
        self.flush()
        self._ending = True
        self._work.set()
        if self._raw is not None:
            self._raw.close()

    def run(self) -> None:
        while not self._ending:
            if not self._work.wait(settings.IDLE_SLEEP_SECONDS or None):
                self._hang_up()
                continue
            self._work.clear()
            with self._lock:
                channels, self._dirty = self._dirty, set()
            if channels and not self._send(channels):
                with self._lock:
                    self._dirty |= channels
                self._work.set()
                time.sleep(1.0)
                continue
            with self._lock:
                if not self._dirty:
                    self._idle.set()
            time.sleep(QUIET_SECONDS)

    def _hang_up(self) -> None:
        """Nothing to say for long: the next hint connects anew."""
        if self._raw is not None:
            self._raw.close()

    def _send(self, channels: set[str]) -> bool:
        try:
            if self._raw is None or self._raw.closed:
                self._raw = connect("notify")
            for channel in sorted(channels):
                self._raw.execute(SEND, (channel, ""))
        except (psycopg.Error, OSError) as error:
            log.warning(
                "A hint could not be sent (%s); it is tried again, and whoever waits for it polls meanwhile.",
                error,
            )
            self._raw = None
            return False
        return True


_notifier: Notifier | None = None
_starting = threading.Lock()


def notifier() -> Notifier:
    """This process's notifier, started when first needed (so never before a fork of a web server)."""
    global _notifier
    if (running := _notifier) is not None and running.is_alive():
        return running
    with _starting:
        if _notifier is None or not _notifier.is_alive():
            _notifier = Notifier()
            _notifier.start()
            atexit.register(_notifier.end)
    return _notifier


def hint(*channels: str) -> None:
    """Hint now: for those who commit themselves."""
    for channel in channels:
        notifier().hint(channel)


def hint_on_commit(*channels: str) -> None:
    """Hint once Django's present transaction has committed; not at all if it is rolled back."""
    transaction.on_commit(lambda: hint(*channels))


class Listener(threading.Thread):
    """Listens on one connection of its own and calls `heard` for every hint, and once after every (re)connect.

    `works` says whether the last probe came back: False behind a pooler that gives the session away, where LISTEN hears nothing.
    """

    def __init__(self, channel: str, heard: Callable[[], None]) -> None:
        super().__init__(name=f"listen {channel}", daemon=True)
        self.channel, self._heard = channel, heard
        self.works: bool | None = None
        self.probed = threading.Event()
        self._ending = False
        self._raw: psycopg.Connection | None = None

    def end(self) -> None:
        self._ending = True
        if self._raw is not None and not self._raw.closed:
            self._raw.close()

    def run(self) -> None:
        pause = 0.1
        while not self._ending:
            if idleness.asleep():
                time.sleep(idleness.LOOK_SECONDS)
                continue
            try:
                with connect("listen") as raw:
                    self._raw = raw
                    self._listen(raw)
                    pause = 0.1
            except (psycopg.Error, OSError) as error:
                if not self._ending:
                    log.warning(
                        "Listening for hints was cut off (%s); polling goes on, and listening is tried again.",
                        error,
                    )
            except Exception:
                if not self._ending:
                    log.exception(
                        "Listening for hints failed; polling goes on, and listening is tried again."
                    )
            time.sleep(pause)
            pause = min(pause * 2, 5.0)

    def _listen(self, raw: psycopg.Connection) -> None:
        raw.execute(f"LISTEN {self.channel}")
        # A pooler brings back at once what is sent on the same line, and nothing else
        with connect("probe") as other:
            self._probe(raw, other)
        self._heard()
        silence = min(SILENCE_SECONDS, settings.IDLE_SLEEP_SECONDS or SILENCE_SECONDS)
        while not self._ending and not idleness.asleep():
            notes = list(raw.notifies(timeout=silence, stop_after=1))
            if any(note.payload != PROBE for note in notes):
                self._heard()
            elif not notes:
                self._probe(raw, raw)

    def _probe(self, raw: psycopg.Connection, sender: psycopg.Connection) -> None:
        """Hint to ourselves. Nothing heard means that hints cannot come through, or that the line is dead."""
        sender.execute(SEND, (self.channel, PROBE))
        notes = list(raw.notifies(timeout=PROBE_SECONDS, stop_after=1))
        if not notes and self.works is not False:
            log.warning(
                "LISTEN does not work on this connection (a pooler in transaction mode?); work is found by polling alone."
            )
        self.works = bool(notes)
        self.probed.set()
        if any(note.payload != PROBE for note in notes):
            self._heard()
