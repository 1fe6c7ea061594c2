"""Can the bill be read: does the warehouse answer, and does it see the two tables?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from django.conf import settings

from tasks import databricks
from tasks.costs import warehouse
from tasks.management.checkups import Finding, fault, ok

PROBE = """
SELECT (SELECT max(usage_date) FROM system.billing.usage WHERE usage_date > CAST(:since AS date)),
  (SELECT count(*) FROM system.billing.list_prices WHERE price_end_time IS NULL)
"""


def warehouse_sees_it() -> Iterator[Finding]:
    """Nothing where no warehouse is named. Starts the warehouse, which costs cents, and may take half a minute."""
    if not settings.BILLING_WAREHOUSE_ID:
        return
    since = (datetime.now(UTC) - timedelta(days=3)).date().isoformat()
    try:
        ((day, _prices),) = warehouse.ask(
            databricks.client(), settings.BILLING_WAREHOUSE_ID, PROBE, {"since": since}
        )
    except (warehouse.WarehouseError, databricks.NotConfigured) as error:
        yield fault("bill", str(error), "Until then costs of runs stay unknown; everything else works.")
        return
    yield ok(
        "bill",
        f"The warehouse sees usage and prices; the latest usage is of {day or 'more than three days ago'}.",
    )
