"""Roles and least rights of those who use a Lakebase: the app, the job, and people who only read. Idempotent; says what it does.

The principal of the job needs a role for RESULT_TRANSPORT=lakebase alone; otherwise a run reads and writes the volume and calls back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import psycopg
from django.apps import apps
from django.conf import settings
from psycopg import sql

from tasks import databricks
from tasks.management.branches import finished
from tasks.models import AttemptResult

Say = Callable[[str], None]
SECRET_COLUMNS = {"sealed_password", "body"}
"""Of our tables: a document's password while it waits, and what callbacks held."""
RESULTS = AttemptResult._meta.db_table
RESULT_COLUMNS = ("attempt", "result", "sha256")
"""What a run says of its outcome; when it came is the database's word."""


@dataclass(frozen=True, slots=True)
class Principals:
    """Application ids of service principals, or e-mail addresses of people. The app migrates and works; the job inserts; readers read."""

    app: str = ""
    readers: Sequence[str] = ()
    job: str = ""

    def all(self) -> list[str]:
        return [name for name in (self.app, self.job, *self.readers) if name]


class Setup:
    """Works on a connection of whoever owns the project, in autocommit mode; run again after an upgrade that brings new tables."""

    def __init__(self, db: psycopg.Connection, say: Say) -> None:
        self._db, self._say = db, say
        self._schema, self._owner = (
            sql.Identifier(settings.LAKEBASE_SCHEMA),
            sql.Identifier(settings.LAKEBASE_OWNER),
        )

    def run(self, principals: Principals) -> None:
        """Raises psycopg.Error where a right is missing; what was done before that stays, and is not repeated."""
        self._make_owner()
        self._make_schema()
        for name in principals.all():
            self._make_role(name)
            self._do(
                "GRANT CONNECT ON DATABASE {} TO {}",
                sql.Identifier(self._db.info.dbname),
                sql.Identifier(name),
            )
        if principals.app:
            self._do("GRANT {} TO {}", self._owner, sql.Identifier(principals.app))
            self._find_schema_without_being_told(principals.app)
        if principals.job:
            self._let_insert(principals.job)
        for name in principals.readers:
            self._do("GRANT USAGE ON SCHEMA {} TO {}", self._schema, sql.Identifier(name))
            for table, columns in readable(self._db, settings.LAKEBASE_SCHEMA):
                self._do("GRANT SELECT ({}) ON {}.{} TO {}", sql.SQL(", ").join(map(sql.Identifier, columns)),
                         self._schema, sql.Identifier(table), sql.Identifier(name), quiet=True)  # fmt: skip
            self._say(
                f"{name} may read the tables of the queue and of costs: no users, sessions, secrets or passwords."
            )

    def _let_insert(self, job: str) -> None:
        """Nothing else: what runs read of each other, or change, they could forge."""
        if not self._exists(
            "SELECT WHERE to_regclass(%s) IS NOT NULL", f"{settings.LAKEBASE_SCHEMA}.{RESULTS}"
        ):
            self._say(
                f"The table {RESULTS} is not there yet: run setup --job once more when the app has started."
            )
            return
        table, role = sql.Identifier(settings.LAKEBASE_SCHEMA, RESULTS), sql.Identifier(job)
        self._do("GRANT USAGE ON SCHEMA {} TO {}", self._schema, role)
        self._do("GRANT INSERT ({}) ON {} TO {}", sql.SQL(", ").join(map(sql.Identifier, RESULT_COLUMNS)), table, role)  # fmt: skip

    def _make_owner(self) -> None:
        """A role that nobody logs in as: an app that is deleted and made again has another principal, and the tables stay."""
        if not self._exists("SELECT FROM pg_roles WHERE rolname = %s", settings.LAKEBASE_OWNER):
            self._do("CREATE ROLE {} NOLOGIN", self._owner)
        may_become = "SET" if self._db.info.server_version >= 160_000 else "MEMBER"
        if not self._exists("SELECT WHERE pg_has_role(%s, %s)", settings.LAKEBASE_OWNER, may_become):
            self._do("GRANT {} TO CURRENT_USER", self._owner)

    def _make_schema(self) -> None:
        name = settings.LAKEBASE_SCHEMA
        if not self._exists("SELECT FROM pg_namespace WHERE nspname = %s", name):
            self._do("CREATE SCHEMA {} AUTHORIZATION {}", self._schema, self._owner)
        elif not self._exists(
            "SELECT FROM pg_namespace WHERE nspname = %s AND pg_get_userbyid(nspowner) = %s",
            name,
            settings.LAKEBASE_OWNER,
        ):
            self._do("ALTER SCHEMA {} OWNER TO {}", self._schema, self._owner)
            self._say(
                f'Tables that were made before still belong to who made them: REASSIGN OWNED BY "that role" TO {settings.LAKEBASE_OWNER}'
            )
        if not self._exists(
            "SELECT WHERE obj_description(to_regnamespace(%s), 'pg_namespace') IS NOT NULL", name
        ):
            self._do("COMMENT ON SCHEMA {} IS {}", self._schema, sql.Literal(settings.LAKEBASE_HOME))

    def _make_role(self, name: str) -> None:
        if self._exists("SELECT FROM pg_roles WHERE rolname = %s", name):
            return
        if settings.LAKEBASE_ENDPOINT:
            make_autoscaling_role(name)
            self._say(f"Role {name} made for that identity; it logs in with tokens.")
            return
        kind = "USER" if "@" in name else "SERVICE_PRINCIPAL"
        self._do("CREATE EXTENSION IF NOT EXISTS databricks_auth")
        self._do("SELECT databricks_create_role({}, {})", sql.Literal(name), sql.Literal(kind))

    def _find_schema_without_being_told(self, app: str) -> None:
        """Behind a pooler in transaction mode a connection cannot say its schema; only the role itself can."""
        try:
            self._do("ALTER ROLE {} IN DATABASE {} SET search_path = {}",
                     sql.Identifier(app), sql.Identifier(self._db.info.dbname), self._schema)  # fmt: skip
        except psycopg.errors.InsufficientPrivilege:
            self._say(
                f"The search_path of {app} is not ours to set; it is needed behind a connection pooler only."
            )

    def _exists(self, query: str, *values: str) -> bool:
        return self._db.execute(query, values).fetchone() is not None

    def _do(self, statement: str, *parts: sql.Composable, quiet: bool = False) -> None:
        composed = sql.SQL(statement).format(*parts)
        self._db.execute(composed)
        if not quiet:
            self._say(composed.as_string(self._db))


