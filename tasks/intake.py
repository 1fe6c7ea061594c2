"""Takes files in: names made harmless, content checked and stored, repeats found; what is good becomes an extraction."""

from __future__ import annotations

import errno
import hashlib
import re
import tempfile
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.db import transaction
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks import inspector, operations
from tasks.audit import Actor
from tasks.clock import NOW
from tasks.models import Agent, Client, Document, Extraction, Task
from tasks.states import TaskStatus
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


class _Refusal(Exception):
    """One file is not taken; the others go on."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code, self.sentence = code, sentence


@dataclass(frozen=True, slots=True)
class _Received:
    """A file, stored as `stored`. `locked`: only a password is missing; the bytes are kept so that nobody has to send them again."""

    name: str
    stored: str
    sha256: str
    size: int
    pages: int | None
    encrypted: bool
    password: str
    locked: str = ""


def take_in(
    actor: Actor, *, client: Client, agent: Agent, uploads: Iterable[Upload],
    engagement: str = "", priority: int | None = None, run_again: bool = False, version: int | None = None,
    left_out: Iterable[tuple[str, str]] = (),
) -> Extraction:  # fmt: skip
    """Store the files and hand the good ones in; the others stand in `extraction.refused` with code and sentence.

    So do those that were `left_out` before sending: (one of LEFT_OUT, name).
    Bytes that this agent has read, or will read, for the client are not run again unless `run_again`: they point to the first.
    Raises NotTaken if nothing could be stored, operations.Refused during maintenance, or if client or agent (or its `version`) cannot be used.
    """
    operations.must_be_open()
    operations.must_take_from(client)
    operations.version_of(agent, version)  # before anything is stored
    received: dict[str, _Received] = {}
    refused = [_entry(display_name(name), code, why_left_out(code)) for code, name in left_out]
    try:
        repeats = _receive_all(client, uploads, received, refused)
        return _hand_in(
            actor, client, agent, received, repeats, refused, run_again, engagement=engagement, priority=priority, version=version
        )  # fmt: skip
    except (operations.Refused, NotTaken):
        _take_back(client, list(received.values()))
        raise


def _receive_all(
    client: Client, uploads: Iterable[Upload], received: dict[str, _Received], refused: list[dict[str, Any]]
) -> list[tuple[dict[str, Any], str]]:
    """Store the files, by digest, and say which are not taken; the entries of those that are there twice, with their digests."""
    repeats = []
    for upload in uploads:
        name = display_name(upload.name)
        try:
            file = _receive(client, upload, name, received)
        except _Refusal as refusal:
            refused.append(_entry(name, refusal.code, refusal.sentence))
            continue
        if file.sha256 in received:
            first = received[file.sha256].name
            entry = _entry(
                name, "duplicate", _("These are the same bytes as “%(name)s” beside it.") % {"name": first}
            )
            refused.append(entry)
            repeats.append((entry, file.sha256))
        else:
            received[file.sha256] = file
    return repeats


def _hand_in(
    actor: Actor, client: Client, agent: Agent, received: dict[str, _Received], repeats: list[tuple[dict[str, Any], str]],
    refused: list[dict[str, Any]], run_again: bool, **how: Any,
) -> Extraction:  # fmt: skip
    """What `take_in` writes, in one transaction."""
    with transaction.atomic():
        documents = _documents(actor, client, list(received.values()))
        for entry, sha256 in repeats:
            entry["document_id"] = documents[sha256].pk
        handed = []
        earlier = {} if run_again else _earlier(agent, [document.pk for document in documents.values()])
        for file in received.values():
            document = documents[file.sha256]
            if file.stored != document.storage_name:  # somebody else handed the same bytes in at once
                transaction.on_commit(partial(get_storage().delete, file.stored), robust=True)
            if task := earlier.get(document.pk):
                sentence = _("This file was handed in before as “%(name)s”, so it is not read again.") % {
                    "name": document.original_name
                }
                refused.append(_entry(file.name, "duplicate", sentence, document.pk, task))
            elif file.locked:
                refused.append(_entry(file.name, "encrypted", file.locked, document.pk))
            else:
                handed.append(operations.Handed(document, file.password))
        return operations.submit(
            actor,
            client=client,
            agent=agent,
            documents=handed,
            refused=refused,
            **how,
        )


def _take_back(client: Client, received: list[_Received]) -> None:
    """Remove files that no document has; a deletion of the client's data may have looked for files before they came."""
    same = Document.objects.filter(client=client, sha256__in=[file.sha256 for file in received])
    with suppress(StorageError, OSError):  # why nothing was taken is what has to be said
        for name in {file.stored for file in received} - set(same.values_list("storage_name", flat=True)):
            get_storage().delete(name)


