"""Registers the checks of the settings; the project itself owns no table."""

from __future__ import annotations

from django.apps import AppConfig


class AgentauditConfig(AppConfig):
    name = "agentaudit"

    def ready(self) -> None:
        from agentaudit import checks  # noqa: F401 - importing registers them
