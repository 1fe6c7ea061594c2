"""What agents were seen to take, and the estimates made of it: the statements of learning.sql."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg

from tasks.sql.running import Row, execute, rows


def versions_to_learn(db: psycopg.Connection, **values: Any) -> list[Row]:
    return rows(db, "versions_to_learn", **values)


def samples(db: psycopg.Connection, agent: int, version: int, most: int, look_back: int) -> list[Row]:
    return rows(db, "samples", agent=agent, version=version, most=most, look_back=look_back)


def store_learnt(db: psycopg.Connection, version: int, learnt: str) -> None:
    execute(db, "store_learnt", version=version, learnt=learnt)


def waiting_estimates(db: psycopg.Connection, agent: int, version: int, most: int) -> list[Row]:
    return rows(db, "waiting_estimates", agent=agent, version=version, most=most)


def refresh_estimates(db: psycopg.Connection, changed: Sequence[tuple[int, Any]]) -> None:
    """Each of `changed` is (task, estimate)."""
    execute(
        db, "refresh_estimates", tasks=[task for task, _ in changed], tokens=[new.tokens for _, new in changed],
        output_tokens=[new.output_tokens for _, new in changed], requests=[new.requests for _, new in changed],
        seconds=[new.seconds for _, new in changed],
    )  # fmt: skip
