"""Tasks of an extraction are found in the order of their numbers: its pages and exports read no others on the way."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0020_pruning"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="task",
            index=models.Index(models.F("extraction"), models.F("id"), name="tasks_of_extraction"),
        ),
        migrations.AlterField(
            model_name="task",
            name="extraction",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="tasks",
                to="tasks.extraction",
            ),
        ),
    ]
