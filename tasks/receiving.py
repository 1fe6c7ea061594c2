"""Receives one file: a harmless name, the content checked in a child process, the bytes stored under their digest.

What is wrong with a file is kept with its extraction in English; each reader's language finds it (dashboard/sayings.py).
"""

from __future__ import annotations

import errno
import hashlib
import re
import tempfile
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.db import connection
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import override

from tasks import inspector
from tasks.clock import NOW
from tasks.models import Client, Document
from tasks.storage import StorageError, get_storage

CHUNK = 1 << 20
NAME_LENGTH = 255
# Overrides that make "invoice[U+202E]fdp.exe" read as something else, and marks that show nothing
_MISLEADING = re.compile("[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it comes: the name that its owner gave it, its bytes, and the password that opens it (if any)."""

    name: str
    content: BinaryIO
    password: str = field(default="", repr=False)


class NotTaken(Exception):
    """Nothing was taken: one sentence that says why and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Refusal(Exception):
    """One file is not taken; the others go on. `sha256`: of its bytes, empty where they were not read to their end."""

    def __init__(self, code: str, sentence: str, sha256: str = "") -> None:
        super().__init__(sentence)
        self.code, self.sentence, self.sha256 = code, sentence, sha256


@dataclass(frozen=True, slots=True)
class Received:
    """A file, stored as `stored`. `locked`: only a password is missing; the bytes are kept so that nobody has to send them again."""

    name: str
    stored: str
    sha256: str
    size: int
    pages: int | None
    encrypted: bool
    password: str
    locked: str = ""


_NOT_UNPACKED = "The browser did not unpack this archive, so that nothing of it was sent."
_WHY_LEFT_OUT = {
    "empty": "This file is empty (0 bytes).",
    "limit": "This file is larger than {size}, the most that is taken.",
    "not_pdf": "This file is not a PDF, whatever its name says.",
    "unreadable": "The browser could not read this file, so that it was not sent.",
    "zip_old": _NOT_UNPACKED,
    "zip_damaged": "This file or the archive that holds it is cut short or damaged, so that it was not sent.",
    "zip_locked": "This file is encrypted in its archive, so that it was not sent.",
    "zip_method": "This file is packed in a way that browsers cannot unpack, so that it was not sent.",
    "zip_nested": "An archive inside an archive is not unpacked, so that nothing of it was sent.",
    "zip_huge": _NOT_UNPACKED,
    "zip_many": _NOT_UNPACKED,
    "zip_bare": "This archive holds no PDFs.",
    "zip_others": "This archive also holds files that are no PDFs; they were left out.",
}
LEFT_OUT = tuple(_WHY_LEFT_OUT)
"""Why a browser does not send a file that was chosen."""
MOST_LEFT_OUT = 1000
"""More files that were not sent are not listed."""


def why_left_out(code: str) -> str:
    """One sentence for one of LEFT_OUT."""
    with override("en"):
        return _WHY_LEFT_OUT[code].format(size=filesizeformat(settings.UPLOAD_MAX_BYTES))


def display_name(name: str) -> str:
    """A name to show, never a path: the last component in NFC, without control characters and direction overrides, at most 255 long."""
    last = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
    kept = "".join(c for c in last if unicodedata.category(c) not in ("Cc", "Cs", "Zl", "Zp"))
    clean = " ".join(_MISLEADING.sub("", unicodedata.normalize("NFC", kept)).split())
    if clean.strip(". ") == "":
        return _("unnamed") + ".pdf"
    if len(clean) <= NAME_LENGTH:
        return clean
    stem, dot, extension = clean.rpartition(".")
    if not dot or len(extension) > 10:
        return clean[: NAME_LENGTH - 1] + "…"
    return stem[: NAME_LENGTH - len(extension) - 2] + "…." + extension


def folder_of(client: Client) -> str:
    """What the names of a client's documents begin with: no file belongs to two clients, so that one can go without the other."""
    return f"documents/client-{client.pk}/"


def storage_name(client: Client, sha256: str) -> str:
    """Where a document's bytes are kept: a name that no document had before, since pruning may be about to remove the file of an earlier one."""
    return f"{folder_of(client)}{sha256[:2]}/{sha256}-{token_hex(4)}.pdf"


def _place(client: Client, sha256: str) -> str:
    """Where to store these bytes: where they are kept already, and are left alone from now on, or at a new name."""
    known = Document.objects.filter(client=client, sha256=sha256)
    name = known.values_list("storage_name", flat=True).first()
    # A pruning of the document that is under way is waited for, and may have taken it
    if name and known.update(handed_in_again_at=NOW) and name.startswith(folder_of(client)):
        return name
    return storage_name(client, sha256)


def receive(client: Client, upload: Upload, name: str, received: Mapping[str, Received]) -> Received:
    """Stream one file to storage, where the same bytes lie if they were `received` just before. Raises Refusal for what is wrong with the file, NotTaken for what is wrong here."""
    _give_back_connection()
    try:
        with tempfile.NamedTemporaryFile(prefix="agentaudit-") as spool:
            digest, size = _copy(upload.content, spool)
            spool.flush()
            opened = look_at(Path(spool.name), upload.password)
            locked = opened.code == "encrypted"
            if opened.code and not locked:
                raise Refusal(opened.code, opened.message or opened.code, digest)
            if opened.pages is not None and opened.pages > settings.UPLOAD_MAX_PAGES:
                raise Refusal("limit", _too_many_pages(opened.pages), digest)
            spool.seek(0)
            stored = received[digest].stored if digest in received else _place(client, digest)
            _give_back_connection()
            get_storage().put(stored, cast(BinaryIO, spool))
    except StorageError as error:
        raise NotTaken(str(error)) from error
    except OSError as error:
        raise NotTaken(_why_not_stored(error)) from error
    message = (opened.message or "") if locked else ""
    return Received(name, stored, digest, size, opened.pages, opened.encrypted, upload.password, message)


def _give_back_connection() -> None:
    """To the few of a web process: looking at a file and storing it may take longer than others wait for one."""
    if "pool" in connection.settings_dict["OPTIONS"] and not connection.in_atomic_block:
        connection.close()


def _copy(content: BinaryIO, spool: Any) -> tuple[str, int]:
    """SHA-256 (hex) and size of what was copied; stops at the first byte too many."""
    digest, size = hashlib.sha256(), 0
    while chunk := content.read(CHUNK):
        size += len(chunk)
        if size > settings.UPLOAD_MAX_BYTES:
            raise Refusal("limit", why_left_out("limit"))
        digest.update(chunk)
        spool.write(chunk)
    if size == 0:
        raise Refusal("empty", why_left_out("empty"))
    return digest.hexdigest(), size


def look_at(path: Path, password: str) -> inspector.Opened:
    """What a PDF is. Raises NotTaken where none can be opened at the moment."""
    try:
        return inspector.inspect(path, password)
    except inspector.InspectorUnavailable as error:
        raise NotTaken(
            _("Files cannot be checked at the moment (%(fault)s). Nothing was taken; try again later.")
            % {"fault": error}
        ) from error


def _too_many_pages(pages: int) -> str:
    return f"This PDF has {pages} pages; the limit is {settings.UPLOAD_MAX_PAGES}. Split it and try again."


def _why_not_stored(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _(
            "The disk is full, so nothing was taken. Make room on the server, then hand the files in again."
        )
    return _("The files could not be stored (%(fault)s). Nothing was taken; try again later.") % {
        "fault": error.strerror or error
    }
