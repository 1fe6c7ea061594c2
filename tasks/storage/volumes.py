"""Storage in a Unity Catalog volume: through the Files API from here, and as a mounted path where a job of the workspace reads."""

from __future__ import annotations

import hashlib
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from tasks import databricks
from tasks.storage import NotStored, StorageError, Stored
from tasks.storage.names import REPLACEABLE, checked, too_large

CHUNK_BYTES = 1 << 20
MEMORY_BYTES = 4 << 20
"""Files up to this size pass through memory, larger ones through a temporary file: no more is held, however large they are."""
DOCUMENTS = "documents/"
PARALLEL_PARTS = 2
"""Parts of a large upload that are held in memory at once."""

T = TypeVar("T")


class VolumeStorage:
    """Names become paths below `root` (`/Volumes/catalog/schema/volume…`). What is stored once never changes, except below `attempts/`.

    An upload appears whole or not at all; one whose answer is lost is repeated, and then finds its own bytes.
    """

    def __init__(self, root: str) -> None:
        self.root = root.rstrip("/")
        self._folders: set[str] = set()
        self._lock = threading.Lock()

    def put(self, name: str, content: BinaryIO, *, limit: int | None = None) -> Stored:
        path = self._path(name)
        with tempfile.SpooledTemporaryFile(MEMORY_BYTES) as spool:
            stored = _copy(name, content, cast(BinaryIO, spool), limit)
            if self._upload(path, cast(BinaryIO, spool), overwrite=name.startswith(REPLACEABLE)):
                self._weigh(stored)
            else:
                self._compare(stored)
        return stored

    def put_once(self, name: str, content: bytes) -> bool:
        """Keep `content`, unless something is kept under this name already; whether it was nothing. Raises StorageError."""
        with tempfile.SpooledTemporaryFile(MEMORY_BYTES) as spool:
            spool.write(content)
            return self._upload(self._path(name), cast(BinaryIO, spool), overwrite=False)

    def open(self, name: str) -> BinaryIO:
        path = self._path(name)
        # A missing outcome is looked for again and again: one small request says so, where a download would make three
        if name.startswith(REPLACEABLE) and not self.exists(name):
            raise self._missing(name)
        spool = tempfile.SpooledTemporaryFile(MEMORY_BYTES)  # noqa: SIM115 - the caller closes it
        try:
            self._do(name, "read", lambda workspace: _download(workspace, path, spool))
        except BaseException:
            spool.close()
            raise
        return cast(BinaryIO, spool)

    def exists(self, name: str) -> bool:
        path = self._path(name)
        found = self._do(
            name, "looked up", lambda workspace: workspace.files.get_metadata(path), missing=None
        )
        return found is not None

    def delete(self, name: str) -> None:
        path = self._path(name)
        self._do(name, "deleted", lambda workspace: workspace.files.delete(path), missing=None)

    def names(self, prefix: str) -> Iterator[str]:
        folder = prefix.rpartition("/")[0]
        if folder:
            checked(folder)
        return (name for name in self._walk(folder) if name.startswith(prefix))

    def clean(self) -> int:
        return 0  # the workspace keeps whole uploads or none

    def path_for_attempt(self, name: str) -> Path:
        path = self._path(name)
        # That of documents was made when they were stored; a claim has hundreds of them
        if not name.startswith(DOCUMENTS):
            self._make_folder(path)
        return Path(path)

    @contextmanager
    def local_copy(self, name: str) -> Iterator[Path]:
        with tempfile.NamedTemporaryFile(prefix="agentaudit-") as copy, self.open(name) as content:
            while chunk := content.read(CHUNK_BYTES):
                copy.write(chunk)
            copy.flush()
            yield Path(copy.name)

    def _path(self, name: str) -> str:
        return f"{self.root}/{checked(name)}"

    def _upload(self, path: str, spool: BinaryIO, *, overwrite: bool) -> bool:
        """Whether it was taken; not, if something stands there that may not be overwritten."""
        from databricks.sdk.errors import NotFound, ResourceConflict

        def send(workspace: Any) -> bool:
            spool.seek(0)
            try:
                workspace.files.upload(path, spool, overwrite=overwrite, parallelism=PARALLEL_PARTS)
            except ResourceConflict:
                return False
            except NotFound:
                self._folders.clear()  # somebody has removed them
                raise
            return True

        self._make_folder(path)
        return self._do(path.removeprefix(f"{self.root}/"), "stored", send)

    def _weigh(self, stored: Stored) -> None:
        """An upload may be called good, and what was kept is empty or a half all the same."""
        path = self._path(stored.name)
        kept = self._do(stored.name, "looked up", lambda workspace: workspace.files.get_metadata(path))
        if kept.content_length != stored.size:
            if not stored.name.startswith(REPLACEABLE):  # or nothing could ever stand in its place
                self.delete(stored.name)
            raise StorageError(
                f"“{stored.name}” was not kept whole in {self.root} ({kept.content_length:,} of {stored.size:,} bytes). Try again.",
                retryable=True,
            )

    def _compare(self, stored: Stored) -> None:
        with self.open(stored.name) as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != stored.sha256:  # type: ignore[arg-type]
                raise StorageError(
                    f"Another file is already stored as “{stored.name}”, and stored files never change. "
                    f"Look at {self.root}/{stored.name}: it may be damaged, or somebody else writes into this volume."
                )

    def _make_folder(self, path: str) -> None:
        """An upload, and even more so a program on the mounted path, needs the folder. Once made it stays."""
        folder = path.rpartition("/")[0]
        if folder not in self._folders:
            self._do(folder, "made", lambda workspace: workspace.files.create_directory(folder))
            with self._lock:
                self._folders.add(folder)

    def _walk(self, folder: str) -> Iterator[str]:
        path = f"{self.root}/{folder}".rstrip("/")
        found = self._do(path, "listed", lambda workspace: list(workspace.files.list_directory_contents(path)), missing=[])  # fmt: skip
        for entry in found or []:
            name = f"{folder}/{entry.name}".lstrip("/")
            if entry.is_directory:
                yield from self._walk(name)
            else:
                yield name

    def _missing(self, name: str) -> NotStored:
        return NotStored(
            f"The file “{name}” is not in the volume {self.root}. Upload it again or restore it from a backup; where the volume "
            "was replaced, STORAGE_URL has to name the one that holds the documents."
        )

    def _do(self, name: str, what: str, call: Callable[[Any], T], **instead: T) -> T:
        """The call's answer; `missing=` is what it answers for a file that is not there. Raises StorageError in words."""
        from databricks.sdk.errors import NotFound, PermissionDenied

        try:
            return databricks.asked(call)
        except databricks.NotConfigured as error:
            raise StorageError(str(error)) from error
        except NotFound as error:
            if "missing" in instead:
                return instead["missing"]
            if what != "read":
                message = f"“{name}” could not be {what}: there is no volume {self.root}, or this principal may not see it."
                raise StorageError(message) from error
            raise self._missing(name) from error
        except PermissionDenied as error:
            raise StorageError(
                f"“{name}” may not be {what} in {self.root}: this principal needs USE CATALOG, USE SCHEMA, READ VOLUME and WRITE "
                f"VOLUME there ({databricks.in_words(error)})."
            ) from error
        except Exception as error:  # the SDK raises its own, those of its HTTP client, and plain ones
            message = (
                f"“{name}” could not be {what} in {self.root}: {databricks.in_words(error)}. Try again later."
            )
            raise StorageError(message, retryable=databricks.is_passing(error)) from error


def _copy(name: str, content: BinaryIO, spool: BinaryIO, limit: int | None) -> Stored:
    digest, size = hashlib.sha256(), 0
    while chunk := content.read(CHUNK_BYTES):
        size += len(chunk)
        if limit is not None and size > limit:
            raise too_large(limit)
        digest.update(chunk)
        spool.write(chunk)
    return Stored(name, size, digest.hexdigest())


def _download(workspace: Any, path: str, spool: Any) -> None:
    """The whole file, from its beginning. What was cut is noticed and fetched by the SDK, or raises."""
    spool.seek(0)
    spool.truncate()
    with workspace.files.download(path).contents as content:
        while chunk := content.read(CHUNK_BYTES):
            spool.write(chunk)
    spool.seek(0)
