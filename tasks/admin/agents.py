"""Agents: limits that hold at the next claim, and settings whose change makes a new version."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db.models import Max, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from tasks import fairness, queue
from tasks.admin import in_use
from tasks.admin.base import Audited, Pausable, actor_of, confirmed
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
        return in_use.in_use(row) if row.pk else "—"

    @admin.action(description=_("Set limits"), permissions=["operate"])
    def set_limits(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return confirmed(self, request, queryset, "set_limits", form_class=LimitsForm)  # type: ignore[arg-type]


@admin.register(Agent)
class AgentAdmin(Pausable, Limited, Audited):
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
    actions = ("set_limits", "pause", "resume")
    readonly_fields = (
        "current_version", "is_paused", "cooldown_until", "created_at", "used_now", "learnt", "spent", "prices", "every_version",
    )  # fmt: skip
    fieldsets = (
        (None, {"fields": ("name", "title", "executor", "current_version", "is_paused", "created_at")}),
        (
            _("Limits: hold from the next claim on; empty is no limit"),
            {"fields": (*BUDGET_FIELDS, "pool", "cooldown_until", "is_fair", "used_now")},
        ),
        (_("Attempts"), {"fields": ("timeout_seconds", "max_attempts", "memory_mib")}),
        (_("Spending in USD"), {"fields": ("spent", *SPENDING, "document_cost_ceiling", "prices")}),
        (_("Program: a change makes a new version"), {"fields": (*VERSIONED, "learnt", "every_version")}),
    )

    @admin.display(description=_("estimates"))
    def learnt(self, agent: Agent) -> SafeString | str:
        return in_use.learnt(agent.current_version) if agent.current_version else "—"

    @admin.display(description=_("spent"))
    def spent(self, agent: Agent) -> str:
        return in_use.spent(agent) if agent.pk else "—"

    @admin.display(description=_("prices"))
    def prices(self, agent: Agent) -> SafeString | str:
        return in_use.prices(agent.current_version)

    @admin.display(description=_("versions"))
    def every_version(self, agent: Agent) -> SafeString | str:
        return in_use.versions(agent) if agent.pk else "—"

    def has_delete_permission(self, request: HttpRequest, obj: Agent | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Agent, form: AgentForm, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change and "is_fair" in form.changed_data:
            fairness.switched(queue.connection(), obj.pk, obj.is_fair)
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
