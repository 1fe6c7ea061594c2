"""An installation that nobody uses leaves its database alone, and is there again when it is needed."""

from __future__ import annotations

import asyncio
import os
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from asgiref.sync import sync_to_async
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import connection
from django.urls import reverse

from agentaudit import environment
from dashboard import live
from tasks import idleness, notify
from tasks.clock import NOW
from tasks.models import Attempt, Client, ExtractionWatch, Notice, Task
from tasks.models import Worker as WorkerRow
from tests.commands import SAMPLES, free_port, kill_hard, processes_of, wait_until
from tests.database import superuser
from tests.factories import (
    database_now,
    make_agent,
    make_attempt,
    make_client,
    make_extraction,
    make_task,
    make_user,
)
from tests.process_tools import begin_worker, django_at

SLEEP = "3"
PATIENT = {"LEASE_SECONDS": "900"}
"""A worker that sleeps counts as alive for so long, however slow the machine: no command begins one of its own."""


@pytest.fixture
def sign(settings, tmp_path, monkeypatch) -> Path:
    """The sign of a machine of its own, whose processes sleep after a minute."""
    settings.AGENTAUDIT_HOME, settings.IDLE_SLEEP_SECONDS = tmp_path, 60
    for name, value in (
        ("_told_at", float("-inf")),
        ("_slept_on", None),
        ("_look_at", 0.0),
        ("_is_kept_awake", False),
    ):
        monkeypatch.setattr(idleness, name, value)
    monkeypatch.setattr(
        idleness, "connections", SimpleNamespace(close_all=lambda: None)
    )  # a test's transaction lives in it
    return tmp_path / "database-needed"


def old(sign: Path, seconds: float = 61) -> None:
    """Nobody has needed the database for so long."""
    sign.touch()
    os.utime(sign, (time.time() - seconds,) * 2)


@pytest.mark.django_db
def test_nobody_sleeps_before_the_time_has_gone_by(sign):
    assert not idleness.may_sleep() and sign.exists(), "it begins with the first question"
    old(sign, 50)
    assert not idleness.may_sleep()
    old(sign)
    assert idleness.may_sleep() and idleness.asleep()


@pytest.mark.django_db
def test_nobody_sleeps_where_the_setting_says_nothing(sign, settings):
    settings.IDLE_SLEEP_SECONDS = 0
    old(sign, 1e6)
    idleness.needed()
    assert not idleness.may_sleep() and time.time() - sign.stat().st_mtime > 1e5


@pytest.mark.django_db
def test_work_keeps_it_awake_and_so_does_a_run_whose_end_is_not_known_and_a_message_that_is_owed(sign):
    extraction = make_extraction(make_client(), make_agent())
    task = make_task(extraction)
    old(sign)
    assert not idleness.may_sleep()
    assert time.time() - sign.stat().st_mtime < 5, "and the others of this machine with it"
    Task.objects.filter(pk=task.pk).update(status="cancelled", finished_at=database_now())
    attempt = make_attempt(task)
    old(sign)
    assert not idleness.may_sleep()
    Attempt.objects.filter(pk=attempt.pk).update(status="cancelled", finished_at=NOW, ended_at=NOW)
    Notice.objects.create(channel="webhook", event="alert.fired", subject="s", text="t")
    old(sign)
    assert not idleness.may_sleep()
    Notice.objects.update(sent_at=NOW)
    old(sign)
    assert idleness.may_sleep()


@pytest.mark.django_db
def test_whoever_waits_for_an_extraction_is_written_to_before_it_sleeps(sign):
    extraction = make_extraction(make_client(), make_agent())
    watch = ExtractionWatch.objects.create(extraction=extraction, user=make_user("alice"))
    old(sign)
    assert idleness.may_sleep(), "of files that were all refused nothing will end"
    task = make_task(extraction)
    Task.objects.filter(pk=task.pk).update(status="cancelled", finished_at=database_now())
    idleness._slept_on = None
    old(sign)
    assert not idleness.may_sleep()
    watch.delete()
    old(sign)
    assert idleness.may_sleep()


@pytest.mark.django_db
def test_a_deletion_that_is_not_through_keeps_it_awake(sign):
    client = make_client()
    Client.objects.filter(pk=client.pk).update(deletion_began_at=NOW, is_paused=True)
    old(sign)
    assert not idleness.may_sleep()
    Client.objects.filter(pk=client.pk).update(deleted_at=NOW)
    old(sign)
    assert idleness.may_sleep()


