"""How sure a value is, in one place: how well its place on the page supports it, then what the checks say."""

from __future__ import annotations

from tasks.agent.contract import FieldValue, Record

REQUIRED = ("supplier", "number", "date", "currency", "total")
READY = 0.8
"""Below this a value needs a look even if no check failed."""
HIGHEST = 0.99
CONFIRMED = 0.06
"""What a check that holds adds: sums that add up, an electronic invoice that agrees."""
FLAGGED = 0.6
"""A flagged value is never surer than this."""
UNPROVEN = 0.75
"""Nor one whose words were not found on the page, unless a second source says the same."""


def settled(score: float, confirmations: int, flagged: bool, proven: bool) -> float:
    """The confidence of a value from its support (0..1), the number of checks that confirm it, and its doubts."""
    value = min(max(score, 0.0), 0.95) + CONFIRMED * confirmations
    if not proven and not confirmations:
        value = min(value, UNPROVEN)
    if flagged:
        value = min(value, FLAGGED)
    return round(min(value, HIGHEST), 3)


def of_records(records: tuple[Record, ...], required: tuple[str, ...] = REQUIRED) -> float:
    """The lowest confidence of the required fields of all records; 0 where there is none."""
    fields = [record.fields.get(name) for record in records for name in required]
    return min(
        (field.confidence if field is not None and field.value is not None else 0.0 for field in fields),
        default=0.0,
    )


def needs_review(records: tuple[Record, ...], required: tuple[str, ...] = REQUIRED) -> bool:
    """Whether any required field is missing, flagged or not sure enough."""
    return not records or any(_open(record.fields.get(name)) for record in records for name in required)


def _open(field: FieldValue | None) -> bool:
    return field is None or field.value is None or bool(field.reasons) or field.confidence < READY
