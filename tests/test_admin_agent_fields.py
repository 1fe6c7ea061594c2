"""The fields of an agent are edited in a table and make versions; hostile and mistaken input is refused in words."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client as Browser
from django.urls import reverse

from tasks import versions
from tasks.agent.schema import Schema, ready_made
from tasks.models import Agent, AuditEntry
from tests import agent_desk
from tests.agent_desk import editor, form_of, now
from tests.factories import make_agent

agent, eric = agent_desk.agent, agent_desk.eric


def shown(browser: Browser, url: str) -> dict[str, Any]:
    """What the editor's form holds, as a browser would send it."""
    page = browser.get(url)
    assert page.status_code == 200
    top, rows = page.context["top"], page.context["rows"]
    data: dict[str, Any] = {
        field.html_name: field.value() for form in (top, rows.management_form, *rows) for field in form
    }
    return {name: value for name, value in data.items() if value not in (None, False)}


def test_saving_without_a_change_makes_no_version(eric: Browser, agent: Agent) -> None:
    response = eric.post(editor(agent), shown(eric, editor(agent)) | {"save": "1"})
    assert response.status_code == 302
    assert now(agent).number == 1


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"kind": "slip"}, {"kind": "slip"}),
        ({"form-0-name": "reference"}, {"fields.0.name": "reference"}),
        ({"form-0-type": "integer"}, {"fields.0.type": "integer"}),
        ({"form-0-description": "Below the address"}, {"fields.0.description": "Below the address"}),
        ({"form-0-required": ""}, {"fields.0.required": False}),
        ({"form-1-choices": "open; paid ;lost"}, {"fields.1.choices": ["open", "paid", "lost"]}),
        ({"form-0-position": "15"}, {"fields.0.name": "number"}),
        ({"form-0-position": "25"}, {"fields.0.name": "state"}),
        ({"form-3-DELETE": "on"}, {"fields.2.fields.0.name": "amount"}),
        ({"form-5-name": "lines.unit", "form-5-type": "text"}, {"fields.2.fields.2.name": "unit"}),
        ({"form-5-name": "due", "form-5-type": "date", "form-5-position": "1"}, {"fields.0.name": "due"}),
    ],
)  # fmt: skip
def test_each_input_of_the_editor_reaches_the_next_version(
    eric: Browser, agent: Agent, change: dict[str, str], expected: dict[str, Any]
) -> None:
    data = {name: value for name, value in (shown(eric, editor(agent)) | change).items() if value != ""}
    response = eric.post(editor(agent), data | {"save": "1"})
    assert response.status_code == 302, response.content.decode()
    version = now(agent)
    stored = Schema.of(version.options["schema"]).model_dump(mode="json")
    for path, value in expected.items():
        place: Any = stored
        for step in path.split("."):
            place = place[int(step)] if step.isdecimal() else place[step]
        assert place == value
    assert version.options["language"] == "de", "other settings stay"


def test_a_version_tells_what_changed_field_by_field_and_the_trail_by_whom(
    eric: Browser, agent: Agent
) -> None:
    eric.post(editor(agent), shown(eric, editor(agent)) | {"form-0-type": "integer", "save": "1"})
    assert now(agent).number == 2 and now(agent).created_by.username == "eric"
    page = eric.get(reverse("admin:tasks_agentversion_change", args=(now(agent).pk,))).content.decode()
    assert "schema.number" in page and "text, required: Printed at the top" in page
    assert "schema.state" not in page.split("estimates")[0]
    assert AuditEntry.objects.filter(verb="new_version").latest("pk").actor_name == "eric"
    assert AuditEntry.objects.filter(verb="new_version").latest("pk").after["number"] == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "My Note"}, "has to begin with a letter"),
        ({"kind": ""}, "This field is required"),
        ({"form-0-name": "Nr."}, "there is no such field"),
        ({"form-0-name": "NR"}, "The name “NR” has to begin with a letter"),
        ({"form-0-name": "state"}, "is the name of two fields"),
        ({"form-0-name": "a" * 200}, "Ensure this value has at most 121 characters"),
        ({"form-0-name": "<script>alert(1)</script>"}, "The name “&lt;script&gt;"),
        ({"form-0-description": "a\x00b"}, "Null characters are not allowed"),
        ({"form-0-description": "a\x1bb"}, "control characters"),
        ({"form-0-description": "\u202eabc"}, "invisible ones"),
        ({"form-0-description": "x" * 501}, "at most 500 characters"),
        ({"form-0-type": "object"}, "not one of the available choices"),
        ({"form-1-choices": ""}, "needs words to choose from"),
        ({"form-1-choices": ";".join(map(str, range(51)))}, "more than 50 entries"),
        ({"form-3-name": "rows.item"}, "there is no such field; add it as a list"),
        ({"form-3-name": "lines.item.part"}, "there is no such field"),
        ({"form-3-type": "list"}, "one level deep"),
        ({"form-2-type": "text"}, "only a list has them"),
        ({"form-0-position": "first"}, "Enter a whole number"),
        ({"based_on": "x"}, "Enter a whole number"),
        ({"form-TOTAL_FORMS": "1000000"}, "at most"),
        ({"form-TOTAL_FORMS": "x"}, "ManagementForm data is missing"),
        ({"form-TOTAL_FORMS": "0"}, "needs at least one field"),
    ],
)  # fmt: skip
def test_hostile_and_mistaken_input_is_refused_in_words(
    eric: Browser, agent: Agent, change: dict[str, str], said: str
) -> None:
    response = eric.post(editor(agent), shown(eric, editor(agent)) | change | {"save": "1"})
    page = response.content.decode()
    assert response.status_code == 200 and said in page
    assert "<script>alert" not in page
    assert now(agent).number == 1


