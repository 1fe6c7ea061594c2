"""Every address and every action as every role, on the server, compared with the matrix that docs/roles.md promises."""

from __future__ import annotations

import io
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.http import HttpResponse
from django.test import Client as Browser
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tasks import bulk
from tasks.audit import Actor
from tasks.models import (
    Agent,
    Alert,
    AlertRule,
    AuditEntry,
    Client,
    ClosedMonth,
    Delivery,
    ExtractionWatch,
    Lane,
    Membership,
    MonthTerms,
    Notice,
    Pool,
    Price,
    RefusedDelivery,
    SavedView,
    SpendNotice,
    Spent,
    Summary,
    SummaryChange,
    SummaryState,
    Task,
    Worker,
)
from tasks.orders import log_name
from tasks.storage import get_storage
from tests.factories import (
    database_now,
    make_agent,
    make_attempt,
    make_client,
    make_completed,
    make_document,
    make_extraction,
    make_task,
    make_user,
    pdf_bytes,
    result_json,
)
from tests.sheet_tools import keep

ROOT = Path(__file__).resolve().parent.parent
ROLES = ("Auditor", "Operator", "Operator (read only)", "Finance", "Engineer", "stranger", "anonymous")
PERSONS = dict(zip(ROLES, ("alice", "bob", "olga", "fiona", "eric", "charlie", ""), strict=True))
OF_A_MODEL = re.compile(r"^admin:(\w+)_(changelist|add|change|delete|history)$")

# What an address is called with; one that is not here takes nothing
ARGUMENTS: dict[str, str] = {
    **dict.fromkeys(
        ("upload_more", "extraction", "extraction_fragment", "extraction_passwords", "extraction_await", "extraction_cancel", "extraction_retry", "results_csv", "results_xlsx", "results_json",
         "refused_csv"), "extraction",
    ),
    "view_forget": "view", "operations_tasks_news": "news",
    "task": "task", "task_fragment": "task", "task_compare": "task", "task_operate": "verb", "document_file": "document",
    "task_result": "done", "attempt_log": "log", "sheet": "sheet", "page_picture": "picture",
    "bulk_action": "action", "bulk_action_fragment": "action", "bulk_action_undo": "action", "bulk_action_csv": "action",
    "webhooks:attempt": "attempt", "admin:auth_user_password_change": "user", "admin:app_list": "app", "admin:view_on_site": "on_site",
    "admin:tasks_agent_schema": "agent", "admin:tasks_agent_trial": "agent", "admin:tasks_client_erase": "whose",
}  # fmt: skip
# What is sent along: enough to be taken for a real wish
BODIES: dict[str, dict[str, Any]] = {
    "operations_act": {"verb": "retry"},
    "set_language": {"language": "en"},
    "maintenance": {"what": "begin", "reason": "x"},
    "extraction_passwords": {"password-1": "x"},
}
QUERIES = {
    "operations_act": "?verb=retry",
    "admin:autocomplete": "?app_label=tasks&model_name=membership&field_name=client",
}

ELSEWHERE = {"live"}  # a stream does not end by itself: tests/test_live.py


# The matrix


def tables() -> dict[str, list[dict[str, str]]]:
    """The tables of docs/roles.md by the heading above them, each row by the names of its columns."""
    found: dict[str, list[dict[str, str]]] = {}
    heading, columns = "", []
    for line in (ROOT / "docs" / "roles.md").read_text().splitlines():
        if line.startswith("## "):
            heading, columns = line[3:].strip(), []
        elif line.startswith("|"):
            cells = [cell.strip().strip("`") for cell in line.strip("|").split("|")]
            if not columns:
                columns = cells
            elif not set(cells[0]) <= {"-", ":"}:
                found.setdefault(heading, []).append(dict(zip(columns, cells, strict=True)))
    return found


TABLES = tables()


