"""Reports of money over a million attempts: how long the slowest takes, whether each equals a plain recount, and what a bill asks a warehouse."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from statistics import median
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from django.conf import settings
from django.db import connection

from tasks import databricks, queue, rollup
from tasks.bench import Measured, Say, ledger
from tasks.costs import billing, cells, reports, warehouse
from tasks.costs.periods import DAY, Period, first_of_month, named
from tasks.costs.questions import DIMENSIONS, By, Query
from tasks.models import CostCell

FULL, QUICK, RUNS = 1_000_000, 130_000, 10_000
ROUNDS_FULL, ROUNDS_QUICK = 5, 3
BUSY_AGENT, BUSY_CLIENT, SMALL_CLIENT = 1001, 1001, 1044

_RECOUNT = """
SELECT count(*), coalesce(sum(cost_usd), 0), coalesce(sum(compute_cost_usd), 0), count(cost_usd), count(compute_cost_usd),
  count(*) FILTER (WHERE a.status = 'completed'), coalesce(sum(a.cost_usd) FILTER (WHERE a.status <> 'completed'), 0), {key} AS key
FROM task_attempts a JOIN tasks t ON t.id = a.task_id JOIN extractions e ON e.id = t.extraction_id
WHERE (a.finished_at AT TIME ZONE %(zone)s)::date >= %(since)s AND (a.finished_at AT TIME ZONE %(zone)s)::date < %(until)s
  AND (%(client)s = 0 OR t.client_id = %(client)s) AND (%(agent)s = 0 OR a.agent_id = %(agent)s)
  AND (%(status)s = '' OR t.status = %(status)s) AND (%(model)s::text IS NULL OR a.model = %(model)s)
GROUP BY key
"""
_KEYS: dict[By, str] = {
    "client": "t.client_id::text", "engagement": "t.client_id || ' ' || e.engagement", "agent": "a.agent_id::text",
    "version": "a.agent_version_id::text", "model": "a.model", "outcome": "a.status", "status": "t.status",
    "uploader": "coalesce(e.created_by_id, 0)::text", "day": "(a.finished_at AT TIME ZONE %(zone)s)::date::text",
    "month": "to_char(a.finished_at AT TIME ZONE %(zone)s, 'YYYY-MM-01')",
}  # fmt: skip


def run(full: bool, say: Say) -> Measured:
    wanted = FULL if full else QUICK
    say(f"Filling about {wanted:,} attempts.")
    ledger.fill(wanted)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM task_attempts")
        figures: dict[str, Any] = {"attempts": cursor.fetchone()[0]}
    began = time.monotonic()
    _sum_up(1800.0)
    notes = [
        f"All days were stored in {time.monotonic() - began:.1f} s, behind the queue's back, as {CostCell.objects.count():,} cells."
    ]
    times, errors = {}, 0
    for query in _queries():
        say(f"{query.by}, {query.period.since} to {query.period.last_day}.")
        times[query] = median(_timed(query) for _ in range(ROUNDS_FULL if full else ROUNDS_QUICK))
        errors += _errors(query)
    slowest = max(times, key=lambda query: times[query])
    figures["worst_report_ms"] = round(times[slowest], 1)
    notes.append(f"The slowest of {len(times)} reports was by {slowest.by} from {slowest.period.since} to {slowest.period.last_day}"
                 f"{', narrowed' if slowest.is_narrowed else ''}; median of its rounds. Half of them took {median(times.values()):.0f} ms or less.")  # fmt: skip
    figures["warehouse_queries_10k_runs"] = _warehouse_queries(notes)
    _sum_up(600.0)
    errors += sum(_errors(query) for query in _queries() if query.by in ("client", "day"))
    figures["sum_errors"] = errors
    return Measured(figures, notes)


def _sum_up(seconds: float) -> None:
    """Until every day that is over has its cells; other databases of the server may hold that up for a while."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        worked = rollup.catch_up(5.0) or cells.catch_up(5.0)
        found = cells.state(queue.connection())
        if not worked and found.stored_until is not None and found.stored_until >= found.today:
            return
        if not worked:
            time.sleep(0.05)
    raise RuntimeError("the days were not stored in time")


def _queries() -> Iterator[Query]:
    """Every dimension over the year, and what people ask more narrowly."""
    today = reports.today()
    year = Period(today - 370 * DAY, today + DAY)
    for by in DIMENSIONS:
        yield Query(year, by)
    month = Query(Period(first_of_month(today), today + DAY))
    yield month
    yield replace(month, period=named("last-month", today), by="agent")
    yield replace(month, agent=BUSY_AGENT)
    yield Query(named("7d", today), "agent", status="failed")
    yield Query(named("90d", today), "day", client=BUSY_CLIENT)
    yield Query(year, "engagement", client=SMALL_CLIENT, model="large-2")


def _timed(query: Query) -> float:
    began = time.monotonic()
    reports.make(query)
    return (time.monotonic() - began) * 1000


def _errors(query: Query) -> int:
    """In how many figures a report differs from a plain recount: of every line, of its total, and of its waste."""
    report = reports.make(query)
    with connection.cursor() as cursor:
        cursor.execute(
            _RECOUNT.format(key=_KEYS[query.by]),
            {"zone": report.zone, "since": query.period.since, "until": query.period.until, "client": query.client, "agent": query.agent,
             "status": query.status, "model": query.model},
        )  # fmt: skip
        recounted = {row[-1]: row[:-1] for row in cursor.fetchall()}
    found = {line.key: _figures(line) for line in report.lines}
    wrong = sum(found.get(key) != values[:6] for key, values in recounted.items()) + len(
        found.keys() - recounted.keys()
    )
    total = tuple(sum(column) for column in zip(*recounted.values(), strict=True)) if recounted else (0,) * 7
    waste = (report.retries.sums.llm_usd or Decimal(0)) + (report.failures.sums.llm_usd or Decimal(0))
    return wrong + (_figures(report.total) != total[:6]) + (waste != total[6])


def _figures(line: reports.Line) -> tuple[Any, ...]:
    sums = line.sums
    return (sums.attempts, sums.llm_usd or 0, sums.compute_usd or 0, sums.attempts - sums.llm_unknown, sums.attempts - sums.compute_unknown,
            line.completed)  # fmt: skip


def _warehouse_queries(notes: list[str]) -> int | None:
    """Statements that one settling pass sends for ten thousand runs, to a stand-in that answers each of them."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT agentaudit_now() - finished_at FROM task_attempts WHERE executor = 'databricks' ORDER BY finished_at DESC OFFSET %s LIMIT 1", [RUNS]
        )  # fmt: skip
        [look_back] = cursor.fetchone()
    if look_back > billing.LOOK_BACK:
        notes.append(
            f"Fewer than {RUNS:,} runs ended within {billing.LOOK_BACK.days} days, so the warehouse was not asked."
        )
        return None
    asked: list[str] = []

    def answer(
        _client: Any, _warehouse: str, statement: str, parameters: dict[str, str]
    ) -> list[warehouse.Row]:
        asked.append(statement)
        return [[run, "", None, "1", "0", "0", "1", "0.25"] for run in parameters["runs"].split(",")]

    client = SimpleNamespace(config=SimpleNamespace(workspace_id="1"))
    with (
        patch.object(warehouse, "ask", answer), patch.object(databricks, "client", lambda: client),
        patch.object(settings, "BILLING_WAREHOUSE_ID", "bench"),
    ):  # fmt: skip
        done = billing.settle(look_back=look_back)
    notes.append(f"One pass asked for {done.asked:,} runs; the warehouse is a stand-in within the process.")
    return len(asked)
