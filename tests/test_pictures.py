"""Pictures of pages when many are asked for, when their readers go away, when the program fails, and from a volume that fails."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.core.asgi import get_asgi_application
from django.test import Client as Browser
from django.urls import reverse

from agentaudit.deadlines import FewPictures
from dashboard import errors
from tasks import databricks, pictures
from tasks.models import Task
from tasks.storage import StorageError, get_storage
from tests.commands import wait_until
from tests.sheet_tools import made, picture

pytest_plugins = ["tests.fakes.fixtures", "tests.sheet_fixtures"]


def free() -> tuple[int, int, int]:
    """Turns and places that nobody has, and who is in the line."""
    return pictures._turns._value, pictures._places._value, len(pictures._line)


ALL_FREE = (pictures.AT_ONCE, pictures.AT_ONCE + pictures.AHEAD, 0)


@pytest.fixture(autouse=True)
def all_is_given_back():
    yield
    wait_until(lambda: free() == ALL_FREE, 10, "all turns and places")


@pytest.fixture
def no_turn():
    """Others have all of them."""
    for _ in range(pictures.AT_ONCE):
        pictures._turns.acquire()
    yield
    for _ in range(pictures.AT_ONCE):
        pictures._turns.release()


# The line


def test_one_who_cannot_have_a_turn_is_told_to_come_again(
    auditor: Browser, task: Task, monkeypatch, no_turn
) -> None:
    monkeypatch.setattr(pictures, "WAIT_SECONDS", 0.01)
    answer = picture(auditor, task.document, **{"Accept-Language": "de"})
    assert answer.status_code == 503 and answer.headers["Cache-Control"] == "no-store"
    assert int(answer.headers["Retry-After"]) > 0
    assert "Versuchen Sie es gleich noch einmal" in answer.content.decode()


@contextmanager
def a_copy(name: str) -> Iterator[Path]:
    yield Path(name)


@pytest.fixture
def drawing(monkeypatch) -> list[str]:
    """The names of the documents whose pages were drawn; nothing of them is stored."""
    drawn: list[str] = []
    monkeypatch.setattr(get_storage(), "local_copy", a_copy)
    monkeypatch.setattr(pictures, "_drawn", lambda path, *_: drawn.append(str(path)) or b"RIFF")
    return drawn


def test_nobody_is_drawn_before_those_who_wait_already(drawing: list[str]) -> None:
    """Who comes looks at once, and those who wait only now and then."""

    async def come() -> None:
        for _ in range(pictures.AT_ONCE + pictures.AHEAD):
            pictures._places.acquire()
        ahead = pictures.AT_ONCE + pictures.AHEAD
        waiters = [asyncio.create_task(pictures.in_turn("early.pdf", 1)) for _ in range(ahead)]
        await asyncio.sleep(2 * pictures.LOOK_SECONDS)
        pictures._places.release(pictures.AT_ONCE + pictures.AHEAD)
        await asyncio.wait([*waiters, asyncio.create_task(pictures.in_turn("late.pdf", 1))])
        assert drawing == ["early.pdf"] * ahead + ["late.pdf"]

    asyncio.run(come())


def test_a_document_that_is_long_on_its_way_keeps_no_turn_meanwhile(drawing: list[str], monkeypatch) -> None:
    """Where each download from a volume trickled, nothing was drawn for anybody."""
    arrived = threading.Event()

    @contextmanager
    def trickling(name: str) -> Iterator[Path]:
        if name == "far.pdf":
            arrived.wait(30)
        yield Path(name)

    monkeypatch.setattr(get_storage(), "local_copy", trickling)

    async def come() -> None:
        far = [asyncio.create_task(pictures.in_turn("far.pdf", 1)) for _ in range(pictures.AHEAD)]
        await asyncio.to_thread(wait_until, lambda: free()[1] == pictures.AT_ONCE, 10, "the downloads")
        assert await pictures.in_turn("near.pdf", 1) == b"RIFF" and not any(task.done() for task in far)
        arrived.set()
        assert await asyncio.gather(*far) == [b"RIFF"] * len(far)

    threads = ThreadPoolExecutor(pictures.AT_ONCE + pictures.AHEAD)
    monkeypatch.setattr(
        pictures, "sync_to_async", partial(sync_to_async, thread_sensitive=False, executor=threads)
    )
    asyncio.run(come())


# The door


async def ask(auditor: Browser, task: Task, pages: Any) -> ApplicationCommunicator:
    """Ask for a picture, as a browser does."""
    path = reverse("page_picture", args=(task.document_id, 1))
    cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in auditor.cookies.items()).encode()
    headers = [(b"host", b"localhost"), (b"cookie", cookie)]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
    browser = ApplicationCommunicator(pages, scope)
    await browser.send_input({"type": "http.request", "body": b""})
    return browser


@pytest.mark.django_db(transaction=True)
def test_one_who_comes_when_too_many_wait_is_told_at_once_and_who_leaves_makes_room(
    auditor: Browser, task: Task, no_turn
) -> None:
    """Nobody asks who he is: for hundreds of them that took all threads and connections, and pages waited behind."""
    pages = FewPictures(get_asgi_application(), most=1)

    async def come() -> None:
        waiting = await ask(auditor, task, pages)
        await asyncio.to_thread(wait_until, lambda: free()[2] == 1, 10, "its place in the line")
        refused = await (await ask(Browser(), task, pages)).receive_output(1)
        headers = dict(refused["headers"])
        assert (refused["status"], headers[b"retry-after"], free()[2]) == (503, b"5", 1)
        await waiting.send_input({"type": "http.disconnect"})
        await waiting.wait(10)
        stranger = await (await ask(Browser(), task, pages)).receive_output(10)
        assert stranger["status"] == 302

    asyncio.run(come())


@pytest.mark.django_db(transaction=True)
def test_nothing_is_drawn_for_one_who_has_gone_away_before_his_turn(
    auditor: Browser, task: Task, drawing: list[str], no_turn
) -> None:
    asyncio.run(leaves(auditor, task, lambda: free()[1] < ALL_FREE[1], pictures._turns.release))
    wait_until(lambda: free()[1] == ALL_FREE[1], 10, "the end of what was begun for him")
    pictures._turns.acquire()
    assert drawing == []


@pytest.mark.django_db(transaction=True)
def test_one_who_goes_away_keeps_his_turn_as_long_as_his_page_is_drawn(
    auditor: Browser, task: Task, monkeypatch
) -> None:
    """His program runs on: with the turn given to the next one, any number could be drawn at once."""
    go_on = threading.Event()
    monkeypatch.setattr(pictures, "_drawn", lambda *_: go_on.wait(30) and b"RIFF")

    left = []

    def end() -> None:
        left.append(free()[0])
        go_on.set()

    asyncio.run(leaves(auditor, task, lambda: free()[0] == pictures.AT_ONCE - 1, end))
    assert left == [pictures.AT_ONCE - 1]
    wait_until(lambda: free()[0] == pictures.AT_ONCE, 10, "the end of the drawing")


async def leaves(
    auditor: Browser, task: Task, then: Callable[[], bool], afterwards: Callable[[], None]
) -> None:
    """Ask for a picture, and go away as soon as this is so."""
    browser = await ask(auditor, task, get_asgi_application())
    await asyncio.to_thread(wait_until, then, 10, "its place")
    await browser.send_input({"type": "http.disconnect"})
    await asyncio.to_thread(
        wait_until, lambda: free()[2] == 0, pictures.WAIT_SECONDS / 2, "room for the next one"
    )
    afterwards()
    await browser.wait(10)


# The program


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "could not be drawn"),
        ("import time; time.sleep(60)", "too long"),
    ],
)
def test_a_program_that_crashes_or_hangs_takes_nothing_with_it(
    auditor: Browser, task: Task, monkeypatch, program: str, sentence: str
) -> None:
    real = subprocess.run
    monkeypatch.setattr(pictures, "MOST_SECONDS", 1.0)
    monkeypatch.setattr(
        subprocess, "run", lambda command, **options: real([sys.executable, "-c", program], **options)
    )
    answer = picture(auditor, task.document)
    assert answer.status_code == 404 and sentence in answer.content.decode()


def test_a_server_without_room_for_the_program_says_so(auditor: Browser, task: Task, monkeypatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "run", full)
    answer = picture(auditor, task.document)
    assert answer.status_code == 503 and b"temporarily unavailable" in answer.content


def test_what_is_drawn_otherwise_has_another_tag(auditor: Browser, task: Task, monkeypatch) -> None:
    """Browsers ask with the tag of what they have: it would hold for ever, whatever the program draws now."""
    have = picture(auditor, task.document).headers["ETag"]
    monkeypatch.setattr(pictures, "DRAWING", pictures.DRAWING + 1)
    again = picture(auditor, task.document, **{"If-None-Match": have})
    assert again.status_code == 200 and again.headers["ETag"] != have


# The storage


def test_a_storage_that_is_away_is_not_said_to_have_lost_the_document(
    auditor: Browser, task: Task, monkeypatch
) -> None:
    def away(*_: Any) -> None:
        raise StorageError("“x” could not be read in /Volumes/a/b/c: no answer in time. Try again later.")

    for name in ("open", "local_copy"):
        monkeypatch.setattr(get_storage(), name, away)
    auditor.raise_request_exception = False
    shown = picture(auditor, task.document)
    assert shown.status_code == 503 and shown.content.decode() == str(errors.STORAGE_IS_AWAY)
    for address in (
        reverse("document_file", args=(task.document_id,)),
        reverse("attempt_log", args=(task.pk, task.result_attempt)),
    ):
        answer = auditor.get(address)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "10")
        assert str(errors.STORAGE_IS_AWAY) in answer.content.decode()
    page = auditor.get(reverse("task", args=(task.pk,))).content.decode()
    assert str(errors.STORAGE_IS_AWAY) in page and "It has printed nothing." not in page


@pytest.fixture
def on_volume(db, on_databricks, monkeypatch, tmp_path: Path):
    """The workspace, asked with little patience. No copy of a document may stay."""
    copies = tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(copies))
    monkeypatch.setattr(databricks, "PATIENT", (1.0, 1))
    databricks.forget()
    yield on_databricks
    assert not list(copies.iterdir())


@pytest.mark.slow
def test_a_page_of_a_document_on_a_volume_is_drawn(on_volume, task: Task, auditor) -> None:
    assert picture(auditor, task.document).content.startswith(b"RIFF")
    assert picture(auditor, made(b"%PDF-1.7 nothing of the kind").document).status_code == 404


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "more", "status"),
    [("404", {"code": "NOT_FOUND"}, 404), ("403", {"code": "PERMISSION_DENIED"}, 503), ("500", {}, 503), ("cut", {}, 503), ("drop", {}, 503), ("delay", {"seconds": 3.0}, 503)],
)  # fmt: skip
def test_a_volume_that_fails_is_told_in_words(
    on_volume, task: Task, auditor, monkeypatch, kind: str, more: dict[str, Any], status: int
) -> None:
    monkeypatch.setenv("DATABRICKS_DISABLE_EXPERIMENTAL_FILES_API_CLIENT", "true")
    databricks.forget()
    fault = on_volume.fault(kind, "/fs/files/", method="GET", **more)
    answer = picture(auditor, task.document)
    assert answer.status_code == status, answer.content
    if status == 503:
        assert answer.content.decode() == str(errors.STORAGE_IS_AWAY)
    on_volume.faults.remove(fault)
    assert picture(auditor, task.document).status_code == 200
