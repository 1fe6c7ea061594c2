"""The only writer of task state: one thin function per named statement of tasks/sql.

What lies around the queue (deletion, deliveries, traces, estimates) has its functions in modules of this package.

Every function takes a psycopg connection (`connection()` gives Django's own) and values, and returns rows. Callers decide what is
one transaction; nothing outside the database is called while one is open (I7).
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
from pydantic_core import to_json

from tasks.admission import GENTLE_FOR
from tasks.heads import Starts
from tasks.sql.running import (  # noqa: F401 - callers run their transactions with these
    AWAY,
    Row,
    connection,
    execute,
    first,
    pipelined,
    read,
    retried,
    rows,
    short_transaction,
)

SPENDING_SHARDS = 8
"""Counters per agent or client and day: as many settlements may add to it without waiting for each other."""


def plan_anew(db: psycopg.Connection) -> None:
    """Let this session plan its statements by how large the tables are by now: what was planned while they were small reads them as a whole."""
    psycopg.Cursor(db).execute("DISCARD PLANS", prepare=db.prepare_threshold is not None)


# Handing in


def enqueue(
    db: psycopg.Connection, *, fair: bool, weight: float, documents: Sequence[Any], **values: Any
) -> list[int]:
    """Insert one task per document; each of `documents` has document_id, tokens, output_tokens, requests, seconds, sealed_password."""
    first_key, key_step = None, 0
    if fair:
        of = {name: values[name] for name in ("agent", "priority", "client")}
        first_key, key_step = stamp_lane(db, count=len(documents), weight=weight, **of)
    columns = {
        "documents": [d.document_id for d in documents],
        "tokens": [d.tokens for d in documents],
        "output_tokens": [d.output_tokens for d in documents],
        "requests": [d.requests for d in documents],
        "seconds": [d.seconds for d in documents],
        "passwords": [d.sealed_password for d in documents],
    }
    return [
        row.id for row in rows(db, "enqueue", first_key=first_key, key_step=key_step, **columns, **values)
    ]


LANE_STEP = 1_000_000
"""The virtual length of one task of weight 1, in the units of start_key."""


def stamp_lane(
    db: psycopg.Connection, *, agent: int, priority: int, client: int, count: int, weight: float
) -> tuple[int, int]:
    """The first virtual start of `count` tasks at the end of a client's lane, and the step from each to the next."""
    step = round(LANE_STEP / weight)
    row = first(db, "stamp_lane", agent=agent, priority=priority, client=client, count=count, key_step=step)
    return row.first_key, step  # type: ignore[union-attr]


def set_fair(db: psycopg.Connection, agent: int, fair: bool) -> bool:
    """Throw the switch, and lock the agent's row with it; whether it was the other way before."""
    return bool(changed(db, "set_fair", agent=agent, fair=fair))


def rekey_plain(db: psycopg.Connection, agent: int) -> None:
    execute(db, "rekey_plain", agent=agent)


def rekey_fair(db: psycopg.Connection, agent: int, weights: dict[str, float]) -> None:
    """`weights` by tier of client."""
    steps = [round(LANE_STEP / weight) for weight in weights.values()]
    execute(db, "lock_waiting", agent=agent)
    execute(db, "rekey_fair", agent=agent, tiers=list(weights), steps=steps)


def set_keys(db: psycopg.Connection, keys: dict[int, int]) -> None:
    """Give waiting tasks, which this transaction has locked, their start keys."""
    if keys:
        execute(db, "set_keys", tasks=list(keys), keys=list(keys.values()))


# Claiming


def candidates(db: psycopg.Connection, executors: Sequence[str], starts: Starts) -> list[Row]:
    known = [(agent, level, key) for agent, levels in starts.items() for level, key in levels.items()]
    agents, levels, keys = ([row[column] for row in known] for column in range(3))
    with pipelined(db):  # one transaction without a word, so that the first statement is about the second
        execute(db, "plan_by_indexes")
        heads = execute(
            db, "claim_candidates", executors=list(executors), gentle_for=GENTLE_FOR,
            known_agents=agents, known_levels=levels, known_keys=keys,
        )  # fmt: skip
    return heads.fetchall()


