"""Pruning an old extraction leaves nothing of it in tables, files or traces; money, counts, trail, seen numbers and younger work stay."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from tasks import callbacks, erasure, intake, operations, pruning, queue
from tasks.callbacks import Message
from tasks.costs import reports
from tasks.costs.questions import Query
from tasks.models import (
    Attempt,
    AuditEntry,
    CostCell,
    Document,
    Extraction,
    SeenNumber,
    Spent,
    Summary,
    Task,
)
from tasks.orders import outcome_name
from tasks.queue import deletion
from tasks.storage import StorageError, get_storage
from tests.callback_tools import body_of
from tests.cost_tools import all_time, cells_up_to_date
from tests.erasure_tools import ACTOR, CANARY, WHY, erase, has_read, holding, put, rows_of, stored
from tests.factories import (
    database_now,
    make_attempt,
    make_document,
    make_extraction,
    make_task,
    pdf_bytes,
    result_json,
)
from tests.prune_tools import YEAR, age, document, files_of, prune

pytest_plugins = ["tests.erasure_fixtures", "tests.prune_fixtures"]
pytestmark = pytest.mark.django_db


# What goes


def test_no_table_and_no_file_holds_a_word_of_it(ages, store) -> None:
    own = {"documents", "extractions", "task_attempts", "tasks", "webhook_deliveries", "attempt_results"}
    assert set(holding(CANARY)) == own
    traces = set(Attempt.objects.filter(task__extraction=ages.old).values_list("trace_id", flat=True)) - {""}
    kept = files_of(ages.young) | files_of(ages.others) | {ages.shared.storage_name}
    kept.add(ages.others.tasks.get().document.storage_name)
    assert kept < stored()
    progress = prune(ages.client)
    assert holding(CANARY) == [] and stored() == kept
    assert set(store) == traces and len(traces) == 2
    assert (progress.extractions, progress.attempts, progress.documents, progress.left) == (1, 3, 3, [])
    assert progress.files == 3 + 2 * 5
    old = Extraction.objects.get(pk=ages.old.pk)
    assert old.pruned_at and old.refused == [] and old.files_to_go is None
    assert not Attempt.objects.filter(task__extraction=ages.old, erased_at=None).exists()


def test_a_file_that_a_younger_extraction_reads_stays_until_that_goes_too(ages) -> None:
    prune()
    assert get_storage().exists(ages.shared.storage_name)
    assert Document.objects.get(pk=ages.shared.pk).original_name == ages.shared.original_name
    age(ages.young)
    prune()
    assert stored() == set() and not Document.objects.exclude(storage_name="").exists()


@pytest.mark.parametrize("code", ["encrypted", "duplicate"])
def test_a_file_that_a_younger_extraction_lists_stays(ages, code: str) -> None:
    """A password may still be typed for it; a repeat of it may be handed in on the strength of it."""
    entry = {
        "name": "a.pdf",
        "code": code,
        "sentence": "",
        "document_id": ages.locked.pk,
        "task_id": ages.done.pk,
    }
    Extraction.objects.filter(pk=ages.young.pk).update(refused=[entry])
    prune()
    assert get_storage().exists(ages.locked.storage_name)
    age(ages.young)
    prune()
    assert stored() == set()


def test_an_extraction_of_files_that_were_never_read_goes_by_the_day_it_was_handed_in(ages) -> None:
    locked = document(ages.client, CANARY)
    entry = {"name": CANARY, "code": "encrypted", "sentence": CANARY, "document_id": locked.pk}
    empty = make_extraction(ages.client, ages.old.agent, refused=[entry])
    prune()
    assert get_storage().exists(locked.storage_name)
    age(empty)
    assert prune().extractions == 1 and not get_storage().exists(locked.storage_name)


def test_bytes_from_before_clients_had_folders_stay_for_the_other_client(ages) -> None:
    name = put(f"documents/ab/{'ab' * 32}.pdf")
    pair = [
        make_extraction(client, ages.old.agent, engagement="shared") for client in (ages.client, ages.other)
    ]
    for extraction in pair:
        has_read(extraction, make_document(extraction.client, sha256="ab" * 32, storage_name=name), "x")
    age(pair[0])
    prune()
    assert get_storage().exists(name)
    age(pair[1])
    prune()
    assert not get_storage().exists(name)


# What stays


def test_of_other_clients_and_of_young_extractions_not_a_row_changes(ages) -> None:
    young = [
        list(Task.objects.filter(extraction=ages.young).values()),
        list(Attempt.objects.filter(task__extraction=ages.young).values()),
    ]
    before = rows_of(ages.other)
    prune(ages.client)
    assert rows_of(ages.other) == before
    assert young == [
        list(Task.objects.filter(extraction=ages.young).values()),
        list(Attempt.objects.filter(task__extraction=ages.young).values()),
    ]
    assert Extraction.objects.filter(pruned_at=None).count() == 2
    ages.client.refresh_from_db()
    assert not ages.client.is_paused and not ages.client.deletion_began_at


def test_money_tokens_states_and_times_are_the_same_to_the_cent(ages) -> None:
    kept = (
        "status", "input_tokens", "output_tokens", "cost_usd", "cost_state", "compute_cost_usd", "confidence", "claimed_at",
        "started_at", "finished_at", "ended_at", "settled_at", "error_code",
    )  # fmt: skip

    def figures() -> list[Any]:
        cells_up_to_date()
        report = reports.make(Query(all_time(), "client"))
        tables = [
            sorted(
                str([value for name, value in row.items() if name != "id"]) for row in model.objects.values()
            )
            for model in (CostCell, Summary, Spent)
        ]
        attempts = list(Attempt.objects.order_by("pk").values_list(*kept))
        states = list(Task.objects.order_by("pk").values_list("pk", "status", "finished_at", "confidence"))
        return [[(line.key, line.sums, line.money) for line in report.lines], *tables, attempts, states]

    before = figures()
    assert sum(line[2].total for line in before[0]) == 4 * (Decimal("0.123456") + Decimal("0.5"))
    assert prune().extractions == 2
    assert figures() == before


def test_numbers_already_seen_stay_and_go_with_all_data_of_the_client(ages) -> None:
    prune()
    assert SeenNumber.objects.get().task_id == ages.done.pk
    erase(ages.client)
    assert not SeenNumber.objects.exists()


def test_the_trail_says_who_pruned_how_much_and_why_and_keeps_the_rest(ages) -> None:
    before = list(AuditEntry.objects.order_by("id").values())
    prune(ages.client)
    after = AuditEntry.objects.order_by("id")
    assert list(after.values())[: len(before)] == before
    one, all_of_them = after[len(before) :]
    assert (one.verb, one.object_type, one.object_id) == ("prune", "extraction", str(ages.old.pk))
    assert one.after == {"tasks": 3, "attempts": 3, "documents": 3}
    assert (all_of_them.verb, all_of_them.object_id) == ("pruned", str(ages.client.pk))
    assert all_of_them.after["extractions"] == 1 and all_of_them.after["older_than_days"] == 365
    assert {(entry.actor_name, entry.reason) for entry in (one, all_of_them)} == {(ACTOR.name, WHY)}
    prune(ages.client)
    assert after.count() == len(before) + 2, "nothing done, nothing told"


# What is old


def test_only_what_has_ended_for_that_long_is_old(ages) -> None:
    """Each of these alone keeps it: something young, waiting or running, and an attempt that may still be about."""
    old, task = ages.old, ages.old.tasks.filter(status="completed").first()
    long_ago = task.finished_at
    Task.objects.filter(pk=task.pk).update(finished_at=database_now() - timedelta(days=364))
    assert prune(ages.client).extractions == 0
    Task.objects.filter(pk=task.pk).update(finished_at=long_ago)
    waiting = make_task(old)
    assert prune(ages.client).extractions == 0
    running = make_attempt(waiting)
    Task.objects.filter(pk=waiting.pk).update(
        status="processing", locked_by="worker:1", lease_owner=running.worker, lease_expires_at=long_ago, current_attempt=running.pk
    )  # fmt: skip
    assert prune(ages.client).extractions == 0
    Task.objects.filter(pk=waiting.pk).update(
        status="cancelled", locked_by=None, lease_owner=None, lease_expires_at=None, current_attempt=None, finished_at=long_ago
    )  # fmt: skip
    assert prune(ages.client).extractions == 0, "its attempt has not ended"
    Attempt.objects.filter(pk=running.pk).update(
        status="cancelled", finished_at=long_ago, ended_at=database_now()
    )
    assert prune(ages.client).extractions == 1


def test_a_client_that_is_being_deleted_goes_as_a_whole(ages) -> None:
    erasure.begin(ACTOR, ages.client, WHY)
    assert prune(ages.client).extractions == 0
    list(erasure.go_on(ACTOR, ages.client))
    assert holding(CANARY) == []


def test_what_was_pruned_in_part_is_deleted_with_its_client(ages, monkeypatch) -> None:
    with monkeypatch.context() as patch, pytest.raises(StorageError):
        patch.setattr(type(get_storage()), "delete", _away)
        prune(ages.client)
    erase(ages.client)
    assert not [name for name in stored() if f"client-{ages.client.pk}/" in name]
    assert prune(ages.client).left == [] and not Extraction.objects.exclude(files_to_go=None).exists()


# What is refused afterwards


def test_nothing_of_it_is_retried_read_again_or_added_to(ages) -> None:
    prune()
    why = "its document and result were deleted after their retention time"
    assert operations.retry(ACTOR, [ages.failed.pk]).skipped == {ages.failed.pk: why}
    both = [ages.done.pk, ages.failed.pk]
    outcome = operations.reprocess(ACTOR, both, agent=ages.old.agent)
    assert outcome.skipped == dict.fromkeys(both, why)
    handed = [operations.Handed(ages.shared)]
    ages.old.refresh_from_db()
    with pytest.raises(operations.Refused, match="deleted after their retention time"):
        operations.submit(
            ACTOR, client=ages.client, agent=ages.old.agent, documents=handed, extraction=ages.old
        )
    assert not Task.objects.filter(status="enqueued").exists()
    assert operations.submit(
        ACTOR, client=ages.client, agent=ages.old.agent, documents=handed, extraction=ages.young
    ).pk


def test_the_same_file_is_read_anew_where_the_result_of_its_first_reading_is_gone(ages) -> None:
    upload = pdf_bytes(title="again")
    first = _take_in(ages, upload)
    first_task = first.tasks.get()
    result = result_json(supplier=CANARY)
    attempt = make_attempt(first_task, "completed", result=result, confidence=0.9)
    Task.objects.filter(pk=first_task.pk).update(
        status="completed", finished_at=database_now(), result_attempt=attempt.pk
    )
    assert _take_in(ages, upload).refused[0]["task_id"] == first_task.pk
    age(first)
    prune()
    kept = Document.objects.get(pk=first_task.document_id)
    assert kept.storage_name, "the repeat still names it"
    again = _take_in(ages, upload)
    assert again.tasks.get().document_id == kept.pk and again.refused == []


def test_a_callback_that_comes_late_is_money_and_nothing_else(ages) -> None:
    attempt = Attempt.objects.get(task=ages.failed)
    prune()
    usage = {"calls": 1, "model": "m", "input_tokens": 5, "output_tokens": 5, "cost_usd": "0.25"}
    body = json.dumps(
        body_of(attempt.pk, "completed", result=result_json(supplier=CANARY), usage=usage)
    ).encode()
    callbacks.receive(Message(attempt.pk, "late", body))
    assert holding(CANARY) == []
    attempt.refresh_from_db()
    assert (attempt.status, str(attempt.cost_usd)) == ("failed", "0.250000")


def test_the_database_lets_nobody_write_a_word_back(ages) -> None:
    prune()
    with pytest.raises(IntegrityError, match="erased_is_empty"), transaction.atomic():
        Attempt.objects.filter(task=ages.done).update(result={"text": CANARY})
    with pytest.raises(IntegrityError, match="pruned_is_empty"), transaction.atomic():
        Extraction.objects.filter(pk=ages.old.pk).update(refused=[{"name": CANARY}])


# Again and again


@pytest.mark.parametrize("deaths", [1, 2, 5, 9])
def test_a_storage_that_fails_in_the_middle_is_said_and_the_next_time_finishes_it(
    ages, monkeypatch, deaths: int
) -> None:
    real, left = type(get_storage()).delete, [deaths]

    def failing(storage: Any, name: str) -> None:
        left[0] -= 1
        if left[0] == 0:
            _away(storage, name)
        real(storage, name)

    monkeypatch.setattr(type(get_storage()), "delete", failing)
    with pytest.raises(StorageError):
        prune()
    assert holding(CANARY) in ([], ["extractions"]) and Extraction.objects.exclude(files_to_go=None).exists()
    prune()
    assert left[0] < 0 and not Extraction.objects.exclude(files_to_go=None).exists()
    assert stored() == files_of(ages.young) | {ages.shared.storage_name}


def test_a_store_of_traces_that_is_away_is_said_and_the_next_time_finishes_it(
    ages, store, monkeypatch
) -> None:
    def away() -> None:
        raise ConnectionError("nobody there")

    with monkeypatch.context() as patch:
        patch.setattr("tasks.traces.places.open_store", away)
        (left,) = prune().left
    assert "traces" in left and "nobody there" in left and store == []
    assert Extraction.objects.exclude(files_to_go=None).count() == 2
    assert prune().left == [] and len(store) == 3
    late = put(outcome_name(ages.done.result_attempt))
    prune()
    assert late in stored(), "what is done with is not looked for again"


def test_a_database_of_checkpoints_that_is_away_is_said_and_the_next_time_finishes_it(ages, settings) -> None:
    settings.CHECKPOINT_DATABASE_URL = "postgres://role@127.0.0.1:1/nothing"
    with pytest.raises(
        CommandError, match=r"checkpoints could not be removed.* Deleted so far: 2 extractions"
    ):
        run("--older-than", "365d", "--reason", WHY)
    settings.CHECKPOINT_DATABASE_URL = ""
    prune()
    assert not Extraction.objects.exclude(files_to_go=None).exists()


# The command


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("prune", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_a_dry_run_says_what_would_go_and_changes_nothing(ages) -> None:
    before = rows_of(ages.client), rows_of(ages.other), stored(), AuditEntry.objects.count()
    said = run("--older-than", "365d", "--client", "Nordwind", "--dry-run")
    assert "1 extractions would lose" in said and "3 tasks in 3 attempts, and 3 documents" in said
    told = json.loads(run("--older-than", "365d", "--dry-run", "--json"))
    assert {name: told[name] for name in ("extractions", "tasks", "attempts", "documents")} == {
        "extractions": 2, "tasks": 4, "attempts": 4, "documents": 4,
    }  # fmt: skip
    assert "No extraction is that old" in run("--older-than", "401d", "--dry-run")
    assert (rows_of(ages.client), rows_of(ages.other), stored(), AuditEntry.objects.count()) == before
    done = json.loads(run("--older-than", "365d", "--json", "--reason", WHY))
    assert {name: done[name] for name in ("extractions", "attempts", "documents", "left")} == {
        "extractions": 2, "attempts": 4, "documents": 4, "left": [],
    }  # fmt: skip
    assert "Nothing was deleted" in run("--older-than", "365d", "--reason", WHY)


@pytest.mark.parametrize("wrong", ["365", "0d", "-3d", "1y", "1.5d", "d", "", "99999999d", "²d"])
def test_a_wrong_time_is_refused_with_an_example(ages, wrong: str) -> None:
    with pytest.raises(CommandError, match=r"no time in days.* such as 365d"):
        run(f"--older-than={wrong}", "--reason", WHY)
    assert not Extraction.objects.exclude(pruned_at=None).exists()


def test_without_a_reason_or_with_an_unknown_client_nothing_goes(ages) -> None:
    with pytest.raises(CommandError, match="Say why") as refused:
        run("--older-than", "365d", "--reason", " ")
    with pytest.raises(CommandError, match="There is no client 'Ostwind'"):
        run("--older-than", "365d", "--client", "Ostwind", "--reason", WHY)
    with pytest.raises(operations.Refused, match="Say why"):
        list(pruning.prune(ACTOR, YEAR, " "))
    assert refused.value.returncode == 2 and not Extraction.objects.exclude(pruned_at=None).exists()


def _take_in(ages, content: bytes) -> Extraction:
    uploads = [intake.Upload("a.pdf", io.BytesIO(content))]
    return intake.take_in(ACTOR, client=ages.client, agent=ages.old.agent, uploads=uploads)


def _away(_storage: Any, _name: str) -> None:
    raise StorageError("The disk is away.", retryable=True)


def test_what_a_pruning_reads_of_refused_files_names_their_documents(ages) -> None:
    assert [tuple(row) for row in deletion.refused_documents(queue.connection())] == [
        (ages.old.pk, ages.locked.pk)
    ]
