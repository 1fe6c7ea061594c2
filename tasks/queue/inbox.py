"""Deliveries of callbacks and results that runs inserted: the statements of callback.sql."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import psycopg

from tasks.sql.running import Row, execute, first


def begin_callback(db: psycopg.Connection, **values: Any) -> Row | None:
    return first(db, "callback_begin", **values)


def end_callback(db: psycopg.Connection, **values: Any) -> None:
    execute(db, "callback_end", **values)


def note_callback(db: psycopg.Connection, **values: Any) -> Row | None:
    return first(db, "callback_progress", **values)


def stored_callback(db: psycopg.Connection, delivery: int) -> Row | None:
    return first(db, "callback_stored", delivery=delivery)


def count_refusal(db: psycopg.Connection, **values: Any) -> None:
    execute(db, "callback_refused", **values)


def prune_callbacks(db: psycopg.Connection, *, days: int, most: int) -> int:
    return execute(db, "callback_prune", days=days, most=most).rowcount


def inserted_result(db: psycopg.Connection, attempt: UUID, most: int) -> str | None:
    """The JSON text that a run has inserted for an attempt, of `most` bytes at most; None if there is none."""
    found = first(db, "result_inserted", attempt=attempt, most=most)
    return found.content if found else None


def prune_results(db: psycopg.Connection, *, most: int) -> int:
    """Remove inserted results that nobody needs any more; how many."""
    return execute(db, "results_prune", most=most).rowcount
