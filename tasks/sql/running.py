"""Runs the named statements: on Django's connection or one's own, prepared or not, in pipelines, short transactions and again."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from django.db import InterfaceError, OperationalError
from django.db import connection as django_connection
from psycopg import errors
from psycopg.pq import TransactionStatus
from psycopg.rows import namedtuple_row

from tasks.sql import SQL

Row = Any  # a namedtuple with the statement's columns
T = TypeVar("T")

AWAY = (
    OperationalError,
    InterfaceError,
    psycopg.OperationalError,
    psycopg.InterfaceError,
    errors.ReadOnlySqlTransaction,
)
"""The database is not there, or this session is with one that takes no changes any more, as after a failover. It may come back."""
RETRYABLE = (errors.DeadlockDetected, errors.SerializationFailure)
MOST_RETRIES = 5


def connection() -> psycopg.Connection:
    """Django's connection as psycopg's own, connected. Inside `transaction.atomic` it is in that transaction."""
    django_connection.ensure_connection()
    return django_connection.connection


def execute(db: psycopg.Connection, name: str, **values: Any) -> psycopg.Cursor:
    """Run a named statement. Prepared on the server after the first time, so that planning is paid once per connection."""
    cursor = psycopg.Cursor(db, row_factory=namedtuple_row)
    return cursor.execute(SQL[name], values, prepare=db.prepare_threshold is not None)


def rows(db: psycopg.Connection, name: str, **values: Any) -> list[Row]:
    return execute(db, name, **values).fetchall()


def first(db: psycopg.Connection, name: str, **values: Any) -> Row | None:
    return execute(db, name, **values).fetchone()


def read(db: psycopg.Connection, name: str, **values: Any) -> list[Row]:
    """Rows for a page, whose filters differ so much that a plan for all of them would be a bad one: planned anew each time."""
    return psycopg.Cursor(db, row_factory=namedtuple_row).execute(SQL[name], values, prepare=False).fetchall()


def retried(transaction: Callable[[], T]) -> T:
    """Run a whole transaction again when the database says so (40P01, 40001). Nothing of a failed try was kept."""
    for attempt in range(MOST_RETRIES):
        try:
            return transaction()
        except RETRYABLE:
            if attempt == MOST_RETRIES - 1:
                raise
            time.sleep(random.uniform(0, 0.02 * 2**attempt))  # noqa: S311 - spreads rivals, hides nothing
    raise AssertionError("unreachable")


@contextmanager
def pipelined(db: psycopg.Connection) -> Iterator[None]:
    """Statements inside are sent together; each still sees a fresh snapshot, so a count after a lock is newer than the lock."""
    if db.info.pipeline_status:  # beginning another one would wait for what is under way
        yield
        return
    with db.pipeline():
        yield


@contextmanager
def short_transaction(db: psycopg.Connection) -> Iterator[None]:
    """A transaction about a batch of rows, in a pipeline: it begins with its first statements and is committed with its last ones.

    Its statements are planned to go by keys whatever the statistics say: they are planned once per connection, maybe while the tables are
    still empty; reading a whole table then looks cheapest, and stays.
    """
    if db.info.transaction_status != TransactionStatus.IDLE:  # a part of the caller's transaction
        with pipelined(db), db.transaction():
            execute(db, "plan_by_keys")
            yield
        return
    try:
        with pipelined(db):
            db.execute("BEGIN", prepare=db.prepare_threshold is not None)
            execute(db, "plan_by_keys")
            yield
            db.execute("COMMIT", prepare=db.prepare_threshold is not None)
    except BaseException:
        if not db.closed and db.info.transaction_status != TransactionStatus.IDLE:
            db.execute("ROLLBACK")
        raise
