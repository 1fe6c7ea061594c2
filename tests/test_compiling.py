"""No statement of ours is compiled (JIT): on servers before PostgreSQL 18 a claim of a millisecond took a second.

And what is prepared is planned once: planning a statement took longer than running it.
"""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.db import connection

from agentaudit.postgres.base import DatabaseWrapper
from tasks import queue
from tests.database import superuser

COUNTS = ("pages_done", "pages_total", "input", "output", "cache_read", "cache_write")


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


def test_what_many_rows_are_settled_with_is_planned_once_per_connection(db: None) -> None:
    with DatabaseWrapper(connection.settings_dict, "pages").connect_plain("worker") as worker:
        for of in range(1, 9):
            attempts = [uuid4() for _ in range(of)]
            queue.mark_running(worker, [(attempt, "", "") for attempt in attempts])
            queue.numbers_seen_before(worker, [(uuid4(), attempt) for attempt in attempts])
            queue.progress(
                worker, {**dict.fromkeys(COUNTS, [1] * of), "attempts": attempts, "models": [""] * of}
            )
        asked = "SELECT statement, custom_plans FROM pg_prepared_statements WHERE statement LIKE '%unnest%'"
        anew = {statement.partition("\n")[0]: plans for statement, plans in worker.execute(asked)}
    assert anew == dict.fromkeys(("-- mark_running", "-- progress", "-- seen_note", "-- seen_before"), 0)
