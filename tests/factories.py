"""Small functions that make the rows a test begins with; each takes what matters to the test and fills in the rest."""

from __future__ import annotations

import hashlib
import io
import itertools
import uuid
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import Group, User
from django.db import connection
from pypdf import PdfWriter

from tasks.models import Agent, AgentVersion, Attempt, Client, Document, Extraction, Membership, Task
from tasks.states import Priority, TaskStatus

_numbers = itertools.count(1)
PASSWORD = "a-long-enough-password"


def database_now() -> datetime:
    """The database's clock, the only one that decides anything."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT agentaudit_now()")
        return cursor.fetchone()[0]


def make_user(name: str = "", *groups: str, clients: tuple[Client, ...] = (), **fields: Any) -> User:
    """A user who can log in with PASSWORD, in these groups, a member of these clients."""
    user = User.objects.create_user(name or f"user{next(_numbers)}", password=PASSWORD, **fields)
    user.groups.set(Group.objects.filter(name__in=groups))
    assert user.groups.count() == len(groups), f"unknown group among {groups}"
    Membership.objects.bulk_create(Membership(user=user, client=client) for client in clients)
    return user


def make_client(name: str = "", **fields: Any) -> Client:
    return Client.objects.create(name=name or f"Client {next(_numbers)}", **fields)


def make_agent(
    name: str = "", *, program: str = "rules", options: dict | None = None, model: str = "", **fields: Any
) -> Agent:
    """An agent with its first version."""
    agent = Agent.objects.create(name=name or f"agent-{next(_numbers)}", **fields)
    agent.current_version = AgentVersion.objects.create(
        agent=agent, number=1, program=program, options=options or {}, model=model
    )
    agent.save(update_fields=("current_version",))
    return agent


def make_document(
    client: Client, name: str = "", *, pages: int | None = 1, sha256: str = "", **fields: Any
) -> Document:
    """A document's row; no bytes are stored unless the test does so."""
    number = next(_numbers)
    sha256 = sha256 or hashlib.sha256(f"document {number}".encode()).hexdigest()
    fields = {"size_bytes": 1000, "storage_name": f"documents/{sha256[:2]}/{sha256}.pdf", **fields}
    return Document.objects.create(
        client=client, original_name=name or f"invoice-{number}.pdf", pages=pages, sha256=sha256, **fields
    )


def make_extraction(
    client: Client, agent: Agent, *, priority: int = Priority.NORMAL, **fields: Any
) -> Extraction:
    """An extraction without tasks."""
    return Extraction.objects.create(client=client, agent=agent, priority=priority, **fields)


def make_task(extraction: Extraction, document: Document | None = None, **fields: Any) -> Task:
    """A waiting task, written past the queue. Pass `status` and what its constraints ask for to get another."""
    now = database_now()
    values = {
        "priority": extraction.priority, "start_key": int(now.timestamp() * 1_000_000),
        "created_at": now, "enqueued_at": now, "available_at": now, **fields,
    }  # fmt: skip
    return Task.objects.create(
        extraction=extraction, client=extraction.client, agent=extraction.agent,
        agent_version=extraction.agent.current_version, document=document or make_document(extraction.client), **values,
    )  # fmt: skip


def make_attempt(task: Task, status: str = "running", **fields: Any) -> Attempt:
    """An attempt of a task, written past the queue; ended ones get their times."""
    now = database_now()
    ended = {} if status in ("claimed", "starting", "running") else {"finished_at": now, "ended_at": now}
    values = {
        "number": task.attempts.count() + 1,
        "priority": task.priority, "worker": uuid.uuid4(), "claimed_at": now - timedelta(seconds=5), "started_at": now,
        "deadline_at": now + timedelta(hours=1), "rate_held_until": now + timedelta(hours=1), **ended, **fields,
    }  # fmt: skip
    return Attempt.objects.create(
        task=task, generation=task.generation, agent=task.agent, agent_version=task.agent_version,
        client=task.client, executor="local", status=status, **values,
    )  # fmt: skip


def make_completed(
    extraction: Extraction, document: Document | None = None, *, result: dict, **fields: Any
) -> Task:
    """A completed task with its one attempt; `result` is a contract.Result as JSON. `fields` go to the attempt."""
    task = make_task(extraction, document)
    attempt = make_attempt(
        task, "completed", result=result, confidence=result["confidence"], settled_at=database_now(), **fields
    )
    Task.objects.filter(pk=task.pk).update(
        status=TaskStatus.COMPLETED, finished_at=attempt.finished_at, result_attempt=attempt.pk, attempts_made=1, attempts_burnt=1,
        confidence=result["confidence"], needs_review=result["needs_review"],
    )  # fmt: skip
    task.refresh_from_db()
    return task


def pdf_bytes(pages: int = 1, *, title: str = "", password: str = "") -> bytes:
    """A small PDF of empty pages; another title makes other bytes."""
    writer = PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(200, 200)
    writer.add_metadata({"/Title": title or "test"})
    if password:
        writer.encrypt(password, algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def result_json(
    *,
    confidence: float = 0.95,
    needs_review: bool = False,
    supplier: str = "Acme GmbH",
    total: str = "1234.50",
) -> dict[str, Any]:
    """A contract.Result as JSON: one invoice with a supplier, a total, no due date, and one line item."""

    def field(value: str | None, quote: str = "", reasons: tuple[str, ...] = ()) -> dict[str, Any]:
        box = {"x0": 0.1, "y0": 0.1, "x1": 0.2, "y1": 0.2}
        evidence = [{"page": 1, "box": box, "quote": quote}] if quote else []
        return {
            "value": value,
            "confidence": confidence,
            "source": "page",
            "evidence": evidence,
            "reasons": list(reasons),
        }

    reasons = ("Net and tax do not add up to the total.",) if needs_review else ()
    record = {
        "kind": "invoice",
        "fields": {
            "total": field(total, "1.234,50", reasons),
            "supplier": field(supplier, supplier),
            "due_date": field(None),
        },
        "lines": [{"description": field("Paper", "Paper"), "amount": field("12.00", "12,00")}],
        "first_page": 1,
        "last_page": 1,
    }
    return {
        "version": 1, "kind": "invoice", "language": "en", "pages": 1, "records": [record], "confidence": confidence,
        "needs_review": needs_review, "reasons": [], "notes": ["Contains JavaScript, which is never run."],
    }  # fmt: skip


def fill(extraction: Extraction, error_code: str) -> None:
    """Give an extraction tasks that are completed (one for review), failed with this code, and processed."""
    audited = extraction.client
    make_completed(extraction, make_document(audited, "good.pdf"), result=result_json())
    doubtful = result_json(confidence=0.62, needs_review=True)
    make_completed(extraction, make_document(audited, "doubtful.pdf"), result=doubtful)
    message = "This PDF has no pages."
    failed = make_task(extraction, make_document(audited, "failed.pdf"))
    attempt = make_attempt(failed, "failed", error_code=error_code, error_message=message)
    Task.objects.filter(pk=failed.pk).update(
        status="failed", finished_at=attempt.finished_at, error_code=error_code, error_message=message
    )
    running = make_task(extraction, make_document(audited, "running.pdf", pages=30))
    attempt = make_attempt(running, "running", pages_done=12, pages_total=30)
    Task.objects.filter(pk=running.pk).update(
        status="processing", locked_by="worker:x", lease_owner=attempt.worker, lease_expires_at=attempt.deadline_at, current_attempt=attempt.pk
    )  # fmt: skip
