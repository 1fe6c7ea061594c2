"""The operators' pages: each number leads to the list that it counts, the address holds every filter, and verbs ask before they act."""

from __future__ import annotations

import csv
import html
import io
import re
from datetime import timedelta

import pytest
from django.test import Client as Browser
from django.urls import reverse
from django.utils.translation import override

from dashboard import summary
from tasks import bulk
from tasks.models import Attempt, AuditEntry, BulkAction, Task
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
    result_json,
)  # fmt: skip


@pytest.fixture(autouse=True)
def fresh_numbers():
    summary.shared.clear()
    with override("en"):  # a page in another language leaves it behind
        yield
    summary.shared.clear()


@pytest.fixture
def world(db, client: Browser):
    """A client and an agent with tasks in every state; bob operates."""
    extraction = make_extraction(make_client("Nordwind"), make_agent("reader", max_concurrent_tasks=3))
    for confidence, review in ((0.97, False), (0.62, True), (0.91, False)):
        make_completed(
            extraction,
            result=result_json(confidence=confidence, needs_review=review),
            cost_usd="0.5",
            cost_state="estimated",
        )
    for code in ("crashed", "crashed", "corrupt", "own_code"):
        fail(make_task(extraction), code)
    for _ in range(5):
        make_task(extraction)
    other = make_extraction(make_client("Elsewhere"), make_agent("other"))
    make_task(other, make_document(other.client, "contract.pdf"))
    client.force_login(make_user("bob", "Operator"))
    return extraction, other


def fail(task: Task, code: str) -> None:
    attempt = make_attempt(task, "failed", error_code=code, error_message="It went wrong.")
    Task.objects.filter(pk=task.pk).update(
        status="failed", finished_at=attempt.finished_at, error_code=code, error_message="It went wrong."
    )  # fmt: skip