@pytest.mark.django_db
def test_whoever_needs_it_wakes_the_others(sign):
    old(sign)
    assert idleness.may_sleep()
    sign.touch()  # by another process
    assert not idleness.asleep() and not idleness.may_sleep()


@pytest.mark.django_db
def test_who_sleeps_after_less_than_a_second_is_woken_too(sign, settings):
    settings.IDLE_SLEEP_SECONDS = 0.2
    idleness.needed()
    wait_until(idleness.may_sleep, 10, "sleep")
    idleness.needed()
    assert not idleness.asleep()


@pytest.mark.django_db
def test_a_slow_look_finds_what_another_machine_has_handed_in(sign, settings, monkeypatch):
    settings.IDLE_POLL_SECONDS = 100
    old(sign)
    assert idleness.may_sleep()
    make_task(make_extraction(make_client(), make_agent()))
    assert idleness.may_sleep(), "it is not asked again so soon"
    monkeypatch.setattr(idleness, "_look_at", time.monotonic())
    assert not idleness.may_sleep()


@pytest.mark.django_db
def test_a_change_of_state_a_request_and_a_command_need_the_database_and_a_probe_does_not(sign, client):
    old(sign)
    client.get(reverse("healthz"))
    client.get(reverse("readyz"))
    assert time.time() - sign.stat().st_mtime > 60
    assert idleness.may_sleep()
    with connection.execute_wrapper(lambda *_: pytest.fail("the database was asked")):
        assert client.get(reverse("readyz")).json() == {"database": "asleep"}
    client.get(reverse("login"))
    assert time.time() - sign.stat().st_mtime < 5
    for begin in (lambda: notify.hint(notify.WORK), lambda: call_command("why", "1")):
        old(sign)
        idleness._told_at = float("-inf")
        with suppress(CommandError):
            begin()
        assert time.time() - sign.stat().st_mtime < 5


@pytest.mark.django_db
def test_an_open_page_keeps_it_awake(sign, monkeypatch):
    monkeypatch.setattr(live, "FIRST_BEAT_SECONDS", 0.01)
    old(sign)

    async def nothing() -> AsyncIterator[str]:
        await asyncio.sleep(60)
        yield ""

    async def watch() -> list[str]:
        return [said async for said in live.until(nothing(), 0.1)]

    assert any("deaf" in said for said in asyncio.run(watch()))
    assert time.time() - sign.stat().st_mtime < 5


@pytest.mark.django_db(transaction=True)
def test_who_listens_for_open_pages_hangs_up_when_there_are_none(sign, monkeypatch):
    monkeypatch.setattr(live, "PROBE_AFTER_SECONDS", 0.2)
    relay = live.Relay()

    async def listen() -> None:
        listening = asyncio.create_task(relay._run())
        while not relay.hears:
            await asyncio.sleep(0.01)
        old(sign)
        assert await sync_to_async(idleness.may_sleep)()
        await listening

    asyncio.run(asyncio.wait_for(listen(), 20))
    assert not relay.hears


@pytest.mark.django_db
def test_a_sign_of_another_user_is_replaced(sign, monkeypatch):
    old(sign)
    touch, theirs = Path.touch, sign.stat().st_ino

    def mine(path: Path) -> None:
        if path.exists() and path.stat().st_ino == theirs:
            raise PermissionError(13, "Permission denied")
        touch(path)

    monkeypatch.setattr(Path, "touch", mine)
    (sign.parent / "holds the number of the old file").hardlink_to(sign)
    idleness.needed()
    assert time.time() - sign.stat().st_mtime < 5


