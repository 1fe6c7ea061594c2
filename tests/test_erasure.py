"""Deleting a client's data leaves nothing of them in tables, files or traces; what they cost, and everybody else's, stays as it was."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pty
import signal
import subprocess
import sys
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client as Browser
from django.urls import reverse
from psycopg import sql

from tasks import callbacks, erasure, faults, intake, operations
from tasks.audit import Actor
from tasks.callbacks import Message
from tasks.costs import closing, reports
from tasks.costs.periods import first_of_month
from tasks.costs.questions import Query
from tasks.models import (
    Agent,
    Attempt,
    AttemptResult,
    AuditEntry,
    Client,
    CostCell,
    Delivery,
    Document,
    Extraction,
    SeenNumber,
    Spent,
    Summary,
    Task,
)
from tasks.orders import kept_name, log_name, outcome_name
from tasks.sealing import seal
from tasks.storage import StorageError, get_storage
from tasks.traces import places
from tests.callback_tools import body_of
from tests.commands import ROOT, SAMPLES, Place, wait_until
from tests.cost_tools import all_time, cells_up_to_date
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
    pdf_bytes,
    result_json,
)

pytestmark = pytest.mark.django_db
CANARY = "Kanarienvogel"
ACTOR = Actor("erika")
WHY = "the engagement ended"
SHARED = pdf_bytes(title="shared")


@dataclass
class World:
    """A client with everything that can be had, and another one with some of the same."""

    client: Client
    other: Client
    agent: Agent
    done: Task
    failed: Task
    waiting: Task
    others: Task


def put(name: str, content: bytes = CANARY.encode()) -> str:
    get_storage().put(name, io.BytesIO(content))
    return name


def has_read(extraction: Extraction, document: Document, word: str = CANARY) -> Task:
    """Read long ago, settled, with a trace and all its files."""
    long_ago = database_now() - timedelta(days=70)
    named = {
        "trace_id": f"tr-{uuid4().hex}",
        "finished_at": long_ago,
        "ended_at": long_ago,
        "claimed_at": long_ago - timedelta(seconds=9),
    }
    task = make_completed(
        extraction, document, result=result_json(supplier=word), cost_usd="0.123456", cost_state="settled", compute_cost_usd="0.5",
        compute_cost_state="settled", input_tokens=100, output_tokens=10, model="m", conflict={"message": word}, **named,
    )  # fmt: skip
    for name in (outcome_name(task.result_attempt), log_name(task.result_attempt), f"attempts/{task.result_attempt}.in.json",
                 f"attempts/{task.result_attempt}.result.json", f"{kept_name(task.pk, 1, 1)}.{'a' * 64}"):  # fmt: skip
        put(name)
    AttemptResult.objects.create(attempt=task.result_attempt, result={"text": word}, sha256="a" * 64)
    Delivery.objects.create(
        attempt=task.result_attempt, webhook_id="1", received_at=long_ago, body_sha256="0", size_bytes=1, event="attempt.completed",
        outcome="applied", milliseconds=1, body=word.encode(),
    )  # fmt: skip
    return task


def shared_document(client: Client, name: str = f"{CANARY}.pdf") -> Document:
    """Stored as documents were before clients had folders of their own."""
    sha256 = "ab" * 32
    return make_document(client, name, sha256=sha256, storage_name=f"documents/ab/{sha256}.pdf")


@pytest.fixture
def world(transactional_db) -> World:
    client, other, agent = (
        make_client("Nordwind"),
        make_client("Südwind"),
        make_agent("reader", program="rules"),
    )
    put(f"documents/ab/{'ab' * 32}.pdf", SHARED)
    extraction = make_extraction(
        client, agent, engagement="2026", refused=[{"name": CANARY, "code": "empty", "sentence": CANARY}]
    )
    done = has_read(extraction, shared_document(client))
    SeenNumber.objects.create(client=client, key=uuid4(), task=done)
    handed = [
        intake.Upload(f"{CANARY}.pdf", io.BytesIO(SHARED)),
        intake.Upload("locked.pdf", io.BytesIO(pdf_bytes(password=CANARY))),
    ]
    intake.take_in(ACTOR, client=client, agent=agent, uploads=handed)
    waiting = Task.objects.get(client=client, status="enqueued")
    Task.objects.filter(pk=waiting.pk).update(sealed_password=seal(CANARY))
    failed = make_task(
        extraction, status="failed", finished_at=database_now(), error_code="corrupt", error_message=CANARY
    )
    make_attempt(failed, "failed", error_code="corrupt", error_message=CANARY)
    others = has_read(
        make_extraction(other, agent, engagement="2026"), shared_document(other, "a.pdf"), "Rotkehlchen"
    )
    intake.take_in(ACTOR, client=other, agent=agent, uploads=[intake.Upload("a.pdf", io.BytesIO(SHARED))])
    return World(client, other, agent, done, failed, waiting, others)


@pytest.fixture(autouse=True)
def store(monkeypatch) -> list[str]:
    """Ids of traces that were deleted, in place of MLflow's store; tests/test_trace_store.py has the real one."""
    deleted: list[str] = []
    fake = type("Store", (), {"delete": lambda _self, ids: deleted.extend(ids)})
    monkeypatch.setattr(places, "open_store", fake)
    return deleted


