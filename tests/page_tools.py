"""Pages without a browser: an extraction in every state, looked at by an operator."""

from __future__ import annotations

import pytest
from django.test import Client as Browser
from django.urls import reverse

from tasks.models import Task
from tests.factories import (
    fill,
    make_agent,
    make_client,
    make_document,
    make_extraction,
    make_task,
    make_user,
)  # fmt: skip


@pytest.fixture
def world(db, client: Browser):
    """An extraction in every state, looked at by an operator."""
    audited, agent = make_client("Nordwind & Söhne"), make_agent("reader")
    extraction = make_extraction(audited, agent, engagement="Year-end")
    fill(extraction, "corrupt")
    make_task(extraction, make_document(audited, "waiting.pdf"))
    client.force_login(make_user("bob", "Operator"))
    return client, extraction


def page_of(world, name: str = "extraction", **query: object) -> str:
    return world[0].get(reverse(name, args=(world[1].pk,)), query).content.decode()


def task_named(name: str) -> Task:
    return Task.objects.get(document__original_name=name)
