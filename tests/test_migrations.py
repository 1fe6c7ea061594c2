"""Old and new processes run side by side while a version is put in place: no migration takes away or demands what the one before does not know."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader

FIRST = "0001_initial"
TAKES_AWAY = (
    migrations.DeleteModel, migrations.RemoveField, migrations.RenameField, migrations.RenameModel, migrations.AlterModelTable,
)  # fmt: skip
TAKING_AWAY = re.compile(r"\b(DROP (?:TABLE|COLUMN)|RENAME (?:COLUMN|TO)|SET NOT NULL)\b", re.I)
LATER = [
    migration
    for (app, name), migration in sorted(
        MigrationLoader(None, ignore_no_migrations=True).disk_migrations.items()
    )
    if app == "tasks" and name != FIRST
]


def faults(operation: Any, made_here: set[str]) -> list[str]:
    """What a process of the version before could not live with. A table that begins with the same migration is known to none."""
    if isinstance(operation, TAKES_AWAY):
        return [f"{operation.describe()}: processes of the version before still use it"]
    if isinstance(operation, migrations.RunSQL):
        return [f"{found[0]} in SQL" for found in TAKING_AWAY.finditer(str(operation.sql))]
    if isinstance(operation, migrations.AddField) and operation.model_name.lower() not in made_here:
        field = operation.field
        if not (field.null or field.many_to_many or field.has_db_default()):
            return [f"{operation.describe()}: rows that the version before inserts have no value for it"]
    return []


@pytest.mark.parametrize("migration", LATER, ids=lambda migration: migration.name)
def test_processes_of_the_version_before_go_on_after_a_migration(migration) -> None:
    made = {op.name.lower() for op in migration.operations if isinstance(op, migrations.CreateModel)}
    assert [fault for operation in migration.operations for fault in faults(operation, made)] == []


@pytest.mark.parametrize(
    "operation",
    [
        migrations.RemoveField("Task", "priority"),
        migrations.RenameField("Task", "priority", "level"),
        migrations.RunSQL("ALTER TABLE tasks DROP COLUMN priority"),
        migrations.AddField("Task", "level", models.IntegerField(default=0)),
    ],
)
def test_what_would_break_them_is_found(operation) -> None:
    assert faults(operation, set())
    assert not faults(migrations.AddField("Task", "level", models.IntegerField(db_default=0)), set())
