"""What an attempt's trace says of its tokens, beside what its event told."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0010_costs"),
    ]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="trace_cache_read_tokens",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="attempt",
            name="trace_cache_write_tokens",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="attempt",
            name="trace_calls",
            field=models.IntegerField(null=True),
        ),
        migrations.AddField(
            model_name="attempt",
            name="trace_cost_usd",
            field=models.DecimalField(
                decimal_places=6,
                help_text="MLflow's own estimate, from list prices.",
                max_digits=14,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="attempt",
            name="trace_input_tokens",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="attempt",
            name="trace_output_tokens",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="attempt",
            name="trace_read_at",
            field=models.DateTimeField(help_text="When the trace was last looked for.", null=True),
        ),
        migrations.AddField(
            model_name="attempt",
            name="trace_state",
            field=models.CharField(
                blank=True,
                choices=[
                    ("", "not read yet"),
                    ("agrees", "agrees"),
                    ("differs", "differs"),
                    ("filled", "filled from the trace"),
                    ("missing", "missing"),
                ],
                db_default="",
                max_length=8,
                verbose_name="trace",
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                models.F("finished_at"),
                condition=models.Q(
                    models.Q(("trace_id", ""), _negated=True),
                    ("finished_at__isnull", False),
                    ("trace_state__in", ("", "missing")),
                ),
                name="task_attempts_trace_to_read",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(("trace_state__in", ("", "agrees", "differs", "filled", "missing"))),
                name="task_attempts_trace_state_known",
            ),
        ),
    ]
