"""Live updates reach every web process and every browser, hold no database connection, and survive what cuts them."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from http.client import HTTPResponse

import psycopg
import pytest
from django.db import connection
from django.test import AsyncClient, Client

from tests.commands import Place, free_port, processes_of, wait_until

pytestmark = pytest.mark.slow


class Stream(threading.Thread):
    """A browser's EventSource: collects the names of the events."""

    def __init__(self, url: str, cookie: str) -> None:
        super().__init__(daemon=True)
        self.events: list[tuple[str, float]] = []
        self.told: set[bytes] = set()
        self.ended = threading.Event()
        request = urllib.request.Request(url, headers={"Cookie": cookie})
        self.response: HTTPResponse = urllib.request.urlopen(request, timeout=60)

    def run(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in self.response:
                if line.startswith(b"event: "):
                    self.events.append((line[7:].strip().decode(), time.monotonic()))
                elif line.startswith(b"data: "):
                    self.told.add(line[6:].strip())
        self.ended.set()

    def count(self, name: str) -> int:
        return sum(event == name for event, _ in self.events)


@pytest.fixture(scope="module")
def site(place: Place) -> Iterator[tuple[Place, str, str]]:
    """Two web processes; (place, address, cookie of somebody who is logged in)."""
    code = (
        "from django.contrib.auth.models import User; from importlib import import_module; from django.contrib.auth import SESSION_KEY, BACKEND_SESSION_KEY, HASH_SESSION_KEY;"
        "u = User.objects.create_user('ana', password='x');"
        "s = import_module('django.contrib.sessions.backends.db').SessionStore();"
        "s[SESSION_KEY], s[BACKEND_SESSION_KEY], s[HASH_SESSION_KEY] = str(u.pk), 'django.contrib.auth.backends.ModelBackend', u.get_session_auth_hash();"
        "s.save(); print(s.session_key)"
    )
    assert place.run("migrate", "-v0").returncode == 0
    key = place.run("shell", "--no-imports", "-c", code).stdout.strip()
    port = free_port()
    process = place.begin("up", "--only", "web", "--port", port, "--workers", 2)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until(lambda: _answers(f"{address}/login/"), 60, "the pages")
        yield place, address, f"sessionid={key}"
    finally:
        process.terminate()
        process.wait(20)


def _answers(url: str) -> bool:
    try:
        return urllib.request.urlopen(url, timeout=2).status == 200
    except OSError:
        return False


def hint(place: Place) -> None:
    assert (
        place.run(
            "shell",
            "--no-imports",
            "-c",
            "from tasks import notify; notify.hint(notify.CHANGED); notify.notifier().flush()",
        ).returncode
        == 0
    )


def backends(place: Place) -> int:
    return place.ask(
        "(lambda c: (c.execute(\"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'\"), c.fetchone()[0])[1])(__import__('django.db').db.connection.cursor())"
    )


def test_a_hint_of_another_process_reaches_every_stream_of_every_web_process(site) -> None:
    place, address, cookie = site
    streams = [Stream(f"{address}/live/", cookie) for _ in range(12)]
    for stream in streams:
        stream.start()
    wait_until(lambda: all(stream.count("stream-open") for stream in streams), 20, "every stream's opening")
    time.sleep(1)  # resyncs of both relays are through
    before = [stream.count("changed") for stream in streams]
    hint(place)
    wait_until(
        lambda: all(s.count("changed") > b for s, b in zip(streams, before, strict=True)), 10, "the hint"
    )
    assert {told for stream in streams for told in stream.told} == {b"{}"}, (
        "that something changed, and not what or whose"
    )


def test_open_streams_hold_no_database_connection(site) -> None:
    """A process has a pool of eight, which whatever comes at once may fill; held by streams, it would let neither all of these open nor a page."""
    place, address, cookie = site
    streams = [Stream(f"{address}/live/", cookie) for _ in range(40)]
    for stream in streams:
        stream.start()
    wait_until(lambda: all(stream.count("stream-open") for stream in streams), 30, "every stream's opening")
    most = 2 * (8 + 1) + 2  # one listens per process; the supervisor may have one, and whoever counts
    assert most < len(streams) and backends(place) <= most
    page = urllib.request.Request(f"{address}/", headers={"Cookie": cookie})
    with urllib.request.urlopen(page, timeout=20) as answer:
        assert answer.status == 200


def sockets(place: Place) -> int:
    """How many sockets the processes of the installation have open."""
    found = 0
    for process in processes_of(place.home):
        with contextlib.suppress(OSError):
            for number in os.listdir(f"/proc/{process}/fd"):
                found += os.readlink(f"/proc/{process}/fd/{number}").startswith("socket:")
    return found


def test_browsers_that_go_away_without_a_word_leave_nothing_behind(site) -> None:
    place, address, cookie = site

    def opened() -> list[Stream]:
        return [Stream(f"{address}/live/", cookie) for _ in range(100)]

    for stream in opened():
        stream.response.close()
    before = steady(lambda: sockets(place))  # with what the first of them wakes (listening, a pool)
    streams = opened()
    assert sockets(place) >= before + 100
    for stream in streams:
        stream.response.close()
    wait_until(lambda: sockets(place) <= before + 2, 30, "the end of their streams")
    assert backends(place) <= 2 * (8 + 1) + 2


def steady(count: Callable[[], int]) -> int:
    """The number once it has stopped to change."""
    seen = [count()]

    def the_same() -> bool:
        time.sleep(0.5)
        seen.append(count())
        return len(seen) > 6 and len(set(seen[-6:])) == 1

    wait_until(the_same, 60, "an end of changes")
    return seen[-1]


def test_a_stream_survives_the_loss_of_its_listening_connection(site) -> None:
    place, address, cookie = site
    stream = Stream(f"{address}/live/", cookie)
    stream.start()
    wait_until(lambda: stream.count("stream-open"), 20, "the stream's opening")
    time.sleep(1)
    before = stream.count("resync")
    place.ask(
        "(lambda c: (c.execute(\"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'agentaudit live'\"), c.fetchone()[0])[1])(__import__('django.db').db.connection.cursor())"
    )
    wait_until(lambda: stream.count("resync") > before, 15, "listening again")


def test_nobody_listens_without_a_login(site) -> None:
    _, address, _ = site
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{address}/live/", timeout=5)
    assert refused.value.code == 403


@pytest.mark.django_db
def test_without_asgi_the_stream_says_that_polling_has_to_do(client: Client, django_user_model) -> None:
    client.force_login(django_user_model.objects.create_user("ana"))
    assert client.get("/live/").status_code == 204


@pytest.mark.django_db(transaction=True)
def test_above_its_number_of_streams_a_process_says_so(
    async_client: AsyncClient, django_user_model, monkeypatch
) -> None:
    import asyncio

    from dashboard import live

    monkeypatch.setattr(live, "open_streams", live.MOST_STREAMS)
    user = django_user_model.objects.create_user("ana")

    async def answer() -> tuple[int, str | None]:
        await async_client.aforce_login(user)
        response = await async_client.get("/live/?es-meta=junk", headers={"Last-Event-ID": "error"})
        return response.status_code, response.headers.get("Retry-After")

    assert asyncio.run(answer()) == (503, "30")


def test_a_stream_ends_by_itself() -> None:
    import asyncio

    from dashboard.live import until

    async def endless():
        while True:
            yield "x"
            await asyncio.sleep(3600)

    async def parts() -> list[str]:
        return [part async for part in until(endless(), 0.1)]

    assert asyncio.run(parts())[1:] == ["x"]


def test_beats_tell_whether_this_process_hears(monkeypatch) -> None:
    import asyncio

    from dashboard import live

    monkeypatch.setattr(live, "FIRST_BEAT_SECONDS", 0.02)
    monkeypatch.setattr(live, "BEAT_SECONDS", 0.02)

    async def endless():
        await asyncio.sleep(3600)
        yield "never"

    async def names() -> set[str]:
        return {part.split("\n")[0] async for part in live.until(endless(), 0.15)} - {""}

    monkeypatch.setattr(live.relay, "hears", True)
    assert "event: hearing" in asyncio.run(names())
    monkeypatch.setattr(live.relay, "hears", False)
    found = asyncio.run(names())
    assert "event: deaf" in found and "event: hearing" not in found
    assert live.open_streams == 0


class ForgetfulProxy:
    """Passes bytes to the database until it is told to forget the line, without closing it: as a router does."""

    def __init__(self, host: str, port: int) -> None:
        import socket

        self.target, self.passing, self.sockets = (host, port), True, []
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:

        with contextlib.suppress(OSError):
            while True:
                near, _ = self.server.accept()
                far = self._connect()
                self.sockets += [near, far]
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def _connect(self):
        """The embedded server is reached through a socket file."""
        import socket

        host, port = self.target
        if not host.startswith("/"):
            return socket.create_connection(self.target)
        far = socket.socket(socket.AF_UNIX)
        far.connect(f"{host}/.s.PGSQL.{port}")
        return far

    def _pump(self, source, sink) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if self.passing:
                    sink.sendall(data)

    def close(self) -> None:
        for one in [self.server, *self.sockets]:
            one.close()


@pytest.mark.django_db(transaction=True)
def test_a_line_that_goes_silent_is_noticed_and_replaced(monkeypatch) -> None:
    import asyncio

    from dashboard import live
    from tasks import notify

    parameters = connection.plain_parameters("live")
    proxy = ForgetfulProxy(parameters["host"], int(parameters.get("port") or 5432))
    told: list[str] = []
    there = {**parameters, "host": "127.0.0.1", "port": proxy.port, "autocommit": True}

    async def connect(_name: str, **more) -> psycopg.AsyncConnection:
        return await psycopg.AsyncConnection.connect(**there, **more)

    monkeypatch.setattr(notify, "connect_later", connect)
    monkeypatch.setattr(live, "tell", told.append)
    monkeypatch.setattr(live, "PROBE_AFTER_SECONDS", 0.3)
    monkeypatch.setattr(live, "PROBE_SECONDS", 0.3)
    monkeypatch.setattr(live, "CONNECT_SECONDS", 1)

    async def until(condition, seconds: float = 10) -> None:
        async with asyncio.timeout(seconds):
            while not condition():
                await asyncio.sleep(0.02)

    async def story() -> None:
        relay = live.Relay()
        relay.ensure()
        await until(lambda: relay.hears)
        proxy.passing = False
        await until(lambda: not relay.hears)
        assert told[-1] == "deaf"
        proxy.passing = True
        await until(lambda: relay.hears)
        assert told[-1] == "resync"
        relay._task.cancel()

    try:
        asyncio.run(story())
    finally:
        proxy.close()
