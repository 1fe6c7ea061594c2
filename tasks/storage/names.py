"""Which names a storage takes: relative, of few characters, made by us and never by people."""

from __future__ import annotations

import re

from tasks.storage import StorageError

PARTIAL = ".part"
"""What is still being written ends so; the agent program writes its outcome the same way."""
REPLACEABLE = "attempts/"
"""What is stored once never changes, except below here."""
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*", re.ASCII)
MAX_NAME = 200


def checked(name: str) -> str:
    """The name, if it is one. Raises StorageError."""
    if len(name) > MAX_NAME or not NAME.fullmatch(name) or name.endswith(PARTIAL):
        raise StorageError(
            f"{name[:MAX_NAME]!r} is not a name that the storage uses; nothing was read or written."
        )
    return name


def too_large(limit: int) -> StorageError:
    """What is said of a file of more than `limit` bytes."""
    readable = f"{limit >> 20:,} MiB" if limit >= 1 << 20 else f"{limit:,} bytes"
    return StorageError(f"The file is larger than {readable}, the most that is kept here.")
