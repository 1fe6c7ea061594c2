"""Takes files in: repeats are found, what is good becomes tasks of an extraction, at once or as the files come one by one."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from tasks import notify, operations, receiving
from tasks.audit import Actor
from tasks.clock import NOW
from tasks.models import Agent, Client, Document, Extraction, Task
from tasks.receiving import NotTaken, Received, Refusal, Upload, display_name, folder_of
from tasks.states import TaskStatus
from tasks.storage import StorageError, get_storage

AWAITED = timedelta(minutes=5)
"""A sender who says nothing for so long has gone: the extraction is one like all others then."""


def take_in(
    actor: Actor, *, client: Client, agent: Agent, uploads: Iterable[Upload],
    engagement: str = "", priority: int | None = None, run_again: bool = False, version: int | None = None,
    left_out: Iterable[tuple[str, str]] = (),
) -> Extraction:  # fmt: skip
    """Store the files and hand the good ones in; the others stand in `extraction.refused` with code and sentence.

    So do those that were `left_out` before sending: (one of receiving.LEFT_OUT, name).
    Bytes that this agent has read, or will read, for the client are not run again unless `run_again`: they point to the first.
    Raises NotTaken if nothing could be stored, operations.Refused during maintenance, or if client or agent (or its `version`) cannot be used.
    """
    operations.must_be_open()
    operations.must_take_from(client)
    operations.version_of(agent, version)  # before anything is stored
    received: dict[str, Received] = {}
    refused = _left_out(left_out)
    try:
        repeats = _receive_all(client, uploads, received, refused)
        return _hand_in(
            actor, client, agent, received, repeats, refused, run_again, engagement=engagement, priority=priority, version=version
        )  # fmt: skip
    except (operations.Refused, NotTaken):
        _take_back(client, list(received.values()))
        raise


def begin(
    actor: Actor, key: UUID, *, client: Client, agent: Agent, engagement: str = "", priority: int | None = None
) -> Extraction:  # fmt: skip
    """An extraction whose files are still to come (`add`). Asked for again with the same key, because the answer was lost, it is the same one.

    Raises operations.Refused as `take_in` does, PermissionDenied for a key of somebody else's.
    """
    try:
        return operations.submit(
            actor, client=client, agent=agent, documents=(), engagement=engagement, priority=priority,
            key=key, more_until=NOW + AWAITED,
        )  # fmt: skip
    except IntegrityError:  # there is one of this key
        own = Extraction.objects.filter(key=key, created_by=actor.user_id, client=client, agent=agent)
        if first := own.first():
            return first
        raise PermissionDenied from None  # it is somebody else's, or was begun for something else


def add(
    actor: Actor, extraction: Extraction, uploads: Iterable[Upload] = (), *,
    run_again: bool = False, left_out: Iterable[tuple[str, str]] = (), more: bool = False,
) -> list[dict[str, Any]]:  # fmt: skip
    """Hand files in to an extraction that is there; returns the entries of those that are not taken, or need no reading again.

    What comes again, because its answer was lost, gets the same answer and is in once. `more`: others follow; without it, this is all.
    Raises as `take_in` does, and Refused where the extraction was pruned or would have more than UPLOAD_MAX_FILES.
    """
    client, agent = extraction.client, extraction.agent
    operations.must_be_open()
    operations.must_take_from(client)
    operations.version_of(agent)
    received: dict[str, Received] = {}
    refused: list[dict[str, Any]] = []
    try:
        repeats = _receive_all(client, uploads, received, refused)
        with transaction.atomic():
            operations.must_take_from(client)
            # All that is added to one extraction comes one after the other
            here = Extraction.objects.select_for_update(no_key=True).get(pk=extraction.pk)
            operations.must_add_to(here)
            handed = _to_read(actor, client, agent, received, repeats, refused, run_again, here)
            entries = _unknown(here, [*refused, *_left_out(left_out)])
            come = [entry for entry in entries if _has_come(entry)]
            _must_have_room(here, len(handed) + len(come))
            left = receiving.MOST_LEFT_OUT - sum(not _has_come(entry) for entry in here.refused)
            here.refused += come + [entry for entry in entries if not _has_come(entry)][: max(left, 0)]
            if not more:
                here.more_until = None
            elif here.more_until or not (received or refused):
                # A file that comes late, by a line that was given up, does not open again what its sender has closed since
                here.more_until = NOW + AWAITED
            here.save(update_fields=("refused", "more_until"))
            if handed:
                operations.submit(
                    actor, client=client, agent=agent, documents=handed, priority=here.priority, extraction=here
                )  # fmt: skip
            notify.hint_on_commit(notify.CHANGED)
    except (operations.Refused, NotTaken):
        _take_back(client, list(received.values()))
        raise
    return refused


def digests(extraction: Extraction) -> list[str]:
    """SHA-256 of all bytes that have come for an extraction, those that were not taken included: they need not be sent again."""
    ids = {e.get("document_id") for e in extraction.refused} - {None}
    of_documents = Document.objects.filter(Q(tasks__extraction=extraction) | Q(pk__in=ids))
    found = set(of_documents.values_list("sha256", flat=True)) | {
        e.get("sha256", "") for e in extraction.refused
    }
    return sorted(found - {""})


def _must_have_room(extraction: Extraction, number: int) -> None:
    limit = settings.UPLOAD_MAX_FILES
    there = extraction.tasks.count() + sum(map(_has_come, extraction.refused))
    if number and there + number > limit:
        raise operations.Refused(
            _(
                "This extraction has %(number)d files, and at most %(limit)d can be handed in at once. Hand the others in anew, as one of their own."
            )
            % {"number": there, "limit": limit}
        )


def _has_come(entry: dict[str, Any]) -> bool:
    """Whether the bytes of a file that was not taken are known; an empty or too large one is as good as left out by the browser."""
    return bool(entry.get("sha256") or entry.get("document_id"))


def _unknown(extraction: Extraction, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that do not stand in the extraction yet, each once."""

    def what(entry: dict[str, Any]) -> tuple[object, ...]:
        return entry["name"], entry["code"], entry.get("sha256", ""), entry.get("document_id")

    known = set(map(what, extraction.refused))
    return list({what(entry): entry for entry in entries if what(entry) not in known}.values())


