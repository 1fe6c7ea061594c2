"""Pruning beside retries, hand-ins and other prunings, in real concurrent transactions; and killed in the middle as a process."""

from __future__ import annotations

import io
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction

from tasks import faults, intake, operations, queue
from tasks.models import Document, Extraction, Task
from tasks.queue import deletion
from tasks.storage import get_storage
from tests.commands import SAMPLES, Place, wait_until
from tests.erasure_tools import ACTOR, WHY
from tests.factories import database_now, make_agent, pdf_bytes
from tests.prune_tools import age, prune

pytest_plugins = ["tests.erasure_fixtures", "tests.prune_fixtures"]
pytestmark = pytest.mark.django_db

PDF = pdf_bytes(title="handed in again")


class Beside(threading.Thread):
    """Something that is done in a connection of its own. `end` gives what it returned, or raises what it raised."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self._work, self._result, self._error = work, None, None

    def run(self) -> None:
        try:
            self._result = self._work()
        except BaseException as error:
            self._error = error
        finally:
            connection.close()

    def end(self) -> Any:
        self.join(30)
        assert not self.is_alive()
        if self._error:
            raise self._error
        return self._result


def blocked() -> bool:
    """Whether a transaction of this database waits for another one."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # within a transaction it is kept
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return cursor.fetchone()[0] > 0


@contextmanager
def pruning_held_at(point: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Beside]:
    """A pruning that has come to this point and goes on at the end of the block."""
    there, go_on = threading.Event(), threading.Event()

    def stop(name: str) -> None:
        if name == point and not there.is_set():
            there.set()
            assert go_on.wait(30)

    with monkeypatch.context() as patch:
        patch.setattr(faults, "point", stop)
        pruning = Beside(prune)
        pruning.start()
        assert there.wait(30)
        try:
            yield pruning
        finally:
            go_on.set()
            pruning.join(30)


def meets(pruning: Beside, work: Callable[[], Any]) -> Beside:
    """`work`, begun beside a pruning that holds its locks, and waiting for it."""
    other = Beside(work)
    other.start()
    wait_until(blocked, 30, "the wait for the pruning")
    assert pruning.is_alive()
    return other


# Retries


def reads_again(actor: Any, tasks: list[int]) -> operations.Outcome:
    """By another agent, whose line the tasks go into."""
    return operations.reprocess(actor, tasks, agent=make_agent("other", is_fair=True))


@pytest.mark.parametrize("verb", [operations.retry, operations.reprocess, reads_again])
def test_a_retry_that_waited_for_a_pruning_finds_it_pruned(ages, monkeypatch, verb: Any) -> None:
    """What the retry reads with its lock is older than the lock: the mark has to be read after it."""
    with pruning_held_at("prune:locked", monkeypatch) as pruning:
        retry = meets(pruning, lambda: verb(ACTOR, [ages.failed.pk]))
    assert pruning.end().extractions == 2
    assert "after their retention time" in retry.end().skipped[ages.failed.pk]
    task = Task.objects.get(pk=ages.failed.pk)
    assert (task.status, task.generation, task.agent_id) == ("failed", 1, ages.old.agent_id)


@pytest.mark.parametrize("verb", [operations.retry, reads_again])
def test_a_pruning_that_waited_for_a_retry_leaves_the_extraction_alone(ages, verb: Any) -> None:
    with transaction.atomic():
        assert verb(ACTOR, [ages.failed.pk]).done
        pruning = Beside(lambda: prune(ages.client))
        pruning.start()
        wait_until(blocked, 30, "the wait for the retry")
        with (
            connection.cursor() as cursor
        ):  # its commit looks whether the extraction is there, and must not wait for the pruning
            cursor.execute("SET LOCAL lock_timeout = '300ms'")
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert pruning.end().extractions == 0
    assert Task.objects.get(pk=ages.failed.pk).status == "enqueued"


def test_what_is_added_while_a_pruning_holds_the_extraction_is_refused(ages, monkeypatch) -> None:
    handed = [operations.Handed(ages.shared)]

    def add() -> None:
        operations.submit(
            ACTOR, client=ages.client, agent=ages.old.agent, documents=handed, extraction=ages.old
        )

    with pruning_held_at("prune:locked", monkeypatch) as pruning:
        adding = meets(pruning, add)
    assert pruning.end().extractions == 2
    with pytest.raises(operations.Refused, match="deleted after their retention time"):
        adding.end()
    assert ages.old.tasks.count() == 3


def test_two_prunings_at_once_do_it_once(ages, monkeypatch) -> None:
    with pruning_held_at("prune:locked", monkeypatch) as pruning:
        other = meets(pruning, prune)
    first, second = pruning.end(), other.end()
    assert (first.extractions + second.extractions, first.documents + second.documents) == (2, 4)


def test_a_deletion_of_the_client_locks_in_the_same_order(ages) -> None:
    """Documents before tasks: with the tasks first, each would hold what the other waits for."""
    with transaction.atomic():
        queue.execute(queue.connection(), "prune_lock_documents", extraction=ages.old.pk)
        rival = Beside(
            transaction.atomic(lambda: deletion.erase(queue.connection(), [ages.done.document_id]))
        )
        rival.start()
        wait_until(blocked, 30, "the wait for the documents")
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '300ms'")
        assert ages.done.pk in deletion.lock_to_prune(queue.connection(), ages.old.pk)
    assert rival.end()


# The same file, handed in at that moment


@pytest.fixture
def known(ages) -> Document:
    """A file that only an old extraction has read, and that somebody has on his disk."""
    extraction = hand_in(ages)
    task = extraction.tasks.get()
    Task.objects.filter(pk=task.pk).update(status="failed", finished_at=database_now())
    age(extraction)
    return task.document


