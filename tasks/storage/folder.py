"""Storage in a folder of this machine (or one that all machines share): whole files or none, and only for our own user."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from tasks.storage import NotStored, StorageError, Stored
from tasks.storage.names import PARTIAL, REPLACEABLE, checked, too_large

CHUNK_BYTES = 1 << 20
PARTIAL_SECONDS = 86_400
FOLDER_SECONDS = 1.0
"""A folder that an attempt needs is taken to exist for so long after a look: a busy worker asks thousands of times per second."""


class FolderStorage:
    """Names become paths below `root` as they are. What is stored once never changes, except below `attempts/`."""

    def __init__(self, root: Path):
        self.root = root.absolute()
        self._look_again: dict[str, float] = {}

    def put(self, name: str, content: BinaryIO, *, limit: int | None = None) -> Stored:
        target = self._path(name)
        with self._explained(name):
            self._make_folder(target.parent)
        partial = target.with_name(f"{target.name}.{uuid4().hex}{PARTIAL}")
        try:
            stored = self._write(partial, name, content, limit)
            with self._explained(name):
                self._publish(partial, target, stored)
        finally:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)
        return stored

    def open(self, name: str) -> BinaryIO:
        path = self._path(name)
        try:
            return path.open("rb")
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            raise NotStored(
                f"The file “{name}” is not in the storage folder {self.root}. Upload it again or restore it from a "
                "backup; where several machines work together, all of them need the same folder."
            ) from None
        except OSError as error:
            raise StorageError(
                f"The file “{name}” cannot be read: {error.strerror}.", retryable=True
            ) from error

    def exists(self, name: str) -> bool:
        try:
            return self._path(name).is_file()
        except OSError as error:
            message = f"“{name}” cannot be looked up in {self.root}: {error.strerror}. Check the folder, its permissions and its mount."
            raise StorageError(message, retryable=True) from error

    def delete(self, name: str) -> None:
        path = self._path(name)
        with self._explained(name), contextlib.suppress(FileNotFoundError, NotADirectoryError):
            path.unlink()
            _sync_folder(path.parent)

    def names(self, prefix: str) -> Iterator[str]:
        parent = prefix.rpartition("/")[0]
        start = self._path(parent) if parent else self.root
        for folder, _, files in os.walk(start, onerror=self._unlisted):
            for file in files:
                name = (Path(folder) / file).relative_to(self.root).as_posix()
                if name.startswith(prefix) and not name.endswith(PARTIAL):
                    yield name

    def _unlisted(self, error: OSError) -> None:
        """What cannot be looked through may hold files: a deletion that left them out would say that all is gone."""
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            return
        message = f"The folder {error.filename} of the storage cannot be looked through: {error.strerror}. Check its permissions and its mount."
        raise StorageError(message, retryable=True) from error

    def path_for_attempt(self, name: str) -> Path:
        path = self._path(name)
        folder, now = name.rpartition("/")[0], time.monotonic()
        if now >= self._look_again.get(folder, 0.0):
            with self._explained(name):
                self._make_folder(path.parent)
            self._look_again[folder] = now + FOLDER_SECONDS
        return path

    @contextlib.contextmanager
    def local_copy(self, name: str) -> Iterator[Path]:
        self.open(name).close()  # says what to do where it is not there
        yield self._path(name)

    def clean(self) -> int:
        oldest, removed = time.time() - PARTIAL_SECONDS, 0
        for folder, _, files in os.walk(self.root):
            for file in files:
                path = Path(folder) / file
                if file.endswith(PARTIAL):
                    with contextlib.suppress(FileNotFoundError):  # its writer or another cleaner was faster
                        if path.stat().st_mtime < oldest:
                            path.unlink()
                            removed += 1
        return removed

    def _path(self, name: str) -> Path:
        return self.root / checked(name)

    def _write(self, partial: Path, name: str, content: BinaryIO, limit: int | None) -> Stored:
        digest, size = hashlib.sha256(), 0
        with self._explained(name):
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            while chunk := content.read(CHUNK_BYTES):
                size += len(chunk)
                if limit is not None and size > limit:
                    raise too_large(limit)
                digest.update(chunk)
                with self._explained(name):
                    _write_all(descriptor, chunk)
            with self._explained(name):
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        return Stored(name, size, digest.hexdigest())

    def _publish(self, partial: Path, target: Path, stored: Stored) -> None:
        """Give a whole file its name."""
        if stored.name.startswith(REPLACEABLE):
            partial.replace(target)
        else:
            try:
                # A link, because a rename would overwrite what somebody else stores in this moment.
                target.hardlink_to(partial)
            except FileExistsError:
                self._compare(target, stored)
            except OSError as error:
                if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS):
                    raise
                # A file system without links: looking first is the best there is.
                if target.exists():
                    self._compare(target, stored)
                partial.replace(target)
        _sync_folder(target.parent)

    def _compare(self, target: Path, stored: Stored) -> None:
        with target.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != stored.sha256:
                raise StorageError(
                    f"Another file is already stored as “{stored.name}”, and stored files never change. "
                    f"Compare {target} with its backup: it may be damaged."
                )

    def _make_folder(self, folder: Path) -> None:
        if folder.is_dir():
            return
        if folder != folder.parent:
            self._make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        _sync_folder(folder.parent)

    @contextlib.contextmanager
    def _explained(self, name: str) -> Iterator[None]:
        """Turn the system's error into one that says what to do."""
        try:
            yield
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                message = f"The disk that holds {self.root} is full; free some space and try again."
                raise StorageError(message, retryable=True) from error
            message = f"“{name}” cannot be stored in {self.root}: {error.strerror}. Check the folder and its permissions."
            raise StorageError(message, retryable=not isinstance(error, PermissionError)) from error


def _write_all(descriptor: int, data: bytes) -> None:
    remaining = memoryview(data)
    while remaining:
        remaining = remaining[os.write(descriptor, remaining) :]


def _sync_folder(folder: Path) -> None:
    """A new name survives a power cut only when its folder was written too."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