LEFT_OUT = ("empty", "limit", "not_pdf", "unreadable")
"""Why a browser does not send a file that was chosen."""


def why_left_out(code: str) -> str:
    """One sentence for one of LEFT_OUT."""
    if code == "empty":
        return _("This file is empty (0 bytes).")
    if code == "limit":
        limit = filesizeformat(settings.UPLOAD_MAX_BYTES)
        return _("This file is larger than %(limit)s, the most that is taken.") % {"limit": limit}
    if code == "not_pdf":
        return _("This file is not a PDF, whatever its name says.")
    return _("The browser could not read this file, so that it was not sent.")


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


def unlock(actor: Actor, extraction: Extraction, passwords: dict[int, str]) -> list[str]:
    """Hand in the refused documents of an extraction that these passwords (by document id) open; returns the names of the others.

    Raises NotTaken if files cannot be opened here at the moment, operations.Refused as `submit` does.
    """
    locked = {entry["document_id"] for entry in extraction.refused if entry["code"] == "encrypted"}
    opened: dict[int, operations.Handed] = {}
    others = []
    for document in Document.objects.filter(
        pk__in=locked & passwords.keys(), client=extraction.client
    ).order_by("id"):
        try:
            with get_storage().local_copy(document.storage_name) as path:
                found = _inspect(path, passwords[document.pk])
        except StorageError as error:
            raise NotTaken(str(error)) from error
        if found.code or (found.pages or 0) > settings.UPLOAD_MAX_PAGES:
            others.append(document.original_name)
        else:
            document.pages = found.pages
            opened[document.pk] = operations.Handed(document, passwords[document.pk])
    if opened:
        _move_from_refused(actor, extraction.pk, opened)
    return others


def _move_from_refused(actor: Actor, extraction_id: int, opened: dict[int, operations.Handed]) -> None:
    with transaction.atomic():
        extraction = (
            Extraction.objects.select_for_update(no_key=True, of=("self",))
            .select_related("client", "agent")
            .get(pk=extraction_id)
        )
        # Two people may have typed the password at once: only what still stands there is handed in
        moved = [
            e["document_id"]
            for e in extraction.refused
            if e["code"] == "encrypted" and e["document_id"] in opened
        ]
        extraction.refused = [
            entry
            for entry in extraction.refused
            if entry["code"] != "encrypted" or entry["document_id"] not in opened
        ]
        extraction.save(update_fields=("refused",))
        handed = [opened[pk] for pk in dict.fromkeys(moved)]
        Document.objects.bulk_update([one.document for one in handed], ("pages",))
        operations.submit(
            actor,
            client=extraction.client,
            agent=extraction.agent,
            documents=handed,
            priority=extraction.priority,
            extraction=extraction,
        )


