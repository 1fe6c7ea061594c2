"""Processes that work only while a gate is open, so that queues are measured side by side, each with the machine to itself.

Knows nothing of Django: the drivers of other queues (tests/baselines) are served by it in an environment of their own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from subprocess import PIPE, Popen
from threading import Event, Thread

GO, STOP, READY, STOPPED = "go", "stop", "ready", "stopped"


def serve(work: Callable[[Event], None]) -> None:
    """In the process: do `work(stop)` each time the gate opens; it returns soon after `stop` is set, with nothing half done."""
    opened: SimpleQueue[bool] = SimpleQueue()
    stop = Event()

    def listen() -> None:
        for line in sys.stdin:
            if line.strip() == GO:
                stop.clear()
                opened.put(True)
            else:
                stop.set()
        stop.set()
        opened.put(False)

    Thread(target=listen, daemon=True).start()
    _say(READY)
    while opened.get():
        work(stop)
        _say(STOPPED)


def _say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


class Crew:
    """Some processes of one kind behind one gate. `start` is how a child is started."""

    def __init__(
        self,
        start: Callable[..., Popen],
        command: Sequence[str],
        count: int,
        env: Mapping[str, str],
        cwd: Path,
    ) -> None:
        self.command = command
        self._start = partial(start, command, env=env, cwd=cwd, stdin=PIPE, stdout=PIPE, text=True)
        self.processes = [self._start() for _ in range(count)]

    def replace(self, place: int) -> None:
        """Another process instead of one that has died; it begins to work at once."""
        self.processes[place] = self._start()
        self._hear(self.processes[place], READY)
        self._tell(self.processes[place], GO)

    def ready(self) -> None:
        """Wait until all of them are."""
        for process in self.processes:
            self._hear(process, READY)

    def open(self, count: int | None = None) -> None:
        """Let the first `count` of them work; None: all."""
        for process in self.processes[:count]:
            self._tell(process, GO)

    def shut(self, count: int | None = None) -> None:
        """Stop those, and wait until they have."""
        for process in self.processes[:count]:
            self._tell(process, STOP)
        for process in self.processes[:count]:
            self._hear(process, STOPPED)

    def _tell(self, process: Popen, word: str) -> None:
        if process.stdin is not None:
            process.stdin.write(f"{word}\n")
            process.stdin.flush()

    def _hear(self, process: Popen, word: str) -> None:
        line = process.stdout.readline().strip() if process.stdout else ""
        if line != word:
            raise RuntimeError(
                f"{' '.join(self.command)} said {line!r} instead of {word!r}; the lines above say why."
            )
