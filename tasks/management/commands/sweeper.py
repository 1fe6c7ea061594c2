"""`manage.py sweeper`: recovers tasks of dead workers, without running any itself."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from tasks.alerts import watch
from tasks.management.branches import refuse_copies
from tasks.management.commands.worker import habits_from_settings
from tasks.management.executing import make_executor
from tasks.management.processes import heed_stops
from tasks.worker import Worker


class Command(BaseCommand):
    requires_system_checks = ("agentaudit",)
    help = (
        "Recover what nobody renews: expired leases, overdue attempts, runs that are to be stopped. "
        "Every worker does this too; run it alone where workers come and go."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="make one round and exit")

    def handle(self, *args: Any, once: bool, **options: Any) -> None:
        refuse_copies()
        executor = make_executor(slots=0)
        worker = Worker({executor.name: executor}, habits_from_settings(slots=0))

        def stop(_number: int, _frame: Any) -> None:
            worker.stopping = True
            executor.wake()

        heed_stops(stop)
        worker.register()
        if once:
            worked = worker.sweeper.tick()
            self.stdout.write("Something was recovered." if worked else "Nothing to recover.")
        else:
            watch.start()
        while not once and not worker.stopping:
            if not worker.rest():
                worker.tick(settings.POLL_SECONDS)
        worker.finish(0.0)
