"""Bringing a server up: the one that runs, one that recovers, or a new one; and the watcher beside it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from psycopg import pq
from psycopg.conninfo import make_conninfo

from agentaudit.postgres import locks, postmaster
from agentaudit.postgres import programs as wheel
from agentaudit.postgres.account import Account
from agentaudit.postgres.cluster import DATABASE, ROLE, Cluster
from agentaudit.postgres.errors import EmbeddedPostgresError
from agentaudit.postgres.home import PORT, Home, clear_socket_folder

START_SECONDS = 60.0  # recovery after a crash included
UNREACHABLE_SECONDS = 2.0  # sessions of a killed server end within this, unless a long statement keeps them
LOG_BYTES = 10_000_000
LOG_LINES = 15
PROJECT = str(Path(__file__).resolve().parents[2])


def ensure_watcher(home: Home, socket_folder: Path) -> None:
    """Starts a watcher unless one lives. The caller holds the start lock and a share of the users' lock."""
    lock = locks.take(home.watcher_lock)
    if lock is None:
        return
    argv = [
        sys.executable,
        "-P",
        "-m",
        "agentaudit.postgres.watcher",
        str(home.path),
        str(socket_folder),
        str(lock),
    ]
    try:
        with _log(home) as log:
            postmaster.start_detached(
                argv, keep=lock, log=log, env={"PYTHONPATH": os.pathsep.join([PROJECT, *sys.path])}
            )
    finally:
        locks.hand_over(lock)


def bring_up(home: Home, account: Account, socket_folder: Path) -> None:
    """Returns when a server answers on the socket. The caller holds the start lock. Raises EmbeddedPostgresError."""
    cluster = Cluster(home, account, wheel.for_account(account))
    if not home.password_file.exists() and not home.password_draft.exists():
        # Nobody could log in to one that runs, and a password is set while it is stopped
        _stop(home, socket_folder)
    log_begins: int | None = None  # where the log of the server that we started begins
    deadline, last_seen = time.monotonic() + START_SECONDS, time.monotonic()
    while time.monotonic() < deadline:
        lock = locks.take(home.server_lock)
        if lock is not None and log_begins is not None:
            locks.release(lock)
            raise EmbeddedPostgresError(_did_not_start(home, "ended while it was starting", log_begins))
        if lock is not None:
            log_begins = _start(cluster, socket_folder, lock)
        elif _answers(socket_folder):
            if not home.password_file.exists():
                cluster.finish(socket_folder)
            return
        elif log_begins is not None or postmaster.listening_pid(socket_folder) is not None:
            last_seen = time.monotonic()
        elif time.monotonic() - last_seen > UNREACHABLE_SECONDS:
            # Its first process or its socket is gone, while some of its processes live
            _stop(home, socket_folder)
        time.sleep(0.02)
    raise EmbeddedPostgresError(
        _did_not_start(home, f"does not answer after {START_SECONDS:.0f} s", log_begins or 0)
    )


def _start(cluster: Cluster, socket_folder: Path, lock: int) -> int:
    """Starts a server that inherits `lock`; returns the size of the log before its first line, in bytes."""
    home = cluster.home
    try:
        _clear_stale_files(home, socket_folder)
        cluster.prepare()
        if home.log.exists() and home.log.stat().st_size > LOG_BYTES:
            home.log.replace(home.log.with_suffix(".log.1"))
        argv = [
            str(cluster.programs / "postgres"),
            "-D",
            str(home.data.resolve()),
            "-k",
            str(socket_folder),
            "-p",
            str(PORT),
        ]
        with _log(home) as log:
            log_begins = os.fstat(log).st_size
            postmaster.start_detached(argv, keep=lock, log=log, **cluster.account.spawn_arguments())
    except BaseException:
        locks.release(lock)
        raise
    locks.hand_over(lock)
    return log_begins


def _clear_stale_files(home: Home, socket_folder: Path) -> None:
    """Pid files of a dead server: its pid may be another process's by now, and then PostgreSQL refuses to start."""
    if strangers := postmaster.processes_on(home.data):
        raise EmbeddedPostgresError(
            f"A PostgreSQL that agentaudit did not start (pid {strangers[0].pid}) is using {home.data}. Stop it with: "
            f"{wheel.installed() / 'pg_ctl'} -D '{home.data}' stop"
        )
    clear_socket_folder(socket_folder)
    (home.data / "postmaster.pid").unlink(missing_ok=True)


def _stop(home: Home, socket_folder: Path) -> None:
    if not postmaster.stop(home, socket_folder):
        raise EmbeddedPostgresError(
            f"A server on {home.data} is running where this process cannot reach it: in another container, or with "
            "another /tmp. Stop it there, or set AGENTAUDIT_HOME to a folder that is not shared."
        )


def _answers(socket_folder: Path) -> bool:
    """Whether the server accepts logins; asks without one."""
    target = make_conninfo(host=str(socket_folder), port=PORT, user=ROLE, dbname=DATABASE, connect_timeout=2)
    return pq.PGconn.ping(target.encode()) == pq.Ping.OK


@contextmanager
def _log(home: Home) -> Iterator[int]:
    fd = os.open(home.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield fd
    finally:
        os.close(fd)


def _did_not_start(home: Home, what: str, from_byte: int) -> str:
    fault = f"The embedded PostgreSQL of {home.path} {what}"
    with suppress(OSError), home.log.open("rb") as log:
        log.seek(from_byte)
        lines = log.read().decode(errors="replace").strip().splitlines()[-LOG_LINES:]
        return f"{fault}. The end of {home.log}:\n" + "\n".join(lines)
    return f"{fault}, and {home.log} cannot be read."
