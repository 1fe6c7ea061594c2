"""No statement of ours is compiled (JIT): on servers before PostgreSQL 18 a claim of a millisecond took a second."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection

from agentaudit.postgres.base import DatabaseWrapper
from tasks import queue
from tests.database import superuser


@pytest.fixture
def eager(db: None) -> Iterator[None]:
    """A database that says otherwise, as every server does that comes with a compiler."""
    with superuser() as server:
        name = connection.ops.quote_name(connection.settings_dict["NAME"])
        server.execute(f"ALTER DATABASE {name} SET jit = on")
        yield
        server.execute(f"ALTER DATABASE {name} RESET jit")


def jit(connected) -> str:
    return connected.execute("SELECT current_setting('jit') AS jit").fetchone()[0]


def test_connections_of_pages_and_of_workers_do_not_ask_for_it(eager: None) -> None:
    pages = DatabaseWrapper(connection.settings_dict, "pages")
    with pages.cursor() as cursor:
        assert jit(cursor) == "off"
        pages.rollback()
        assert jit(cursor) == "off"
    pages.close()
    with pages.connect_plain("worker") as worker:
        assert jit(worker) == "off"


def test_claims_and_settlements_do_not_where_a_pooler_gives_sessions_away(eager: None) -> None:
    with superuser() as given:
        assert jit(given) == "on"
        for plan in ("plan_by_keys", "plan_by_indexes"):
            with given.transaction():
                queue.execute(given, plan)
                assert jit(given) == "off"
        assert jit(given) == "on", "whoever gets the session next has it as it was"
