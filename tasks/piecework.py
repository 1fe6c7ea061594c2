"""Loops that keep stored sums right: pieces of work in short transactions, by one process at a time, for as long as there is time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from django.db import connection, transaction

from tasks import queue


def catch_up(step: Callable[[], bool], seconds: float) -> bool:
    """Steps until nothing is left to do or the time is over; whether anything was done. Not inside of a transaction."""
    until, worked = time.monotonic() + seconds, False
    while queue.retried(step):
        worked = True
        if time.monotonic() > until:
            break
    return worked


@contextmanager
def alone(name: str) -> Iterator[psycopg.Connection | None]:
    """One transaction on one snapshot with the statements `<name>_try_lock` and `<name>_lock_state`; None if another process is at it.

    The row of the state is locked too: whoever has an older snapshot than the last one's work fails, and begins anew.
    """
    nested = connection.in_atomic_block
    with transaction.atomic():
        db = queue.connection()
        if not nested:
            db.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        if not queue.first(db, f"{name}_try_lock").locked:  # type: ignore[union-attr]
            yield None
            return
        queue.execute(db, f"{name}_lock_state")
        yield db
