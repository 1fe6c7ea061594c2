"""What was spent per day and month, and which spend limits were reached."""

from __future__ import annotations

from django.contrib import admin

from tasks.admin.base import Internal, ReadOnly
from tasks.models import SpendNotice, Spent


@admin.register(Spent)
class SpentAdmin(Internal):
    list_display = ("starts_on", "period", "holder", "holder_id", "shard", "usd")
    list_filter = ("holder", "period")
    ordering = ("-starts_on", "-id")


@admin.register(SpendNotice)
class SpendNoticeAdmin(ReadOnly):
    list_display = ("at", "level", "holder", "holder_id", "period", "starts_on", "limit_usd")
    list_filter = ("level", "holder")
    ordering = ("-at",)
