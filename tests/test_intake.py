"""Taking files in: names made harmless, one sentence for each file that is no good, repeats found, nothing half-done."""

from __future__ import annotations

import errno
import io
import os
import re
import signal
import time
from pathlib import Path

import pytest
from django.db import connection

from tasks import inspector, intake, receiving
from tasks.audit import Actor
from tasks.inspector import Inspector
from tasks.models import AuditEntry, Document, Extraction, Task
from tasks.sealing import unseal
from tasks.storage import StorageError, get_storage
from tests.factories import database_now, make_agent, make_client, pdf_bytes
from tests.pdfs import HOSTILE
from tests.queue_tools import together

ACTOR = Actor.system("test")


@pytest.fixture
def world(db):
    return make_client(), make_agent()


def take(world, *files: tuple[str, bytes] | tuple[str, bytes, str], **options) -> Extraction:
    client, agent = world
    uploads = [intake.Upload(file[0], io.BytesIO(file[1]), *file[2:]) for file in files]
    return intake.take_in(ACTOR, client=client, agent=agent, uploads=uploads, **options)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("invoice.pdf", "invoice.pdf"),
        ("/etc/passwd", "passwd"),
        ("..\\..\\boot.pdf", "boot.pdf"),
        ("a/b/c.pdf/", "c.pdf"),
        ("two\nlines\x00\x1b[31m.pdf", "twolines[31m.pdf"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("Rechnung-Mu\u0308ller.pdf", "Rechnung-Müller.pdf"),
        ("🧾 receipt 👨‍👩‍👧.pdf", "🧾 receipt 👨‍👩‍👧.pdf"),
        ("", "unnamed.pdf"),
        ("..", "unnamed.pdf"),
        ("  spaces   inside  .pdf ", "spaces inside .pdf"),
        ("請求書.pdf", "請求書.pdf"),
    ],
)
def test_a_name_is_shown_without_paths_controls_or_overrides(given: str, shown: str) -> None:
    assert receiving.display_name(given) == shown


def test_a_name_of_300_characters_is_cut_and_keeps_its_extension() -> None:
    name = receiving.display_name("x" * 296 + ".pdf")
    assert len(name) == 255
    assert name.endswith("….pdf")
    assert len(receiving.display_name("y" * 300)) == 255


