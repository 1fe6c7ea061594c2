"""Workers: which processes claim tasks, and when each was last heard of."""

from __future__ import annotations

from django.contrib import admin

from tasks.admin.base import ReadOnly
from tasks.models import Worker


@admin.register(Worker)
class WorkerAdmin(ReadOnly):
    list_display = (
        "host",
        "pid",
        "slots",
        "version",
        "started_at",
        "heartbeat_at",
        "stopping_at",
        "stopped_at",
    )
    ordering = ("-heartbeat_at",)
