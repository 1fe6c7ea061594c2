"""Four agents that ask a model: ready to use once an operator has named the model; until then nothing is handed in to them."""

from __future__ import annotations

import json
from pathlib import Path

from django.conf import settings
from django.db import migrations

from tasks.agent.prior import prior
from tasks.agent.schema import Schema

AGENTS = {
    "invoice-llm": ("invoice", "Invoices, receipts and credit notes, read by a model"),
    "contract-llm": ("contract", "Contracts: parties, dates, term, amounts and law, read by a model"),
    "statement-llm": ("statement", "Balance sheets, income and bank statements, read by a model"),
    "generic-llm": ("generic", "Any other document: title, parties, date and facts, read by a model"),
}
SCHEMAS = Path(__file__).parent.parent / "agent" / "schemas"


def fill(apps, schema_editor) -> None:
    Agent, AgentVersion = apps.get_model("tasks", "Agent"), apps.get_model("tasks", "AgentVersion")
    for name, (schema, title) in AGENTS.items():
        asked = json.loads((SCHEMAS / f"{schema}.json").read_text(encoding="utf-8"))
        agent, is_new = Agent.objects.get_or_create(
            name=name,
            defaults={
                "title": title, "executor": "local", "max_concurrent_tasks": settings.MAX_CONCURRENT_TASKS,
                "max_tpm": settings.MAX_TPM, "timeout_seconds": settings.TASK_TIMEOUT_SECONDS,
            },
        )  # fmt: skip
        if is_new:
            agent.current_version = AgentVersion.objects.create(
                agent=agent, number=1, program="llm", options={"schema": asked}, **prior(Schema.of(asked), {})
            )
            agent.save(update_fields=("current_version",))


class Migration(migrations.Migration):
    dependencies = (("tasks", "0008_alerts_and_maintenance"),)
    operations = (migrations.RunPython(fill, migrations.RunPython.noop),)
