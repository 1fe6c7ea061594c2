"""No request outlasts REQUEST_SECONDS, and whoever is cut off is told so: by a page, by JSON, or by a download that breaks."""

from __future__ import annotations

import asyncio
import http.client
import io
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import RequestFactory

from agentaudit.deadlines import Bounded, CutOff, Pages, Patient
from dashboard import errors
from tests.commands import ROOT, free_port, wait_until

LIMIT, LEAST = 0.2, 1000.0


def scope(path: str = "/costs/", method: str = "GET", **headers: str) -> dict[str, Any]:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "method": method, "path": path, "headers": pairs, "query_string": b""}


async def silent(_scope: Any, receive: Callable, _send: Callable) -> None:
    """Reads its request, and then has nothing to say until its browser is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def answer(
    pages: Callable, asked: dict[str, Any], part: dict[str, Any] | None = None, seconds: float = 3.0
) -> tuple[int, bytes, float]:
    """Status, body and seconds of the answer to a request of which this part has come. Fails without an answer within `seconds`."""
    browser, began = (
        ApplicationCommunicator(Bounded(pages, LIMIT, {"/live/", "/upload/"}), asked),
        time.monotonic(),
    )
    await browser.send_input({"type": "http.request", "body": b"", **(part or {})})
    start = await browser.receive_output(timeout=seconds)
    body = (await browser.receive_output(timeout=15))["body"]
    await browser.wait(timeout=15)
    return start["status"], body, time.monotonic() - began


def test_a_request_without_an_answer_gets_a_page_that_says_what_to_do():
    status, body, seconds = asyncio.run(answer(silent, scope()))
    assert status == 503 and LIMIT <= seconds < 2
    assert b"longer than a page may take" in body and b"Nothing was changed" in body


def test_what_may_have_been_done_is_not_called_undone_and_programs_get_json_and_germans_german():
    status, body, _ = asyncio.run(answer(silent, scope(method="POST", accept="application/json")))
    sentence = json.loads(body)["errors"]["__all__"][0]["message"]
    assert status == 503 and "may have been done" in sentence and "Nothing was changed" not in sentence
    _, body, _ = asyncio.run(answer(silent, scope(accept_language="de")))
    assert "dauert zu lange" in body.decode()


def test_whoever_was_known_when_the_line_was_cut_has_the_way_back():
    async def known(_scope: Any, receive: Callable, send: Callable) -> None:
        request, _ = Pages().create_request(_scope, io.BytesIO())
        request._cached_user = User(username="ann", is_superuser=True)
        await silent(_scope, receive, send)

    _, body, _ = asyncio.run(answer(known, scope()))
    assert b'<nav class="nav"' in body and b"Signed in as ann" in body
    _, body, _ = asyncio.run(answer(silent, scope()))
    assert b'<nav class="nav"' not in body


def test_an_answer_in_time_is_left_alone():
    async def quick(_scope: Any, receive: Callable, send: Callable) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"here"})

    assert asyncio.run(answer(quick, scope()))[:2] == (200, b"here")


@pytest.mark.parametrize(
    ("path", "part"), [("/live/", {}), ("/upload/", {}), ("/upload/12/", {}), ("/costs/", {"more_body": True})],
    ids=["a stream", "an upload", "one file of an upload", "a body on its way"],
)  # fmt: skip
def test_streams_and_uploads_are_not_bounded_and_neither_is_what_a_body_takes_to_arrive(path, part):
    with pytest.raises((TimeoutError, asyncio.CancelledError)):
        asyncio.run(answer(silent, scope(path), part, seconds=3 * LIMIT))


def test_a_download_that_has_begun_is_broken_off_and_its_view_is_told():
    told = asyncio.Event()

    async def endless(_scope: Any, receive: Callable, send: Callable) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        assert (await receive())["type"] == "http.disconnect"
        await send({"type": "http.response.body", "body": b"too late"})
        told.set()

    async def browse() -> dict[str, Any]:
        browser = ApplicationCommunicator(Bounded(endless, LIMIT, ()), scope())
        await browser.send_input({"type": "http.request", "body": b""})
        first = await browser.receive_output(timeout=15)
        with pytest.raises(CutOff):
            await browser.wait(timeout=15)
        await asyncio.wait_for(told.wait(), 3)
        assert browser.output_queue.empty(), "nothing more is sent"
        return first

    assert asyncio.run(browse())["status"] == 200


@pytest.mark.parametrize("path", ["/costs/", "/upload/"])
def test_a_body_that_has_stopped_to_arrive_is_given_up(path):
    async def browse() -> tuple[int, float]:
        pages = Patient(Bounded(reading, 10 * LIMIT, {"/upload/"}), LIMIT, LEAST)
        browser, began = ApplicationCommunicator(pages, scope(path, "POST")), time.monotonic()
        await browser.send_input({"type": "http.request", "body": b"half", "more_body": True})
        start = await browser.receive_output(timeout=3)
        said = (await browser.receive_output(timeout=3))["body"]
        await browser.wait(timeout=3)
        assert b"stopped to arrive" in said
        return start["status"], time.monotonic() - began

    status, seconds = asyncio.run(browse())
    assert status == 408 and LIMIT <= seconds < 2


def test_a_body_that_trickles_is_given_up_though_it_never_stops():
    """By a byte now and then a connection would be held for as many seconds as bytes were said to come."""

    async def browse() -> tuple[int, float]:
        pages = Patient(reading, LIMIT, LEAST)
        browser, began = ApplicationCommunicator(pages, scope("/upload/", "POST")), time.monotonic()
        body = b"p" * int(LIMIT * LEAST)
        while browser.output_queue.empty() and time.monotonic() < began + 20 * LIMIT:
            await browser.send_input({"type": "http.request", "body": body, "more_body": True})
            body = b"p"
            await asyncio.sleep(LIMIT / 4)
        assert not browser.output_queue.empty(), "it went on trickling"
        start = await browser.receive_output()
        return start["status"], time.monotonic() - began

    status, seconds = asyncio.run(browse())
    assert status == 408 and seconds >= 1.9 * LIMIT, "what came at once is good for a while"


def test_a_body_that_goes_on_arriving_may_take_as_long_as_it_takes_and_a_stream_stays_open():
    async def browse() -> dict[str, Any]:
        browser = ApplicationCommunicator(Patient(reading, LIMIT, LEAST), scope("/upload/", "POST"))
        body = b"p" * int(LIMIT * LEAST)
        for part in range(6):
            await browser.send_input({"type": "http.request", "body": body, "more_body": part < 5})
            await asyncio.sleep(0.6 * LIMIT)
        start = await browser.receive_output(timeout=3)
        with pytest.raises((TimeoutError, asyncio.CancelledError)):
            await browser.receive_output(timeout=3 * LIMIT)
        return start

    assert asyncio.run(browse())["status"] == 200


async def reading(_scope: Any, receive: Callable, send: Callable) -> None:
    """Begins its answer when the whole body is there, and ends it with the browser. As Django, it is silent where the body breaks off."""
    while (message := await receive()).get("more_body"):
        pass
    if message["type"] != "http.disconnect":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await receive()
        await send({"type": "http.response.body", "body": b""})


@pytest.mark.django_db
@pytest.mark.parametrize("through_django", [True, False])
def test_a_statement_that_is_stopped_is_said_to_have_taken_too_long(rf: RequestFactory, through_django):
    try:
        with transaction.atomic():
            cursor = connection.cursor() if through_django else connection.connection.cursor()
            cursor.execute("SET LOCAL statement_timeout = '50ms'; SELECT pg_sleep(5)")
    except Exception:  # as Django hands it to the page of errors
        page = errors.failed(rf.get("/costs/"))
    assert page.status_code == 503 and page.headers["Retry-After"]
    assert b"longer than a page may take" in page.content


# A real server


@pytest.fixture
def slow_server(place):
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "-c",
        "python:agentaudit.gunicorn",
        "tests.standin.slow_pages:application()",
    ]
    process = subprocess.Popen(
        command, cwd=ROOT, env=place.environment | {"PORT": str(port), "WEB_WORKERS": "1", "DEBUG": "1"}
    )
    yield port
    process.terminate()
    process.wait(15)


def get(port: int, path: str) -> http.client.HTTPResponse | None:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        line.request("GET", path)
        return line.getresponse()
    except ConnectionRefusedError:
        return None


@pytest.mark.slow
def test_behind_gunicorn_a_silent_page_answers_and_a_download_is_seen_to_be_broken(slow_server):
    response = wait_until(lambda: get(slow_server, "/silent/"), 60, "the server")
    assert response.status == 503 and b"longer than a page may take" in response.read()
    response = get(slow_server, "/endless/")
    assert response.status == 200
    with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
        response.read()


@pytest.mark.slow
@pytest.mark.parametrize(
    "head", [b"Content-Length: 100\r\n\r\n", b"Content-Length: 100\r\n\r\nabc", b"Transfer-Encoding: chunked\r\n\r\n"]
)  # fmt: skip
def test_behind_gunicorn_a_body_that_never_comes_does_not_keep_its_connection(slow_server, head):
    wait_until(lambda: get(slow_server, "/silent/"), 60, "the server")
    with socket.create_connection(("127.0.0.1", slow_server), timeout=20) as line:
        line.sendall(b"POST /silent/ HTTP/1.1\r\nHost: localhost\r\n" + head)
        said = b"".join(iter(lambda: line.recv(4096), b""))
    assert said.startswith(b"HTTP/1.1 408 ") and b"stopped to arrive" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "expected"),
    [({}, None), ({"DATABRICKS_APP_NAME": "audit"}, "49500ms"), ({"REQUEST_SECONDS": "10"}, "9000ms")],
)
def test_on_databricks_apps_statements_end_before_their_request_does(environment, expected):
    code = "import agentaudit.asgi as a, agentaudit.gunicorn as g; assert a.SILENCE_SECONDS < g.timeout; print(type(a.pages.pages.pages).__name__, a.options.get('options'))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | environment,
        text=True,
        capture_output=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    if expected:
        assert run.stdout.split(maxsplit=1) == ["Bounded", f"-c statement_timeout={expected}\n"]
    else:
        assert "Bounded" not in run.stdout and "statement_timeout" not in run.stdout
