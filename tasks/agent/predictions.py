"""Puts a final event into the flat shape that accuracy is scored in: outcome, field values, which ask for a look."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from tasks.agent.contract import Completed, Failed

TEXTS = ("supplier", "number", "date", "due_date", "currency")
AMOUNTS = ("net", "tax", "total")


def prediction(event: Completed | Failed) -> dict[str, Any]:
    """`outcome` ("result", "review" or "error:CODE"), the fields of the first record, `line_count` and `flagged` names."""
    if isinstance(event, Failed):
        return {"outcome": f"error:{event.code}"}
    result = event.result
    if result is None:
        raise ValueError("the result was stored apart from its event; load it first")
    flat: dict[str, Any] = {"outcome": "review" if result.needs_review else "result", "flagged": []}
    if not result.records:
        return flat
    record = result.records[0]
    for name, field in record.fields.items():
        if name in TEXTS:
            flat[name] = field.value
        elif name in AMOUNTS and field.value is not None:
            flat[name] = float(Decimal(str(field.value)))
        if field.reasons:
            flat["flagged"].append(name)
    if record.lines:
        flat["line_count"] = len(record.lines)
        if any(cell.reasons for line in record.lines for cell in line.values()):
            flat["flagged"].append("line_count")
    return flat
