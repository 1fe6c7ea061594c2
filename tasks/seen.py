"""Marks a number that its supplier has used before for the same client: somebody may be about to pay twice."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import NAMESPACE_OID, UUID, uuid5

import psycopg

from tasks import queue
from tasks.agent.contract import Record, Result

SUPPLIER = ("supplier_tax_id", "vat_id", "supplier")
"""Any of these fields says who it is. Each is compared with its like, since not every document prints them all."""
NUMBERED_ANEW = ("receipt",)
"""Kinds whose numbers begin again every day."""


def marked(db: psycopg.Connection, read: Sequence[tuple[UUID, Result]]) -> list[Result]:
    """The results of these attempts, with a reason at each number that another document of the same client bears.

    Of two documents that are settled at once, one is the later. The same file, read again, repeats nothing.
    """
    keys = [[keys_of(record) for record in result.records] for _, result in read]
    pairs = {
        (key, attempt) for (attempt, _), of in zip(read, keys, strict=True) for found in of for key in found
    }
    if not pairs:
        return [result for _, result in read]
    before = queue.numbers_seen_before(db, sorted(pairs))
    return [
        _marked(result, [_first(before, attempt, found) for found in of])
        for (attempt, result), of in zip(read, keys, strict=True)
    ]


def _first(before: dict[tuple[UUID, UUID], int], attempt: UUID, keys: list[UUID]) -> int | None:
    return next((before[attempt, key] for key in keys if (attempt, key) in before), None)


def keys_of(record: Record) -> list[UUID]:
    """What stands for a number of a supplier; the same in whatever case, with whatever spaces and dashes. Tells nothing of either."""
    parts = {name: _plain(record, name) for name in ("number", "date", *SUPPLIER)}
    if not parts["number"]:
        return []
    of_day = parts["date"] if record.kind in NUMBERED_ANEW else ""
    return [
        uuid5(NAMESPACE_OID, "\n".join((record.kind, name, parts[name], parts["number"], of_day)))
        for name in SUPPLIER
        if parts[name]
    ]


def _plain(record: Record, name: str) -> str:
    field = record.fields.get(name)
    return (
        "" if field is None else "".join(sign for sign in str(field.value or "").casefold() if sign.isalnum())
    )


def _marked(result: Result, first: list[int | None]) -> Result:
    """`first`: by record, the task that bore its number before."""
    if not any(first):
        return result
    records = tuple(
        record if task is None else _with_reason(record, task)
        for record, task in zip(result.records, first, strict=True)
    )
    return result.model_copy(update={"records": records, "needs_review": True})


def _with_reason(record: Record, task: int) -> Record:
    number = record.fields["number"]
    reason = f"The number {number.value} of this supplier was read before: in task {task}."[:300]
    flagged = number.model_copy(update={"reasons": (*number.reasons[:19], reason)})
    return record.model_copy(update={"fields": {**record.fields, "number": flagged}})
