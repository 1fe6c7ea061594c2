"""What a document says, in a line: the values by which people tell one from another in a list, and why it needs a look."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.utils.translation import ngettext

from dashboard import words
from dashboard.sayings import spoken
from dashboard.templatetags.show import localised
from tasks import queue
from tasks.models import Task

TELLING = (
    "company",
    "issuer",
    "supplier",
    "party_1",
    "party_2",
    "title",
    "number",
    "date",
    "effective_date",
    "period_end",
    "total",
)
LARGEST_BYTES = 64 * 1024
"""Larger results (as they are stored) are not read for this: a list has many of them."""


def with_gists(tasks: Collection[Task]) -> None:
    """Give each task its `gist`, and its `doubt` where it needs review; "" where there is no result, or nothing in it. In one query."""
    attempts = [task.result_attempt for task in tasks if task.result_attempt]
    found = {}
    if attempts:
        rows = queue.read(
            queue.connection(), "list_gists", attempts=attempts, largest=LARGEST_BYTES, names=list(TELLING)
        )
        found = {row.id: row for row in rows}
    for task in tasks:
        task.gist = task.doubt = ""
        if row := found.get(task.result_attempt):
            task.gist = _line(dict(zip(row.names, row.texts, strict=True)), row.currency, row.records)
            flagged = dict(zip(row.flagged or (), row.reasons or (), strict=True))
            task.doubt = _doubt(row.reason, flagged) if task.needs_review else ""


def _doubt(reason: str | None, flagged: dict[str, str]) -> str:
    """The first reason: of the whole result, or of the field that is read first."""
    if reason:
        return spoken(reason)
    for name in words.ordered(flagged)[:1]:
        return f"{words.field_word(name)}: {spoken(flagged[name])}"
    return ""


def _line(values: dict[str, Any], currency: str | None, records: int) -> str:
    parts = [localised(name, values[name]) for name in TELLING if values.get(name)]
    if values.get("total") and currency:
        parts[-1] += f"\u202f{currency}"
    if records > 1:
        parts.append(ngettext("%(n)d record", "%(n)d records", records) % {"n": records})
    return " · ".join(parts)
