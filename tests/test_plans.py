"""Every statement of tasks/sql at a million rows: what it reads does not grow with the backlog or with what is finished."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import sql

from dashboard.chosen import Chosen
from dashboard.ordering import Order
from tasks.models import Extraction
from tasks.sql import SQL
from tests.bulk import BUSY_AGENT, Bulk, fill
from tests.database import empty_tables, superuser

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

BIG = {"tasks", "task_attempts"}
MOST_ROWS = 8_000
"""Rows that one statement may touch of a big table: its own batch, or what is being processed; never the backlog."""
MOST_SORTED = 2_000
WORKER = UUID(int=1)

# Statements whose work is the backlog itself, done once by an operator or in bounded pieces
BY_DESIGN = {
    "rekey_plain": "rewrites what waits for one agent, when it stops being fair",
    "rekey_fair": "rewrites what waits for one agent, when it becomes fair",
    "lock_waiting": "locks what waits for one agent, before that",
}
BY_DESIGN["erase_tasks_of"] = (
    "reads the tasks of fifty documents, which are few; here each document has thousands"
)
BY_DESIGN["billing_ended_runs"] = "reads each run of five weeks once, when somebody asks for the bill"
# Pages count what they show, in the background or once a second for everybody; `bench dashboard` holds them to their time
BY_DESIGN |= {
    name: "reads what a page shows"
    for name in SQL
    if name.startswith(("summary_", "list_", "costs_")) and name != "list_gists"
}
# Rows under processing are as many as there are slots: reading them all is cheaper than an index that every heartbeat would change
# (sweep, renew); ageing looks at one hour of one agent's attempts, bounded by another time that is an index key
TIME_AS_FILTER = {
    "sweep_take_over": "lease_expires_at",
    "renew": "lease_expires_at",
    "aged_levels": "claimed_at",
    "alert_claims": "claimed_at",
    # Among the missing traces of one day, which an index holds
    "trace_to_read_again": "trace_read_at",
    # The place from which on, beside its index key
    "trace_to_read": "finished_at",
}


@pytest.fixture(scope="module")
def database(django_db_setup: Any, django_db_blocker: Any):
    """The test database, filled once for all tests here, which change nothing that is kept."""
    with django_db_blocker.unblock(), superuser() as db:
        empty_tables()  # numbers begin at 1 again
        fill(db, Bulk())
        yield db
        empty_tables()


@pytest.fixture(scope="module")
def values(database: psycopg.Connection) -> dict[str, Any]:
    """Parameters by name, as a busy worker would send them."""
    waiting = [row[0] for row in database.execute(
        "SELECT id FROM tasks WHERE status = 'enqueued' AND NOT deferred AND agent_id = %s ORDER BY priority DESC, start_key, id LIMIT 10", (BUSY_AGENT,)
    )]  # fmt: skip
    running = database.execute(
        "SELECT id, current_attempt FROM tasks WHERE status = 'processing' ORDER BY id LIMIT 100"
    ).fetchall()
    count = len(waiting)
    return {
        "agent": BUSY_AGENT, "client": 1, "clients": [1], "held_clients": [2, 3], "version": BUSY_AGENT, "extraction": 1, "extractions": [1], "files": "[]", "priority": 10, "worker": WORKER,
        "sweeper": WORKER, "held": [WORKER], "after": UUID(int=0), "executors": ["local"], "look_ahead": 200, "lease_seconds": 60.0, "tasks": waiting, "task": waiting[0],
        "attempts": [UUID(int=2**100 + i) for i in range(count)], "tpm": [1.0] * count, "output_tpm": [1.0] * count, "rpm": [1.0] * count,
        "most": 100, "age_seconds": 3600.0, "seconds": 1.0, "least": 10, "percent": 20, "on": True, "blocked_by": "agent", "count": 10, "key_step": 1000, "first_key": None,
        "workers": [WORKER], "drained": True, "documents": [1], "tokens": [1], "output_tokens": [1], "requests": [1], "passwords": [None],
        "pages_done": [1] * 100, "pages_total": [2] * 100, "models": [""] * 100, "input": [None] * 100, "output": [None] * 100,
        "cache_read": [None] * 100, "cache_write": [None] * 100, "run_ids": ["r"] * 100, "run_pages": [""] * 100, "run_id": "r",
        "gentle_for": timedelta(minutes=2), "reserve_after": timedelta(minutes=5), "usd": [Decimal(0)] * count, "messages": [""] * count,
        "shard": 1, "agents": [BUSY_AGENT], "pools": [1], "notices": "[]", "fair": True, "tiers": ["standard", "premium"], "steps": [1000, 500],
        "webhook_id": "m", "sha256": "0" * 64, "size": 1, "event": "attempt.completed", "body": None, "delivery": 1, "outcome": "applied",
        "milliseconds": 1, "reason": "wrong", "days": 30, "hurry": False, "model": "", "run_page_url": "",
        "keys": [1] * count, "every_seconds": 60.0, "look_back": 500, "learnt": "{}", "start_key": 10**15,
        "known_agents": [BUSY_AGENT, BUSY_AGENT], "known_levels": [20, 10], "known_keys": [0, 10**15], "level": 10,
        "host": "h", "pid": 1, "slots": 1, "paused": True, "id": 1, "least_priority": 20, "names": ["total"], "largest": 1 << 16, "running": running, "rivals": [running[0][1]], "decisions": json.dumps([decision(*row) for row in running]),
    }  # fmt: skip


def decision(task: int, attempt: UUID) -> dict[str, Any]:
    """A completed attempt, as `tasks.events` would write it."""
    return {
        "task_id": task, "attempt_id": str(attempt), "old_status": "processing", "generation": 1, "old_current": str(attempt),
        "new_status": "completed", "wait_seconds": 0, "burnt": 0, "released": 0, "timeouts": 0, "error_code": "", "error_message": "",
        "confidence": 1.0, "needs_review": False, "attempt_status": "completed", "ended": True, "result": {}, "cost_state": "unknown",
        "settled": True,
    }  # fmt: skip


CALLBACK = {
    "webhook_id": "m1", "sha256": "0" * 64, "size": 100, "event": "attempt.progress", "outcome": "applied", "milliseconds": 1.0,
    "body": b"{}", "delivery": 1, "hurry": True, "run_page_url": "", "model": "", "reason": "wrong", "count": 1, "days": 30,
    "pages_done": 1, "pages_total": 2, "input": None, "output": None, "cache_read": None, "cache_write": None,
}  # fmt: skip


def reconciled(attempt: UUID) -> dict[str, Any]:
    """What an attempt's trace said, as `tasks.costs.traces` would write it."""
    return {
        "id": str(attempt), "agent_id": 1, "client_id": 1, "state": "agrees", "model": "", "cost_state": "unknown", "cost_delta": 0,
    }  # fmt: skip


