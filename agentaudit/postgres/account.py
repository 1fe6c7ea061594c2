"""The system account that the server runs as: the user's own, or an unprivileged one when agentaudit runs as root."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentaudit.postgres.errors import EmbeddedPostgresError

PROGRAM_SECONDS = 120.0


@dataclass(frozen=True)
class Account:
    name: str
    uid: int
    gid: int
    is_other: bool  # not the one that this process runs as: processes are started under it

    def spawn_arguments(self) -> dict[str, Any]:
        """Keywords for subprocess: the account, and an environment that holds none of agentaudit's secrets."""
        environment = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
        if not self.is_other:
            return {"env": environment}
        return {"env": environment, "user": self.uid, "group": self.gid, "extra_groups": []}

    def run(self, argv: Sequence[str | Path], *, text: str = "") -> str:
        """Runs a program as the account, `text` on its standard input; what it printed. Raises when it failed."""
        done = self._run(argv, text)
        if done.returncode != 0:
            raise EmbeddedPostgresError(f"{Path(argv[0]).name} failed: {_last_lines(done.stdout)}")
        return done.stdout

    def write(self, path: Path, text: str) -> None:
        """Writes a file with the account's rights: root never follows a link that the account may have laid."""
        self.run(["/bin/sh", "-c", 'cat > "$1"', "sh", path], text=text)

    def may(self, test: str, path: Path) -> bool:
        """Whether `test -x path` (or -r, …) holds for the account; the system decides, access lists included."""
        return self._run(["/bin/sh", "-c", 'test "$1" "$2"', "sh", test, path]).returncode == 0

    def _run(self, argv: Sequence[str | Path], text: str = "") -> subprocess.CompletedProcess[str]:
        program = Path(argv[0]).name
        try:
            return subprocess.run(
                [os.fspath(part) for part in argv],
                input=text,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                cwd="/",
                umask=0o077,
                timeout=PROGRAM_SECONDS,
                check=False,
                **self.spawn_arguments(),
            )
        except OSError as error:
            raise EmbeddedPostgresError(
                f"{program} cannot be run as the account {self.name} ({error}). Run agentaudit as an ordinary user, or set "
                "DATABASE_URL to a PostgreSQL server."
            ) from error
        except subprocess.TimeoutExpired as error:
            raise EmbeddedPostgresError(
                f"{program} did not finish within {PROGRAM_SECONDS:.0f} seconds: the disk is full or very slow. Try again."
            ) from error


def server_account() -> Account:
    """Who the server runs as. Postgres refuses root, so root uses `postgres`, or `nobody` where there is none."""
    uid = os.geteuid()
    if uid != 0:
        return Account(name_of(uid), uid, os.getegid(), is_other=False)
    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, found.pw_uid, found.pw_gid, is_other=True)
    raise EmbeddedPostgresError(
        "PostgreSQL refuses to run as root, and this machine has neither an account postgres nor nobody to run it as. "
        "Run agentaudit as an ordinary user, or set DATABASE_URL to a PostgreSQL server."
    )


def name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:  # containers often run as a number without a name
        return str(uid)


def _last_lines(output: str, count: int = 15) -> str:
    return "\n".join(output.strip().splitlines()[-count:])
