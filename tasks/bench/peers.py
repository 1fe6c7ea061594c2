"""Other queues and plain pgbench as neighbours of ours: where they are installed, and how they are driven beside our workers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from psycopg import sql

from tasks.bench import Say, server
from tasks.bench.gate import Crew
from tasks.bench.place import home_of_benches
from tasks.management import processes

BASELINES = Path(settings.BASE_DIR) / "tests" / "baselines"
REQUIREMENTS = Path(settings.BASE_DIR) / "requirements-bench.txt"


def python_of_peers(say: Say) -> Path | None:
    """The interpreter of an environment with requirements-bench.txt: made once, and anew when that file changes. None: not to be had."""
    folder = home_of_benches() / "bench-peers"
    python, stamp, wanted = folder / "bin" / "python", folder / "requirements.txt", REQUIREMENTS.read_text()
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    say(f"Installing {REQUIREMENTS.name} into {folder} (once).")
    make = [sys.executable, "-m", "venv", "--clear", str(folder)]
    install = [
        str(python),
        "-m",
        "pip",
        "install",
        "-qq",
        "--disable-pip-version-check",
        "-r",
        str(REQUIREMENTS),
    ]
    try:
        for command in (make, install):
            subprocess.run(command, check=True, stdout=sys.stderr)
    except (OSError, subprocess.CalledProcessError) as error:
        say(f"The other queues cannot be installed ({error}).")
        return None
    stamp.write_text(wanted)
    return python


def environment(parameters: Mapping[str, Any], schema: str) -> dict[str, str]:
    """Variables with which libpq finds the bench's database, and a schema of its own in it."""
    names = {
        "PGHOST": "host",
        "PGPORT": "port",
        "PGUSER": "user",
        "PGPASSWORD": "password",
        "PGDATABASE": "dbname",
    }
    found = {variable: str(parameters[name]) for variable, name in names.items() if parameters.get(name)}
    options = f"-c search_path={schema} -c synchronous_commit=on"
    return os.environ | found | {"PGOPTIONS": options, "PYTHONPATH": str(settings.BASE_DIR)}


def make_schema(db: psycopg.Connection, name: str) -> None:
    db.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))


class Peer:
    """Another queue in a schema of its own, driven by tests/baselines/<name>_worker.py. `waiting` is a condition on its table."""

    def __init__(self, name: str, table: str, waiting: str, *work: str) -> None:
        self.name, self.schema, self._work = name, f"bench_{name}", work
        self.waiting = f"SELECT count(*) FROM {self.schema}.{table} WHERE {waiting}"  # noqa: S608 - names of our own

    def prepare(self, db: psycopg.Connection, python: Path, workers: int) -> None:
        make_schema(db, self.schema)
        self._command = [str(python), str(BASELINES / f"{self.name}_worker.py")]
        self._env = environment(server.parameters(), self.schema)
        subprocess.run([*self._command, "setup"], env=self._env, check=True, stdout=sys.stderr)
        self._crew = Crew(
            processes.start, [*self._command, "work", *self._work], workers, self._env, BASELINES
        )
        self._crew.ready()

    def fill(self, count: int) -> None:
        subprocess.run([*self._command, "fill", str(count)], env=self._env, check=True, stdout=sys.stderr)

    def open(self, count: int | None = None) -> None:
        self._crew.open(count)

    def shut(self, count: int | None = None) -> None:
        self._crew.shut(count)

    def end(self) -> None:
        processes.stop(self._crew.processes)


class Pgbench:
    """What Postgres itself does: a script of tests/baselines/pgbench, by as many clients as there are workers. Every statement commits."""

    name, schema = "pgbench", "bench_pgbench"
    waiting = "SELECT count(*) FROM bench_pgbench.jobs WHERE status = 'enqueued'"

    def __init__(self, clients: int) -> None:
        self._env = environment(server.parameters(), self.schema)
        self._command = [
            str(server.program("pgbench")), "--no-vacuum", f"--client={clients}", f"--jobs={min(clients, 2)}", "--protocol=prepared",
            "--time=600", f"--file={BASELINES / 'pgbench' / 'claim_ten.sql'}",
        ]  # fmt: skip

    def prepare(self, db: psycopg.Connection) -> None:
        make_schema(db, self.schema)
        with server.connect(options=self._env["PGOPTIONS"]) as own:
            own.execute((BASELINES / "pgbench" / "tables.sql").read_text())

    def fill(self, count: int) -> None:
        with server.connect(options=self._env["PGOPTIONS"]) as own:
            own.execute((BASELINES / "pgbench" / "fill.sql").read_text(), {"count": count})

    def open(self, count: int | None = None) -> None:
        self._process = processes.start(
            self._command, env=self._env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def shut(self, count: int | None = None) -> None:
        processes.stop([self._process])
