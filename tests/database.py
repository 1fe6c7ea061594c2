"""The test database from outside Django's tests: as superuser, and emptied after tests that commit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import OperationalError
from psycopg import errors

MIGRATED = {
    "django_migrations",
    "django_content_type",
    "auth_group",
    "auth_permission",
    "auth_group_permissions",
}
KEPT_BY_DELETE = {"agents", "agent_versions", "switches", "pools", "auth_user"}
OF_MIGRATIONS = ("agents", "agent_versions")
_migrated: dict[str, str] = {}
"""The rows of these tables as the migrations made them, as JSON; as soon as there is a test database."""


@contextmanager
def superuser(name: str | None = None) -> Iterator[psycopg.Connection]:
    """A connection that may do everything, in autocommit mode; to the test database, or to another one of its server."""
    from django.db import connection

    from agentaudit.postgres.base import EMBEDDED_HOME, connection_kwargs

    parameters = connection_kwargs(
        {**connection.settings_dict, "NAME": name or connection.settings_dict["NAME"]}
    )
    if EMBEDDED_HOME in connection.settings_dict["OPTIONS"]:
        parameters["user"] = "postgres"  # agentaudit's own role is no superuser
    with psycopg.connect(**parameters, autocommit=True) as raw:
        yield raw


def _truncate(cursor: Any, tables: set[str]) -> None:
    """A page that a browser has left may still be read at this moment, in another order of tables: whoever loses tries again."""
    for attempt in range(5):
        try:
            cursor.execute(f"TRUNCATE {', '.join(sorted(tables))} RESTART IDENTITY")
            return
        except OperationalError as error:
            if attempt == 4 or not isinstance(error.__cause__, errors.DeadlockDetected):
                raise


def keep_migrated_rows() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        for table in OF_MIGRATIONS:
            cursor.execute(f"SELECT json_agg({table})::text FROM {table}")
            (_migrated[table],) = cursor.fetchone()


def empty_tables() -> None:
    """Remove every row that no migration made, and put back what tests change of those."""
    from django.db import connection, transaction

    emptied = set(connection.introspection.table_names()) - MIGRATED - KEPT_BY_DELETE
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE audit_log DISABLE TRIGGER USER")
        _truncate(cursor, emptied)
        cursor.execute("ALTER TABLE audit_log ENABLE TRIGGER USER")
        cursor.execute(
            "UPDATE switches SET is_paused = false, maintenance_since = NULL, maintenance_reason = ''"
        )
        with transaction.atomic():  # they refer to each other, which is looked at in the end
            for table in OF_MIGRATIONS:
                cursor.execute(f"DELETE FROM {table}")
            for table in OF_MIGRATIONS:
                cursor.execute(
                    f"INSERT INTO {table} SELECT * FROM json_populate_recordset(NULL::{table}, %s)",
                    [_migrated[table]],
                )
        cursor.execute("DELETE FROM pools")
        cursor.execute("DELETE FROM auth_user")
