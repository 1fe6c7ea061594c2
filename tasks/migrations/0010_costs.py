"""Sums of money by day and the triggers that say which days changed, closed months, terms of months, spend without a run, and who may see it."""

from __future__ import annotations

import django.db.models.functions.datetime
from django.apps import apps as installed
from django.contrib.auth.management import create_permissions
from django.db import migrations, models

# Only what changes after an attempt has ended fires these, so that claims and settlements pay for a comparison and nothing else. A task's
# first run ends together with it; whatever is told of it later, and every later run, gives its earlier attempts another state.
TRIGGERS = """
CREATE FUNCTION cost_attempt_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.finished_at IS NOT NULL THEN
    INSERT INTO cost_changes (at) VALUES (OLD.finished_at);
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.finished_at IS NOT NULL THEN
    INSERT INTO cost_changes (at) VALUES (NEW.finished_at);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER cost_attempt_inserted AFTER INSERT ON task_attempts FOR EACH ROW
  WHEN (NEW.finished_at IS NOT NULL) EXECUTE FUNCTION cost_attempt_changed();
CREATE TRIGGER cost_attempt_updated AFTER UPDATE ON task_attempts FOR EACH ROW
  WHEN (OLD.finished_at IS NOT NULL AND (OLD.finished_at, OLD.status, OLD.model, OLD.input_tokens, OLD.output_tokens, OLD.cache_read_tokens,
    OLD.cache_write_tokens, OLD.cost_usd, OLD.cost_state, OLD.compute_cost_usd, OLD.compute_cost_state)
    IS DISTINCT FROM (NEW.finished_at, NEW.status, NEW.model, NEW.input_tokens, NEW.output_tokens, NEW.cache_read_tokens,
    NEW.cache_write_tokens, NEW.cost_usd, NEW.cost_state, NEW.compute_cost_usd, NEW.compute_cost_state))
  EXECUTE FUNCTION cost_attempt_changed();
CREATE TRIGGER cost_attempt_deleted AFTER DELETE ON task_attempts FOR EACH ROW
  WHEN (OLD.finished_at IS NOT NULL) EXECUTE FUNCTION cost_attempt_changed();

CREATE FUNCTION cost_task_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO cost_changes (at) SELECT finished_at FROM task_attempts WHERE task_id = NEW.id AND finished_at IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER cost_task_changed AFTER UPDATE ON tasks FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status AND NEW.attempts_made > 0 AND (OLD.finished_at IS NOT NULL
    OR (NEW.finished_at IS NOT NULL AND (NEW.attempts_made > 1 OR OLD.status <> 'processing'))))
  EXECUTE FUNCTION cost_task_changed();
"""
UNTRIGGERS = """
DROP TRIGGER cost_task_changed ON tasks; DROP TRIGGER cost_attempt_inserted ON task_attempts;
DROP TRIGGER cost_attempt_updated ON task_attempts; DROP TRIGGER cost_attempt_deleted ON task_attempts;
DROP FUNCTION cost_task_changed(); DROP FUNCTION cost_attempt_changed();
"""
ADDED = {
    "Operator": ("view_costs", "view_monthterms", "view_closedmonth"),
    "Operator (read only)": ("view_costs", "view_monthterms", "view_closedmonth"),
    "Finance": ("view_costs", "close_month", "view_monthterms", "add_monthterms", "change_monthterms", "view_closedmonth"),
}  # fmt: skip


