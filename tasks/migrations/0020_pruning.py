"""Extractions can be pruned after their retention time: when, which files are still to go, and which documents came again meanwhile."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0019_seen_numbers"),
    ]

    operations = [
        migrations.AddField(
            model_name="document",
            name="handed_in_again_at",
            field=models.DateTimeField(
                editable=False,
                help_text="When the same bytes last came again; pruning leaves them alone for a day.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="extraction",
            name="files_to_go",
            field=models.JSONField(
                editable=False,
                help_text="Names of files that its pruning has still to remove; empty once nothing is left.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="extraction",
            name="pruned_at",
            field=models.DateTimeField(
                editable=False,
                help_text="When its documents and results were deleted, after their retention time.",
                null=True,
                verbose_name="pruned",
            ),
        ),
        migrations.AlterField(
            model_name="attempt",
            name="erased_at",
            field=models.DateTimeField(
                help_text="When what it read was removed, with its extraction or all data of its client; its money stays.",
                null=True,
            ),
        ),
        migrations.AddIndex(
            model_name="extraction",
            index=models.Index(
                models.F("id"),
                condition=models.Q(("files_to_go__isnull", False)),
                name="extractions_to_remove",
            ),
        ),
        migrations.AddConstraint(
            model_name="extraction",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("files_to_go__isnull", True), ("pruned_at__isnull", True)),
                    models.Q(("pruned_at__isnull", False), ("refused", [])),
                    _connector="OR",
                ),
                name="extractions_pruned_is_empty",
            ),
        ),
    ]
