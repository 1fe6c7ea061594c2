"""Deleting what was handed in and read: the statements of erase.sql and those that prune. Figures stay."""

from __future__ import annotations

import json
from collections.abc import Sequence
from uuid import UUID

import psycopg

from tasks.queue import lock_tasks
from tasks.sql.running import Row, execute, rows
from tasks.states import TERMINAL


def erase(db: psycopg.Connection, documents: Sequence[int]) -> bool:
    """Empty the rows of documents, of their tasks and attempts, and what was delivered for these; figures stay. One transaction of the caller's.

    False, and nothing is done, while a task of theirs has not ended.
    """
    execute(db, "erase_lock_documents", documents=list(documents))
    tasks = [row.id for row in rows(db, "erase_tasks_of", documents=list(documents))]
    if any(row.status not in TERMINAL for row in lock_tasks(db, tasks)):
        return False
    _empty(db, tasks, documents)
    return True


def _empty(db: psycopg.Connection, tasks: Sequence[int], documents: Sequence[int]) -> int:
    attempts = [row.id for row in rows(db, "erase_lock_attempts", tasks=list(tasks))]
    for name in ("erase_attempts", "erase_deliveries", "erase_results"):
        execute(db, name, attempts=attempts)
    execute(db, "erase_tasks", tasks=list(tasks))
    execute(db, "erase_documents", documents=list(documents))
    return len(attempts)


def erase_client(db: psycopg.Connection, client: int) -> None:
    """What is kept of a client beside its documents and tasks."""
    for name in ("erase_refused", "erase_seen"):
        execute(db, name, client=client)


def lock_to_prune(db: psycopg.Connection, extraction: int) -> list[int]:
    """Lock an extraction, its documents, its tasks and their attempts, for one transaction of the caller's; the ids of the tasks.

    What is asked after this is how it stays until then.
    """
    for name in ("prune_lock", "prune_lock_documents"):
        execute(db, name, extraction=extraction)
    tasks = [row.id for row in rows(db, "prune_lock_tasks", extraction=extraction)]
    execute(db, "erase_lock_attempts", tasks=tasks)
    return tasks


def refused_documents(db: psycopg.Connection, client: int | None = None) -> list[Row]:
    """(extraction, document) of what was not taken and is still named, of a client or of all."""
    return rows(db, "prune_refused", client=client)


def prune(db: psycopg.Connection, extraction: int, *, tasks: Sequence[int], documents: Sequence[int], files: Sequence[str]) -> int:  # fmt: skip
    """Empty the rows of a locked extraction as `erase` does, and note which files are to go; how many attempts it had."""
    attempts = _empty(db, tasks, documents)
    execute(db, "prune_note", extraction=extraction, files=json.dumps(list(files)))
    return attempts


def prune_done(db: psycopg.Connection, extractions: Sequence[int]) -> None:
    execute(db, "prune_done", extractions=list(extractions))


def erase_trace_ids(db: psycopg.Connection, attempts: Sequence[UUID]) -> None:
    execute(db, "erase_trace_ids", attempts=list(attempts))
