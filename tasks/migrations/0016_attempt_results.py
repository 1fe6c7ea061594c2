"""Runs may put their outcome into the database themselves."""

from __future__ import annotations

import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0015_names_of_sums"),
    ]

    operations = [
        migrations.CreateModel(
            name="AttemptResult",
            fields=[
                ("attempt", models.UUIDField(primary_key=True, serialize=False)),
                ("result", models.JSONField()),
                ("sha256", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "db_table": "attempt_results",
                "default_permissions": (),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("sha256__regex", "^[0-9a-f]{64}$")), name="attempt_results_sha256"
                    )
                ],
            },
        ),
    ]
