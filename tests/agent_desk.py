"""An agent that asks a model, with fields of its own, and an engineer who is signed in."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client as Browser
from django.urls import reverse

from tasks import versions
from tasks.audit import Actor
from tasks.models import Agent
from tests.factories import make_client, make_user

SCHEMA = {
    "kind": "note",
    "fields": [
        {"name": "number", "type": "text", "required": True, "description": "Printed at the top"},
        {"name": "state", "type": "choice", "choices": ["open", "paid"]},
        {"name": "lines", "type": "list", "fields": [{"name": "item", "type": "text"}, {"name": "amount", "type": "money"}]},
    ],
}  # fmt: skip


@pytest.fixture
def agent(db) -> Agent:
    agent = Agent.objects.create(name="notes")
    values = {"program": "llm", "model": "m-1", "schema": SCHEMA, "options": {"language": "de"}}
    versions.make(Actor.system("test"), agent, versions.changed(None, values))
    return agent


@pytest.fixture
def eric(client: Browser, db) -> Browser:
    nordwind = make_client("Nordwind")
    client.force_login(make_user("eric", "Engineer", is_staff=True, clients=(nordwind,)))
    return client


def editor(agent: Agent) -> str:
    return reverse("admin:tasks_agent_schema", args=(agent.pk,))


def now(agent: Agent) -> Any:
    return Agent.objects.select_related("current_version").get(pk=agent.pk).current_version


def form_of(browser: Browser, url: str) -> dict[str, Any]:
    """What the agent's form holds, with what it remembers of the first look."""
    data: dict[str, Any] = {}
    for bound in browser.get(url).context["adminform"].form:
        if (value := bound.value()) not in (None, False):
            data[bound.html_name] = getattr(value, "pk", value)
            if bound.field.show_hidden_initial:
                data[bound.html_initial_name] = data[bound.html_name]
    return data
