"""Turns a claimed row into the order that an attempt gets: paths, limits, and the secrets that nobody else sees."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings

from tasks.agent import signatures
from tasks.agent.contract import Checkpoints, Endpoint, Limits, Order, ResultTable, Tracing
from tasks.sealing import unseal
from tasks.storage import Storage

CPU_SHARE = 1.0
"""Processor seconds that an attempt may use per second of its longest run: one whole core."""
KEPT = "kept/"
LONGEST_ADDRESS = 500
POSTGRES_PORT = 5432


def outcome_name(attempt: UUID) -> str:
    return f"attempts/{attempt}.json"


def callback_secrets(attempt: UUID) -> list[str]:
    """The secrets that sign for an attempt: the present one first, then those that are being rotated out."""
    return [signatures.derive(master, attempt) for master in settings.WEBHOOK_SECRETS]


def callback_url(attempt: UUID) -> str:
    """Where a run that has no pipe to its worker posts its events."""
    return f"{settings.PUBLIC_URL}/webhooks/attempts/{attempt}/"


def log_name(attempt: UUID) -> str:
    return f"attempts/{attempt}.log"


def kept_name(task: int, generation: int, version: int) -> str:
    """What the names of a task's kept answers begin with; each is followed by a dot and the hash of what was asked."""
    return f"{KEPT}{task}-{generation}-{version}"


def order(row: Any, storage: Storage, max_pages: int) -> Order:
    """The order for a row of `claim_take`. Raises StorageError if the storage cannot say where things are."""
    options = _settings(row.options)
    asks_models: dict[str, Any] = {}
    if row.model or options.get("ocr_engine") == "databricks":
        name = kept_name(row.task_id, row.generation, row.agent_version_id)
        asks_models["kept"] = str(storage.path_for_attempt(name))
    if row.model:
        asks_models["endpoint"] = endpoint_of(options.get("endpoint") or "", row.executor)
        options = {**options, "model": row.model}
    return Order(
        attempt=row.attempt_id,
        task=row.task_id,
        number=row.number,
        generation=row.generation,
        program=row.program,
        settings=options,
        document=str(storage.path_for_attempt(row.storage_name)),
        document_sha256=row.sha256,
        document_name=row.original_name,
        password=unseal(row.sealed_password),
        outcome=str(storage.path_for_attempt(outcome_name(row.attempt_id))),
        callback_secret=signatures.derive(settings.WEBHOOK_SECRETS[0], row.attempt_id),
        limits=_limits(row.memory_mib, row.timeout_seconds, max_pages),
        tracing=_tracing(row),
        result_table=_result_table(row.executor),
        checkpoints=_checkpoints(options, row.executor),
        **asks_models,
    )


def _checkpoints(options: dict[str, Any], executor: str) -> Checkpoints | None:
    """The database of checkpoints, for versions that ask for it, on this machine: its password is in no file of a remote run."""
    if options.get("checkpoints") is not True or executor != "local" or not settings.CHECKPOINT_DATABASE_URL:
        return None
    return Checkpoints(url=settings.CHECKPOINT_DATABASE_URL, password_file=settings.CHECKPOINT_PASSWORD_FILE)


def _result_table(executor: str) -> ResultTable | None:
    """The table that runs insert their outcome into, if they are to; they log in as who they are, so that it needs no secret."""
    if settings.RESULT_TRANSPORT != "lakebase" or executor == "local":
        return None
    database = settings.DATABASES["default"]
    return ResultTable(
        endpoint=settings.LAKEBASE_ENDPOINT,
        instance=settings.LAKEBASE_INSTANCE,
        database=database["NAME"],
        schema_name=settings.LAKEBASE_SCHEMA,
        port=int(database["PORT"] or POSTGRES_PORT),
    )


def _tracing(row: Any) -> Tracing | None:
    """By what an attempt's trace is found, and where a remote run writes it; on this machine the exporter does."""
    if not settings.TRACING:
        return None
    tags = {
        "task": str(row.task_id),
        "attempt": str(row.attempt_id),
        "number": str(row.number),
        "client": row.client,
        "agent": row.agent,
        "version": str(row.version),
    }
    return Tracing(
        tags=tags,
        content=settings.TRACE_CONTENT,
        uri=settings.MLFLOW_TRACKING_URI,
        experiment=settings.MLFLOW_EXPERIMENT,
    )


def endpoint_of(own_url: object, executor: str) -> Endpoint:
    """The address of an agent's models, with its key where the attempt runs on this machine; a remote run has rights of its own.

    OPENAI_API_KEY is for OPENAI_BASE_URL alone: whoever may edit an agent could send it anywhere otherwise.
    """
    url = str(own_url or settings.OPENAI_BASE_URL)[:LONGEST_ADDRESS]
    if executor != "local":
        return Endpoint(base_url=url)
    scheme, netloc, host = _address(url)
    file = Path(settings.MODEL_KEYS_DIR, host) if settings.MODEL_KEYS_DIR and host else None
    ours = (scheme, netloc) == _address(settings.OPENAI_BASE_URL)[:2]
    return Endpoint(
        base_url=url,
        key=settings.OPENAI_API_KEY if ours else "",
        key_file=str(file) if file and file.is_file() else "",
    )


def _address(url: str) -> tuple[str, str, str]:
    """Scheme, host with port, and host; empty where this is no address, which the attempt says in a sentence."""
    try:
        address = urlsplit(url)
        return address.scheme, address.netloc.lower(), address.hostname or ""
    except ValueError:
        return "", "", ""


@lru_cache(maxsize=100)
def _settings(options: str) -> dict[str, Any]:
    """The settings of an agent version; most orders of a claim have the same."""
    return json.loads(options)


@lru_cache(maxsize=100)
def _limits(memory_mib: int, seconds: int, pages: int) -> Limits:
    return Limits(
        memory_mib=memory_mib, cpu_seconds=max(1, int(seconds * CPU_SHARE)), wall_seconds=seconds, pages=pages
    )
