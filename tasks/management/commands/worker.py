"""`manage.py worker`: claims tasks and runs them until it is told to stop."""

from __future__ import annotations

import logging
import os
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import CommandError

from tasks import notify
from tasks.alerts import watch
from tasks.executors import Executor
from tasks.management import base
from tasks.management.branches import refuse_copies
from tasks.management.erasing import ErasureKeeper
from tasks.management.executing import make_executor
from tasks.management.exporting import ExporterKeeper
from tasks.management.processes import heed_stops
from tasks.management.room import ADVICE, OF_A_WORKER, room
from tasks.models import Task
from tasks.states import TaskStatus
from tasks.traces.places import spool
from tasks.worker import Habits, Worker

log = logging.getLogger("tasks.worker")
GRACE_SECONDS = 10.0


def habits_from_settings(slots: int | None = None) -> Habits:
    """How a worker works here: the settings, with another number of slots if given."""
    return Habits(
        slots=settings.WORKER_SLOTS if slots is None else slots,
        lease_seconds=settings.LEASE_SECONDS,
        heartbeat_seconds=settings.HEARTBEAT_SECONDS,
        sweep_seconds=min(settings.POLL_SECONDS, settings.LEASE_SECONDS / 2),
        poll_seconds=settings.POLL_SECONDS,
        look_ahead=settings.LOOKAHEAD,
        reserve_after_seconds=settings.RESERVE_AFTER_SECONDS,
        age_seconds=settings.AGE_SECONDS,
        max_pages=settings.UPLOAD_MAX_PAGES,
        keep_days=settings.WEBHOOK_KEEP_DAYS,
        version=settings.VERSION,
    )


class Command(base.Command):
    help = (
        "Claim tasks and run them, on this machine or as runs of a Databricks job, renew their leases, and sweep up after workers that died. "
        "Any number of workers may run, on any number of machines. SIGTERM: finish what ends within 10 seconds, hand the rest back. "
        "A second SIGTERM: stop at once (a sweeper recovers what ran)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--slots", type=base.whole(1, 1000), help="attempts at once (default: the setting WORKER_SLOTS)"
        )
        parser.add_argument(
            "--until-idle", action="store_true", help="stop when no task is waiting or running any more"
        )
        parser.add_argument(
            "--on-branch", default="", metavar="NAME", help="work on this copy of a Lakebase, on purpose"
        )

    def handle(self, *args: Any, slots: int | None, until_idle: bool, on_branch: str, **options: Any) -> None:
        refuse_copies(on_branch)
        habits = habits_from_settings(slots)
        executor = make_executor(habits.slots)
        exporter, erasures = ExporterKeeper(spool()), ErasureKeeper()
        worker = Worker({executor.name: executor}, habits)
        self._handle_signals(worker, executor)
        self._tell_how_much_room()
        worker.register()
        worker.storage.look()
        listener = notify.Listener(notify.WORK, executor.wake)
        listener.start()
        alerts = watch.start()
        log.info(
            "Worker %s: %d slots (%s), leases of %g s.",
            worker.id,
            habits.slots,
            executor.name,
            habits.lease_seconds,
        )
        executor.extend(habits.lease_seconds - habits.margin_seconds)
        worked = True
        while not worker.stopping:
            if not worked and not until_idle and worker.rest():
                continue
            worked = worker.tick(0.0 if worked else worker.idle_seconds())
            if settings.TRACING and not executor.remote:
                exporter.tick(has_work=bool(worker.held))
            erasures.tick()
            if until_idle and not worked and not self._anything_to_do(worker):
                break
        worker.finish(GRACE_SECONDS)
        exporter.end()
        erasures.end()
        listener.end()
        alerts.end()
        log.info("Worker %s has stopped.", worker.id)
        if until_idle and worker.storage.trouble:
            raise CommandError(worker.storage.trouble)

    def _tell_how_much_room(self) -> None:
        """Too little stops nothing: what cannot connect tries again, and meanwhile the worker asks where it would be woken."""
        if (found := room()).left < OF_A_WORKER - 1:
            log.warning(
                "%s This worker goes on with what it gets, and is slower to hear of work. %s",
                found.sentence,
                ADVICE,
            )

    def _handle_signals(self, worker: Worker, executor: Executor) -> None:
        def stop(number: int, _frame: Any) -> None:
            if worker.stopping:
                log.warning("Told to stop a second time: stopping at once.")
                os._exit(128 + number)
            log.info("Stopping: finishing what ends within %g s, handing the rest back.", GRACE_SECONDS)
            worker.stopping = True
            executor.wake()

        heed_stops(stop)

    def _anything_to_do(self, worker: Worker) -> bool:
        if worker.held or worker.storage.trouble:
            return bool(worker.held)
        return Task.objects.filter(status__in=(TaskStatus.ENQUEUED, TaskStatus.PROCESSING)).exists()
