"""A real Postgres that stands for a Lakebase, and connections to it as Django would make them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from agentaudit.postgres.base import DatabaseWrapper
from agentaudit.postgres.embedded import Server
from agentaudit.postgres.home import PORT
from agentaudit.postgres.lakebase import Place
from tests.fakes.lakebase import ROLE

DATABASE = "databricks_postgres"


class Postgres:
    """A server that asks for passwords; the role of the service principal owns the schema `agentaudit`."""

    def __init__(self, home: Path) -> None:
        self.parameters = Server(home).ensure_running() | {"user": "postgres"}
        with self.superuser() as db:
            db.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(ROLE)))
            db.execute(f"CREATE DATABASE {DATABASE}")
        with self.superuser(dbname=DATABASE) as db:
            db.execute(sql.SQL("CREATE SCHEMA agentaudit AUTHORIZATION {}").format(sql.Identifier(ROLE)))

    @property
    def host(self) -> str:
        return self.parameters["host"]

    def superuser(self, **more: Any) -> psycopg.Connection:
        return psycopg.connect(**self.parameters | more, autocommit=True)

    def set_password(self, password: str, role: str = ROLE) -> None:
        with self.superuser() as db:
            db.execute(sql.SQL("ALTER ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(role), password))


@contextmanager
def own_postgres() -> Iterator[Postgres]:
    folder = Path(tempfile.mkdtemp(prefix="audit-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        yield Postgres(folder / "home")
    finally:
        Server(folder / "home").remove()
        shutil.rmtree(folder)


def described(pool: dict[str, Any] | None = None, **place: Any) -> dict[str, Any]:
    """Django's description, as agentaudit/environment.py writes it."""
    options = {"lakebase": Place(**place), "sslmode": "require", "options": "-c search_path=agentaudit"}
    if pool:
        options["pool"] = pool
    return {
        "ENGINE": "agentaudit.postgres", "NAME": DATABASE, "USER": "", "PASSWORD": "", "HOST": "", "PORT": str(PORT), "OPTIONS": options,
        "TIME_ZONE": None, "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True, "AUTOCOMMIT": True, "ATOMIC_REQUESTS": False, "TEST": {},
    }  # fmt: skip


def answer(wrapper: DatabaseWrapper, statement: str) -> tuple[Any, ...]:
    """The first row, on a connection that is given back afterwards, as at the end of a request."""
    try:
        with wrapper.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchone()
    finally:
        wrapper.close()


def who(wrapper: DatabaseWrapper) -> tuple[Any, ...]:
    return answer(wrapper, "SELECT current_user::text, current_schema()::text")
