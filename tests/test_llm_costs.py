"""What an attempt that asked models cost is known, or said to be unknown; never a part of it shown as the whole."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from tasks import events, queue
from tasks.agent.contract import Progress, Usage
from tasks.models import Attempt, Price
from tests import queue_tools as tools
from tests.factories import database_now, make_agent

PAID = Usage(
    calls=2,
    model="reader-1",
    input_tokens=2_000_000,
    output_tokens=1_000_000,
    cache_read_tokens=1_000_000,
    cache_write_tokens=0,
)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (PAID, Decimal("4.25")),
        (PAID.model_copy(update={"calls": 3, "input_tokens": None, "output_tokens": None}), None),
        (PAID.model_copy(update={"model": "reader-1 + second"}), None),
        (Usage(), Decimal(0)),
    ],
    ids=["told", "a call that told nothing", "two models", "everything was kept"],
)
def test_the_cost_is_that_of_all_calls_or_unknown(usage: Usage, cost: Decimal | None) -> None:
    Price.objects.create(
        model="reader-1", valid_from=database_now() - timedelta(days=1), input_usd=2, output_usd=2, cache_read_usd=Decimal("0.25")
    )  # fmt: skip
    tools.hand_in(make_agent(program="llm", model="reader-1"), 1)
    (row,) = tools.claim()
    if usage.calls:
        events.progress(
            queue.connection(), [Progress(attempt=row.attempt_id, pages_done=1, pages_total=2, usage=PAID)]
        )
    events.apply(queue.connection(), [tools.completed(row.attempt_id, usage=usage)])
    attempt = Attempt.objects.get()
    assert (attempt.cost_usd, attempt.cost_state) == (cost, "unknown" if cost is None else "estimated")