def test_a_form_beyond_all_size_is_refused_by_the_server(eric: Browser, agent: Agent) -> None:
    data = shown(eric, editor(agent))
    assert eric.post(editor(agent), data | {"form-0-description": "x" * 3_000_000}).status_code == 400
    assert eric.post(editor(agent), data | {f"form-{n}-name": "a" for n in range(4000)}).status_code == 400


def test_two_people_at_once_do_not_undo_each_other(eric: Browser, agent: Agent) -> None:
    opened = shown(eric, editor(agent))
    eric.post(editor(agent), opened | {"form-0-type": "integer", "save": "1"})
    second = eric.post(editor(agent), opened | {"form-1-choices": "open;paid;lost", "save": "1"})
    assert "Somebody else has changed this agent meanwhile" in second.content.decode()
    assert "schema.number" in second.content.decode(), "what would be undone is shown"
    assert now(agent).number == 2
    again = opened | {
        "based_on": second.context["top"]["based_on"].value(),
        "form-1-choices": "open;paid;lost",
        "save": "1",
    }
    assert eric.post(editor(agent), again).status_code == 302
    assert now(agent).number == 3


def test_checking_saves_nothing_and_shows_what_would_change_and_be_sent(eric: Browser, agent: Agent) -> None:
    page = eric.post(editor(agent), shown(eric, editor(agent)) | {"form-0-type": "integer", "check": "1"})
    assert "schema.number" in page.content.decode() and "additionalProperties" in page.content.decode()
    assert now(agent).number == 1


def test_an_order_of_fields_is_a_change_of_its_own(eric: Browser, agent: Agent) -> None:
    page = eric.post(editor(agent), shown(eric, editor(agent)) | {"form-0-position": "25", "check": "1"})
    (row,) = (row for row in page.context["difference"] if row["name"] == "order of fields")
    assert row["before"].startswith("number, state") and row["after"].startswith("state, number")


def test_more_rows_keep_what_was_typed(eric: Browser, agent: Agent) -> None:
    data = shown(eric, editor(agent)) | {"form-5-name": "due", "more": "1"}
    page = eric.post(editor(agent), data)
    assert len(page.context["rows"].forms) == int(data["form-TOTAL_FORMS"]) + 5
    assert page.context["rows"][5]["name"].value() == "due"
    for nonsense in ("x", "99999", "-1", "²"):
        assert eric.post(editor(agent), data | {"form-TOTAL_FORMS": nonsense}).status_code == 200


def test_an_agent_begins_with_a_ready_made_schema(eric: Browser) -> None:
    agent = make_agent("plain")
    eric.post(editor(agent), shown(eric, editor(agent) + "?from=contract") | {"save": "1"})
    assert Schema.of(now(agent).options["schema"]) == ready_made()["contract"]
    assert eric.get(editor(agent) + "?from=../../etc/passwd").status_code == 200


def test_estimates_follow_the_fields_unless_a_person_has_said_others(eric: Browser, agent: Agent) -> None:
    eric.post(editor(agent), shown(eric, editor(agent)) | {"form-0-type": "integer", "save": "1"})
    first = now(agent)
    assert first.tokens_per_document == versions.figures_from(first.options)["tokens_per_document"] > 500
    url = reverse("admin:tasks_agent_change", args=(agent.pk,))
    form = eric.get(url).context["adminform"].form
    assert form["tokens_per_document"].value() is None, "a figure that nobody chose is not shown as chosen"
    posted = form_of(eric, url)
    assert eric.post(url, posted | {"seconds_per_page": "77"}).status_code == 302
    eric.post(editor(agent), shown(eric, editor(agent) + "?from=contract") | {"save": "1"})
    assert now(agent).seconds_per_page == 77
    assert now(agent).tokens_per_document > first.tokens_per_document
