"""A client with an old extraction that has everything, a young one that shares a file with it, and another client's old one."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tasks.models import SeenNumber
from tests.erasure_tools import CANARY, has_read
from tests.factories import database_now, make_agent, make_attempt, make_client, make_extraction, make_task
from tests.prune_tools import YOUNG, Ages, age, document


@pytest.fixture
def ages(transactional_db, store) -> Ages:
    client, other, agent = make_client("Nordwind"), make_client("Südwind"), make_agent("reader")
    locked = document(client, CANARY)
    entry = {
        "name": CANARY,
        "code": "encrypted",
        "sentence": CANARY,
        "document_id": locked.pk,
        "task_id": None,
    }
    old = make_extraction(client, agent, engagement="2024", refused=[entry])
    done = has_read(old, document(client, CANARY))
    SeenNumber.objects.create(client=client, key=uuid4(), task=done)
    failed = make_task(
        old, document(client, CANARY), status="failed", finished_at=database_now(), error_code="corrupt", error_message=CANARY
    )  # fmt: skip
    make_attempt(failed, "failed", error_code="corrupt", error_message=CANARY)
    shared = document(client, YOUNG)
    has_read(old, shared)
    young = make_extraction(client, agent, engagement="2026")
    has_read(young, shared, YOUNG)
    others = make_extraction(other, agent, engagement="2024")
    has_read(others, document(other, YOUNG), YOUNG)
    for extraction in (old, others):
        age(extraction)
    return Ages(client, other, old, young, others, done, failed, shared, locked)
