"""Where documents, outcomes and logs are kept: one small interface, chosen by the setting STORAGE_URL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Protocol

from django.conf import settings

VOLUMES = "/Volumes/"


class StorageError(Exception):
    """Something could not be stored or read: one sentence that says what to do. `retryable`: the same call may work later."""

    def __init__(self, message: str, *, retryable: bool = False):
        super().__init__(message)
        self.retryable = retryable


class NotStored(StorageError):
    """There is no file of this name: that is certain, and not only that it could not be read."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored file: its name in the storage, size in bytes and SHA-256 (hex) of what was really kept."""

    name: str
    size: int
    sha256: str


class Storage(Protocol):
    """Names are relative, made by us and never by people: `documents/<sha256[:2]>/<sha256>.pdf`, `attempts/<attempt id>.json`."""

    def put(self, name: str, content: BinaryIO, *, limit: int | None = None) -> Stored:
        """Keep `content` under `name`: all of it or nothing, durable at return. A name that exists with the same bytes is left as it is.

        Raises StorageError (also for more than `limit` bytes and for other bytes under an existing name).
        """

    def open(self, name: str) -> BinaryIO:
        """Read it; the whole of it is there, and one can seek in it. Raises NotStored if it is not there, else StorageError."""

    def exists(self, name: str) -> bool:
        """Whether it is there. Raises StorageError if that cannot be said."""

    def delete(self, name: str) -> None:
        """Remove it; no error if it is not there."""

    def names(self, prefix: str) -> Iterator[str]:
        """Every stored name that begins with `prefix`."""

    def clean(self) -> int:
        """Remove what writers that died have left behind for more than a day; how many files that were. May take minutes."""

    def path_for_attempt(self, name: str) -> Path:
        """A path at which an attempt of this storage's executor reads or writes `name` (its folder exists)."""

    def local_copy(self, name: str) -> AbstractContextManager[Path]:
        """A path at which a program of this machine can read `name` as long as the context lasts; nothing is written there."""


@lru_cache(maxsize=1)
def get_storage() -> Storage:
    """The configured storage: a folder (`file:…`), or a Unity Catalog volume (`/Volumes/catalog/schema/volume…`)."""
    if settings.STORAGE_URL.startswith(VOLUMES):
        from tasks.storage.volumes import VolumeStorage

        return VolumeStorage(settings.STORAGE_URL)
    from tasks.storage.folder import FolderStorage

    return FolderStorage(Path(settings.STORAGE_URL.removeprefix("file:")))
