"""What the runs of attempts cost on Databricks: our run ids priced by one warehouse query per batch, stored on run and attempt.

Usage arrives hours later and is corrected for weeks. Each pass asks again for every run of the last 35 days, and the new sum takes
the place of the old one, so that a pass may be repeated, or broken off and begun again, at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.conf import settings

from tasks import databricks, queue
from tasks.costs import closing, warehouse
from tasks.costs.warehouse import WarehouseError

__all__ = ["Settled", "WarehouseError", "settle"]

LOOK_BACK = timedelta(days=35)
FRESH = timedelta(hours=1)
"""What was read so recently is not asked for again: a pass that was broken off goes on where it stopped."""
FINAL_AFTER = timedelta(hours=24)
"""Usage of the last hours of a run may still be missing until then: its sum is an estimate."""
RUNS_PER_STATEMENT = 2000

# Every record type counts: a retraction is the negative of what it withdraws, a restatement the new amount. Windows of prices include
# their start and exclude their end. Usage without a price is counted, never priced as 0. One parameter holds all ids: the API has no
# arrays. Rows without a run are our own app's.
QUERY = """
WITH ours AS (SELECT explode(split(:runs, ',')) AS run_id),
used AS (
  SELECT u.usage_metadata.job_run_id AS run_id, '' AS product, CAST(NULL AS date) AS day, u.*
  FROM system.billing.usage u
  WHERE u.usage_metadata.job_run_id IN (SELECT run_id FROM ours)
  UNION ALL
  SELECT '' AS run_id, u.billing_origin_product AS product, u.usage_date AS day, u.*
  FROM system.billing.usage u
  WHERE u.usage_metadata.job_run_id IS NULL AND u.usage_metadata.app_name = :app
)
SELECT used.run_id, used.product, used.day,
  count(DISTINCT used.record_id) AS usage_rows,
  sum(CASE WHEN p.sku_name IS NULL THEN 1 ELSE 0 END) AS unpriced,
  count(*) - count(DISTINCT used.record_id) AS priced_twice,
  sum(used.usage_quantity) AS quantity,
  sum(used.usage_quantity * p.pricing.effective_list.default) AS usd
FROM used LEFT JOIN system.billing.list_prices p
  ON p.sku_name = used.sku_name AND p.cloud = used.cloud AND p.usage_unit = used.usage_unit AND p.currency_code = 'USD'
  AND used.usage_start_time >= p.price_start_time
  AND (p.price_end_time IS NULL OR used.usage_start_time < p.price_end_time)
WHERE used.workspace_id = :workspace AND used.usage_date >= CAST(:since AS date) AND used.usage_date <= CAST(:until AS date)
GROUP BY used.run_id, used.product, used.day
"""


@dataclass(frozen=True, slots=True)
class RunOf:
    """A run of ours and the attempt that it belongs to; ended is None while it lives."""

    attempt: UUID
    run_id: str
    began: datetime
    ended: datetime | None


@dataclass(frozen=True, slots=True)
class Bill:
    """What the platform's tables say of one run (or, without a run, of one product and day). usd is None where a price is missing."""

    run_id: str
    product: str
    day: date | None
    rows: int
    unpriced: int
    quantity: Decimal
    usd: Decimal | None


@dataclass(slots=True)
class Settled:
    """What one pass did. `missing`: runs without any usage yet. `unpriced`: rows of usage that no single price fits."""

    asked: int = 0
    settled: int = 0
    estimated: int = 0
    missing: int = 0
    unpriced: int = 0
    statements: int = 0
    usd: Decimal = field(default_factory=Decimal)

    @property
    def sentence(self) -> str:
        parts = [f"{self.asked:,} runs asked for in {self.statements:,} statements: {self.settled:,} settled"]
        if self.estimated:
            parts.append(f"{self.estimated:,} estimated (less than a day old)")
        if self.missing:
            parts.append(f"{self.missing:,} not in the bill yet")
        if self.unpriced:
            parts.append(f"{self.unpriced:,} rows of usage without a price")
        return ", ".join(parts) + f"; {self.usd:.2f} USD."


def settle(
    *,
    look_back: timedelta = LOOK_BACK,
    again: bool = False,
    say: Callable[[str], None] = lambda sentence: None,
) -> Settled:
    """Read the bill of every run that ended within `look_back` and of those under way. Raises WarehouseError, NotConfigured.

    again: also of what was read within the last hour. Not inside of a transaction: each batch is committed by itself.
    """
    if not settings.BILLING_WAREHOUSE_ID:
        raise databricks.NotConfigured(
            "BILLING_WAREHOUSE_ID names no SQL warehouse, which is what reads the bill. docs/databricks.md tells how to make one."
        )
    client = databricks.client()
    db = queue.connection()
    now = queue.first(db, "billing_now").now  # type: ignore[union-attr]
    done, others = Settled(), settings.DATABRICKS_APP_NAME
    for batch in _batches(now - look_back, now + FRESH if again else now - FRESH):
        if not batch and not others:
            continue
        bills = _bills(client, batch, others, now)
        others = ""  # once per pass
        done.statements += 1
        _store(batch, bills, now, done)
        say(f"{done.asked:,} runs read.")
    return done


