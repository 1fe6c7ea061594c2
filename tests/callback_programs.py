"""Agent programs for runs that answer by callbacks."""

from __future__ import annotations

import time
from decimal import Decimal

from tasks.agent.contract import Code, Order, Problem, Result, Usage

COST = Decimal("0.25")
USAGE = Usage(calls=1, model="told", input_tokens=1000, output_tokens=100, cost_usd=COST)
RESULT = Result(kind="invoice", pages=3, confidence=0.9, needs_review=False)


def reads_three_pages(order: Order, progress):
    """settings: seconds (for each page), large (a result that no body holds), fails."""
    for page in range(1, 4):
        progress(page, 3, USAGE)
        time.sleep(order.settings.get("seconds", 0.0))
    if order.settings.get("fails"):
        raise Problem(Code.CORRUPT, "The file is damaged.")
    if order.settings.get("large"):
        return RESULT.model_copy(update={"notes": ("n" * 300,) * 2000}), USAGE
    return RESULT, USAGE