def fill(apps, schema_editor) -> None:
    # Permissions are made after all migrations; a migration that uses them has to ask for them
    create_permissions(installed.get_app_config("tasks"), verbosity=0, using=schema_editor.connection.alias)
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    for name, codenames in ADDED.items():
        group, _ = Group.objects.get_or_create(name=name)
        group.permissions.add(
            *Permission.objects.filter(content_type__app_label="tasks", codename__in=codenames)
        )


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0009_model_agents"),
    ]

    operations = [
        migrations.CreateModel(
            name="ClosedMonth",
            fields=[
                ("month", models.DateField(primary_key=True, serialize=False, verbose_name="month")),
                (
                    "closed_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="closed"
                    ),
                ),
                ("closed_by", models.CharField(max_length=150, verbose_name="by")),
            ],
            options={
                "verbose_name": "closed month",
                "verbose_name_plural": "closed months",
                "db_table": "closed_months",
                "permissions": (
                    ("view_costs", "Can see what was spent"),
                    ("close_month", "Can close a month"),
                ),
                "default_permissions": ("view",),
            },
        ),
        migrations.CreateModel(
            name="CostCell",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("day", models.DateField()),
                ("corrects", models.DateField(null=True)),
                ("client", models.BigIntegerField()),
                ("engagement", models.CharField(max_length=100)),
                ("uploader", models.BigIntegerField()),
                ("agent", models.BigIntegerField()),
                ("version", models.BigIntegerField()),
                ("model", models.CharField(max_length=200)),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("claimed", "claimed"),
                            ("starting", "starting"),
                            ("running", "running"),
                            ("completed", "completed"),
                            ("failed", "failed"),
                            ("timeout", "timeout"),
                            ("cancelled", "cancelled"),
                            ("lost", "lost"),
                            ("released", "released"),
                            ("superseded", "superseded"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        help_text="Of the task: completed, failed, cancelled, or open while it has not ended.",
                        max_length=10,
                    ),
                ),
                ("attempts", models.BigIntegerField()),
                ("documents", models.BigIntegerField()),
                ("metered", models.BigIntegerField()),
                ("input_tokens", models.BigIntegerField()),
                ("output_tokens", models.BigIntegerField()),
                ("cache_read_tokens", models.BigIntegerField()),
                ("cache_write_tokens", models.BigIntegerField()),
                ("llm_settled", models.BigIntegerField()),
                ("llm_estimated", models.BigIntegerField()),
                ("llm_settled_usd", models.DecimalField(decimal_places=6, max_digits=20)),
                ("llm_estimated_usd", models.DecimalField(decimal_places=6, max_digits=20)),
                ("compute_settled", models.BigIntegerField()),
                ("compute_estimated", models.BigIntegerField()),
                ("compute_settled_usd", models.DecimalField(decimal_places=6, max_digits=20)),
                ("compute_estimated_usd", models.DecimalField(decimal_places=6, max_digits=20)),
                ("expected_tokens", models.BigIntegerField()),
                ("actual_tokens", models.BigIntegerField()),
                ("expected_usd", models.DecimalField(decimal_places=6, max_digits=20)),
                ("actual_usd", models.DecimalField(decimal_places=6, max_digits=20)),
            ],
            options={
                "db_table": "cost_cells",
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="CostChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
            ],
            options={
                "db_table": "cost_changes",
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="CostState",
            fields=[
                ("id", models.SmallIntegerField(db_default=1, default=1, primary_key=True, serialize=False)),
                ("zone", models.CharField(max_length=60)),
                ("stored_until", models.DateField()),
            ],
            options={
                "db_table": "cost_state",
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="MonthTerms",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("month", models.DateField(help_text="Its first day.", unique=True, verbose_name="month")),
                (
                    "discount_percent",
                    models.DecimalField(
                        db_default=0,
                        decimal_places=2,
                        default=0,
                        max_digits=5,
                        verbose_name="discount on compute in per cent",
                    ),
                ),
                (
                    "markup_percent",
                    models.DecimalField(
                        db_default=0,
                        decimal_places=2,
                        default=0,
                        max_digits=6,
                        verbose_name="mark-up in per cent",
                    ),
                ),
                (
                    "currency",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Such as EUR.",
                        max_length=3,
                        verbose_name="currency",
                    ),
                ),
                (
                    "rate",
                    models.DecimalField(
                        blank=True,
                        decimal_places=6,
                        max_digits=14,
                        null=True,
                        verbose_name="of it for one USD",
                    ),
                ),
            ],
            options={
                "verbose_name": "terms of a month",
                "verbose_name_plural": "terms of months",
                "db_table": "cost_terms",
                "ordering": ("-month",),
            },
        ),
        migrations.CreateModel(
            name="OtherSpend",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("day", models.DateField(verbose_name="day")),
                ("product", models.CharField(max_length=100, verbose_name="product")),
                (
                    "corrects",
                    models.DateField(
                        help_text="The day of a closed month that this row puts right.", null=True
                    ),
                ),
                ("usd", models.DecimalField(decimal_places=6, max_digits=14, verbose_name="USD")),
                ("as_of", models.DateTimeField(verbose_name="as of")),
            ],
            options={
                "db_table": "cost_other",
                "default_permissions": (),
            },
        ),
        migrations.AddField(
            model_name="attempt",
            name="compute_as_of",
            field=models.DateTimeField(help_text="When the bill was last read for it.", null=True),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                models.F("finished_at"),
                condition=models.Q(("finished_at__isnull", False)),
                name="task_attempts_by_end",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("compute_cost_state", "unknown"), ("compute_cost_usd__isnull", True)),
                    models.Q(
                        models.Q(("compute_cost_state", "unknown"), _negated=True),
                        ("compute_cost_usd__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="task_attempts_unknown_compute_is_null",
            ),
        ),
        migrations.AddConstraint(
            model_name="closedmonth",
            constraint=models.CheckConstraint(
                condition=models.Q(("month__day", 1)), name="closed_months_first_of_month"
            ),
        ),
        migrations.AddIndex(
            model_name="costcell",
            index=models.Index(models.F("day"), models.F("client"), name="cost_cells_day"),
        ),
        migrations.AddIndex(
            model_name="costcell",
            index=models.Index(
                models.F("corrects"),
                condition=models.Q(("corrects__isnull", False)),
                name="cost_cells_corrects",
            ),
        ),
        migrations.AddConstraint(
            model_name="coststate",
            constraint=models.CheckConstraint(condition=models.Q(("id", 1)), name="cost_state_one_row"),
        ),
        migrations.AddConstraint(
            model_name="monthterms",
            constraint=models.CheckConstraint(
                condition=models.Q(("month__day", 1)), name="cost_terms_first_of_month"
            ),
        ),
        migrations.AddConstraint(
            model_name="monthterms",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("discount_percent__gte", 0), ("discount_percent__lte", 100), ("markup_percent__gt", -100)
                ),
                name="cost_terms_sensible",
            ),
        ),
        migrations.AddConstraint(
            model_name="monthterms",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("currency", ""), ("rate__isnull", True)),
                    models.Q(("currency__regex", "^[A-Z]{3}$"), ("rate__gt", 0)),
                    _connector="OR",
                ),
                name="cost_terms_rate_has_currency",
            ),
        ),
        migrations.AddConstraint(
            model_name="otherspend",
            constraint=models.UniqueConstraint(
                fields=("day", "product", "corrects"), name="cost_other_key", nulls_distinct=False
            ),
        ),
        migrations.RunSQL(TRIGGERS, UNTRIGGERS),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
