"""A database password that changes every five seconds, under load: no request fails, with and without a pool, and hints come through."""

from __future__ import annotations

import asyncio
import itertools
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from agentaudit.postgres import lakebase
from agentaudit.postgres.base import DatabaseWrapper
from dashboard import live
from tasks import notify
from tests.fakes.databricks import Workspace
from tests.fakes.lakebase import ENDPOINT, Lakebase, RotatingPassword
from tests.lakebase_load import Load, requester
from tests.lakebase_tools import Postgres, described, own_postgres

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

SECONDS, ROTATE_SECONDS, KILL_SECONDS, DEAF_SECONDS = 60.0, 5.0, 3.0, 8.0
POOL = {"min_size": 1, "max_size": 3, "timeout": 10, "max_lifetime": 2}
"""Connections that are replaced all the time, as they are over hours."""


class Ears:
    """When hints were heard; `longest_silence` counts from the first one to now."""

    def __init__(self) -> None:
        self.at: list[float] = []

    def heard(self, *_: object) -> None:
        self.at.append(time.monotonic())

    def longest_silence(self) -> float:
        times = [*self.at, time.monotonic()]
        return max(later - earlier for earlier, later in itertools.pairwise(times))


@contextmanager
def hints(ears: Ears) -> Iterator[None]:
    """A process's sender of hints, and a worker's listener."""
    sender, listener = notify.Notifier(), notify.Listener(notify.WORK, ears.heard)
    sender.start()
    listener.start()
    ending = threading.Event()

    def hinting() -> None:
        while not ending.wait(0.2):
            sender.hint(notify.WORK)
            sender.hint(notify.CHANGED)

    thread = threading.Thread(target=hinting)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()
        sender.end()
        listener.end()


@contextmanager
def relay() -> Iterator[None]:
    """A web process's listener, on a loop of its own."""
    ending = threading.Event()

    async def life() -> None:
        live.Relay().ensure()
        while not ending.is_set():
            await asyncio.sleep(0.1)

    thread = threading.Thread(target=asyncio.run, args=(life(),))
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()


def cut_listeners(db: psycopg.Connection) -> None:
    """As an endpoint that goes to sleep does; they have to log in anew."""
    db.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'agentaudit %'"
    )


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with own_postgres() as running:
        yield running


def test_no_request_fails_and_every_listener_comes_back(
    postgres, tmp_path: Path, monkeypatch, caplog, django_db_blocker
):
    wrapper = DatabaseWrapper(described(endpoint=ENDPOINT, pool=POOL), "rotating pool")
    at_work, at_pages = Ears(), Ears()
    monkeypatch.setattr(notify, "django_connection", wrapper)
    monkeypatch.setattr(live, "tell", at_pages.heard)
    caplog.set_level(logging.WARNING)
    with (
        django_db_blocker.unblock(),
        Workspace(tmp_path) as workspace,
        RotatingPassword(postgres.set_password, ROTATE_SECONDS) as rotating,
    ):
        for name, value in workspace.environment.items():
            monkeypatch.setenv(name, value)
        cloud = Lakebase(workspace, host=postgres.host, login=rotating.now)
        plain, pooled = (
            Load(requester("rotating plain", described(endpoint=ENDPOINT))),
            Load(requester("rotating pool", described(endpoint=ENDPOINT, pool=POOL))),
        )
        with hints(at_work), relay(), plain, pooled, postgres.superuser() as db:
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                time.sleep(KILL_SECONDS)
                cut_listeners(db)
        wrapper.close_pool()
    lakebase._accesses.clear()
    assert plain.failures + pooled.failures == []
    assert min(plain.done, pooled.done) > 1000 and rotating.changes >= SECONDS / ROTATE_SECONDS
    # The pool's description and the plain one name the same database: one login for both, per rotation
    assert (
        rotating.changes - 2 <= cloud.minted <= rotating.changes + 3
    )  # of the last ones none may have been needed
    assert max(at_work.longest_silence(), at_pages.longest_silence()) < DEAF_SECONDS
    assert "password authentication failed" not in caplog.text