def names(patterns: Any, space: str = "") -> Iterator[str]:
    """Every named address of the product. Unnamed are only the admin's own two, which lead elsewhere."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from names(pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else space)
        elif isinstance(pattern, URLPattern) and pattern.name:
            yield space + pattern.name
        else:
            assert space == "admin:", f"an address without a name: {pattern}"


def own_names() -> set[str]:
    """Those that are not one of the five pages that the admin makes for each model."""
    models = {f"{model._meta.app_label}_{model._meta.model_name}" for model in admin.site._registry}
    every = set(names(get_resolver().url_patterns))
    return {name for name in every if not ((found := OF_A_MODEL.match(name)) and found[1] in models)}


def test_every_address_stands_in_the_matrix() -> None:
    listed = {row["address"] for row in TABLES["Pages"]}
    assert own_names() - listed == set(), "say in docs/roles.md who may open these"
    assert listed - own_names() == set(), "docs/roles.md tells of addresses that are not there"


def test_every_page_of_the_admin_and_every_action_stands_in_the_matrix() -> None:
    models = {model._meta.model_name for model in admin.site._registry}
    assert {row["model"] for row in TABLES["Admin"]} == models
    assert {(row["model"], row["action"]) for row in TABLES["Actions"]} | without_line() == set(actions())


def without_line() -> set[tuple[str, str]]:
    """Deleting, where nobody may."""
    listed = {(row["model"], row["action"]) for row in TABLES["Actions"]}
    return {(model, action) for model, action in actions() if action == "delete_selected"} - listed


def actions() -> Iterator[tuple[str, str]]:
    for model, page in admin.site._registry.items():
        for _function, name, _title in page._get_base_actions():
            yield model._meta.model_name, name


# The world


@pytest.fixture
def world(db) -> dict[str, Any]:
    """A row of everything. All roles are members of the client, and staff; but the stranger, an auditor of another client, and nobody."""
    nordwind = make_client("Nordwind")
    pool = Pool.objects.create(name="account")
    extraction = make_extraction(nordwind, make_agent("reader", pool=pool))
    done = make_completed(extraction, make_document(nordwind, "secret.pdf"), result=result_json())
    waiting = make_task(extraction)
    attempt = make_attempt(make_task(extraction))
    keep(done.document, pdf_bytes())
    get_storage().put(log_name(done.result_attempt), io.BytesIO(b"read 1 page"))
    for role, who in PERSONS.items():
        if role == "stranger":
            make_user(who, "Auditor", is_staff=True, clients=(make_client("Elsewhere"),))
        elif who:
            make_user(who, role, is_staff=True, clients=(nordwind,))
    now = database_now()
    Worker.objects.create(
        id=uuid.uuid4(), host="h", pid=1, version="1", slots=1, started_at=now, heartbeat_at=now
    )
    Price.objects.create(model="m", valid_from=now, input_usd=1, output_usd=1)
    Delivery.objects.create(
        attempt=attempt.pk, webhook_id="1", received_at=now, body_sha256="0", size_bytes=1, event="attempt.completed", outcome="applied", milliseconds=1
    )  # fmt: skip
    RefusedDelivery.objects.create(hour=now, reason="signature", count=1, last_at=now)
    Lane.objects.create(agent=extraction.agent, client=nordwind, priority=10, last_key=1)
    money = {"holder": "client", "holder_id": nordwind.pk, "period": "day", "starts_on": now.date()}
    Spent.objects.create(**money, shard=0, usd=1)
    SpendNotice.objects.create(**money, level="warn", limit_usd=1, at=now)
    zero = {
        field.name: 0
        for field in Summary._meta.fields
        if field.name not in ("id", "level", "starts_at", "outcome", "response", "confidence", "errors")
    }
    Summary.objects.create(
        level="day", starts_at=now, outcome="completed", response={}, confidence={}, errors={}, **zero
    )
    SummaryChange.objects.create(hour=now)
    MonthTerms.objects.create(month=now.date().replace(day=1))
    ClosedMonth.objects.create(month="2020-01-01", closed_by="fiona")
    SummaryState.objects.get_or_create(defaults={"closed_until": now, "hours_from": now})
    action = bulk.begin(
        Actor.system("test"), "reprioritise", Task.objects.filter(pk=waiting.pk), parameters={"priority": 30}
    )
    AccessAttempt.objects.create(username="somebody", ip_address="192.0.2.1", failures_since_start=10)
    somebody = make_user("somebody", "Auditor", clients=(nordwind,))
    rule = AlertRule.objects.create(kind="workers", minutes=5)
    alert = Alert.objects.create(rule=rule, sentence="No worker is alive.", started_at=now)
    Notice.objects.create(channel="email", event="alert.fired", alert=alert, subject="s", text="t")
    ExtractionWatch.objects.create(extraction=extraction, user=somebody)
    view = SavedView.objects.create(user=somebody, page="operations", name="mine")
    return {
        "extraction": (extraction.pk,), "task": (waiting.pk,), "document": (done.document_id,), "action": (action.pk,), "attempt": (attempt.pk,),
        "user": (somebody.pk,), "view": (view.pk,), "news": (1, "x"), "verb": (waiting.pk, "cancel"), "app": ("tasks",), "on_site": (1, 1),
        "agent": (extraction.agent_id,), "whose": (nordwind.pk,), "client": nordwind, "done": (done.pk,), "log": (done.pk, done.result_attempt),
        "sheet": (done.pk, 1), "picture": (done.document_id, 1),
    }  # fmt: skip


def row_of(model: Any, world: dict[str, Any]) -> Any:
    """A row that belongs to the client, where rows belong to clients."""
    if model is User:
        return User.objects.get(pk=world["user"][0])
    if model is Client:
        return world["client"]
    if model is Agent:
        return Agent.objects.get(name="reader")
    if model is Membership:
        return Membership.objects.filter(client=world["client"]).first()
    if model is Group:
        return Group.objects.first()
    return model._default_manager.order_by("pk").first()


@pytest.fixture(autouse=True)
def no_session_outlives_its_test() -> Iterator[None]:
    yield
    signed_in.clear()


signed_in: dict[str, Any] = {}
"""The cookies of each role, so that nobody signs in a thousand times."""


def ask(role: str, method: str, url: str, data: dict[str, Any] | None = None) -> HttpResponse:
    """One request, undone after it."""
    browser = Browser()
    if PERSONS[role] and role not in signed_in:
        browser.force_login(User.objects.get(username=PERSONS[role]))
        signed_in[role] = browser.cookies.output(header="", sep=";")
    browser.cookies.load(signed_in.get(role, ""))
    with transaction.atomic():
        answer = browser.get(url) if method == "GET" else browser.post(url, data or {})
        transaction.set_rollback(True)
    return answer


def word(answer: HttpResponse) -> str:
    """What an answer means for who asked: yes; no; hidden (as if it were not there); login (asked to sign in); signed (by signature only)."""
    if answer.status_code == 302 and re.match(r"^(/admin)?/login/\?next=", answer.headers["Location"]):
        return "login"
    return {401: "signed", 403: "no", 404: "hidden"}.get(answer.status_code, "yes")


# What the server does


@pytest.mark.parametrize("role", ROLES)
def test_every_address_answers_as_the_matrix_says(world, role: str) -> None:
    wanted = {
        (row["address"], row["how"]): row[role] for row in TABLES["Pages"] if row["address"] not in ELSEWHERE
    }
    seen = {}
    for name, method in wanted:
        url = reverse(name, args=world[ARGUMENTS[name]] if name in ARGUMENTS else ()) + QUERIES.get(name, "")
        seen[name, method] = word(ask(role, method, url, BODIES.get(name)))
    assert seen == wanted


def may(role: str, model: Any, world: dict[str, Any]) -> str:
    """What a role may do to a model in the admin, as the matrix writes it."""
    prefix = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    row = row_of(model, world)
    assert row is not None, f"the world has no {model._meta.model_name}"
    of_row = {kind: reverse(f"{prefix}_{kind}", args=(row.pk,)) for kind in ("change", "delete", "history")}
    can = []
    listed = ask(role, "GET", reverse(f"{prefix}_changelist"))
    if word(listed) == "login":
        return "login"
    if listed.status_code == 200:
        opened = ask(role, "GET", of_row["change"]).status_code == 200
        assert opened == (ask(role, "GET", of_row["history"]).status_code == 200)
        can.append("see" if opened else "list")
    else:
        assert (
            ask(role, "GET", of_row["change"]).status_code
            == ask(role, "GET", of_row["history"]).status_code
            == 403
        )
    if ask(role, "GET", reverse(f"{prefix}_add")).status_code == 200:
        can.append("add")
    if "see" in can and ask(role, "POST", of_row["change"]).status_code != 403:
        can.append("change")
    if "see" in can and ask(role, "GET", of_row["delete"]).status_code == 200:
        can.append("delete")
    return " ".join(can) or "—"


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_every_page_of_the_admin_opens_as_the_matrix_says(world, role: str) -> None:
    seen = {model._meta.model_name: may(role, model, world) for model in admin.site._registry}
    assert seen == {row["model"]: row[role] for row in TABLES["Admin"]}


def act(role: str, model: Any, action: str, world: dict[str, Any]) -> str:
    url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    data = {"action": action, "_selected_action": [str(row_of(model, world).pk)]}
    asked = ask(role, "POST", url, data)
    if word(asked) != "yes" and action == "delete_selected":
        return word(asked)
    sent = ask(
        role,
        "POST",
        url,
        data
        | {
            "confirmed": "1",
            "post": "yes",
            "reason": "x",
            "priority": "30",
            "agent": "reader",
            "max_tpm": "5",
        },
    )
    words = {word(asked), word(sent)}
    assert len(words) == 1, "the confirmation page and what it sends are checked alike"
    return words.pop()


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_every_action_is_done_or_refused_as_the_matrix_says(world, role: str) -> None:
    registered = {model._meta.model_name: model for model in admin.site._registry}
    wanted = {(row["model"], row["action"]): row[role] for row in TABLES["Actions"]}
    wanted |= dict.fromkeys(without_line(), "login" if role == "anonymous" else "no")
    assert {
        (model, action): act(role, registered[model], action, world) for model, action in wanted
    } == wanted


@pytest.mark.slow
def test_without_being_staff_no_role_opens_any_page_of_the_admin(world) -> None:
    User.objects.update(is_staff=False)
    for role in ROLES:
        for model in admin.site._registry:
            url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
            assert word(ask(role, "GET", url)) == "login", (role, url)


def test_refused_actions_leave_a_trail(world) -> None:
    olga = Browser()
    olga.force_login(User.objects.get(username="olga"))
    url = reverse("admin:tasks_task_changelist")
    assert olga.post(url, {"action": "cancel", "_selected_action": ["1"]}).status_code == 403
    assert AuditEntry.objects.get(verb="refused").actor_name == "olga"


def test_the_groups_are_the_roles_that_the_page_describes() -> None:
    assert apps.get_model("auth", "Group").__name__ == "Group"
    described = re.findall(r"^\| \*\*(.+?)\*\* \|", (ROOT / "docs" / "roles.md").read_text(), re.M)
    assert described == [role for role in ROLES if role not in ("stranger", "anonymous")]
