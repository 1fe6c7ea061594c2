"""Prices as they stand now, and what attempts under way have cost so far: their tokens by these prices."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from decimal import Decimal
from typing import Any
from uuid import UUID

import psycopg

from tasks import queue
from tasks.costs.prices import PriceRow, Tokens, cost


def prices_now(db: psycopg.Connection, models: Iterable[str]) -> dict[str, PriceRow]:
    """The present price of each model that has one."""
    wanted = sorted(set(models) - {""})
    found = queue.prices_of(db, wanted) if wanted else {}
    return {
        model: PriceRow(row.id, row.input_usd, row.output_usd, row.cache_read_usd, row.cache_write_usd)
        for model, row in found.items()
    }


def costs_so_far(db: psycopg.Connection, attempts: Collection[Any]) -> dict[UUID, Decimal]:
    """USD by attempt, of those that are under way and whose tokens and prices are known; what is unknown is left out."""
    live = [attempt for attempt in attempts if attempt.finished_at is None and attempt.cost_usd is None]
    prices = prices_now(db, (attempt.model for attempt in live))
    found = {
        attempt.pk: cost(_tokens(attempt), prices[attempt.model])
        for attempt in live
        if attempt.model in prices
    }
    return {attempt: usd for attempt, usd in found.items() if usd is not None}


def _tokens(attempt: Any) -> Tokens:
    return Tokens(
        attempt.input_tokens, attempt.output_tokens, attempt.cache_read_tokens, attempt.cache_write_tokens
    )
