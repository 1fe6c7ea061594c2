"""Whether ten million finished tasks slow claims and the operators' page, and how quickly old deliveries are removed beside them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any
from uuid import uuid4

import psycopg
from django.db import connection
from psycopg import sql

from tasks import queue
from tasks.bench import Measured, Say, backlog, crowd, server
from tasks.bench.dashboard import WEB_WORKERS, Viewer, looks, sum_up
from tasks.bench.web import Web
from tasks.management.preparation import collect_static
from tasks.queue import inbox
from tasks.sweeper import MOST_PRUNED

FEW, MANY_FULL, MANY_QUICK = 10_000, 10_000_000, 200_000
ROUNDS, KEPT_DAYS = 3, 30
SUMS_SECONDS = 3600.0
_DELIVERIES = """
INSERT INTO webhook_deliveries (attempt, webhook_id, received_at, body_sha256, size_bytes, event, outcome, milliseconds)
SELECT id, 'msg', ended_at, repeat('0', 64), 500, 'attempt.completed', 'applied', 3 FROM task_attempts
WHERE ended_at < now() - make_interval(days => %(days)s) LIMIT %(count)s
"""


def run(full: bool, say: Say) -> Measured:
    many, claims = (MANY_FULL, 1_000) if full else (MANY_QUICK, 200)
    waiting = (
        ROUNDS * (backlog.WARM + claims) * backlog.BATCH * 2
    )  # so many that the last claim still looks through a backlog
    with _twin() as few:
        say(f"Filling {FEW:,} finished tasks beside {many:,}, each with {waiting:,} waiting ones.")
        crowd.fill(FEW, waiting, dbname=few)
        crowd.fill(many, waiting)
        say(f"Claiming in turn, {ROUNDS} times {claims:,} claims of {backlog.BATCH}.")
        times = _claims(few, claims)
    ratios = [backlog.p99(large) / backlog.p99(small) for small, large in times]
    notes = [
        f"{many:,} finished tasks beside {FEW:,}. p99 (median) of claims in each round: "
        + "; ".join(f"{backlog.told(large)} beside {backlog.told(small)}" for small, large in times) + ".",
    ]  # fmt: skip
    figures: dict[str, Any] = {"claim_p99_ratio_10m_to_10k": round(median(ratios), 2)}
    say("Summing up, and looking at the operators' page.")
    began = time.monotonic()
    sum_up(SUMS_SECONDS)
    notes.append(f"All sums were made in {time.monotonic() - began:.0f} s, behind the queue's back.")
    collect_static()
    with Web(workers=WEB_WORKERS) as web:
        figures["page_p95_ms"] = looks(Viewer(web.url, crowd.cookie()), 25 if full else 8)["page_p95_ms"]
    say("Removing old deliveries.")
    count, seconds = _pruned(1_000_000 if full else 100_000)
    figures["prune_rows_per_s"] = round(count / seconds)
    notes.append(
        f"Removed: {count:,} deliveries older than {KEPT_DAYS} days, {MOST_PRUNED:,} at a time as sweepers do; the vacuum after it is not in the time. Nothing removes tasks or attempts."
    )
    return Measured(figures, notes)


@contextmanager
def _twin() -> Iterator[str]:
    """The name of another database with the same tables, which are still empty."""
    name = connection.settings_dict["NAME"]
    twin = f"{name}_few"
    names = {"twin": sql.Identifier(twin), "name": sql.Identifier(name)}
    superuser = {"user": server.SUPERUSER} if server.is_ours() else {}
    connection.close()  # nobody may be in a database that is copied
    with server.connect(dbname="postgres", **superuser) as db:
        db.execute(sql.SQL("CREATE DATABASE {twin} TEMPLATE {name}").format(**names))
        try:
            yield twin
        finally:
            db.execute(sql.SQL("DROP DATABASE {twin} WITH (FORCE)").format(**names))


def _claims(few: str, count: int) -> list[tuple[list[float], list[float]]]:
    """Milliseconds of each claim in the small and in the large database, by round; the first of a round takes turns."""
    worker, found = uuid4(), []
    with _link(few) as small, _link(connection.settings_dict["NAME"]) as large:
        for db in (small, large):
            queue.register_worker(
                db, worker=worker, host="bench", pid=1, version="", slots=backlog.BATCH, executors=["local"]
            )
        for number in range(ROUNDS):
            order = (small, large) if number % 2 else (large, small)
            times = {db: backlog.claimed(db, worker, count)[0] for db in order}
            found.append((times[small], times[large]))
    return found


def _link(database: str) -> psycopg.Connection:
    """A connection as the product's own."""
    return psycopg.connect(**{**connection.get_connection_params(), "dbname": database}, autocommit=True)


def _pruned(count: int) -> tuple[int, float]:
    """How many old deliveries there were, at most `count`, and the seconds until none was left."""
    superuser = {"user": server.SUPERUSER} if server.is_ours() else {}
    with server.connect(**superuser) as db:
        db.execute(_DELIVERIES, {"days": KEPT_DAYS + 1, "count": count})
        db.execute("VACUUM ANALYZE webhook_deliveries")
    began, removed, last = time.monotonic(), 0, MOST_PRUNED
    while last == MOST_PRUNED:
        last = inbox.prune_callbacks(queue.connection(), days=KEPT_DAYS, most=MOST_PRUNED)
        removed += last
    return removed, time.monotonic() - began
