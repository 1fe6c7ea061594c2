"""The server's first process: is it there, start it detached, stop it."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from agentaudit.postgres import locks
from agentaudit.postgres.home import SOCKET_NAME, Home

FAST_STOP_SECONDS = 30.0
IMMEDIATE_STOP_SECONDS = 10.0


def listening_pid(socket_folder: Path | None) -> int | None:
    """Pid of the process that listens on the socket, 0 where the system does not say; None when nobody listens."""
    if socket_folder is None:
        return None
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(1.0)
        try:
            connection.connect(str(socket_folder / SOCKET_NAME))
            return _peer_pid(connection)
        except (FileNotFoundError, ConnectionRefusedError):
            return None
        except OSError:  # a full queue or a slow machine: it is there, and too busy to say more
            return 0


def _peer_pid(connection: socket.socket) -> int:
    """Whoever called listen(), as the kernel knows it: no pid file to be stale, no pid that was used again."""
    if sys.platform == "linux":
        size = struct.calcsize("3i")
        return struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))[0]
    if sys.platform == "darwin":
        sol_local, local_peerpid = 0, 2
        return connection.getsockopt(sol_local, local_peerpid)
    return 0


def start_detached(argv: Sequence[str | Path], *, keep: int, log: int, **spawn: Any) -> None:
    """Starts `argv` as nobody's child, in a session of its own, with output to `log`; it inherits the open file `keep`.

    Not our child, so that it never becomes a zombie of ours, and a program that waits for all its children
    (multiprocessing, gunicorn) never meets it. `spawn` goes to subprocess.run.
    """
    subprocess.run(
        ["/bin/sh", "-c", '"$@" &', "sh", *(os.fspath(part) for part in argv)],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        cwd="/",
        pass_fds=[keep],
        start_new_session=True,
        umask=0o077,
        check=True,
        timeout=30,
        **spawn,
    )


def stop(home: Home, socket_folder: Path | None) -> bool:
    """Shuts the server down, open sessions or not, without loss; True when none of its processes is left."""
    for sign, seconds in ((signal.SIGINT, FAST_STOP_SECONDS), (signal.SIGQUIT, IMMEDIATE_STOP_SECONDS)):
        if not locks.is_held(home.server_lock):  # whatever runs on the data folder now, we did not start it
            return True
        pid = listening_pid(socket_folder) or _recorded_pid(home)
        if pid:
            _signal(pid, sign)
        else:
            _quit_leftovers(home)
        if _wait_until(lambda: not locks.is_held(home.server_lock), seconds):
            return True
    return False


def stop_listener(socket_folder: Path) -> bool:
    """The same for a server of which only the socket is known; True when nobody listens there any more."""
    if pid := listening_pid(socket_folder):
        _signal(pid, signal.SIGINT)
    return _wait_until(lambda: listening_pid(socket_folder) is None, FAST_STOP_SECONDS)


def _signal(pid: int, sign: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, sign)


def _recorded_pid(home: Home) -> int | None:
    """What the pid file says, where a server process on our data folder bears it out."""
    try:
        pid = int((home.data / "postmaster.pid").read_text().split("\n", 1)[0])
    except (OSError, ValueError):
        return None
    return pid if pid in [process.pid for process in processes_on(home.data)] else None


def _quit_leftovers(home: Home) -> None:
    """Ends sessions that outlived the server's first process, which they notice only at the end of a statement.

    SIGQUIT is the server's own "immediate" stop: the next start recovers as after a power failure.
    """
    for process in processes_on(home.data):
        with suppress(psutil.Error):
            process.send_signal(signal.SIGQUIT)


def processes_on(data: Path) -> list[psutil.Process]:
    """The live server processes on `data`, recognised by their working folder, which is always the data folder."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.name().startswith("postgres") and _works_in(process, data):
                found.append(process)
    return found


def _works_in(process: psutil.Process, folder: Path) -> bool:
    link = Path(f"/proc/{process.pid}/cwd")  # leads to the folder itself, even if another has its name by now
    if link.is_symlink():
        return link.samefile(folder)
    return process.cwd() == os.path.realpath(folder)


def _wait_until(holds: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.05)
    return True
