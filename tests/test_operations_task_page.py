"""The page of a task tells its whole course, shows its log, copies exact numbers, and stops when nothing can change any more."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
from django.test import Client as Browser
from django.urls import reverse

from dashboard import pace
from dashboard.attempts import TAIL_BYTES, command_line, with_courses
from dashboard.queries import counts_of
from tasks.models import Attempt, Task
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
    result_json,
)  # fmt: skip


@pytest.fixture
def extraction(db, client: Browser):
    client.force_login(make_user("bob", "Operator"))
    return make_extraction(make_client("Nord & Söhne"), make_agent("reader"), engagement="Year end")


def page_of(client: Browser, task: Task) -> str:
    return client.get(reverse("task", args=(task.pk,))).content.decode()


def test_the_course_of_an_attempt_is_in_order_with_the_time_between(extraction) -> None:
    task, now = make_task(extraction), database_now()
    Task.objects.filter(pk=task.pk).update(enqueued_at=now - timedelta(seconds=100))
    task.refresh_from_db()
    make_attempt(task, "lost", claimed_at=now - timedelta(seconds=90), started_at=now - timedelta(seconds=88), finished_at=now - timedelta(seconds=60), ended_at=now - timedelta(seconds=50))  # fmt: skip
    make_attempt(task, claimed_at=now - timedelta(seconds=20), started_at=now - timedelta(seconds=19))
    attempts = list(task.attempts.order_by("-number"))
    with_courses(task, attempts)
    second, first = attempts
    assert [(step.word, step.seconds) for step in first.course] == [
        ("Queued", None), ("Claimed", 10), ("Started", 2), ("Outcome known", 28), ("End confirmed", 10)
    ]  # fmt: skip
    assert [(step.word, step.seconds) for step in second.course] == [
        ("Queued", None),
        ("Claimed", 40),
        ("Started", 1),
    ]


def test_the_end_of_the_log_is_shown_and_all_of_it_can_be_had(extraction, client: Browser) -> None:
    task = make_task(extraction)
    attempt = make_attempt(task)
    assert "It has printed nothing." in page_of(client, task)
    text = "".join(f"line {number} <b>\n" for number in range(3000))
    get_storage().put(f"attempts/{attempt.pk}.log", io.BytesIO(text.encode()))
    page = page_of(client, task)
    assert "line 2999 &lt;b&gt;" in page and "line 10 &lt;b&gt;" not in page and len(text) > TAIL_BYTES
    response = client.get(reverse("attempt_log", args=(task.pk, attempt.pk)))
    assert b"".join(response.streaming_content).decode() == text
    other = make_task(extraction)
    assert client.get(reverse("attempt_log", args=(other.pk, attempt.pk))).status_code == 404, (
        "another task's attempt"
    )


def test_the_result_is_copied_with_every_number_as_it_is_stored(extraction, client: Browser) -> None:
    task = make_completed(extraction, result=result_json())
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE task_attempts SET result = result || '{\"exact\": 12345678901234567890.10}' WHERE id = %s",
            [task.result_attempt],
        )
    assert "12345678901234567890.10" in page_of(client, task)
    response = client.get(reverse("task_result", args=(task.pk,)))
    assert b"12345678901234567890.10" in b"".join(response.streaming_content)


def test_the_command_line_survives_odd_names(extraction) -> None:
    task = make_task(extraction, make_document(extraction.client, "it's $(here).pdf"))
    assert (
        command_line(task)
        == "manage.py extract 'it'\"'\"'s $(here).pdf' --client 'Nord & Söhne' --agent reader --engagement 'Year end' --again"
    )


def test_a_page_goes_on_until_the_end_of_every_attempt_is_confirmed(extraction, client: Browser) -> None:
    task = make_completed(extraction, result=result_json())
    assert "data-final" in page_of(client, task)
    Attempt.objects.filter(task=task).update(ended_at=None)
    assert "data-final" not in page_of(client, task)


def test_an_errors_first_line_stands_out_and_the_rest_is_folded(extraction, client: Browser) -> None:
    task = make_task(extraction)
    message = "Provider <said> no.\nTraceback:\n  deep inside"
    attempt = make_attempt(task, "failed", error_code="upstream", error_message=message)
    Task.objects.filter(pk=task.pk).update(
        status="failed", finished_at=attempt.finished_at, error_code="upstream", error_message=message
    )
    page = page_of(client, task)
    assert '<p class="error-line">Provider &lt;said&gt; no.</p>' in page
    assert "<pre>Traceback:\n  deep inside</pre>" in page and "Provider failed" in page


def test_an_extraction_tells_cost_pace_and_place_in_line(extraction, client: Browser) -> None:
    now = database_now()
    for number in range(6):
        task = make_completed(extraction, result=result_json(), cost_usd="0.25", cost_state="estimated")
        at = now - timedelta(minutes=6 - number)
        Attempt.objects.filter(task=task).update(
            claimed_at=at - timedelta(seconds=30), started_at=at, finished_at=at
        )
        Task.objects.filter(pk=task.pk).update(enqueued_at=now - timedelta(minutes=8), finished_at=at)
    urgent = make_task(make_extraction(make_client(), extraction.agent), priority=30)
    waiting = [make_task(extraction) for _ in range(3)]
    pace.with_places(waiting)
    assert [task.place for task in waiting] == [2, 3, 4]
    found = pace.pace(extraction, counts_of([extraction.pk])[extraction.pk])
    assert found.usd == 1.5 and found.estimated == 6 and found.unknown == 0
    assert found.per_minute == pytest.approx(6 / 6.5, rel=0.05)
    assert found.left is not None and found.left[0] <= 3 * 65 * 1.05 and "minute" in found.left_sentence
    page = client.get(reverse("extraction", args=(extraction.pk,))).content.decode()
    assert (
        "no. 2 in line" in page and "1.50" in page and "documents per minute, of the last ten minutes" in page
    )
    assert urgent.pk
    for task in waiting:
        Task.objects.filter(pk=task.pk).update(status="cancelled", finished_at=now)
    page = client.get(reverse("extraction", args=(extraction.pk,))).content.decode()
    assert "documents per minute, waits and pauses included" in page


def test_nothing_is_foretold_from_too_little(extraction) -> None:
    make_completed(extraction, result=result_json())
    make_task(extraction)
    found = pace.pace(extraction, counts_of([extraction.pk])[extraction.pk])
    assert found.per_minute is None and found.left is None and found.left_sentence == "" and found.usd is None
