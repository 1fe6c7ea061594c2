"""Memberships: which user sees, and hands in for, which client."""

from __future__ import annotations

from django.contrib import admin

from tasks.admin.base import Audited
from tasks.models import Membership


@admin.register(Membership)
class MembershipAdmin(Audited):
    list_display = ("user", "client", "created_at")
    list_select_related = ("user", "client")
    search_fields = ("user__username", "client__name")
    autocomplete_fields = ("client",)
    fields = ("user", "client")
