"""The thread of an attempt: who holds it, and connections that write as its holder, by whatever password holds at the moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from psycopg.conninfo import conninfo_to_dict

from tasks.agent.contract import Checkpoints, Code, Order, Problem

Credentials = Callable[[], dict[str, Any]]
"""Keywords of psycopg.connect(), asked for before each connection. Raises OSError, or psycopg.ProgrammingError for a URL that is none."""
CONNECT_SECONDS = 10
REFUSED = "AA001"
"""SQLSTATE of a write by another attempt than the thread's latest (tasks.agent.checkpointed.fence)."""
CLAIM = """
INSERT INTO attempt_threads AS held (thread, attempt, number) VALUES (%s, %s, %s)
ON CONFLICT (thread) DO UPDATE SET attempt = excluded.attempt, number = excluded.number, claimed_at = now()
WHERE held.number < excluded.number OR held.attempt = excluded.attempt
RETURNING thread"""
UNSET = (
    "This agent keeps checkpoints and has no database for them: its version has to set checkpoints to true, CHECKPOINT_DATABASE_URL "
    "has to be set where the worker runs, and attempts get it on the worker's machine only."
)
TAKEN = "A later attempt has taken over this task's thread; this one may not write to it any more."


def credentials_of(place: Checkpoints) -> Credentials:
    """Those of an order: the password in its file is read each time."""

    def present() -> dict[str, Any]:
        found: dict[str, Any] = conninfo_to_dict(place.url)
        if place.password_file:
            found["password"] = Path(place.password_file).read_text(encoding="utf-8").strip()
        return found

    return present


@dataclass(frozen=True, slots=True)
class Thread:
    """`name`: the same for all attempts of a task's generation. Of these the one with the highest number may write."""

    name: str
    attempt: UUID
    number: int
    credentials: Credentials

    @classmethod
    def of(cls, order: Order, credentials: Credentials | None = None) -> Thread:
        """The order's thread, held by its attempt from now on. Raises Problem where there is no database, or a later attempt has it."""
        if credentials is None:
            if order.checkpoints is None:
                raise Problem(Code.BAD_CONFIGURATION, UNSET)
            credentials = credentials_of(order.checkpoints)
        thread = cls(f"{order.task}-{order.generation}", order.attempt, order.number, credentials)
        with in_words(), psycopg.connect(**thread.parameters(), autocommit=True) as db:
            if db.execute(CLAIM, (thread.name, thread.attempt, thread.number)).fetchone() is None:
                raise Problem(Code.LOST, TAKEN, retryable=True)
        return thread

    def parameters(self) -> dict[str, Any]:
        """Keywords of psycopg.connect() for a session that writes as this attempt."""
        found = {
            "connect_timeout": CONNECT_SECONDS,
            "application_name": "agentaudit attempt",
            **self.credentials(),
        }
        as_attempt = f"-c agentaudit.attempt={self.attempt}"
        return found | {"options": f"{found.get('options', '')} {as_attempt}".strip()}


@contextmanager
def in_words() -> Iterator[None]:
    """What goes wrong with the database ends the attempt with a sentence. Nothing of the error's text is repeated, for it may quote values."""
    try:
        yield
    except Problem:
        raise
    except Exception as error:
        problem = problem_of(error)
        if problem is None:
            raise
        raise problem from None


def problem_of(error: BaseException | None) -> Problem | None:
    """What an exception says of the database, however libraries have wrapped it; None: nothing."""
    from psycopg_pool import PoolTimeout

    while error is not None:
        if getattr(error, "sqlstate", None) == REFUSED:
            return Problem(Code.LOST, TAKEN, retryable=True)
        if isinstance(error, psycopg.errors.UndefinedTable):
            message = "The database of checkpoints has no tables yet. Run: manage.py checkpoints --prepare."
            return Problem(Code.BAD_CONFIGURATION, message)
        if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:
            return Problem(Code.BAD_CONFIGURATION, "CHECKPOINT_DATABASE_URL is no address of a PostgreSQL.")
        if isinstance(error, psycopg.OperationalError | PoolTimeout):
            message = "The database of checkpoints does not answer, or refuses the password; what was paid for until now is kept in it."
            return Problem(Code.STORAGE, message, retryable=True)
        error = error.__cause__ or error.__context__
    return None