def levels(db: psycopg.Connection, agents: Sequence[int]) -> list[Row]:
    return rows(db, "claim_levels", agents=list(agents))


def clients_to_heed(db: psycopg.Connection) -> list[Row]:
    return rows(db, "clients_to_heed")


@dataclass(slots=True)
class Opened:
    """What a claim decides from: the locked agent and pool, their use ("agent", "pool"), the line, what the pool is kept free for, prices by version, money."""

    agent: Row | None
    pool: Row | None
    used: dict[str, Row]
    line: list[Row]
    reserved: Row | None
    prices: dict[int, Row]
    spending: list[Row]


def open_claim(
    db: psycopg.Connection, head: Row, *, free: bool, look_ahead: int, held: Sequence[int], limited_clients: Sequence[int],
    executors: Sequence[str], lease_seconds: float, reserve_after: timedelta, start: int | None = None,
) -> Opened:  # fmt: skip
    """Statements 1 to 4 of a claim in one round trip. `free`: nothing limits the agent, so several workers claim for it side by side.

    start: the key at which the level of `head` is known to begin.
    """
    line = "claim_look_ahead_by_client" if held else "claim_look_ahead_locked" if free else "claim_look_ahead"
    extra: dict[str, Any] = {"held_clients": list(held)} if held else {}
    if start is not None and not held:
        line, extra = f"{line}_from", {"level": head.priority, "start_key": start}
    of = {"agent": head.agent_id}
    unused: list[Any] = []
    with pipelined(db):
        agent = execute(db, "claim_lock_agent" if head.limited else "claim_share_agent", **of)
        pool = execute(db, "claim_lock_pool", **of) if head.limited else unused
        used = execute(db, "claim_count", **of) if head.limited else unused
        tasks = execute(db, line, look_ahead=look_ahead, **extra, **of)
        reserved = (
            execute(
                db, "claim_pool_reservation", held_clients=list(held), executors=list(executors), lease_seconds=lease_seconds,
                reserve_after=reserve_after, **of,
            )
            if head.has_pool
            else unused
        )  # fmt: skip
        prices = execute(db, "claim_prices", **of) if head.has_prices else unused
        money = (
            execute(
                db,
                "spending",
                agents=[head.agent_id] if head.has_purse else [],
                clients=list(limited_clients),
            )
            if head.has_purse or limited_clients
            else unused
        )
    return Opened(
        next(iter(agent), None), next(iter(pool), None), {row.holder: row for row in used}, list(tasks), next(iter(reserved), None),
        {row.version_id: row for row in prices}, list(money),
    )  # fmt: skip


def take(db: psycopg.Connection, **values: Any) -> psycopg.Cursor:
    """Statement 5. The rows are fetched after the commit, which travels with it."""
    return execute(db, "claim_take", **values)


def mark_blocked(db: psycopg.Connection, task: int, blocked_by: str) -> None:
    execute(db, "claim_mark_blocked", task=task, blocked_by=blocked_by)


def unblock(db: psycopg.Connection, tasks: Sequence[int]) -> None:
    execute(db, "claim_unblock", tasks=list(tasks))


def costs_so_far(db: psycopg.Connection, line: Sequence[Row]) -> dict[int, Any]:
    """USD by task, of those that were tried before and have cost something."""
    tried = [task.id for task in line if task.attempts_made]
    return {row.task_id: row.usd for row in rows(db, "claim_costs", tasks=tried)} if tried else {}


def refuse(db: psycopg.Connection, agent: int, messages: dict[int, str]) -> psycopg.Cursor:
    return execute(db, "claim_refuse", agent=agent, tasks=list(messages), messages=list(messages.values()))


def spending(db: psycopg.Connection, agents: Sequence[int] = (), clients: Sequence[int] = ()) -> list[Row]:
    """What these have spent today and this month, beside their limits."""
    return rows(db, "spending", agents=list(agents), clients=list(clients))


def note_spending(db: psycopg.Connection, notices: Sequence[dict[str, Any]]) -> None:
    execute(db, "spend_notice", notices=json.dumps(notices))


def promote_due(db: psycopg.Connection, most: int = 5000) -> int:
    with pipelined(db):
        execute(db, "plan_by_keys")
        promoted = execute(db, "promote_due", most=most)
    return promoted.rowcount