def shown(client: Browser, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return response.content.decode()


def test_each_tile_shows_the_length_of_the_list_that_it_leads_to(world, client: Browser) -> None:
    extraction, _ = world
    for query in (
        "",
        f"?client={extraction.client_id}",
        "?agent=1",
        f"?agent={extraction.agent_id}&last=24h",
        "?last=all&status=failed",
    ):
        page = shown(client, reverse("operations") + query)
        tiles = re.findall(r'id="state-(\w+)" class="tile" href="([^"]+)".*? data-number="(\d+)"', page)
        assert [name for name, *_ in tiles] == [
            "enqueued",
            "processing",
            "completed",
            "review",
            "failed",
            "cancelled",
        ]
        assert "of these to review" in page, "they are among the completed"
        for name, url, number in tiles:
            listed = shown(client, url.replace("&amp;", "&"))
            assert len(re.findall(r'<tr id="task-', listed)) == int(number), (query, name)
            assert re.search(rf'id="number">{number} tasks?<', listed), (query, name)


def test_a_cause_leads_to_its_tasks_and_retry_these_retries_exactly_them(world, client: Browser) -> None:
    page = shown(client, reverse("operations"))
    assert page.index("Crashed") < page.index("Damaged") and "own_code" in page
    url = re.search(r'id="retry-crashed" [^>]*href="([^"]+)"', page)[1].replace("&amp;", "&")
    asked = shown(client, url)
    assert "2 tasks are concerned." in asked
    assert Task.objects.filter(status="failed").count() == 4, "asking changes nothing"
    given = {
        "verb": "retry",
        "confirmed": 1,
        "reason": "provider is back",
        "scope": "all",
        "selection": html.unescape(re.search(r'name="selection" value="([^"]*)"', asked)[1]),
    }
    response = client.post(reverse("operations_act"), given, follow=True)
    assert "2 retried" in response.content.decode()
    assert sorted(Task.objects.filter(status="failed").values_list("error_code", flat=True)) == [
        "corrupt",
        "own_code",
    ]
    assert set(AuditEntry.objects.filter(verb="retry").values_list("reason", "actor_name")) == {
        ("provider is back", "bob")
    }


@pytest.mark.parametrize(
    ("verb", "extra"), [("cancel", {}), ("priority", {"priority": "30"}), ("run-next", {})]
)
def test_picked_tasks_are_operated_on_after_a_question_and_the_list_comes_back(
    world, client: Browser, verb: str, extra: dict
) -> None:
    waiting = list(
        Task.objects.filter(status="enqueued", extraction=world[0])
        .order_by("pk")
        .values_list("pk", flat=True)
    )[:2]
    back = reverse("operations_tasks") + "?status=enqueued"
    given = {"verb": verb, "task": waiting, "back": back, **extra}
    asked = client.post(reverse("operations_act"), given).content.decode()
    assert "2 tasks are concerned." in asked and 'name="confirmed"' in asked
    response = client.post(reverse("operations_act"), {**given, "confirmed": 1})
    assert (response.status_code, response.url) == (302, back)
    rows = Task.objects.filter(pk__in=waiting)
    if verb == "cancel":
        assert {task.status for task in rows} == {"cancelled"}
    elif verb == "priority":
        assert {task.priority for task in rows} == {30}
    else:
        first = Task.objects.filter(status="enqueued", extraction=world[0]).order_by("start_key", "pk")
        assert [task.pk for task in first[:2]] == waiting


def test_all_that_match_go_through_the_machinery_of_the_admin(world, client: Browser, monkeypatch) -> None:
    monkeypatch.setattr(bulk, "AT_ONCE", 1)
    back = reverse("operations_tasks") + "?status=failed"
    given = {"verb": "retry", "scope": "all", "selection": "status=failed", "back": back}
    asked = client.post(reverse("operations_act"), given).content.decode()
    assert "4 tasks are concerned." in asked and "in the background" in asked and "processor time" in asked
    token = re.search(r'name="token" value="([^"]+)"', asked)[1]
    late = Task.objects.filter(status="failed").first()
    Task.objects.filter(pk=late.pk).update(
        status="enqueued", finished_at=None, error_code="", error_message=""
    )
    given |= {"confirmed": 1, "token": token, "reason": "provider is back"}
    first, second = (client.post(reverse("operations_act"), given) for _ in range(2))
    action = BulkAction.objects.get()
    assert first.url == second.url == reverse("bulk_action", args=(action.pk,)), "sent twice, it acts once"
    assert (action.total, action.selection, action.reason) == (3, "status=failed", "provider is back")
    bulk.run(action)
    assert Task.objects.filter(status="failed").count() == 0
    touched = [pk for piece in action.pieces.all() for pk in piece.ids]
    assert late.pk not in touched, "it did not match any more when that was confirmed"


def test_without_a_selection_all_means_all(world, client: Browser) -> None:
    number = Task.objects.count()
    asked = client.post(
        reverse("operations_act"), {"verb": "cancel", "scope": "all", "selection": "last=all"}
    )
    assert f"{number} tasks are concerned." in asked.content.decode()


def test_nobody_is_led_elsewhere_and_nonsense_is_not_found(world, client: Browser) -> None:
    task = Task.objects.first()
    given = {"verb": "cancel", "task": [task.pk], "confirmed": 1, "back": "https://evil.example/"}
    assert client.post(reverse("operations_act"), given).url == reverse("operations_tasks")
    assert client.post(reverse("operations_act"), {"verb": "drop", "task": [task.pk]}).status_code == 404
    assert client.post(reverse("operations_act"), {"verb": "cancel", "task": ["x"]}).status_code == 404
    for after in ("x", "f.1", "p.1.2", "d.99999999999999999999.1", "f.-1.0", "z.1"):
        assert client.get(reverse("operations_tasks"), {"after": after}).status_code == 404, after


def test_a_wrong_filter_is_told_and_nothing_is_narrowed_by_it(world, client: Browser) -> None:
    page = shown(client, reverse("operations") + "?from=yesterday&status=lost&agent=seven&client=999999")
    assert page.count("errorlist") == 4
    assert "<b>6</b><span>Waiting</span>" in page


def test_a_period_before_the_first_task_or_in_the_future_is_empty_and_one_outside_of_the_calendar_is_told(
    world, client: Browser
) -> None:
    for period in ("to=2001-01-01", "from=2900-01-01", "from=2026-02-02&to=2026-01-01"):
        for name in ("operations", "operations_fragment", "operations_csv", "operations_tasks"):
            assert client.get(f"{reverse(name)}?{period}").status_code == 200, (name, period)
    for period in ("to=9999-12-31", "from=0001-01-01"):
        for name in ("operations", "operations_tasks"):
            assert shown(client, f"{reverse(name)}?{period}").count("errorlist") == 1, (name, period)


def test_tasks_are_found_by_number_run_digest_and_name(world, client: Browser) -> None:
    task = Task.objects.select_related("document").filter(status="completed").first()
    Attempt.objects.filter(task=task).update(run_id="run-77", trace_id="tr-abc123")
    for text in (
        str(task.pk),
        "run-77",
        "tr-abc123",
        task.document.sha256,
        task.document.sha256[:10].upper(),
        task.document.original_name[:-4].upper(),
    ):
        page = shown(client, reverse("operations_tasks") + f"?q={text}")
        assert f'id="task-{task.pk}"' in page, text
    assert "No task fits" in shown(client, reverse("operations_tasks") + "?q=nothing-has-this-name")


def test_the_order_of_what_waits_is_the_order_of_claims(world, client: Browser) -> None:
    urgent = make_task(world[0], priority=30)
    deferred = make_task(world[0], deferred=True, available_at=database_now() + timedelta(hours=1))
    ids = [
        int(pk)
        for pk in re.findall(
            r'<tr id="task-(\d+)"', shown(client, reverse("operations_tasks") + "?status=enqueued")
        )
    ]
    assert ids[0] == urgent.pk and ids[-1] == deferred.pk and ids[1:-1] == sorted(ids[1:-1])


def test_the_export_holds_what_is_shown_with_its_filter(world, client: Browser) -> None:
    response = client.get(reverse("operations_csv") + f"?client={world[0].client_id}")
    rows = list(csv.reader(io.StringIO(b"".join(response.streaming_content).decode("utf-8-sig"))))
    found = {(part, name): value for part, name, value, _ in rows}
    assert found["tasks", "Waiting"] == "5" and found["filter", "client"] == str(world[0].client_id)
    assert found["LLM cost in USD", "known"] == "1.500000" and found["errors", "crashed"] == "2"
    assert found["compute cost in USD", "known"] == "", "unknown is not zero"


def test_unknown_is_a_dash_and_the_shares_of_costs_are_told(world, client: Browser) -> None:
    page = shown(client, reverse("operations"))
    compute = page[page.index('id="tile-compute"') : page.index('id="tile-response"')]
    assert '<p class="figure">—</p>' in compute and "7 unknown." in compute
    cost = page[page.index('id="tile-cost"') : page.index('id="tile-compute"')]
    assert "1.50" in cost and "3 estimated," in cost and "4 unknown." in cost


def test_pages_cost_the_same_number_of_queries_however_many_tasks_they_show(
    world, client: Browser, django_assert_max_num_queries
) -> None:
    for _ in range(20):
        make_task(world[0])
    for url in (reverse("operations"), reverse("operations_tasks")):
        summary.shared.clear()
        with django_assert_max_num_queries(36):
            client.get(url)


def test_german_operators_read_german(world, client: Browser) -> None:
    client.cookies["django_language"] = "de"
    page = shown(client, reverse("operations"))
    assert "Fehlschläge nach Ursache" in page and "Abgestürzt" in page and "braucht" not in page
    with override("de"):
        assert "Aufgaben" in shown(client, reverse("operations_tasks"))
