"""The client with everything that can be had, as tests of its deletion find it."""

from __future__ import annotations

import io
from uuid import uuid4

import pytest

from tasks import intake
from tasks.models import SeenNumber, Task
from tasks.sealing import seal
from tasks.traces import places
from tests.erasure_tools import ACTOR, CANARY, SHARED, World, has_read, put, shared_document
from tests.factories import (
    database_now,
    make_agent,
    make_attempt,
    make_client,
    make_extraction,
    make_task,
    pdf_bytes,
)


@pytest.fixture
def world(transactional_db, store) -> World:
    client, other, agent = (
        make_client("Nordwind"),
        make_client("Südwind"),
        make_agent("reader", program="rules"),
    )
    put(f"documents/ab/{'ab' * 32}.pdf", SHARED)
    extraction = make_extraction(
        client, agent, engagement="2026", refused=[{"name": CANARY, "code": "empty", "sentence": CANARY}]
    )
    done = has_read(extraction, shared_document(client))
    SeenNumber.objects.create(client=client, key=uuid4(), task=done)
    handed = [
        intake.Upload(f"{CANARY}.pdf", io.BytesIO(SHARED)),
        intake.Upload("locked.pdf", io.BytesIO(pdf_bytes(password=CANARY))),
    ]
    intake.take_in(ACTOR, client=client, agent=agent, uploads=handed)
    waiting = Task.objects.get(client=client, status="enqueued")
    Task.objects.filter(pk=waiting.pk).update(sealed_password=seal(CANARY))
    failed = make_task(
        extraction, status="failed", finished_at=database_now(), error_code="corrupt", error_message=CANARY
    )
    make_attempt(failed, "failed", error_code="corrupt", error_message=CANARY)
    others = has_read(
        make_extraction(other, agent, engagement="2026"), shared_document(other, "a.pdf"), "Rotkehlchen"
    )
    intake.take_in(ACTOR, client=other, agent=agent, uploads=[intake.Upload("a.pdf", io.BytesIO(SHARED))])
    return World(client, other, agent, done, failed, waiting, others)


@pytest.fixture
def store(monkeypatch) -> list[str]:
    """Ids of traces that were deleted, in place of MLflow's store; tests/test_erasure_stores.py has the real one."""
    deleted: list[str] = []
    fake = type("Store", (), {"delete": lambda _self, ids: deleted.extend(ids)})
    monkeypatch.setattr(places, "open_store", fake)
    return deleted
