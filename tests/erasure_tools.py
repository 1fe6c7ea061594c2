"""What tests of deleting a client share: a client with everything that can be had, and looks into every table and file."""

from __future__ import annotations

import io
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.db import connection
from psycopg import sql

from tasks import erasure
from tasks.audit import Actor
from tasks.models import (
    Agent,
    Attempt,
    AttemptResult,
    Client,
    Delivery,
    Document,
    Extraction,
    Task,
)
from tasks.orders import kept_name, log_name, outcome_name
from tasks.storage import get_storage
from tests.factories import (
    database_now,
    make_completed,
    make_document,
    pdf_bytes,
    result_json,
)

CANARY = "Kanarienvogel"
ACTOR = Actor("erika")
WHY = "the engagement ended"
SHARED = pdf_bytes(title="shared")


@dataclass
class World:
    """A client with everything that can be had, and another one with some of the same."""

    client: Client
    other: Client
    agent: Agent
    done: Task
    failed: Task
    waiting: Task
    others: Task


def put(name: str, content: bytes = CANARY.encode()) -> str:
    get_storage().put(name, io.BytesIO(content))
    return name


def has_read(extraction: Extraction, document: Document, word: str = CANARY) -> Task:
    """Read long ago, settled, with a trace and all its files."""
    long_ago = database_now() - timedelta(days=70)
    named = {
        "trace_id": f"tr-{uuid4().hex}",
        "finished_at": long_ago,
        "ended_at": long_ago,
        "claimed_at": long_ago - timedelta(seconds=9),
    }
    task = make_completed(
        extraction, document, result=result_json(supplier=word), cost_usd="0.123456", cost_state="settled", compute_cost_usd="0.5",
        compute_cost_state="settled", input_tokens=100, output_tokens=10, model="m", conflict={"message": word}, **named,
    )  # fmt: skip
    for name in (outcome_name(task.result_attempt), log_name(task.result_attempt), f"attempts/{task.result_attempt}.in.json",
                 f"attempts/{task.result_attempt}.result.json", f"{kept_name(task.pk, 1, 1)}.{'a' * 64}"):  # fmt: skip
        put(name)
    AttemptResult.objects.create(attempt=task.result_attempt, result={"text": word}, sha256="a" * 64)
    Delivery.objects.create(
        attempt=task.result_attempt, webhook_id="1", received_at=long_ago, body_sha256="0", size_bytes=1, event="attempt.completed",
        outcome="applied", milliseconds=1, body=word.encode(),
    )  # fmt: skip
    return task


def shared_document(client: Client, name: str = f"{CANARY}.pdf") -> Document:
    """Stored as documents were before clients had folders of their own."""
    sha256 = "ab" * 32
    return make_document(client, name, sha256=sha256, storage_name=f"documents/ab/{sha256}.pdf")


def erase(client: Client) -> erasure.Progress:
    erasure.begin(ACTOR, client, WHY)
    return list(erasure.go_on(ACTOR, client))[-1]


def holding(word: str) -> list[str]:
    """Tables with a row that has the word in any column, as text or as bytes."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(
                sql.SQL("SELECT count(*) FROM {} t WHERE t::text ILIKE %s OR t::text ILIKE %s").format(sql.Identifier(table)),
                (f"%{word}%", f"%{word.encode().hex()}%"),
            )  # fmt: skip
            found += [table] * (cursor.fetchone()[0] > 0)
    return found


def stored() -> set[str]:
    return set(get_storage().names(""))


def rows_of(client: Client) -> list[Any]:
    """Every row of a client, as it is stored."""
    return [
        list(model.objects.filter(**{path: client}).order_by("pk").values())
        for model, path in (
            (Document, "client"),
            (Extraction, "client"),
            (Task, "client"),
            (Attempt, "client"),
        )
    ]
