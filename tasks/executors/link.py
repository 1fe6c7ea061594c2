"""A worker's side of one fork server: starting the process, speaking with it, ending it."""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tasks.executors.channel import Message, Messenger
from tasks.executors.lease import LeaseClock

ROOT = Path(__file__).resolve().parents[2]
PASSED_ON = (
    "PATH",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "HOME",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "OMP_THREAD_LIMIT",
    "TESSDATA_PREFIX",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)
CLOSE_SECONDS = 3.0


def environment(ours: Mapping[str, str]) -> dict[str, str]:
    """What attempts may know of the worker's environment: no password, token or database among it."""
    return {
        "OMP_THREAD_LIMIT": "1",
        **{name: ours[name] for name in PASSED_ON if name in ours},
        "PYTHONPATH": str(ROOT),
        "PYTHONSAFEPATH": "1",
        "PYTHONUNBUFFERED": "1",
        # One arena: a second one would reserve 64 MiB of an attempt's address space for its watching thread.
        "MALLOC_ARENA_MAX": "1",
    }


class Link:
    """One fork server process. `ready` once it has said so, `lost` once it is gone; it never comes back, the executor makes a new one."""

    def __init__(self, lease: LeaseClock):
        """Raises OSError if no process can be started."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self.process = subprocess.Popen(
                    [
                        sys.executable,
                        "-m",
                        "tasks.executors.forkserver",
                        str(theirs.fileno()),
                        str(lease.descriptor),
                    ],
                    pass_fds=(theirs.fileno(), lease.descriptor),
                    env=environment(os.environ),
                    cwd="/",
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    start_new_session=True,
                )
            except OSError:
                ours.close()
                raise
        self.messenger = Messenger(ours)
        self.ready = self.lost = False

    def send(self, message: Message, descriptors: Sequence[int] = ()) -> None:
        """Say something; a fork server that cannot be told any more is lost."""
        if not self.lost:
            try:
                self.messenger.send(message, descriptors)
            except OSError:
                self.kill()

    def receive(self, seconds: float) -> list[Message]:
        """What it says, waiting up to `seconds` for it."""
        if self.lost:
            return []
        with selectors.DefaultSelector() as selector:
            selector.register(self.messenger, selectors.EVENT_READ)
            if not selector.select(max(0.0, seconds)):
                return []
        try:
            return [message for message, _ in self.messenger.receive()]
        except (EOFError, OSError):
            self.kill()
            return []

    def kill(self) -> None:
        """End it at once. Its attempts die with it (parent-death signal). The socket stays for its last words."""
        if not self.lost:
            self.lost = True
            self.process.kill()
            self.process.wait()

    def close(self) -> None:
        """Let it kill what is left and go."""
        if not self.lost:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self.messenger.socket.shutdown(socket.SHUT_WR)
                self.process.wait(CLOSE_SECONDS)
            self.kill()


def until(moment: float) -> float:
    """Seconds from now until `moment` (monotonic), at least 0."""
    return max(0.0, moment - time.monotonic())
