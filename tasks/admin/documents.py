"""Documents: what was handed in, by digest."""

from __future__ import annotations

from django.contrib import admin

from tasks.admin.base import ReadOnly
from tasks.models import Document


@admin.register(Document)
class DocumentAdmin(ReadOnly):
    belongs_to_client = True
    list_display = ("original_name", "client", "pages", "size_bytes", "needs_password", "created_at")
    list_select_related = ("client",)
    search_fields = ("=id", "=sha256")
    ordering = ("-id",)
