"""The operator's desk: every model is there, no form writes a state, limits are edited safely, verbs are checked on the server."""

from __future__ import annotations

import re

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client as Browser
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tasks.models import Agent, Attempt, AuditEntry, Client, Membership, Switches, Task
from tests.factories import (
    make_agent,
    make_attempt,
    make_client,
    make_document,
    make_extraction,
    make_task,
    make_user,
)

STATE = {
    "status",
    "locked_by",
    "lease_owner",
    "lease_expires_at",
    "current_attempt",
    "generation",
    "finished_at",
    "result_attempt",
}


@pytest.fixture
def world(db):
    extraction = make_extraction(
        make_client("Nordwind"), make_agent("reader", max_concurrent_tasks=3, program="rules")
    )
    return (
        extraction,
        make_task(extraction, make_document(extraction.client, "one.pdf")),
        make_task(extraction),
    )


@pytest.fixture
def operator(client: Browser, world) -> Browser:
    client.force_login(make_user("bob", "Operator", is_staff=True))
    return client


@pytest.fixture
def root(client: Browser, world) -> Browser:
    client.force_login(make_user("root", is_staff=True, is_superuser=True))
    return client


def act(browser: Browser, model: str, action: str, *pks: object, confirmed: bool = True, **fields: object):
    data = {"action": action, "_selected_action": [str(pk) for pk in pks], "select_across": "0", **fields}
    if confirmed:
        data["confirmed"] = "1"
    return browser.post(reverse(f"admin:tasks_{model}_changelist"), data, follow=True)


def form_of(browser: Browser, url: str) -> dict[str, str]:
    """What a browser would send back from a change form, hidden fields and all."""
    form = browser.get(url).context["adminform"].form
    data = {}
    for bound in form:
        for name, value in ((bound.html_name, bound.value()), (bound.html_initial_name, bound.value())):
            if name.startswith("initial-") and not bound.field.show_hidden_initial:
                continue
            if value is not None and value is not False:
                data[name] = "on" if value is True else str(getattr(value, "pk", value))
    data["options"] = data["initial-options"] = "{}" if "options" in form.fields else ""
    return data


def test_every_model_that_somebody_may_see_is_registered() -> None:
    """Those without any permission are the product's own: sums that the page of costs shows, outcomes on their way."""
    missing = [
        model.__name__
        for model in apps.get_app_config("tasks").get_models()
        if model._meta.default_permissions and not admin.site.is_registered(model)
    ]
    assert missing == []


@pytest.mark.parametrize(
    "model", [m._meta.model_name for m in admin.site._registry if m._meta.app_label == "tasks"]
)
def test_every_list_and_every_page_opens(root: Browser, world, model: str) -> None:
    make_attempt(world[1], "failed", error_message="x")
    Membership.objects.create(user=User.objects.get(), client=Client.objects.get())
    assert root.get(reverse(f"admin:tasks_{model}_changelist")).status_code == 200
    row = apps.get_model("tasks", model).objects.first()
    if row is not None:
        assert root.get(reverse(f"admin:tasks_{model}_change", args=(row.pk,))).status_code == 200


@pytest.mark.parametrize(
    "model",
    ["task", "attempt", "extraction", "document", "worker", "auditentry", "agentversion", "switches", "lane"],
)
def test_what_the_product_writes_has_no_form_for_anybody(root: Browser, world, model: str) -> None:
    page = admin.site._registry[apps.get_model("tasks", model)]
    request = root.get(reverse("admin:index")).wsgi_request
    assert not (
        page.has_add_permission(request)
        or page.has_change_permission(request)
        or page.has_delete_permission(request)
    )


def test_a_form_for_a_new_row_has_only_what_is_filled_in(root: Browser, rf) -> None:
    request = rf.get("/admin/")
    request.user = User.objects.get(username="root")
    addable = [model for model, page in admin.site._registry.items() if page.has_add_permission(request)]
    assert {Agent, Client, User} <= set(addable)
    for model in addable:
        page = root.get(
            reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_add")
        ).content.decode()
        assert "object at 0x" not in page and '<div class="readonly">' not in page, model


