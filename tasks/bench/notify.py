"""What live updates cost sessions that commit, and whether the hint after the very last change ever gets lost.

Processes full of small transactions run with and without a hint after each of them, in turns, while one real listener hears.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from statistics import median
from typing import Any

from tasks import notify
from tasks.bench import Measured, Say, server

PROCESSES, CONNECTIONS = 4, 8
ROUNDS, FULL_ROUNDS, SLICES, SLICE_SECONDS = 5, 15, 10, 0.5
"""A round is 5 s each way, in slices by turns: what else the machine does meets both alike."""
LOST_AFTER_SECONDS = 5.0
TABLE = "CREATE TABLE bench_commits (id int PRIMARY KEY, changes bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50)"
ROWS = "INSERT INTO bench_commits (id) SELECT generate_series(0, %s)"
CHANGE = "UPDATE bench_commits SET changes = changes + 1 WHERE id = %s"
spawn = multiprocessing.get_context("spawn")


def run(full: bool, say: Say) -> Measured:
    with server.connect() as db:
        db.execute(TABLE)
        db.execute(ROWS, (PROCESSES * CONNECTIONS - 1,))
    heard: list[float] = []
    listener = notify.Listener(notify.CHANGED, lambda: heard.append(time.monotonic()))
    listener.start()
    crew = [_Writers(number) for number in range(PROCESSES)]
    try:
        for writers in crew:
            writers.hear()
        return _measure(crew, heard, FULL_ROUNDS if full else ROUNDS, say)
    finally:
        for writers in crew:
            writers.end()
        listener.end()


def _measure(crew: list[_Writers], heard: list[float], rounds: int, say: Say) -> Measured:
    ratios, waits, before = [], [], len(heard)
    for number in range(rounds):
        commits = {True: 0, False: 0}
        for place in range(2 * SLICES):
            hints = (place + number) % 2 == 1
            ends = _together(crew, SLICE_SECONDS, hints)
            commits[hints] += sum(count for count, _ in ends)
            if hints:
                waits.append(_heard_after(heard, max(last for _, last in ends)))
        ratios.append(commits[True] / commits[False])
        rates = [commits[hints] / SLICES / SLICE_SECONDS for hints in (True, False)]
        say(f"Round {number + 1} of {rounds}: {rates[0]:,.0f} commits/s with hints, {rates[1]:,.0f} without")
    after = [wait for wait in waits if wait is not None]
    return Measured(
        {
            "ratio_commits_with_live_updates": round(median(ratios), 3),
            "lost_last_wakeups": len(waits) - len(after),
            "nudges_received": len(heard) - before,
            "right_after_s": round(max(after), 3) if after else None,
        },
        [
            f"{PROCESSES} processes of {CONNECTIONS} connections, {rounds} rounds of {SLICES * SLICE_SECONDS:g} s each way, in slices by turns; "
            f"the ratios of the rounds: {', '.join(f'{ratio:.2f}' for ratio in ratios)}",
            f"right_after_s: from the last commit of a slice to the next hint that is heard, the longest of {len(waits)}.",
        ],
    )


def _together(crew: list[_Writers], seconds: float, hints: bool) -> list[tuple[int, float]]:
    """Let all of them write for so long; commits of each process, and when its last one was."""
    for writers in crew:
        writers.tell((seconds, hints))
    return [writers.hear() for writers in crew]


def _heard_after(heard: list[float], last: float) -> float | None:
    """Seconds from `last` to the first hint after it; None: none came."""
    while time.monotonic() < last + LOST_AFTER_SECONDS:
        if heard and heard[-1] >= last:
            return next(at for at in heard if at >= last) - last
        time.sleep(0.005)
    return None


class _Writers:
    """One process with several connections, which commit one small transaction after the other while told to."""

    def __init__(self, number: int) -> None:
        self._ours, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_write, args=(theirs, number), daemon=True)
        self._process.start()

    def tell(self, order: Any) -> None:
        self._ours.send(order)

    def hear(self) -> Any:
        if not self._ours.poll(60):
            raise RuntimeError("a writer says nothing")
        return self._ours.recv()

    def end(self) -> None:
        self._process.terminate()
        self._process.join()


def _write(pipe: Any, number: int) -> None:
    import django

    django.setup()
    connections = [server.connect() for _ in range(CONNECTIONS)]
    pipe.send("ready")
    while True:
        seconds, hints = pipe.recv()
        counts, until = [0] * CONNECTIONS, time.monotonic() + seconds

        def commit(place: int, counts: list[int] = counts, until: float = until, hints: bool = hints) -> None:
            row, execute = (number * CONNECTIONS + place,), connections[place].execute
            while time.monotonic() < until:
                execute(CHANGE, row, prepare=True)
                counts[place] += 1
                if hints:
                    notify.hint(notify.CHANGED)

        threads = [threading.Thread(target=commit, args=(place,)) for place in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        pipe.send((sum(counts), time.monotonic()))
