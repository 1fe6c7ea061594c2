"""Waiting for tasks to end, with a live bar on a terminal and a line now and then elsewhere; standard error only."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import InterfaceError, OperationalError, connection
from django.db.models import Count
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tasks.management.hands import Hands
from tasks.models import Attempt, Task
from tasks.states import LIVE, TERMINAL, TaskStatus

LOOK_SECONDS = 0.3
LAST, LAST_SECONDS = 4, 0.1
"""The last few are looked for more often: whoever waits for one document waits for its end."""
LINE_SECONDS = 5.0


class GivenUp(Exception):
    """Nobody works: the worker that was started keeps ending."""


class Bar:
    """How far something is. `show(done, total, note)` may be called as often as one likes."""

    def __init__(self, what: str, total: int) -> None:
        self.console = Console(stderr=True, highlight=False)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}"),
        )
        self._progress = Progress(
            *columns, console=self.console, disable=not self.console.is_terminal, transient=True
        )
        self._task = self._progress.add_task(what, total=total, note="")
        self._what, self._total, self._said_at, self._said = what, total, time.monotonic(), ""
        self._done = 0.0

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *args: object) -> None:
        self._progress.stop()

    def step(self) -> None:
        """One more is done."""
        self.show(self._done + 1)

    def show(self, done: float, note: str = "") -> None:
        self._done = done
        self._progress.update(self._task, completed=done, note=note)
        line = f"{self._what}: {int(done)} of {self._total}{f' ({note})' if note else ''}"
        if (
            not self.console.is_terminal
            and line != self._said
            and time.monotonic() - self._said_at >= LINE_SECONDS
        ):
            self._said_at, self._said = time.monotonic(), line
            self.console.print(line)

    def say(self, sentence: str) -> None:
        """A line above the bar."""
        self._progress.console.print(sentence)


def wait_for(task_ids: Sequence[int], hands: Hands, bar: Bar) -> None:
    """Return when every one of these tasks is terminal. Raises GivenUp. A database that is away is waited for."""
    away = False
    while True:
        try:
            hands.tick()
            counts = _counts(task_ids)
            if away:
                bar.say("The database answers again.")
                away = False
            left = sum(count for status, count in counts.items() if status not in TERMINAL)
            bar.show(len(task_ids) - left + _part_read(task_ids), _note(counts))
        except (InterfaceError, OperationalError) as error:
            connection.close()
            left = 1
            if not away:
                bar.say(
                    f"The database does not answer ({str(error).strip().splitlines()[0]}); nothing is lost, waiting for it."
                )
                away = True
        if not left:
            return
        if hands.given_up:
            raise GivenUp
        time.sleep(LOOK_SECONDS if left > LAST else LAST_SECONDS)


def _counts(task_ids: Sequence[int]) -> dict[str, int]:
    rows = Task.objects.filter(pk__in=task_ids).order_by().values_list("status").annotate(Count("pk"))
    return dict(rows)


def _part_read(task_ids: Sequence[int]) -> float:
    """Documents' worth of pages that running attempts have read."""
    pages = Attempt.objects.filter(task__in=task_ids, status__in=LIVE, pages_total__gt=0).values_list(
        "pages_done", "pages_total"
    )
    return sum(min(1.0, (done or 0) / total) for done, total in pages)


def _note(counts: dict[str, int]) -> str:
    words = {TaskStatus.PROCESSING: "running", TaskStatus.FAILED: "failed", TaskStatus.CANCELLED: "cancelled"}
    return ", ".join(f"{counts[status]} {word}" for status, word in words.items() if counts.get(status))


@contextmanager
def interruptible() -> Iterator[None]:
    """SIGTERM ends a command the way Ctrl-C does: through its `finally` clauses."""

    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
