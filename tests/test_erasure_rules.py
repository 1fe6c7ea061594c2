"""When a deletion is refused, what is refused once it has begun, and what becomes of it when it is cut off or done again."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from tasks import callbacks, erasure, intake, operations, receiving
from tasks.callbacks import Message
from tasks.models import Attempt, AuditEntry, Client, SeenNumber, Task
from tasks.orders import outcome_name
from tasks.storage import StorageError, get_storage
from tests.callback_tools import body_of
from tests.erasure_tools import ACTOR, CANARY, WHY, erase, holding, put, stored
from tests.factories import database_now, make_attempt, pdf_bytes, result_json

pytest_plugins = ["tests.erasure_fixtures"]
pytestmark = pytest.mark.django_db


# What it refuses, and what is refused afterwards


def test_it_refuses_while_something_is_processed_and_says_how_much(world) -> None:
    running = make_attempt(world.waiting)
    with pytest.raises(operations.Refused, match=r"1 task of Nordwind is being processed\. Cancel it"):
        erasure.begin(ACTOR, world.client, WHY)
    world.client.refresh_from_db()
    assert not world.client.deletion_began_at
    Attempt.objects.filter(pk=running.pk).update(
        status="cancelled", finished_at=database_now(), ended_at=database_now()
    )
    assert erase(world.client).documents == 4


def test_a_run_that_began_meanwhile_stops_it_before_anything_is_deleted(world) -> None:
    erasure.begin(ACTOR, world.client, WHY)
    make_attempt(world.waiting)
    before = stored()
    with pytest.raises(operations.Refused, match="is being processed"):
        list(erasure.go_on(ACTOR, world.client))
    assert stored() == before


def test_without_a_reason_nothing_begins(world) -> None:
    with pytest.raises(operations.Refused, match="Say why"):
        erasure.begin(ACTOR, world.client, "  ")


def test_without_a_beginning_nothing_is_deleted(world) -> None:
    """Its one caller begins first; another one that forgot would delete what still comes in, for no reason that anybody gave."""
    before = stored()
    with pytest.raises(operations.Refused, match="has not begun"):
        list(erasure.go_on(ACTOR, world.client))
    assert stored() == before and holding(CANARY)


def test_nothing_is_handed_in_retried_or_resumed_any_more_and_no_file_stays(world) -> None:
    erasure.begin(ACTOR, world.client, WHY)
    before = stored()
    upload = intake.Upload("new.pdf", io.BytesIO(pdf_bytes(title="new")))
    with pytest.raises(operations.Refused, match="All data of Nordwind were deleted"):
        intake.take_in(ACTOR, client=world.client, agent=world.agent, uploads=[upload])
    with pytest.raises(operations.Refused):
        operations.resume(ACTOR, world.client)
    assert stored() == before
    for verb in (operations.retry, operations.reprocess):
        assert verb(ACTOR, [world.failed.pk]).skipped == {
            world.failed.pk: "the data of its client were deleted"
        }


def test_an_upload_that_a_deletion_overtakes_takes_its_files_back(world, monkeypatch) -> None:
    """It was let in, and stores its file when everything has been deleted."""
    real, overtaken = receiving.receive, []

    def receive(*args: Any) -> Any:
        overtaken.append(erase(world.client))
        return real(*args)

    monkeypatch.setattr(receiving, "receive", receive)
    upload = intake.Upload("new.pdf", io.BytesIO(pdf_bytes(title="new")))
    with pytest.raises(operations.Refused):
        intake.take_in(ACTOR, client=world.client, agent=world.agent, uploads=[upload])
    assert overtaken and not [name for name in stored() if f"client-{world.client.pk}/" in name]
    with pytest.raises(operations.Refused):
        intake.take_in(ACTOR, client=world.client, agent=world.agent, uploads=[upload])
    assert len(overtaken) == 1, "the next one is not even let in"


def test_a_callback_that_comes_late_is_money_and_nothing_else(world) -> None:
    attempt = Attempt.objects.get(task=world.failed)
    erase(world.client)
    result = result_json(supplier=CANARY)
    fields = result["records"][0]["fields"]
    fields["number"] = fields["supplier"]
    usage = {"calls": 1, "model": "m", "input_tokens": 5, "output_tokens": 5, "cost_usd": "0.25"}
    body = json.dumps(body_of(attempt.pk, "completed", result=result, usage=usage, trace_id="tr-1")).encode()
    callbacks.receive(Message(attempt.pk, "late", body))
    assert holding(CANARY) == []
    attempt.refresh_from_db()
    assert (attempt.status, attempt.result, attempt.trace_id, str(attempt.cost_usd)) == (
        "failed",
        None,
        "",
        "0.250000",
    )
    assert not SeenNumber.objects.filter(client=world.client).exists()
    assert Task.objects.get(pk=world.failed.pk).status == "failed"


def test_the_database_lets_nobody_write_a_result_back(world) -> None:
    erase(world.client)
    with pytest.raises(IntegrityError, match="erased_is_empty"), transaction.atomic():
        Attempt.objects.filter(pk=world.done.result_attempt).update(result={"text": CANARY})
    with pytest.raises(IntegrityError, match="deleted_is_paused"), transaction.atomic():
        Client.objects.filter(pk=world.client.pk).update(is_paused=False)


# Again and again


@pytest.mark.parametrize("deaths", [1, 2, 5])
def test_a_storage_that_fails_in_the_middle_is_said_and_the_next_time_finishes_it(
    world, monkeypatch, deaths: int
) -> None:
    monkeypatch.setattr(erasure, "PIECE", 1)
    real, left = type(get_storage()).delete, [deaths]

    def failing(storage: Any, name: str) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise StorageError("The disk is away.", retryable=True)
        real(storage, name)

    monkeypatch.setattr(type(get_storage()), "delete", failing)
    with pytest.raises(StorageError):
        erase(world.client)
    assert erase(world.client).left == []
    erase(world.other)
    assert stored() == set() and holding(CANARY) == []


def test_done_again_it_removes_what_came_late(world) -> None:
    erase(world.client)
    late = put(outcome_name(world.done.result_attempt))
    assert list(erasure.go_on(ACTOR, world.client))[-1].documents == 0
    assert late not in stored()
    assert AuditEntry.objects.filter(verb="erased").count() == 1
