"""Who sees and does what: each role, and a stranger, walks every page; the server refuses what the page does not offer."""

from __future__ import annotations

import re

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client as Browser
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tasks.models import Extraction, Task
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
)

ROLES = ("Auditor", "Operator", "Finance", "Engineer")


@pytest.fixture
def world(db):
    """One client's extraction with a completed and a waiting task; alice is a member, bob operates, charlie is a stranger."""
    audited = make_client("Nordwind")
    extraction = make_extraction(audited, make_agent("reader"))
    done = make_completed(extraction, make_document(audited, "secret.pdf"), result=result_json())
    waiting = make_task(extraction, make_document(audited, "waiting.pdf"))
    make_user("alice", "Auditor", clients=(audited,))
    make_user("bob", "Operator")
    make_user("charlie", "Auditor", clients=(make_client("Elsewhere"),))
    make_user("nora", clients=(audited,))
    make_user("fiona", "Finance")
    make_user("eric", "Engineer", clients=(audited,))
    return extraction, done, waiting


def pages_of(world) -> dict[str, str]:
    extraction, done, _ = world
    return {
        **{name: reverse(name, args=(extraction.pk,)) for name in
           ("extraction", "extraction_fragment", "results_csv", "results_json", "refused_csv", "extraction_cancel", "extraction_retry")},
        "task": reverse("task", args=(done.pk,)), "task_fragment": reverse("task_fragment", args=(done.pk,)),
        "task_result": reverse("task_result", args=(done.pk,)), "attempt_log": reverse("attempt_log", args=(done.pk, done.result_attempt)),
        "document_file": reverse("document_file", args=(done.document_id,)),
        **{name: reverse(name) for name in ACROSS}, "operations_act": reverse("operations_act") + "?verb=retry",
        "home": reverse("home"), "extractions": reverse("extractions"), "extractions_fragment": reverse("extractions_fragment"), "upload": reverse("upload"),
    }  # fmt: skip


# For those who work across clients
ACROSS = ("operations", "operations_fragment", "operations_csv", "operations_tasks")
NOT_ACROSS = dict.fromkeys((*ACROSS, "operations_act"), 403)


def walk(browser: Browser, who: str, world) -> dict[str, int]:
    from django.contrib.auth.models import User

    browser.force_login(User.objects.get(username=who))
    return {name: browser.get(url).status_code for name, url in pages_of(world).items()}


READS = (
    "extraction",
    "extraction_fragment",
    "results_csv",
    "results_json",
    "refused_csv",
    "task",
    "task_fragment",
    "task_result",
    "attempt_log",
)


# The document's bytes are not stored in these tests, so whoever may have them gets 404 and whoever may not 403
@pytest.mark.parametrize(
    ("who", "exceptions"),
    [
        ("alice", {"extraction_cancel": 403, "extraction_retry": 403, "document_file": 404} | NOT_ACROSS),
        ("bob", {"document_file": 404}),
        (
            "fiona",
            {
                "extraction_cancel": 403,
                "extraction_retry": 403,
                "document_file": 403,
                "upload": 403,
                "operations_act": 403,
            },
        ),
        (
            "eric",
            {"extraction_cancel": 403, "extraction_retry": 403, "document_file": 404, "upload": 403}
            | NOT_ACROSS,
        ),
    ],
)
def test_each_role_opens_exactly_its_pages(
    world, client: Browser, who: str, exceptions: dict[str, int]
) -> None:
    answers = walk(client, who, world)
    exceptions = {"attempt_log": 404, **exceptions}  # it has printed nothing
    assert answers == {name: exceptions.get(name, 200) for name in answers}


def test_a_stranger_gets_404_for_everything_of_somebody_elses_client(world, client: Browser) -> None:
    answers = walk(client, "charlie", world)
    assert {name: answers[name] for name in (*READS, "document_file")} == dict.fromkeys(
        (*READS, "document_file"), 404
    )
    assert {name: answers[name] for name in NOT_ACROSS} == NOT_ACROSS
    for name in ("home", "extractions", "upload"):
        assert b"Nordwind" not in client.get(pages_of(world)[name]).content


def test_a_membership_without_a_role_shows_no_work(world, client: Browser) -> None:
    answers = walk(client, "nora", world)
    assert {answers[name] for name in (*READS, "document_file", "upload")} == {403, 404}
    home = client.get(pages_of(world)["home"]).content
    assert b"You have no role yet" in home and b"Nordwind" not in home


def test_what_is_not_there_and_what_is_not_yours_look_the_same(world, client: Browser) -> None:
    walk(client, "charlie", world)
    theirs, nobodys = (_told(client, reverse("task", args=(task,))) for task in (world[1].pk, 10**9))
    assert theirs == nobodys and theirs[0] == 404


def _told(client: Browser, url: str) -> tuple[int, str]:
    """Status and page, but for what the visitor knows (the address) and what is another one every time (the token)."""
    response = client.get(url)
    page = response.content.decode().replace(url, "")
    return response.status_code, re.sub(r'(name="csrfmiddlewaretoken" value=)"\w+"', r"\1", page)


