"""Lists in another order: each row once whatever ties and gaps there are, the export as the page, the address as both, and no order that would take too long."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client as Browser
from django.urls import reverse
from django.utils.translation import override

from dashboard import chosen, extractions, queries, summary, tasklist
from dashboard.filters import Filters
from dashboard.ordering import OWN, Order, following
from tasks.models import BulkAction, SavedView, Task
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

FURTHER = re.compile(r'href="([^"]*)" rel="next"')


@pytest.fixture(autouse=True)
def fresh_numbers():
    summary.shared.clear()
    with override("en"):
        yield
    summary.shared.clear()


@pytest.fixture
def world(db, client: Browser):
    """Two clients and agents with tasks in every state, many of them equal in many columns; bob operates."""
    nord, east = make_client("Nordwind"), make_client("Äolus")
    first = make_extraction(nord, make_agent("reader"))
    second = make_extraction(east, make_agent("other"))
    for number in range(14):
        extraction = second if number % 3 == 0 else first
        document = make_document(
            extraction.client, f"paper {number % 5}.pdf", pages=None if number % 4 == 0 else number % 3 + 1
        )
        if number % 2:
            confidence = 0.5 + number % 4 / 10
            task = make_completed(
                extraction, document, result=result_json(confidence=confidence, needs_review=number > 6)
            )
        else:
            task = make_task(extraction, document, priority=10 * (number % 3), attempts_made=number % 4)
        Task.objects.filter(pk=task.pk).update(enqueued_at=database_now() - timedelta(minutes=number % 6))
    failed = make_task(first)
    attempt = make_attempt(failed, "failed", error_code="crashed")
    Task.objects.filter(pk=failed.pk).update(
        status="failed", finished_at=attempt.finished_at, error_code="crashed"
    )
    client.force_login(make_user("bob", "Operator"))
    return client, first, second


def walked(browser: Browser, url: str, row: str = "task") -> list[int]:
    """Ids of all rows, page after page, as the links lead."""
    found: list[int] = []
    path = url.partition("?")[0]
    while True:
        page = browser.get(url).content.decode()
        found += [int(pk) for pk in re.findall(rf'<tr id="{row}-(\d+)"', page)]
        further = FURTHER.search(page)
        if not further:
            return found
        link = html.unescape(further[1])
        url = path + link if link.startswith("?") else link


def expected(key: Callable[[Any], Any], order: Order, rows: list[Any]) -> list[int]:
    """By the key, what has none last, equal ones by id."""
    known = [row for row in rows if key(row) is not None]
    rest = [row.pk for row in rows if key(row) is None]
    return [row.pk for row in sorted(known, key=key, reverse=order.falls)] + rest


def taken(browser: Browser, url: str) -> list[dict[str, str]]:
    answer = browser.get(url)
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig"))))


STATES = ["enqueued", "processing", "completed", "review", "failed", "cancelled"]
DOCUMENTS: dict[str, Callable[[Task], Any]] = {
    "name": lambda task: task.document.original_name, "confidence": lambda task: task.confidence, "pages": lambda task: task.document.pages,
    "attempts": lambda task: task.attempts_made, "finished": lambda task: task.finished_at,
    "state": lambda task: STATES.index("review" if task.needs_review else task.status),
}  # fmt: skip


@pytest.mark.parametrize("falls", [False, True], ids=["rising", "falling"])
@pytest.mark.parametrize("name", chosen.ORDERS)
def test_documents_come_in_any_order_each_once_and_leave_in_the_same(
    world, monkeypatch, name: str, falls: bool
) -> None:
    monkeypatch.setattr(extractions, "ROWS_PER_PAGE", 2)
    browser, extraction, _ = world
    order, rows = Order(name, falls), list(extraction.tasks.select_related("document").order_by("id"))
    ids = walked(browser, reverse("extraction", args=(extraction.pk,)) + f"?sort={order}")
    assert ids == expected(DOCUMENTS[name], order, rows)
    page = browser.get(reverse("extraction", args=(extraction.pk,)) + f"?sort={order}&state=review")
    url = html.unescape(re.search(r'id="export-csv"[^>]*href="([^"]*)"', page.content.decode())[1])
    review = [row for row in rows if row.needs_review]
    digests = {row.pk: row.document.sha256 for row in rows}
    found = [line["SHA-256"] for line in taken(browser, url)]
    assert found == [digests[pk] for pk in expected(DOCUMENTS[name], order, review)]
    assert "extraction-" in browser.get(url).headers["Content-Disposition"]
    assert "-review.csv" in browser.get(url).headers["Content-Disposition"], "a part is not named like all"


def test_documents_are_listed_by_name_as_people_sort_it_in_whatever_order_they_came(
    world, monkeypatch
) -> None:
    """Several go up side by side, and arrive as it happens; databases sort names by their bytes."""
    wanted = [
        "2.pdf", "10.pdf", "123456789012345678.pdf", "a 3.pdf", "Ä 4.pdf", "A 20 b 9.pdf", "a 20 b 10.pdf", "b.pdf", "Übersicht.pdf", "z.pdf",
    ]  # fmt: skip
    monkeypatch.setattr(extractions, "ROWS_PER_PAGE", 3)
    browser, first, _ = world
    extraction = make_extraction(first.client, first.agent)
    for name in [*wanted[1::2], *wanted[::2]]:
        make_task(extraction, make_document(extraction.client, name))
    names = dict(extraction.tasks.values_list("pk", "document__original_name"))
    url = reverse("extraction", args=(extraction.pk,))
    for asked, order in (("", wanted), ("?sort=name", wanted), ("?sort=-name", wanted[::-1])):
        assert [names[pk] for pk in walked(browser, url + asked)] == order, asked
    exported = taken(browser, reverse("results_csv", args=(extraction.pk,)))
    assert [line["document"] for line in exported] == wanted


TASKS: dict[str, Callable[[Task], Any]] = {
    "client": lambda task: task.client.name == "Äolus", "agent": lambda task: task.agent.name, "priority": lambda task: task.priority,
    "attempts": lambda task: task.attempts_made, "confidence": lambda task: task.confidence,
    "time": lambda task: task.finished_at or task.enqueued_at,
}  # fmt: skip


@pytest.mark.parametrize("falls", [False, True], ids=["rising", "falling"])
@pytest.mark.parametrize("name", tasklist.ORDERS)
def test_tasks_come_in_any_order_each_once_and_leave_in_the_same(
    world, monkeypatch, name: str, falls: bool
) -> None:
    monkeypatch.setattr("dashboard.worklist.PER_PAGE", 2)
    browser, first, _ = world
    order = Order(name, falls)
    narrowed = {
        "last=all": {}, f"client={first.client_id}": {"client": first.client_id}, "status=review": {"needs_review": True},
        f"agent={first.agent_id}&status=enqueued": {"agent": first.agent_id, "status": "enqueued"}, "error=crashed": {"error_code": "crashed"},
    }  # fmt: skip
    for query, fields in narrowed.items():
        rows = list(Task.objects.filter(**fields).select_related("client", "agent").order_by("id"))
        key = TASKS[name]
        if name == "client":  # as the database sorts them
            names = list(Task.objects.order_by("client__name").values_list("client__name", flat=True))
            key = lambda task: names.index(task.client.name)  # noqa: B023, E731
        wanted = expected(key, order, rows)
        assert walked(browser, reverse("operations_tasks") + f"?{query}&sort={order}") == wanted, query
        found = taken(browser, reverse("operations_tasks_csv") + f"?{query}&sort={order}")
        assert [int(line["task"]) for line in found] == wanted, query


def test_every_way_to_the_tasks_of_a_list_finds_the_same(world) -> None:
    now = queries.database_now()
    for order in (Order("confidence"), Order("client", True)):
        found = [
            tasklist.in_order(Filters(last="all", client=world[1].client_id), now, order, way, 100)[0]
            for way in ("time", "client")
        ]
        assert found[0] == found[1] and len(found[0]) == world[1].tasks.count()
        found = [
            tasklist.in_order(Filters(last="all", status="review"), now, order, way, 100)[0]
            for way in ("time", "review")
        ]
        assert found[0] == found[1] and len(found[0]) == Task.objects.filter(needs_review=True).count()


def test_the_list_of_an_error_holds_what_failed_with_it_and_nothing_that_was_cancelled_after_it(
    world,
) -> None:
    """Its number says the same, and without the other states it is there in a moment: of a million tasks it took 7 s."""
    cancelled = make_task(world[1])
    Task.objects.filter(pk=cancelled.pk).update(
        status="cancelled", finished_at=database_now(), error_code="crashed"
    )
    now, filters = queries.database_now(), Filters(last="all", error="crashed")
    failed = list(Task.objects.filter(status="failed").values_list("pk", flat=True))
    assert tasklist.page(filters, now, 10)[0] == failed
    assert list(tasklist.matching(filters, now).values_list("pk", flat=True)) == failed


def test_what_was_searched_for_is_sorted_too_and_taken_away(world) -> None:
    browser = world[0]
    for name, falls in (("time", False), ("time", True), ("confidence", True)):
        order = Order(name, falls)
        rows = list(Task.objects.filter(document__original_name__contains="paper").order_by("id"))
        wanted = expected(TASKS[name], order, rows)
        assert walked(browser, reverse("operations_tasks") + f"?q=paper&sort={order}") == wanted
        found = taken(browser, reverse("operations_tasks_csv") + f"?q=paper&sort={order}")
        assert [int(line["task"]) for line in found] == wanted


def test_without_an_order_the_export_has_what_the_list_has(world, monkeypatch) -> None:
    monkeypatch.setattr("dashboard.worklist.CHUNK", 3)
    monkeypatch.setattr("dashboard.worklist.PER_PAGE", 4)
    wanted = walked(world[0], reverse("operations_tasks"))
    found = taken(world[0], reverse("operations_tasks_csv"))
    assert [int(line["task"]) for line in found] == wanted and len(wanted) == Task.objects.count()
    assert {line["confidence"] for line in found} > {"", "0.6"} and found[-1]["client"]


def test_a_list_that_is_too_long_keeps_its_order_and_says_why(world, monkeypatch) -> None:
    browser, url = world[0], reverse("operations_tasks")
    sorted_page = browser.get(url + "?sort=confidence").content.decode()
    assert 'aria-sort="ascending"' in sorted_page and "has this order only" not in sorted_page
    own = walked(browser, url)
    monkeypatch.setattr(tasklist, "MOST_SORTED", 12)
    page = browser.get(url + "?sort=confidence").content.decode()
    assert "A list of more than 12 tasks has this order only." in page and "aria-sort" not in page
    assert walked(browser, url + "?sort=confidence") == own
    assert browser.get(url + "?sort=confidence&after=3~0.5~").status_code == 200, "it grew meanwhile"
    summary.shared.clear()
    assert 'aria-sort="ascending"' in browser.get(url + "?sort=confidence&status=review").content.decode()
    found = taken(browser, reverse("operations_tasks_csv") + "?sort=confidence")
    assert [int(line["task"]) for line in found] == own


def test_the_list_of_extractions_is_sorted_and_taken_away(world, monkeypatch) -> None:
    browser, first, second = world
    third = make_extraction(first.client, second.agent, engagement="Later")
    monkeypatch.setattr(extractions, "PER_PAGE", 1)
    url, listed = reverse("extractions"), reverse("extractions_csv")
    a, b, c = first.pk, second.pk, third.pk
    clients = list(
        type(first.client).objects.filter(pk__in=(first.client_id, second.client_id)).order_by("name")
    )
    by_client = [[c, a], [b]] if clients[0] == first.client else [[b], [c, a]]
    for sort, wanted in {
        "": [c, b, a], "handed-in": [a, b, c], "-handed-in": [c, b, a], "agent": [c, b, a], "-agent": [a, c, b],
        "client": by_client[0] + by_client[1], "-client": by_client[1] + by_client[0], "nonsense": [c, b, a],
    }.items():  # fmt: skip
        assert walked(browser, f"{url}?sort={sort}", "extraction") == wanted, sort
        assert [int(line["extraction"]) for line in taken(browser, f"{listed}?sort={sort}")] == wanted, sort
    narrowed = taken(browser, f"{listed}?client={second.client_id}")
    assert [line["documents"] for line in narrowed] == ["5"]


def test_somebody_takes_only_extractions_away_that_they_may_see(world) -> None:
    browser, first, _second = world
    browser.force_login(make_user("ann", "Auditor", clients=(first.client,)))
    assert [int(line["extraction"]) for line in taken(browser, reverse("extractions_csv"))] == [first.pk]
    assert browser.get(reverse("operations_tasks_csv")).status_code == 403


def test_heads_lead_round_and_tell_the_order(world) -> None:
    offered = {"confidence": False, "time": True}
    for name, steps in {
        "confidence": ["confidence", "-confidence", ""],
        "time": ["-time", "time", ""],
    }.items():
        orders = [OWN, *(Order.parse(step, offered) for step in steps)]
        assert [following(name, before, offered) for before, _ in pairwise(orders)] == orders[1:]
    url = reverse("extraction", args=(world[1].pk,))
    page = world[0].get(url + "?state=review&size=25&after=3&sort=-confidence").content.decode()
    assert page.count("aria-sort") == 1
    head = re.search(r'<th [^>]*aria-sort="(\w+)"><a [^>]*href="([^"]*)">', page)
    assert (head[1], html.unescape(head[2])) == ("descending", "?state=review&size=25")
    assert 'href="?state=review&amp;size=25&amp;sort=name"' in page, "from the first page on"
    rows = world[0].get(reverse("extractions"), follow=True).content.decode()
    assert 'aria-sort="descending"' in rows, "the newest first is an order as well"
    assert "aria-sort" not in world[0].get(reverse("home")).content.decode()


def test_the_number_of_rows_stands_in_the_address_and_is_kept_for_the_next_visit(world) -> None:
    browser = world[0]
    for number in range(30):
        make_task(world[1], make_document(world[1].client, f"more {number}.pdf"))
    page = reverse("extraction", args=(world[1].pk,))
    assert browser.get(page).status_code == 200 and "rows" not in browser.cookies
    shown = browser.get(page, {"size": 25, "state": "enqueued"}).content.decode()
    assert shown.count('<tr id="task-') == 25
    assert browser.cookies["rows"].value == "25" and browser.cookies["rows"]["httponly"]
    for url in (page, reverse("extractions"), reverse("operations_tasks"), reverse("bulk_actions")):
        answer = browser.get(url, {"sort": "state"})
        assert (answer.status_code, answer.url) == (302, f"{url}?sort=state&size=25")
    fragment = reverse("extraction_fragment", args=(world[1].pk,))
    assert browser.get(fragment, {"size": 50}).content.decode().count('<tr id="task-') > 25
    for wrong in ("1000", "x", "-1", "0"):
        assert browser.get(page, {"size": wrong}).status_code == 200, "what is no choice is left alone"
    assert browser.cookies["rows"].value == "25"
    browser.get(page, {"size": 200})
    assert browser.cookies["rows"].value == "200"


@pytest.mark.parametrize(
    "after", ["x", "-1", "1~~", "9" * 19, "3~abc", "3~nan~", "3~1~\0", "3~0.5", "~", "3~"]
)
def test_a_place_that_no_page_has_given_out_is_not_found(world, after: str) -> None:
    browser = world[0]
    answer = browser.get(reverse("operations_tasks"), {"sort": "confidence", "after": after})
    assert answer.status_code == 404
    if after in ("3~0.5",):
        return
    for name in ("confidence", "pages"):
        url = reverse("extraction", args=(world[1].pk,))
        assert browser.get(url, {"sort": name, "after": after}).status_code == 404, name


@pytest.mark.parametrize("sort", ["nonsense", "-", "--name", "id", "document__sha256", "\0"])
def test_an_order_that_there_is_not_is_the_lists_own(world, sort: str) -> None:
    for url in (reverse("extraction", args=(world[1].pk,)), reverse("operations_tasks")):
        assert walked(world[0], f"{url}?sort={sort}") == walked(world[0], url)


def test_a_saved_view_keeps_its_order(world) -> None:
    browser = world[0]
    given = {
        "page": "operations_tasks",
        "name": "doubts",
        "query": "status=review&sort=confidence&size=25&x=1",
    }
    answer = browser.post(reverse("view_save"), given)
    assert SavedView.objects.get().query == "status=review&sort=confidence"
    page = browser.get(answer.url).content.decode()
    assert 'aria-current="true">doubts</a>' in page
    assert '<input type="hidden" name="sort" value="confidence">' in page, "another filter keeps the order"
    assert 'aria-current="true">doubts' not in browser.get(answer.url + "&sort=-time").content.decode()


def test_actions_are_listed_from_either_end(world, monkeypatch) -> None:
    for _ in range(3):
        BulkAction.objects.create(verb="retry", object_type="task", actor_name="bob", total=0)
    monkeypatch.setattr("dashboard.actions.PER_PAGE", 2)
    ids = list(BulkAction.objects.order_by("id").values_list("pk", flat=True))
    for sort, wanted in {"": ids[::-1], "begun": ids}.items():
        found, url = [], reverse("bulk_actions") + f"?sort={sort}"
        while url:
            page = world[0].get(url).content.decode()
            found += [int(pk) for pk in re.findall(r'href="/operations/actions/(\d+)/"', page)]
            further = FURTHER.search(page)
            url = reverse("bulk_actions") + html.unescape(further[1]) if further else ""
        assert found == wanted