def test_a_stale_or_forged_form_never_writes_a_state(root: Browser, world) -> None:
    task, attempt = world[1], make_attempt(world[1])
    before = (
        Task.objects.filter(pk=task.pk).values().get(),
        Attempt.objects.filter(pk=attempt.pk).values().get(),
    )
    forged = {"status": "completed", "priority": "30", "generation": "9", "cost_usd": "1", "_save": "Save"}
    for model, pk in (("task", task.pk), ("attempt", attempt.pk)):
        assert root.post(reverse(f"admin:tasks_{model}_change", args=(pk,)), forged).status_code == 403
        assert (
            root.post(reverse(f"admin:tasks_{model}_delete", args=(pk,)), {"post": "yes"}).status_code == 403
        )
    assert (
        Task.objects.filter(pk=task.pk).values().get(),
        Attempt.objects.filter(pk=attempt.pk).values().get(),
    ) == before


def test_no_editable_page_holds_a_field_of_the_queues_state(root: Browser, world) -> None:
    for model, page in admin.site._registry.items():
        if model._meta.app_label != "tasks":
            continue
        request = root.get(reverse("admin:index")).wsgi_request
        if page.has_change_permission(request):
            fields = set(page.get_form(request, model.objects.first(), change=True).base_fields)
            assert not fields & (STATE | {"is_paused", "cooldown_until"}), model


def test_the_audit_log_is_read_only_here_and_in_the_database(root: Browser, operator: Browser, world) -> None:
    act(operator, "task", "cancel", world[1].pk, reason="x")
    entry = AuditEntry.objects.get(verb="cancel")
    url = reverse("admin:tasks_auditentry_change", args=(entry.pk,))
    assert operator.get(url).status_code == 200
    assert operator.post(url, {"reason": "forged"}).status_code == 403


# ---- Edits


def test_a_limit_is_edited_in_place_and_no_version_is_made(operator: Browser, world) -> None:
    agent = world[0].agent
    url = reverse("admin:tasks_agent_change", args=(agent.pk,))
    data = form_of(operator, url) | {"max_concurrent_tasks": "7"}
    with CaptureQueriesContext(connection) as queries:
        assert operator.post(url, data).status_code == 302
    agent.refresh_from_db()
    assert (agent.max_concurrent_tasks, agent.current_version.number) == (7, 1)
    locks = [q["sql"] for q in queries if "FOR NO KEY UPDATE" in q["sql"]]
    assert len(locks) == 1 and '"agents"' in locks[0]
    updates = [q["sql"] for q in queries if q["sql"].startswith('UPDATE "agents"')]
    assert len(updates) == 1 and updates[0].count(" = ") == 2, (
        "one field and the key: nothing else is written back"
    )
    entry = AuditEntry.objects.get()
    assert (entry.verb, entry.before, entry.after, entry.source) == (
        "change",
        {"max_concurrent_tasks": 3},
        {"max_concurrent_tasks": 7},
        "admin 127.0.0.1",
    )


def test_a_form_opened_before_somebody_elses_edit_does_not_undo_it(operator: Browser, world) -> None:
    agent = world[0].agent
    url = reverse("admin:tasks_agent_change", args=(agent.pk,))
    stale = form_of(operator, url)
    Agent.objects.filter(pk=agent.pk).update(max_concurrent_tasks=1, is_paused=True)
    operator.post(url, stale | {"title": "New title"})
    agent.refresh_from_db()
    assert (agent.title, agent.max_concurrent_tasks, agent.is_paused) == ("New title", 1, True)


@pytest.mark.parametrize(
    "change",
    [
        {"program": "mine.reader:read"},
        {"options": '{"language": "de"}'},
        {"model": "m-2"},
        {"seconds_per_page": "9"},
    ],
)
def test_another_program_setting_model_or_estimate_makes_a_new_version(
    root: Browser, world, change: dict[str, str]
) -> None:
    agent, old = world[0].agent, world[0].agent.current_version
    url = reverse("admin:tasks_agent_change", args=(agent.pk,))
    response = root.post(url, form_of(root, url) | change)
    assert response.status_code == 302, response.context["adminform"].form.errors
    agent.refresh_from_db()
    assert (agent.current_version.number, agent.current_version.created_by.username) == (2, "root")
    name, value = next(iter(change.items()))
    made = getattr(agent.current_version, name)
    assert made == ({"language": "de"} if name == "options" else 9.0 if name == "seconds_per_page" else value)
    before = getattr(old, name)
    old.refresh_from_db()
    assert getattr(old, name) == before
    assert Task.objects.filter(agent_version=old).count() == 2, (
        "tasks keep the version that they were handed in with"
    )


def test_a_new_agent_has_its_first_version_and_bad_settings_are_refused(root: Browser, world) -> None:
    url = reverse("admin:tasks_agent_add")
    data = form_of(root, url) | {"name": "second", "program": "rules", "options": "[1]", "executor": "local"}
    assert "has to be a JSON object" in root.post(url, data).content.decode()
    assert (
        "program"
        in root.post(url, data | {"options": "{}", "program": "rm -rf /"}).context["adminform"].form.errors
    )
    response = root.post(url, data | {"options": "{}"})
    assert response.status_code == 302, response.context["adminform"].form.errors
    assert Agent.objects.get(name="second").current_version.number == 1


