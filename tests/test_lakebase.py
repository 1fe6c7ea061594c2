"""Lakebase through the real SDK and a real Postgres: logins of both kinds, native passwords, refusals, in words where it cannot be."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db.utils import OperationalError

from agentaudit.postgres import lakebase
from agentaudit.postgres.base import DatabaseWrapper
from tests.fakes.databricks import Workspace
from tests.fakes.lakebase import ENDPOINT, INSTANCE, ROLE, Lakebase
from tests.lakebase_tools import DATABASE, Postgres, described, own_postgres, who


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with own_postgres() as running:
        yield running


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    with Workspace(tmp_path / "volumes") as running:
        for name, value in running.environment.items():
            monkeypatch.setenv(name, value)
        yield running
        assert running.unexpected == []
    lakebase._accesses.clear()


@pytest.fixture
def cloud(workspace: Workspace, postgres: Postgres) -> Lakebase:
    """Each token is the role's password of that moment."""

    def login() -> str:
        password = f"token-{made.minted}"
        postgres.set_password(password)
        return password

    made = Lakebase(workspace, host=postgres.host, login=login)
    return made


@pytest.fixture
def connects(django_db_blocker):
    """DatabaseWrappers that are used outside Django's handler, and not with the test database."""
    made: list[DatabaseWrapper] = []

    def connect(**how: Any) -> DatabaseWrapper:
        made.append(DatabaseWrapper(described(**how), f"lakebase{len(made)}"))
        made[-1].inc_thread_sharing()
        return made[-1]

    with django_db_blocker.unblock():
        yield connect
        for wrapper in made:
            wrapper.close()
            if wrapper.alias in wrapper._connection_pools:
                wrapper.close_pool()


@pytest.mark.parametrize(
    "place", [{"endpoint": ENDPOINT}, {"instance": INSTANCE}], ids=["autoscaling", "provisioned"]
)
def test_a_login_is_asked_for_once_and_serves_many_connects(cloud, connects, place):
    wrapper = connects(**place)
    assert who(wrapper) == (ROLE, "agentaudit")
    assert who(wrapper) == (ROLE, "agentaudit")
    assert cloud.minted == 1


@pytest.mark.parametrize("pool", [None, {"min_size": 1, "max_size": 2, "timeout": 10}], ids=["plain", "pool"])
def test_a_login_that_was_refused_is_replaced_and_the_connect_succeeds(cloud, connects, postgres, pool):
    wrapper = connects(endpoint=ENDPOINT, pool=pool)
    who(wrapper)
    postgres.set_password("another one")
    wrapper.close_pool()
    assert who(wrapper) == (ROLE, "agentaudit")
    assert cloud.minted == 2


def test_plain_connections_and_those_of_an_event_loop_do_the_same(cloud, connects, postgres):
    wrapper = connects(endpoint=ENDPOINT)
    with wrapper.connect_plain("agentaudit test") as raw:
        assert raw.autocommit and raw.info.parameter_status("application_name") == "agentaudit test"
    postgres.set_password("another one")
    with wrapper.connect_plain("agentaudit test") as raw:
        raw.execute("SELECT 1")
    postgres.set_password("yet another one")

    async def later() -> str:
        async with await wrapper.connect_plain_later("agentaudit live", connect_timeout=5) as raw:
            return (await (await raw.execute("SELECT current_schema()::text")).fetchone())[0]

    assert asyncio.run(later()) == "agentaudit"
    assert cloud.minted == 3


def test_a_refusal_for_good_is_tried_twice_and_no_more(cloud, connects, postgres):
    wrapper = connects(endpoint=ENDPOINT)
    cloud.login = lambda: f"wrong {cloud.minted}"
    with pytest.raises(OperationalError, match="password authentication failed"):
        who(wrapper)
    assert cloud.minted == 2


