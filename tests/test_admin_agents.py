"""An agent's desk: its settings make versions, any version reads again, one PDF tests it, a cool-down is ended by hand."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client as Browser
from django.urls import reverse

from tasks import operations, versions
from tasks.admin.agent_form import AgentForm
from tasks.agent.schema import Schema
from tasks.audit import Actor
from tasks.models import Agent, AuditEntry, Pool, Task
from tasks.states import Priority
from tests import agent_desk
from tests.agent_desk import SCHEMA, editor, form_of, now
from tests.factories import (
    database_now,
    make_agent,
    make_client,
    make_extraction,
    make_user,
    pdf_bytes,
    result_json,
)
from tests.factories import make_completed as completed

agent, eric = agent_desk.agent, agent_desk.eric


@pytest.mark.parametrize(
    ("change", "path", "value"),
    [
        ({"model": "gpt-x"}, "model", "gpt-x"),
        ({"endpoint": "https://models.example.com/v1"}, "options.endpoint", "https://models.example.com/v1"),
        ({"fallback_models": "b-1\r\nb-2"}, "options.fallback_models", ["b-1", "b-2"]),
        ({"max_output_tokens": "900"}, "options.max_output_tokens", 900),
        ({"window_pages": "4"}, "options.window_pages", 4),
        ({"vision": "always"}, "options.vision", "always"),
        ({"options": '{"language": "fr"}'}, "options.language", "fr"),
    ],
)
def test_each_setting_of_a_model_reaches_the_next_version(
    eric: Browser, agent: Agent, change: dict[str, str], path: str, value: Any
) -> None:
    url = reverse("admin:tasks_agent_change", args=(agent.pk,))
    response = eric.post(url, form_of(eric, url) | change)
    assert response.status_code == 302, response.context["adminform"].form.errors
    version = now(agent)
    name, _dot, key = path.partition(".")
    assert (getattr(version, name)[key] if key else getattr(version, name)) == value
    assert version.number == 2 and version.options["schema"] == SCHEMA
    assert eric.post(url, form_of(eric, url)).status_code == 302
    assert now(agent).number == 2, "saving again changes nothing"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model": "two words"}, "Enter a valid value"),
        ({"program": "rulez"}, "There is no program “rulez”. There are: rules, contract-rules"),
        ({"endpoint": "ftp://models.example.com"}, "no address such as"),
        ({"endpoint": "https://user:key@models.example.com/v1"}, "holds no key or password"),
        ({"endpoint": "https://models.example.com/v1?key=1"}, "holds no key or password"),
        ({"endpoint": "https://[::1/v1"}, "no address such as"),
        ({"fallback_models": "a\n<b>"}, "“&lt;b&gt;” is no name of a model"),
        ({"fallback_models": "\n".join(f"m{n}" for n in range(6))}, "At most 5 models"),
        ({"window_pages": "0"}, "greater than or equal to 1"),
        ({"max_output_tokens": "many"}, "Enter a whole number"),
        ({"vision": "sometimes"}, "not one of the available choices"),
        ({"options": '{"schema": {}}'}, "has a place of its own"),
        ({"options": '{"a": "\\u0000"}'}, "cannot be stored"),
        ({"options": '{"a": "' + "x" * 20_000 + '"}'}, "too long"),
        ({"options": "[" * 50_000}, "Enter a valid JSON"),
    ],
)
def test_settings_that_cannot_be_are_refused_in_words(
    eric: Browser, agent: Agent, change: dict[str, str], said: str
) -> None:
    url = reverse("admin:tasks_agent_change", args=(agent.pk,))
    response = eric.post(url, form_of(eric, url) | change)
    assert response.status_code == 200 and said in response.content.decode()
    assert now(agent).number == 1


def test_who_may_only_look_sees_what_an_agent_is_set_to(client: Browser, agent: Agent) -> None:
    client.force_login(make_user("olga", "Operator (read only)", is_staff=True))
    page = client.get(reverse("admin:tasks_agent_change", args=(agent.pk,))).content.decode()
    assert "m-1" in page and "options.language" in page and "text, required: Printed at the top" in page
    assert ">None<" not in page and "Change the fields" not in page


# Agents that need a model


def test_the_agents_that_ask_a_model_are_there_and_say_what_they_lack(eric: Browser) -> None:
    for name in ("invoice-llm", "contract-llm", "statement-llm", "generic-llm"):
        ready = Agent.objects.select_related("current_version").get(name=name)
        assert Schema.of(ready.current_version.options["schema"]).size > 10
        page = eric.get(reverse("admin:tasks_agent_change", args=(ready.pk,))).content.decode()
        assert (
            f"The agent {name} needs a model: name one on its page in the admin, and set OPENAI_API_KEY"
            in page
        )


def test_the_agent_of_databricks_is_there_and_waits_for_its_function_to_be_named(eric: Browser) -> None:
    ready = Agent.objects.select_related("current_version").get(name="databricks-ai-extract")
    assert ready.max_requests_per_minute == 120 and ready.executor == "local"
    assert Schema.of(ready.current_version.options["schema"]).size > 10
    page = eric.get(reverse("admin:tasks_agent_change", args=(ready.pk,))).content.decode()
    assert (
        "The agent databricks-ai-extract needs a Databricks workspace: once its attempts can log in" in page
    )
    assert ready not in versions.usable(Agent.objects.all())
    values = versions.changed(ready.current_version, {"model": "ai_extract"})
    Agent.objects.filter(pk=ready.pk).update(
        current_version=versions.make(Actor.system("test"), ready, values)
    )
    assert ready in versions.usable(Agent.objects.all())


def test_without_a_model_nothing_is_handed_in_and_the_sentence_says_why(client: Browser, db) -> None:
    nordwind, agent = make_client("Nordwind"), Agent.objects.get(name="invoice-llm")
    with pytest.raises(operations.Refused, match="needs a model: name one on its page"):
        operations.submit(Actor.system("test"), client=nordwind, agent=agent, documents=[])
    client.force_login(make_user("alice", "Auditor", clients=(nordwind,)))
    assert "read by a model" not in client.get(reverse("upload")).content.decode()
    Agent.objects.filter(pk=agent.pk).update(current_version=named(agent))
    assert "read by a model" in client.get(reverse("upload")).content.decode()


def named(agent: Agent) -> Any:
    return versions.make(
        Actor.system("test"), agent, versions.changed(agent.current_version, {"model": "m-1"})
    )


# Any version reads again


def test_documents_are_read_again_by_a_chosen_version(agent: Agent) -> None:
    first, second = agent.current_version, named(agent)
    extraction = make_extraction(make_client(), make_agent())
    task = completed(extraction, result=result_json())
    outcome = operations.reprocess(Actor.system("test"), [task.pk], agent=agent, version=1)
    task.refresh_from_db()
    assert outcome.done == [task.pk] and task.agent_version_id == first.pk != second.pk
    assert task.estimated_tokens > 500, "estimated by that version"
    assert AuditEntry.objects.filter(verb="reprocess").latest("pk").after == {"agent": "notes", "version": 1}
    with pytest.raises(operations.Refused, match="has no version 9"):
        operations.reprocess(Actor.system("test"), [task.pk], agent=agent, version=9)
    with pytest.raises(operations.Refused, match="choose an agent"):
        operations.reprocess(Actor.system("test"), [task.pk], version=1)


def test_an_operator_chooses_agent_and_version_in_the_admin(client: Browser, agent: Agent) -> None:
    named(agent)
    task = completed(make_extraction(make_client(), make_agent()), result=result_json())
    client.force_login(make_user("bob", "Operator", is_staff=True))
    url = reverse("admin:tasks_task_changelist")
    data = {
        "action": "reprocess",
        "_selected_action": [str(task.pk)],
        "confirmed": "1",
        "reason": "",
        "agent": "notes",
    }
    page = client.post(url, data | {"version": "7"}, follow=True).content.decode()
    assert "The agent notes has no version 7." in page
    client.post(url, data | {"version": "1"})
    task.refresh_from_db()
    assert task.status == "enqueued" and task.agent_version.number == 1


# One PDF


def trial(agent: Agent) -> str:
    return reverse("admin:tasks_agent_trial", args=(agent.pk,))


def test_one_pdf_tests_a_version_before_all_other_work(eric: Browser, agent: Agent) -> None:
    named(agent)
    page = eric.get(trial(agent))
    assert [value.value for value, _label in page.context["form"].fields["version"].choices] == [2, 1]
    data = {"client": page.context["form"].fields["client"].queryset.get().pk, "version": 1}
    for _time in range(2):
        file = SimpleUploadedFile("one.pdf", pdf_bytes(), "application/pdf")
        response = eric.post(trial(agent), data | {"file": file})
        task = Task.objects.latest("pk")
        assert response.headers["Location"] == reverse("task", args=(task.pk,))
        assert (task.agent_version.number, task.priority) == (1, Priority.INTERACTIVE)
        assert task.extraction.engagement == "Test of notes v1"
    assert Task.objects.count() == 2, "the same file is tested again"


def test_a_test_file_that_is_no_pdf_shows_why(eric: Browser, agent: Agent) -> None:
    data = {"client": eric.get(trial(agent)).context["form"].fields["client"].queryset.get().pk, "version": 1}
    response = eric.post(trial(agent), data | {"file": SimpleUploadedFile("x.pdf", b"hello")}, follow=True)
    assert "This file is not a PDF" in response.content.decode()
    response = eric.post(trial(agent), data | {"file": SimpleUploadedFile("x.pdf", b"")}, follow=True)
    assert "This file is empty" in response.content.decode()


def test_an_agent_without_a_model_is_not_tested(eric: Browser) -> None:
    agent = Agent.objects.get(name="generic-llm")
    client = eric.get(trial(agent)).context["form"].fields["client"].queryset.get()
    file = SimpleUploadedFile("one.pdf", pdf_bytes())
    response = eric.post(trial(agent), {"client": client.pk, "version": 1, "file": file})
    assert "needs a model" in response.content.decode() and not Task.objects.exists()


def test_nobody_tests_for_a_client_that_is_not_theirs(eric: Browser, agent: Agent) -> None:
    foreign = make_client("Foreign")
    data = {"client": foreign.pk, "version": 1, "file": SimpleUploadedFile("one.pdf", pdf_bytes())}
    assert eric.post(trial(agent), data).context["form"].errors["client"]
    assert not Task.objects.exists()


@pytest.mark.parametrize("role", ["Operator (read only)", "Finance", "Auditor"])
def test_who_may_not_change_an_agent_may_neither_edit_its_fields_nor_test_it(
    client: Browser, agent: Agent, role: str
) -> None:
    client.force_login(make_user("somebody", role, is_staff=True))
    for url in (editor(agent), trial(agent)):
        assert client.get(url).status_code == client.post(url, {}).status_code == 403


# A cool-down


@pytest.mark.parametrize("model", [Agent, Pool])
def test_a_cool_down_is_ended_by_hand_with_a_reason_and_a_trail(
    client: Browser, db, model: type[Any]
) -> None:
    until = database_now() + timedelta(hours=1)
    cooling = model.objects.create(name="cooling", cooldown_until=until)
    warm = model.objects.create(name="warm")
    client.force_login(make_user("bob", "Operator", is_staff=True))
    kind = model._meta.model_name
    url = reverse(f"admin:tasks_{kind}_changelist")
    data = {"action": "end_cooldown", "_selected_action": [str(cooling.pk), str(warm.pk)]}
    assert "if it is refused again, they cool down anew" in client.post(url, data).content.decode()
    assert "Say why" in client.post(url, data | {"confirmed": "1", "reason": ""}).content.decode()
    page = client.post(
        url, data | {"confirmed": "1", "reason": "quota was raised"}, follow=True
    ).content.decode()
    assert "1 start again, 1 skipped: not cooling down." in page
    cooling.refresh_from_db()
    assert cooling.cooldown_until <= database_now(), "it ends now, so that the gentle start after one holds"
    entry = AuditEntry.objects.get(verb="end_cooldown")
    assert (entry.object_type, entry.object_id, entry.reason) == (kind, str(cooling.pk), "quota was raised")
    assert entry.before == {"cooldown_until": until.isoformat()}


@pytest.mark.parametrize(
    "given",
    [
        r'{"a": "\ud800"}',
        r'{"a": "\u0000"}',
        '{"a": NaN}',
        '{"a": 1e999}',
        '{"a": ' + "9" * 5000 + "}",
        "[" * 5000,
    ],
)
def test_settings_that_no_database_keeps_are_refused_beside_their_input(agent: Agent, given: str) -> None:
    values = {
        "program": "rules",
        "options": given,
        "name": "notes",
        "executor": "local",
        "max_attempts": 0,
        "timeout_seconds": -1,
    }
    form = AgentForm(values, instance=agent)
    assert not form.is_valid() and "options" in form.errors
    assert "greater than or equal to 1" in str(form.errors["timeout_seconds"])
    form["options"].as_widget().encode()


def test_an_agent_that_keeps_checkpoints_runs_here_or_is_refused(eric: Browser, agent: Agent) -> None:
    url, keeps = reverse("admin:tasks_agent_change", args=(agent.pk,)), {"options": '{"checkpoints": true}'}
    response = eric.post(url, form_of(eric, url) | keeps | {"executor": "databricks"})
    assert response.status_code == 200
    assert "Choose the executor local" in response.context["adminform"].form.errors["executor"][0]
    assert eric.post(url, form_of(eric, url) | {"executor": "databricks"}).status_code == 302
    assert eric.post(url, form_of(eric, url) | keeps).status_code == 200, (
        "the other way round it is refused too"
    )
    assert eric.post(url, form_of(eric, url) | keeps | {"executor": "local"}).status_code == 302


def test_nothing_is_handed_in_to_an_agent_whose_checkpoints_would_be_elsewhere(agent: Agent) -> None:
    values = versions.changed(now(agent), {"options": {"checkpoints": True}})
    versions.make(Actor.system("test"), agent, values)
    assert agent in versions.usable(Agent.objects.all())
    Agent.objects.filter(pk=agent.pk).update(executor="databricks")
    moved = Agent.objects.select_related("current_version").get(pk=agent.pk)
    assert moved not in versions.usable(Agent.objects.all())
    with pytest.raises(
        operations.Refused, match="cannot read: attempts that keep checkpoints run on the machines"
    ):
        operations.version_of(moved, None)
    versions.make(Actor.system("test"), moved, versions.changed(now(agent), {"options": {}}))
    assert moved in versions.usable(Agent.objects.all()), "without checkpoints it may run anywhere"
