"""What traces tell of attempts: the statements of trace.sql. The only columns that are written here are those of tokens, cost and trace."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import psycopg
from pydantic_core import to_json

from tasks.queue import SPENDING_SHARDS
from tasks.sql.running import Row, execute, first, rows


def ended_among(db: psycopg.Connection, attempts: Sequence[UUID]) -> set[UUID]:
    """Those of these attempts that have ended, or that do not exist."""
    return {row.id for row in rows(db, "trace_ended", attempts=list(attempts))}


def traces_written(db: psycopg.Connection, attempts: Sequence[UUID]) -> None:
    execute(db, "trace_written", attempts=list(attempts))


def traces_to_read(db: psycopg.Connection, after: tuple[Any, UUID], most: int) -> list[Row]:
    """id, trace_id, finished_at; `after`: the last of these two that was read in this round."""
    return rows(db, "trace_to_read", after_at=after[0], after_id=after[1], most=most)


def missing_traces(db: psycopg.Connection, most: int) -> list[Row]:
    """The same of attempts whose trace was missing an hour ago."""
    return rows(db, "trace_to_read_again", most=most)


def lock_for_traces(db: psycopg.Connection, attempts: Sequence[UUID], missing_after: float) -> list[Row]:
    return rows(db, "trace_lock", attempts=list(attempts), missing_after=missing_after)


def write_traces(db: psycopg.Connection, reconciled: Sequence[dict[str, Any]]) -> None:
    shard = random.randrange(SPENDING_SHARDS)  # noqa: S311
    execute(db, "trace_reconcile", rows=to_json(reconciled).decode(), shard=shard)


def pace_of_traces(db: psycopg.Connection) -> Row:
    return first(db, "trace_pace")
