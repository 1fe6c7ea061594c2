"""Agents: limits that hold at the next claim, and settings whose change makes a new version."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db.models import Max
from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from tasks.admin.base import Audited, Pausable, actor_of
from tasks.audit import Entry, record
from tasks.models import BUDGET_FIELDS, Agent, AgentVersion

ESTIMATES = (
    "input_tokens_per_page",
    "output_tokens_per_page",
    "tokens_per_document",
    "requests_per_page",
    "seconds_per_page",
)
VERSIONED = ("program", "options", "model", *ESTIMATES)
"""What a version is. Changing one of these makes the next version; tasks keep the version that they were handed in with."""
SPENDING = ("spend_warn_per_day", "spend_stop_per_day", "spend_warn_per_month", "spend_stop_per_month")


class AgentForm(forms.ModelForm):
    """An agent's row, and the settings of its current version beside it."""

    program = forms.CharField(
        label=_("program"), max_length=200, validators=[RegexValidator(r"^[A-Za-z_][\w.]*(:[A-Za-z_]\w*)?$")],
        help_text=_("rules, or package.module:function"),
    )  # fmt: skip
    options = forms.JSONField(label=_("settings"), required=False, initial=dict, help_text=_("A JSON object"))
    model = forms.CharField(label=_("model"), max_length=200, required=False)
    input_tokens_per_page = forms.FloatField(label=_("input tokens per page"), min_value=0, initial=0.0)
    output_tokens_per_page = forms.FloatField(label=_("output tokens per page"), min_value=0, initial=0.0)
    tokens_per_document = forms.FloatField(label=_("tokens per document"), min_value=0, initial=1.0)
    requests_per_page = forms.FloatField(label=_("requests per page"), min_value=0, initial=0.0)
    seconds_per_page = forms.FloatField(label=_("seconds per page"), min_value=0.001, initial=1.0)

    class Meta:
        model = Agent
        fields = "__all__"  # noqa: DJ007 - the admin's fieldsets below say which

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in VERSIONED:
            self.fields[name].label = capfirst(self.fields[name].label)
        if version := self.instance.current_version:
            for name in VERSIONED:
                self.initial[name] = getattr(version, name)

    def clean_options(self) -> dict[str, Any]:
        options = self.cleaned_data["options"] or {}
        if not isinstance(options, dict):
            raise ValidationError(_("This has to be a JSON object, such as {}."))
        return options


@admin.register(Agent)
class AgentAdmin(Pausable, Audited):
    form = AgentForm
    list_display = (
        "name",
        "title",
        "executor",
        "max_concurrent_tasks",
        "max_tpm",
        "pool",
        "current_version",
        "is_paused",
    )
    list_select_related = ("pool", "current_version__agent")
    search_fields = ("name", "title")
    readonly_fields = ("current_version", "is_paused", "cooldown_until", "created_at")
    fieldsets = (
        (None, {"fields": ("name", "title", "executor", "current_version", "is_paused", "created_at")}),
        (
            _("Limits: hold from the next claim on; empty is no limit"),
            {"fields": (*BUDGET_FIELDS, "pool", "cooldown_until", "is_fair")},
        ),
        (_("Attempts"), {"fields": ("timeout_seconds", "max_attempts", "memory_mib")}),
        (_("Spending in USD"), {"fields": (*SPENDING, "document_cost_ceiling")}),
        (_("Program: a change makes a new version"), {"fields": VERSIONED}),
    )

    def has_delete_permission(self, request: HttpRequest, obj: Agent | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Agent, form: AgentForm, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if not change or set(form.changed_data) & set(VERSIONED):
            self._make_version(request, obj, form)

    def _make_version(self, request: HttpRequest, agent: Agent, form: AgentForm) -> None:
        """The agent's row is locked by save_model (or new), so two edits at once get two numbers."""
        last = AgentVersion.objects.filter(agent=agent).aggregate(last=Max("number"))["last"] or 0
        settings = {name: form.cleaned_data[name] for name in VERSIONED}
        agent.current_version = AgentVersion.objects.create(
            agent=agent, number=last + 1, created_by=request.user, **settings
        )
        agent.save(update_fields=("current_version",))
        record(
            actor_of(request),
            [Entry("new_version", "agent", str(agent.pk), after={"number": last + 1, **settings})],
        )
