"""The remote service behind the stand-in executor: one SQLite file in which runs live on, whoever started them is dead or not.

A run needs no process: what it does is a function of the time since it began, so nothing can be left behind.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from tasks.agent.contract import Code, Completed, Failed, Order, Progress, Result, Started, Usage

COST = Decimal("0.25")
"""What every run that comes to its end is billed."""
USAGE = Usage(calls=1, model="standin-model", input_tokens=1000, output_tokens=100, cost_usd=COST)
RESULT = Result(kind="invoice", pages=1, confidence=0.9, needs_review=False)
LONG = 3600.0

_TABLES = """
CREATE TABLE IF NOT EXISTS runs (
  token TEXT PRIMARY KEY, run_id TEXT UNIQUE, task INTEGER, ending TEXT, began_at REAL, visible_at REAL, ends_at REAL,
  stopped_at REAL, asked INTEGER DEFAULT 0);
CREATE TABLE IF NOT EXISTS weather (name TEXT PRIMARY KEY, value REAL);
"""


class Unreachable(Exception):
    """The service did not answer. What was asked of it may have happened or not."""


class Rejected(Exception):
    """The service has said no: nothing was started."""


@dataclass(frozen=True, slots=True)
class CloudRun:
    """A run as the service knows it at this moment. `ending`: completes, fails, silently, limited; or cancelled, once it was stopped."""

    attempt: UUID
    run_id: str
    task: int
    ending: str
    ended: bool
    asked: int
    """How often a start with its token came in; only the first one started anything."""
    began_at: float
    ends_at: float

    def events(self) -> tuple[Started | Progress | Completed | Failed, ...]:
        """What the run has said so far."""
        said: tuple = (
            Started(
                attempt=self.attempt,
                run_id=self.run_id,
                run_page_url=f"https://standin.invalid/{self.run_id}",
            ),
        )
        if not self.ended:
            return (*said, Progress(attempt=self.attempt, pages_done=0, pages_total=1))
        if self.ending == "completes":
            return (*said, Completed(attempt=self.attempt, result=RESULT, usage=USAGE))
        if self.ending == "limited":
            return (
                *said,
                Failed(
                    attempt=self.attempt,
                    code=Code.RATE_LIMITED,
                    message="Too many requests.",
                    retryable=True,
                    retry_after=0.1,
                ),
            )
        if self.ending == "fails":
            return (*said, Failed(attempt=self.attempt, code=Code.CORRUPT, message="The file is damaged.", retryable=False, usage=USAGE))  # fmt: skip
        return said


class Cloud:
    """The service. Every method may raise Unreachable, as the weather has it; weather is shared by all processes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._open() as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.executescript(_TABLES)

    # What tests do to it

    def set(self, **weather: float) -> None:
        """unreachable: 1 while nothing gets through.  lose_answers, lose_requests: so many starts are carried out (or not)
        and nobody hears of it.  reject: so many starts are refused for certain.  limit: so many runs are turned away by their
        model's provider.  hide_seconds: a new run is not found for so long.
        stop_seconds: a run that is told to stop takes so long.  delay: every answer takes so long."""
        with self._open() as db:
            db.executemany("INSERT OR REPLACE INTO weather VALUES (?, ?)", weather.items())

    def runs(self) -> list[CloudRun]:
        """Every run there ever was, oldest first; for tests, whatever the weather."""
        with self._open() as db:
            return [_run(row) for row in db.execute("SELECT * FROM runs ORDER BY began_at, token")]

    def end(self, attempt: UUID, ending: str) -> None:
        """Let a run end now, in this way."""
        with self._open() as db:
            db.execute(
                "UPDATE runs SET ending = ?, ends_at = ? WHERE token = ?", (ending, time.time(), str(attempt))
            )

    def forget(self, attempt: UUID) -> None:
        """Remove a run without a trace, as when somebody deletes its job."""
        with self._open() as db:
            db.execute("DELETE FROM runs WHERE token = ?", (str(attempt),))

    # What its clients may ask

    def start(self, order: Order) -> str:
        """The id of the run with this order's token; begins it if there is none. Raises Unreachable or Rejected."""
        with self._reached() as db:
            if self._takes(db, "lose_requests"):
                raise Unreachable
            known = db.execute("SELECT run_id FROM runs WHERE token = ?", (str(order.attempt),)).fetchone()
            if known is None:
                if self._takes(db, "reject"):
                    raise Rejected("The service has no room for another run.")
                self._begin(db, order)
            db.execute("UPDATE runs SET asked = asked + 1 WHERE token = ?", (str(order.attempt),))
            lost = self._takes(db, "lose_answers")
            run_id = f"standin-{order.attempt.hex[:12]}"
        if lost:
            raise Unreachable
        return run_id

    def look(self, attempts: list[UUID]) -> dict[UUID, CloudRun]:
        """Those of these runs that can be found."""
        with self._reached() as db:
            marks = ",".join("?" * len(attempts))
            rows = db.execute(
                f"SELECT * FROM runs WHERE token IN ({marks}) AND visible_at <= ?",
                [*map(str, attempts), time.time()],
            )
            return {run.attempt: run for run in map(_run, rows)}

    def stop(self, attempts: list[UUID]) -> None:
        """Let runs end as cancelled; those that have ended, and those that are not known, stay as they are."""
        with self._reached() as db:
            now = time.time()
            ends_at = now + self._weather(db, "stop_seconds")
            db.executemany(
                "UPDATE runs SET stopped_at = ?, ending = 'cancelled', ends_at = min(ends_at, ?) WHERE token = ? AND ends_at > ? "
                "AND stopped_at IS NULL",
                [(now, ends_at, str(attempt), now) for attempt in attempts],
            )

    def _begin(self, db: sqlite3.Connection, order: Order) -> None:
        ending = order.program.rpartition(":")[2]
        seconds = LONG if ending == "waits" else float(order.settings.get("seconds", 0.05))
        if self._takes(db, "limit"):
            ending, seconds = "limited", 0.0
        now = time.time()
        values: dict[str, Any] = {
            "token": str(order.attempt), "run_id": f"standin-{order.attempt.hex[:12]}", "task": order.task,
            "ending": "completes" if ending == "waits" else ending, "began_at": now,
            "visible_at": now + self._weather(db, "hide_seconds"), "ends_at": now + seconds,
        }  # fmt: skip
        names = ", ".join(values)
        db.execute(
            f"INSERT INTO runs ({names}) VALUES ({', '.join('?' * len(values))})", list(values.values())
        )

    def _weather(self, db: sqlite3.Connection, name: str) -> float:
        row = db.execute("SELECT value FROM weather WHERE name = ?", (name,)).fetchone()
        return row[0] if row else 0.0

    def _takes(self, db: sqlite3.Connection, name: str) -> bool:
        """Whether one more of these mishaps is due; it is used up by that."""
        return (
            db.execute("UPDATE weather SET value = value - 1 WHERE name = ? AND value >= 1", (name,)).rowcount
            > 0
        )

    @contextmanager
    def _reached(self) -> Iterator[sqlite3.Connection]:
        """One request: carried out as a whole, unless it does not get through. A mishap that raises is used up all the same."""
        with self._open() as db:
            if self._weather(db, "unreachable"):
                raise Unreachable
            delay = self._weather(db, "delay")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            finally:
                db.execute("COMMIT")
        if delay:
            time.sleep(delay)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        db = sqlite3.connect(self.path, timeout=20, isolation_level=None)
        try:
            yield db
        finally:
            db.close()


def _run(row: tuple) -> CloudRun:
    token, run_id, task, ending, began_at, _visible_at, ends_at, _stopped_at, asked = row
    return CloudRun(UUID(token), run_id, task, ending, ends_at <= time.time(), asked, began_at, ends_at)
