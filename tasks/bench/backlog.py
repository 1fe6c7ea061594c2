"""Whether a claim stays as quick behind a large backlog as on an empty table, and while somebody holds an old transaction open."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from statistics import median, quantiles
from uuid import UUID, uuid4

import psycopg

from tasks import claims, events, queue
from tasks.agent.contract import Completed
from tasks.bench import Measured, Say, server, work
from tasks.bench.noop import RESULT
from tasks.events import News
from tasks.models import Agent

BATCH, WARM = 10, 50
TABLES = ("tasks", "task_attempts")
SCANS = "SELECT coalesce(sum(seq_scan), 0) FROM pg_stat_user_tables WHERE relname = ANY(%s)"


def run(full: bool, say: Say) -> Measured:
    from tests.bulk import Bulk, fill

    count = 10_000 if full else 1_000
    # Both cuts begin with at least 200,000 waiting in the full form
    used = 2 * (count + WARM) * BATCH
    bulk = Bulk(waiting=200_000 + used) if full else Bulk(finished=100_000, waiting=2 * used)
    db = queue.connection()
    worker = uuid4()
    register = {"host": "bench", "pid": 1, "version": "", "slots": BATCH, "executors": ["local"]}
    queue.register_worker(db, worker=worker, **register)
    say(f"Filling the tables: {bulk.finished:,} finished tasks and {bulk.waiting:,} waiting ones.")
    with server.connect(**({"user": server.SUPERUSER} if server.is_ours() else {})) as filler:
        fill(filler, bulk)
    scans = seq_scans(db)
    say(f"{count:,} claims of {BATCH} behind the backlog.")
    behind, agents = claimed(db, worker, count)
    say("The same while a transaction is held open.")
    with old_transaction():
        held, _ = claimed(db, worker, count)
    scans = seq_scans(db) - scans
    say("The same on empty tables.")
    db.execute("TRUNCATE clients, documents, extractions, tasks, task_attempts CASCADE")
    db.execute("ANALYZE")
    found = Agent.objects.in_bulk(set(agents))
    desk, same_agents = work.Desk(), iter([found[agent] for agent in agents])
    empty, _ = claimed(db, worker, count, before=lambda: desk.hand_in(next(same_agents), BATCH))
    return Measured(
        {
            "claim_p99_ms": round(p99(behind), 2),
            "claim_p99_ratio_to_empty": round(p99(behind) / p99(empty), 2),
            "claim_p99_ratio_xmin_held": round(p99(held) / p99(behind), 2),
            "seq_scans": scans,
        },
        [
            f"p99 (median) of {count:,} claims of {BATCH} tasks: {told(empty)} on an empty table, {told(behind)} behind {bulk.waiting:,} waiting and "
            f"{bulk.finished:,} finished tasks, {told(held)} with a transaction held open. Settlements between claims are not timed.",
            "seq_scans: of tasks and task_attempts by all claims and settlements.",
        ],
    )


def claimed(
    db: psycopg.Connection, worker: UUID, count: int, before: Callable[[], None] = lambda: None
) -> tuple[list[float], list[int]]:
    """Milliseconds of each claim, and the agent of each, those to warm up included; what was claimed is settled before the next one."""
    terms, times, agents = claims.Terms(worker, lease_seconds=60.0), [], []
    a_minute_later(db)
    for number in range(WARM + count):
        before()
        began = time.perf_counter()
        rows = claims.claim(db, terms, ["local"], BATCH).rows
        if number >= WARM:
            times.append(1000 * (time.perf_counter() - began))
        if len(rows) != BATCH:
            raise RuntimeError(f"a claim of {BATCH} tasks got {len(rows)}")
        agents.append(rows[0].agent_id)
        last_words = [Completed(attempt=row.attempt_id, result=RESULT) for row in rows]
        events.apply(db, [News(word.attempt, word, ended=True) for word in last_words])
    return times, agents


def a_minute_later(db: psycopg.Connection) -> None:
    """What was claimed before lies more than a minute back for this session: each claim counts its agent's last minute."""
    ((offset,),) = db.execute(
        "SELECT coalesce(nullif(current_setting('agentaudit.clock_offset', true), ''), '0')::interval"
    ).fetchall()
    later = offset + timedelta(minutes=2)
    db.execute(
        "SELECT set_config('agentaudit.clock_offset', %s, false)", (f"{later.total_seconds()} seconds",)
    )


def told(times: list[float]) -> str:
    return f"{p99(times):.1f} ms ({median(times):.1f} ms)"


def p99(times: list[float]) -> float:
    return quantiles(times, n=100)[98]


@contextmanager
def old_transaction() -> Iterator[None]:
    """A transaction with a snapshot, held open by somebody who does nothing: no row version since then can be removed."""
    with server.connect() as idle, idle.transaction():
        idle.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        idle.execute("SELECT count(*) FROM agents")
        yield


def seq_scans(db: psycopg.Connection) -> int:
    """So far, of the two big tables."""
    db.execute("SELECT pg_stat_force_next_flush()")
    db.execute("SELECT 1")
    with server.connect() as other:
        return int(other.execute(SCANS, (list(TABLES),)).fetchone()[0])  # type: ignore[index]
