"""One claim: lock, count, decide, take, in one short transaction (DESIGN §5). The decision itself is `tasks.admission`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import psycopg

from tasks import faults, queue
from tasks.admission import Admission, Budget, Limits, Rates, Reserved, Waiting, admit, gentle, projected


@dataclass(frozen=True, slots=True)
class Terms:
    """Who claims, for how long at first, and how admission looks at the line."""

    worker: UUID
    lease_seconds: float
    look_ahead: int = 200
    reserve_after: timedelta = timedelta(seconds=300)


@dataclass(frozen=True, slots=True)
class Claimed:
    """Rows of `claim_take`; `contended`: another worker was claiming for an agent, so looking again soon is worth it."""

    rows: list[Any]
    contended: bool = False


def claim(db: psycopg.Connection, terms: Terms, executors: Sequence[str], slots: int) -> Claimed:
    """Fill up to `slots` slots: one pass over the agents that have ready work, best head first."""
    taken: list[Any] = []
    contended = False
    held = queue.held_clients(db) if slots > 0 else []
    for candidate in queue.candidates(db, executors) if slots > 0 else ():
        one = partial(claim_for, db, terms, candidate.agent_id, candidate.limited, slots - len(taken), held)
        try:
            rows = queue.retried(one)
        except psycopg.OperationalError:
            if not taken:
                raise
            break  # what other agents gave is committed, and is to be started whether the database is there or not
        contended |= rows is None
        taken += rows or []
        if len(taken) >= slots:
            break
    return Claimed(taken, contended)


def claim_for(
    db: psycopg.Connection, terms: Terms, agent: int, limited: bool, slots: int, held: Sequence[int]
) -> list[Any]:
    """One transaction for one agent; nothing if somebody else is at it, or if nothing fits."""
    look_ahead = terms.look_ahead if limited else min(terms.look_ahead, slots)
    with db.transaction():
        row, pool, used, line, reserved = queue.open_claim(
            db, agent, limited=limited, look_ahead=look_ahead, held=held
        )
        if (
            row is None
            or not line
            or (row.pool_id is not None and pool is None)
            or (not limited and _has_limits(row))
        ):
            return []
        faults.point("claim:locked")
        budgets = _budgets(row, pool, used)
        waiting = [_waiting(task) for task in line]
        elsewhere = (
            Reserved(reserved.priority, reserved.blocked_since)
            if reserved and reserved.agent_id != agent
            else None
        )
        admission = admit(waiting, budgets, slots, row.now, terms.reserve_after, elsewhere)
        if admission.block is not None:
            queue.mark_blocked(db, admission.block, admission.blocked_by)
            faults.point("claim:blocked")
        taken = _take(db, terms, agent, admission)
        faults.point("claim:taken")
        return taken


def _take(db: psycopg.Connection, terms: Terms, agent: int, admission: Admission) -> list[Any]:
    if not admission.admitted:
        return []
    return queue.take(
        db, agent=agent, worker=terms.worker, lease_seconds=terms.lease_seconds,
        tasks=[task.id for task in admission.admitted], attempts=[uuid4() for _ in admission.admitted],
        tpm=[task.rates.tpm for task in admission.admitted], output_tpm=[task.rates.output_tpm for task in admission.admitted],
        rpm=[task.rates.rpm for task in admission.admitted],
    )  # fmt: skip


def _limits(row: Any) -> Limits:
    return Limits(row.max_concurrent_tasks, row.max_tpm, row.max_output_tpm, row.max_requests_per_minute)


def _has_limits(row: Any) -> bool:
    return (
        row.pool_id is not None
        or _limits(row) != Limits()
        or row.spend_stop_per_day is not None
        or row.spend_stop_per_month is not None
    )


def _budgets(row: Any, pool: Any, used: list[Any]) -> list[Budget]:
    pairs = [("agent", row, used[0])] if used else []
    if pool is not None:
        pairs.append(("pool", pool, used[1]))
    return [
        Budget(
            name,
            gentle(_limits(holder), holder.cooldown_until, row.now),
            use.running,
            Rates(use.tpm, use.output_tpm, use.rpm),
        )
        for name, holder, use in pairs
    ]


def _waiting(task: Any) -> Waiting:
    rates = projected(
        task.estimated_tokens, task.estimated_output_tokens, task.estimated_requests, task.estimated_seconds
    )
    return Waiting(task.id, task.priority, rates, task.client_id, task.blocked_since, task.blocked_by)
