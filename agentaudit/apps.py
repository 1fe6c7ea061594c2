"""Registers the checks of the settings, and what a Lakebase needs before migrations; the project itself owns no table."""

from __future__ import annotations

from django.apps import AppConfig, apps
from django.db.models.signals import pre_migrate


class AgentauditConfig(AppConfig):
    name = "agentaudit"

    def ready(self) -> None:
        from agentaudit import checks  # noqa: F401 - importing registers them
        from agentaudit.postgres import schema

        # Django sends it for apps that have models
        pre_migrate.connect(schema.prepare, sender=apps.get_app_config("tasks"), dispatch_uid="schema")