def hand_in(ages) -> Extraction:
    uploads = [intake.Upload("a.pdf", io.BytesIO(PDF))]
    return intake.take_in(ACTOR, client=ages.client, agent=ages.old.agent, uploads=uploads)


def is_there(extraction: Extraction) -> bool:
    with get_storage().open(Task.objects.get(extraction=extraction).document.storage_name) as file:
        return file.read() == PDF


def test_a_hand_in_that_waited_for_a_pruning_stores_the_file_anew(ages, known, monkeypatch) -> None:
    Extraction.objects.exclude(tasks__document=known).update(
        created_at=database_now()
    )  # it is the only old one
    with pruning_held_at("prune:locked", monkeypatch) as pruning:
        handing = meets(pruning, lambda: hand_in(ages))
    assert pruning.end().documents == 1
    assert is_there(handing.end()) and not get_storage().exists(known.storage_name)


def test_a_hand_in_before_the_file_is_removed_stores_it_anew(ages, known, monkeypatch) -> None:
    Extraction.objects.exclude(tasks__document=known).update(created_at=database_now())
    with pruning_held_at("prune:rows", monkeypatch) as pruning:
        extraction = hand_in(ages)
        assert get_storage().exists(known.storage_name), "its removal is still to come"
    assert pruning.end().documents == 1
    assert is_there(extraction) and not get_storage().exists(known.storage_name)


def test_a_file_that_was_stored_and_is_about_to_be_handed_in_is_left_alone(ages, known, monkeypatch) -> None:
    """The bytes were found in the storage; the rows that need them come after a whole pruning."""
    real, meanwhile = intake._hand_in, []

    def overtaken(*args: Any, **options: Any) -> Extraction:
        meanwhile.append(prune())
        return real(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(intake, "_hand_in", overtaken)
        extraction = hand_in(ages)
    assert meanwhile[0].extractions == 2 and is_there(extraction)
    Document.objects.update(handed_in_again_at=database_now() - timedelta(days=2))
    assert prune().extractions == 1 and is_there(extraction)


def test_a_pruning_that_waited_for_a_hand_in_keeps_the_file(ages, known) -> None:
    with transaction.atomic():
        extraction = hand_in(ages)
        Document.objects.update(handed_in_again_at=None)  # only the new task speaks for it
        pruning = Beside(prune)
        pruning.start()
        wait_until(blocked, 30, "the wait for the hand-in")
    assert pruning.end().extractions == 3
    assert is_there(extraction) and extraction.tasks.get().document_id == known.pk


def test_of_two_that_hand_in_the_same_new_file_at_once_one_copy_stays(ages, monkeypatch) -> None:
    real, others = intake._hand_in, []

    def overtaken(*args: Any, **options: Any) -> Extraction:
        if not others:
            others.append(None)
            others.append(hand_in(ages))
        return real(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(intake, "_hand_in", overtaken)
        refused = hand_in(ages).refused
    document = others[1].tasks.get().document
    assert refused[0]["document_id"] == document.pk and is_there(others[1])
    assert [name for name in get_storage().names("documents/") if document.sha256 in name] == [
        document.storage_name
    ]


# Killed


@pytest.mark.slow
@pytest.mark.parametrize("point", ["prune:locked", "prune:rows", "prune:files"])
def test_killed_in_the_middle_it_is_repeated_and_nothing_is_left(place: Place, point: str) -> None:
    """Real documents, read by real attempts, with what these left in the storage."""
    old, young = f"Old at {point}", f"Young at {point}"
    marks = {client: read(place, client) for client in (old, young)}
    ageing = (
        "from datetime import timedelta; from django.db.models import F; from tasks.models import *; y = timedelta(days=400); "
        f"Extraction.objects.filter(client__name={old!r}).update(created_at=F('created_at') - y); "
        f"Task.objects.filter(client__name={old!r}).update(finished_at=F('finished_at') - y)"
    )
    assert place.run("shell", "--no-imports", "-c", ageing).returncode == 0
    before = files(place)
    of_old = {path for path in before if any(mark in path for mark in marks[old])}
    assert len(of_old) >= 2
    command = ("prune", "--older-than", "365d", "--reason", WHY)
    dying = {"DJANGO_SETTINGS_MODULE": "tests.erasure_dying_settings", "DIES_AT": point}
    assert place.run(*command, **dying).returncode == -signal.SIGKILL
    begun = place.ask(f"Extraction.objects.filter(client__name={old!r}, pruned_at__isnull=False).count()")
    assert begun == (point != "prune:locked")
    done = place.run(*command)
    assert done.returncode == 0 and "Deleted: " in done.stdout, done.stderr
    assert files(place) == before - of_old
    assert place.ask("Extraction.objects.filter(files_to_go__isnull=False).count()") == 0
    assert place.ask(f"Attempt.objects.filter(client__name={old!r}, erased_at=None).count()") == 0
    assert place.ask(f"Attempt.objects.filter(client__name={young!r}, result__isnull=False).count()") == 1
    assert place.ask(f"AuditEntry.objects.filter(verb='prune', reason={WHY!r}).count()") >= 1


def files(place: Place) -> set[str]:
    storage = place.home / "storage"
    return {str(path.relative_to(storage)) for path in storage.rglob("*") if path.is_file()}


def read(place: Place, client: str) -> list[str]:
    """What the names of a client's files hold, after one document of it was read."""
    run = place.run("extract", SAMPLES / "01-invoice-english.pdf", "--client", client, "--create-client")
    assert run.returncode == 0, run.stderr
    of = f"filter(client__name={client!r}).values_list"
    folders = place.ask(f"[f'client-{{pk}}/' for pk in Document.objects.{of}('client', flat=True)]")
    return folders + place.ask(f"list(map(str, Attempt.objects.{of}('pk', flat=True)))")
