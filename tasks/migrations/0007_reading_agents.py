"""Two more agents that work offline: one for contracts, one for statements and tables of figures."""

from __future__ import annotations

from django.conf import settings
from django.db import migrations

AGENTS = {
    "contract-rules": "Contracts: parties, dates, amounts and governing law, read by rules, offline",
    "statement-rules": "Statements and tables: figures with their periods and currency, read by rules, offline",
}


def fill(apps, schema_editor) -> None:
    Agent, AgentVersion = apps.get_model("tasks", "Agent"), apps.get_model("tasks", "AgentVersion")
    for name, title in AGENTS.items():
        agent, is_new = Agent.objects.get_or_create(
            name=name,
            defaults={
                "title": title, "executor": "local", "max_concurrent_tasks": settings.MAX_CONCURRENT_TASKS,
                "max_tpm": settings.MAX_TPM, "timeout_seconds": settings.TASK_TIMEOUT_SECONDS,
            },
        )  # fmt: skip
        if is_new:
            agent.current_version = AgentVersion.objects.create(
                agent=agent, number=1, program=name, seconds_per_page=0.2
            )
            agent.save(update_fields=("current_version",))


class Migration(migrations.Migration):
    dependencies = (("tasks", "0006_roles"),)
    operations = (migrations.RunPython(fill, migrations.RunPython.noop),)
