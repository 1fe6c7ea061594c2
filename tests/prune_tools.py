"""What tests of pruning share: extractions of several ages, made old at will, and the pruning itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from tasks import pruning, receiving
from tasks.models import Attempt, Client, Document, Extraction, Task
from tests.erasure_tools import ACTOR, WHY, put, stored
from tests.factories import database_now, make_document

YEAR = timedelta(days=365)
YOUNG = "Rotkehlchen"


@dataclass
class Ages:
    """`shared` is a document of the old and of the young extraction, `locked` one of the old whose password is missing."""

    client: Client
    other: Client
    old: Extraction
    young: Extraction
    others: Extraction
    done: Task
    failed: Task
    shared: Document
    locked: Document


def document(client: Client, word: str) -> Document:
    """With a file, which is the word."""
    sha256 = uuid4().hex * 2
    name = put(receiving.storage_name(client, sha256), word.encode())
    return make_document(client, f"{word}.pdf", sha256=sha256, storage_name=name)


def age(extraction: Extraction, days: int = 400) -> None:
    """All of it was done so long ago."""
    long_ago = database_now() - timedelta(days=days)
    Extraction.objects.filter(pk=extraction.pk).update(created_at=long_ago)
    Task.objects.filter(extraction=extraction).update(
        created_at=long_ago, enqueued_at=long_ago, finished_at=long_ago
    )
    Attempt.objects.filter(task__extraction=extraction).update(
        claimed_at=long_ago, started_at=long_ago, finished_at=long_ago, ended_at=long_ago
    )


def prune(client: Client | None = None, older_than: timedelta = YEAR) -> pruning.Progress:
    return [pruning.Progress(), *pruning.prune(ACTOR, older_than, WHY, client)][-1]


def files_of(extraction: Extraction) -> set[str]:
    """What its attempts have left in the storage."""
    tasks = list(extraction.tasks.values_list("pk", flat=True))
    marks = [str(pk) for pk in Attempt.objects.filter(task__in=tasks).values_list("pk", flat=True)]
    marks += [f"kept/{task}-" for task in tasks]
    return {name for name in stored() if any(mark in name for mark in marks)}
