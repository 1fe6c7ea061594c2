"""File locks that the kernel frees when their last holder ends, however it ends."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

# A child made by fork() shares its parent's locks and would keep them for as long as it lives. Closing its copies takes
# nothing from the parent: the lock belongs to the open file that both share.
_held: set[int] = set()


def take(path: Path, *, shared: bool = False, wait_seconds: float = 0.0) -> int | None:
    """The open file that now holds the lock on `path`, or None when others still held it after `wait_seconds`."""
    deadline = time.monotonic() + wait_seconds
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        _held.add(fd)
        try:
            fcntl.flock(fd, kind | fcntl.LOCK_NB)
            if is_in_place(path, fd):
                return fd
        except BlockingIOError:
            if time.monotonic() >= deadline:
                _close(fd)
                return None
        except BaseException:
            _close(fd)
            raise
        _close(fd)
        time.sleep(0.02)


def is_held(path: Path) -> bool:
    """Whether somebody holds the lock exclusively. Asking takes a share for a moment, so takers have to try again."""
    if not path.exists():
        return False
    fd = take(path, shared=True)
    if fd is None:
        return True
    release(fd)
    return False


def is_in_place(path: Path, fd: int) -> bool:
    """Whether the open file is the one that others find at `path`: it may have been deleted since."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(fd))
    except FileNotFoundError:
        return False


def release(fd: int) -> None:
    """Frees the lock, also for children that inherited the open file."""
    fcntl.flock(fd, fcntl.LOCK_UN)
    _close(fd)


def hand_over(fd: int) -> None:
    """Forgets the lock here; a process that was started with the open file keeps it until it ends."""
    _close(fd)


def _close(fd: int) -> None:
    _held.discard(fd)
    os.close(fd)


def _close_in_child() -> None:
    for fd in list(_held):
        _close(fd)


os.register_at_fork(after_in_child=_close_in_child)