def test_operators_add_members_and_take_them_away_with_a_trail(operator: Browser, world) -> None:
    ann, audited = make_user("ann"), world[0].client
    operator.post(reverse("admin:tasks_membership_add"), {"user": ann.pk, "client": audited.pk})
    membership = Membership.objects.get(user=ann)
    operator.post(reverse("admin:tasks_membership_delete", args=(membership.pk,)), {"post": "yes"})
    assert not Membership.objects.exists()
    assert list(AuditEntry.objects.order_by("id").values_list("verb", "object_type")) == [
        ("add", "membership"),
        ("delete", "membership"),
    ]


# ---- Verbs


def test_an_action_asks_first_then_acts_with_a_trail_and_a_log_entry(operator: Browser, world) -> None:
    _, first, second = world
    asked = act(operator, "task", "cancel", first.pk, second.pk, confirmed=False).content.decode()
    assert "2 rows are concerned." in asked and 'name="reason"' in asked
    assert Task.objects.filter(status="enqueued").count() == 2

    done = act(operator, "task", "cancel", first.pk, second.pk, reason="wrong client").content.decode()
    assert "2 cancelled." in done
    assert Task.objects.filter(status="cancelled").count() == 2
    assert (
        AuditEntry.objects.filter(
            verb="cancel", reason="wrong client", actor_name="bob", source="admin 127.0.0.1"
        ).count()
        == 2
    )
    assert LogEntry.objects.filter(user__username="bob", change_message__contains="wrong client").count() == 2

    again = act(operator, "task", "cancel", first.pk).content.decode()
    assert "already cancelled" in again
    assert "1 retried." in act(operator, "task", "retry", first.pk).content.decode()


def test_all_rows_that_match_the_filter_are_meant_when_all_are_chosen(operator: Browser, world) -> None:
    more = [make_task(world[0]) for _ in range(6)]
    url = reverse("admin:tasks_task_changelist") + "?status=enqueued"
    data = {"action": "cancel", "_selected_action": [str(more[0].pk)], "select_across": "1"}
    asked = operator.post(url, data).content.decode()
    assert "8 rows are concerned." in asked and "and 3 more" in asked
    assert "8 cancelled." in operator.post(url, data | {"confirmed": "1"}, follow=True).content.decode()


def test_the_four_levels_are_offered_and_set(operator: Browser, world) -> None:
    asked = act(operator, "task", "reprioritise", world[1].pk, confirmed=False).content.decode()
    assert re.findall(r'<option value="(\d+)"', asked) == ["30", "20", "10", "0"]
    act(operator, "task", "reprioritise", world[1].pk, priority="30")
    world[1].refresh_from_db()
    assert world[1].priority == 30
    act(operator, "task", "reprioritise", world[1].pk, priority="99")
    world[1].refresh_from_db()
    assert world[1].priority == 30


def test_agents_clients_and_everything_pause_and_resume(operator: Browser, world) -> None:
    for model, pk in (("agent", world[0].agent_id), ("client", world[0].client_id), ("switches", 1)):
        rows = apps.get_model("tasks", model).objects.filter(pk=pk)
        act(operator, model, "pause", pk, reason="quota")
        assert rows.get().is_paused, model
        assert "already so" in act(operator, model, "pause", pk).content.decode()
        act(operator, model, "resume", pk)
        assert not rows.get().is_paused, model
    single = AuditEntry.objects.exclude(verb__startswith="bulk_").order_by("id")
    assert list(single.values_list("verb", flat=True)) == ["pause", "resume"] * 3
    assert Switches.objects.count() == 1


def test_an_attempt_is_declared_ended_only_with_a_reason(operator: Browser, world) -> None:
    attempt = make_attempt(world[1])
    assert "Say why" in act(operator, "attempt", "declare_ended", attempt.pk).content.decode()
    act(operator, "attempt", "declare_ended", attempt.pk, reason="job deleted")
    attempt.refresh_from_db()
    assert attempt.ended_at is not None