@pytest.mark.django_db
def test_nobody_sleeps_behind_a_sign_that_nobody_could_set_again(sign, monkeypatch, caplog):
    def no(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    old(sign)
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(Path, "touch", no)
    monkeypatch.setattr(Path, "unlink", no)
    for _ in range(3):
        monkeypatch.setattr(idleness, "_told_at", float("-inf"))
        assert not idleness.may_sleep()
    assert caplog.text.count("is not let to sleep") == 1


@pytest.mark.django_db
def test_a_clock_that_was_put_back_keeps_it_awake_no_longer_than_any_use(sign):
    old(sign, -86400)
    assert not idleness.may_sleep()
    assert abs(time.time() - sign.stat().st_mtime) < 5


@pytest.mark.django_db
def test_where_the_sign_cannot_be_written_nobody_sleeps(sign, settings, caplog):
    settings.AGENTAUDIT_HOME = sign / "is no folder"
    sign.touch()
    assert not idleness.may_sleep() and "is not let to sleep" in caplog.text


def test_the_settings_are_numbers(monkeypatch):
    monkeypatch.setenv("IDLE_SLEEP_SECONDS", "-1")
    with pytest.raises(
        ImproperlyConfigured, match="IDLE_SLEEP_SECONDS is -1, but it has to be a number of at least 0"
    ):
        environment.number("IDLE_SLEEP_SECONDS", 0, low=0)


# Real processes


@pytest.fixture
def migrated(place, db) -> Iterator[None]:
    run = place.run("migrate", "--verbosity", "0")
    assert run.returncode == 0, run.stderr
    yield
    wait_until(lambda: not processes_of(place.home), what="the end of every process")


def connected(place) -> list[str]:
    """Who is connected to the place's database, by the names that connections have."""
    with django_at(place):
        name = connection.settings_dict["NAME"]
        with superuser("postgres") as server:
            asked = "SELECT application_name FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'"
            return [row[0] for row in server.execute(asked, [name])]


def last_worker(place) -> WorkerRow:
    """Who ran the last attempt: the worker that slept, and not one that a command began because it heard of none."""
    with django_at(place):
        return WorkerRow.objects.get(pk=Attempt.objects.latest("claimed_at").worker)


def traced(place) -> bool:
    with django_at(place):
        return Attempt.objects.exclude(trace_state="").exists()


def said(port: int, path: str) -> str:
    """The page of this path; nothing where it cannot be had."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=20) as response:
            return response.read().decode()
    except OSError:
        return ""


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_an_idle_up_has_no_connection_and_a_document_or_a_visitor_wakes_it(place, migrated):
    port = free_port()
    variables = {
        "IDLE_SLEEP_SECONDS": SLEEP,
        "IDLE_POLL_SECONDS": "3600",
        "WEB_WORKERS": "1",
        "TRACING": "1",
        **PATIENT,
    }
    process = place.begin("up", "--port", port, **variables)
    try:
        wait_until(lambda: said(port, "login/"), 60, "the start of the pages")
        wait_until(lambda: "agentaudit listen" in connected(place), 60, "the worker")
        wait_until(lambda: "asleep" in said(port, "readyz"), 60, "the sleep of the pages")
        wait_until(lambda: not connected(place), 60, "the last goodbye")
        run = place.run("extract", SAMPLES / "01-invoice-english.pdf", **variables)
        assert run.returncode == 0, run.stdout + run.stderr
        assert last_worker(place).pid in processes_of(place.home)
        wait_until(lambda: traced(place), 60, "the trace, and with it the process that writes it")
        wait_until(lambda: not connected(place), 60, "sleep after work")
        stop = time.monotonic() + 2 * float(SLEEP) + 2
        assert said(port, "login/")
        wait_until(lambda: "agentaudit listen" in connected(place), 5, "the worker that a visitor wakes")
        while time.monotonic() < stop:
            assert said(port, "login/") and connected(place)
    finally:
        kill_hard(process)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_worker_of_another_machine_finds_work_at_its_slow_look(place, migrated, tmp_path):
    elsewhere = {"AGENTAUDIT_HOME": str(tmp_path)} if "DATABASE_URL" in place.environment else {}
    if not elsewhere:
        pytest.skip("the embedded server belongs to one home")
    with django_at(place):
        worker = begin_worker(
            place, IDLE_SLEEP_SECONDS="1", IDLE_POLL_SECONDS="4", LEASE_SECONDS="3", **elsewhere
        )
    try:
        wait_until(lambda: not connected(place), 30, "sleep")
        run = place.run("extract", SAMPLES / "05-receipt.pdf", **PATIENT)
        assert run.returncode == 0, run.stdout + run.stderr
        assert last_worker(place).pid == worker.pid
    finally:
        worker.kill()
        worker.wait()
