"""Pools: the quota of a provider account or model deployment that several agents share."""

from __future__ import annotations

from django.contrib import admin

from tasks.admin.agents import Limited
from tasks.admin.base import Audited
from tasks.models import BUDGET_FIELDS, Pool


@admin.register(Pool)
class PoolAdmin(Limited, Audited):
    list_display = ("name", *BUDGET_FIELDS, "cooldown_until")
    search_fields = ("name",)
    fields = ("name", *BUDGET_FIELDS, "cooldown_until", "used_now", "created_at")
    readonly_fields = ("cooldown_until", "used_now", "created_at")
    actions = ("set_limits", "end_cooldown")
