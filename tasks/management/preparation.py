"""What has to stand before anything runs: the database's schema, collected static files, a first user."""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from string import ascii_letters, digits

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.staticfiles.finders import get_finders
from django.core.management import CommandError, call_command
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor

Say = Callable[[str], None]
MIGRATION_LOCK = (
    0x6167656E74  # any number, the same in every version: one process at a time changes the schema
)
FIRST_USER = "admin"


def manage() -> str:
    """How a person calls manage.py with the Python that runs this, from the folder of the checkout."""
    python = Path(sys.executable)
    if python.is_relative_to(settings.BASE_DIR):
        python = python.relative_to(settings.BASE_DIR)
    return f"{shlex.quote(str(python))} manage.py"


def migrate(say: Say) -> None:
    """Bring the database's schema up to date, once, however many processes start together. Raises CommandError."""
    try:
        if not pending_migrations():
            return
        with alone(say):
            if count := len(pending_migrations()):
                say(f"Preparing the database: {count} migrations.")
                call_command("migrate", interactive=False, verbosity=0)
    except Error as error:
        raise CommandError(
            f"The database cannot be used: {str(error).strip()}\n`{manage()} doctor` says what to do."
        ) from error


def pending_migrations() -> list[str]:
    """Migrations of this version that the database has not seen, in order."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [str(migration) for migration, _backwards in plan]


def unknown_migrations() -> list[str]:
    """Migrations that the database has seen and this version does not know: a newer version has run here."""
    loader = MigrationExecutor(connection).loader
    return [
        f"{app}.{name}"
        for app, name in loader.applied_migrations or {}
        if app in loader.migrated_apps and (app, name) not in loader.disk_migrations
    ]


@contextmanager
def alone(say: Say) -> Iterator[None]:
    """Hold the lock that one process at a time gets, on any machine that uses this database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [MIGRATION_LOCK])
        if not cursor.fetchone()[0]:
            say("Another process is preparing the database; waiting for it.")
            cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [MIGRATION_LOCK])


def make_first_user(say: Say) -> str:
    """On an empty installation: a superuser with a random password, which the sentence that is returned tells this once; else ""."""
    users = get_user_model().objects
    if users.exists():
        return ""
    with alone(say):
        if users.exists():
            return ""
        password = "".join(secrets.choice(ascii_letters + digits) for _place in range(16))
        users.create_superuser(FIRST_USER, password=password)
    return (
        f"The first user is {FIRST_USER!r} with the password {password!r}. It is shown only now;\n"
        f"`{manage()} changepassword {FIRST_USER}` sets another one."
    )


def collect_static() -> None:
    """Copy pictures, styles and scripts under their hashed names into STATIC_ROOT, where they have changed since."""
    root = Path(settings.STATIC_ROOT)
    root.mkdir(parents=True, exist_ok=True)
    with open(root / ".collecting", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp, present = root / ".collected", _fingerprint()
        if not stamp.exists() or stamp.read_text() != present:
            call_command("collectstatic", interactive=False, verbosity=0)
            stamp.write_text(present)


def _fingerprint() -> str:
    """Changes when a static file, the way to store them or the place of the code does."""
    found = hashlib.sha256(repr(settings.STORAGES["staticfiles"]).encode())
    for finder in get_finders():
        for path, storage in finder.list([]):
            about = os.stat(storage.path(path))
            found.update(f"{storage.path(path)}\0{about.st_size}\0{about.st_mtime_ns}\n".encode())
    return found.hexdigest()
