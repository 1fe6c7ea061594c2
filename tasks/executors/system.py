"""What Linux offers beyond POSIX to hold child processes; each call does nothing where the system lacks it (macOS)."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections import defaultdict
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 36, 38
PROC = Path("/proc")

_libc = ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, value: int) -> None:
    if hasattr(_libc, "prctl"):
        _libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))


def die_with_parent(by: signal.Signals = signal.SIGKILL) -> None:
    """Send `by` to this process when the thread that forked it ends. Not inherited by its own children."""
    _prctl(PR_SET_PDEATHSIG, by)


def adopt_orphans() -> None:
    """Processes below this one come to it, and not to init, when their parent dies: none gets out of reach."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def give_up_new_privileges() -> None:
    """No set-uid program gives this process or its children more rights."""
    _prctl(PR_SET_NO_NEW_PRIVS, 1)


def die_first() -> None:
    """Make this process, not the worker or the database, the kernel's choice when memory runs out."""
    with contextlib.suppress(OSError):
        (PROC / "self/oom_score_adj").write_text("800")


def give_way(by: int) -> None:
    """Lower this process's priority by so much, and that of its session if it leads one: whoever else shares it asked for nothing.

    Kernels that share a machine out by session (autogroup) heed a process's own niceness only within its session; who is not root may
    lower sessions ten times a second, and what comes too soon stays as it is.
    """
    os.nice(by)
    if os.getsid(0) == os.getpid():
        with contextlib.suppress(OSError):
            (PROC / "self/autogroup").write_text(str(by))


def children() -> list[int]:
    """Pids of this process's children, dead ones that were not waited for included."""
    try:
        return [int(pid) for pid in (PROC / f"self/task/{os.getpid()}/children").read_text().split()]
    except OSError:
        return []


def out_of_memory_kills() -> int | None:
    """How many processes the kernel has killed for want of memory since the machine started; None: it does not say."""
    try:
        lines = (PROC / "vmstat").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), None)


def process_count() -> int:
    """Processes and threads on this machine: one cheap number that jumps when somebody forks without end."""
    try:
        return int((PROC / "loadavg").read_text().split()[3].split("/")[1])
    except OSError:
        return 0


def descendants(roots: set[int]) -> dict[int, int]:
    """How many processes live below each of `roots`."""
    below: dict[int, list[int]] = defaultdict(list)
    for entry in PROC.iterdir() if PROC.is_dir() else ():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):  # it ended meanwhile
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                below[parent].append(int(entry.name))
    return {root: _count(root, below) for root in roots}


def at_home_in(folder: Path) -> list[int]:
    """Processes that were started with `folder` as their TMPDIR or work in it, wherever they went since."""
    mark = f"TMPDIR={folder}".encode()
    found = []
    for entry in PROC.iterdir() if PROC.is_dir() else ():
        with contextlib.suppress(OSError):  # it ended meanwhile, or it is somebody else's
            if entry.name.isdigit() and (
                mark in (entry / "environ").read_bytes().split(b"\0")
                or (entry / "cwd").readlink().is_relative_to(folder)
            ):
                found.append(int(entry.name))
    return found


def _count(root: int, below: dict[int, list[int]]) -> int:
    found, waiting = 0, [root]
    while waiting:
        nearest = below.get(waiting.pop(), [])
        found += len(nearest)
        waiting += nearest
    return found


def address_space() -> int:
    """Bytes of address space that this process has now; 0 where that cannot be read."""
    try:
        return int((PROC / "self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
