"""Deleting a client's data leaves nothing of them in tables, files or traces; what they cost, and everybody else's, stays as it was."""

from __future__ import annotations

import hashlib
import io
from typing import Any

import pytest

from tasks import erasure, faults, intake, operations, receiving
from tasks.costs import closing, reports
from tasks.costs.periods import first_of_month
from tasks.costs.questions import Query
from tasks.models import Attempt, AuditEntry, CostCell, Document, SeenNumber, Spent, Summary, Task
from tasks.orders import kept_name
from tasks.storage import get_storage
from tasks.traces import places
from tests.cost_tools import all_time, cells_up_to_date
from tests.erasure_tools import ACTOR, CANARY, SHARED, WHY, erase, holding, put, rows_of, stored
from tests.factories import make_agent, make_client, make_document

pytest_plugins = ["tests.erasure_fixtures"]
pytestmark = pytest.mark.django_db


# What goes


def test_no_table_holds_a_word_of_it_and_no_file_is_left(world) -> None:
    own = {"documents", "extractions", "task_attempts", "tasks", "webhook_deliveries", "attempt_results"}
    assert set(holding(CANARY)) == own
    before, kept = stored(), {name for name in stored() if str(world.others.result_attempt) in name}
    erase(world.client)
    assert holding(CANARY) == []
    digests = Document.objects.filter(client=world.other).values_list("storage_name", flat=True)
    assert stored() == kept | set(digests) | {f"{kept_name(world.others.pk, 1, 1)}.{'a' * 64}"} < before
    assert Task.objects.get(pk=world.waiting.pk).sealed_password is None
    assert not SeenNumber.objects.exists()


def test_bytes_that_another_client_has_too_stay_for_that_one(world) -> None:
    erase(world.client)
    for document in Document.objects.filter(client=world.other):
        assert get_storage().open(document.storage_name).read() == SHARED
    erase(world.other)
    assert stored() == set()


def test_of_two_that_go_at_once_neither_leaves_what_they_shared(world, monkeypatch) -> None:
    """The other one goes while the rows of this one still say that they have the file."""
    erasure.begin(ACTOR, world.client, WHY)
    erasure.begin(ACTOR, world.other, WHY)
    rest = [world.other]

    def meanwhile(name: str) -> None:
        if name == "erase:files" and rest:
            list(erasure.go_on(ACTOR, rest.pop()))

    monkeypatch.setattr(faults, "point", meanwhile)
    list(erasure.go_on(ACTOR, world.client))
    assert not rest and stored() == set()


def test_a_file_that_was_moved_into_its_clients_folder_goes_from_both_places(transactional_db) -> None:
    client, sha256 = make_client(), hashlib.sha256(SHARED).hexdigest()
    old = put(f"documents/{sha256[:2]}/{sha256}.pdf", SHARED)
    document = make_document(client, sha256=sha256, storage_name=old)
    intake.take_in(
        ACTOR, client=client, agent=make_agent(), uploads=[intake.Upload("a.pdf", io.BytesIO(SHARED))]
    )
    document.refresh_from_db()
    assert stored() == {old, document.storage_name} and document.storage_name != old
    erase(client)
    assert stored() == set()


def test_what_a_hand_in_left_that_was_cut_off_goes_too(world) -> None:
    put(receiving.storage_name(world.client, "cd" * 32))
    kept = put(receiving.storage_name(world.other, "cd" * 32))
    erase(world.client)
    assert [name for name in stored() if "cdcd" in name] == [kept]


def test_traces_go_and_their_attempts_do_not_name_them(world, store) -> None:
    named = Attempt.objects.get(pk=world.done.result_attempt).trace_id
    spans = places.spool().folder / f"{world.done.result_attempt.hex}-1.refused"
    spans.parent.mkdir(parents=True, exist_ok=True)
    spans.write_text(CANARY)
    erase(world.client)
    assert store == [named] and not spans.exists()
    assert not Attempt.objects.filter(client=world.client).exclude(trace_id="").exists()
    assert Attempt.objects.get(pk=world.others.result_attempt).trace_id


def test_a_store_of_traces_that_is_away_is_said_and_the_next_time_finishes_it(
    world, store, monkeypatch
) -> None:
    def away() -> None:
        raise ConnectionError("nobody there")

    with monkeypatch.context() as patch:
        patch.setattr(places, "open_store", away)
        (left,) = erase(world.client).left
    assert "traces" in left and "nobody there" in left and holding(CANARY) == []
    world.client.refresh_from_db()
    assert world.client.deletion_began_at and not world.client.deleted_at
    assert erase(world.client).left == [] and len(store) == 1
    world.client.refresh_from_db()
    assert world.client.deleted_at


# What stays


def test_of_another_client_not_a_row_changes(world) -> None:
    before = rows_of(world.other)
    erase(world.client)
    assert rows_of(world.other) == before


def test_money_is_the_same_to_the_cent_in_reports_sums_and_closed_months(world) -> None:
    operations.cancel(ACTOR, [world.waiting.pk])
    cells_up_to_date()
    month = first_of_month(Attempt.objects.get(pk=world.done.result_attempt).finished_at.date())
    closing.close(ACTOR, month)

    def money() -> list[Any]:
        cells_up_to_date()
        report = reports.make(Query(all_time(), "client"))
        sums = [(line.key, line.sums, line.money) for line in report.lines]
        tables = [
            sorted(map(str, model.objects.values_list(*fields_of(model))))
            for model in (CostCell, Summary, Spent)
        ]
        return [sums, report.corrections.sums, *tables]

    before = money()
    assert any(line[0] == str(world.client.pk) and line[2].total for line in before[0])
    erase(world.client)
    assert money() == before


def fields_of(model: Any) -> list[str]:
    return [field.name for field in model._meta.fields if field.name != "id"]


def test_the_trail_says_who_began_it_and_why_and_keeps_everything_else(world) -> None:
    before = list(AuditEntry.objects.order_by("id").values())
    erase(world.client)
    after = list(AuditEntry.objects.order_by("id").values())
    assert after[: len(before)] == before
    began, *_, ended = AuditEntry.objects.filter(object_type="client", verb__in=("erase", "erased")).order_by(
        "id"
    )
    assert (began.verb, began.actor_name, began.reason, began.object_id) == (
        "erase",
        "erika",
        WHY,
        str(world.client.pk),
    )
    assert ended.verb == "erased" and ended.after["documents"] == 4


def test_states_counts_and_error_codes_stay(world) -> None:
    erase(world.client)
    kept = dict(Task.objects.filter(client=world.client).values_list("pk", "status"))
    assert kept == {world.done.pk: "completed", world.failed.pk: "failed", world.waiting.pk: "cancelled"}
    assert Task.objects.get(pk=world.failed.pk).error_code == "corrupt"
