"""Turns a claimed row into the order that an attempt gets: paths, limits, and the password that nobody else sees."""

from __future__ import annotations

import json
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
        settings=json.loads(row.options),
        document=str(storage.path_for_attempt(row.storage_name)),
        document_sha256=row.sha256,
        document_name=row.original_name,
        password=unseal(row.sealed_password),
        outcome=str(storage.path_for_attempt(outcome_name(row.attempt_id))),
        callback_secret=callback_secrets(row.attempt_id)[0],
        limits=Limits(
            memory_mib=row.memory_mib,
            cpu_seconds=max(1, int(row.timeout_seconds * CPU_SHARE)),
            wall_seconds=row.timeout_seconds,
            pages=max_pages,
        ),
    )
