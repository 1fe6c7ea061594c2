"""Clients: tier, spend limits, who is a member; pause and resume of their work."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from tasks.admin.agents import SPENDING
from tasks.admin.base import PAUSED, Audited, Pausable
from tasks.admin.erasing import ErasurePage
from tasks.models import Client


@admin.register(Client)
class ClientAdmin(ErasurePage, Pausable, Audited):
    belongs_to_client = True
    list_display = ("name", "tier", PAUSED, "created_at")
    list_filter = ("tier", "is_paused")
    search_fields = ("name",)
    fields = ("name", "tier", *SPENDING, PAUSED, "created_at", "deletion_began_at", "deleted_at")
    readonly_fields = (PAUSED, "created_at", "deletion_began_at", "deleted_at")

    def has_delete_permission(self, request: HttpRequest, obj: Client | None = None) -> bool:
        return False
