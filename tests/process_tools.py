"""Real workers of tests, and databases of their own to kill them in."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from urllib.parse import urlsplit

import psycopg
from django.db import connection
from psycopg import sql

from tasks.models import Worker
from tests.attempts import alive
from tests.commands import ROOT, Place, wait_until
from tests.database import superuser

DATABASE = "agentaudit"
"""The name of the database on an embedded server."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A worker process: where it works, how long its leases are, and the point at which it dies (empty: it lives)."""

    database: str
    folder: Path
    lease: float = 1.0
    local: bool = False
    point: str = ""
    hit: int = 1


class Forker:
    """One process that has Django loaded and forks workers. They are processes of their own, and die when the test says so."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.standin.worker"], cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )  # fmt: skip
        self._pids: list[int] = []
        self._lock = Lock()

    def begin(self, wanted: Wanted) -> int:
        """The pid of a new worker; its log is worker.log in its folder."""
        line = json.dumps(
            {**asdict(wanted), "folder": str(wanted.folder), "log": str(wanted.folder / "worker.log")}
        )
        with self._lock:
            assert self._process.stdin and self._process.stdout
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
            pid = int(self._process.stdout.readline())
            self._pids.append(pid)
        return pid

    def close(self) -> None:
        for pid in self._pids:
            kill(pid)
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()


def kill(pid: int) -> None:
    """SIGKILL, and wait until it is gone."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not alive(pid), 10, f"the end of process {pid}")


@contextmanager
def copied_database(template: str, name: str) -> Iterator[psycopg.Connection]:
    """A database with everything that `template` holds, and a connection to it in autocommit mode. Gone at the end."""
    with superuser("postgres") as server:
        source, copy = sql.Identifier(template), sql.Identifier(name)
        while True:
            # Sessions that send hints are still there, and come back when they have something to say
            server.execute(
                "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE datname = %s", [template]
            )
            with suppress(psycopg.errors.ObjectInUse):
                server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(copy, source))
                break
        try:
            with superuser(name) as db:
                yield db
        finally:
            server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def django_at(place: Place) -> Iterator[None]:
    """Django of this process, connected to the database of a place."""
    original = dict(connection.settings_dict)
    connection.close()
    url = place.environment.get("DATABASE_URL")
    changed = (
        {"NAME": urlsplit(url).path[1:]}
        if url
        else {"NAME": DATABASE, "OPTIONS": {"embedded_home": str(place.home)}}
    )
    connection.settings_dict.update(changed)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(original)


def begin_worker(place: Place, *arguments: object, **variables: str) -> subprocess.Popen[str]:
    """A `manage.py worker` that is heard: its row says so. Its log goes to a file of the place."""
    known = set(Worker.objects.values_list("id", flat=True))
    with (place.home / "worker.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "worker", *map(str, arguments)], cwd=ROOT, text=True,
            env=place.environment | variables, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            # Also where these tests run under nohup, whose wish a worker would respect
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        )  # fmt: skip
    wait_until(
        lambda: Worker.objects.filter(pid=process.pid).exclude(id__in=known).exists() or process.poll() is not None,
        30, "the start of a worker",
    )  # fmt: skip
    assert process.poll() is None, (place.home / "worker.log").read_text()[-3000:]
    return process
