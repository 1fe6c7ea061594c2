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


@pytest.fixture(scope="session", autouse=True)
def committed_rows_go_migrated_rows_stay():
    """What Django does after a test that commits (`transaction=True`, live_server) would remove the migrated rows too, and fail on the trail."""
    from django.test import TransactionTestCase

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _case: empty_tables())
        yield


MIGRATED = (
    "django_migrations",
    "django_content_type",
    "auth_group",
    "auth_permission",
    "auth_group_permissions",
)


def empty_tables() -> None:
    """Remove every row that no migration made."""
    from django.db import connection

    tables = connection.introspection.table_names()
    emptied = set(tables) - {*MIGRATED, "agents", "agent_versions", "switches", "pools", "auth_user"}
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE audit_log DISABLE TRIGGER USER")
        cursor.execute(f"TRUNCATE {', '.join(sorted(emptied))}")
        cursor.execute("ALTER TABLE audit_log ENABLE TRIGGER USER")
        cursor.execute("UPDATE switches SET is_paused = false WHERE is_paused")
        cursor.execute(
            "UPDATE agents SET is_paused = false, cooldown_until = NULL, pool_id = NULL WHERE name = 'invoice-rules'"
        )
        cursor.execute("UPDATE agents SET current_version_id = NULL WHERE name <> 'invoice-rules'")
        cursor.execute(
            "DELETE FROM agent_versions WHERE agent_id NOT IN (SELECT id FROM agents WHERE name = 'invoice-rules')"
        )
        cursor.execute("DELETE FROM agents WHERE name <> 'invoice-rules'")
        cursor.execute("DELETE FROM pools")
        cursor.execute("DELETE FROM auth_user")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker) -> None:
    """Tests that commit are cleaned up by truncating every table, which the trail's trigger refuses, and then need what migrations put in."""
    from django.db import connection
    from django.db.models.signals import post_migrate

    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE audit_log DISABLE TRIGGER audit_log_no_truncate")
    post_migrate.connect(_put_back, dispatch_uid="tests")


def _put_back(app_config, **kwargs) -> None:
    """The rows of migrations 0002 and 0003, after a truncation."""
    from importlib import import_module

    from django.apps import apps
    from django.db import connection

    from tasks.models import Switches

    if app_config.label == "tasks" and not Switches.objects.exists():
        Switches.objects.create(id=1)
        with connection.schema_editor() as editor:
            import_module("tasks.migrations.0003_groups_and_first_agent").fill(apps, editor)


@pytest.fixture(autouse=True)
def own_storage(settings, tmp_path: Path):
    """Each test stores documents in a folder of its own."""
    from tasks.storage import get_storage

    settings.STORAGE_URL = f"file:{tmp_path / 'storage'}"
    get_storage.cache_clear()
    yield
    get_storage.cache_clear()


@pytest.fixture(scope="module")
def place(django_db_setup, django_db_blocker):
    """An empty database and storage, in which commands run as processes."""
    from tasks.bench.place import own_place
    from tests.commands import Place

    with django_db_blocker.unblock(), own_place() as environment:
        yield Place(environment)
