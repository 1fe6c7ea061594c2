"""What the pages say: live parts, counts that agree with their lists, why nothing moves, and verbs that say what they did."""

from __future__ import annotations

import re
from datetime import timedelta
from urllib.parse import unquote

from django.test import Client as Browser
from django.urls import reverse

from dashboard import gist
from tasks.models import Attempt, AuditEntry, Task, Worker
from tests import page_tools
from tests.factories import (
    database_now,
    make_agent,
    make_client,
    make_completed,
    make_document,
    make_extraction,
    make_task,
    make_user,
    result_json,
)  # fmt: skip
from tests.page_tools import page_of, task_named

world = page_tools.world


def test_each_document_shows_its_state_in_a_word_with_confidence_progress_or_reason(world) -> None:
    page = page_of(world)
    for words in (
        "Completed",
        "Needs review",
        "Waiting",
        "Failed",
        "Processing",
        "page 12 of 30",
        "This PDF has no pages.",
        "62\u202f%",
    ):
        assert words in page, words
    assert "3 of 5 done" in page
    assert "<title>(3/5) Nordwind &amp; Söhne · Year-end" in page


def test_a_list_tells_what_each_document_says_and_reads_no_large_result_for_it(world, monkeypatch) -> None:
    two = result_json(supplier="<Müller> & Co", total="1234567.5")
    fields = two["records"][0]["fields"]
    fields |= {
        "currency": fields["total"] | {"value": "EUR"},
        "date": fields["total"] | {"value": "2026-02-28"},
    }
    make_completed(
        world[1], make_document(world[1].client, "two.pdf"), result=two | {"records": two["records"] * 2}
    )
    make_completed(world[1], make_document(world[1].client, "none.pdf"), result=two | {"records": []})
    told = "&lt;Müller&gt; &amp; Co · 2026-02-28 · 1,234,567.5\u202fEUR · 2 records"
    page = page_of(world)
    assert told in page and "Acme GmbH · 1,234.50" in page
    assert task_named("two.pdf").document.original_name in page
    Attempt.objects.filter(pk=task_named("none.pdf").result_attempt).update(result={"records": "none"})
    assert told in page_of(world), "one odd result hides no other"
    monkeypatch.setattr(gist, "LARGEST_BYTES", 100)
    assert "GmbH" not in page_of(world)


def test_a_list_says_why_a_document_needs_review_and_of_the_result_before_its_fields(world) -> None:
    why = '<span class="tone-warn">Total: Net and tax do not add up to the total.</span>'
    attempts = Attempt.objects.filter(pk=task_named("doubtful.pdf").result_attempt)
    result = result_json(confidence=0.62, needs_review=True)
    for odd in ({}, {"records": [5, {"fields": "none"}, *result["records"]]}, {"reasons": "none"}):
        attempts.update(result=result | odd)
        assert page_of(world).count(why) == 1
    attempts.update(result=result | {"reasons": ["A page could not be read."]})
    page = page_of(world)
    assert why not in page and page.count("A page could not be read.") == 1
    Task.objects.filter(document__original_name="doubtful.pdf").update(needs_review=False)
    assert "A page could not be read." not in page_of(world), "only where somebody has to look"


def test_every_tile_counts_exactly_the_rows_of_its_list(world) -> None:
    tiles = re.findall(r'id="tile-(\w+)".*?<b>(\d+)</b>', page_of(world))
    assert len(tiles) == 6
    for state, number in tiles:
        rows = page_of(world, state="" if state == "all" else state).count('id="task-')
        assert rows == int(number), state
    assert world[0].get(reverse("extraction", args=(world[1].pk,)), {"state": "nonsense"}).status_code == 404


