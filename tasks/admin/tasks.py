"""Tasks: everything about them to read, and the verbs of operators; no form writes a state."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from tasks.admin.base import ReadOnly, confirmed
from tasks.admin.lists import choice, clock, days, tasks_found
from tasks.admin.names import state
from tasks.models import Agent, Attempt, Task
from tasks.states import Priority
from tasks.versions import usable

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


class AgentForm(forms.Form):
    """Agents that could read something."""

    agent = forms.ModelChoiceField(
        label=_("Agent"), queryset=usable(Agent.objects.all()), to_field_name="name"
    )

    def clean_agent(self) -> str:
        return self.cleaned_data["agent"].name


class SameOrOtherAgentForm(AgentForm):
    agent = forms.ModelChoiceField(
        label=_("Agent"), queryset=AgentForm.base_fields["agent"].queryset, to_field_name="name", required=False,
        empty_label=_("the same as before"),
    )  # fmt: skip

    version = forms.IntegerField(
        label=_("Version"), min_value=1, required=False, help_text=_("Its number; empty: the current one of the agent that is chosen"),
    )  # fmt: skip

    def clean_agent(self) -> str:
        agent = self.cleaned_data["agent"]
        return agent.name if agent else ""

    def clean(self) -> dict[str, Any]:
        version = self.cleaned_data.pop("version", None)
        return self.cleaned_data | ({"version": version} if version else {})


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
        "id", state, "document", "client", "agent", "priority", "attempts_made", "error_code", "confidence", "created", "finished",
    )  # fmt: skip
    list_select_related = ("document", "client", "agent")
    list_filter = (
        choice(_("state"), "state", {
            "enqueued": (_("enqueued"), {"status": "enqueued"}), "processing": (_("processing"), {"status": "processing"}),
            "completed": (_("completed"), {"status": "completed"}), "review": (_("needs review"), {"needs_review": True}),
            "failed": (_("failed"), {"status": "failed"}), "cancelled": (_("cancelled"), {"status": "cancelled"}),
        }),
        days(_("day"), Task), "agent",
    )  # fmt: skip
    search_fields = ("=id",)
    search_help_text = _(
        "Number, run, trace or attempt id, the beginning of a SHA-256, or of a document's name"
    )
    ordering = ("-id",)
    sortable_by = ("id",)
    exclude = ("sealed_password",)
    inlines = (AttemptInline,)
    actions = ("retry", "reprocess", "reassign", "cancel", "reprioritise", "run_next", "release")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet, search_term: str
    ) -> tuple[QuerySet, bool]:
        term = search_term.strip()
        return (queryset.filter(pk__in=tasks_found(term)) if term else queryset), False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        return lookup in (
            "status",
            "status__exact",
            "client",
            "client__id__exact",
            "extraction",
            "extraction__id__exact",
            "error_code",
            "error_code__exact",
        ) or super().lookup_allowed(lookup, value, request)

    @admin.display(description=_("created"), ordering="id")
    def created(self, row: Task) -> str:
        return clock(row.created_at)

    @admin.display(description=_("finished"))
    def finished(self, row: Task) -> str:
        return clock(row.finished_at)

    def described(self, row: Task) -> str:
        return f"{row.pk} · {row.document} · {row.client} · {state(row)}"

    @admin.action(description=_("Retry what failed or was cancelled"), permissions=["operate"])
    def retry(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return confirmed(self, request, queryset, "retry")

    @admin.action(description=_("Read again (a new generation)"), permissions=["operate"])
    def reprocess(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return confirmed(self, request, queryset, "reprocess", form_class=SameOrOtherAgentForm)

    @admin.action(description=_("Give waiting tasks to another agent"), permissions=["operate"])
    def reassign(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return confirmed(self, request, queryset, "reassign", form_class=AgentForm)

    @admin.action(description=_("Cancel"), permissions=["operate"])
    def cancel(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return confirmed(self, request, queryset, "cancel")

    @admin.action(description=_("Run next"), permissions=["operate"])
    def run_next(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return confirmed(self, request, queryset, "run_next")

    @admin.action(description=_("Take from their workers"), permissions=["operate"])
    def release(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return confirmed(self, request, queryset, "release")

    @admin.action(description=_("Change priority"), permissions=["operate"])
    def reprioritise(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return confirmed(self, request, queryset, "reprioritise", form_class=PriorityForm)
