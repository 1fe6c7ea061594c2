"""Everything of a client can be deleted: when that began and ended, and which attempts are left as money alone."""

from __future__ import annotations

from django.db import migrations, models

import tasks.states


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0017_databricks_ai_extract"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="client",
            options={
                "ordering": ("name",),
                "permissions": (
                    ("view_every_client", "Can see the documents of every client, member or not"),
                    ("erase_client", "Can delete everything that was handed in for a client"),
                ),
                "verbose_name": "client",
                "verbose_name_plural": "clients",
            },
        ),
        migrations.RemoveConstraint(
            model_name="attempt",
            name="task_attempts_completed_has_result",
        ),
        migrations.AddField(
            model_name="attempt",
            name="erased_at",
            field=models.DateTimeField(
                help_text="When what it read was removed with all data of its client; its money stays.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="client",
            name="deleted_at",
            field=models.DateTimeField(editable=False, null=True, verbose_name="data deleted"),
        ),
        migrations.AddField(
            model_name="client",
            name="deletion_began_at",
            field=models.DateTimeField(
                editable=False,
                help_text="Nothing is taken in for it any more.",
                null=True,
                verbose_name="being deleted since",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", tasks.states.AttemptStatus["COMPLETED"]), _negated=True),
                    ("result__isnull", False),
                    ("erased_at__isnull", False),
                    _connector="OR",
                ),
                name="task_attempts_completed_has_result",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("erased_at__isnull", True),
                    models.Q(("conflict__isnull", True), ("error_message", ""), ("result__isnull", True)),
                    _connector="OR",
                ),
                name="task_attempts_erased_is_empty",
            ),
        ),
        migrations.AddConstraint(
            model_name="client",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("deleted_at__isnull", True), ("deletion_began_at__isnull", True)),
                    models.Q(("deletion_began_at__isnull", False), ("is_paused", True)),
                    _connector="OR",
                ),
                name="clients_deleted_is_paused",
            ),
        ),
    ]