def _batches(since: datetime, read_before: datetime) -> Iterator[list[RunOf]]:
    """Runs in pages: those under way with the first one. The first page may be empty: the app's own usage is asked for all the same."""
    db = queue.connection()
    page = [RunOf(*row) for row in queue.rows(db, "billing_live_runs", read_before=read_before)]
    after, more = (since, UUID(int=0)), True
    while more:
        rows = queue.rows(
            db, "billing_ended_runs", ended_after=after[0], id_after=after[1], read_before=read_before, most=RUNS_PER_STATEMENT,
        )  # fmt: skip
        page += [RunOf(*row) for row in rows]
        more = len(rows) == RUNS_PER_STATEMENT
        if more:
            after = rows[-1].ended, rows[-1].attempt
        for start in range(0, max(len(page), 1), RUNS_PER_STATEMENT):
            yield page[start : start + RUNS_PER_STATEMENT]
        page = []


def _bills(client: Any, batch: Sequence[RunOf], app: str, now: datetime) -> list[Bill]:
    began = min([run.began for run in batch], default=now - LOOK_BACK)
    if app:
        began = min(began, now - LOOK_BACK)
    ended = max([run.ended or now for run in batch], default=now)
    parameters = {
        "runs": ",".join(sorted({run.run_id for run in batch})),
        "app": app,
        "workspace": str(client.config.workspace_id or client.get_workspace_id()),
        "since": began.astimezone(UTC).date().isoformat(),
        "until": (ended.astimezone(UTC) + timedelta(days=1)).date().isoformat(),
    }
    rows = warehouse.ask(client, settings.BILLING_WAREHOUSE_ID, QUERY, parameters)
    return [parsed(row) for row in rows]


def parsed(row: warehouse.Row) -> Bill:
    """A row of QUERY. Usage that no price fits, or two, makes the whole sum unknown: part of a sum would pass for all of it."""
    run_id, product, day, rows, unpriced, twice, quantity, usd = row
    lacking = int(unpriced or 0) + int(twice or 0)
    return Bill(
        run_id or "",
        product or "",
        date.fromisoformat(day) if day else None,
        int(rows or 0),
        lacking,
        Decimal(quantity or 0),
        None if lacking else Decimal(usd or 0),
    )


def _store(batch: Sequence[RunOf], bills: Sequence[Bill], now: datetime, done: Settled) -> None:
    """Each run's figures on the run and on its attempt, in one transaction; what belongs to no run beside them."""
    of_run = {bill.run_id: bill for bill in bills if bill.run_id}
    rows = [(run, of_run.get(run.run_id)) for run in sorted(batch, key=lambda run: run.attempt)]
    if rows:
        queue.retried(
            lambda: queue.execute(
                queue.connection(),
                "billing_store",
                attempts=[run.attempt for run, _ in rows],
                runs=[run.run_id for run, _ in rows],
                states=[state_of(run, bill, now) for run, bill in rows],
                usds=[bill and bill.usd for _, bill in rows],
                quantities=[bill and bill.quantity for _, bill in rows],
                counts=[bill.rows if bill else 0 for _, bill in rows],
                unpriced=[bill.unpriced if bill else 0 for _, bill in rows],
                now=now,
            )
        )
    others = {(bill.day, bill.product): bill.usd for bill in bills if bill.day and bill.usd is not None}
    if others:
        closing.book_other(others)  # type: ignore[arg-type]
    _count(rows, now, done)
    done.unpriced += sum(bill.unpriced for bill in bills)


def state_of(run: RunOf, bill: Bill | None, now: datetime) -> str:
    """unknown: nothing, or not all of it has a price. estimated: more may come. settled: a day has passed."""
    if bill is None or bill.usd is None:
        return "unknown"
    return "settled" if run.ended is not None and now - run.ended >= FINAL_AFTER else "estimated"


def _count(rows: Sequence[tuple[RunOf, Bill | None]], now: datetime, done: Settled) -> None:
    done.asked += len(rows)
    for run, bill in rows:
        state = state_of(run, bill, now)
        done.settled += state == "settled"
        done.estimated += state == "estimated"
        done.missing += bill is None
        done.usd += (bill and bill.usd) or 0