def test_a_person_who_may_only_look_can_run_no_action_of_any_page(client: Browser, world) -> None:
    viewer = make_user("viewer", is_staff=True)
    viewer.user_permissions.set(
        Permission.objects.filter(content_type__app_label="tasks", codename__startswith="view_")
    )
    client.force_login(viewer)
    make_attempt(world[1])
    tables = [
        model
        for model in admin.site._registry
        if model._meta.app_label == "tasks" and model is not AuditEntry
    ]
    before = {model: list(model.objects.order_by("pk").values()) for model in tables}
    walked = 0
    for model, page in admin.site._registry.items():
        if model._meta.app_label != "tasks" or not model.objects.exists():
            continue
        url = reverse(f"admin:tasks_{model._meta.model_name}_changelist")
        for action in {*page.actions, "delete_selected"}:
            offered = client.get(url).content.decode()
            assert f'value="{action}"' not in offered
            data = {
                "action": action,
                "_selected_action": [str(pk) for pk in model.objects.values_list("pk", flat=True)],
                "confirmed": "1",
                "post": "yes",
            }
            answer = client.post(url, data | {"priority": "30", "reason": "x"}, follow=True)
            assert answer.status_code == 403 or action == "delete_selected", (model, action)
            walked += 1
    assert walked > 10
    refused = AuditEntry.objects.filter(verb="refused", actor_name="viewer").values_list(
        "object_type", "after"
    )
    assert ("task", {"action": "cancel"}) in list(refused)
    assert {model: list(model.objects.order_by("pk").values()) for model in tables} == before


@pytest.mark.parametrize(
    ("group", "pages"),
    [
        ("Auditor", {"client", "document", "extraction", "task", "attempt"}),
        ("Operator", {"client", "document", "extraction", "task", "attempt", "agent", "agentversion", "pool", "worker", "auditentry",
                      "membership", "switches", "price", "delivery", "refuseddelivery", "spent", "spendnotice", "bulkaction", "user",
                      "alert", "alertrule", "notice", "closedmonth", "monthterms", "accessattempt"}),
        ("Operator (read only)", {"client", "document", "extraction", "task", "attempt", "agent", "agentversion", "pool", "worker", "auditentry",
                                  "membership", "switches", "price", "delivery", "refuseddelivery", "spent", "spendnotice", "bulkaction", "user",
                      "alert", "alertrule", "notice", "closedmonth", "monthterms", "accessattempt"}),
        ("Finance", {"client", "extraction", "task", "attempt", "price", "agent", "spent", "spendnotice", "closedmonth", "monthterms"}),
        ("Engineer", {"document", "extraction", "task", "attempt", "agent", "agentversion", "pool", "worker", "price", "lane", "delivery", "refuseddelivery",
                      "alert", "alertrule", "notice"}),
    ],
)  # fmt: skip
def test_each_group_finds_its_pages_and_no_others(
    client: Browser, world, group: str, pages: set[str]
) -> None:
    client.force_login(make_user("somebody", group, is_staff=True))
    opened = {
        model._meta.model_name
        for model in admin.site._registry
        if client.get(
            reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        ).status_code
        == 200
    }
    assert opened == pages


def test_long_lists_cost_few_queries(operator: Browser, world) -> None:
    for _ in range(20):
        make_attempt(make_task(world[0]), "failed", error_message="x")
    for model in ("task", "attempt", "extraction", "document"):
        with CaptureQueriesContext(connection) as queries:
            operator.get(reverse(f"admin:tasks_{model}_changelist"))
        assert len(queries) <= 14, model


INTERNALS = ("bulkpiece", "extractionwatch", "lane", "savedview", "spent", "summary", "summarychange", "summarystate")  # fmt: skip


@pytest.mark.django_db
def test_the_machinery_stands_on_no_index_and_opens_by_its_address(client) -> None:
    client.force_login(make_user("root", is_staff=True, is_superuser=True))
    for index in ("/admin/", "/admin/tasks/"):
        page = client.get(index).content.decode()
        assert "/admin/tasks/client/" in page
        assert not [name for name in INTERNALS if f"/admin/tasks/{name}/" in page]
    assert {client.get(f"/admin/tasks/{name}/").status_code for name in INTERNALS} == {200}


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["tasks/client", "tasks/agent", "tasks/switches", "tasks/alertrule", "tasks/document", "auth/user"])  # fmt: skip
def test_no_list_shows_a_red_cross_for_what_is_merely_not_so(client, path: str) -> None:
    make_document(make_client("Nordwind"), "a.pdf")
    client.force_login(make_user("root", is_staff=True, is_superuser=True))
    make_user("ann")
    page = client.get(f"/admin/{path}/").content.decode()
    assert "icon-no" not in page and "icon-yes" not in page
    assert ">no<" in page or path == "tasks/alertrule"
