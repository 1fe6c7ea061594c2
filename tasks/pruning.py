"""Deletes documents and results of single extractions after their retention time; what they cost and what was done stays.

    for progress in pruning.prune(actor, older_than, reason):  in small pieces; killed anywhere, and done again, it ends the same
        print(progress.extractions)

In one transaction each, the rows of an extraction are emptied and the files that are to go are noted in it; after that they are removed.
Nothing is paused or cancelled for it: an extraction in which anything waits, runs or has not ended for certain is not old.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.utils.translation import gettext as _

from tasks import faults, notify, queue, removal
from tasks.audit import Actor, Entry, record
from tasks.changes import Refused
from tasks.clock import NOW
from tasks.models import Attempt, Client, Document, Extraction, Task
from tasks.queue import deletion
from tasks.storage import get_storage

PAGE = 200
"""Extractions that are looked up at once."""
UNTOUCHED = timedelta(days=1)
"""A file that came again later than this before stays: somebody may be about to hand it in."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What is old enough. `documents`: those that nothing else needs; `size_bytes`: of these."""

    extractions: int
    tasks: int
    attempts: int
    documents: int
    size_bytes: int


@dataclass(slots=True)
class Progress(removal.Progress):
    """`extractions`, `attempts` and `documents`: whose rows are empty; `files`: removed, those of documents among them."""

    extractions: int = 0
    attempts: int = 0


def scope(older_than: timedelta, client: Client | None = None) -> Scope:
    """Counts of what would go now."""
    old = _old(_before(older_than), client)
    tasks = Task.objects.filter(extraction__in=old.values("pk"))
    documents = _of_nobody_else(old.order_by().values("pk"), client.pk if client else None)
    return Scope(
        extractions=old.count(),
        tasks=tasks.count(),
        attempts=removal.attempts_of(tasks).count(),
        documents=documents.count(),
        size_bytes=documents.aggregate(size=Sum("size_bytes", default=0))["size"],
    )


def prune(
    actor: Actor, older_than: timedelta, reason: str, client: Client | None = None
) -> Iterator[Progress]:
    """Delete what is older, of a client or of all, and what an earlier call has left; how far it is, after each piece.

    Raises Refused without a reason, StorageError.
    """
    if not reason.strip():
        raise Refused(_("Say why; the audit log keeps it."))
    progress, before = Progress(), _before(older_than)
    for extraction in _pages(_old(before, client)):
        queue.retried(partial(_empty, actor, extraction, before, reason, progress))
        faults.point("prune:rows")
        yield progress
    yield from _remove(progress)
    told = {name: value for name, value in asdict(progress).items() if name != "left"}
    if any(told.values()):
        whose = ("client", str(client.pk)) if client else ("everything", "")
        record(actor, [Entry("pruned", *whose, after={**told, "older_than_days": older_than.days})], reason)


def _before(older_than: timedelta) -> datetime:
    """By the database's clock."""
    return datetime.fromtimestamp(queue.database_clock(queue.connection()), UTC) - older_than


def _old(before: datetime, client: Client | None = None) -> QuerySet[Extraction]:
    """Extractions whose last task has ended before, with every attempt, and for which no file is on its way. Clients that are being deleted go as a whole."""
    tasks = Task.objects.filter(extraction=OuterRef("pk"))
    young = Exists(tasks.filter(Q(finished_at=None) | Q(finished_at__gte=before)))
    alive = Exists(Attempt.objects.filter(ended_at=None, task__extraction=OuterRef("pk")))
    of_client = {"client": client} if client else {}
    found = Extraction.objects.filter(
        pruned_at=None, created_at__lt=before, client__deletion_began_at=None, **of_client
    ).exclude(more_until__gt=NOW)
    return found.filter(~young, ~alive).order_by("pk")


def _pages(found: QuerySet[Extraction]) -> Iterator[Extraction]:
    last = 0
    while page := list(found.filter(pk__gt=last)[:PAGE]):
        yield from page
        last = page[-1].pk


def _of_nobody_else(ids: QuerySet | list[int], client: int | None) -> QuerySet[Document]:
    """Documents with a file that these extractions use, and no other one that is not pruned: in a task, or in its list of what was not taken."""
    refused = deletion.refused_documents(queue.connection(), client)
    listing = {row.extraction for row in refused}
    own = set(Extraction.objects.filter(pk__in=ids).filter(pk__in=listing).values_list("pk", flat=True))
    tasks = Task.objects.filter(extraction__pruned_at=None)
    return (
        Document.objects.filter(
            Q(pk__in=tasks.filter(extraction__in=ids).values("document"))
            | Q(pk__in={row.document for row in refused if row.extraction in own})
        )
        .exclude(storage_name="")
        .exclude(pk__in={row.document for row in refused if row.extraction not in own})
        .filter(~Exists(tasks.filter(document=OuterRef("pk")).exclude(extraction__in=ids)))
    )


def _empty(actor: Actor, extraction: Extraction, before: datetime, reason: str, progress: Progress) -> None:
    """Empty the rows of one extraction, unless it is not old any more, or one of its files came again just now."""
    with transaction.atomic():
        db = queue.connection()
        tasks = deletion.lock_to_prune(db, extraction.pk)
        faults.point("prune:locked")
        documents = _of_nobody_else([extraction.pk], extraction.client_id)
        wanted = documents.filter(handed_in_again_at__gt=_before(UNTOUCHED))
        if wanted.exists() or not _old(before).filter(pk=extraction.pk).exists():
            return
        going = list(documents.order_by("pk"))
        names = [name for document in going for name in _names(document)]
        ids = [document.pk for document in going]
        attempts = deletion.prune(db, extraction.pk, tasks=tasks, documents=ids, files=names)
        after = {"tasks": len(tasks), "attempts": attempts, "documents": len(going)}
        record(actor, [Entry("prune", "extraction", str(extraction.pk), after=after)], reason)
        notify.hint_on_commit(notify.CHANGED)
    progress.extractions += 1
    progress.attempts += attempts
    progress.documents += len(going)


def _names(document: Document) -> list[str]:
    return sorted({document.storage_name, removal.shared_name(document.sha256)})


def _remove(progress: Progress) -> Iterator[Progress]:
    """What is noted, then what their attempts have left; an extraction is done with when nothing of it is left."""
    noted = list(
        Extraction.objects.filter(files_to_go__isnull=False).order_by("pk").values_list("pk", flat=True)
    )
    if not noted:
        return
    for extraction in noted:
        names = Extraction.objects.values_list("files_to_go", flat=True).get(pk=extraction) or []
        old, needed = removal.shared(names)
        for name in set(names) - needed:
            get_storage().delete(name)
            progress.files += name not in old
        faults.point("prune:files")
        yield progress
    tasks = Task.objects.filter(extraction__files_to_go__isnull=False)
    steps = (removal.files, removal.checkpoints, removal.traces)
    for _piece in chain.from_iterable(step(tasks, progress) for step in steps):
        yield progress
    if not progress.left:
        for ids in removal.groups(noted):
            deletion.prune_done(queue.connection(), ids)
        yield progress
