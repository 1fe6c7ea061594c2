"""Sums of finished tasks, as the pages read them. For engineers who wonder about a figure."""

from __future__ import annotations

from django.contrib import admin

from tasks.admin.base import Internal
from tasks.models import Summary, SummaryChange, SummaryState


@admin.register(Summary)
class SummaryAdmin(Internal):
    list_display = (
        "starts_at",
        "level",
        "agent",
        "client",
        "outcome",
        "tasks",
        "attempts",
        "settled_usd",
        "estimated_usd",
    )
    ordering = ("level", "-starts_at", "id")
    sortable_by = ()


@admin.register(SummaryChange)
class SummaryChangeAdmin(Internal):
    list_display = ("id", "hour")
    ordering = ("-id",)


@admin.register(SummaryState)
class SummaryStateAdmin(Internal):
    list_display = ("closed_until", "hours_from", "next_until")
