"""The audit log: who did what to what, when and why. To read only; the database refuses changes too."""

from __future__ import annotations

from django.contrib import admin

from tasks.admin.base import ReadOnly
from tasks.models import AuditEntry


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly):
    list_display = ("at", "actor_name", "verb", "object_type", "object_id", "reason", "source")
    search_fields = ("=object_id", "=actor_name")
    list_filter = ("object_type",)
    ordering = ("-id",)