def erase(client: Client) -> erasure.Progress:
    erasure.begin(ACTOR, client, WHY)
    return list(erasure.go_on(ACTOR, client))[-1]


def holding(word: str) -> list[str]:
    """Tables with a row that has the word in any column, as text or as bytes."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(
                sql.SQL("SELECT count(*) FROM {} t WHERE t::text ILIKE %s OR t::text ILIKE %s").format(sql.Identifier(table)),
                (f"%{word}%", f"%{word.encode().hex()}%"),
            )  # fmt: skip
            found += [table] * (cursor.fetchone()[0] > 0)
    return found


def stored() -> set[str]:
    return set(get_storage().names(""))


def rows_of(client: Client) -> list[Any]:
    """Every row of a client, as it is stored."""
    return [
        list(model.objects.filter(**{path: client}).order_by("pk").values())
        for model, path in (
            (Document, "client"),
            (Extraction, "client"),
            (Task, "client"),
            (Attempt, "client"),
        )
    ]


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
    put(intake.storage_name(world.client, "cd" * 32))
    kept = put(intake.storage_name(world.other, "cd" * 32))
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
    real, overtaken = intake._receive, []

    def receive(*args: Any) -> Any:
        overtaken.append(erase(world.client))
        return real(*args)

    monkeypatch.setattr(intake, "_receive", receive)
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


# Pages


def test_every_page_of_it_opens_and_says_that_it_was_deleted(world) -> None:
    browser = Browser()
    browser.force_login(make_user("root", is_staff=True, is_superuser=True))
    erase(world.client)
    for task in (world.done, world.failed, world.waiting):
        for name in ("task", "task_fragment"):
            answer = browser.get(reverse(name, args=(task.pk,)))
            assert (
                answer.status_code == 200
                and "All data of this client were deleted" in answer.content.decode()
            )
        extraction = (task.extraction_id,)
        assert (
            "All data of this client" in browser.get(reverse("extraction", args=extraction)).content.decode()
        )
        for name in ("extraction_fragment", "results_csv", "results_json", "refused_csv"):
            answer = browser.get(reverse(name, args=extraction))
            assert answer.status_code == 200 and answer.getvalue() is not None
        gone = [reverse("document_file", args=(task.document_id,)), reverse("task_result", args=(task.pk,))]
        gone += [reverse("attempt_log", args=(task.pk, attempt.pk)) for attempt in task.attempts.all()]
        for url in gone:
            answer = browser.get(url)
            assert answer.status_code == 410 and "What it cost stays" in answer.content.decode()
        for model, row in (
            ("task", task.pk),
            ("document", task.document_id),
            ("extraction", task.extraction_id),
        ):
            assert browser.get(reverse(f"admin:tasks_{model}_change", args=(row,))).status_code == 200
    for attempt in Attempt.objects.filter(client=world.client):
        assert browser.get(reverse("admin:tasks_attempt_change", args=(attempt.pk,))).status_code == 200
    of_client = f"?client={world.client.pk}"
    for name in (
        "home",
        "extractions",
        "operations",
        "operations_fragment",
        "operations_csv",
        "operations_tasks",
        "costs",
        "costs_csv",
    ):
        answer = browser.get(reverse(name) + of_client)
        assert answer.status_code == 200 and CANARY not in answer.getvalue().decode()
    for name in ("task", "document", "attempt", "extraction", "client"):
        assert browser.get(reverse(f"admin:tasks_{name}_changelist")).status_code == 200
    assert b"Nordwind" not in browser.get(reverse("upload")).content


def test_the_page_asks_for_name_and_reason_and_begins_it(world) -> None:
    browser, url = Browser(), reverse("admin:tasks_client_erase", args=(world.client.pk,))
    browser.force_login(make_user("root", is_staff=True, is_superuser=True))
    assert url in browser.get(reverse("admin:tasks_client_change", args=(world.client.pk,))).content.decode()
    shown = browser.get(url).content.decode()
    assert "4 documents" in shown and "1 waiting task, which is cancelled" in shown
    wrong = browser.post(url, {"name": "Nordwind AG", "reason": WHY}).content.decode()
    assert "That is not the client&#x27;s name" in wrong
    assert browser.post(url, {"name": "Nordwind", "reason": ""}).status_code == 200
    assert not erasure.unfinished().exists()
    begun = browser.post(url, {"name": "Nordwind", "reason": WHY}, follow=True).content.decode()
    assert "The deletion has begun" in begun and erasure.unfinished().get() == world.client
    call_command("delete_client", "--open", stdout=io.StringIO())
    assert (
        "Everything was deleted on" in browser.get(url).content.decode() and not erasure.unfinished().exists()
    )


# The command


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("delete_client", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_a_dry_run_says_what_would_go_and_changes_nothing(world) -> None:
    before = rows_of(world.client), stored()
    said = run("Nordwind", "--dry-run")
    assert "4 documents" in said and "1 waiting tasks are cancelled" in said
    told = json.loads(run("Nordwind", "--dry-run", "--json"))
    assert (told["documents"], told["tasks"], told["attempts"], told["running"]) == (4, 3, 2, 0)
    assert (rows_of(world.client), stored()) == before


def test_where_nobody_can_be_asked_it_needs_yes(world) -> None:
    with pytest.raises(CommandError, match="needs --yes"):
        run("Nordwind")
    assert not erasure.unfinished().exists()
    assert json.loads(run("Nordwind", "--yes", "--json"))["documents"] == 4
    with pytest.raises(CommandError, match="There is no client Ostwind"):
        run("Ostwind", "--yes")


@pytest.mark.slow
def test_on_a_terminal_it_asks_for_the_name(place: Place) -> None:
    read_and_marked(place, "Nordwind")
    for typed, code in (("nordwind\n", 1), ("Nordwind\n", 0)):
        ours, theirs = pty.openpty()
        os.write(ours, typed.encode())
        ended = subprocess.run(
            [sys.executable, "manage.py", "delete_client", "Nordwind"], stdin=theirs, capture_output=True, text=True, timeout=120,
            env=place.environment, cwd=ROOT,
        )  # fmt: skip
        os.close(ours)
        os.close(theirs)
        assert ended.returncode == code, ended.stderr
        assert "Type the client's name" in ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize("point", ["erase:files", "erase:rows"])
def test_killed_in_the_middle_it_is_repeated_and_nothing_is_left(place: Place, point: str) -> None:
    """Real documents, read by real attempts, with what these left in the storage."""
    name, other = f"Killed at {point}", f"Not killed at {point}"
    marks = [read_and_marked(place, client) for client in (name, other)]
    before = files(place)
    of_name, of_other = ({path for path in before if any(mark in path for mark in of)} for of in marks)
    assert len(of_name) == len(of_other) >= 2
    dying = {"DJANGO_SETTINGS_MODULE": "tests.erasure_dying_settings", "DIES_AT": point}
    assert place.run("delete_client", name, "--yes", **dying).returncode == -signal.SIGKILL
    assert place.ask(f"Client.objects.get(name={name!r}).deleted_at is None")
    done = place.run("delete_client", name, "--yes")
    assert done.returncode == 0 and "was deleted" in done.stdout, done.stderr
    assert files(place) == before - of_name
    assert place.ask(f"Document.objects.filter(client__name={name!r}).exclude(storage_name='').count()") == 0
    assert place.ask(f"Attempt.objects.filter(client__name={name!r}, erased_at=None).count()") == 0
    assert place.ask(f"Attempt.objects.filter(client__name={other!r}, result__isnull=False).count()") == 1


@pytest.mark.slow
def test_a_worker_goes_on_with_what_a_page_began(place: Place) -> None:
    """The page only begins it; whoever was at it may also have died."""
    marks = read_and_marked(place, "Begun in a page")
    begin = (
        "from tasks import erasure; from tasks.audit import Actor; from tasks.models import Client; "
        "erasure.begin(Actor('erika'), Client.objects.get(name='Begun in a page'), 'over')"
    )
    assert place.run("shell", "--no-imports", "-c", begin).returncode == 0
    worker = place.begin("worker")
    try:
        through = "Client.objects.filter(name='Begun in a page', deleted_at__isnull=False).exists()"
        wait_until(lambda: place.ask(through), what="the end of the deletion")
    finally:
        worker.terminate()
        worker.communicate(timeout=60)
    assert not [path for path in files(place) if any(mark in path for mark in marks)]


def files(place: Place) -> set[str]:
    storage = place.home / "storage"
    return {str(path.relative_to(storage)) for path in storage.rglob("*") if path.is_file()}


def read_and_marked(place: Place, client: str) -> list[str]:
    """What the names of a client's files hold, after one document of it was read."""
    run = place.run("extract", SAMPLES / "01-invoice-english.pdf", "--client", client, "--create-client")
    assert run.returncode == 0, run.stderr
    of = f"filter(client__name={client!r}).values_list"
    folders = place.ask(f"[f'client-{{pk}}/' for pk in Document.objects.{of}('client', flat=True)]")
    return folders + place.ask(f"list(map(str, Attempt.objects.{of}('pk', flat=True)))")
