"""Where attempts of this installation run, by its settings: processes of this machine, or runs of a Databricks job."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.core.management import CommandError
from django.db.utils import Error

from tasks import callbacks
from tasks.clock import NOW
from tasks.executors import Executor
from tasks.executors.databricks import DatabricksExecutor
from tasks.executors.local import LocalExecutor
from tasks.models import Worker
from tasks.orders import callback_url, log_name
from tasks.storage import get_storage
from tasks.storage.volumes import VolumeStorage
from tasks.traces.places import spool

LOOK_SECONDS = 1.0


def make_executor(slots: int) -> Executor:
    """The one kind of place that documents of this installation can be read from. Raises CommandError.

    A process of this machine has no way to a volume, and a job none to a folder, so that there is never more than one.
    """
    storage = get_storage()
    if not isinstance(storage, VolumeStorage):
        files = spool() if settings.TRACING else None
        return LocalExecutor(slots, lambda attempt: storage.path_for_attempt(log_name(attempt)), files)
    if not settings.DATABRICKS_JOB_ID:
        raise CommandError(
            f"STORAGE_URL names a volume ({settings.STORAGE_URL}), which only runs of a Databricks job can read. Set "
            "DATABRICKS_JOB_ID to the id of that job (docs/databricks.md), or STORAGE_URL to a folder of this machine."
        )
    return DatabricksExecutor(
        settings.DATABRICKS_JOB_ID, storage, callback_url=callback_url, written=partial(callbacks.written_outcome, certain=True),
        replicas=living_workers(),
    )  # fmt: skip


def living_workers() -> Callable[[], int]:
    """How many workers and sweepers are alive, counted once a second; the last count while the database is away. At least 1."""
    count, at = 1, float("-inf")

    def counted() -> int:
        nonlocal count, at
        if time.monotonic() - at >= LOOK_SECONDS:
            at = time.monotonic()
            recent = NOW - timedelta(seconds=settings.LEASE_SECONDS)
            with suppress(Error):
                count = Worker.objects.filter(stopped_at=None, heartbeat_at__gt=recent).count()
        return max(count, 1)

    return counted
