"""Tasks: everything about them to read, and the verbs of operators; no form writes a state."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from tasks import operations
from tasks.admin.base import ReadOnly, actor_of, confirmed
from tasks.models import Attempt, Task
from tasks.states import Priority

LEVELS = (
    (int(Priority.URGENT), _("Urgent")),
    (int(Priority.INTERACTIVE), _("Interactive")),
    (int(Priority.NORMAL), _("Normal")),
    (int(Priority.BULK), _("Bulk")),
)


class PriorityForm(forms.Form):
    priority = forms.TypedChoiceField(
        label=_("Priority"), choices=LEVELS, coerce=int, initial=int(Priority.NORMAL)
    )


class AttemptInline(admin.TabularInline):
    model = Attempt
    can_delete = False
    show_change_link = True
    extra = 0
    fields = readonly_fields = (
        "number", "status", "generation", "claimed_at", "finished_at", "input_tokens", "output_tokens", "cost_usd", "confidence", "error_message",
    )  # fmt: skip
    ordering = ("-number",)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Task)
class TaskAdmin(ReadOnly):
    belongs_to_client = True
    list_display = (
        "id", "status", "document", "client", "agent", "priority", "attempts_made", "confidence", "created_at", "finished_at",
    )  # fmt: skip
    list_select_related = ("document", "client", "agent")
    list_filter = ("status", "needs_review", "agent")
    search_fields = ("=id", "=extraction__id", "=document__sha256")
    ordering = ("-id",)
    exclude = ("sealed_password",)
    inlines = (AttemptInline,)
    actions = ("retry", "reprocess", "cancel", "reprioritise", "run_next")

    @admin.action(description=_("Retry what failed or was cancelled"), permissions=["operate"])
    def retry(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return self._ask(request, queryset, "retry", _("Retry tasks"), operations.retry)

    @admin.action(description=_("Read again (a new generation)"), permissions=["operate"])
    def reprocess(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return self._ask(request, queryset, "reprocess", _("Read documents again"), operations.reprocess)

    @admin.action(description=_("Cancel"), permissions=["operate"])
    def cancel(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return self._ask(request, queryset, "cancel", _("Cancel tasks"), operations.cancel)

    @admin.action(description=_("Run next"), permissions=["operate"])
    def run_next(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return self._ask(request, queryset, "run_next", _("Run tasks next"), operations.run_next)

    @admin.action(description=_("Change priority"), permissions=["operate"])
    def reprioritise(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        def do(ids: list[int], reason: str, chosen: dict[str, Any]) -> operations.Outcome:
            return operations.reprioritise(actor_of(request), ids, chosen["priority"], reason)

        return confirmed(
            self,
            request,
            queryset,
            action="reprioritise",
            title=_("Change priority"),
            do=do,
            form_class=PriorityForm,
        )

    def _ask(
        self, request: HttpRequest, queryset: QuerySet, action: str, title: Any, verb: Any
    ) -> HttpResponse | None:
        return confirmed(
            self,
            request,
            queryset,
            action=action,
            title=title,
            do=lambda ids, reason, _chosen: verb(actor_of(request), ids, reason),
        )
