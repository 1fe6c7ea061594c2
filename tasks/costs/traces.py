"""Compares the tokens that an attempt's event told with those in its trace, by the trace's id, and keeps what differs.

The event counts: it was settled once (I5). Where it told nothing, as of an attempt that was killed, tokens and cost come from the trace.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

import psycopg
from django.db import transaction

from tasks import queue
from tasks.agent.trace_store import Stored
from tasks.costs.prices import PriceRow, Tokens, cost
from tasks.costs.running import prices_now
from tasks.queue import traced

BATCH = 100
MISSING_AFTER_SECONDS = 600.0
"""So long after its end an attempt's trace is called missing; it is looked for again once an hour for a day."""
KINDS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
AGAIN_SECONDS = 60.0
START = (datetime(1970, 1, 1, tzinfo=UTC), UUID(int=0))

Read = Callable[[Sequence[str]], dict[str, Stored]]


class Reconciler:
    """One round over what waits to be compared per call of `tick`, a batch at a time, so that a trace that is away holds up no other."""

    def __init__(self) -> None:
        self._after: tuple[Any, UUID] = START
        self._again_at = 0.0

    def tick(self, db: psycopg.Connection, read: Read) -> bool:
        """Compare one batch; whether another one waits in this round. `read` may raise; nothing is changed then."""
        rows = traced.traces_to_read(db, self._after, BATCH)
        full = len(rows) == BATCH
        self._after = (rows[-1].finished_at, rows[-1].id) if full else START
        if not rows and time.monotonic() >= self._again_at:
            rows, self._again_at = traced.missing_traces(db, BATCH), time.monotonic() + AGAIN_SECONDS
        if rows:
            found = read([row.trace_id for row in rows])
            queue.retried(partial(_settle, db, {row.id: found.get(row.trace_id) for row in rows}))
        return full


def _settle(db: psycopg.Connection, found: dict[UUID, Stored | None]) -> None:
    with transaction.atomic():
        attempts = traced.lock_for_traces(db, list(found), MISSING_AFTER_SECONDS)
        prices = prices_now(db, (_model(attempt, found[attempt.id]) for attempt in attempts))
        judged = [(attempt, found[attempt.id]) for attempt in attempts]
        rows = [reconciled(attempt, trace, prices) for attempt, trace in judged if trace or attempt.overdue]
        if rows:
            traced.write_traces(db, rows)


def reconciled(attempt: Any, trace: Stored | None, prices: dict[str, PriceRow]) -> dict[str, Any]:
    """A row of `trace_reconcile`: what the trace says (None: there is none), and what the attempt says after that. Pure."""
    told = Tokens(
        attempt.input_tokens, attempt.output_tokens, attempt.cache_read_tokens, attempt.cache_write_tokens
    )
    traced = _tokens(trace)
    tokens = filled(told, traced, settled=attempt.settled)
    model = _model(attempt, trace)
    usd, price_id, state = attempt.cost_usd, attempt.price_id, attempt.cost_state
    if tokens != told and (known := _cost(tokens, prices.get(model))) is not None:
        usd, price_id, state = known, prices[model].id, "estimated"
    return {
        "id": attempt.id, "agent_id": attempt.agent_id, "client_id": attempt.client_id,
        "state": verdict(told, tokens, traced) if trace else "missing",
        "model": model, "calls": attempt.calls if attempt.calls is not None or trace is None else trace.calls,
        "input_tokens": tokens.input, "output_tokens": tokens.output,
        "cache_read_tokens": tokens.cache_read, "cache_write_tokens": tokens.cache_write,
        "cost_usd": usd, "cost_state": state, "price_id": price_id, "cost_delta": (usd or 0) - (attempt.cost_usd or 0),
        "trace_calls": trace.calls if trace else None, "trace_cost_usd": trace.cost_usd if trace else None,
        "trace_input_tokens": traced.input, "trace_output_tokens": traced.output,
        "trace_cache_read_tokens": traced.cache_read, "trace_cache_write_tokens": traced.cache_write,
    }  # fmt: skip


def filled(told: Tokens, traced: Tokens, *, settled: bool) -> Tokens:
    """What the attempt used: what its outcome told; where there was no outcome, the greater of its last progress and its trace."""
    return told if settled and told != Tokens() else told.at_least(traced)


def verdict(told: Tokens, tokens: Tokens, traced: Tokens) -> str:
    """How the two compare. A kind that nobody told and one of which none was used are the same."""
    if tokens != told:
        return "filled"
    return "agrees" if _counted(told) == _counted(traced) else "differs"


def _counted(tokens: Tokens) -> tuple[int, ...]:
    return (tokens.input or 0, tokens.output or 0, tokens.cache_read or 0, tokens.cache_write or 0)


def _cost(tokens: Tokens, price: PriceRow | None) -> Decimal | None:
    return cost(tokens, price) if price else None


def _tokens(trace: Stored | None) -> Tokens:
    return Tokens(*(trace.tokens[name] for name in KINDS)) if trace else Tokens()


def _model(attempt: Any, trace: Stored | None) -> str:
    """The model that answered, as the attempt says, or its trace where the attempt does not."""
    return attempt.model or (trace.model if trace else "")
