"""The read-only operator, users looked after by operators, actions on many rows, drained workers, and indexes for the lists of the desk."""

from __future__ import annotations

import django.db.models.deletion
import django.db.models.functions.datetime
from django.apps import apps as installed
from django.conf import settings
from django.contrib.auth.management import create_permissions
from django.db import migrations, models

import tasks.states

VIEWS = (
    "view_every_client", "view_client", "view_document", "view_extraction", "view_task", "view_attempt", "view_agent", "view_agentversion",
    "view_pool", "view_worker", "view_auditentry", "view_membership", "view_switches", "view_price", "view_delivery", "view_refuseddelivery",
    "view_spent", "view_spendnotice", "view_bulkaction",
)  # fmt: skip
ADDED = {
    "Operator": ("view_bulkaction", "view_user", "add_user", "change_user"),
    "Operator (read only)": (*VIEWS, "view_user"),
}

# Case does not matter when a document is looked for by the beginning of its name
NAMES = "CREATE INDEX documents_name ON documents (lower(original_name) text_pattern_ops);"


def fill(apps, schema_editor) -> None:
    # Permissions are made after all migrations; a migration that uses them has to ask for them
    for label in ("auth", "tasks"):
        create_permissions(installed.get_app_config(label), verbosity=0, using=schema_editor.connection.alias)
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    for name, codenames in ADDED.items():
        group, _ = Group.objects.get_or_create(name=name)
        group.permissions.add(
            *Permission.objects.filter(content_type__app_label__in=("auth", "tasks"), codename__in=codenames)
        )


