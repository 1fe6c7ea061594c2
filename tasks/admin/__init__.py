"""The operator's desk: one file per model. State is read-only everywhere; what changes it are verbs of `tasks.operations`."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from tasks.admin import (
    actions,
    agents,
    alerts,
    attempts,
    audit,
    clients,
    deliveries,
    documents,
    extractions,
    lanes,
    memberships,
    months,
    names,
    pools,
    prices,
    sign_ins,
    spending,
    summaries,
    switches,
    tasks,
    users,
    versions,
    workers,
)

__all__ = [
    "actions", "agents", "alerts", "attempts", "audit", "clients", "deliveries", "documents", "extractions", "lanes", "memberships", "months", "names", "pools", "prices",
    "sign_ins", "spending", "summaries", "switches", "tasks", "users", "versions", "workers",
]  # fmt: skip

names.name_columns()
admin.site.site_header = _("agentaudit administration")
admin.site.site_title = "agentaudit"
admin.site.enable_nav_sidebar = False  # lists need the width
admin.site.index_title = _("Everything that can be looked after")
