"""Requests to addresses outside end in time, and `doctor` tells from one of them whether callbacks come in."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from tasks import databricks, outward
from tasks.management.checkups import Level, callback
from tests.commands import free_port

SECONDS = 0.5


@contextmanager
def server(answer: bytes, pause: float = 0.0) -> Iterator[tuple[str, list[bytes]]]:
    """Address of one that sends these bytes, and what it was asked. pause: seconds before each byte."""
    asked: list[bytes] = []

    def serve() -> None:
        while True:
            try:
                line, _ = listener.accept()
            except OSError:
                return
            with line, suppress(OSError):
                asked.append(line.recv(65_536))
                for byte in answer if pause else ():
                    time.sleep(pause)
                    line.sendall(bytes([byte]))
                line.sendall(b"" if pause else answer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", asked
        listener.shutdown(socket.SHUT_RDWR)


def http(status: str, *headers: str, body: str = "") -> bytes:
    lines = (f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "Connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


@pytest.mark.parametrize(
    "answer", [http("200 OK", body="x" * 1000), b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000]
)
def test_one_that_drips_a_byte_at_a_time_is_left_after_the_whole_time(answer):
    with server(answer, pause=0.05) as (address, _):
        began = time.monotonic()
        with pytest.raises(outward.Unanswered, match="no answer within"):
            outward.ask("POST", address, seconds=SECONDS, body=b"{}")
        assert time.monotonic() - began < 3


def test_an_answer_comes_back_with_its_beginning_and_no_redirect_is_followed_and_no_address_is_logged(caplog):
    with server(http("302 Found", "Location: http://127.0.0.1:1/", body="z" * 9000)) as (address, asked):
        said = outward.ask("POST", address, seconds=5, headers={"X-Ours": "1"}, body=b"{}")
    assert (said.status, said.headers["location"], len(said.body)) == (
        302,
        "http://127.0.0.1:1/",
        outward.MOST_BYTES,
    )
    assert len(asked) == 1 and b"x-ours: 1" in asked[0].lower()
    assert address not in caplog.text, "an address may hold a secret"


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("http://127.0.0.1:1/secret", "the connection is refused"),
        ("http://nowhere.invalid/secret", "its name is not known"),
    ],
)
def test_who_cannot_be_reached_is_told_without_the_address(address, why):
    with pytest.raises(outward.Unanswered) as told:
        outward.ask("GET", address, seconds=20)
    assert str(told.value) == why


def test_a_certificate_that_is_none_is_told():
    with server(http("200 OK")) as (address, _), pytest.raises(outward.Unanswered, match="certificate"):
        outward.ask("GET", address.replace("http:", "https:"), seconds=5)


# What doctor says about the address of callbacks


def found(settings, answer: bytes, pause: float = 0.0):
    with server(answer, pause) as (settings.PUBLIC_URL, asked):
        finding = callback.look({})
    assert asked[0].startswith(b"GET /webhooks/attempts/00000000-0000-0000-0000-000000000000/ ")
    return finding


@pytest.mark.django_db
def test_our_own_pages_are_told_apart_from_all_others(settings, live_server):
    settings.PUBLIC_URL = live_server.url
    finding = callback.look({})
    assert finding.level is Level.OK and "takes callbacks" in finding.sentence


@pytest.mark.parametrize(
    ("answer", "sentence", "advice"),
    [
        (http("302 Found", "Location: https://login.example.com/oidc?x=y"), "A login page answers .* sent on to login.example.com", "CAN USE"),
        (http("302 Found", "Location: /.auth/login"), "A login page answers", "CAN USE"),
        (http("401 Unauthorized"), "only with a login", "CAN USE"),
        (http("200 OK", body="<title>Welcome to nginx</title>"), "Something else than our pages", "PUBLIC_URL"),
        (http("404 Not Found"), "Something else than our pages", "PUBLIC_URL"),
        (http("400 Bad Request"), "refuses requests that come by that name", "ALLOWED_HOSTS"),
        (http("502 Bad Gateway"), "does not reach the pages", "Start the pages"),
        (b"", "cannot be reached from here: the line was cut off", "PUBLIC_URL"),
    ],
)  # fmt: skip
def test_whatever_else_answers_is_named_with_what_to_do(settings, answer, sentence, advice):
    finding = found(settings, answer)
    assert finding.level is Level.HINT and advice in finding.advice
    assert re.search(sentence, finding.sentence), finding.sentence
    assert "up to a minute late" in finding.sentence


def test_a_plain_address_that_is_sent_on_to_https_is_told_so(settings):
    finding = found(settings, http("301 Moved", "Location: https://127.0.0.1/webhooks/"))
    assert "sends callbacks on to https" in finding.sentence and "https://" in finding.advice


def test_nobody_there_and_one_that_says_nothing_are_unreachable(settings, monkeypatch):
    settings.PUBLIC_URL = f"http://127.0.0.1:{free_port()}"
    assert "cannot be reached from here: the connection is refused" in callback.look({}).sentence
    monkeypatch.setattr(callback, "ANSWER_SECONDS", SECONDS)
    assert (
        "cannot be reached from here: no answer within 0.5 s" in found(settings, b"never", pause=0.4).sentence
    )


def test_an_address_of_this_machine_is_not_asked_and_an_app_gets_a_login_which_nobody_else_does(
    settings, monkeypatch
):
    given = []
    monkeypatch.setattr(callback, "look", lambda headers: given.append(headers) or "asked")
    monkeypatch.setattr(databricks, "asked", lambda _call, quick: {"Authorization": "Bearer t"})
    for address in (
        "http://localhost:8000",
        "https://audit.example.com",
        "https://audit-1.aws.databricksapps.com",
    ):
        settings.PUBLIC_URL = address
        list(callback.arrive())
    assert given == [{}, {"Authorization": "Bearer t"}]


def test_an_app_without_a_login_is_not_called_unreachable(settings, monkeypatch):
    def refused(*_args, **_more):
        raise databricks.NotConfigured("no login")

    settings.PUBLIC_URL = "https://audit-1.aws.databricksapps.com"
    monkeypatch.setattr(databricks, "asked", refused)
    [finding] = callback.arrive()
    assert finding.level is Level.HINT and "not known: no login" in finding.sentence
