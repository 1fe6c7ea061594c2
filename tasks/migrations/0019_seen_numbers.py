"""Remembers which task of a client was the first to show a number of a supplier."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("tasks", "0018_deleting_clients"),)
    operations = (
        migrations.CreateModel(
            name="SeenNumber",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.UUIDField()),
                (
                    "client",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tasks.client",
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tasks.task"
                    ),
                ),
            ],
            options={
                "db_table": "seen_numbers",
                "default_permissions": (),
                "constraints": [models.UniqueConstraint(fields=("client", "key"), name="seen_numbers_first")],
            },
        ),
    )
