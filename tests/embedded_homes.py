"""Homes with an embedded server of their own, and processes that use it."""

from __future__ import annotations

import json
import os
import select
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import psycopg

from agentaudit.postgres import locks
from agentaudit.postgres.account import server_account
from agentaudit.postgres.embedded import Server

ROOT = Path(__file__).resolve().parent.parent
AS_ROOT = os.geteuid() == 0
# One line of SQL on standard input, one line of JSON on standard output, until the input ends
USER = """
import json, sys, psycopg
from agentaudit.postgres.embedded import Server
server = Server(sys.argv[1])
for line in sys.stdin:
    try:
        with psycopg.connect(**server.ensure_running(), autocommit=True) as connection:
            cursor = connection.execute(line)
            print(json.dumps(cursor.fetchone() if cursor.description else None), flush=True)
    except psycopg.Error as error:
        print(json.dumps({"error": str(error)}), flush=True)
"""


class User:
    """A process of its own that uses the server."""

    def __init__(self, home: Path) -> None:
        argv = [sys.executable, "-c", USER, str(home)]
        self.process = subprocess.Popen(
            argv, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, sql: str = "SELECT 1") -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(sql + "\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def does(self, sql: str = "SELECT 1") -> Any:
        self.ask(sql)
        return self.answer()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def until(holds: Callable[[], Any], seconds: float = 90.0) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.02)
    return found


def gone(home: Path) -> bool:
    """No process of the home's server is left, and no watcher."""
    ours = Server(home).home
    return not locks.is_held(ours.server_lock) and not locks.is_held(ours.watcher_lock)


def watcher_of(home: Path) -> psutil.Process | None:
    for process in psutil.process_iter():
        try:
            command = process.cmdline()
        except psutil.Error:
            continue
        if "agentaudit.postgres.watcher" in command and str(home) in command:
            return process
    return None


def ended(process: psutil.Process) -> bool:
    """Also where nobody collects the dead, as in many containers."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def start_as_account(argv: list[str], **more: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(argv, cwd="/", **{**server_account().spawn_arguments(), **more})


def query(home: Path, sql: str) -> Any:
    with psycopg.connect(**Server(home).ensure_running(), autocommit=True) as connection:
        return connection.execute(sql).fetchone()


def kill_server(home: Path) -> None:
    pid = Server(home).status().pid
    ended = os.pidfd_open(pid)
    os.kill(pid, signal.SIGKILL)
    assert select.select([ended], [], [], 30)[0], "its socket refuses a moment before it has ended"
    os.close(ended)
    until(lambda: not Server(home).status().running)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def text_of(path: Path) -> str:
    return path.read_text() if path.exists() else ""
