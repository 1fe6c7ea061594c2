"""Reads the audit log: by days, by what was acted on, by person; each by an index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from tasks.models import AuditEntry

OBJECTS = {
    "task": _("task"), "attempt": _("attempt"), "extraction": _("extraction"), "document": _("document"), "agent": _("agent"), "pool": _("pool"),
    "client": _("client"), "everything": _("everything"), "worker": _("worker"), "membership": _("membership"), "user": _("user"),
    "group": _("group"), "price": _("price"), "delivery": _("delivery"), "auditentry": _("audit log"), "alertrule": _("alert rule"), "notice": _("notice"),
}  # fmt: skip
COLUMNS = (
    "id",
    "at",
    "actor_name",
    "source",
    "verb",
    "object_type",
    "object_id",
    "reason",
    "before",
    "after",
)
CHUNK = 2000


def found(rows: QuerySet[AuditEntry], term: str) -> QuerySet[AuditEntry]:
    """What was done to the object of this number or id, or by the person of this name."""
    if re.fullmatch(r"\d{1,18}", term):
        return rows.filter(object_type__in=list(OBJECTS), object_id=term)
    try:
        return rows.filter(object_type__in=list(OBJECTS), object_id=str(UUID(term)))
    except ValueError:
        return rows.filter(actor_name=term)


def narrowed(
    rows: QuerySet[AuditEntry], since: str = "", until: str = "", of: str = "", term: str = ""
) -> QuerySet[AuditEntry]:
    """By UTC days (both included, as 2026-11-30), by kind of object, by `found`; what is empty or no day narrows nothing."""
    if day := _day(since):
        rows = rows.filter(at__gte=datetime.combine(day, time(), UTC))
    if day := _day(until):
        rows = rows.filter(at__lt=datetime.combine(day, time(), UTC) + timedelta(days=1))
    if of in OBJECTS:
        rows = rows.filter(object_type=of)
    return found(rows, term) if term else rows


def in_order(rows: QuerySet[AuditEntry]) -> Iterator[tuple[Any, ...]]:
    """All entries from the first on as values of COLUMNS, read in chunks."""
    last = 0
    while True:
        chunk = list(rows.filter(id__gt=last).order_by("id").values_list(*COLUMNS)[:CHUNK])
        yield from chunk
        if len(chunk) < CHUNK:
            return
        last = chunk[-1][0]


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
