"""The switches that concern everything: pause and resume of the whole installation."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from tasks import operations
from tasks.admin.base import ReadOnly, switched
from tasks.models import Switches


@admin.register(Switches)
class SwitchesAdmin(ReadOnly):
    list_display = ("__str__", "is_paused")
    actions = ("pause", "resume")

    @admin.action(description=_("Pause everything"), permissions=["operate"])
    def pause(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return switched(
            self,
            request,
            queryset,
            _everything(operations.pause),
            "pause",
            _("Pause everything: what runs goes on"),
        )

    @admin.action(description=_("Resume everything"), permissions=["operate"])
    def resume(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return switched(
            self, request, queryset, _everything(operations.resume), "resume", _("Resume everything")
        )


def _everything(verb: Callable) -> Callable:
    return lambda actor, _row, reason: verb(actor, None, reason)
