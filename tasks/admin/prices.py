"""Prices of models, dated: costs keep the row that they were computed with."""

from __future__ import annotations

from django.contrib import admin

from tasks.admin.base import Audited
from tasks.models import Price


@admin.register(Price)
class PriceAdmin(Audited):
    list_display = ("model", "valid_from", "input_usd", "output_usd", "cache_read_usd", "cache_write_usd")
    search_fields = ("model",)
    date_hierarchy = "valid_from"
