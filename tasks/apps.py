"""The domain app: every table, the queue, and the programs that work on it."""

from __future__ import annotations

from django.apps import AppConfig


class TasksConfig(AppConfig):
    name = "tasks"
    verbose_name = "agentaudit"
    default_auto_field = "django.db.models.BigAutoField"
