"""What machines are told: alive without a database, ready with one, and not ready while the whole fleet stands still."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.test import Client as Browser

from dashboard import health, summary
from tasks.models import Agent, Switches, Task
from tests.factories import (
    database_now,
    make_agent,
    make_attempt,
    make_client,
    make_extraction,
    make_task,
    make_user,
)
from tests.queue_tools import session


@pytest.fixture(autouse=True)
def fresh():
    summary.shared.clear()
    yield
    summary.shared.clear()


def ready(client: Browser) -> tuple[int, dict]:
    summary.shared.clear()
    response = client.get("/readyz")
    return response.status_code, response.json()


def test_alive_needs_neither_a_login_nor_the_database(client: Browser) -> None:
    assert (client.get("/healthz").status_code, client.post("/healthz").status_code) == (200, 405)


def test_ready_says_when_the_database_is_away_or_behind(db, client: Browser, monkeypatch) -> None:
    assert ready(client) == (200, {"database": "ok", "migrations": "ok", "queue": "ok"})
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'tasks' AND name >= '0007'")
    assert ready(client) == (503, {"database": "ok", "migrations": "behind"})

    def away() -> None:
        raise OperationalError("gone")

    with monkeypatch.context() as patch:
        patch.setattr(connection, "ensure_connection", away)
        assert ready(client) == (503, {"database": "away"})


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("table", ["agents", "tasks"])
def test_ready_says_that_a_table_is_locked_instead_of_waiting_behind_it(client: Browser, table: str) -> None:
    """Every claim waits there, and the process that answers is well."""
    with session() as other, other.transaction():
        other.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        began = time.monotonic()
        assert ready(client) == (503, {"database": "locked"})
        assert time.monotonic() - began < 10
    assert ready(client)[0] == 200


@pytest.mark.django_db(transaction=True)
def test_ready_says_that_the_database_has_gone_away_meanwhile(client: Browser, monkeypatch) -> None:
    """The session is there, and is cut off at its next statement."""

    def cut(*_args: object, **_more: object) -> None:
        with session() as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", (connection.connection.info.backend_pid,))
        connection.connection.execute("SELECT 1")

    monkeypatch.setattr(health.queue, "read", cut)
    assert ready(client) == (503, {"database": "away"})


def test_a_fleet_that_stands_still_is_not_ready_and_the_page_says_so(db, client: Browser) -> None:
    extraction = make_extraction(make_client(), make_agent("reader"))
    task = make_task(extraction)
    assert ready(client)[0] == 200, "it waits for a moment only"
    long_ago = database_now() - timedelta(seconds=120)
    Task.objects.update(enqueued_at=long_ago, available_at=long_ago)
    status, told = ready(client)
    assert status == 503 and told["queue"].startswith("standing still since")
    for hold, free in (
        (lambda: Agent.objects.update(is_paused=True), lambda: Agent.objects.update(is_paused=False)),
        (lambda: Switches.objects.update(is_paused=True), lambda: Switches.objects.update(is_paused=False)),
        (lambda: Agent.objects.update(cooldown_until=database_now() + timedelta(minutes=1)), lambda: Agent.objects.update(cooldown_until=long_ago)),
        (lambda: Task.objects.update(available_at=database_now()), lambda: Task.objects.update(available_at=long_ago)),
    ):  # fmt: skip
        hold()
        assert ready(client)[0] == 200, "it is meant to wait"
        free()
        assert ready(client)[0] == 503
    other = make_task(extraction, status="cancelled", finished_at=database_now())
    make_attempt(other)
    assert health.standing_still() is None, "something runs"
    assert task.pk


def test_the_page_warns_of_it(db, client: Browser) -> None:
    from tasks import queue
    from tests.queue_tools import new_worker

    task = make_task(make_extraction(make_client(), make_agent("reader")))
    long_ago = database_now() - timedelta(seconds=300)
    Task.objects.filter(pk=task.pk).update(enqueued_at=long_ago, available_at=long_ago)
    client.force_login(make_user("bob", "Operator"))
    assert queue.connection() and new_worker()
    assert "The queue stands still" in client.get("/operations/").content.decode()