# Leases


def register_worker(db: psycopg.Connection, **values: Any) -> None:
    execute(db, "worker_register", **values)


def worker_stopping(db: psycopg.Connection, worker: UUID) -> None:
    execute(db, "worker_stopping", worker=worker)


def worker_stopped(db: psycopg.Connection, worker: UUID) -> None:
    execute(db, "worker_stopped", worker=worker)


def is_drained(db: psycopg.Connection, worker: UUID) -> bool:
    """Whether the worker is asked to take nothing more."""
    row = first(db, "is_drained", worker=worker)
    return row is not None and row.drained


def renew(
    db: psycopg.Connection, worker: UUID, held: Sequence[tuple[int, UUID]], lease_seconds: float
) -> list[Row]:
    """Renew all leases of a worker. Rows that come back are still its own; what is missing it has lost."""
    return rows(
        db,
        "renew",
        worker=worker,
        tasks=[task for task, _ in held],
        attempts=[attempt for _, attempt in held],
        lease_seconds=lease_seconds,
    )


def stop_flags(db: psycopg.Connection, worker: UUID, lease_seconds: float) -> list[Row]:
    return rows(db, "stop_flags_of_worker", worker=worker, lease_seconds=lease_seconds)


def mark_running(db: psycopg.Connection, started: Sequence[tuple[UUID, str, str]]) -> None:
    """Each of `started` is (attempt, run id, run page)."""
    attempts, run_ids, run_pages = (
        [list(column) for column in zip(*started, strict=True)] if started else ([], [], [])
    )
    with short_transaction(db):
        execute(db, "mark_running", attempts=attempts, run_ids=run_ids, run_pages=run_pages)


def mark_starting(db: psycopg.Connection, attempts: Sequence[UUID]) -> None:
    execute(db, "mark_starting", attempts=list(attempts))


def progress(db: psycopg.Connection, columns: dict[str, list[Any]]) -> None:
    with short_transaction(db):
        execute(db, "progress", **columns)


# Outcomes


def lock_for_outcomes(
    db: psycopg.Connection, attempts: Sequence[UUID]
) -> tuple[dict[int, Row], dict[UUID, Row]]:
    """The tasks of these attempts (by id) and the attempts (by id), locked; one round trip, two snapshots."""
    with pipelined(db):
        locked = execute(db, "outcome_lock_tasks", attempts=list(attempts))
        found = execute(db, "outcome_read_attempts", attempts=list(attempts))
    tasks: list[Row] = locked.fetchall()
    rows: list[Row] = found.fetchall()
    return {row.id: row for row in tasks}, {row.id: row for row in rows}


def write_outcomes(
    db: psycopg.Connection, decisions: Sequence[dict[str, Any]], rivals: Sequence[UUID]
) -> set[int]:
    """Write decisions; the ids of the tasks that moved. `rivals`: other attempts of theirs that are not confirmed ended."""
    return {
        row.id
        for row in rows(
            db,
            "outcome_write",
            decisions=to_json(decisions).decode(),
            rivals=list(rivals),
            shard=random.randrange(SPENDING_SHARDS),  # noqa: S311
        )
    }


def promote_waiting(db: psycopg.Connection, tasks: Sequence[int]) -> None:
    execute(db, "outcome_promote_waiting", tasks=list(tasks))


def numbers_seen_before(
    db: psycopg.Connection, pairs: Sequence[tuple[UUID, UUID]]
) -> dict[tuple[UUID, UUID], int]:
    """Note what these attempts have read, each of `pairs` being (key, attempt); by (attempt, key) the task of another document that was first."""
    keys, attempts = ([pair[place] for pair in pairs] for place in (0, 1))
    with short_transaction(db):
        execute(db, "seen_forget", attempts=attempts, keys=keys)
        execute(db, "seen_note", attempts=attempts, keys=keys)
        before = execute(db, "seen_before", attempts=attempts, keys=keys)
    seen: list[Row] = before.fetchall()
    return {(row.attempt, row.key): row.task_id for row in seen}


def cool_down(db: psycopg.Connection, agent: int, seconds: float) -> None:
    execute(db, "cool_down", agent=agent, seconds=seconds)


