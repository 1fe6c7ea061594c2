"""Agent versions: what an agent was at a time. They never change; editing the agent makes the next one."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from tasks.admin import in_use
from tasks.admin.base import ReadOnly
from tasks.models import AgentVersion


@admin.register(AgentVersion)
class AgentVersionAdmin(ReadOnly):
    list_display = ("agent", "number", "program", "model", "created_by", "created_at")
    list_select_related = ("agent", "created_by")
    list_filter = ("agent",)
    readonly_fields = ("difference", "estimates", "prices")
    exclude = ("learnt", "learnt_at")

    @admin.display(description=_("what changed"))
    def difference(self, version: AgentVersion) -> SafeString | str:
        return in_use.difference(version)

    @admin.display(description=_("estimates"))
    def estimates(self, version: AgentVersion) -> SafeString:
        return in_use.learnt(version)

    @admin.display(description=_("prices"))
    def prices(self, version: AgentVersion) -> SafeString | str:
        return in_use.prices(version)
