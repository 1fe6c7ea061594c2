"""Operators see who failed to sign in and has to wait, and let them in sooner."""

from __future__ import annotations

from django.apps import apps as installed
from django.contrib.auth.management import create_permissions
from django.db import migrations

ADDED = ("Operator", "Operator (read only)")


def fill(apps, schema_editor) -> None:
    # Permissions are made after all migrations; a migration that uses them has to ask for them
    create_permissions(installed.get_app_config("axes"), verbosity=0, using=schema_editor.connection.alias)
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    seen = Permission.objects.get(content_type__app_label="axes", codename="view_accessattempt")
    for group in Group.objects.filter(name__in=ADDED):
        group.permissions.add(seen)


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0022_files_one_by_one"),
        ("axes", "0010_accessattemptexpiration"),
    ]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
