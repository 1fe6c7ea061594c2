"""`manage.py traces`: writes finished traces into MLflow and compares their tokens with what the attempts told."""

from __future__ import annotations

import logging
import os
import threading
import time
from argparse import SUPPRESS, ArgumentParser
from typing import Any
from uuid import UUID

import psycopg
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, InterfaceError
from django.db import connection as django_connection

from tasks import idleness, queue
from tasks.costs.traces import Reconciler
from tasks.executors import system
from tasks.management.processes import heed_stops
from tasks.queue import traced
from tasks.traces.exporter import Exporter, Lock
from tasks.traces.places import open_store, spool
from tasks.traces.probe import written_and_read_back

log = logging.getLogger("tasks.traces")

AWAY = (DatabaseError, InterfaceError, psycopg.Error)
LOOK_SECONDS, COMPARE_SECONDS = 2.0, 2.0
LEAVE_SECONDS = 20.0
"""After a request to stop, or its worker's end, what is complete is still written, for so long."""
NICE = 5


class Command(BaseCommand):
    requires_system_checks = ()
    help = (
        "Write the traces that attempts of this machine have left into MLflow, and compare their tokens with what the attempts told. "
        "Every worker starts this by itself; one per machine works, another one ends at once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--until-empty", action="store_true", help="stop when nothing waits to be written or compared"
        )
        parser.add_argument(
            "--check",
            action="store_true",
            help="only write one trace, read it back and remove it; says what is wrong",
        )
        parser.add_argument("--beside-worker", action="store_true", help=SUPPRESS)

    def handle(self, *args: Any, until_empty: bool, beside_worker: bool, check: bool, **options: Any) -> None:
        if check:
            self._check()
            return
        files, stop = spool(), threading.Event()
        if not Lock(files.folder).take():
            log.info("Another process of this machine writes traces already.")
            return
        heed_stops(lambda *_: stop.set())
        system.give_way(NICE)
        if beside_worker:
            threading.Thread(target=_wait_for_end, args=(stop,), daemon=True).start()
        rounds = Rounds(Exporter(files, open_store, ended_among))
        while not stop.is_set():
            if not until_empty and not files.waiting() and idleness.may_sleep():
                stop.wait(idleness.LOOK_SECONDS)
                continue
            worked = rounds.once()
            if until_empty and not worked and not rounds.exporter.is_behind():
                return
            stop.wait(0.0 if worked else LOOK_SECONDS)
        rounds.leave(LEAVE_SECONDS)

    def _check(self) -> None:
        try:
            written_and_read_back(open_store())
        except Exception as error:
            raise CommandError(f"{type(error).__name__}: {' '.join(str(error).split())[:300]}") from error


def _wait_for_end(stop: threading.Event) -> None:
    """The worker holds the other end of standard input and never writes into it: it is readable when the worker is gone."""
    os.read(0, 1)
    stop.set()


class Rounds:
    """What the exporter does again and again; a database that is away stops the comparing, not the writing."""

    def __init__(self, exporter: Exporter) -> None:
        self.exporter, self._reconciler = exporter, Reconciler()
        self._untold: list[UUID] = []
        self._compare_at = 0.0

    def leave(self, seconds: float) -> None:
        """Write and compare what is complete, quietly and for so long at most; the next exporter finds the rest."""
        logging.disable(logging.WARNING)
        self.exporter.hurry()
        self._compare_at, deadline = 0.0, time.monotonic() + seconds
        while time.monotonic() < deadline and self.once():
            self._compare_at = 0.0

    def once(self) -> bool:
        """Whether there was something to do."""
        written = self.exporter.tick()
        self._untold += written
        try:
            return self._compare() or bool(written)
        except AWAY as error:
            log.warning(
                "The database is away (%s). Traces are written, and compared when it is back.",
                type(error).__name__,
            )
            django_connection.close()
            self._compare_at = time.monotonic() + COMPARE_SECONDS
            return bool(written)

    def _compare(self) -> bool:
        if self._untold:
            queue.retried(lambda: traced.traces_written(queue.connection(), self._untold))
            self._untold.clear()
        store = self.exporter.store
        if store is None or time.monotonic() < self._compare_at:
            return False
        try:
            more = self._reconciler.tick(queue.connection(), store.read)
        except AWAY:
            raise
        except Exception as error:  # noqa: BLE001 - whatever MLflow raises; the next round asks again
            log.warning("Traces cannot be read (%s); trying again.", type(error).__name__)
            more = False
        self._compare_at = 0.0 if more else time.monotonic() + COMPARE_SECONDS
        return more


def ended_among(attempts: list[UUID]) -> set[UUID]:
    try:
        return traced.ended_among(queue.connection(), attempts)
    except AWAY:
        django_connection.close()
        return set()
