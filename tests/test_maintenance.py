"""Maintenance: nothing is taken in, nothing is started, what runs ends, everybody is told, and it is undone to where it was."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client as Browser
from django.urls import reverse

from tasks import bulk, events, maintenance, operations, queue, why
from tasks.audit import Actor
from tasks.models import AuditEntry, BulkAction, Extraction, Switches, Task
from tests.factories import (
    database_now,
    make_agent,
    make_client,
    make_document,
    make_extraction,
    make_task,
    make_user,
    pdf_bytes,
)
from tests.queue_tools import claim, completed, hand_in, new_worker

pytestmark = pytest.mark.django_db
ACTOR = Actor.system("test")


@pytest.fixture
def closed() -> None:
    assert maintenance.begin(ACTOR, "database upgrade")


def signed_in(*groups: str, **fields: object) -> Browser:
    browser = Browser()
    browser.force_login(make_user("bob", *groups, **fields))  # type: ignore[arg-type]
    return browser


def failed_task() -> Task:
    return make_task(
        make_extraction(make_client(), make_agent()),
        status="failed",
        finished_at=database_now(),
        error_code="x",
    )


def test_nothing_is_handed_in_and_the_sentence_says_why(closed) -> None:
    client, agent = make_client(), make_agent()
    with pytest.raises(operations.Refused, match=r"maintenance.*database upgrade"):
        operations.submit(
            ACTOR, client=client, agent=agent, documents=[operations.Handed(make_document(client))]
        )
    for verb in (operations.retry, operations.reprocess):
        with pytest.raises(operations.Refused, match="maintenance"):
            verb(ACTOR, [failed_task().pk])
    assert not Extraction.objects.filter(client=client).exists()


def test_an_upload_is_refused_before_its_files_are_read_and_a_script_gets_the_sentence(closed) -> None:
    client = make_client()
    browser = signed_in("Auditor", clients=(client,))
    file = SimpleUploadedFile("a.pdf", pdf_bytes(), "application/pdf")
    body = {"client": client.pk, "agent": 1, "files": [file]}
    answer = browser.post(reverse("upload"), body, headers={"Accept": "application/json"})
    assert answer.status_code == 503 and "database upgrade" in json.dumps(answer.json())
    page = browser.get(reverse("upload"))
    assert "database upgrade" in page.content.decode() and b"disabled" in page.content


def test_what_runs_ends_and_nothing_more_is_claimed_until_it_is_over() -> None:
    hand_in(make_agent(), 3)
    worker = new_worker()
    [running] = claim(1, worker=worker)
    maintenance.begin(ACTOR, "upgrade")
    assert claim(2, worker=worker) == []
    assert maintenance.now().running == 1  # type: ignore[union-attr]
    events.apply(queue.connection(), [completed(running.attempt_id)])
    assert maintenance.now().running == 0  # type: ignore[union-attr]
    waiting = Task.objects.filter(status="enqueued").first()
    assert "Maintenance" in why.why_waiting(waiting.pk).sentence
    maintenance.end(ACTOR)
    assert len(claim(2, worker=worker)) == 2


def test_what_was_paused_before_stays_paused_after_it() -> None:
    operations.pause(ACTOR, None)
    maintenance.begin(ACTOR, "upgrade")
    maintenance.end(ACTOR)
    assert Switches.objects.get().is_paused


def test_every_page_says_so_and_nobody_who_is_not_signed_in_is_told(closed) -> None:
    browser = signed_in("Operator", is_staff=True)
    for name in ("home", "extractions", "operations", "operations_tasks", "admin:index", "maintenance"):
        page = browser.get(reverse(name)).content.decode()
        assert "database upgrade" in page and "Nothing runs any more" in page, name
    assert b"database upgrade" not in Browser().get(reverse("login")).content
    maintenance.end(ACTOR)
    assert b"database upgrade" not in browser.get(reverse("home")).content


def test_operators_switch_it_on_the_page_with_a_reason_and_the_trail_tells_who() -> None:
    browser = signed_in("Operator")
    answer = browser.post(reverse("maintenance"), {"what": "begin"}, follow=True)
    assert maintenance.now() is None and "Say why" in answer.content.decode()
    browser.post(reverse("maintenance"), {"what": "begin", "reason": "upgrade"})
    browser.post(reverse("maintenance"), {"what": "begin", "reason": "another"})
    assert maintenance.now().reason == "upgrade"  # type: ignore[union-attr]
    [entry] = AuditEntry.objects.filter(verb="begin_maintenance")
    assert (entry.actor_name, entry.reason) == ("bob", "upgrade")
    browser.post(reverse("maintenance"), {"what": "end"})
    assert maintenance.now() is None and AuditEntry.objects.filter(verb="end_maintenance").count() == 1


def test_a_reason_with_what_no_text_of_the_database_can_hold_is_kept_without_it() -> None:
    browser = signed_in("Operator")
    assert browser.post(reverse("maintenance"), {"what": "begin", "reason": "up\0grade"}).status_code == 302
    assert maintenance.now().reason == "upgrade"  # type: ignore[union-attr]
    assert browser.post(reverse("maintenance"), {"what": "end", "reason": "\0"}).status_code == 302
    assert maintenance.now() is None


def test_a_retry_of_many_that_began_before_waits_until_it_is_over(monkeypatch) -> None:
    monkeypatch.setattr(bulk, "AT_ONCE", 0)
    task = failed_task()
    action = bulk.begin(ACTOR, "retry", Task.objects.filter(pk=task.pk))
    maintenance.begin(ACTOR, "upgrade")
    assert not bulk.step()
    maintenance.end(ACTOR)
    assert bulk.step()
    assert BulkAction.objects.get(pk=action.pk).done == 1


def test_the_command_closes_tells_and_opens(capsys) -> None:
    call_command("maintenance", "begin", "--reason", "upgrade", "--wait")
    with pytest.raises(SystemExit) as status:
        call_command("maintenance", "status", "--json")
    assert status.value.code == 1
    begun, *_others, status = capsys.readouterr().out.splitlines()
    assert begun == "Maintenance has begun: nothing is taken in and nothing is started."
    told = json.loads(status)
    assert (told["maintenance"], told["reason"], told["running"]) == (True, "upgrade", 0)
    call_command("maintenance", "end")
    call_command("maintenance", "status")
    ended, stands = capsys.readouterr().out.splitlines()
    assert ended.startswith("Maintenance is over: ") and stands == "No maintenance is under way."
