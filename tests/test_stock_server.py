"""The queue on a PostgreSQL as distributions bring it: another version than the embedded one, with a compiler, and with its own settings."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentaudit.postgres.account import server_account
from tests.commands import free_port

ROOT = Path(__file__).parent.parent
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
FILES = (
    "compiling", "admission_order", "queue_commits", "queue_leases", "queue_order", "queue_retries", "operations_numbers", "seen",
    "spending", "throttling",
)  # fmt: skip
SECONDS = 500

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not PROGRAMS and "CI" not in os.environ,
        reason="there is no PostgreSQL of the distribution: apt-get install postgresql",
    ),
]


@pytest.fixture
def server() -> Iterator[str]:
    """The address of one that runs as it was installed."""
    account, folder = server_account(), Path(tempfile.mkdtemp(prefix="audit-", dir="/tmp"))
    os.chown(folder, account.uid, account.gid)
    data, control = folder / "data", PROGRAMS[0] / "pg_ctl"
    account.run(
        [PROGRAMS[0] / "initdb", "-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-sync"]
    )
    port = free_port()
    options = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder}"
    account.run([control, "-D", data, "-l", folder / "log", "-o", options, "-w", "start"])
    try:
        yield f"postgres://postgres@127.0.0.1:{port}/postgres"
    finally:
        account.run([control, "-D", data, "-m", "immediate", "stop"])
        shutil.rmtree(folder)


def test_the_queue_does_there_what_it_does_on_the_embedded_one(server: str, tmp_path: Path) -> None:
    files = [f"tests/test_{name}.py" for name in FILES]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-m", "not slow", *files],
        cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False,
        env={**environment, "DATABASE_URL": server, "AGENTAUDIT_HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[:6000]
