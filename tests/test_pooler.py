"""Behind a real PgBouncer in transaction mode: what cannot work there is found out and said, everything else works."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg import sql

from agentaudit.postgres import connecting, lakebase
from agentaudit.postgres.base import DatabaseWrapper
from tasks import notify
from tasks.management.checkups import Level, database
from tasks.management.checkups import lakebase as checkup
from tests.fakes.databricks import Workspace
from tests.fakes.lakebase import ENDPOINT, ROLE, Lakebase, RotatingPassword
from tests.lakebase_load import Load, requester
from tests.lakebase_tools import DATABASE, Postgres, described, own_postgres
from tests.pooler import NEEDED, pooler

pytestmark = [pytest.mark.slow, NEEDED]

SECONDS, ROTATE_SECONDS = 20.0, 5.0


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with own_postgres() as running:
        yield running


@pytest.fixture(scope="module")
def port(postgres: Postgres) -> Iterator[int]:
    with pooler(postgres.parameters) as port:
        yield port


@pytest.fixture(autouse=True)
def forgetful(django_db_blocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        yield
    lakebase._accesses.clear()
    connecting._behind_poolers.clear()


@pytest.fixture
def cloud(tmp_path, monkeypatch, postgres) -> Iterator[Lakebase]:
    with Workspace(tmp_path) as workspace:
        for name, value in workspace.environment.items():
            monkeypatch.setenv(name, value)
        yield Lakebase(workspace, host="127.0.0.1")


def through(port: int, pool: dict[str, Any] | None = None) -> dict[str, Any]:
    return {**described(endpoint=ENDPOINT, pool=pool), "PORT": str(port)}


def as_setup_does(postgres: Postgres) -> None:
    """The role itself knows its schema."""
    with postgres.superuser(dbname=DATABASE) as db:
        db.execute(sql.SQL("ALTER ROLE {} SET search_path = agentaudit").format(sql.Identifier(ROLE)))


def test_a_rotating_password_under_load_fails_no_request(postgres, port, cloud, monkeypatch):
    as_setup_does(postgres)
    pool = {"min_size": 1, "max_size": 3, "timeout": 10, "max_lifetime": 2}
    with RotatingPassword(postgres.set_password, ROTATE_SECONDS) as rotating:
        cloud.login = rotating.now
        plain, pooled = Load(requester("pooler plain", through(port))), Load(requester("pooler pool", through(port, pool)))  # fmt: skip
        with plain, pooled:
            time.sleep(SECONDS)
        DatabaseWrapper(through(port, pool), "pooler pool").close_pool()
    assert plain.failures + pooled.failures == []
    assert min(plain.done, pooled.done) > 200 and rotating.changes >= SECONDS / ROTATE_SECONDS


def test_a_search_path_at_the_start_is_left_out_and_its_lack_is_told(postgres, cloud, monkeypatch, caplog):
    with postgres.superuser(dbname=DATABASE) as db:
        db.execute(sql.SQL("ALTER ROLE {} RESET search_path").format(sql.Identifier(ROLE)))
    postgres.set_password("token")
    cloud.login = lambda: "token"
    with pooler(
        postgres.parameters
    ) as fresh:  # whose connections to the server begin with what the role says now
        _told(fresh, monkeypatch, caplog)
    as_setup_does(postgres)
    with pooler(postgres.parameters) as fresh:
        wrapper = DatabaseWrapper(through(fresh), "pooler")
        monkeypatch.setattr(checkup, "connection", wrapper)
        wrapper.ensure_connection()
        assert [finding.level for finding in checkup.login_is_renewed()] == [Level.OK]
        wrapper.close()


def _told(port: int, monkeypatch, caplog) -> None:
    wrapper = DatabaseWrapper(through(port), "pooler")
    monkeypatch.setattr(checkup, "connection", wrapper)
    wrapper.ensure_connection()
    assert "statements are not prepared" in caplog.text and wrapper.connection.prepare_threshold is None
    told = {
        finding.sentence: finding for finding in (*checkup.login_is_renewed(), *checkup.session_is_ours())
    }
    assert [finding.level for finding in told.values()] == [Level.OK, Level.FAULT, Level.HINT]
    assert any("over TLS" in sentence for sentence in told) and any(
        "not in the schema" in sentence for sentence in told
    )
    wrapper.close()


@pytest.fixture
def any_database(postgres, port) -> DatabaseWrapper:
    """One that DATABASE_URL describes: nothing is asked for at each connect."""
    place = {"USER": "postgres", "PASSWORD": postgres.parameters["password"], "HOST": "127.0.0.1"}
    options = {"sslmode": "require", "target_session_attrs": "read-write", "prepare_threshold": 2}
    return DatabaseWrapper({**through(port), **place, "OPTIONS": options}, "any")


def test_listening_hears_nothing_which_is_noticed(any_database, monkeypatch, caplog):
    caplog.set_level(logging.WARNING)
    monkeypatch.setattr(notify, "django_connection", any_database)
    monkeypatch.setattr(database, "connection", any_database)
    any_database.ensure_connection()
    listener = notify.Listener(notify.WORK, lambda: None)
    listener.start()
    assert listener.probed.wait(20) and listener.works is False
    listener.end()
    assert "LISTEN does not work" in caplog.text
    assert [finding.level for finding in database.wakes_listeners()] == [Level.HINT]
    any_database.close()


def test_hints_leave_no_setting_behind_on_a_session_that_others_get(any_database, monkeypatch, postgres):
    monkeypatch.setattr(notify, "django_connection", any_database)
    sender = notify.Notifier()
    sender.start()
    for _ in range(5):
        sender.hint(notify.CHANGED)
        assert sender.flush(10)
    sender.end()
    with any_database.connect_plain("test") as raw:
        assert {raw.execute("SHOW synchronous_commit").fetchone() for _ in range(8)} == {("on",)}


def test_statements_that_are_repeated_on_many_connections_are_not_prepared(any_database):
    errors: list[Exception] = []

    def repeat() -> None:
        try:
            with any_database.connect_plain("test") as raw:
                for number in range(30):
                    with raw.transaction():
                        assert raw.execute("SELECT %s::int", (number,)).fetchone() == (number,)
        except (psycopg.Error, AssertionError) as error:
            errors.append(error)

    threads = [threading.Thread(target=repeat) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [] and any_database.is_pooled
