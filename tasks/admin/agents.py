"""Agents: limits that hold at the next claim, and settings whose change makes a new version."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import yesno
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from tasks import fairness, queue, versions
from tasks.admin import in_use
from tasks.admin.agent_form import VERSION_INPUTS, AgentForm
from tasks.admin.base import PAUSED, Audited, Pausable, actor_of, confirmed
from tasks.admin.schema_editor import SchemaPage
from tasks.admin.trials import TrialPage
from tasks.models import BUDGET_FIELDS, Agent, AgentVersion

SPENDING = ("spend_warn_per_day", "spend_stop_per_day", "spend_warn_per_month", "spend_stop_per_month")


NO_LIMIT = "-"


class LimitsForm(forms.Form):
    """New limits; what is left empty stays as it is. Its data is what the verb `set_limits` takes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in BUDGET_FIELDS:
            self.fields[name] = forms.RegexField(
                regex=r"^([1-9]\d{0,8}|-)$", required=False, label=capfirst(Agent._meta.get_field(name).verbose_name),
                help_text=_("Empty: stays as it is. - : no limit."), error_messages={"invalid": _("A whole number above 0, or -")},
            )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        given = {name: value for name in BUDGET_FIELDS if (value := self.cleaned_data.get(name))}
        if not given and not self.errors:
            raise ValidationError(_("Give at least one limit."))
        return {"limits": {name: None if value == NO_LIMIT else int(value) for name, value in given.items()}}


class Limited(admin.ModelAdmin):
    """What agents and pools have in common: limits, who holds them, and the action that sets them for several."""

    @admin.display(description=_("in use"))
    def used_now(self, row: Any) -> SafeString | str:
        return in_use.in_use(row)

    @admin.action(description=_("Set limits"), permissions=["operate"])
    def set_limits(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return confirmed(self, request, queryset, "set_limits", form_class=LimitsForm)  # type: ignore[arg-type]

    @admin.action(description=_("End the cool-down"), permissions=["operate"])
    def end_cooldown(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return confirmed(self, request, queryset, "end_cooldown")  # type: ignore[arg-type]


@admin.register(Agent)
class AgentAdmin(SchemaPage, TrialPage, Pausable, Limited, Audited):
    form = AgentForm
    change_form_template = "admin/agent.html"
    list_display = (
        "name",
        "title",
        "executor",
        "max_concurrent_tasks",
        "max_tpm",
        "pool",
        "current_version",
        "is_ready",
        PAUSED,
    )
    list_select_related = ("pool", "current_version__agent")
    search_fields = ("name", "title")
    actions = ("set_limits", "end_cooldown", "pause", "resume")
    readonly_fields = (
        "current_version", PAUSED, "cooldown_until", "created_at", "used_now", "learnt", "spent", "prices", "every_version",
        "lacks", "asked", "set_to",
    )  # fmt: skip
    fieldsets = (
        (
            None,
            {"fields": ("name", "title", "executor", "current_version", "lacks", PAUSED, "created_at")},
        ),
        (
            _("Limits: hold from the next claim on; empty is no limit"),
            {"fields": (*BUDGET_FIELDS, "pool", "cooldown_until", "is_fair", "used_now")},
        ),
        (_("Attempts"), {"fields": ("timeout_seconds", "max_attempts", "memory_mib")}),
        (_("Spending in USD"), {"fields": ("spent", *SPENDING, "document_cost_ceiling", "prices")}),
        (
            _("Program: a change makes a new version"),
            {
                "fields": (
                    *VERSION_INPUTS[:1],
                    "asked",
                    *VERSION_INPUTS[1:],
                    "learnt",
                    "every_version",
                )
            },
        ),
    )

    def get_fieldsets(self, request: HttpRequest, obj: Agent | None = None) -> Any:
        """Who may only look sees the version's settings instead of the inputs, which hold them in a form alone."""
        if obj is None or self.has_change_permission(request, obj):
            return super().get_fieldsets(request, obj)
        shown = ("set_to", "asked", "learnt", "every_version")
        return (*self.fieldsets[:-1], (_("Program"), {"fields": shown}))

    @admin.display(description=_("settings"))
    def set_to(self, agent: Agent) -> SafeString | str:
        return in_use.settings(agent.current_version) if agent.current_version else "—"

    @admin.display(description=_("ready"))
    def is_ready(self, agent: Agent) -> str:
        return str(yesno(not versions.lacking(agent, agent.current_version)))

    @admin.display(description=_("what it lacks"))
    def lacks(self, agent: Agent) -> str:
        return versions.lacking(agent, agent.current_version) or _("Nothing: it can read.")

    @admin.display(description=_("fields"))
    def asked(self, agent: Agent) -> SafeString | str:
        return in_use.asked(agent)

    @admin.display(description=_("estimates"))
    def learnt(self, agent: Agent) -> SafeString | str:
        return in_use.learnt(agent.current_version) if agent.current_version else "—"

    @admin.display(description=_("spent"))
    def spent(self, agent: Agent) -> str:
        return in_use.spent(agent)

    @admin.display(description=_("prices"))
    def prices(self, agent: Agent) -> SafeString | str:
        return in_use.prices(agent.current_version)

    @admin.display(description=_("versions"))
    def every_version(self, agent: Agent) -> SafeString | str:
        return in_use.versions(agent)

    def has_delete_permission(self, request: HttpRequest, obj: Agent | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Agent, form: AgentForm, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change and "is_fair" in form.changed_data:
            fairness.switched(queue.connection(), obj.pk, obj.is_fair)
        if changes := form.version_changes():
            # The row is locked above (or new). What others changed since this form was opened stays
            current = AgentVersion.objects.filter(agent=obj).order_by("-number").first()
            versions.make(actor_of(request), obj, versions.changed(current, changes))
