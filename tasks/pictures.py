"""Pictures of a document's pages, for people who compare a value with what is printed. Each is drawn when it is asked for; none is kept."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

from tasks.executors.link import environment
from tasks.storage import get_storage

CONTENT_TYPE = "image/webp"
AT_ONCE, WAIT_SECONDS = 2, 10.0
"""So many are drawn at once per process, and so long a further one waits for its turn."""
MOST_SECONDS = 30.0
"""The program gives up by itself after 20 s of processor time; it may have to wait for a processor."""

_turns = threading.BoundedSemaphore(AT_ONCE)


class Undrawable(Exception):
    """There is no picture of this page: one sentence that says why. `later`: another try may have one."""

    def __init__(self, sentence: str, *, later: bool = False):
        super().__init__(sentence)
        self.later = later


def drawn(storage_name: str, page: int) -> bytes:
    """The page (1-based) as a WebP. Raises Undrawable, and StorageError where the document cannot be read."""
    if not _turns.acquire(timeout=WAIT_SECONDS):
        raise Undrawable("Other pages are being drawn. Try again in a moment.", later=True)
    try:
        with get_storage().local_copy(storage_name) as path:
            command = [sys.executable, "-m", "tasks.agent.draw", str(path.absolute()), str(page)]
            done = subprocess.run(
                command, env=environment(os.environ), cwd="/", stdin=subprocess.DEVNULL, capture_output=True,
                timeout=MOST_SECONDS, start_new_session=True, check=False,
            )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Undrawable("This page takes too long to draw.") from None
    finally:
        _turns.release()
    if done.returncode == os.EX_DATAERR:
        raise Undrawable(done.stderr.decode(errors="replace").strip())
    if done.returncode != 0:
        raise Undrawable(
            "This page could not be drawn: it is damaged, or needs more memory than a picture may."
        )
    return done.stdout
