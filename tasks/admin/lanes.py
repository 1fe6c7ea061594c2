"""Lanes: how far each client of a fair agent has come. For engineers who wonder about an order."""

from __future__ import annotations

from django.contrib import admin

from tasks.admin.base import Internal
from tasks.models import Lane


@admin.register(Lane)
class LaneAdmin(Internal):
    list_display = ("agent", "priority", "client", "last_key")
    list_select_related = ("agent", "client")
