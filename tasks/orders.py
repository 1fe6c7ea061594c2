"""Turns a claimed row into the order that an attempt gets: paths, limits, and the password that nobody else sees."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.conf import settings

from tasks.agent import signatures
from tasks.agent.contract import Limits, Order
from tasks.sealing import unseal
from tasks.storage import Storage

CPU_SHARE = 1.0
"""Processor seconds that an attempt may use per second of its longest run: one whole core."""


def outcome_name(attempt: UUID) -> str:
    return f"attempts/{attempt}.json"


def callback_secrets(attempt: UUID) -> list[str]:
    """The secrets that sign for an attempt: the present one first, then those that are being rotated out."""
    return [signatures.derive(master, attempt) for master in settings.WEBHOOK_SECRETS]


def log_name(attempt: UUID) -> str:
    return f"attempts/{attempt}.log"


def order(row: Any, storage: Storage, max_pages: int) -> Order:
    """The order for a row of `claim_take`. Raises StorageError if the storage cannot say where things are."""
    return Order(
        attempt=row.attempt_id,
        task=row.task_id,
        number=row.number,
        generation=row.generation,
        program=row.program,
        settings=_settings(row.options),
        document=str(storage.path_for_attempt(row.storage_name)),
        document_sha256=row.sha256,
        document_name=row.original_name,
        password=unseal(row.sealed_password),
        outcome=str(storage.path_for_attempt(outcome_name(row.attempt_id))),
        callback_secret=signatures.derive(settings.WEBHOOK_SECRETS[0], row.attempt_id),
        limits=_limits(row.memory_mib, row.timeout_seconds, max_pages),
    )


@lru_cache(maxsize=100)
def _settings(options: str) -> dict[str, Any]:
    """The settings of an agent version; most orders of a claim have the same."""
    return json.loads(options)


@lru_cache(maxsize=100)
def _limits(memory_mib: int, seconds: int, pages: int) -> Limits:
    return Limits(
        memory_mib=memory_mib, cpu_seconds=max(1, int(seconds * CPU_SHARE)), wall_seconds=seconds, pages=pages
    )
