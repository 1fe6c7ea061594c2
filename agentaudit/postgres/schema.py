"""The schema of a Lakebase database: made before the first migration, and marked with the branch that it belongs to.

A branch is a copy of everything, the mark included, so that a copy is told from the original without asking anybody.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import connections
from psycopg import sql

from agentaudit.postgres.connecting import LAKEBASE


def prepare(using: str, **_: Any) -> None:
    """Receiver of Django's pre_migrate. `CREATE SCHEMA IF NOT EXISTS` would ask for a right that nobody needs later."""
    connection = connections[using]
    if not connection.settings_dict["OPTIONS"].get(LAKEBASE):
        return
    schema, mark = settings.LAKEBASE_SCHEMA, settings.LAKEBASE_HOME
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT to_regnamespace(%s), obj_description(to_regnamespace(%s), 'pg_namespace')", [schema] * 2
        )
        found, marked = cursor.fetchone()
        if found is None:
            cursor.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
        if marked is None:
            cursor.execute(sql.SQL("COMMENT ON SCHEMA {} IS {}").format(sql.Identifier(schema), mark))
