"""Pictures of a document's pages, for people who compare a value with what is printed. Each is drawn when it is asked for; none is kept."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path
from time import monotonic

from asgiref.sync import sync_to_async
from django.conf import settings

from tasks.executors.link import environment
from tasks.storage import get_storage

CONTENT_TYPE = "image/webp"
DRAWING = 1
"""Raise it when the same page comes out otherwise, by tasks.agent.draw or another PDFium: browsers ask whether what they have still holds."""
AT_ONCE = max(1, len(os.sched_getaffinity(0)) // settings.WEB_WORKERS)
"""Programs that draw, per process: each keeps a processor busy, and all the web processes together have no more of them than there are."""
AHEAD = 6
"""So many more have their document brought meanwhile: from a volume that may take long, and costs no processor."""
MOST = AT_ONCE + AHEAD + 16
"""Who wants a picture while so many do would wait in vain."""
WAIT_SECONDS, LOOK_SECONDS = 10.0, 0.05
"""How long one waits for a turn, looking for it so often."""
MOST_SECONDS = 30.0
"""The program gives up by itself after 20 s of processor time; it may have to wait for a processor."""
BUSY = "Other pages are being drawn. Try again in a moment."

_places = threading.BoundedSemaphore(AT_ONCE + AHEAD)
_turns = threading.BoundedSemaphore(AT_ONCE)
_line: list[object] = []
"""Who waits or has his page drawn, in the order in which they came."""


class Undrawable(Exception):
    """There is no picture of this page: one sentence that says why. `later`: another try may have one."""

    def __init__(self, sentence: str, *, later: bool = False):
        super().__init__(sentence)
        self.later = later


async def in_turn(storage_name: str, page: int, sha256: str = "") -> bytes:
    """The page as `drawn` gives it, as soon as it may be. Whoever is cancelled while he waits has left the line. Raises as `drawn` does."""
    left = threading.Event()
    _line.append(left)
    try:
        patience = monotonic() + WAIT_SECONDS
        while True:
            if left in _line[: AT_ONCE + AHEAD]:
                picture = await sync_to_async(drawn)(storage_name, page, left, sha256)
                if picture is not None:
                    return picture
            if monotonic() > patience:
                raise Undrawable(BUSY, later=True)
            await asyncio.sleep(LOOK_SECONDS)
    finally:
        left.set()
        _line.remove(left)


def drawn(storage_name: str, page: int, left: threading.Event, sha256: str = "") -> bytes | None:
    """The page (1-based) as a WebP; None if no place is free. Raises Undrawable, and StorageError where the document cannot be read.

    left: set once nobody waits for it any more. sha256: of the document; of a file that has other bytes nothing is drawn.
    """
    # Taken and given back by the thread that draws: it goes on, and so does its program, where whoever awaits it is cancelled
    if not _places.acquire(blocking=False):
        return None
    try:
        with get_storage().local_copy(storage_name) as path:
            return _in_turn(path, left, str(page), sha256)
    except OSError as error:
        raise Undrawable(
            f"There is no room on the server to draw this page: {error.strerror}.", later=True
        ) from error
    finally:
        _places.release()


def _in_turn(path: Path, left: threading.Event, *asked: str) -> bytes:
    if not _turns.acquire(timeout=WAIT_SECONDS):
        raise Undrawable(BUSY, later=True)
    try:
        return b"" if left.is_set() else _drawn(path, *asked)
    finally:
        _turns.release()


def _drawn(path: Path, *asked: str) -> bytes:
    command = [sys.executable, "-m", "tasks.agent.draw", str(path.absolute()), *asked]
    try:
        done = subprocess.run(
            command, env=environment(os.environ), cwd="/", stdin=subprocess.DEVNULL, capture_output=True,
            timeout=MOST_SECONDS, start_new_session=True, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Undrawable("This page takes too long to draw.") from None
    if done.returncode == os.EX_DATAERR:
        raise Undrawable(done.stderr.decode(errors="replace").strip())
    if done.returncode != 0:
        raise Undrawable(
            "This page could not be drawn: it is damaged, or needs more memory than a picture may."
        )
    return done.stdout
