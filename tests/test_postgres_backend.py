"""Django on the embedded server: nothing starts before the first connect, and each connect asks where to go."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentaudit.postgres.base import DatabaseWrapper, connection_kwargs
from agentaudit.postgres.embedded import Server

ROOT = Path(__file__).resolve().parent.parent
# A Django of its own, so that neither its settings nor its connections meet those of the test run
DJANGO = """
import json, os, signal, sys, time
import django
from django.conf import settings
from agentaudit.postgres.embedded import Server
home, options = sys.argv[1], json.loads(sys.argv[2])
settings.configure(USE_TZ=True, DATABASES={"default": {
    "ENGINE": "agentaudit.postgres", "NAME": "agentaudit", "CONN_HEALTH_CHECKS": True,
    "OPTIONS": {"embedded_home": home, **options}}})
django.setup()
from django.db import DatabaseError, connection

def tell(value):
    print(json.dumps(value))

def query(sql):
    try:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchone()[0]
    finally:
        connection.close()

def until_it_answers(sql):
    deadline = time.monotonic() + 10
    while True:
        try:
            return query(sql)
        except DatabaseError:
            if time.monotonic() > deadline:
                raise

def kill_server():
    pid = Server(home).status().pid
    os.kill(pid, signal.SIGKILL)
    while Server(home).status().running:
        time.sleep(0.01)
"""


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="audit-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder / "home"
    Server(folder / "home").remove()
    shutil.rmtree(folder)


def in_django(home: Path, code: str, **options: Any) -> list[Any]:
    """What `code` tells, line by line, in a process with Django set up."""
    argv = [sys.executable, "-c", DJANGO + code, str(home), json.dumps(options)]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_first_connect_starts_the_server_and_nothing_before(home: Path) -> None:
    code = """
tell(os.path.exists(home))
tell(query("SELECT current_database()::text"))
"""
    assert in_django(home, code) == [False, "agentaudit"]


def test_after_a_kill_the_next_request_is_served(home: Path) -> None:
    code = """
connection.ensure_connection()
kill_server()
tell(until_it_answers("SELECT 1"))
"""
    assert in_django(home, code) == [1]


def test_a_pool_asks_for_the_parameters_at_each_physical_connect(home: Path) -> None:
    code = """
before = query("SELECT pg_backend_pid()")
tell(query("SELECT pg_backend_pid()") == before)  # pooled
Server(home).stop()  # and the socket's folder is another one afterwards
tell(until_it_answers("SELECT pg_backend_pid()") != before)
connection.close_pool()
"""
    pool = {"min_size": 1, "max_size": 1, "timeout": 10}
    assert in_django(home, code, pool=pool) == [True, True]


def test_a_pool_keeps_no_session_with_a_server_that_only_reads_since_a_failover(home: Path) -> None:
    code = """
with connection.cursor() as cursor:
    cursor.execute("SET default_transaction_read_only = on")  # as the server's own configuration may say from one moment to the next
connection.close()
tell(query("SELECT current_setting('transaction_read_only')"))
connection.close_pool()
"""
    assert in_django(home, code, pool={"min_size": 1, "max_size": 1, "timeout": 10}) == ["off"]


def test_the_test_database_is_made_and_used_also_by_plain_connections(home: Path) -> None:
    code = """
import psycopg
from agentaudit.postgres.base import connection_kwargs
connection.creation.create_test_db(verbosity=0, autoclobber=True)
tell(query("SELECT current_database()::text"))
with psycopg.connect(**connection_kwargs(connection.settings_dict)) as plain:
    tell(plain.execute("SELECT current_database()::text, current_setting('application_name')").fetchone())
connection.creation.destroy_test_db("agentaudit", verbosity=0)
tell(query("SELECT current_database()::text"))
"""
    told = in_django(home, code, application_name="worker")
    assert told == ["test_agentaudit", ["test_agentaudit", "worker"], "agentaudit"]


def test_dbshell_opens_the_embedded_database(home: Path) -> None:
    code = """
from django.core.management import call_command
sys.stdout.flush()
call_command("dbshell", "--", "-Atc", "SELECT 42")
"""
    assert in_django(home, code) == [42]


def test_a_server_that_cannot_start_is_a_database_that_is_away(home: Path) -> None:
    code = """
from django.db import OperationalError
try:
    connection.ensure_connection()
except OperationalError as error:
    tell(str(error))
"""
    (told,) = in_django(Path("/dev/null/home"), code)
    assert "DATABASE_URL" in told


def test_without_an_embedded_home_it_is_djangos_own_backend() -> None:
    described = {
        "ENGINE": "agentaudit.postgres", "NAME": "books", "USER": "anna", "PASSWORD": "secret", "HOST": "db.example",
        "PORT": "6543", "OPTIONS": {"sslmode": "require", "pool": {"max_size": 3}}, "TIME_ZONE": None,
    }  # fmt: skip
    from django.db.backends.postgresql.base import DatabaseWrapper as Stock

    assert repr(DatabaseWrapper(described).get_connection_params()) == repr(
        Stock(described).get_connection_params()
    )
    assert connection_kwargs(described) == {
        "dbname": "books", "user": "anna", "password": "secret", "host": "db.example", "port": "6543",
        "sslmode": "require", "client_encoding": "UTF8", "prepare_threshold": None,
    }  # fmt: skip
