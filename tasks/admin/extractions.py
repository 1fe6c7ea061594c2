"""Extractions: one submission each."""

from __future__ import annotations

from django.contrib import admin

from tasks.admin.base import ReadOnly
from tasks.models import Extraction


@admin.register(Extraction)
class ExtractionAdmin(ReadOnly):
    belongs_to_client = True
    list_display = ("id", "client", "engagement", "agent", "priority", "created_by", "created_at")
    list_select_related = ("client", "agent", "created_by")
    list_filter = ("agent",)
    search_fields = ("=id", "client__name")
