"""One claim: lock, count, decide, take, in one short transaction of two round trips (DESIGN §5). The decision itself is `tasks.admission`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from functools import partial
from itertools import zip_longest
from typing import Any
from uuid import UUID, uuid4

import psycopg

from tasks import faults, queue, spending
from tasks.admission import (
    GENTLE_FOR,
    NOTHING,
    Admission,
    Budget,
    Limits,
    Purses,
    Rates,
    Reserved,
    Waiting,
    admit,
    gentle,
    projected,
)  # fmt: skip
from tasks.heads import SLOW_SECONDS, Heads


@dataclass(frozen=True, slots=True)
class Terms:
    """Who claims, for how long at first, and how admission looks at the line."""

    worker: UUID
    lease_seconds: float
    look_ahead: int = 200
    reserve_after: timedelta = timedelta(seconds=300)
    heads: Heads = field(default_factory=Heads)


@dataclass(frozen=True, slots=True)
class Claimed:
    """Rows of `claim_take`. contended: another worker was claiming for an agent, so looking again soon is worth it.

    refused: so many tasks failed for their cost, unstarted.
    """

    rows: list[Any] = field(default_factory=list)
    contended: bool = False
    refused: int = 0


@dataclass(slots=True)
class _Tick:
    """What one call of `claim` knows and finds out: clients not to start anything of, clients with a spend limit, agents that are done with."""

    executors: Sequence[str]
    held: set[int]
    limited: list[int]
    done: set[int] = field(default_factory=set)


@dataclass(slots=True)
class _Part:
    """What one agent gave. `more`: it may give more in this tick."""

    rows: list[Any] = field(default_factory=list)
    more: bool = False
    contended: bool = False
    refused: int = 0
    too_dear: frozenset[int] = frozenset()


def claim(db: psycopg.Connection, terms: Terms, executors: Sequence[str], slots: int) -> Claimed:
    """Fill up to `slots` slots from the agents that have ready work, best head first.

    An agent gives tasks of the levels that no other agent's head is above; if slots are left after all have been asked, those that have
    more are asked again. So nobody's bulk work takes the slot of somebody else's urgent task.
    """
    if slots <= 0:
        return Claimed()
    tick, parts, left = _begin(db, executors), [], slots
    again = True
    while again and left > 0:
        again = False
        heads = [head for head in _look(db, terms.heads, executors) if head.agent_id not in tick.done]
        for head, following in zip_longest(heads, heads[1:]):
            floor = following.priority if following else None
            try:
                part = queue.retried(partial(claim_for, db, terms, head, left, tick, floor))
            except psycopg.OperationalError:
                if not any(part.rows for part in parts):
                    raise
                return _all(parts)  # what is committed is to be started whether the database is there or not
            parts.append(part)
            left -= len(part.rows)
            again |= part.more
            if not part.more:
                tick.done.add(head.agent_id)
            tick.held |= part.too_dear
            if left <= 0:
                break
    return _all(parts)


def _look(db: psycopg.Connection, heads: Heads, executors: Sequence[str]) -> list[Any]:
    """The candidates; after a full look that was slow, where their lines begin is remembered."""
    if (starts := heads.starts) and (found := queue.candidates(db, executors, starts)):
        return found
    began = time.monotonic()
    found = queue.candidates(db, executors, {})
    if time.monotonic() - began > SLOW_SECONDS:
        heads.remember(queue.levels(db, [head.agent_id for head in found]))
    return found


def _all(parts: list[_Part]) -> Claimed:
    rows = [row for part in parts for row in part.rows]
    return Claimed(rows, any(part.contended for part in parts), sum(part.refused for part in parts))


def _begin(db: psycopg.Connection, executors: Sequence[str]) -> _Tick:
    """Which clients are paused, and which have spent what they may."""
    clients = queue.clients_to_heed(db)
    held, limited = {row.id for row in clients if row.is_paused}, [row.id for row in clients if row.has_purse]
    rows = queue.spending(db, clients=limited) if limited else []
    spent_out = [row for row in rows if (purse := spending.purse(row)) and purse.left <= 0]
    if notices := [notice for row in spent_out for notice in spending.reached(row)]:
        queue.note_spending(db, notices)
    held |= {row.id for row in spent_out}
    return _Tick(executors, held, [client for client in limited if client not in held])


def claim_for(
    db: psycopg.Connection,
    terms: Terms,
    head: Any,
    slots: int,
    tick: _Tick,
    least_priority: int | None = None,
) -> _Part:
    """One transaction for one agent (a row of `claim_candidates`); nothing if somebody else is at it, or if nothing fits."""
    free = not (head.limited or head.has_purse or head.has_ceiling or tick.limited)
    look_ahead = min(terms.look_ahead, slots) if free else terms.look_ahead
    start = terms.heads.start(head.agent_id, head.priority)
    with queue.short_transaction(db):
        opened = queue.open_claim(
            db, head, free=free, look_ahead=look_ahead, held=sorted(tick.held), limited_clients=tick.limited,
            executors=tick.executors, lease_seconds=terms.lease_seconds, reserve_after=terms.reserve_after,
            start=start,
        )  # fmt: skip
        if opened.agent is None or (opened.agent.pool_id is not None and opened.pool is None):
            return _Part(contended=True)
        if not _knows(head, opened.agent):
            return _Part(contended=True, more=True)
        faults.point("claim:locked")
        costs = queue.costs_so_far(db, opened.line) if head.has_ceiling else {}
        waiting, refusals = _line(opened, costs)
        purses = _purses(opened)
        admission = admit(
            waiting, _budgets(opened), slots, opened.agent.now, terms.reserve_after, _elsewhere(opened), purses, least_priority
        )  # fmt: skip
        refused = queue.refuse(db, head.agent_id, refusals) if refusals else None
        _note(db, opened, admission)
        taken = _take(db, terms, head.agent_id, admission)
        faults.point("claim:taken")
    rows = taken.fetchall() if taken else []
    hidden = len(opened.line) >= look_ahead and not free
    dear = frozenset(
        task.client_id for task in admission.too_dear if hidden and task.client_id in purses.clients
    )
    # All that is known of the level was taken, and slots are left: whatever else there is has to be looked for
    runs_out = start is not None and len(admission.admitted) == len(opened.line) < slots
    if runs_out:
        terms.heads.forget(head.agent_id)
    more = admission.below or bool(dear) or (bool(refusals) and hidden) or (runs_out and bool(rows))
    return _Part(rows, more, refused=refused.rowcount if refused else 0, too_dear=dear)


def _knows(head: Any, agent: Any) -> bool:
    """Whether everything that the locked row limits has been read; a limit that was set since the look at the heads was not."""
    money = any(
        spending.limit(agent, level, period) is not None
        for level in ("warn", "stop")
        for period in spending.PERIODS
    )
    cooling = agent.cooldown_until is not None and agent.cooldown_until > agent.now - GENTLE_FOR
    stops = any(spending.limit(agent, "stop", period) is not None for period in spending.PERIODS)
    limited = agent.pool_id is not None or _limits(agent) != Limits() or stops or cooling
    return (
        (head.limited or not limited)
        and (head.has_purse or not money)
        and (head.has_ceiling or agent.document_cost_ceiling is None)
    )


def rates_of(task: Any) -> Rates:
    """What a task reserves, from a row with its estimates."""
    return projected(
        task.estimated_tokens, task.estimated_output_tokens, task.estimated_requests, task.estimated_seconds
    )


def usd_of(task: Any, prices: dict[int, Any]) -> Decimal:
    """What a task is expected to cost; nothing where its version has no price."""
    price = prices.get(task.agent_version_id)
    if price is None:
        return NOTHING
    return spending.expected_usd(
        task.estimated_tokens, task.estimated_output_tokens, price.input_usd, price.output_usd
    )


def _line(opened: queue.Opened, costs: dict[int, Decimal]) -> tuple[list[Waiting], dict[int, str]]:
    """The tasks in order, without those that would cost more than a document may; and why those are refused."""
    waiting: list[Waiting] = []
    refusals: dict[int, str] = {}
    for task in opened.line:
        usd = usd_of(task, opened.prices)
        why = spending.over_ceiling(costs.get(task.id, NOTHING), usd, opened.agent.document_cost_ceiling)
        if why:
            refusals[task.id] = why
            continue
        waiting.append(
            Waiting(
                task.id,
                task.priority,
                rates_of(task),
                task.client_id,
                task.blocked_since,
                task.blocked_by,
                usd,
            )
        )
    return waiting, refusals


def _elsewhere(opened: queue.Opened) -> Reserved | None:
    other = opened.reserved
    return Reserved(other.priority) if other and other.agent_id != opened.agent.id else None


def _purses(opened: queue.Opened) -> Purses:
    found = {(row.holder, row.id): spending.purse(row) for row in opened.spending}
    clients = {id: purse for (holder, id), purse in found.items() if holder == "client" and purse}
    return Purses(found.get(("agent", opened.agent.id)), clients)


def _note(db: psycopg.Connection, opened: queue.Opened, admission: Admission) -> None:
    """Write down what was found on the way: who is blocked, who is not any more, which spend levels are reached."""
    if admission.block is not None:
        queue.mark_blocked(db, admission.block, admission.blocked_by)
        faults.point("claim:blocked")
    if freed := [task.id for task in admission.too_dear if task.blocked_since is not None]:
        queue.unblock(db, freed)
    notices = []
    for row in opened.spending:
        wanted = [
            task.usd for task in admission.too_dear if row.holder == "agent" or task.client_id == row.id
        ]
        notices += spending.reached(row, spending.least(wanted))
    if notices:
        queue.note_spending(db, notices)


def _take(db: psycopg.Connection, terms: Terms, agent: int, admission: Admission) -> psycopg.Cursor | None:
    chosen = admission.admitted
    if not chosen:
        return None
    return queue.take(
        db, agent=agent, worker=terms.worker, lease_seconds=terms.lease_seconds,
        tasks=[task.id for task in chosen], attempts=[uuid4() for _ in chosen], tpm=[task.rates.tpm for task in chosen],
        output_tpm=[task.rates.output_tpm for task in chosen], rpm=[task.rates.rpm for task in chosen], usd=[task.usd for task in chosen],
    )  # fmt: skip


def _limits(row: Any) -> Limits:
    return Limits(row.max_concurrent_tasks, row.max_tpm, row.max_output_tpm, row.max_requests_per_minute)


def _budgets(opened: queue.Opened) -> list[Budget]:
    """The budgets of the agent and of its pool as their locked rows say, shortly after a cool-down with fewer at once."""
    return [
        budget(name, holder, opened.used.get(name), opened.agent.now)
        for name, holder in (("agent", opened.agent), ("pool", opened.pool))
        if holder is not None
    ]


def budget(name: str, holder: Any, use: Any | None, now: Any) -> Budget:
    """A budget from the row of an agent or pool and its row of `claim_count` (None: nothing is in use)."""
    limits = gentle(_limits(holder), holder.cooldown_until, now)
    return (
        Budget(name, limits, use.running, Rates(use.tpm, use.output_tpm, use.rpm))
        if use
        else Budget(name, limits)
    )
