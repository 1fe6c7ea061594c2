"""The thread that looks and sends, in every process that lives long: web servers, workers, sweepers.

A thread of its own, because a worker that is stuck cannot say so, and because no mail server may hold up a lease. That no worker is
alive is told by the web processes, that no web process is by nobody here: have `/healthz` watched from outside.
"""

from __future__ import annotations

import logging
import random
import threading
import time

from django.db import connections
from django.utils import translation

from tasks import idleness
from tasks.alerts import delivery, rounds
from tasks.queue import AWAY

log = logging.getLogger(__name__)

PRUNE_SECONDS = 3600.0


class Watch(threading.Thread):
    """Looks and sends every EVERY_SECONDS; holds no database connection in between."""

    def __init__(self, every_seconds: float = rounds.EVERY_SECONDS) -> None:
        super().__init__(name="alerts", daemon=True)
        self.every_seconds = every_seconds
        self._over = threading.Event()
        self._rested = False
        self._pruned_at = time.monotonic()

    def end(self) -> None:
        """Asks the thread to stop; what it is sending at the moment may go on."""
        self._over.set()

    def run(self) -> None:
        # Processes of one installation must not all look in the same moment
        while not self._over.wait(self.every_seconds * random.uniform(0.5, 1.0)):  # noqa: S311
            try:
                if self._awake():
                    with translation.override("en"):
                        self.round()
            except AWAY as error:
                log.warning("Alerts: the database is away (%s); looking again.", str(error).strip())
            except Exception:
                log.exception("Alerts could not be looked after; trying again.")
            finally:
                connections.close_all()

    def _awake(self) -> bool:
        """Whether it is time for a round: not while the database may sleep, nor at once after it, so that workers can first say that they live."""
        rested, self._rested = self._rested, idleness.may_sleep()
        return not (rested or self._rested)

    def round(self) -> None:
        rounds.look()
        rounds.extractions_ended()
        delivery.send_due()
        if time.monotonic() - self._pruned_at >= PRUNE_SECONDS:
            delivery.prune()
            self._pruned_at = time.monotonic()


def start() -> Watch:
    """Begin to watch, in this process."""
    watch = Watch()
    watch.start()
    return watch
