"""Attempts whose trace is missing or differs are found by an index."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0011_traces"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                models.F("finished_at"),
                condition=models.Q(("trace_state__in", ("missing", "differs"))),
                name="task_attempts_trace_faults",
            ),
        ),
    ]
