"""Pages without a browser: an extraction in every state, looked at by an operator."""

from __future__ import annotations

import pytest
from django.test import Client as Browser
from django.urls import reverse

from tasks.models import Task
from tests.factories import (
    make_agent,
    make_attempt,
    make_client,
    make_completed,
    make_document,
    make_extraction,
    make_task,
    make_user,
    result_json,
)  # fmt: skip


@pytest.fixture
def world(db, client: Browser):
    """An extraction in every state, looked at by an operator."""
    audited, agent = make_client("Nordwind & Söhne"), make_agent("reader")
    extraction = make_extraction(audited, agent, engagement="Year-end")
    make_completed(extraction, make_document(audited, "good.pdf"), result=result_json())
    make_completed(
        extraction,
        make_document(audited, "doubtful.pdf"),
        result=result_json(confidence=0.62, needs_review=True),
    )
    make_task(extraction, make_document(audited, "waiting.pdf"))
    failed = make_task(extraction, make_document(audited, "failed.pdf"))
    attempt = make_attempt(failed, "failed", error_code="corrupt", error_message="This PDF has no pages.")
    Task.objects.filter(pk=failed.pk).update(
        status="failed",
        finished_at=attempt.finished_at,
        error_code="corrupt",
        error_message="This PDF has no pages.",
    )
    running = make_task(extraction, make_document(audited, "running.pdf", pages=30))
    attempt = make_attempt(running, "running", pages_done=12, pages_total=30)
    Task.objects.filter(pk=running.pk).update(
        status="processing",
        locked_by="worker:x",
        lease_owner=attempt.worker,
        lease_expires_at=attempt.deadline_at,
        current_attempt=attempt.pk,
    )
    client.force_login(make_user("bob", "Operator"))
    return client, extraction


def page_of(world, name: str = "extraction", **query: object) -> str:
    return world[0].get(reverse(name, args=(world[1].pk,)), query).content.decode()


def task_named(name: str) -> Task:
    return Task.objects.get(document__original_name=name)
