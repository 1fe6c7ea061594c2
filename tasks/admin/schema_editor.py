"""The page on which the fields of an agent are edited: a table of plain inputs, checked in words, whose saving makes the next version."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks import versions
from tasks.admin import in_use
from tasks.admin.base import actor_of
from tasks.agent.schema import LONGEST_TEXT, MOST_FIELDS, Schema, SchemaError, Type, ready_made
from tasks.models import Agent, AgentVersion

EMPTY_ROWS = 5
STEP, LAST = 10, 100_000
"""Positions are 10, 20, 30, so that a row can be put between two others."""
TYPES = (
    (Type.TEXT, gettext_lazy("text")), (Type.DATE, gettext_lazy("date")), (Type.MONEY, gettext_lazy("money")),
    (Type.NUMBER, gettext_lazy("number")), (Type.INTEGER, gettext_lazy("whole number")), (Type.CURRENCY, gettext_lazy("currency")),
    (Type.CHOICE, gettext_lazy("choice")), (Type.LIST, gettext_lazy("list")),
)  # fmt: skip


class FieldForm(forms.Form):
    """One row: a field, or ("lines.amount") a column of a list. What is wrong with it as a part of the schema, the schema says."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=121)
    type = forms.ChoiceField(label=gettext_lazy("Type"), choices=TYPES, initial=Type.TEXT)
    required = forms.BooleanField(label=gettext_lazy("Required"), required=False)
    description = forms.CharField(label=gettext_lazy("Description"), required=False, max_length=LONGEST_TEXT)
    choices = forms.CharField(label=gettext_lazy("Choices"), required=False, max_length=5200)
    position = forms.IntegerField(label=gettext_lazy("Position"), required=False, min_value=0, max_value=LAST)

    def member(self) -> dict[str, Any]:
        """The row as a schema has it, but for columns."""
        data = self.cleaned_data
        kept = {"name": data["name"].rpartition(".")[2], "type": data["type"]}
        words = [word.strip() for word in data["choices"].split(";") if word.strip()]
        given = {"description": data["description"], "required": data["required"], "choices": words}
        return kept | {name: value for name, value in given.items() if value}


class Fields(forms.BaseFormSet):
    """All rows; `members` are the schema's `fields` once they are valid."""

    members: list[dict[str, Any]]

    def add_fields(self, form: forms.Form, index: int | None) -> None:
        super().add_fields(form, index)
        for field in form.fields.values():
            # The heading of its column names an input to the eye only
            field.widget.attrs["aria-label"] = f"{field.label} {(index or 0) + 1}"

    def clean(self) -> None:
        if any(self.errors):
            return
        forms = [form for form in self.forms if form.cleaned_data and not self._should_delete_form(form)]
        forms.sort(
            key=lambda form: LAST if form.cleaned_data["position"] is None else form.cleaned_data["position"]
        )
        parted = [(*form.cleaned_data["name"].rpartition("."), form.member()) for form in forms]
        self.members = [member for _within, dot, _name, member in parted if not dot]
        by_name = {member["name"]: member for member in self.members}
        for within, dot, name, member in parted:
            if not dot:
                continue
            names = {"name": f"{within}.{name}", "list": within}
            if within not in by_name:
                complaint = _(
                    "“%(name)s” is a column of “%(list)s”, but there is no such field; add it as a list."
                )
                raise ValidationError(complaint, params=names)
            if member["type"] == Type.LIST:
                raise ValidationError(
                    _("“%(name)s” is a list within a list; lists go one level deep."), params=names
                )
            by_name[within].setdefault("fields", []).append(member)


FieldSet = forms.formset_factory(
    FieldForm, formset=Fields, extra=EMPTY_ROWS, can_delete=True, max_num=MOST_FIELDS + EMPTY_ROWS,
    absolute_max=MOST_FIELDS + EMPTY_ROWS, validate_max=True,
)  # fmt: skip


class SchemaForm(forms.Form):
    """What stands above the rows. `based_on` is the version that this person looked at."""

    kind = forms.CharField(
        label=gettext_lazy("Kind"), max_length=40,
        help_text=gettext_lazy("What such a document is called in results: invoice, contract, delivery_note"),
    )  # fmt: skip
    based_on = forms.IntegerField(widget=forms.HiddenInput)


def rows_of(schema: Schema) -> list[dict[str, Any]]:
    """Initial rows; columns follow their list."""
    rows = []
    for one in schema.fields:
        for prefix, field in ((("", one)), *((f"{one.name}.", column) for column in one.fields)):
            rows.append(
                {"name": prefix + field.name, "type": field.type.value, "required": field.required,
                 "description": field.description, "choices": "; ".join(field.choices)}
            )  # fmt: skip
    return [row | {"position": STEP * (index + 1)} for index, row in enumerate(rows)]


