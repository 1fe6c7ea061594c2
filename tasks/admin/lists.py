"""Lists that open at once whatever their length: counts that stop, days as a filter, searches that ask indexes only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.db.models.functions import Lower
from django.http import HttpRequest
from django.template.defaultfilters import yesno
from django.utils import timezone
from django.utils.functional import Promise, cached_property

from tasks.models import Attempt, Document, Task

MOST_COUNTED = 1_000
MOST_FOUND = 1_000
SLACK = timedelta(hours=1)
"""Rows get their ids in the order of their times, but for transactions that were open side by side."""


class CappedPaginator(Paginator):
    """Counts no further than a person would turn pages."""

    @cached_property
    def count(self) -> int:
        rows = self.object_list[
            : MOST_COUNTED + 1
        ]  # in the list's own order, so that it stops where the pages would
        return rows.count()

    most = MOST_COUNTED

    @property
    def is_capped(self) -> bool:
        return self.count > MOST_COUNTED


def first_id(model: type[Model], field: str, moment: datetime) -> int:
    """The smallest id from which on all rows are of `moment` or later; ids grow with time. About twenty look-ups by primary key."""
    rows = model.objects.order_by("pk")
    ends = rows.values_list("pk", flat=True)
    low, high = ends.first() or 0, (ends.last() or 0) + 1
    while low < high:
        middle = (low + high) // 2
        found = rows.filter(pk__gte=middle, pk__lt=high).values_list("pk", field).first()
        if found is None or found[1] >= moment:
            high = middle
        else:
            low = found[0] + 1
    return low


class Days(admin.ListFilter):
    """From one day to another (UTC, both included), typed. Subclasses say the field, and how ids lead to it."""

    template = "admin/days_filter.html"
    field, path, id_path = "created_at", "created_at", "pk"
    dated: type[Model] | None = None
    """The model whose ids grow with `field`; None: the field has an index of its own."""

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: type[Model], page: Any) -> None:
        super().__init__(request, params, model, page)
        for name in self.expected_parameters():
            if name in params:
                self.used_parameters[name] = params.pop(name)[-1]

    def expected_parameters(self) -> list[str]:
        return ["from", "to"]

    def has_output(self) -> bool:
        return True

    def day(self, name: str) -> date | None:
        try:
            return date.fromisoformat(self.used_parameters.get(name, ""))
        except ValueError:
            return None

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        since, until = self.day("from"), self.day("to")
        if since:
            at = datetime.combine(since, time(), UTC)
            queryset = queryset.filter(**{f"{self.path}__gte": at})
            if self.dated:
                queryset = queryset.filter(
                    **{f"{self.id_path}__gte": first_id(self.dated, self.field, at - SLACK)}
                )
        if until:
            at = datetime.combine(until, time(), UTC) + timedelta(days=1)
            queryset = queryset.filter(**{f"{self.path}__lt": at})
            if self.dated:
                queryset = queryset.filter(
                    **{f"{self.id_path}__lt": first_id(self.dated, self.field, at + SLACK)}
                )
        return queryset

    def choices(self, changelist: Any) -> Iterable[dict[str, Any]]:
        kept = [
            (name, value) for name, values in changelist.get_filters_params().items() for value in values
            if name not in self.expected_parameters()
        ]  # fmt: skip
        yield {
            "since": self.day("from"), "until": self.day("to"), "kept": kept, "search": changelist.query,
            "clear": changelist.get_query_string(remove=self.expected_parameters()),
        }  # fmt: skip


def days(
    title: Any, dated: type[Model] | None, field: str = "created_at", path: str = "", id_path: str = "pk"
) -> type[Days]:
    """A filter by days for a list."""
    fields = {"title": title, "dated": dated, "field": field, "path": path or field, "id_path": id_path}
    return type("DaysOf", (Days,), fields)


def choice(
    title: Any, name: str, options: dict[str, tuple[Any, dict[str, Any]]]
) -> type[admin.SimpleListFilter]:
    """A filter of a few choices, each a word and what it filters by."""

    class Choice(admin.SimpleListFilter):
        def lookups(self, request: HttpRequest, page: Any) -> list[tuple[str, Any]]:
            return [(key, word) for key, (word, _lookups) in options.items()]

        def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
            return queryset.filter(**options[self.value()][1]) if self.value() in options else queryset

    Choice.title, Choice.parameter_name = title, name
    return Choice


def in_words(name: str, title: str | Promise) -> Callable[[Model], str]:
    """A column that says yes or no: the admin's own red cross reads as a fault where nothing is wrong."""

    @admin.display(description=title, ordering=name)
    def said(row: Model) -> str:
        return str(yesno(getattr(row, name)))

    return said


def clock(at: datetime | None) -> str:
    """A moment as short as a list needs it."""
    return timezone.localtime(at).strftime("%Y-%m-%d %H:%M") if at else "—"


# What people look for, one index each


def documents_found(term: str) -> QuerySet[Document]:
    """By id, the beginning of the digest, or the beginning of the name."""
    if re.fullmatch(r"\d{1,18}", term) and (found := Document.objects.filter(pk=int(term))).exists():
        return found
    if re.fullmatch(r"[0-9a-f]{8,64}", term.lower()):
        return Document.objects.filter(sha256__startswith=term.lower())
    return Document.objects.alias(lower=Lower("original_name")).filter(lower__startswith=term.lower())


def attempts_found(term: str) -> QuerySet[Attempt]:
    """By the attempt's own id, its run, or its trace."""
    try:
        return Attempt.objects.filter(pk=UUID(term))
    except ValueError:
        return Attempt.objects.filter(run_id=term).exclude(run_id="")


def traced(term: str) -> QuerySet[Attempt]:
    return Attempt.objects.filter(trace_id=term).exclude(trace_id="")


def tasks_found(term: str) -> list[int]:
    """Ids of tasks: by their own, or by what their document or one of their attempts is called. The newest, and not more than MOST_FOUND."""
    found: set[int] = set()
    if re.fullmatch(r"\d{1,18}", term):
        found |= set(Task.objects.filter(pk=int(term)).values_list("pk", flat=True))
    for attempts in (attempts_found(term), traced(term)):
        found |= set(attempts.values_list("task_id", flat=True)[:MOST_FOUND])
    documents = list(documents_found(term).order_by("-pk").values_list("pk", flat=True)[:MOST_FOUND])
    if documents:
        found |= set(
            Task.objects.filter(document__in=documents)
            .order_by("-pk")
            .values_list("pk", flat=True)[:MOST_FOUND]
        )
    return sorted(found, reverse=True)[:MOST_FOUND]