def test_every_page_asks_for_a_login(world, client: Browser) -> None:
    for name, url in pages_of(world).items():
        response = client.get(url)
        assert response.status_code == 302 and response.url.startswith(reverse("login")), name


@pytest.mark.parametrize("who", ["alice", "charlie", "fiona", "eric"])
def test_verbs_are_refused_on_the_server_to_those_who_do_not_operate(
    world, client: Browser, who: str
) -> None:
    from django.contrib.auth.models import User

    extraction, done, waiting = world
    client.force_login(User.objects.get(username=who))
    before = list(Task.objects.order_by("id").values())
    for verb in ("retry", "cancel", "reprocess", "run-next", "priority"):
        assert (
            client.post(reverse("task_operate", args=(waiting.pk, verb)), {"priority": 30}).status_code == 403
        )
        assert client.post(reverse("task_operate", args=(done.pk, verb)), {"priority": 30}).status_code == 403
    for name in ("extraction_cancel", "extraction_retry"):
        assert client.post(reverse(name, args=(extraction.pk,))).status_code == 403
    given = {"verb": "cancel", "task": [waiting.pk], "confirmed": 1}
    assert client.post(reverse("operations_act"), given).status_code == 403
    assert list(Task.objects.order_by("id").values()) == before


def test_passwords_are_taken_from_those_who_hand_in_and_see_the_client(world, client: Browser) -> None:
    from django.contrib.auth.models import User

    action = reverse("extraction_passwords", args=(world[0].pk,))
    for who, status in (("alice", 302), ("fiona", 403), ("charlie", 404)):
        client.force_login(User.objects.get(username=who))
        assert client.post(action, {"password-1": "x"}).status_code == status, who


@pytest.mark.parametrize("group", ROLES)
def test_a_role_alone_opens_no_client(world, client: Browser, group: str) -> None:
    """Roles say what, memberships say whose; only operators and finance work across clients."""
    client.force_login(make_user("newcomer", group))
    expected = 200 if group in ("Operator", "Finance") else 404
    assert client.get(reverse("extraction", args=(world[0].pk,))).status_code == expected


def test_a_membership_that_ends_closes_the_client_at_once(world, client: Browser) -> None:
    from django.contrib.auth.models import User

    alice = User.objects.get(username="alice")
    client.force_login(alice)
    url = reverse("extraction_fragment", args=(world[0].pk,))
    assert client.get(url).status_code == 200
    alice.memberships.all().delete()
    assert client.get(url).status_code == 404


def test_a_person_without_role_or_client_is_told_so(db, client: Browser) -> None:
    client.force_login(make_user("nobody"))
    assert "You have no role yet" in client.get(reverse("home")).content.decode()
    assert client.get(reverse("upload")).status_code == 403
    client.force_login(make_user("alone", "Auditor"))
    assert "not a member of any client" in client.get(reverse("home")).content.decode()


def test_a_task_of_a_hidden_extraction_does_not_leak_through_the_list(world, client: Browser) -> None:
    walk(client, "charlie", world)
    response = client.get(reverse("extractions"), {"client": Extraction.objects.get().client_id})
    assert b"Nordwind" not in response.content


def test_attempts_of_somebody_elses_task_stay_hidden_in_the_admin(world, client: Browser) -> None:
    attempt = make_attempt(world[2], "failed", error_message="for members only")
    client.force_login(make_user("stranger", "Engineer", is_staff=True))
    for model, pk in (
        ("task", world[2].pk),
        ("attempt", attempt.pk),
        ("document", world[2].document_id),
        ("extraction", world[0].pk),
    ):
        listed = client.get(reverse(f"admin:tasks_{model}_changelist")).content
        assert b"waiting.pdf" not in listed and b"Nordwind" not in listed and b"0 " in listed
        assert client.get(reverse(f"admin:tasks_{model}_change", args=(pk,))).status_code == 302, (
            "to the index, as if it were not there"
        )


HOSTILE_NAMES = (
    "_connector",
    "_negated",
    "password__startswith",
    "user__password__startswith",
    "created_by__password__startswith",
    "extraction__created_by__password__startswith",
    "client__memberships__user__password__startswith",
    "task__extraction__created_by__password__regex",
)
CANARY = "x') OR 1=1 -- canary"


def test_no_name_in_an_address_becomes_a_part_of_a_statement(world, client: Browser) -> None:
    """Lists are narrowed by what they offer and by nothing else; the admin refuses what it does not know."""
    client.force_login(make_user("root", is_staff=True, is_superuser=True))
    own = [
        reverse(name)
        for name in ("home", "extractions", "operations", "operations_tasks", "costs", "costs_csv")
    ]
    lists = [
        reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        for model in admin.site._registry
    ]
    for url in own + lists:
        for name in HOSTILE_NAMES:
            with CaptureQueriesContext(connection) as asked:
                answer = client.get(url, {name: CANARY})
            assert answer.status_code in ((200,) if url in own else (302, 400)), (url, name)
            if url in own or answer.status_code == 302:
                assert not any("canary" in query["sql"] for query in asked), (url, name)