def test_a_server_without_tls_is_refused_and_no_other_login_is_tried(cloud, connects, postgres):
    """Over TCP, where libpq heeds sslmode."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            line, _ = listening.accept()
            with line:
                line.recv(8)
                line.sendall(b"N")  # what a server without TLS says to an SSLRequest

        threading.Thread(target=answer, daemon=True).start()
        wrapper = connects(endpoint=ENDPOINT, host="127.0.0.1")
        wrapper.settings_dict["PORT"] = str(listening.getsockname()[1])
        with pytest.raises(OperationalError, match="does not support SSL"):
            who(wrapper)
    assert cloud.minted == 1


def test_a_pool_goes_on_while_the_workspace_is_away(cloud, connects, workspace):
    wrapper = connects(endpoint=ENDPOINT, pool={"min_size": 1, "max_size": 1, "timeout": 10})
    who(wrapper)
    workspace.fault("403", "/credentials", code="PERMISSION_DENIED")
    wrapper.credentials._kept = None  # as after an hour
    assert who(wrapper) == (ROLE, "agentaudit")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"kind": "403", "path": "/credentials", "code": "PERMISSION_DENIED"}, "CAN_CONNECT_AND_CREATE"),
        ({"kind": "401", "path": "/oidc/v1/token", "code": "invalid_client"}, "DATABRICKS_CLIENT_SECRET"),
        ({"kind": "404", "path": "/credentials", "code": "NOT_FOUND"}, "LAKEBASE_ENDPOINT"),
        ({"kind": "500", "path": "/credentials", "code": "INTERNAL_ERROR"}, "did not answer as it should"),
    ],
)
def test_what_the_workspace_says_no_to_is_told_in_words(cloud, connects, workspace, fault, words):
    workspace.fault(**fault)
    with pytest.raises(OperationalError, match=words) as told:
        who(connects(endpoint=ENDPOINT))
    assert "account_id" not in str(told.value) and "Config" not in str(told.value)


def test_a_workspace_that_never_answers_does_not_hold_a_request_for_ever(
    cloud, connects, workspace, monkeypatch
):
    from agentaudit.postgres import workspace as asking

    monkeypatch.setattr(asking, "PATIENCE_SECONDS", 0.5)
    workspace.fault("delay", "/oidc/v1/token", seconds=3)
    with pytest.raises(OperationalError, match="did not answer within"):
        who(connects(endpoint=ENDPOINT))


@pytest.mark.parametrize("pool", [None, {"min_size": 2, "max_size": 2, "timeout": 10}], ids=["plain", "pool"])
def test_what_is_made_belongs_to_the_owner(cloud, connects, postgres, pool):
    with postgres.superuser() as db:
        db.execute("DO $$BEGIN CREATE ROLE agentaudit_owner; EXCEPTION WHEN duplicate_object THEN END$$")
        db.execute(f'GRANT agentaudit_owner TO "{ROLE}"')
    wrapper = connects(endpoint=ENDPOINT, pool=pool)
    wrapper.settings_dict["OPTIONS"]["assume_role"] = "agentaudit_owner"
    assert who(wrapper)[0] == "agentaudit_owner"
    assert who(wrapper)[0] == "agentaudit_owner"


@pytest.mark.parametrize("pool", [None, {"min_size": 2, "max_size": 2, "timeout": 10}], ids=["plain", "pool"])
def test_after_a_sleep_the_next_request_is_served(cloud, connects, postgres, pool):
    """An endpoint that goes to sleep takes every session with it."""
    wrapper = connects(endpoint=ENDPOINT, pool=pool)
    who(wrapper)
    with postgres.superuser() as db:
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", (ROLE,))
    assert who(wrapper) == (ROLE, "agentaudit")
    assert cloud.minted == 1


def test_a_server_that_only_reads_since_a_failover_is_not_connected_to(cloud, connects, postgres):
    wrapper = connects(endpoint=ENDPOINT)
    wrapper.settings_dict["OPTIONS"]["target_session_attrs"] = "read-write"
    with postgres.superuser() as db:
        db.execute(f'ALTER ROLE "{ROLE}" SET default_transaction_read_only = on')
        try:
            with pytest.raises(OperationalError, match="read-only"):
                who(wrapper)
        finally:
            db.execute(f'ALTER ROLE "{ROLE}" RESET default_transaction_read_only')
    assert who(wrapper) == (ROLE, "agentaudit")
    assert cloud.minted == 1


def test_the_requests_are_those_that_were_seen_on_the_wire(cloud, connects, workspace):
    who(connects(endpoint=ENDPOINT))
    who(connects(instance=INSTANCE))
    asked = [
        (entry["method"], entry["path"], json.loads(entry["body"] or "{}"))
        for entry in workspace.requests("/api/2.0/")
    ]
    request_id = asked[3][2].pop("request_id")
    assert asked == [
        ("GET", f"/api/2.0/postgres/{ENDPOINT}", {}),
        ("POST", "/api/2.0/postgres/credentials", {"endpoint": ENDPOINT}),
        ("GET", f"/api/2.0/database/instances/{INSTANCE}", {}),
        ("POST", "/api/2.0/database/credentials", {"instance_names": [INSTANCE]}),
    ]
    assert request_id


class TestNative:
    """A role with a password: from Lakebase, else from Databricks Secrets, else from the environment."""

    HOW = {"endpoint": ENDPOINT, "auth": "native", "role": "auditor"}

    @pytest.fixture(autouse=True)
    def role(self, postgres: Postgres, cloud: Lakebase) -> None:
        with postgres.superuser(dbname=DATABASE) as db:
            db.execute("DO $$BEGIN CREATE ROLE auditor; EXCEPTION WHEN duplicate_object THEN END$$")
            db.execute("GRANT USAGE ON SCHEMA agentaudit TO auditor")
        postgres.set_password("first", "auditor")

    def test_lakebase_is_asked_first_and_again_after_a_rotation(self, cloud, connects, postgres):
        cloud.native["auditor"], cloud.secrets["audit/db"] = "first", "not this one"
        wrapper = connects(**self.HOW, secret="audit/db", password="nor this one")
        assert who(wrapper) == ("auditor", "agentaudit")
        postgres.set_password("second", "auditor")
        cloud.native["auditor"] = "second"
        assert who(wrapper) == ("auditor", "agentaudit")
        assert wrapper.credentials.origin == "Lakebase itself"
        assert cloud.minted == 0

    def test_then_databricks_secrets_and_again_after_a_rotation(self, cloud, connects, postgres):
        cloud.secrets["audit/db"] = "first"
        wrapper = connects(**self.HOW, secret="audit/db", password="not this one")
        assert who(wrapper) == ("auditor", "agentaudit")
        postgres.set_password("zweites Paßwort", "auditor")
        cloud.secrets["audit/db"] = "zweites Paßwort"
        assert who(wrapper) == ("auditor", "agentaudit")
        assert wrapper.credentials.origin == "the secret audit/db"

    def test_then_the_environment_whose_rotation_needs_a_restart(self, connects, postgres, caplog):
        wrapper = connects(**self.HOW, password="first")
        assert who(wrapper) == ("auditor", "agentaudit")
        assert "restart every process" in caplog.text
        postgres.set_password("second", "auditor")
        caplog.clear()
        with pytest.raises(OperationalError):
            who(wrapper)
        assert "refuses the password of LAKEBASE_PASSWORD" in caplog.text

    def test_where_none_has_it_every_reason_is_told(self, connects):
        with pytest.raises(OperationalError, match="not yours to see") as told:
            who(connects(**self.HOW, secret="audit/none"))
        assert "audit/none" in str(told.value) and "LAKEBASE_PASSWORD" in str(told.value)
