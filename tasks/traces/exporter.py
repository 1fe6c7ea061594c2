"""Takes finished traces out of their files and writes them into MLflow; the one process of a machine that does so.

`run()` waits and handles signals; `tick()` is one round and says whether it found work. A file is removed only after its trace is stored,
and storing a trace again replaces it, so that an exporter which is killed at any moment loses and doubles nothing.
"""

from __future__ import annotations

import fcntl
import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import UUID

from tasks.agent.trace_store import TraceStore
from tasks.traces import spool
from tasks.traces.spool import Spool, Waiting

BATCH = 50
ASK_SECONDS = 5.0
"""How often it is asked whether attempts have ended of which no end was spooled."""
MOST_REFUSALS = 3
"""A trace that the store refuses so often while it takes others is set aside."""
PAUSES = (1.0, 30.0)
"""Seconds until a store that failed is tried again: the first time, and at most."""

log = logging.getLogger(__name__)


class Exporter:
    """One machine's exporter. `ended` says which of these attempts have ended although no end of them was spooled: their worker died.

    open_store: opens the store; may raise, and is then tried again later.
    """

    def __init__(
        self, files: Spool, open_store: Callable[[], TraceStore], ended: Callable[[list[UUID]], set[UUID]]
    ):
        self.spool, self._open_store, self._ended = files, open_store, ended
        self.store: TraceStore | None = None
        self._refusals: Counter[UUID] = Counter()
        self._pause = self._try_at = self._ask_at = 0.0

    def tick(self) -> list[UUID]:
        """Write what is complete; returns the attempts whose traces are stored now."""
        if time.monotonic() < self._try_at:
            return []
        complete = self._complete()
        try:
            if self.store is None:
                self.store = self._open_store()
            written = self._write(self.store, complete[:BATCH])
        except Exception as error:  # noqa: BLE001 - MLflow, its database and its network raise anything; the files stay
            self._later(error, len(complete))
            return []
        self._pause = 0.0
        return written

    def hurry(self) -> None:
        """Try at once, even a store that failed a moment ago."""
        self._try_at = self._ask_at = 0.0

    def is_behind(self) -> bool:
        """Whether complete traces wait."""
        return bool(self._complete())

    def _complete(self) -> list[Waiting]:
        waiting = self.spool.waiting()
        complete = [entry for entry in waiting if entry.ended]
        alone = [entry for entry in waiting if not entry.ended]
        if alone and time.monotonic() >= self._ask_at:
            self._ask_at = time.monotonic() + ASK_SECONDS
            ended = self._ended([entry.attempt for entry in alone])
            complete += [entry for entry in alone if entry.attempt in ended]
        return complete

    def _write(self, store: TraceStore, entries: Sequence[Waiting]) -> list[UUID]:
        """All of them at once, or, where that is refused, each by itself. Raises when not one can be written."""
        if not entries:
            return []
        try:
            store.write([spool.read(entry) for entry in entries])
        except Exception:
            if len(entries) == 1:
                raise
            written = self._write_each(store, entries)
            if not written:
                raise
        else:
            written = list(entries)
        self.spool.remove(written)
        return [entry.attempt for entry in written]

    def _write_each(self, store: TraceStore, entries: Sequence[Waiting]) -> list[Waiting]:
        written, refused = [], []
        for entry in entries:
            try:
                store.write([spool.read(entry)])
            except Exception as error:  # noqa: BLE001 - as above
                refused.append((entry, error))
                if not written and len(refused) > MOST_REFUSALS:
                    return []  # it is the store, not the traces
            else:
                written.append(entry)
        for entry, reason in refused if written else ():
            self._refusals[entry.attempt] += 1
            if self._refusals[entry.attempt] >= MOST_REFUSALS:
                log.error(
                    "The trace of attempt %s is refused by the store (%s) and set aside.",
                    entry.attempt,
                    type(reason).__name__,
                )
                self.spool.set_aside(entry)
        return written

    def _later(self, error: Exception, waiting: int) -> None:
        self._pause = min(max(PAUSES[0], 2 * self._pause), PAUSES[1])
        self._try_at = time.monotonic() + self._pause
        self.store = None
        said = str(error).strip().partition("\n")[0][:300]
        log.warning(
            "Traces cannot be written (%s: %s). %d wait in %s; trying again in %.0f s. Attempts go on without it.",
            type(error).__name__, said, waiting, self.spool.folder, self._pause,
        )  # fmt: skip


class Lock:
    """Held by the exporter of this machine for as long as its process lives."""

    def __init__(self, folder: Path):
        self._path, self._descriptor = folder / "exporter.lock", -1

    def take(self) -> bool:
        """Whether it is ours now."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            return False
        return True

    def release(self) -> None:
        os.close(self._descriptor)

    def is_free(self) -> bool:
        """Whether nobody holds it."""
        if not self.take():
            return False
        self.release()
        return True
