"""Workers: which processes claim tasks, what each runs, when it was last heard of; and how one is drained before it is stopped."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from tasks.admin.base import ReadOnly, confirmed
from tasks.admin.lists import choice
from tasks.clock import NOW
from tasks.models import Task, Worker


@admin.register(Worker)
class WorkerAdmin(ReadOnly):
    list_display = (
        "__str__",
        "condition",
        "running",
        "slots",
        "executors",
        "version",
        "started_at",
        "heartbeat_at",
    )
    list_filter = (choice(_("condition"), "condition", {"there": (_("not stopped"), {"stopped_at": None})}),)
    search_fields = ("=id", "host")
    ordering = ("-heartbeat_at",)
    readonly_fields = ("condition", "running")
    actions = ("drain", "undrain")

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        held = (
            Task.objects.filter(status="processing", lease_owner=OuterRef("pk"))
            .order_by()
            .values("lease_owner")
        )
        number = Coalesce(Subquery(held.annotate(number=Count("pk")).values("number")), 0)
        return (
            super()
            .get_queryset(request)
            .annotate(held=number, is_silent_before=NOW - timedelta(seconds=settings.LEASE_SECONDS))
        )

    @admin.display(description=_("runs now"))
    def running(self, worker: Any) -> int:
        return worker.held

    @admin.display(description=_("condition"))
    def condition(self, worker: Any) -> Any:
        """In a word, what its times say."""
        if worker.stopped_at:
            return _("stopped")
        if worker.heartbeat_at < worker.is_silent_before:
            return _("silent")
        if worker.stopping_at:
            return _("stopping")
        if worker.drain_requested_at:
            return _("drained: nothing runs any more") if not worker.held else _("draining")
        return _("working")

    @admin.action(description=_("Drain: take nothing more"), permissions=["operate"])
    def drain(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return confirmed(self, request, queryset, "drain")

    @admin.action(description=_("Take work again"), permissions=["operate"])
    def undrain(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return confirmed(self, request, queryset, "undrain")
