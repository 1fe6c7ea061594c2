"""Asks one limited child process, kept alive between files, what a PDF is; a file that kills it counts as damaged."""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

SECONDS_PER_FILE = 10.0
SECONDS_TO_START = 60.0
ANY_PAGES = 1_000_000_000  # whoever asks knows the limit, and says it together with the number of pages


class InspectorUnavailable(Exception):
    """The child does not start: nothing can be said of any file."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What a PDF is. `code` and `message` are None where it can be read; `pages` is known only then."""

    pages: int | None = None
    encrypted: bool = False
    code: str | None = None
    message: str | None = None


class Inspector:
    """One child, one file at a time; threads wait for each other (a file takes milliseconds)."""

    def __init__(self, seconds_per_file: float = SECONDS_PER_FILE, memory_mib: int = 1024) -> None:
        self.seconds_per_file, self.memory_mib = seconds_per_file, memory_mib
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def inspect(self, path: Path, password: str = "") -> Opened:
        """Never raises for what the file may be. Raises InspectorUnavailable if no child can be started."""
        with self._lock:
            if self._child is None or self._child.poll() is not None:
                self._start()
            answer = self._ask(str(path), password, self.seconds_per_file)
            if answer is None:
                self._end()
                return Opened(
                    code="corrupt",
                    message="This PDF could not be opened: reading it broke off or took too long.",
                )
            return Opened(answer["pages"], answer["encrypted"], answer["code"], answer["message"])

    def close(self) -> None:
        with self._lock:
            self._end()

    def _start(self) -> None:
        arguments = (
            "--memory-mib",
            str(self.memory_mib),
            "--cpu-seconds",
            str(int(self.seconds_per_file) + 1),
            "--pages",
            str(ANY_PAGES),
        )
        # Hostile files are opened here, so the child gets no secret: neither environment nor open files
        environment = {
            name: os.environ[name]
            for name in ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH")
            if name in os.environ
        }
        try:
            self._child = subprocess.Popen(
                (sys.executable, "-m", "tasks.agent", "inspect", *arguments),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                cwd=settings.BASE_DIR, env=environment, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise InspectorUnavailable(str(error)) from error
        if self._ask("", "", SECONDS_TO_START) is None:
            self._end()
            raise InspectorUnavailable("its first answer did not come")

    def _ask(self, path: str, password: str, seconds: float) -> dict | None:
        """The child's answer; None if it died, or none came in time."""
        child = self._child
        assert child is not None and child.stdin is not None and child.stdout is not None  # noqa: S101 - for the type checker
        try:
            child.stdin.write(json.dumps({"path": path, "password": password}).encode() + b"\n")
            child.stdin.flush()
            return json.loads(_line(child.stdout.fileno(), seconds))
        except (OSError, ValueError):
            return None

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.communicate()


def _line(pipe: int, seconds: float) -> bytes:
    """The next line of a pipe; nothing where its writer ends, or takes longer than that."""
    told, readable, until = b"", select.poll(), time.monotonic() + seconds
    readable.register(pipe, select.POLLIN)
    while not told.endswith(b"\n"):
        in_time = readable.poll(max(0.0, until - time.monotonic()) * 1000)
        if not (more := os.read(pipe, 65_536) if in_time else b""):
            return b""
        told += more
    return told


_shared = Inspector()
atexit.register(_shared.close)


def inspect(path: Path, password: str = "") -> Opened:
    """Ask this process's own inspector."""
    return _shared.inspect(path, password)
