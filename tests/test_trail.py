"""The audit log: every verb with who, why and from where; taken away as CSV; and no secret in it, wherever one was typed."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.test import Client as Browser
from django.test import RequestFactory
from django.urls import reverse

from tasks import bulk, operations, trail
from tasks.audit import HIDDEN, Actor, Entry, address_of, record, without_secrets
from tasks.models import AuditEntry, BulkAction, Document, Extraction, Task
from tests import queue_tools as tools
from tests.factories import database_now, make_agent, make_attempt, make_client, make_document, make_user

pytestmark = pytest.mark.django_db
CANARY = "canary-7f3a9c"


def everything() -> str:
    return json.dumps(
        list(
            AuditEntry.objects.values(
                "verb", "reason", "before", "after", "object_id", "source", "actor_name"
            )
        )
    )


@pytest.fixture
def root(client: Browser) -> Browser:
    client.force_login(make_user("root", is_staff=True, is_superuser=True))
    return client


def test_each_entry_says_who_what_why_and_from_where(root: Browser) -> None:
    (task,) = tools.hand_in(make_agent("reader"), 1)
    url = reverse("admin:tasks_task_changelist")
    root.post(
        url,
        {"action": "cancel", "_selected_action": [str(task)], "confirmed": "1", "reason": "wrong"},
        REMOTE_ADDR="192.0.2.7",
    )
    entry = AuditEntry.objects.get(verb="cancel")
    assert (entry.actor_name, entry.object_type, entry.object_id, entry.reason, entry.source) == (
        "root",
        "task",
        str(task),
        "wrong",
        "admin 192.0.2.7",
    )
    assert entry.before["status"] == "enqueued"


@pytest.mark.parametrize(
    ("proxied", "headers", "address"),
    [
        (False, {}, "192.0.2.7"), (False, {"HTTP_X_FORWARDED_FOR": "203.0.113.9"}, "192.0.2.7"), (True, {"HTTP_X_FORWARDED_FOR": "203.0.113.9"}, "203.0.113.9"),
        (True, {"HTTP_X_FORWARDED_FOR": "6.6.6.6, 203.0.113.9"}, "203.0.113.9"), (True, {}, "192.0.2.7"), (True, {"HTTP_X_FORWARDED_FOR": "x\nforged"}, ""),
        (False, {"REMOTE_ADDR": ""}, ""), (False, {"REMOTE_ADDR": "2001:DB8::1"}, "2001:db8::1"),
    ],
)  # fmt: skip
def test_an_address_is_what_the_nearest_proxy_says_only_where_there_is_one(
    settings, proxied: bool, headers: dict, address: str
) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if proxied else None
    request = RequestFactory().get("/", **({"REMOTE_ADDR": "192.0.2.7"} | headers))
    assert address_of(request) == address


@pytest.mark.parametrize(
    "value",
    [
        {"api_key": CANARY}, {"options": {"openai": {"API_KEY": CANARY}}}, {"password": CANARY}, {"auth_token": CANARY}, {"webhook_secret": [CANARY]},
        {"url": f"postgres://audit:{CANARY}@db/x"}, {"header": f"Bearer {CANARY}"}, {"note": f"uses dapi{CANARY}0123456789"}, {"x": f"key sk-{CANARY}0123"},
    ],
)  # fmt: skip
def test_what_looks_like_a_secret_is_hidden(value: dict) -> None:
    hidden = json.dumps(without_secrets(value))
    assert CANARY not in hidden and json.loads(json.dumps(HIDDEN)) in json.loads(f'["{HIDDEN}"]')
    record(Actor.system("test"), [Entry("x", "agent", "1", value, value)])
    assert CANARY not in everything()


def test_what_is_no_secret_stays() -> None:
    plain = {
        "max_tokens": 5,
        "input_tokens_per_page": 1.5,
        "language": "de",
        "url": "https://host/path",
        "keys": ["total"],
        "cost_usd": "1.50",
    }
    assert without_secrets(plain) == plain


def test_no_secret_typed_anywhere_reaches_the_trail(root: Browser) -> None:
    agent = make_agent("reader")
    client = make_client("Nordwind")
    handed = operations.Handed(make_document(client), CANARY)
    operations.submit(Actor.system("test"), client=client, agent=agent, documents=[handed])
    url = reverse("admin:tasks_agent_change", args=(agent.pk,))
    from tests.test_admin import form_of

    data = form_of(root, url) | {
        "options": json.dumps({"api_key": CANARY, "base_url": f"https://u:{CANARY}@host/v1"})
    }
    assert root.post(url, data).status_code == 302
    assert AuditEntry.objects.filter(verb="new_version").exists()
    root.post(
        reverse("admin:auth_user_add"),
        {"username": "ann", "usable_password": "true", "password1": CANARY + "-long", "password2": CANARY + "-long",
         "memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"},
    )  # fmt: skip
    assert AuditEntry.objects.filter(verb="add", object_type="user").exists()
    bulk.begin(Actor.system("test"), "cancel", Task.objects.all(), reason=f"Bearer {CANARY}")
    assert CANARY not in everything()
    exported = b"".join(root.get(reverse("trail_csv")).streaming_content).decode()
    assert CANARY not in exported and "new_version" in exported
    version = reverse(
        "admin:tasks_agentversion_change", args=(agent.versions.order_by("-number").first().pk,)
    )
    assert (
        CANARY
        not in root.get(version)
        .content.decode()
        .split('class="form-row field-difference"')[-1]
        .split('class="form-row field-estimates"')[0]
    )


def test_it_is_taken_away_as_it_is_narrowed(root: Browser) -> None:
    ids = tools.hand_in(make_agent("reader"), 3)
    operations.cancel(Actor.person(make_user("bob"), "web"), ids, '=HYPERLINK("x")')
    make_membership = Entry("add", "membership", str(ids[0]))
    record(Actor.system("queue"), [make_membership])

    def lines(**query: str) -> list[dict[str, str]]:
        text = b"".join(root.get(reverse("trail_csv"), query).streaming_content).decode("utf-8-sig")
        return list(csv.DictReader(io.StringIO(text)))

    assert [row["id"] for row in lines()] == [
        str(pk) for pk in AuditEntry.objects.order_by("id").values_list("id", flat=True)
    ]
    assert {row["verb"] for row in lines(q="bob")} == {"cancel"} and len(lines(q="bob")) == 3
    assert {row["object_type"] for row in lines(q=str(ids[0]))} >= {"task", "membership"}
    assert {row["object_id"] for row in lines(q=str(ids[0]))} == {str(ids[0])}
    assert [row["verb"] for row in lines(of="membership")] == ["add"]
    today = AuditEntry.objects.first().at.date()
    assert (
        len(lines(**{"from": str(today), "to": str(today)})) == len(lines()) and lines(to="2000-01-01") == []
    )
    assert lines(q="bob")[0]["reason"].startswith("'="), "no spreadsheet runs it"


def test_the_list_links_to_its_export_with_its_filters(root: Browser) -> None:
    page = root.get(reverse("admin:tasks_auditentry_changelist"), {"of": "task", "q": "7"}).content.decode()
    assert f"{reverse('trail_csv')}?of=task&amp;q=7" in page


def test_chunks_leave_nothing_out(monkeypatch) -> None:
    record(Actor.system("test"), [Entry("x", "task", str(number)) for number in range(7)])
    for size in (1, 2, 7, 8):
        monkeypatch.setattr(trail, "CHUNK", size)
        assert [row[6] for row in trail.in_order(AuditEntry.objects.all())] == [
            str(number) for number in range(7)
        ]


def test_names_and_reasons_are_shown_as_text_everywhere(root: Browser) -> None:
    evil = "<img src=x onerror=alert(1)></script>"
    client = make_client(evil)
    agent = make_agent("reader", title=evil)
    (task,) = tools.hand_in(agent, 1, client)
    Task.objects.filter(pk=task).update(
        error_message=evil, error_code="crashed", status="failed", finished_at=database_now()
    )
    Document.objects.update(original_name=evil)
    extraction = Extraction.objects.get()
    make_attempt(Task.objects.get(), "failed", error_message=evil, model=evil)
    action = bulk.begin(Actor.system(evil), "cancel", Task.objects.all(), reason=evil, selection=evil)
    bulk.begin(Actor.system("x"), "pause", type(client).objects.all(), reason=evil)
    pages = [
        reverse(f"admin:tasks_{model}_changelist")
        for model in ("task", "client", "agent", "auditentry", "bulkaction", "document")
    ]
    pages += [
        reverse("bulk_actions"),
        reverse("bulk_action", args=(action.pk,)),
        reverse("admin:tasks_task_change", args=(task,)),
        *(reverse(name) for name in ("home", "extractions", "operations", "operations_tasks", "costs")),
        *(reverse(name, args=(extraction.pk,)) for name in ("extraction", "extraction_fragment")),
        *(reverse(name, args=(task,)) for name in ("task", "task_fragment")),
    ]
    for page in pages:
        assert evil not in root.get(page).content.decode(), page
    asked = root.post(
        reverse("admin:tasks_client_changelist"),
        {"action": "pause", "_selected_action": [str(client.pk)], "reason": evil},
    )
    assert evil not in asked.content.decode() and "&lt;img" in asked.content.decode()
    assert BulkAction.objects.count() == 2
    limits = {"name": evil, "title": evil, "_save": ""}
    told = root.post(reverse("admin:tasks_pool_add"), limits, follow=True).content.decode()
    assert evil not in told and "&lt;img" in told, "a message names what was saved"
