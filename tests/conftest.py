"""A real Postgres for every test: DATABASE_URL if set, else the embedded server in a home of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("AGENTAUDIT_HOME", str(ROOT / ".agentaudit-test"))
os.environ.setdefault("SECRET_KEY", "only-for-tests-and-long-enough-to-be-accepted")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Tests kill processes, not the machine, so nothing has to reach the disk; that makes them several times faster."""
    import psycopg
    from django.db import connection

    from agentaudit.postgres.base import EMBEDDED_HOME, connection_kwargs

    parameters = connection_kwargs({**connection.settings_dict, "NAME": "postgres"})
    if EMBEDDED_HOME in connection.settings_dict["OPTIONS"]:
        parameters["user"] = "postgres"  # agentaudit's own role is no superuser
    with psycopg.connect(**parameters, autocommit=True) as superuser:
        superuser.execute("ALTER SYSTEM SET fsync = off")
        superuser.execute("SELECT pg_reload_conf()")


@pytest.fixture(autouse=True)
def own_storage(settings, tmp_path: Path):
    """Each test stores documents in a folder of its own."""
    from tasks.storage import get_storage

    settings.STORAGE_URL = f"file:{tmp_path / 'storage'}"
    get_storage.cache_clear()
    yield
    get_storage.cache_clear()
