"""Lists of the admin over a million tasks: whatever is filtered or looked for, only rows that are shown or counted are touched."""

from __future__ import annotations

import json
import re
import time
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client as Browser
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tasks.admin.lists import MOST_COUNTED
from tasks.models import Attempt, Task
from tests.bulk import BUSY_AGENT, Bulk, fill
from tests.database import empty_tables, superuser
from tests.factories import make_user

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

BIG = {"tasks", "task_attempts"}
MOST_ROWS = 20 * MOST_COUNTED
"""Rows of a big table that one statement may touch: those that it counts, and some that it passes."""
MOST_SECONDS = 3.0
"""Under a loaded machine; alone it is a tenth of that."""


@pytest.fixture(scope="module")
def database(django_db_setup: Any, django_db_blocker: Any):
    with django_db_blocker.unblock(), superuser() as db:
        empty_tables()  # numbers begin at 1 again
        fill(db, Bulk())
        db.execute(
            "UPDATE task_attempts SET run_id = 'run-' || task_id, trace_id = 'tr-' || task_id WHERE task_id % 1000 = 7"
        )
        db.execute("UPDATE tasks SET needs_review = true WHERE status = 'completed' AND id % 2000 = 1")
        db.execute("VACUUM ANALYZE task_attempts")
        db.execute("VACUUM ANALYZE tasks")
        db.execute(
            """INSERT INTO documents (id, client_id, sha256, size_bytes, pages, original_name, storage_name)
            VALUES (9999, 1, repeat('ab', 32), 1, 1, 'Only here.pdf', 'documents/x')"""
        )
        db.execute("UPDATE tasks SET document_id = 9999 WHERE id IN (1007, 2007, 3007)")
        yield db
        empty_tables()


@pytest.fixture
def operator(database, client: Browser) -> Browser:
    client.force_login(make_user("bob", "Operator", is_staff=True))
    return client


def nodes(plan: dict[str, Any]):
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


def touched(sql: str) -> dict[str, int]:
    """Rows of big tables that a statement reads, by table; a whole table is as many as it has."""
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, FORMAT JSON) " + sql)
        found = cursor.fetchone()[0]
    plan = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    rows: dict[str, int] = {}
    for node in nodes(plan):
        if (table := node.get("Relation Name")) in BIG:
            read = (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
            rows[table] = rows.get(table, 0) + int(read)
    return rows


QUERIES = {
    "task": (
        "", "p=9", "state=enqueued", "state=processing", "state=completed", "state=review", "state=failed", "state=cancelled",
        f"agent__id__exact={BUSY_AGENT}", f"agent__id__exact={BUSY_AGENT}&state=failed", "from={old}&to={old}", "from={old}", "to={old}",
        "from={new}&state=failed", "from={old}&to={old}&state=failed", "q=777", "q={sha}", "q={sha:.12}", "q=only", "q=a.pdf", "q=nothing.pdf", "q=run-1007", "q=tr-1007",
        "q={attempt}", "client__id__exact=7",
    ),
    "attempt": (
        "", "p=9", "state=live", "state=failed", "state=timeout", "state=lost", "from={old}&to={old}", "silent=600",
        f"agent__id__exact={BUSY_AGENT}", "q=777", "q=run-1007", "q=tr-1007", "q={attempt}", "q=nothing",
    ),
    "document": ("", "q={sha}", "q=a.p", "q=nothing"),
    "extraction": ("", "from={old}", "q=client 1"),
    "auditentry": ("", "q=777", "of=task"),
    "worker": ("",),
    "agent": ("",),
}  # fmt: skip


@pytest.mark.parametrize(
    ("model", "query"), [(model, query) for model, queries in QUERIES.items() for query in queries]
)
def test_a_list_touches_only_what_it_shows_or_counts(operator: Browser, model: str, query: str) -> None:
    first = Task.objects.order_by("id").values_list("created_at", flat=True)[0]
    values = {
        "old": (first + timedelta(days=100)).date(), "new": Task.objects.order_by("-id").values_list("created_at", flat=True)[0].date(),
        "sha": "ab" * 32, "attempt": Attempt.objects.filter(run_id="run-1007").values_list("pk", flat=True)[0],
    }  # fmt: skip
    url = reverse(f"admin:tasks_{model}_changelist") + "?" + query.format(**values)
    with CaptureQueriesContext(connection) as captured:
        began = time.monotonic()
        answer = operator.get(url)
        seconds = time.monotonic() - began
    assert answer.status_code == 200, answer.headers.get("Location")
    statements = [
        q["sql"]
        for q in captured
        if q["sql"].startswith("SELECT") and re.search(r'"(tasks|task_attempts)"', q["sql"])
    ]
    for sql in statements:
        rows = touched(sql)
        # No index leads from a client to its tasks: every claim and settlement would pay for it
        most = MOST_ROWS if "client" not in query else 5 * MOST_ROWS
        assert sum(rows.values()) <= most, (rows, sql)
    assert len(captured) <= 120 and seconds <= MOST_SECONDS, (len(captured), seconds)


def test_what_is_looked_for_is_found(operator: Browser) -> None:
    url = reverse("admin:tasks_task_changelist")
    attempt = Attempt.objects.filter(run_id="run-1007").get()
    assert isinstance(attempt.pk, UUID)
    for term in ("1007", "run-1007", "tr-1007", str(attempt.pk)):
        found = operator.get(url, {"q": term}).context["cl"]
        assert [task.pk for task in found.result_list] == [1007], term
    day = Task.objects.get(pk=500_000).created_at.date()
    rows = operator.get(url, {"from": str(day), "to": str(day), "p": "2"}).context["cl"]
    for term in ("ab" * 32, "ABABABABABAB", "only h"):
        assert [task.pk for task in operator.get(url, {"q": term}).context["cl"].result_list] == [
            3007,
            2007,
            1007,
        ], term
    assert [task.pk for task in rows.result_list] == list(
        Task.objects.filter(created_at__date=day).order_by("-id").values_list("id", flat=True)[100:200]
    )
    state = operator.get(url, {"from": str(day), "to": str(day), "state": "review"}).context["cl"]
    assert (
        state.result_count == Task.objects.filter(created_at__date=day, needs_review=True).count()
        and not state.paginator.is_capped
    )


def test_a_count_that_stops_says_so(operator: Browser) -> None:
    page = operator.get(reverse("admin:tasks_task_changelist")).content.decode()
    assert "more than 1000 tasks" in page and "Select all that match" in page


@pytest.mark.parametrize("model", ["task", "agent", "attempt"])
def test_a_row_of_a_long_table_opens_without_reading_it(operator: Browser, model: str) -> None:
    pk = {
        "task": 777,
        "agent": BUSY_AGENT,
        "attempt": Attempt.objects.filter(run_id="run-1007").values_list("pk", flat=True)[0],
    }[model]
    with CaptureQueriesContext(connection) as captured:
        assert operator.get(reverse(f"admin:tasks_{model}_change", args=(pk,))).status_code == 200
    for sql in (
        q["sql"]
        for q in captured
        if q["sql"].startswith("SELECT") and re.search(r'"(tasks|task_attempts)"', q["sql"])
    ):
        assert sum(touched(sql).values()) <= MOST_ROWS, sql


def test_the_operator_is_no_superuser(operator: Browser) -> None:
    assert not User.objects.get(username="bob").is_superuser
