"""A place of its own for one bench: an empty database and storage that are removed at the end, whatever happens."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from django.conf import settings
from django.db import connection
from psycopg import sql

LIMITS_UNSET = {"MAX_CONCURRENT_TASKS": "", "MAX_TPM": ""}


@contextmanager
def own_place() -> Iterator[dict[str, str]]:
    """Environment variables with which a process finds an empty database and storage.

    On the embedded database that is a cluster of its own on the same disk, so that a bench may change its settings;
    with DATABASE_URL it is a database of its own on that server.
    """
    name = f"bench_{secrets.token_hex(4)}"
    home = Path(settings.AGENTAUDIT_HOME) / name
    home.mkdir(parents=True)
    place = {"AGENTAUDIT_HOME": str(home), "STORAGE_URL": f"file:{home / 'storage'}", **LIMITS_UNSET}
    try:
        with _embedded(home) if _is_embedded() else _database(f"agentaudit_{name}") as found:
            yield os.environ | place | found
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _is_embedded() -> bool:
    return "embedded_home" in connection.settings_dict["OPTIONS"]


@contextmanager
def _embedded(home: Path) -> Iterator[dict[str, str]]:
    try:
        yield {}
    finally:
        import_module(f"{connection.settings_dict['ENGINE']}.embedded").Server(home).remove()


@contextmanager
def _database(name: str) -> Iterator[dict[str, str]]:
    with connection._nodb_cursor() as cursor:
        cursor.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        yield {"DATABASE_URL": _url(connection.settings_dict, name)}
    finally:
        with connection._nodb_cursor() as cursor:
            cursor.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _url(database: dict[str, Any], name: str) -> str:
    """DATABASE_URL for another database on the same server, as the same user."""
    user = quote(database["USER"] or "", safe="")
    password = f":{quote(database['PASSWORD'], safe='')}" if database["PASSWORD"] else ""
    port = f":{database['PORT']}" if database["PORT"] else ""
    options = f"?{urlencode(database['OPTIONS'])}" if database["OPTIONS"] else ""
    return f"postgres://{user}{password}@{quote(database['HOST'] or '', safe='')}{port}/{name}{options}"


def home_of_benches() -> Path:
    """What outlives a bench: the home in which the bench's own was made. Asked inside of a bench."""
    return Path(settings.AGENTAUDIT_HOME).parent
