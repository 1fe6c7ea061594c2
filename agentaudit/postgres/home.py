"""Where the parts of an embedded server lie below one home, and its private socket folder."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PORT = 5432  # only a part of the socket's name: there is no TCP port
SOCKET_NAME = f".s.PGSQL.{PORT}"
LONGEST_SOCKET_PATH = 103  # bytes: what macOS takes; Linux takes 107


@dataclass(frozen=True)
class Home:
    """`path` is absolute and free of links; two spellings of one home are equal."""

    path: Path

    @classmethod
    def at(cls, path: Path | str) -> Home:
        return cls(Path(path).expanduser().resolve())

    @property
    def folder(self) -> Path:
        """All that is ours, apart from the log; owned by the user who runs agentaudit."""
        return self.path / "postgres"

    @property
    def cluster(self) -> Path:
        """The server account's folder, around the data folder; as root possibly a link to a place below /var/lib."""
        return self.folder / "cluster"

    @property
    def data(self) -> Path:
        return self.cluster / "data"

    @property
    def password_file(self) -> Path:
        return self.folder / "password"

    @property
    def password_draft(self) -> Path:
        """The superuser's password until the first server has made everything else."""
        return self.folder / "password.new"

    @property
    def log(self) -> Path:
        return self.path / "postgres.log"

    @property
    def start_lock(self) -> Path:
        """Held exclusively while somebody starts or stops the server."""
        return self.folder / "start.lock"

    @property
    def users_lock(self) -> Path:
        """Shared by every process that uses the server; exclusive for the watcher while it stops an unused one."""
        return self.folder / "users.lock"

    @property
    def server_lock(self) -> Path:
        """Held by the server and each of its processes: free means that none is left, whatever pid files say."""
        return self.folder / "server.lock"

    @property
    def watcher_lock(self) -> Path:
        return self.folder / "watcher.lock"

    @property
    def socket_record(self) -> Path:
        return self.folder / "socket"

    def socket_folder(self) -> Path | None:
        """The folder of the socket, where one was chosen already."""
        try:
            recorded = Path(os.fsdecode(self.socket_record.read_bytes()))
        except OSError:
            return None
        return recorded if recorded.is_absolute() else None

    def choose_socket_folder(self, owner: tuple[int, int]) -> Path:
        """A folder that only the server's `owner` (uid, gid) and root may enter: the recorded one, or a new one.

        Not in the home, because a socket's path has to be short; its random name cannot be taken by somebody else
        beforehand, and a recorded one that was replaced meanwhile (/tmp is swept, machines reboot) is not trusted.
        """
        recorded = self.socket_folder()
        if recorded is not None and _is_private(recorded, owner[0]):
            return recorded
        for base in ("/tmp", "/var/tmp", tempfile.gettempdir()):  # noqa: S108 - mkdtemp makes a private folder
            with suppress(OSError):
                folder = Path(tempfile.mkdtemp(prefix="agentaudit-", dir=base))
                if len(os.fsencode(folder / SOCKET_NAME)) > LONGEST_SOCKET_PATH:
                    folder.rmdir()
                    continue
                os.chown(folder, *owner)
                self.write_private(self.socket_record, os.fsencode(folder))
                return folder
        raise OSError("no folder for the socket can be made in /tmp, /var/tmp or TMPDIR")

    def write_private(self, path: Path, content: bytes) -> None:
        """Writes a whole file that only its owner may read; readers see the old or the new one, never a part."""
        fd, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        with os.fdopen(fd, "wb") as file:
            file.write(content)
        Path(name).replace(path)


def clear_socket_folder(folder: Path) -> None:
    """Removes what a dead server left in its socket folder: the socket, and a lock file with a pid that means nothing."""
    for name in (SOCKET_NAME, f"{SOCKET_NAME}.lock"):
        (folder / name).unlink(missing_ok=True)


def drop_socket_folder(folder: Path) -> None:
    with suppress(OSError):  # swept already, or not ours alone: then it stays
        clear_socket_folder(folder)
        folder.rmdir()


def _is_private(folder: Path, uid: int) -> bool:
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == uid and not found.st_mode & 0o077
