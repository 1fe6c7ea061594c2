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


def differences(event: Completed | Failed, expected: dict[str, Any]) -> list[str]:
    """Where an outcome is not as a samples' expected.json says, in words; empty where all is as expected.

    `either` lists several expectations, of which one has to be met: what is read may depend on what is installed.
    """
    if "either" in expected:
        return min((differences(event, one) for one in expected["either"]), key=len)
    got = prediction(event)
    found = (
        []
        if got["outcome"] == expected["outcome"]
        else [f"outcome is {got['outcome']}, expected {expected['outcome']}"]
    )
    result = event.result if isinstance(event, Completed) else None
    if result is None:
        return found
    record = result.records[0] if result.records else None
    if result.kind != expected.get("kind", result.kind):
        found.append(f"kind is {result.kind}, expected {expected['kind']}")
    if expected.get("reason", "") not in ("", *result.reasons):
        found.append(f"reason “{expected['reason']}” is not given")
    for name, value in expected.get("fields", {}).items():
        field = record.fields.get(name) if record else None
        if field is None or field.value != value:
            found.append(f"{name} is {field.value if field else None}, expected {value}")
    if len(record.lines if record else ()) != expected.get("line_count", 0):
        found.append(
            f"{len(record.lines) if record else 0} line items, expected {expected.get('line_count', 0)}"
        )
    if "flagged" in expected and set(expected["flagged"]) != set(got["flagged"]):
        found.append(f"flagged are {sorted(got['flagged'])}, expected {sorted(expected['flagged'])}")
    return found
