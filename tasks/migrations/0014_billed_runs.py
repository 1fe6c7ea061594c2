"""What the platform's bill says of each run."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0013_databricks"),
    ]

    operations = [
        migrations.CreateModel(
            name="BilledRun",
            fields=[
                ("run_id", models.CharField(max_length=100, primary_key=True, serialize=False)),
                ("as_of", models.DateTimeField()),
                ("usd", models.DecimalField(decimal_places=6, max_digits=14, null=True)),
                ("quantity", models.DecimalField(decimal_places=6, max_digits=20, null=True)),
                ("usage_rows", models.IntegerField()),
                ("unpriced_rows", models.IntegerField()),
            ],
            options={
                "db_table": "billed_runs",
                "default_permissions": (),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("usd__isnull", True),
                            models.Q(("unpriced_rows", 0), ("usage_rows__gt", 0)),
                            _connector="OR",
                        ),
                        name="billed_runs_unknown_is_null",
                    )
                ],
            },
        ),
    ]
