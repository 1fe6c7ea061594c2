"""Attempts: every run with its tokens, cost and error. An operator may vouch that one has ended."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from tasks import operations
from tasks.admin.base import ReadOnly, actor_of, confirmed
from tasks.models import Attempt


@admin.register(Attempt)
class AttemptAdmin(ReadOnly):
    belongs_to_client = True
    list_display = (
        "__str__", "status", "agent", "executor", "claimed_at", "finished_at", "ended_at", "input_tokens", "output_tokens", "cost_usd", "cost_state",
    )  # fmt: skip
    list_select_related = ("agent",)
    list_filter = ("status", "agent")
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