def _receive(client: Client, upload: Upload, name: str, received: Mapping[str, _Received]) -> _Received:
    """Stream one file to storage, where the same bytes lie if they were `received` just before. Raises _Refusal for what is wrong with the file, NotTaken for what is wrong here."""
    try:
        with tempfile.NamedTemporaryFile(prefix="agentaudit-") as spool:
            digest, size = _copy(upload.content, spool)
            spool.flush()
            opened = _inspect(Path(spool.name), upload.password)
            locked = opened.code == "encrypted"
            if opened.code and not locked:
                raise _Refusal(opened.code, _(opened.message or opened.code))
            if opened.pages is not None and opened.pages > settings.UPLOAD_MAX_PAGES:
                raise _Refusal("limit", _too_many_pages(opened.pages))
            spool.seek(0)
            stored = received[digest].stored if digest in received else _place(client, digest)
            get_storage().put(stored, cast(BinaryIO, spool))
    except StorageError as error:
        raise NotTaken(str(error)) from error
    except OSError as error:
        raise NotTaken(_why_not_stored(error)) from error
    message = _(opened.message) if locked and opened.message else ""
    return _Received(name, stored, digest, size, opened.pages, opened.encrypted, upload.password, message)


def _copy(content: BinaryIO, spool: Any) -> tuple[str, int]:
    """SHA-256 (hex) and size of what was copied; stops at the first byte too many."""
    digest, size = hashlib.sha256(), 0
    while chunk := content.read(CHUNK):
        size += len(chunk)
        if size > settings.UPLOAD_MAX_BYTES:
            raise _Refusal("limit", why_left_out("limit"))
        digest.update(chunk)
        spool.write(chunk)
    if size == 0:
        raise _Refusal("empty", why_left_out("empty"))
    return digest.hexdigest(), size


def _inspect(path: Path, password: str) -> inspector.Opened:
    try:
        return inspector.inspect(path, password)
    except inspector.InspectorUnavailable as error:
        raise NotTaken(
            _("Files cannot be checked at the moment (%(fault)s). Nothing was taken; try again later.")
            % {"fault": error}
        ) from error


def _too_many_pages(pages: int) -> str:
    sentence = ngettext(
        "This PDF has %(pages)d page; the limit is %(limit)d. Split it and try again.",
        "This PDF has %(pages)d pages; the limit is %(limit)d. Split it and try again.",
        pages,
    )
    return sentence % {"pages": pages, "limit": settings.UPLOAD_MAX_PAGES}


def _why_not_stored(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _(
            "The disk is full, so nothing was taken. Make room on the server, then hand the files in again."
        )
    return _("The files could not be stored (%(fault)s). Nothing was taken; try again later.") % {
        "fault": error.strerror or error
    }


def _entry(
    name: str, code: str, sentence: str, document_id: int | None = None, task_id: int | None = None
) -> dict[str, Any]:
    return {"name": name, "code": code, "sentence": sentence, "document_id": document_id, "task_id": task_id}


def _documents(actor: Actor, client: Client, files: list[_Received]) -> dict[str, Document]:
    """The client's documents of these bytes by digest, made where they are new, and locked: the same form sent twice waits here."""
    Document.objects.bulk_create(
        (
            Document(
                client=client, sha256=file.sha256, size_bytes=file.size, pages=file.pages, needs_password=file.encrypted,
                original_name=file.name, storage_name=file.stored, uploaded_by_id=actor.user_id,
            )
            for file in sorted(files, key=lambda file: file.sha256)
        ),
        ignore_conflicts=True,
    )  # fmt: skip
    known = Document.objects.filter(client=client, sha256__in=[file.sha256 for file in files])
    documents = {
        document.sha256: document for document in known.select_for_update(no_key=True).order_by("id")
    }
    for file in files:
        document = documents[file.sha256]
        known = (document.pages, document.storage_name)
        document.pages = document.pages or file.pages
        if not document.storage_name.startswith(folder_of(client)):
            # What was stored before clients had folders of their own may be gone; these bytes are there
            document.storage_name = file.stored
        if known != (document.pages, document.storage_name):
            document.save(update_fields=("pages", "storage_name"))
    return documents


def _earlier(agent: Agent, document_ids: list[int]) -> dict[int, int]:
    """document id → id of the first task in which this agent has read it, or will, and whose result is still there."""
    tasks = Task.objects.filter(document__in=document_ids, agent=agent, extraction__pruned_at=None)
    fresh = tasks.exclude(status__in=(TaskStatus.FAILED, TaskStatus.CANCELLED)).order_by("-id")
    return dict(fresh.values_list("document_id", "id"))