def of_running(values: dict[str, Any], name: str) -> dict[str, Any]:
    """The same parameters, but about attempts that are under way."""
    tasks, attempts = (list(column) for column in zip(*values["running"], strict=True))
    changed = {"tasks": tasks, "attempts": attempts, "attempt": attempts[0], "task": tasks[0]}
    if name == "refresh_estimates":
        changed = {
            column: [1] * len(values["tasks"])
            for column in ("tokens", "output_tokens", "requests", "seconds")
        }
    if name in ("enqueue",):
        changed = {"seconds": [1.0]}
    if name.startswith("callback_"):
        changed |= CALLBACK
    if name in (
        "claim_take",
        "claim_refuse",
        "claim_unblock",
        "claim_costs",
        "claim_mark_blocked",
        "set_keys",
        "why_reserved",
        "retry_now",
        "cancel_waiting",
        "reprioritise",
        "reassign",
        "run_next",
        "raise_head",
    ):
        changed = {}
    if name == "callback_progress":
        changed |= {
            "pages_done": 1,
            "pages_total": 2,
            "input": None,
            "output": None,
            "cache_read": None,
            "cache_write": None,
        }
    if name.startswith("trace_"):
        rows = json.dumps([reconciled(attempt) for attempt in attempts])
        changed |= {
            "rows": rows,
            "after_at": datetime(1970, 1, 1, tzinfo=UTC),
            "after_id": UUID(int=0),
            "missing_after": 60.0,
        }
    if name.startswith("billing_"):
        some = {
            "runs": "r",
            "states": "settled",
            "usds": Decimal(1),
            "quantities": Decimal(1),
            "counts": 1,
            "unpriced": 0,
        }
        changed |= {column: [value] * len(attempts) for column, value in some.items()}
        changed |= {"now": datetime.now(UTC), "read_before": datetime.now(UTC)}
    if name.startswith("seen_"):
        changed["keys"] = [UUID(int=number) for number in range(len(attempts))]
    if name == "worker_register":
        changed["worker"] = UUID(int=77)
    return {**values, **changed}