def _receive_all(
    client: Client, uploads: Iterable[Upload], received: dict[str, Received], refused: list[dict[str, Any]]
) -> list[tuple[dict[str, Any], str]]:
    """Store the files, by digest, and say which are not taken; the entries of those that are there twice, with their digests."""
    repeats = []
    for upload in uploads:
        name = display_name(upload.name)
        try:
            file = receiving.receive(client, upload, name, received)
        except Refusal as refusal:
            refused.append(_entry(name, refusal.code, refusal.sentence, sha256=refusal.sha256))
            continue
        if file.sha256 in received:
            entry = _beside(name, received[file.sha256].name)
            refused.append(entry)
            repeats.append((entry, file.sha256))
        else:
            received[file.sha256] = file
    return repeats


def _hand_in(
    actor: Actor, client: Client, agent: Agent, received: dict[str, Received], repeats: list[tuple[dict[str, Any], str]],
    refused: list[dict[str, Any]], run_again: bool, **how: Any,
) -> Extraction:  # fmt: skip
    """What `take_in` writes, in one transaction."""
    with transaction.atomic():
        handed = _to_read(actor, client, agent, received, repeats, refused, run_again)
        return operations.submit(
            actor, client=client, agent=agent, documents=handed, refused=refused, **how
        )  # fmt: skip


def _to_read(
    actor: Actor, client: Client, agent: Agent, received: dict[str, Received], repeats: list[tuple[dict[str, Any], str]],
    refused: list[dict[str, Any]], run_again: bool, extraction: Extraction | None = None,
) -> list[operations.Handed]:  # fmt: skip
    """The documents of these files that are to be read, of files for a new extraction or for one that is locked; the others go to `refused`."""
    documents = _documents(actor, client, list(received.values()))
    for entry, sha256 in repeats:
        entry["document_id"] = documents[sha256].pk
    ids = [document.pk for document in documents.values()]
    inside, names = _inside(extraction, ids) if extraction else (set(), {})
    earlier = {} if run_again else _earlier(agent, ids)
    handed = []
    for file in received.values():
        document = documents[file.sha256]
        if file.stored != document.storage_name:  # somebody else handed the same bytes in at once
            transaction.on_commit(partial(get_storage().delete, file.stored), robust=True)
        first = names.get(document.pk) or file.name
        if first != file.name:
            refused.append(_beside(file.name, first, document.pk))
        elif document.pk in inside:
            pass  # it comes again, because its answer was lost
        elif task := earlier.get(document.pk):
            sentence = (
                f"This file was handed in before as “{document.original_name}”, so it is not read again."
            )
            refused.append(_entry(file.name, "duplicate", sentence, document.pk, task))
        elif file.locked:
            refused.append(_entry(file.name, "encrypted", file.locked, document.pk))
        else:
            handed.append(operations.Handed(document, file.password))
    return handed


def _take_back(client: Client, received: list[Received]) -> None:
    """Remove files that no document has; a deletion of the client's data may have looked for files before they came."""
    same = Document.objects.filter(client=client, sha256__in=[file.sha256 for file in received])
    with suppress(StorageError, OSError):  # why nothing was taken is what has to be said
        for name in {file.stored for file in received} - set(same.values_list("storage_name", flat=True)):
            get_storage().delete(name)


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
                found = receiving.look_at(path, passwords[document.pk])
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


def _inside(extraction: Extraction, document_ids: list[int]) -> tuple[set[int], dict[int, str]]:
    """Those of the documents that the extraction has tasks for; and, as far as it is known, by which name each came into it, locked ones included."""
    names = {
        entry["document_id"]: entry["name"] for entry in extraction.refused if entry["code"] == "encrypted"
    }
    inside, seen = set(), set()
    tasks = Task.objects.filter(document__in=document_ids).select_related("document").order_by("id")
    for task in tasks:
        if task.extraction_id == extraction.pk:
            inside.add(task.document_id)
            if task.document_id not in seen:  # a document has the name of the file that it came with first
                names[task.document_id] = task.document.original_name
        seen.add(task.document_id)
    return inside, names


def _left_out(pairs: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    return [_entry(display_name(name), code, receiving.why_left_out(code)) for code, name in pairs]


def _entry(
    name: str, code: str, sentence: str, document_id: int | None = None, task_id: int | None = None, sha256: str = ""
) -> dict[str, Any]:  # fmt: skip
    """A file in Extraction.refused. `sha256`: of bytes that became no document."""
    return {
        "name": name, "code": code, "sentence": sentence, "document_id": document_id, "task_id": task_id, "sha256": sha256,
    }  # fmt: skip


def _beside(name: str, first: str, document_id: int | None = None) -> dict[str, Any]:
    return _entry(name, "duplicate", f"These are the same bytes as “{first}” beside it.", document_id)


def _documents(actor: Actor, client: Client, files: list[Received]) -> dict[str, Document]:
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
