"""Agent versions: what an agent was at a time. They never change; editing the agent makes the next one."""

from __future__ import annotations

from django.contrib import admin

from tasks.admin.base import ReadOnly
from tasks.models import AgentVersion


@admin.register(AgentVersion)
class AgentVersionAdmin(ReadOnly):
    list_display = ("agent", "number", "program", "model", "created_by", "created_at")
    list_select_related = ("agent", "created_by")
    list_filter = ("agent",)