def readable(db: psycopg.Connection, schema: str) -> Iterator[tuple[str, list[str]]]:
    """Our tables that exist, with the columns that hold no secret; but for what runs insert, which may be anything."""
    for model in apps.get_app_config("tasks").get_models():
        table = model._meta.db_table
        if table != RESULTS and db.execute("SELECT to_regclass(%s)", (f"{schema}.{table}",)).fetchone() != (
            None,
        ):
            yield (
                table,
                [field.column for field in model._meta.concrete_fields if field.column not in SECRET_COLUMNS],
            )


def make_autoscaling_role(name: str) -> None:
    """A role for an identity of the workspace. Raises what the SDK raises; one that exists is fine."""
    from databricks.sdk.errors import AlreadyExists
    from databricks.sdk.service.postgres import Role, RoleAuthMethod, RoleIdentityType, RoleRoleSpec

    kind = RoleIdentityType.USER if "@" in name else RoleIdentityType.SERVICE_PRINCIPAL
    spec = RoleRoleSpec(postgres_role=name, identity_type=kind, auth_method=RoleAuthMethod.LAKEBASE_OAUTH_V1)
    with suppress(AlreadyExists):
        finished(databricks.client().postgres.create_role(settings.LAKEBASE_HOME, Role(spec=spec)))
