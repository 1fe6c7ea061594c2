"""An agent that asks Databricks' own ai_extract: ready to use once an operator has named that function as its model."""

from __future__ import annotations

import json
from pathlib import Path

from django.conf import settings
from django.db import migrations

from tasks.agent.prior import prior
from tasks.agent.schema import Schema

NAME = "databricks-ai-extract"
TITLE = "Invoices, receipts and credit notes, read by AI functions of Databricks"
SCHEMA = Path(__file__).parent.parent / "agent" / "schemas" / "invoice.json"
REQUESTS_PER_MINUTE = 120
"""What a workspace allows by default, for all who ask there."""


def fill(apps, schema_editor) -> None:
    Agent, AgentVersion = apps.get_model("tasks", "Agent"), apps.get_model("tasks", "AgentVersion")
    asked = json.loads(SCHEMA.read_text(encoding="utf-8"))
    agent, is_new = Agent.objects.get_or_create(
        name=NAME,
        defaults={
            "title": TITLE, "executor": "databricks" if settings.DATABRICKS_JOB_ID else "local",
            "max_concurrent_tasks": settings.MAX_CONCURRENT_TASKS, "max_tpm": settings.MAX_TPM,
            "max_requests_per_minute": REQUESTS_PER_MINUTE, "timeout_seconds": settings.TASK_TIMEOUT_SECONDS,
        },
    )  # fmt: skip
    if is_new:
        options = {"schema": asked, "ocr_engine": "databricks"}
        agent.current_version = AgentVersion.objects.create(
            agent=agent, number=1, program=NAME, options=options, **prior(Schema.of(asked), {})
        )
        agent.save(update_fields=("current_version",))


class Migration(migrations.Migration):
    dependencies = (("tasks", "0016_attempt_results"),)
    operations = (migrations.RunPython(fill, migrations.RunPython.noop),)
