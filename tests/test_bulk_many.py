"""Ten thousand failed tasks, retried by filter in the admin with one confirmation, while a worker goes on claiming."""

from __future__ import annotations

import re
import time

import pytest
from django.test import Client as Browser
from django.urls import reverse

from tasks import queue
from tasks.admin.lists import MOST_COUNTED
from tasks.models import AuditEntry, BulkAction, Document, Task
from tasks.worker import Habits, Worker
from tests import queue_tools as tools
from tests.factories import make_agent, make_client, make_extraction, make_user

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

MANY, BUSY = 10_000, 300
MOST_SECONDS = 60.0

FAILED = """
INSERT INTO documents (client_id, sha256, size_bytes, pages, original_name, storage_name)
  SELECT %(client)s, lpad(i::text, 64, '0'), 1, 1, 'a.pdf', 'documents/' || i FROM generate_series(1, %(many)s) i;
INSERT INTO tasks (extraction_id, document_id, client_id, agent_id, agent_version_id, status, priority, start_key, created_at, enqueued_at,
  available_at, finished_at, error_code)
  SELECT %(extraction)s, d.id, %(client)s, %(agent)s, %(version)s, 'failed', 10, d.id, now(), now(), now(), now(), 'crashed' FROM documents d
"""


def test_ten_thousand_by_filter_are_retried_while_claims_go_on(client: Browser) -> None:
    from django.contrib.auth.models import Permission

    extraction = make_extraction(make_client("Nordwind"), make_agent("reader"))
    values = {
        "many": MANY, "client": extraction.client_id, "agent": extraction.agent_id, "extraction": extraction.pk,
        "version": extraction.agent.current_version_id,
    }  # fmt: skip
    for statement in FAILED.split(";"):
        queue.connection().execute(statement, values)
    assert Document.objects.count() == MANY
    busy = tools.hand_in(make_agent("busy"), BUSY, priority=30)
    bob = make_user("bob", is_staff=True)
    bob.user_permissions.set(
        Permission.objects.filter(
            codename__in=("operate_task", "view_task", "view_every_client", "view_bulkaction")
        )
    )
    client.force_login(bob)

    url = reverse("admin:tasks_task_changelist") + "?state=failed"
    first = Task.objects.filter(status="failed").first()
    data = {"action": "retry", "_selected_action": [str(first.pk)], "select_across": "1"}
    asked = client.post(url, data).content.decode()
    assert (
        "10,000 rows are concerned." in asked
        and "and 9995 more" in asked
        and "goes on in the background" in asked
    )
    token = re.search(r'name="token" value="([^"]+)"', asked)[1]
    began = time.monotonic()
    answer = client.post(url, data | {"confirmed": "1", "reason": "quota was raised", "token": token})
    action = BulkAction.objects.get()
    assert answer.status_code == 302 and answer.url == reverse("bulk_action", args=(action.pk,))
    page_free_after = time.monotonic() - began
    assert client.get(answer.url).status_code == 200

    runs = tools.Runs()
    worker = Worker({"local": runs}, Habits(slots=4, heartbeat_seconds=1.0))
    worker.register()
    claimed_while_busy = 0
    while not BulkAction.objects.filter(finished_at__isnull=False).exists():
        worker.tick()
        for attempt in list(worker.held):
            runs.end(attempt, tools.completed(attempt).event)
            claimed_while_busy += 1
        assert time.monotonic() - began < MOST_SECONDS
    seconds = time.monotonic() - began

    action.refresh_from_db()
    assert (action.state, action.total, action.done, action.skipped) == ("done", MANY, MANY, 0)
    assert page_free_after < 5 and seconds < MOST_SECONDS
    assert claimed_while_busy >= 100 and Task.objects.filter(pk__in=busy, status="completed").exists()
    assert (
        AuditEntry.objects.filter(verb="bulk_retry", reason="quota was raised", actor_name="bob").count() == 1
    )
    assert AuditEntry.objects.filter(verb="retry", reason="quota was raised").count() == MANY
    lines = (
        b"".join(client.get(reverse("bulk_action_csv", args=(action.pk,))).streaming_content)
        .decode()
        .splitlines()
    )
    assert len(lines) == MANY + 1 and all(line.endswith(",1,") for line in lines[1:])
    assert len({line.split(",")[0] for line in lines[1:]}) == MANY
    assert MANY > MOST_COUNTED, "more than the list counts"
