"""What the pages say: live parts, counts that agree with their lists, honest unknowns, safe downloads, errors in words, languages."""

from __future__ import annotations

import contextlib
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from urllib.parse import parse_qs, urlsplit

import pytest
from django import forms
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.http import Http404
from django.test import AsyncRequestFactory
from django.test import Client as Browser
from django.urls import reverse
from django.utils import formats
from django.utils.functional import SimpleLazyObject
from django.utils.translation import override

from dashboard import errors, gist
from dashboard.operations import moment
from dashboard.pace import Pace
from dashboard.templatetags import show
from tasks import why
from tasks.models import Attempt, AuditEntry, Extraction, Task, Worker
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


@pytest.fixture
def world(db, client: Browser):
    """An extraction in every state, looked at by an operator."""
    audited, agent = make_client("Nordwind & Söhne"), make_agent("reader")
    extraction = make_extraction(audited, agent, engagement="Year-end")
    make_completed(extraction, make_document(audited, "good.pdf"), result=result_json())
    make_completed(
        extraction,
        make_document(audited, "doubtful.pdf"),
        result=result_json(confidence=0.62, needs_review=True),
    )
    make_task(extraction, make_document(audited, "waiting.pdf"))
    failed = make_task(extraction, make_document(audited, "failed.pdf"))
    attempt = make_attempt(failed, "failed", error_code="corrupt", error_message="This PDF has no pages.")
    Task.objects.filter(pk=failed.pk).update(
        status="failed",
        finished_at=attempt.finished_at,
        error_code="corrupt",
        error_message="This PDF has no pages.",
    )
    running = make_task(extraction, make_document(audited, "running.pdf", pages=30))
    attempt = make_attempt(running, "running", pages_done=12, pages_total=30)
    Task.objects.filter(pk=running.pk).update(
        status="processing",
        locked_by="worker:x",
        lease_owner=attempt.worker,
        lease_expires_at=attempt.deadline_at,
        current_attempt=attempt.pk,
    )
    client.force_login(make_user("bob", "Operator"))
    return client, extraction


def page_of(world, name: str = "extraction", **query: object) -> str:
    return world[0].get(reverse(name, args=(world[1].pk,)), query).content.decode()


def task_named(name: str) -> Task:
    return Task.objects.get(document__original_name=name)


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


def test_long_lists_are_paged_by_id_and_no_row_is_lost_or_twice(world, monkeypatch) -> None:
    monkeypatch.setattr("dashboard.extractions.ROWS_PER_PAGE", 2)
    seen, after = [], ""
    while True:
        page = page_of(world, after=after)
        seen += re.findall(r'id="task-(\d+)"', page)
        following = re.search(r'\?after=(\d+)" rel="next"', page)
        if not following:
            break
        after = following.group(1)
    assert seen == [str(pk) for pk in Task.objects.order_by("id").values_list("pk", flat=True)]
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


def test_an_unknown_cost_is_a_dash_and_a_known_one_is_money(world) -> None:
    task = task_named("good.pdf")
    attempt = task.attempts.get()
    url = reverse("task", args=(task.pk,))
    cell = re.compile(r'<td class="number">\s*([^<]*)')
    attempts = world[0].get(url).content.decode().split('id="attempts"')[1]
    assert "0.00" not in attempts and "—" in attempts
    type(attempt).objects.filter(pk=attempt.pk).update(
        cost_usd=Decimal("0.012345"), cost_state="estimated", input_tokens=12_345
    )
    attempts = world[0].get(url).content.decode().split('id="attempts"')[1]
    assert "0.012345\u202fUSD" in attempts and "estimated" in attempts and "12,345" in attempts
    assert cell.search(attempts)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "—"),
        (Decimal("0"), "0.00\u202fUSD"),
        (Decimal("1234567.891"), "1,234,567.89\u202fUSD"),
        (Decimal("0.000001"), "0.000001\u202fUSD"),
    ],
)
def test_money_is_shown_to_the_cent_and_small_money_to_the_millionth(
    value: Decimal | None, shown: str
) -> None:
    assert show.usd(value) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (None, "—"),
        (0.25, "0.2 s"),
        (59.9, "59 s"),
        (110, "1 min 50 s"),
        (8017, "2 h 13 min"),
        (180_000, "2 d 2 h"),
    ],
)
def test_a_time_is_told_in_the_largest_unit_that_it_fills(seconds: float | None, shown: str) -> None:
    """An extraction over a night took 1,520 minutes."""
    assert show.seconds(seconds).replace("\u202f", " ") == shown


