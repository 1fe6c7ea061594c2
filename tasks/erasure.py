"""Deletes everything that was handed in for a client and everything that was made of it; what it cost stays.

    erasure.begin(actor, client, reason)           from now on nothing is taken in or started for the client
    for progress in erasure.go_on(actor, client):  in small pieces; killed anywhere, and begun again, it ends the same
        print(progress.documents)

Each piece removes files first and empties their rows after that, so that no file is ever forgotten. Whether somebody may do it is checked by
the callers (permission `tasks.erase_client`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from uuid import UUID

import psycopg
from django.conf import settings
from django.db import transaction
from django.db.models import DateTimeField, Func, Q, QuerySet, Sum
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks import faults, notify, operations, queue
from tasks.agent.contract import Checkpoints
from tasks.audit import Actor, Entry, record
from tasks.intake import folder_of
from tasks.models import Attempt, Client, Document, Extraction, Task
from tasks.operations import Refused
from tasks.orders import KEPT
from tasks.states import TaskStatus
from tasks.storage import Storage, get_storage
from tasks.traces import places

NOW = Func(function="agentaudit_now", output_field=DateTimeField())
PIECE = 50
"""Documents per transaction: a claim never waits for more of their tasks than these have."""
MOST = 1000
"""Ids that one statement asks about."""
OF_ATTEMPT = re.compile(r"attempts/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b", re.ASCII)
OF_TASK = re.compile(rf"{KEPT}(\d{{1,18}})-", re.ASCII)


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


@dataclass(slots=True)
class Progress:
    """How far it is. `left`: sentences about what could not be removed, and why."""

    documents: int = 0
    files: int = 0
    traces: int = 0
    left: list[str] = field(default_factory=list)


def scope(client: Client) -> Scope:
    """Counts of what is there now: what was deleted before is not in it."""
    documents = Document.objects.filter(client=client).exclude(storage_name="")
    tasks, attempts = Task.objects.filter(extraction__client=client), _attempts(client).filter(erased_at=None)
    return Scope(
        documents=documents.count(),
        size_bytes=documents.aggregate(size=Sum("size_bytes", default=0))["size"],
        extractions=Extraction.objects.filter(client=client).count(),
        tasks=tasks.count(),
        waiting=tasks.filter(status=TaskStatus.ENQUEUED).count(),
        running=_running(client),
        attempts=attempts.count(),
        traces=_attempts(client).exclude(trace_id="").count(),
    )


def _attempts(client: Client) -> Any:
    return Attempt.objects.filter(task__extraction__client=client)


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

    Raises Refused while something of the client is processed (a claim may have been under way when it began), StorageError.
    """
    storage, progress = get_storage(), Progress()
    while Document.objects.filter(client=client).exclude(storage_name="").exists() or _waiting(client):
        operations.cancel(actor, _waiting(client), "all data of the client are deleted")
        _must_rest(client)
        for documents in _pieces(client):
            _erase(storage, documents, progress)
            yield progress
    queue.erase_refused(queue.connection(), client.pk)
    for step in (_remove_files, _remove_checkpoints, _remove_traces):
        for _piece in step(client, progress):
            yield progress
    if not progress.left:
        _finish(actor, client, progress)


def unfinished() -> QuerySet[Client]:
    """Clients whose deletion has begun and is not through."""
    return Client.objects.filter(deletion_began_at__isnull=False, deleted_at=None).order_by("pk")


def _waiting(client: Client) -> list[int]:
    waiting = Task.objects.filter(extraction__client=client, status=TaskStatus.ENQUEUED)
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
        name for document in documents for name in (document.storage_name, _shared_name(document.sha256))
    }
    for name in sorted(names - _needed(documents)):
        storage.delete(name)
    faults.point("erase:files")
    ids = [document.pk for document in documents]

    def rows() -> bool:
        with transaction.atomic():
            return queue.erase(queue.connection(), ids)

    if queue.retried(rows):
        progress.documents += len(ids)
    faults.point("erase:rows")


def _shared_name(sha256: str) -> str:
    """Where bytes were kept before each client had a folder of its own."""
    return f"documents/{sha256[:2]}/{sha256}.pdf"


