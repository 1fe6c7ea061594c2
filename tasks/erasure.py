"""Deletes everything that was handed in for a client and everything that was made of it; what it cost stays.

    erasure.begin(actor, client, reason)           from now on nothing is taken in or started for the client
    for progress in erasure.go_on(actor, client):  in small pieces; killed anywhere, and begun again, it ends the same
        print(progress.documents)

Each piece removes files first and empties their rows after that, so that no file is ever forgotten. Whether somebody may do it is checked by
the callers (permission `tasks.erase_client`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from django.db import transaction
from django.db.models import Q, QuerySet, Sum
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks import faults, notify, operations, queue, removal
from tasks.audit import Actor, Entry, record
from tasks.changes import Refused
from tasks.clock import NOW
from tasks.models import Attempt, Client, Document, Extraction, Task
from tasks.queue import deletion
from tasks.receiving import folder_of
from tasks.removal import Progress
from tasks.states import TaskStatus
from tasks.storage import Storage, get_storage

PIECE = 50
"""Documents per transaction: a claim never waits for more of their tasks than these have."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a client has. `running`: tasks with an attempt whose end is not confirmed; `size_bytes`: of the documents."""

    documents: int
    size_bytes: int
    extractions: int
    tasks: int
    waiting: int
    running: int
    attempts: int
    traces: int


def scope(client: Client) -> Scope:
    """Counts of what is there now: what was deleted before is not in it."""
    documents = Document.objects.filter(client=client).exclude(storage_name="")
    tasks = _tasks(client)
    attempts = removal.attempts_of(tasks)
    return Scope(
        documents=documents.count(),
        size_bytes=documents.aggregate(size=Sum("size_bytes", default=0))["size"],
        extractions=Extraction.objects.filter(client=client).count(),
        tasks=tasks.count(),
        waiting=tasks.filter(status=TaskStatus.ENQUEUED).count(),
        running=_running(client),
        attempts=attempts.filter(erased_at=None).count(),
        traces=attempts.exclude(trace_id="").count(),
    )


def _tasks(client: Client) -> QuerySet[Task]:
    return Task.objects.filter(extraction__client=client)


def _running(client: Client) -> int:
    alive = Q(status=TaskStatus.PROCESSING) | Q(
        pk__in=Attempt.objects.filter(client=client, ended_at=None).values("task")
    )
    return Task.objects.filter(alive, client=client).count()


def begin(actor: Actor, client: Client, reason: str) -> None:
    """Take nothing more in for the client and start nothing of it, for good. Again, it changes nothing.

    Raises Refused without a reason, and while tasks of the client are processed.
    """
    if not reason.strip():
        raise Refused(_("Say why; the audit log keeps it."))
    with transaction.atomic():
        # The lock that whoever hands something in holds against it: what it commits is seen here
        held = Client.objects.select_for_update().get(pk=client.pk)
        if held.deletion_began_at is not None:
            return
        _must_rest(client)
        found = scope(client)
        Client.objects.filter(pk=client.pk).update(deletion_began_at=NOW, is_paused=True)
        lost = {"documents": found.documents, "tasks": found.tasks, "attempts": found.attempts}
        record(actor, [Entry("erase", "client", str(client.pk), before=lost)], reason)
        notify.hint_on_commit(notify.CHANGED)


def _must_rest(client: Client) -> None:
    if running := _running(client):
        sentence = ngettext(
            "%(count)d task of %(client)s is being processed. Cancel it, wait until its run has ended, and try again.",
            "%(count)d tasks of %(client)s are being processed. Cancel them, wait until their runs have ended, and try again.",
            running,
        )
        raise Refused(sentence % {"count": running, "client": client.name})


def go_on(actor: Actor, client: Client) -> Iterator[Progress]:
    """Do what is left to do after `begin`; how far it is, after each piece. Done before, it looks for what came late.

    Raises Refused where `begin` did not come before, and while something of the client is processed (a claim may have been under way when
    it began); StorageError.
    """
    if not Client.objects.filter(pk=client.pk, deletion_began_at__isnull=False).exists():
        # Documents could still be handed in, and nobody was asked why
        raise Refused(_("The deletion of %(client)s has not begun.") % {"client": client.name})
    storage, progress = get_storage(), Progress()
    while Document.objects.filter(client=client).exclude(storage_name="").exists() or _waiting(client):
        operations.cancel(actor, _waiting(client), "all data of the client are deleted")
        _must_rest(client)
        for documents in _pieces(client):
            _erase(storage, documents, progress)
            yield progress
    deletion.erase_client(queue.connection(), client.pk)
    # Also what hand-ins left that were refused or cut off
    steps = [removal.remove(storage, list(storage.names(folder_of(client))), progress)]
    steps += [step(_tasks(client), progress) for step in (removal.files, removal.checkpoints, removal.traces)]
    for _piece in chain(*steps):
        yield progress
    if not progress.left:
        _finish(actor, client, progress)


def unfinished() -> QuerySet[Client]:
    """Clients whose deletion has begun and is not through."""
    return Client.objects.filter(deletion_began_at__isnull=False, deleted_at=None).order_by("pk")


def _waiting(client: Client) -> list[int]:
    waiting = _tasks(client).filter(status=TaskStatus.ENQUEUED)
    return list(waiting.values_list("pk", flat=True))


def _finish(actor: Actor, client: Client, progress: Progress) -> None:
    with transaction.atomic():
        if Client.objects.filter(pk=client.pk, deleted_at=None).update(deleted_at=NOW):
            done = {"documents": progress.documents, "files": progress.files, "traces": progress.traces}
            record(actor, [Entry("erased", "client", str(client.pk), after=done)])
            notify.hint_on_commit(notify.CHANGED)


# Documents, and the rows that say what was in them


def _pieces(client: Client) -> Iterator[list[Document]]:
    last = ""
    while True:
        rows = Document.objects.filter(client=client, sha256__gt=last).exclude(storage_name="")
        documents = list(rows.order_by("sha256")[:PIECE])
        if not documents:
            return
        last = documents[-1].sha256
        yield documents


def _erase(storage: Storage, documents: Sequence[Document], progress: Progress) -> None:
    """Files first: killed in between, the rows still say which files to look for."""
    names = {
        name
        for document in documents
        for name in (document.storage_name, removal.shared_name(document.sha256))
    }
    for name in sorted(names - _needed(documents)):
        storage.delete(name)
    faults.point("erase:files")
    ids = [document.pk for document in documents]

    def rows() -> bool:
        with transaction.atomic():
            return deletion.erase(queue.connection(), ids)

    if queue.retried(rows):
        progress.documents += len(ids)
    faults.point("erase:rows")


def _needed(documents: Sequence[Document]) -> set[str]:
    """Names under which documents of other clients, which stay, have the same bytes."""
    same = Document.objects.filter(sha256__in=[document.sha256 for document in documents])
    stay = same.exclude(client=documents[0].client_id).filter(client__deletion_began_at=None)
    return set(stay.values_list("storage_name", flat=True))
