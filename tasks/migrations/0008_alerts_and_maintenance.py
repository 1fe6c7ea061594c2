"""Alerts that leave the pages, a switch for maintenance, saved views, and who waits for which extraction."""

from __future__ import annotations

import uuid

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.apps import apps as installed
from django.conf import settings
from django.contrib.auth.management import create_permissions
from django.db import migrations, models

SEEN = ("view_alertrule", "view_alert", "view_notice")
ADDED = {
    "Operator": (*SEEN, "add_alertrule", "change_alertrule"),
    "Operator (read only)": SEEN,
    "Engineer": SEEN,
}
# kind → minutes, per cent. They only reach somebody once an address is set
FIRST_RULES = {
    "waiting": (60, None),
    "failures": (60, 20),
    "workers": (5, None),
    "claims": (30, None),
    "silent": (10, None),
    "budget": (1, None),
}


def fill(apps, schema_editor) -> None:
    # Permissions are made after all migrations; a migration that uses them has to ask for them
    create_permissions(installed.get_app_config("tasks"), verbosity=0, using=schema_editor.connection.alias)
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    for name, codenames in ADDED.items():
        group, _ = Group.objects.get_or_create(name=name)
        group.permissions.add(
            *Permission.objects.filter(content_type__app_label="tasks", codename__in=codenames)
        )
    AlertRule = apps.get_model("tasks", "AlertRule")
    AlertRule.objects.bulk_create(
        AlertRule(kind=kind, minutes=minutes, percent=percent)
        for kind, (minutes, percent) in FIRST_RULES.items()
    )


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0007_reading_agents"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="switches",
            name="maintenance_reason",
            field=models.TextField(blank=True, db_default="", default="", verbose_name="maintenance because"),
        ),
        migrations.AddField(
            model_name="switches",
            name="maintenance_since",
            field=models.DateTimeField(
                help_text="Nothing is taken in and nothing is started; what runs goes on.",
                null=True,
                verbose_name="maintenance since",
            ),
        ),
        migrations.CreateModel(
            name="AlertRule",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("waiting", "the oldest waiting task of an agent waits longer"),
                            ("failures", "of what an agent finished, too much failed"),
                            ("workers", "no worker is alive"),
                            ("claims", "work is ready and nothing is claimed"),
                            ("silent", "a run is silent"),
                            ("budget", "a spend limit is reached"),
                        ],
                        max_length=10,
                        verbose_name="when",
                    ),
                ),
                (
                    "minutes",
                    models.IntegerField(
                        help_text="For so long; of failures: over the last so many minutes. A spend limit is told of at once.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(10080),
                        ],
                        verbose_name="minutes",
                    ),
                ),
                (
                    "percent",
                    models.SmallIntegerField(
                        blank=True,
                        help_text="Of failures only: this share of what ended, ten tasks or more.",
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(100),
                        ],
                        verbose_name="per cent",
                    ),
                ),
                (
                    "quiet_minutes",
                    models.IntegerField(
                        db_default=60,
                        default=60,
                        help_text="Nobody is told of the same thing twice within this time; while it lasts, once in each such time.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(10080),
                        ],
                        verbose_name="quiet minutes",
                    ),
                ),
                ("is_on", models.BooleanField(db_default=True, default=True, verbose_name="on")),
                ("looked_at", models.DateTimeField(editable=False, null=True, verbose_name="looked at last")),
            ],
            options={
                "verbose_name": "alert rule",
                "verbose_name_plural": "alert rules",
                "db_table": "alert_rules",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("kind__in", ("waiting", "failures", "workers", "claims", "silent", "budget"))
                        ),
                        name="alert_rules_kind_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("kind", "failures"), ("percent__isnull", False), ("percent__range", (1, 100))
                            ),
                            models.Q(
                                models.Q(("kind", "failures"), _negated=True), ("percent__isnull", True)
                            ),
                            _connector="OR",
                        ),
                        name="alert_rules_percent_of_failures",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("minutes__gte", 1), ("quiet_minutes__gte", 1)),
                        name="alert_rules_positive",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Alert",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "subject",
                    models.CharField(blank=True, db_default="", max_length=200, verbose_name="about"),
                ),
                ("sentence", models.TextField(verbose_name="what")),
                ("started_at", models.DateTimeField(verbose_name="since")),
                ("told_at", models.DateTimeField(null=True, verbose_name="told")),
                ("ended_at", models.DateTimeField(null=True, verbose_name="over since")),
                (
                    "rule",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="alerts",
                        to="tasks.alertrule",
                        verbose_name="rule",
                    ),
                ),
            ],
            options={
                "verbose_name": "alert",
                "verbose_name_plural": "alerts",
                "db_table": "alerts",
            },
        ),
        migrations.CreateModel(
            name="ExtractionWatch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "extraction",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="watches",
                        to="tasks.extraction",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "awaited extraction",
                "verbose_name_plural": "awaited extractions",
                "db_table": "extraction_watches",
            },
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "channel",
                    models.CharField(
                        choices=[("email", "e-mail"), ("webhook", "webhook")], max_length=7, verbose_name="by"
                    ),
                ),
                ("event", models.CharField(max_length=40, verbose_name="event")),
                (
                    "recipients",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.EmailField(max_length=254),
                        blank=True,
                        db_default=[],
                        default=list,
                        help_text="Of e-mails.",
                        size=None,
                        verbose_name="to",
                    ),
                ),
                ("subject", models.CharField(max_length=200, verbose_name="subject")),
                ("text", models.TextField(verbose_name="text")),
                ("data", models.JSONField(blank=True, db_default={}, default=dict)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="created"
                    ),
                ),
                ("tries", models.SmallIntegerField(db_default=0, default=0, verbose_name="tries")),
                (
                    "next_try_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="next try"
                    ),
                ),
                ("sent_at", models.DateTimeField(null=True, verbose_name="sent")),
                ("given_up_at", models.DateTimeField(null=True, verbose_name="given up")),
                ("error", models.CharField(blank=True, db_default="", max_length=300, verbose_name="error")),
                (
                    "alert",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="tasks.alert",
                        verbose_name="alert",
                    ),
                ),
            ],
            options={
                "verbose_name": "notice",
                "verbose_name_plural": "notices",
                "db_table": "notices",
            },
        ),
        migrations.CreateModel(
            name="SavedView",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "page",
                    models.CharField(
                        choices=[("operations", "operations"), ("operations_tasks", "tasks")],
                        max_length=20,
                        verbose_name="page",
                    ),
                ),
                ("name", models.CharField(max_length=60, verbose_name="name")),
                ("query", models.CharField(blank=True, db_default="", max_length=500, verbose_name="filter")),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_views",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "saved view",
                "verbose_name_plural": "saved views",
                "db_table": "saved_views",
                "ordering": ("name",),
            },
        ),
        migrations.AddIndex(
            model_name="alert",
            index=models.Index(
                models.F("rule"),
                models.F("subject"),
                models.OrderBy(models.F("id"), descending=True),
                name="alerts_of_subject",
            ),
        ),
        migrations.AddConstraint(
            model_name="alert",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at__isnull", True)),
                fields=("rule", "subject"),
                name="alerts_one_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="extractionwatch",
            constraint=models.UniqueConstraint(fields=("extraction", "user"), name="extraction_watches_once"),
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(
                models.F("next_try_at"),
                condition=models.Q(("given_up_at__isnull", True), ("sent_at__isnull", True)),
                name="notices_due",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=models.Q(("channel__in", ("email", "webhook"))), name="notices_channel_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="savedview",
            constraint=models.UniqueConstraint(fields=("user", "page", "name"), name="saved_views_name"),
        ),
        migrations.AddConstraint(
            model_name="savedview",
            constraint=models.CheckConstraint(
                condition=models.Q(("page__in", ("operations", "operations_tasks"))),
                name="saved_views_page_known",
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
