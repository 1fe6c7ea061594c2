"""Files may come one by one: by which key a sender finds the extraction again, and until when more files are awaited."""

from __future__ import annotations

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0021_pages_of_extractions"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="extraction",
            name="key",
            field=models.UUIDField(
                editable=False,
                help_text="Chosen by a sender whose files come one by one, so that a repeated request finds what the first one made.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="extraction",
            name="more_until",
            field=models.DateTimeField(
                editable=False,
                help_text="Until when more files are awaited: moved on by each one that comes, empty once the sender has said that this is all.",
                null=True,
            ),
        ),
        migrations.AddIndex(
            model_name="extraction",
            index=models.Index(
                models.F("created_by"),
                condition=models.Q(("more_until__isnull", False)),
                name="extractions_unfinished",
            ),
        ),
        migrations.AddConstraint(
            model_name="extraction",
            constraint=models.UniqueConstraint(
                condition=models.Q(("key__isnull", False)), fields=("key",), name="extractions_key"
            ),
        ),
    ]
