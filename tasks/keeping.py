"""What lies in the storage and nobody needs any more is removed: answers that a finished task's attempts kept for each other, halves of files."""

from __future__ import annotations

import logging
import re
import threading

from tasks.agent.contract import Order
from tasks.models import Task
from tasks.orders import KEPT
from tasks.states import TERMINAL
from tasks.storage import Storage, StorageError

log = logging.getLogger(__name__)

NAME = re.compile(
    rf"{KEPT}(?P<task>\d{{1,18}})-(?P<generation>\d{{1,9}})-\d{{1,18}}\.[0-9a-f]{{64}}", re.ASCII
)
MOST = 1000
"""Tasks asked about in one statement."""


def forget(storage: Storage, order: Order) -> None:
    """Remove what the attempts of a finished task have kept. A storage that fails costs only the space: `clean` comes by later."""
    if not order.kept:
        return
    prefix = f"{KEPT}{order.kept.rpartition('/')[2]}."
    try:
        for name in list(storage.names(prefix)):
            storage.delete(name)
    except (StorageError, OSError) as error:
        log.warning("Kept answers of task %s are still there: %s", order.task, error)


def clean(storage: Storage) -> int:
    """Remove what belongs to tasks that have ended, have begun a new generation, or are gone; how many files that were."""
    by_task: dict[int, list[tuple[int, str]]] = {}
    try:
        for name in storage.names(KEPT):
            if match := NAME.fullmatch(name):
                by_task.setdefault(int(match["task"]), []).append((int(match["generation"]), name))
        tasks, removed = sorted(by_task), 0
        for start in range(0, len(tasks), MOST):
            some = tasks[start : start + MOST]
            alive = Task.objects.filter(pk__in=some).exclude(status__in=TERMINAL)
            needed = set(alive.values_list("pk", "generation"))
            for task in some:
                for generation, name in by_task[task]:
                    if (task, generation) not in needed:
                        storage.delete(name)
                        removed += 1
    except (StorageError, OSError) as error:
        log.warning("Kept answers cannot be looked through: %s", error)
        return 0
    return removed


def tidy(storage: Storage) -> threading.Thread:
    """Begin to remove what writers that died have left behind; beside the caller, whose leases would run out before the last file was seen."""

    def run() -> None:
        try:
            if removed := storage.clean():
                log.info("%d unfinished files of writers that died were removed from the storage.", removed)
        except (StorageError, OSError) as error:
            log.warning("The storage cannot be looked through: %s", error)

    thread = threading.Thread(target=run, name="tidy", daemon=True)
    thread.start()
    return thread