def test_the_fragment_is_the_live_part_of_the_page_and_costs_nothing_while_unchanged(world) -> None:
    url = reverse("extraction_fragment", args=(world[1].pk,))
    first = world[0].get(url)
    assert b"<html" not in first.content and b"data-title=" in first.content
    for _ in range(5):  # what tells how long something has been running changes by itself, every second
        again = world[0].get(url, headers={"if-none-match": first.headers["ETag"]})
        if again.status_code == 304:
            break
        first = again
    assert (again.status_code, again.content) == (304, b"")
    Task.objects.filter(pk=task_named("waiting.pdf").pk).update(
        status="cancelled", finished_at=database_now()
    )
    changed = world[0].get(url, headers={"if-none-match": first.headers["ETag"]})
    assert changed.status_code == 200 and b"Cancelled" in changed.content


def test_long_lists_are_paged_by_name_and_no_row_is_lost_or_twice(world, monkeypatch) -> None:
    monkeypatch.setattr("dashboard.extractions.ROWS_PER_PAGE", 2)
    seen, after = [], ""
    while True:
        page = page_of(world, after=after)
        seen += re.findall(r'id="task-(\d+)"', page)
        following = re.search(r'\?after=([^"]*)" rel="next"', page)
        if not following:
            break
        after = unquote(following.group(1))
    assert seen == [
        str(pk) for pk in Task.objects.order_by("document__original_name").values_list("pk", flat=True)
    ]
    assert world[0].get(reverse("extraction", args=(world[1].pk,)), {"after": "x"}).status_code == 404


def test_the_list_of_extractions_pages_filters_and_counts(world, monkeypatch) -> None:
    monkeypatch.setattr("dashboard.extractions.PER_PAGE", 1)
    client, first = world
    newer = make_extraction(make_client("Other"), first.agent, created_by=make_user("ann"))
    page = client.get(reverse("extractions")).content.decode()
    assert "Other" in page and "Year-end" not in page and f"before={newer.pk}" in page
    page = client.get(reverse("extractions"), {"before": newer.pk}).content.decode()
    assert "3 / 5" in page and "Year-end" in page
    assert "1 to review" in page and "1 failed" in page, "a telephone shows no columns for them"
    assert "Nothing matches" in client.get(reverse("extractions"), {"mine": 1}).content.decode()
    assert "Year-end" in client.get(reverse("extractions"), {"client": first.client_id}).content.decode()


def test_nothing_moves_is_explained(world) -> None:
    assert "No worker is running" in page_of(world)
    now = database_now()
    Worker.objects.create(
        id="6f1e0f3c-0000-4000-8000-000000000001",
        host="h",
        pid=1,
        version="1",
        slots=4,
        started_at=now,
        heartbeat_at=now,
    )
    assert "No worker is running" not in page_of(world)
    world[1].agent.__class__.objects.filter(pk=world[1].agent_id).update(is_paused=True)
    assert "The agent reader is paused." in page_of(world)
    Worker.objects.update(heartbeat_at=now - timedelta(hours=1))


def test_a_result_shows_values_evidence_reasons_and_what_was_not_found(world) -> None:
    page = world[0].get(reverse("task", args=(task_named("doubtful.pdf").pk,))).content.decode()
    for words in (
        "Acme GmbH",
        "1,234.50",
        "1.234,50",
        "Page 1",
        "not found on page",
        "Net and tax do not add up",
        "Paper",
        "62\u202f%",
        "never run",
    ):
        assert words in page, words
    assert page.index(">Supplier<") < page.index(">Due date<") < page.index(">Total<"), (
        "in reading order, not the database's"
    )


def test_operators_cancel_what_waits_and_retry_what_failed_after_being_asked(world) -> None:
    client, extraction = world
    asked = page_of(world, "extraction_cancel")
    assert "1 task is concerned." in asked and "waiting.pdf" in asked
    page = client.post(
        reverse("extraction_cancel", args=(extraction.pk,)), {"reason": "wrong client"}, follow=True
    ).content.decode()
    assert "1 cancelled." in page and task_named("waiting.pdf").status == "cancelled"
    assert (
        AuditEntry.objects.filter(
            verb="cancel", object_type="task", reason="wrong client", actor_name="bob", source="web 127.0.0.1"
        ).count()
        == 1
    )
    client.post(reverse("extraction_retry", args=(extraction.pk,)))
    assert task_named("failed.pdf").status == "enqueued"
    assert task_named("running.pdf").status == "processing", "what runs is left alone"