def prices_of(db: psycopg.Connection, models: Sequence[str]) -> dict[str, Row]:
    return {row.model: row for row in rows(db, "prices_of_models", models=list(models))}


# Sweeping


def take_over_expired(db: psycopg.Connection, **values: Any) -> list[Row]:
    return rows(db, "sweep_take_over", **values)


def describe(db: psycopg.Connection, attempts: Sequence[UUID], lease_seconds: float) -> list[Row]:
    return rows(db, "sweep_describe", attempts=list(attempts), lease_seconds=lease_seconds)


def orders_again(db: psycopg.Connection, attempts: Sequence[UUID]) -> list[Row]:
    """Rows like those of `take`, of attempts that exist."""
    return rows(db, "sweep_orders", attempts=list(attempts))


def flag_overdue(db: psycopg.Connection, most: int) -> int:
    return execute(db, "sweep_overdue", most=most).rowcount


def unconfirmed(db: psycopg.Connection, **values: Any) -> list[UUID]:
    return [row.attempt_id for row in rows(db, "sweep_unconfirmed", **values)]


def adopt(db: psycopg.Connection, **values: Any) -> bool:
    return first(db, "sweep_adopt", **values) is not None


def silent_workers(db: psycopg.Connection, sweeper: UUID, lease_seconds: float) -> Row:
    return first(db, "sweep_workers", sweeper=sweeper, lease_seconds=lease_seconds)


def close_silent_workers(db: psycopg.Connection, lease_seconds: float) -> int:
    return execute(db, "sweep_close_workers", lease_seconds=lease_seconds).rowcount


def aged_levels(db: psycopg.Connection, age_seconds: float) -> list[Row]:
    return rows(db, "aged_levels", age_seconds=age_seconds)


def raise_head(db: psycopg.Connection, task: int) -> Row | None:
    return first(db, "raise_head", task=task)


# What people do


def lock_tasks(db: psycopg.Connection, tasks: Sequence[int]) -> list[Row]:
    """The lanes of fair agents among theirs, the tasks, and their attempts that are not confirmed ended, each locked in id order."""
    execute(db, "operate_lock_lanes", tasks=list(tasks))
    found = rows(db, "operate_lock", tasks=list(tasks))
    execute(db, "operate_lock_attempts", tasks=list(tasks))
    return found


def changed(db: psycopg.Connection, name: str, **values: Any) -> set[Any]:
    """Run one of the statements of operate.sql; the ids that it changed."""
    return {row.id for row in rows(db, name, **values)}


def takes_from(db: psycopg.Connection, client: int) -> bool:
    """Whether anything may be handed in for a client; a deletion cannot begin before this transaction has ended."""
    row = first(db, "hold_client", client=client)
    return bool(row and row.takes)


def adds_to(db: psycopg.Connection, extraction: int) -> bool:
    """Whether documents may be added to an extraction; it is not pruned before this transaction has ended."""
    row = first(db, "hold_extraction", extraction=extraction)
    return bool(row and row.takes)


def pruned(db: psycopg.Connection, tasks: Sequence[int]) -> set[int]:
    """Those of the tasks, which are locked, whose documents and results were deleted after retention."""
    return changed(db, "operate_pruned", tasks=list(tasks))


# Callbacks


def name_runs(db: psycopg.Connection, attempts: Sequence[UUID]) -> None:
    execute(db, "name_runs", attempts=list(attempts))


def prune_spending(db: psycopg.Connection, *, most: int) -> int:
    """Remove counters of days and months that no claim asks for any more; how many."""
    return execute(db, "spending_prune", most=most).rowcount


def silent_among(db: psycopg.Connection, attempts: Sequence[UUID], seconds: float, most: int) -> list[UUID]:
    """Those of these attempts that live and were not heard of for so long."""
    return [row.id for row in rows(db, "silent_among", attempts=list(attempts), seconds=seconds, most=most)]


def silent_attempts(db: psycopg.Connection, seconds: float, most: int) -> list[Row]:
    return rows(db, "silent_attempts", seconds=seconds, most=most)


def database_clock(db: psycopg.Connection) -> float:
    """Seconds since 1970."""
    return first(db, "database_clock").seconds