@pytest.mark.parametrize(
    ("left", "shown"),
    [((30, 50), "less than a minute left"), ((100, 119), "about 2 minutes left"), ((600, 7_300), "10 to 122 minutes left"),
     ((7_300, 30_000), "2 to 9 hours left")],
)  # fmt: skip
def test_the_time_left_is_told_in_hours_where_it_is_hours(left: tuple[float, float], shown: str) -> None:
    pace = Pace(None, 0, 0, 1.0, left, None, 0.0, 0.0)
    assert pace.left_sentence == shown


def test_a_share_is_never_rounded_up_to_certainty() -> None:
    assert (show.share(0.999), show.share(1.0), show.share(0.29), show.share(None)) == (
        "99\u202f%",
        "100\u202f%",
        "29\u202f%",
        "—",
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


def test_german_readers_get_german_words_numbers_and_dates(world) -> None:
    client, _ = world
    client.post(reverse("set_language"), {"language": "de", "next": "/"})
    page = page_of(world)
    for words in (
        '<html lang="de">',
        "Wartet",
        "Zu prüfen",
        "Diese PDF-Datei hat keine Seiten.",
        "3 von 5 fertig",
    ):
        assert words in page, words
    page = client.get(reverse("task", args=(task_named("good.pdf").pk,))).content.decode()
    assert "1.234,50" in page and "Lieferant" in page


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_day_is_written_in_one_way_everywhere(world, language: str) -> None:
    noon = datetime(2024, 3, 9, 15, 4, 5, tzinfo=UTC)
    with override(language):
        shown = [str(filter(noon)) for filter in (show.ago, show.exact)]
        shown += [
            why.clock(noon, noon + timedelta(days=1)),
            moment(noon),
            show.field_value("date", "2024-03-09"),
        ]
        shown += [
            formats.date_format(noon, name)
            for name in ("DATE_FORMAT", "DATETIME_FORMAT", "SHORT_DATE_FORMAT")
        ]
    texts = [re.sub('<[^>]*>|T15.*?"', "", text) for text in shown]
    assert all("2024-03-09" in text for text in shown), shown
    assert not [text for text in texts if re.search(r"Mar|März|9/|/9|09\.03|[ap]\.m\.", text)]


def test_german_forms_show_days_the_same_way_and_take_the_usual_one_too() -> None:
    field = forms.DateField()
    with override("de"):
        assert field.widget.format_value(date(2024, 3, 9)) == "2024-03-09"
        assert field.clean("09.03.2024") == field.clean("2024-03-09") == date(2024, 3, 9)


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


def test_errors_have_pages_of_their_own_that_name_no_inner_part(world, monkeypatch) -> None:
    client = world[0]
    client.raise_request_exception = False
    assert "This address leads nowhere" in client.get("/nowhere/").content.decode()

    def broken(*args: object) -> None:
        raise RuntimeError("inner detail")

    monkeypatch.setattr("dashboard.extractions.with_counts", broken)
    response = client.get(reverse("extractions"))
    assert response.status_code == 500
    assert (
        "The fault is ours" in response.content.decode() and "inner detail" not in response.content.decode()
    )


def test_a_database_that_is_away_is_said_in_words_with_a_time_to_come_back(world, monkeypatch) -> None:
    def away(*args: object) -> None:
        raise OperationalError("connection refused")

    client = world[0]
    client.raise_request_exception = False
    monkeypatch.setattr("dashboard.extractions.with_counts", away)
    response = client.get(reverse("extractions"))
    assert (response.status_code, response.headers["Retry-After"]) == (503, "10")
    assert "Nothing is lost" in response.content.decode()


MAIN = '<nav class="nav"'


def test_pages_of_errors_have_the_way_back_for_whoever_is_signed_in(world) -> None:
    auditor = Browser()
    auditor.force_login(make_user("eve", "Auditor"))
    hidden = reverse("extraction", args=(world[1].pk,))
    for status, url in ((404, "/nowhere/"), (404, hidden), (403, reverse("operations"))):
        response = auditor.get(url)
        page = response.content.decode()
        assert response.status_code == status and MAIN in page, url
        assert reverse("upload") in page and reverse("logout") in page and reverse("costs") not in page
        assert f'name="next" value="{url}"' in page
    refused = auditor.post(reverse("operations_act"))
    assert refused.status_code == 403 and 'name="next" value="/"' in refused.content.decode()
    nobody = Browser().get("/nowhere/")
    assert nobody.status_code == 404 and MAIN not in nobody.content.decode()


def test_the_admin_tells_who_may_not_enter_so_and_does_not_ask_them_to_sign_in_once_more(
    client: Browser, db
) -> None:
    assert "password" in client.get("/admin/", follow=True).content.decode()
    client.force_login(make_user("eve", "Auditor"))
    response = client.get("/admin/", follow=True)
    assert response.status_code == 403 and MAIN in response.content.decode()
    client.force_login(make_user("bob", "Operator", is_staff=True))
    assert client.get("/admin/login/", follow=True).request["PATH_INFO"] == "/admin/"


@pytest.mark.parametrize("fault", [OperationalError("away"), RuntimeError("inner"), OSError(28, "full")])
def test_pages_of_faults_have_the_way_back_and_ask_the_database_nothing(world, monkeypatch, fault) -> None:
    client, asked = world[0], []
    client.raise_request_exception = False
    with contextlib.ExitStack() as stack:

        def broken(*args: object) -> None:
            stack.enter_context(
                connection.execute_wrapper(lambda run, *rest: asked.append(rest) or run(*rest))
            )
            raise fault

        monkeypatch.setattr("dashboard.extractions.with_counts", broken)
        response = client.get(reverse("extractions"))
    page = response.content.decode()
    assert response.status_code >= 500 and not asked
    assert MAIN in page and reverse("operations") in page and reverse("logout") in page


@pytest.mark.django_db(transaction=True)
def test_a_page_of_an_error_leaves_no_connection_behind_in_its_thread() -> None:
    user = make_user("ann", "Auditor")
    request = AsyncRequestFactory().get("/nowhere/")
    request.user = SimpleLazyObject(lambda: User.objects.get(pk=user.pk))

    def in_a_thread() -> tuple[bytes, object]:
        page = errors.not_found(request, Http404())
        return page.content, connection.connection

    with ThreadPoolExecutor(1) as thread:
        page, left = thread.submit(in_a_thread).result(30)
    assert MAIN.encode() in page and left is None


def test_a_form_without_its_token_is_refused_in_words(world) -> None:
    strict = Browser(enforce_csrf_checks=True)
    strict.force_login(make_user("ann", "Operator"))
    response = strict.post(reverse("extraction_cancel", args=(Extraction.objects.get().pk,)))
    assert response.status_code == 403 and "reload the page" in response.content.decode()


def test_pages_read_a_bounded_number_of_rows_whatever_their_number(
    world, django_assert_max_num_queries
) -> None:
    for _ in range(20):
        make_task(world[1])
    with django_assert_max_num_queries(14):
        page_of(world)
    with django_assert_max_num_queries(14):
        world[0].get(reverse("extractions"))


@pytest.mark.parametrize(
    ("came_from", "page"),
    [
        ("http://testserver/extractions/7/", "http://testserver/extractions/7/"),
        ("https://evil.example/", "/"),
        ("", "/"),
    ],
)
def test_a_form_that_was_sent_after_the_session_leads_back_to_its_page(
    db, client: Browser, came_from: str, page: str
) -> None:
    answer = client.post(reverse("extraction_passwords", args=(7,)), headers={"referer": came_from})
    assert (answer.status_code, parse_qs(urlsplit(answer.url).query)["next"]) == (302, [page])


def test_signing_in_and_out(db, client: Browser) -> None:
    make_user("ann")
    response = client.post(reverse("login"), {"username": "ann", "password": "a-long-enough-password"})
    assert response.url == reverse("home")
    assert "Signed in as ann" in client.get(reverse("home")).content.decode()
    assert client.post(reverse("logout")).url == reverse("login")
    wrong = client.post(reverse("login"), {"username": "ann", "password": "wrong"})
    assert 'role="alert"' in wrong.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("typed", "focused", "sentence"),
    [
        ({"username": "ann", "password": "wrong"}, "password", "enter a correct username and password"),
        ({"username": "ann", "password": ""}, "password", "This field is required."),
        ({"username": "", "password": "x"}, "username", "This field is required."),
    ],
)
def test_whoever_cannot_sign_in_is_told_why_where_the_cursor_stands(client: Browser, typed, focused: str, sentence: str) -> None:  # fmt: skip
    make_user("ann", "Auditor")
    page = client.post(reverse("login"), typed).content.decode()
    assert sentence in page and f'value="{typed["username"]}"' in page
    assert re.findall(r'<input id="id_(\w+)"[^>]* autofocus>', page) == [focused]
