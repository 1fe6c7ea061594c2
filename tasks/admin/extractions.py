"""Extractions: one submission each."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from tasks.admin.base import ReadOnly
from tasks.admin.lists import days
from tasks.models import Extraction


@admin.register(Extraction)
class ExtractionAdmin(ReadOnly):
    belongs_to_client = True
    list_display = ("id", "client", "engagement", "agent", "priority", "created_by", "created_at")
    list_select_related = ("client", "agent", "created_by")
    list_filter = (days(_("day"), Extraction), "agent")
    search_fields = ("=id", "client__name__istartswith")
    search_help_text = _("Number, or the beginning of a client's name")
    sortable_by = ("id",)
    readonly_fields = ("pruned_at",)
