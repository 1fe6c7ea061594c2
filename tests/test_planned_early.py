"""What claims and settlements run goes by keys, also where it was planned while the tables were still empty: plans stay for a connection."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tasks import queue
from tasks.sql import SQL
from tests.database import superuser

pytestmark = pytest.mark.django_db

GROW = ("tasks", "task_attempts", "seen_numbers")
IN_SHORT_TRANSACTIONS = (
    "claim_count", "claim_look_ahead", "claim_look_ahead_from", "claim_look_ahead_locked", "claim_look_ahead_locked_from",
    "claim_look_ahead_by_client", "claim_pool_reservation", "claim_costs", "claim_refuse", "claim_mark_blocked", "claim_unblock", "claim_take",
    "promote_due", "mark_running", "progress", "outcome_lock_tasks", "outcome_read_attempts", "outcome_write", "outcome_promote_waiting",
    "seen_forget", "seen_note", "seen_before",
)  # fmt: skip
OF_ALL_THAT_LIVES = "task_attempts_deadline"
"""As many as there are slots, so that it may be read whole."""
WHOLE_KEYS = {"seen_numbers_first": ("client_id", "key")}
"""Whose first column alone finds more with each document of a client."""


@pytest.fixture
def unknown(db: None) -> Iterator[psycopg.Connection]:
    """Tables without rows and without statistics, as a new installation has them."""
    with superuser() as server, server.transaction(force_rollback=True):
        server.execute(f"TRUNCATE {', '.join(GROW)} CASCADE")  # forgets how large they were, too
        server.execute("DELETE FROM pg_statistic WHERE starelid = ANY(%s::regclass[])", (list(GROW),))
        yield server


def nodes(server: psycopg.Connection, name: str) -> Iterator[dict[str, Any]]:
    """The parts of its plan in a short transaction, for whatever values may come."""
    parameters = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", SQL[name])))
    text = re.sub(r"%\((\w+)\)s", lambda found: f"${parameters.index(found[1]) + 1}", SQL[name])
    queue.execute(server, "plan_by_keys")
    server.execute(f"PREPARE probe AS {text.replace('%%', '%')}")
    [[[plan]]] = server.execute(
        f"EXPLAIN (FORMAT JSON) EXECUTE probe ({', '.join(['NULL'] * len(parameters))})"
    ).fetchall()
    waiting = [plan["Plan"]]
    while waiting:
        node = waiting.pop()
        waiting += node.get("Plans", ())
        yield node


@pytest.mark.parametrize("name", IN_SHORT_TRANSACTIONS)
def test_a_statement_that_was_planned_on_empty_tables_goes_by_keys(
    unknown: psycopg.Connection, name: str
) -> None:
    scans = [node for node in nodes(unknown, name) if node.get("Relation Name") in GROW and node["Node Type"] != "ModifyTable"]  # fmt: skip
    assert scans
    for scan in scans:
        index = scan.get("Index Name")
        assert index, f"{name} reads {scan['Relation Name']} as a whole"
        if index == OF_ALL_THAT_LIVES:
            continue
        [[first]] = unknown.execute("SELECT pg_get_indexdef(%s::regclass, 1, true)", (index,)).fetchall()
        for column in WHOLE_KEYS.get(index, (first,)):
            assert re.search(rf"\b{column} (=|<=|>=|<|>) ", scan.get("Index Cond", "")), (
                f"{name} reads all of {index}"
            )


@pytest.mark.parametrize("name", ["mark_running", "progress"])
def test_news_of_many_attempts_is_not_compared_each_with_each(unknown: psycopg.Connection, name: str) -> None:
    assert not [node["Join Filter"] for node in nodes(unknown, name) if "Join Filter" in node]


def test_what_was_planned_on_a_small_table_is_planned_anew_once_it_has_grown(
    unknown: psycopg.Connection,
) -> None:
    unknown.execute("CREATE TEMPORARY TABLE growing (id int PRIMARY KEY) WITH (autovacuum_enabled = false)")
    unknown.execute("ANALYZE growing")
    unknown.execute("SET LOCAL plan_cache_mode = force_generic_plan")
    unknown.execute("PREPARE probe (int) AS SELECT FROM growing WHERE id = $1")

    def plan() -> str:
        return "".join(line for (line,) in unknown.execute("EXPLAIN EXECUTE probe (1)"))

    assert "Seq Scan" in plan()
    unknown.execute("INSERT INTO growing SELECT generate_series(1, 100000)")
    assert "Seq Scan" in plan()
    queue.plan_anew(unknown)
    assert "Seq Scan" not in plan()
