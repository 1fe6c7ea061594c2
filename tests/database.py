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
migrated_agents: list[str] = []
"""Their names, as soon as there is a test database."""


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


def empty_tables() -> None:
    """Remove every row that no migration made, and put back what tests change of those."""
    from django.db import connection

    emptied = set(connection.introspection.table_names()) - MIGRATED - KEPT_BY_DELETE
    limits = (
        "max_concurrent_tasks = NULL, max_tpm = NULL, max_output_tpm = NULL, max_requests_per_minute = NULL"
    )
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE audit_log DISABLE TRIGGER USER")
        _truncate(cursor, emptied)
        cursor.execute("ALTER TABLE audit_log ENABLE TRIGGER USER")
        cursor.execute(
            "UPDATE switches SET is_paused = false, maintenance_since = NULL, maintenance_reason = ''"
        )
        cursor.execute(
            f"UPDATE agents SET is_paused = false, is_fair = false, cooldown_until = NULL, pool_id = NULL, {limits}"
        )
        made = "name <> ALL(%s)"
        cursor.execute(f"UPDATE agents SET current_version_id = NULL WHERE {made}", [migrated_agents])
        cursor.execute(
            f"DELETE FROM agent_versions WHERE agent_id IN (SELECT id FROM agents WHERE {made})",
            [migrated_agents],
        )
        cursor.execute(f"DELETE FROM agents WHERE {made}", [migrated_agents])
        cursor.execute("DELETE FROM pools")
        cursor.execute("DELETE FROM auth_user")
