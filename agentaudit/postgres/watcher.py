"""Stops the embedded server when the last process that used it has gone; runs detached, one beside each server."""

from __future__ import annotations

import fcntl
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from agentaudit.postgres import locks, postmaster
from agentaudit.postgres.home import Home, drop_socket_folder

LINGER_SECONDS = 2.0  # so that one command after another does not restart the server each time


def main(home: Home, socket_folder: Path, watcher_lock: int) -> None:
    """Waits, without polling, until nobody shares the users' lock; then stops the server and ends.

    `socket_folder` is where the server listened when the watcher began; it counts when the home was deleted meanwhile.
    """
    users = os.open(home.users_lock, os.O_RDWR | os.O_CLOEXEC)
    while True:
        fcntl.flock(users, fcntl.LOCK_EX)
        fcntl.flock(users, fcntl.LOCK_UN)
        time.sleep(LINGER_SECONDS)
        with suppress(BlockingIOError):
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
    # From here on newcomers wait for the users' lock, and find neither server nor watcher when they get it.
    if locks.is_in_place(home.watcher_lock, watcher_lock):
        socket_folder = home.socket_folder() or socket_folder
        stopped = postmaster.stop(home, socket_folder)
    else:  # the home was deleted; what is there by now is not ours to stop
        stopped = postmaster.stop_listener(socket_folder)
    if stopped:
        drop_socket_folder(socket_folder)
    os.close(watcher_lock)
    os.close(users)


if __name__ == "__main__":
    main(Home(Path(sys.argv[1])), Path(sys.argv[2]), int(sys.argv[3]))