def empty(apps, schema_editor) -> None:
    apps.get_model("auth", "Group").objects.filter(name="Operator (read only)").delete()


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0004_summaries"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="BulkAction",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("verb", models.CharField(max_length=30, verbose_name="what")),
                ("object_type", models.CharField(max_length=30, verbose_name="of what")),
                (
                    "selection",
                    models.TextField(
                        blank=True,
                        db_default="",
                        help_text="The filter, as it stood in the address; empty: picked by hand.",
                        verbose_name="chosen",
                    ),
                ),
                (
                    "parameters",
                    models.JSONField(blank=True, db_default={}, default=dict, verbose_name="parameters"),
                ),
                ("reason", models.TextField(blank=True, db_default="", verbose_name="reason")),
                ("actor_name", models.CharField(max_length=150, verbose_name="who")),
                (
                    "source",
                    models.CharField(blank=True, db_default="", max_length=60, verbose_name="from where"),
                ),
                ("token", models.UUIDField(editable=False, null=True, unique=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "running"),
                            ("done", "done"),
                            ("failed", "failed"),
                        ],
                        db_default="waiting",
                        default="waiting",
                        max_length=8,
                        verbose_name="state",
                    ),
                ),
                ("total", models.IntegerField(verbose_name="rows")),
                ("done", models.IntegerField(db_default=0, default=0, verbose_name="done")),
                ("skipped", models.IntegerField(db_default=0, default=0, verbose_name="skipped")),
                (
                    "why",
                    models.JSONField(blank=True, db_default={}, default=dict, verbose_name="skipped because"),
                ),
                ("error", models.TextField(blank=True, db_default="", verbose_name="error")),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="begun"
                    ),
                ),
                ("touched_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True, verbose_name="finished")),
            ],
            options={
                "verbose_name": "action",
                "verbose_name_plural": "actions",
                "db_table": "bulk_actions",
            },
        ),
        migrations.CreateModel(
            name="BulkPiece",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.IntegerField()),
                ("ids", models.JSONField()),
                ("parameters", models.JSONField(null=True)),
                ("done", models.JSONField(db_default=[], default=list)),
                ("skipped", models.JSONField(db_default={}, default=dict)),
                ("before", models.JSONField(db_default={}, default=dict)),
                ("finished_at", models.DateTimeField(null=True)),
            ],
            options={
                "verbose_name": "piece of an action",
                "verbose_name_plural": "pieces of actions",
                "db_table": "bulk_action_pieces",
            },
        ),
        migrations.AlterModelOptions(
            name="spendnotice",
            options={"verbose_name": "reached spend limit", "verbose_name_plural": "reached spend limits"},
        ),
        migrations.AlterModelOptions(
            name="spent",
            options={"verbose_name": "money spent", "verbose_name_plural": "money spent"},
        ),
        migrations.AddField(
            model_name="worker",
            name="drain_requested_at",
            field=models.DateTimeField(
                help_text="It takes nothing more from its next heartbeat on; what runs goes on.",
                null=True,
                verbose_name="to be drained since",
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                models.F("trace_id"),
                condition=models.Q(("trace_id", ""), _negated=True),
                name="task_attempts_trace_id",
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                models.F("status"),
                models.F("task"),
                models.F("number"),
                condition=models.Q(
                    (
                        "status__in",
                        (
                            tasks.states.AttemptStatus["FAILED"],
                            tasks.states.AttemptStatus["TIMEOUT"],
                            tasks.states.AttemptStatus["CANCELLED"],
                            tasks.states.AttemptStatus["LOST"],
                            tasks.states.AttemptStatus["RELEASED"],
                            tasks.states.AttemptStatus["SUPERSEDED"],
                        ),
                    )
                ),
                name="task_attempts_bad_ends",
            ),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(models.F("actor_name"), models.F("id"), name="audit_log_actor"),
        ),
        migrations.AddIndex(
            model_name="document",
            index=models.Index(
                fields=["sha256"], name="documents_sha256", opclasses=("varchar_pattern_ops",)
            ),
        ),
        migrations.AddIndex(
            model_name="task",
            index=models.Index(
                models.F("id"),
                condition=models.Q(("status", tasks.states.TaskStatus["COMPLETED"])),
                name="tasks_completed",
            ),
        ),
        migrations.AddIndex(
            model_name="task",
            index=models.Index(
                models.F("id"),
                condition=models.Q(("status", tasks.states.TaskStatus["FAILED"])),
                name="tasks_failed",
            ),
        ),
        migrations.AddIndex(
            model_name="task",
            index=models.Index(
                models.F("id"),
                condition=models.Q(("status", tasks.states.TaskStatus["CANCELLED"])),
                name="tasks_cancelled",
            ),
        ),
        migrations.AddIndex(
            model_name="task",
            index=models.Index(
                models.F("id"), condition=models.Q(("needs_review", True)), name="tasks_needs_review"
            ),
        ),
        migrations.AddField(
            model_name="bulkaction",
            name="actor",
            field=models.ForeignKey(
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
                verbose_name="user",
            ),
        ),
        migrations.AddField(
            model_name="bulkaction",
            name="undoes",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="undone_by",
                to="tasks.bulkaction",
                verbose_name="undoes",
            ),
        ),
        migrations.AddField(
            model_name="bulkpiece",
            name="action",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="pieces",
                to="tasks.bulkaction",
            ),
        ),
        migrations.AddIndex(
            model_name="bulkaction",
            index=models.Index(
                models.OrderBy(models.F("touched_at"), nulls_first=True),
                models.F("id"),
                condition=models.Q(("finished_at__isnull", True)),
                name="bulk_actions_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="bulkaction",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", True), ("state__in", ("waiting", "running"))),
                    models.Q(("finished_at__isnull", False), ("state__in", ("done", "failed"))),
                    _connector="OR",
                ),
                name="bulk_actions_ended_iff_finished",
            ),
        ),
        migrations.AddConstraint(
            model_name="bulkpiece",
            constraint=models.UniqueConstraint(fields=("action", "number"), name="bulk_action_pieces_number"),
        ),
        migrations.RunSQL(NAMES, "DROP INDEX documents_name;"),
        migrations.RunPython(fill, empty),
    ]
