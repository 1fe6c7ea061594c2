"""The switches that concern everything: pause and maintenance of the whole installation."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from tasks.admin.base import PAUSED, Pausable, ReadOnly, confirmed
from tasks.models import Switches


@admin.register(Switches)
class SwitchesAdmin(Pausable, ReadOnly):
    list_display = ("everything", PAUSED, "maintenance_since", "maintenance_reason")
    actions = ("pause", "resume", "begin_maintenance", "end_maintenance")

    @admin.display(description=_("what"))
    def everything(self, row: Switches) -> str:
        return str(_("everything"))

    @admin.action(description=_("Begin maintenance"), permissions=["operate"])
    def begin_maintenance(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return confirmed(self, request, queryset, "begin_maintenance")

    @admin.action(description=_("End maintenance"), permissions=["operate"])
    def end_maintenance(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return confirmed(self, request, queryset, "end_maintenance")

    def described(self, row: Switches) -> str:
        return str(_("everything"))
