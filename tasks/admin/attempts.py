"""Attempts: every run with its tokens, cost and error. An operator may vouch that one has ended."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from tasks import queue
from tasks.admin.base import ReadOnly, confirmed
from tasks.admin.lists import attempts_found, choice, days, traced
from tasks.admin.names import state
from tasks.models import Attempt, Task
from tasks.traces.places import page_of

MOST_SILENT = 1000
ENDS = ("failed", "timeout", "lost", "cancelled", "released", "superseded")


class Silence(admin.SimpleListFilter):
    """Attempts that should be running and have said nothing for a while."""

    title, parameter_name = _("not heard of for"), "silent"

    def lookups(self, request: HttpRequest, page: Any) -> list[tuple[str, Any]]:
        return [("60", _("a minute")), ("600", _("ten minutes")), ("3600", _("an hour"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        if self.value() not in ("60", "600", "3600"):
            return queryset
        silent = queue.silent_attempts(queue.connection(), float(self.value()), MOST_SILENT)
        return queryset.filter(pk__in=[row.id for row in silent])


@admin.register(Attempt)
class AttemptAdmin(ReadOnly):
    belongs_to_client = True
    list_display = (
        "__str__", state, "agent", "executor", "claimed_at", "finished_at", "ended_at", "input_tokens", "output_tokens", "cost_usd", "cost_state",
    )  # fmt: skip
    list_select_related = ("agent",)
    list_filter = (
        choice(_("state"), "state", {
            "live": (_("counts against limits"), {"ended_at": None}), **{end: (_(end), {"status": end}) for end in ENDS},
        }),
        choice(_("trace"), "trace", {
            "faulty": (_("missing or different"), {"trace_state__in": ("missing", "differs")}),
        }),
        Silence, days(_("day of the task"), Task, path="task__created_at", id_path="task_id"), "agent",
    )  # fmt: skip
    readonly_fields = ("in_mlflow",)
    search_fields = ("=id",)
    search_help_text = _("Id of the attempt, its run or trace, or the number of its task")
    ordering = ("-task_id", "-number")
    sortable_by = ()
    actions = ("declare_ended",)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet, search_term: str
    ) -> tuple[QuerySet, bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        if (
            term.isascii()
            and term.isdigit()
            and len(term) <= 18
            and Attempt.objects.filter(task=int(term)).exists()
        ):
            return queryset.filter(task=int(term)), False
        return queryset.filter(
            pk__in=[
                *attempts_found(term).values_list("pk", flat=True)[:1000],
                *traced(term).values_list("pk", flat=True)[:1000],
            ]
        ), False

    @admin.display(description=_("in MLflow"))
    def in_mlflow(self, row: Attempt) -> str:
        """A link to the trace, where the address of MLflow is set."""
        page = page_of(row.trace_id)
        return format_html('<a href="{}" rel="noreferrer">{}</a>', page, row.trace_id) if page else "—"

    def described(self, row: Attempt) -> str:
        return f"{row} · {state(row)} · {row.run_id or row.pk}"

    @admin.action(description=_("Declare ended"), permissions=["operate"])
    def declare_ended(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        """For runs that nobody can confirm any more (job deleted, access revoked): they stop counting against limits."""
        return confirmed(self, request, queryset, "declare_ended")
