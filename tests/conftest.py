"""A real Postgres for every test: DATABASE_URL if set, else the embedded server in a home of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Tests kill processes, not the machine, so nothing has to reach the disk; that makes them several times faster."""
    from tests.database import superuser

    with superuser("postgres") as server:
        server.execute("ALTER SYSTEM SET fsync = off")
        server.execute("SELECT pg_reload_conf()")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker) -> Iterator[None]:
    from django.db import connection
    from django.db.backends.base.creation import TEST_DATABASE_PREFIX

    from tests import database

    if not connection.settings_dict["NAME"].startswith(TEST_DATABASE_PREFIX):
        yield  # none of the chosen tests asks for a test database, so none was made
        return
    with django_db_blocker.unblock():
        database.keep_migrated_rows()
    yield
    # A browser that is still open keeps its connection to the live server, and that one's to the database, which is dropped next
    with django_db_blocker.unblock(), database.superuser("postgres") as server:
        server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
            (connection.settings_dict["NAME"],),
        )


@pytest.fixture(scope="session", autouse=True)
def committed_rows_go_migrated_rows_stay():
    """What Django does after a test that commits (`transaction=True`, live_server) would remove the migrated rows too, and fail on the trail."""
    from django.test import TransactionTestCase

    from tests.database import empty_tables

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _case: empty_tables())
        yield


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


@pytest.fixture(autouse=True)
def quick_pages(settings) -> None:
    """Pages need no collectstatic before them, and logging in costs nothing."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
    # A slow hash is for attackers; tests log in hundreds of times
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def no_hint_outlives_its_test():
    """The sender of hints keeps a connection, which would stop the test database from being dropped."""
    yield
    from tasks import notify

    if notify._notifier is not None and notify._notifier.is_alive():
        notify._notifier.end()
        notify._notifier = None


@pytest.fixture(scope="module", autouse=True)
def environment_as_it_was() -> Iterator[None]:
    """MLflow writes its settings into the environment, which processes that later tests start would inherit."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(autouse=True)
def in_english():
    """Whoever read German before."""
    from django.utils import translation

    with translation.override("en"):
        yield