def test_verbs_of_the_task_page_work_and_say_what_they_did(world) -> None:
    client, _ = world
    task = task_named("waiting.pdf")

    def do(name: str, verb: str, **data: object) -> str:
        return client.post(
            reverse("task_operate", args=(task_named(name).pk, verb)), data, follow=True
        ).content.decode()

    assert "1 done." in do("waiting.pdf", "priority", priority=30)
    task.refresh_from_db()
    assert task.priority == 30
    assert "1 done." in do("waiting.pdf", "run-next")
    assert "skipped: already completed" in do("good.pdf", "cancel")
    assert "1 done." in do("good.pdf", "reprocess") and task_named("good.pdf").generation == 2
    assert (
        client.post(reverse("task_operate", args=(task.pk, "priority")), {"priority": "7"}).status_code == 404
    )
    assert client.post(reverse("task_operate", args=(task.pk, "explode"))).status_code == 404
    assert client.get(reverse("task_operate", args=(task.pk, "cancel"))).status_code == 405


def test_a_document_is_read_again_by_the_agent_that_is_chosen(world) -> None:
    task, other = task_named("good.pdf"), make_agent("contracts", title="Reads contracts")
    page = world[0].get(reverse("task", args=(task.pk,))).content.decode()
    assert '<option value="contracts">contracts: Reads contracts</option>' in page
    url = reverse("task_operate", args=(task.pk, "reprocess"))
    assert world[0].post(url, {"agent": "nowhere"}).status_code == 404
    assert Task.objects.get(pk=task.pk).status == "completed"
    world[0].post(url, {"agent": "contracts", "reason": "it is a contract"})
    again = Task.objects.get(pk=task.pk)
    assert (again.status, again.agent, again.agent_version) == ("enqueued", other, other.current_version)


def test_an_empty_installation_shows_the_steps_to_the_first_result(db, client: Browser) -> None:
    client.force_login(make_user("root", is_superuser=True, is_staff=True))
    page = client.get(reverse("home")).content.decode()
    for words in ("To the first result", reverse("admin:tasks_client_add"), "A worker", reverse("upload")):
        assert words in page
    assert "No extractions yet" in client.get(reverse("extractions")).content.decode()


def test_the_start_shows_the_system_only_to_those_who_look_after_it(world) -> None:
    assert "The system now" in world[0].get(reverse("home")).content.decode()
    world[0].force_login(make_user("ann", "Auditor", clients=(world[1].client,)))
    page = world[0].get(reverse("home")).content.decode()
    assert "The system now" not in page and "Year-end" in page


def test_no_page_has_inline_script_or_style_and_every_answer_has_the_policy(world) -> None:
    task = task_named("doubtful.pdf")
    urls = [reverse(name) for name in ("home", "upload", "extractions", "login")]
    urls += [
        reverse("extraction", args=(world[1].pk,)),
        reverse("task", args=(task.pk,)),
        reverse("extraction_cancel", args=(world[1].pk,)),
        "/nowhere/",
    ]
    for url in urls:
        response = world[0].get(url)
        policy = response.headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy and "unsafe" not in policy
        page = response.content.decode()
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", page), url
        assert page.count("<h1") <= 1


def test_pages_read_a_bounded_number_of_rows_whatever_their_number(
    world, django_assert_max_num_queries
) -> None:
    for _ in range(20):
        make_task(world[1])
    with django_assert_max_num_queries(15):
        page_of(world)
    with django_assert_max_num_queries(14):
        world[0].get(reverse("extractions"))
