"""Attempts: every run with its tokens, cost and error. An operator may vouch that one has ended."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from tasks import operations, queue
from tasks.admin.base import ReadOnly, actor_of, confirmed
from tasks.models import Attempt


class Silence(admin.SimpleListFilter):
    """Attempts that should be running and have said nothing for a while."""

    title, parameter_name = _("not heard of for"), "silent"
    most = 1000

    def lookups(self, request: HttpRequest, page: Any) -> list[tuple[str, Any]]:
        return [("60", _("a minute")), ("600", _("ten minutes")), ("3600", _("an hour"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        if self.value() not in ("60", "600", "3600"):
            return queryset
        silent = queue.silent_attempts(queue.connection(), float(self.value()), self.most)
        return queryset.filter(pk__in=[row.id for row in silent])


@admin.register(Attempt)
class AttemptAdmin(ReadOnly):
    belongs_to_client = True
    list_display = (
        "__str__", "status", "agent", "executor", "claimed_at", "finished_at", "ended_at", "input_tokens", "output_tokens", "cost_usd", "cost_state",
    )  # fmt: skip
    list_select_related = ("agent",)
    list_filter = ("status", Silence, "agent")
    search_fields = ("=id", "=task__id", "=run_id")
    ordering = ("-claimed_at",)
    actions = ("declare_ended",)

    @admin.action(description=_("Declare ended"), permissions=["operate"])
    def declare_ended(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        """For runs that nobody can confirm any more (job deleted, access revoked): they stop counting against limits."""
        return confirmed(
            self, request, queryset, action="declare_ended", title=_("Declare attempts ended"), needs_reason=True,
            do=lambda ids, reason, _chosen: operations.declare_ended(actor_of(request), ids, reason),
        )  # fmt: skip