def test_good_files_become_tasks_and_the_others_are_refused_each_with_a_sentence(world) -> None:
    extraction = take(
        world,
        ("good.pdf", pdf_bytes(3)),
        ("empty.pdf", b""),
        ("picture.pdf", b"\x89PNG\r\n\x1a\n" + bytes(100)),
        ("cut.pdf", b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog"),
    )
    assert list(extraction.tasks.values_list("document__original_name", "document__pages")) == [
        ("good.pdf", 3)
    ]
    assert [(entry["name"], entry["code"]) for entry in extraction.refused] == [
        ("empty.pdf", "empty"), ("picture.pdf", "not_pdf"), ("cut.pdf", "corrupt"),
    ]  # fmt: skip
    assert all(entry["sentence"].endswith(".") for entry in extraction.refused)


def test_bytes_are_stored_under_client_and_digest_whatever_the_name(world) -> None:
    document = take(world, ("../../../tmp/evil.pdf", pdf_bytes())).tasks.get().document
    folder = f"documents/client-{document.client_id}/{document.sha256[:2]}"
    assert re.fullmatch(rf"{folder}/{document.sha256}-[0-9a-f]{{8}}\.pdf", document.storage_name)
    with get_storage().open(document.storage_name) as file:
        assert file.read() == pdf_bytes()


def test_a_file_over_the_size_limit_is_refused_and_the_rest_goes_on(world, settings) -> None:
    settings.UPLOAD_MAX_BYTES = 5000
    extraction = take(world, ("large.pdf", pdf_bytes() + bytes(5000)), ("small.pdf", pdf_bytes()))
    (entry,) = extraction.refused
    assert (entry["name"], entry["code"]) == ("large.pdf", "limit")
    assert "4.9" in entry["sentence"]
    assert extraction.tasks.count() == 1


def test_a_file_over_the_page_limit_is_refused_with_both_numbers(world, settings) -> None:
    settings.UPLOAD_MAX_PAGES = 4
    (entry,) = take(world, ("long.pdf", pdf_bytes(5))).refused
    assert entry["code"] == "limit"
    assert "5 pages" in entry["sentence"] and "4" in entry["sentence"]


def test_an_encrypted_file_needs_its_password_and_is_taken_with_it(world) -> None:
    locked = pdf_bytes(2, password="open sesame")
    extraction = take(world, ("locked.pdf", locked), ("wrong.pdf", pdf_bytes(3, password="other"), "guess"))
    assert {entry["code"] for entry in extraction.refused} == {"encrypted"}
    needs, wrong = (entry["sentence"] for entry in extraction.refused)
    assert "needs a password" in needs and "does not open" in wrong
    assert not extraction.tasks.exists()

    task = take(world, ("locked.pdf", locked, "open sesame")).tasks.get()
    assert task.document.pages == 2 and task.document.needs_password
    assert unseal(task.sealed_password) == "open sesame"


def test_a_password_typed_later_hands_the_kept_file_in_to_the_same_extraction(world) -> None:
    extraction = take(world, ("locked.pdf", pdf_bytes(2, password="right")), ("empty.pdf", b""))
    document = Document.objects.get()
    assert intake.unlock(ACTOR, extraction, {document.pk: "wrong"}) == ["locked.pdf"]
    assert not extraction.tasks.exists()

    assert intake.unlock(ACTOR, extraction, {document.pk: "right"}) == []
    extraction.refresh_from_db()
    task = extraction.tasks.get()
    assert (task.document.pages, unseal(task.sealed_password)) == (2, "right")
    assert [entry["code"] for entry in extraction.refused] == ["empty"]
    assert intake.unlock(ACTOR, extraction, {document.pk: "right"}) == [], "typed twice, it is handed in once"
    assert extraction.tasks.count() == 1


def test_a_password_opens_only_what_was_refused_in_this_extraction(world) -> None:
    other = take((make_client(), world[1]), ("theirs.pdf", pdf_bytes(password="right")))
    mine = take(world, ("mine.pdf", pdf_bytes(2, password="right")))
    intake.unlock(ACTOR, mine, {other.refused[0]["document_id"]: "right"})
    assert not Task.objects.exists()


def test_the_same_bytes_twice_point_to_the_first_and_run_again_only_when_told(world) -> None:
    first = take(world, ("invoice.pdf", pdf_bytes())).tasks.get()
    again = take(world, ("copy of invoice.pdf", pdf_bytes()))
    (entry,) = again.refused
    assert (entry["code"], entry["document_id"], entry["task_id"]) == (
        "duplicate",
        first.document_id,
        first.pk,
    )
    assert "invoice.pdf" in entry["sentence"]
    assert not again.tasks.exists()

    assert (
        take(world, ("invoice.pdf", pdf_bytes()), run_again=True).tasks.get().document_id == first.document_id
    )
    assert Document.objects.count() == 1


def test_the_same_bytes_twice_in_one_form_run_once(world) -> None:
    extraction = take(world, ("a.pdf", pdf_bytes()), ("b.pdf", pdf_bytes()))
    document = extraction.tasks.get().document
    (entry,) = extraction.refused
    assert (entry["name"], entry["code"], entry["document_id"]) == ("b.pdf", "duplicate", document.pk)
    assert list(get_storage().names("")) == [Document.objects.get().storage_name]


def test_a_repeat_of_what_failed_or_was_cancelled_is_read(world) -> None:
    for status in ("failed", "cancelled"):
        task = take(world, ("a.pdf", pdf_bytes())).tasks.get()
        Task.objects.filter(pk=task.pk).update(status=status, finished_at=database_now())
    assert take(world, ("a.pdf", pdf_bytes())).tasks.exists()


def test_another_client_and_another_agent_read_the_same_bytes_for_themselves(world) -> None:
    client, agent = world
    take(world, ("a.pdf", pdf_bytes()))
    assert take((make_client(), agent), ("a.pdf", pdf_bytes())).tasks.exists()
    assert take((client, make_agent()), ("a.pdf", pdf_bytes())).tasks.exists()


def test_where_every_file_is_refused_the_extraction_still_says_so(world) -> None:
    extraction = take(world, ("empty.pdf", b""))
    assert Extraction.objects.get(pk=extraction.pk).refused[0]["code"] == "empty"
    assert not extraction.tasks.exists()


def test_a_full_disk_is_one_sentence_and_nothing_half_done(world, monkeypatch) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(type(get_storage()), "put", full)
    with pytest.raises(intake.NotTaken, match=r"disk is full.*again"):
        take(world, ("a.pdf", pdf_bytes()))
    assert (
        not Document.objects.exists() and not Extraction.objects.exists() and not AuditEntry.objects.exists()
    )


def test_a_storage_that_refuses_says_why(world, monkeypatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise StorageError("The storage folder is read-only. Make it writable.")

    monkeypatch.setattr(type(get_storage()), "put", refuse)
    with pytest.raises(intake.NotTaken, match="read-only"):
        take(world, ("a.pdf", pdf_bytes()))
    assert not Extraction.objects.exists()


def test_where_nothing_is_taken_no_file_stays_but_those_of_documents(world, monkeypatch) -> None:
    known, new = ("a.pdf", pdf_bytes(title="a")), ("b.pdf", pdf_bytes(title="b"))
    kept = take(world, known).tasks.get().document.storage_name
    real, left = type(get_storage()).put, [2]

    def put(*args: object, **kwargs: object) -> object:
        left[0] -= 1
        if left[0] < 0:
            raise StorageError("The storage folder is read-only. Make it writable.")
        return real(*args, **kwargs)

    monkeypatch.setattr(type(get_storage()), "put", put)
    with pytest.raises(intake.NotTaken, match="read-only"):
        take(world, known, new, ("c.pdf", pdf_bytes(title="c")))
    assert list(get_storage().names("")) == [kept]


@pytest.mark.django_db(transaction=True)
def test_a_web_process_holds_no_connection_while_a_file_is_checked_and_stored(monkeypatch) -> None:
    """Its requests share a few of them, and a storage may take seconds."""
    world, held = (make_client(), make_agent()), []
    options = connection.settings_dict["OPTIONS"]
    for owner, name in ((receiving, "look_at"), (type(get_storage()), "put")):
        real = getattr(owner, name)
        monkeypatch.setattr(
            owner, name, lambda *args, real=real: (held.append(connection.connection is not None), real(*args))[1]
        )  # fmt: skip
    connection.close()
    monkeypatch.setitem(options, "pool", {"min_size": 1, "max_size": 1})
    try:
        assert take(world, ("a.pdf", pdf_bytes()), ("b.pdf", pdf_bytes(2))).tasks.count() == 2
    finally:
        connection.close()
        connection.close_pool()
    assert held == [False] * 4


@pytest.fixture
def opened(tmp_path: Path):
    own = Inspector()
    good = tmp_path / "good.pdf"
    good.write_bytes(pdf_bytes())
    yield own, good
    own.close()


def test_a_file_that_takes_too_long_counts_as_damaged_and_the_next_one_is_fine(opened) -> None:
    own, good = opened
    own.inspect(good)
    own.seconds_per_file = 0.1
    os.kill(own._child.pid, signal.SIGSTOP)  # or a quick one could have answered by then
    assert own.inspect(good).code == "corrupt"
    own.seconds_per_file = 10.0
    assert own.inspect(good) == inspector.Opened(pages=1)


def test_a_child_that_was_killed_is_started_again(opened) -> None:
    own, good = opened
    own.inspect(good)
    os.kill(own._child.pid, signal.SIGKILL)
    own._child.wait(10)
    assert own.inspect(good).pages == 1


def test_the_child_that_opens_files_knows_no_secret(opened, monkeypatch) -> None:
    monkeypatch.setenv("DATABASE_PASSWORD_FOR_THIS_TEST", "hunter2")
    own, good = opened
    own.inspect(good)
    assert b"hunter2" not in Path(f"/proc/{own._child.pid}/environ").read_bytes()


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_is_answered_for_in_time_and_little_memory_and_the_next_one_is_fine(
    opened, tmp_path: Path, kind: str
) -> None:
    own, good = opened
    own.inspect(good)
    path, child = tmp_path / "hostile.pdf", own._child.pid
    path.write_bytes(HOSTILE[kind]())
    began = time.monotonic()
    answer = own.inspect(path)
    assert time.monotonic() - began < 10
    if own._child is not None:  # it did not die of it
        (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{child}/status").read_text())
        assert int(peak) < 512 << 10
    else:
        assert answer.code == "corrupt"
    assert own.inspect(good).pages == 1


def test_many_threads_that_ask_at_once_get_what_one_gets(opened, tmp_path: Path) -> None:
    """PDFium bears one thread: it crashes, or gives empty pages, where two use it."""
    own, _good = opened
    files = [tmp_path / f"{number}.pdf" for number in range(20)]
    for number, path in enumerate(files):
        path.write_bytes(pdf_bytes(number % 5 + 1, **({"password": "x"} if number % 7 == 3 else {})))
    alone = [own.inspect(path) for path in files]
    assert {answer.pages for answer in alone} == {None, 1, 2, 3, 4, 5}
    child = own._child.pid
    assert together(*[lambda: [own.inspect(path) for path in files]] * 10) == [alone] * 10
    assert own._child.pid == child, "nothing crashed"
