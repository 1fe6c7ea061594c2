"""Sums of finished tasks for the pages, and the triggers that say which of them have to be made anew."""

from django.db import migrations, models

import tasks.states

# Only what changes after a task has finished fires these, so that claims and settlements pay for a comparison and nothing else.
# Always a new row, never "if it is not there yet": whoever makes sums anew removes only the rows that it has seen.
TRIGGERS = """
CREATE FUNCTION summary_task_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.finished_at IS NOT NULL THEN
    INSERT INTO summary_changes (hour) VALUES (date_trunc('hour', OLD.finished_at, 'UTC'));
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.finished_at IS NOT NULL THEN
    INSERT INTO summary_changes (hour) VALUES (date_trunc('hour', NEW.finished_at, 'UTC'));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER summary_task_inserted AFTER INSERT ON tasks FOR EACH ROW
  WHEN (NEW.finished_at IS NOT NULL) EXECUTE FUNCTION summary_task_changed();
CREATE TRIGGER summary_task_updated AFTER UPDATE ON tasks FOR EACH ROW
  WHEN (OLD.finished_at IS NOT NULL) EXECUTE FUNCTION summary_task_changed();
CREATE TRIGGER summary_task_deleted AFTER DELETE ON tasks FOR EACH ROW
  WHEN (OLD.finished_at IS NOT NULL) EXECUTE FUNCTION summary_task_changed();

CREATE FUNCTION summary_attempt_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO summary_changes (hour) SELECT date_trunc('hour', finished_at, 'UTC') FROM tasks
  WHERE id = CASE TG_OP WHEN 'DELETE' THEN OLD.task_id ELSE NEW.task_id END AND finished_at IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER summary_attempt_inserted AFTER INSERT ON task_attempts FOR EACH ROW
  WHEN (NEW.finished_at IS NOT NULL) EXECUTE FUNCTION summary_attempt_changed();
CREATE TRIGGER summary_attempt_updated AFTER UPDATE ON task_attempts FOR EACH ROW
  WHEN (OLD.finished_at IS NOT NULL AND (OLD.input_tokens, OLD.output_tokens, OLD.cache_read_tokens, OLD.cache_write_tokens, OLD.cost_usd,
    OLD.cost_state, OLD.compute_cost_usd, OLD.compute_cost_state) IS DISTINCT FROM (NEW.input_tokens, NEW.output_tokens, NEW.cache_read_tokens,
    NEW.cache_write_tokens, NEW.cost_usd, NEW.cost_state, NEW.compute_cost_usd, NEW.compute_cost_state))
  EXECUTE FUNCTION summary_attempt_changed();
CREATE TRIGGER summary_attempt_deleted AFTER DELETE ON task_attempts FOR EACH ROW
  WHEN (OLD.finished_at IS NOT NULL) EXECUTE FUNCTION summary_attempt_changed();
"""
UNTRIGGERS = """
DROP TRIGGER summary_task_inserted ON tasks; DROP TRIGGER summary_task_updated ON tasks; DROP TRIGGER summary_task_deleted ON tasks;
DROP TRIGGER summary_attempt_inserted ON task_attempts; DROP TRIGGER summary_attempt_updated ON task_attempts;
DROP TRIGGER summary_attempt_deleted ON task_attempts;
DROP FUNCTION summary_task_changed(); DROP FUNCTION summary_attempt_changed();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0003_groups_and_first_agent"),
    ]

    operations = [
        migrations.CreateModel(
            name="Summary",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("level", models.CharField(max_length=5)),
                ("starts_at", models.DateTimeField()),
                ("agent", models.BigIntegerField()),
                ("client", models.BigIntegerField()),
                ("outcome", models.CharField(max_length=9)),
                ("tasks", models.BigIntegerField()),
                ("attempts", models.BigIntegerField()),
                ("metered", models.BigIntegerField(help_text="Attempts whose tokens are known.")),
                ("input_tokens", models.BigIntegerField()),
                ("output_tokens", models.BigIntegerField()),
                ("cache_read_tokens", models.BigIntegerField()),
                ("cache_write_tokens", models.BigIntegerField()),
                ("cost_settled", models.BigIntegerField(help_text="Attempts whose LLM cost is settled.")),
                ("cost_estimated", models.BigIntegerField()),
                ("settled_usd", models.DecimalField(decimal_places=6, max_digits=20)),
                ("estimated_usd", models.DecimalField(decimal_places=6, max_digits=20)),
                ("compute_settled", models.BigIntegerField()),
                ("compute_estimated", models.BigIntegerField()),
                ("compute_settled_usd", models.DecimalField(decimal_places=6, max_digits=20)),
                ("compute_estimated_usd", models.DecimalField(decimal_places=6, max_digits=20)),
                ("response", models.JSONField()),
                ("confidence", models.JSONField()),
                ("errors", models.JSONField()),
            ],
            options={
                "db_table": "summaries",
            },
        ),
        migrations.CreateModel(
            name="SummaryChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("hour", models.DateTimeField()),
            ],
            options={
                "db_table": "summary_changes",
            },
        ),
        migrations.CreateModel(
            name="SummaryState",
            fields=[
                ("id", models.SmallIntegerField(db_default=1, default=1, primary_key=True, serialize=False)),
                ("closed_until", models.DateTimeField()),
                ("hours_from", models.DateTimeField()),
                ("next_until", models.DateTimeField(null=True)),
                ("fence", models.BigIntegerField(null=True)),
            ],
            options={
                "db_table": "summary_state",
            },
        ),
        migrations.AddIndex(
            model_name="task",
            index=models.Index(
                models.F("agent"),
                models.F("enqueued_at"),
                condition=models.Q(("status", tasks.states.TaskStatus["ENQUEUED"])),
                include=("client", "attempts_made", "id"),
                name="tasks_waiting",
            ),
        ),
        migrations.AddIndex(
            model_name="summary",
            index=models.Index(models.F("level"), models.F("starts_at"), name="summaries_period"),
        ),
        migrations.AddConstraint(
            model_name="summary",
            constraint=models.UniqueConstraint(
                fields=("agent", "client", "level", "starts_at", "outcome"), name="summaries_key"
            ),
        ),
        migrations.AddConstraint(
            model_name="summary",
            constraint=models.CheckConstraint(
                condition=models.Q(("level__in", ("hour", "day", "month"))), name="summaries_level_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="summarystate",
            constraint=models.CheckConstraint(condition=models.Q(("id", 1)), name="summary_state_one_row"),
        ),
        migrations.RunSQL(TRIGGERS, UNTRIGGERS),
    ]