class SchemaPage(admin.ModelAdmin):
    """Adds the editor to the admin of agents. Whoever may change an agent may change its fields."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.schema_view)
        return [path("<int:pk>/schema/", view, name="tasks_agent_schema"), *super().get_urls()]

    def schema_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        agent = get_object_or_404(Agent.objects.select_related("current_version"), pk=pk)
        if not self.has_change_permission(request, agent):
            raise PermissionDenied
        if request.method != "POST":
            return self._page(request, agent, *_forms_for(agent, request.GET.get("from", "")))
        data = request.POST.copy()
        if "more" in data:
            number = data.get("form-TOTAL_FORMS", "")
            data["form-TOTAL_FORMS"] = (
                str(int(number) + EMPTY_ROWS) if number.isdecimal() and len(number) < 4 else "0"
            )
        top, rows = SchemaForm(data), FieldSet(data)
        schema, problems = _read(top, rows)
        if schema and "save" in data:
            version = self._save(request, agent, schema, top.cleaned_data["based_on"])
            if version:
                self._tell(request, agent, version)
                return redirect("admin:tasks_agent_change", pk)
            agent.refresh_from_db()
            data["based_on"] = str(agent.current_version.number if agent.current_version else 0)
            top = SchemaForm(data)
            problems = [
                _(
                    "Somebody else has changed this agent meanwhile. What your fields would change of that is shown below; save again to do so."
                )
            ]
        return self._page(request, agent, top, rows, schema, problems)

    def _save(
        self, request: HttpRequest, agent: Agent, schema: dict[str, Any], based_on: int
    ) -> AgentVersion | None:
        """The next version, or the present one where nothing changes; None if it is another one than this person looked at."""
        with transaction.atomic():
            locked = Agent.objects.select_for_update(no_key=True).get(pk=agent.pk)
            current = locked.current_version
            if (current.number if current else 0) != based_on:
                return None
            values = versions.changed(
                current, {"schema": schema} | ({} if current else {"program": versions.LLM})
            )
            if current and not in_use.compared(current, values):
                return current
            version = versions.make(actor_of(request), locked, values)
            self.log_change(request, locked, [{"changed": {"fields": ["schema"]}}])
            return version

    def _tell(self, request: HttpRequest, agent: Agent, version: AgentVersion) -> None:
        if version.pk == agent.current_version_id:
            self.message_user(request, _("Nothing was changed."), messages.WARNING)
            return
        link = reverse("admin:tasks_agentversion_change", args=(version.pk,))
        told = _("Version %(number)d reads what is handed in from now on; what waits keeps its version.") % {
            "number": version.number
        }
        self.message_user(
            request, format_html('{} <a href="{}">{}</a>', told, link, _("What changed")), messages.SUCCESS
        )

    def _page(
        self, request: HttpRequest, agent: Agent, top: SchemaForm, rows: Fields,
        schema: dict[str, Any] | None = None, problems: list[str] | None = None,
    ) -> HttpResponse:  # fmt: skip
        current = agent.current_version
        context = {
            **self.admin_site.each_context(request), "title": _("Fields of %(agent)s") % {"agent": agent.name}, "opts": self.opts, "agent": agent,
            "top": top, "rows": rows, "problems": problems or [], "ready_made": list(ready_made()), "most": MOST_FIELDS,
        }  # fmt: skip
        if schema:
            changes = versions.changed(current, {"schema": schema})
            context["difference"] = in_use.compared(current, changes) if current else []
            context["sent"] = json.dumps(Schema.of(schema).json_schema(), indent=2, ensure_ascii=False)
        return TemplateResponse(request, "admin/schema_editor.html", context)


def _forms_for(agent: Agent, begin_with: str) -> tuple[SchemaForm, Fields]:
    """The agent's fields, or those of a ready-made schema to begin with."""
    current = agent.current_version
    schema = ready_made().get(begin_with) or versions.schema_of(current.options if current else {})
    top = SchemaForm(
        initial={"kind": schema.kind if schema else "", "based_on": current.number if current else 0}
    )
    return top, FieldSet(initial=rows_of(schema) if schema else [])


def _read(top: SchemaForm, rows: Fields) -> tuple[dict[str, Any] | None, list[str]]:
    """The schema as JSON has it, or what is wrong with it as a whole; what is wrong with an input stands beside that."""
    is_whole = top.is_valid()
    if not (rows.is_valid() and is_whole):
        return None, []
    data = {"kind": top.cleaned_data["kind"], "fields": rows.members}
    try:
        Schema.of(data)
    except SchemaError as error:
        return None, error.problems
    return data, []
