"""Removes what attempts have left outside of the tables: their files, threads of checkpoints, and traces.

Each step goes in pieces, tells in `Progress` how far it is, and can be done again. `tasks` are those whose attempts are meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

import psycopg
from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from tasks import queue
from tasks.agent.contract import Checkpoints
from tasks.models import Attempt, Document, Task
from tasks.orders import KEPT
from tasks.queue import deletion
from tasks.storage import Storage, get_storage
from tasks.traces import places

PIECE = 50
"""Files between two words of how far it is."""
MOST = 1000
"""Ids that one statement asks about."""
OF_ATTEMPT = re.compile(r"attempts/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b", re.ASCII)
OF_TASK = re.compile(rf"{KEPT}(\d{{1,18}})-", re.ASCII)


@dataclass(slots=True)
class Progress:
    """How far it is. `left`: sentences about what could not be removed, and why."""

    documents: int = 0
    files: int = 0
    traces: int = 0
    left: list[str] = field(default_factory=list)


def shared_name(sha256: str) -> str:
    """Where bytes were kept before each client had a folder of its own."""
    return f"documents/{sha256[:2]}/{sha256}.pdf"


def shared(names: Iterable[str]) -> tuple[set[str], set[str]]:
    """Those of the names that are from before, and those of these that are the file of a document which stays."""
    digests = {name: PurePosixPath(name).stem for name in names}
    old = {name for name, sha256 in digests.items() if name == shared_name(sha256)}
    documents = Document.objects.filter(sha256__in=[digests[name] for name in old], storage_name__in=old)
    return old, set(documents.values_list("storage_name", flat=True))


def attempts_of(tasks: QuerySet[Task]) -> QuerySet[Attempt]:
    return Attempt.objects.filter(task__in=tasks)


def files(tasks: QuerySet[Task], progress: Progress) -> Iterator[None]:
    """Outcomes, orders, logs, large results and kept answers. Raises StorageError."""
    storage = get_storage()
    for prefix, pattern, owned in (("attempts/", OF_ATTEMPT, _owned_attempts), (KEPT, OF_TASK, _owned_tasks)):
        for names in groups(storage.names(prefix)):
            by_name = {name: match[1] for name in names if (match := pattern.match(name))}
            mine = owned(tasks, set(by_name.values()))
            yield from remove(storage, [name for name, key in by_name.items() if key in mine], progress)


def remove(storage: Storage, names: Sequence[str], progress: Progress) -> Iterator[None]:
    """Delete these files. Raises StorageError."""
    for number, name in enumerate(names, 1):
        storage.delete(name)
        progress.files += 1
        if number % PIECE == 0:
            yield
    yield


def _owned_attempts(tasks: QuerySet[Task], keys: set[str]) -> set[str]:
    return {str(pk) for pk in attempts_of(tasks).filter(pk__in=keys).values_list("pk", flat=True)}


def _owned_tasks(tasks: QuerySet[Task], keys: set[str]) -> set[str]:
    return {str(pk) for pk in tasks.filter(pk__in=[int(key) for key in keys]).values_list("pk", flat=True)}


def groups(found: Iterable[Any]) -> Iterator[list[Any]]:
    rest = iter(found)
    while group := list(islice(rest, MOST)):
        yield group


def checkpoints(tasks: QuerySet[Task], progress: Progress) -> Iterator[None]:
    """The threads of every generation of every task, in the database of agents that keep checkpoints."""
    if not settings.CHECKPOINT_DATABASE_URL:
        return
    from tasks.agent.checkpointed import fence
    from tasks.agent.checkpointed.thread import credentials_of

    place = Checkpoints(url=settings.CHECKPOINT_DATABASE_URL, password_file=settings.CHECKPOINT_PASSWORD_FILE)
    for group in groups(tasks.order_by("pk").values_list("pk", "generation").iterator()):
        threads = [f"{task}-{generation}" for task, last in group for generation in range(1, last + 1)]
        if not _done(lambda: fence.forget(credentials_of(place), threads), _("checkpoints"), progress):  # noqa: B023 - called at once
            return
        yield


def traces(tasks: QuerySet[Task], progress: Progress) -> Iterator[None]:
    """Spans that wait on this machine, then what MLflow has; an attempt whose trace is gone does not name it any more."""
    waiting = places.spool().every()
    for group in groups(waiting):
        mine = set(attempts_of(tasks).filter(pk__in=group).values_list("pk", flat=True))
        for path in (path for attempt in mine for path in waiting[attempt]):
            path.unlink(missing_ok=True)
        yield
    store: Any = None
    while named := list(attempts_of(tasks).exclude(trace_id="").values_list("pk", "trace_id")[:MOST]):

        def delete(named: list[tuple[UUID, str]] = named) -> None:
            nonlocal store
            store = store or places.open_store()
            store.delete([trace for _attempt, trace in named])

        if not _done(delete, _("traces"), progress):
            return
        deletion.erase_trace_ids(queue.connection(), [attempt for attempt, _trace in named])
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