def nodes(plan: dict[str, Any]):
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


def explain(db: psycopg.Connection, name: str, values: dict[str, Any], generic: bool) -> dict[str, Any]:
    """The plan as it really ran, undone afterwards; `generic`: the plan that a prepared statement settles on."""
    order: list[str] = []

    def number(match: re.Match) -> str:
        if match.group(1) not in order:
            order.append(match.group(1))
        return f"${order.index(match.group(1)) + 1}"

    text = re.sub(r"%\((\w+)\)s", number, SQL[name]).replace("%%", "%")
    given = sql.SQL(", ").join(sql.Literal(values[parameter]) for parameter in order)
    with db.transaction(force_rollback=True):
        db.execute(f"SET LOCAL plan_cache_mode = {'force_generic_plan' if generic else 'force_custom_plan'}")
        db.execute(f"PREPARE probe AS {text}")
        try:
            execute = sql.SQL("EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE probe {}").format(
                sql.SQL("({})").format(given) if order else sql.SQL("")
            )
            return psycopg.ClientCursor(db).execute(execute).fetchone()[0][0]["Plan"]
        finally:
            if db.info.transaction_status != psycopg.pq.TransactionStatus.INERROR:
                db.execute("DEALLOCATE probe")


@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
@pytest.mark.parametrize("name", sorted(set(SQL) - set(BY_DESIGN)))
def test_a_statement_reads_no_more_than_its_batch(database, values, name: str, generic: bool) -> None:
    plan = explain(database, name, of_running(values, name), generic)
    for node in nodes(plan):
        kind, relation = node["Node Type"], node.get("Relation Name")
        loops = node["Actual Loops"]
        touched = (
            node["Actual Rows"]
            + node.get("Rows Removed by Filter", 0)
            + node.get("Rows Removed by Join Filter", 0)
        ) * loops
        if relation in BIG:
            assert "Seq Scan" not in kind or loops == 0, f"{name} scans {relation}"
            assert touched <= MOST_ROWS, (
                f"{name} touches {touched} rows of {relation} by {kind} {node.get('Index Name', '')}"
            )
        if kind in ("Sort", "Incremental Sort"):
            assert node["Actual Rows"] * loops <= MOST_SORTED, (
                f"{name} sorts {node['Actual Rows']} rows by {node['Sort Key']}"
            )
        condition = node.get("Filter", "")
        if relation in BIG and re.search(r"(_at|_until) (<|>)", condition):
            allowed = TIME_AS_FILTER.get(name)
            assert allowed and allowed in condition, f"{name} compares a time row by row: {condition}"


@pytest.mark.parametrize("last", ["before", "after"])
@pytest.mark.parametrize("name", ["name", "confidence"])
def test_a_page_of_an_extraction_reads_its_own_tasks_only(database, last: str, name: str) -> None:
    """A large one among many: by the numbers of all tasks, whatever came before or after it would be looked through."""
    with database.transaction(force_rollback=True):
        database.execute("SET LOCAL session_replication_role = replica")
        database.execute("UPDATE tasks SET extraction_id = 10000 WHERE id BETWEEN 600001 AND 620000")
        database.execute("ANALYZE tasks")
        tasks = Chosen(order=Order(name)).rows(Extraction(pk=10_000))
        tasks = tasks.filter(id__gt=0 if last == "before" else 619_900)
        text, values = tasks.query.sql_with_params()
        plan = psycopg.ClientCursor(database).execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {text}", values).fetchone()[0][0]["Plan"]  # fmt: skip
    for node in nodes(plan):
        if node.get("Relation Name") == "tasks":
            touched = (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
            most = 20_200 if last == "before" else 200  # some were its own before
            assert touched <= most, f"{touched} rows by {node.get('Index Name', node['Node Type'])}"


def test_the_exceptions_are_statements_that_exist() -> None:
    assert set(BY_DESIGN) | set(TIME_AS_FILTER) <= set(SQL)
