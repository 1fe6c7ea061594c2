"""Attempts may be runs of a Databricks job. Where there is one from the start, the first agents run there too."""

from __future__ import annotations

from django.conf import settings
from django.db import migrations, models

EXECUTORS = (("local", "process on this machine"), ("databricks", "run of a Databricks job"))


def move_first_agents(apps, schema_editor) -> None:
    """Only in an installation that has not worked yet: later it is for people to say where an agent runs."""
    if settings.DATABRICKS_JOB_ID and not apps.get_model("tasks", "Task").objects.exists():
        apps.get_model("tasks", "Agent").objects.filter(executor="local").update(executor="databricks")


class Migration(migrations.Migration):
    dependencies = (("tasks", "0012_trace_faults"),)
    operations = (
        migrations.AlterField(
            model_name="agent",
            name="executor",
            field=models.CharField(
                choices=EXECUTORS, db_default="local", default="local", max_length=20, verbose_name="executor"
            ),
        ),
        migrations.RunPython(move_first_agents, migrations.RunPython.noop),
    )