def _needed(documents: Sequence[Document]) -> set[str]:
    """Names under which documents of other clients, which stay, have the same bytes."""
    same = Document.objects.filter(sha256__in=[document.sha256 for document in documents])
    stay = same.exclude(client=documents[0].client_id).filter(client__deletion_began_at=None)
    return set(stay.values_list("storage_name", flat=True))


# Files of attempts and tasks, and what hand-ins left that were refused or cut off


def _remove_files(client: Client, progress: Progress) -> Iterator[None]:
    storage = get_storage()
    yield from _remove(storage, list(storage.names(folder_of(client))), progress)
    for prefix, pattern, owned in (("attempts/", OF_ATTEMPT, _owned_attempts), (KEPT, OF_TASK, _owned_tasks)):
        for names in _groups(storage.names(prefix)):
            by_name = {name: match[1] for name in names if (match := pattern.match(name))}
            mine = owned(client, set(by_name.values()))
            yield from _remove(storage, [name for name, key in by_name.items() if key in mine], progress)


def _remove(storage: Storage, names: Sequence[str], progress: Progress) -> Iterator[None]:
    for number, name in enumerate(names, 1):
        storage.delete(name)
        progress.files += 1
        if number % PIECE == 0:
            yield
    yield


def _owned_attempts(client: Client, keys: set[str]) -> set[str]:
    return {str(pk) for pk in _attempts(client).filter(pk__in=keys).values_list("pk", flat=True)}


def _owned_tasks(client: Client, keys: set[str]) -> set[str]:
    own = Task.objects.filter(pk__in=[int(key) for key in keys], client=client)
    return {str(pk) for pk in own.values_list("pk", flat=True)}


def _groups(found: Iterable[Any]) -> Iterator[list[Any]]:
    rest = iter(found)
    while group := list(islice(rest, MOST)):
        yield group


# What lies outside of our database and storage


def _remove_checkpoints(client: Client, progress: Progress) -> Iterator[None]:
    """The threads of every generation of every task, in the database of agents that keep checkpoints."""
    if not settings.CHECKPOINT_DATABASE_URL:
        return
    from tasks.agent.checkpointed import fence
    from tasks.agent.checkpointed.thread import credentials_of

    place = Checkpoints(url=settings.CHECKPOINT_DATABASE_URL, password_file=settings.CHECKPOINT_PASSWORD_FILE)
    tasks = Task.objects.filter(extraction__client=client).values_list("pk", "generation")
    for group in _groups(tasks.order_by("pk").iterator()):
        threads = [f"{task}-{generation}" for task, last in group for generation in range(1, last + 1)]
        if not _done(lambda: fence.forget(credentials_of(place), threads), _("checkpoints"), progress):  # noqa: B023 - called at once
            return
        yield


def _remove_traces(client: Client, progress: Progress) -> Iterator[None]:
    """Spans that wait on this machine, then what MLflow has; an attempt whose trace is gone does not name it any more."""
    waiting = places.spool().every()
    for group in _groups(waiting):
        mine = set(_attempts(client).filter(pk__in=group).values_list("pk", flat=True))
        for path in (path for attempt in mine for path in waiting[attempt]):
            path.unlink(missing_ok=True)
        yield
    store: Any = None
    while named := list(_attempts(client).exclude(trace_id="").values_list("pk", "trace_id")[:MOST]):

        def remove(named: list[tuple[UUID, str]] = named) -> None:
            nonlocal store
            store = store or places.open_store()
            store.delete([trace for _attempt, trace in named])

        if not _done(remove, _("traces"), progress):
            return
        queue.erase_trace_ids(queue.connection(), [attempt for attempt, _trace in named])
        progress.traces += len(named)
        yield


def _done(remove: Callable[[], Any], what: str, progress: Progress) -> bool:
    """Whether it could be removed; if not, the rest goes on and is told what is left."""
    try:
        remove()
    except psycopg.errors.UndefinedTable:
        return True  # nobody has ever kept any
    except Exception as error:  # noqa: BLE001 - whatever MLflow, its HTTP client or a database raises
        said = " ".join(str(error).split())[:200]
        sentence = _("The %(what)s could not be removed (%(fault)s). Do it again when their store answers.")
        progress.left.append(sentence % {"what": what, "fault": f"{type(error).__name__}: {said}"})
        return False
    return True
