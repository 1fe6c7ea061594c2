"""A long mixed series of what people, workers, runs and accidents do to one installation, drawn from a seed: real processes, real requests."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client as Browser
from django.urls import reverse
from psycopg import sql

from dashboard import summary
from tasks import bulk, erasure, operations, pruning, rollup
from tasks.audit import Actor
from tasks.costs import cells
from tasks.models import Attempt, Extraction, Price, Task, Worker
from tasks.states import TERMINAL, Priority
from tests.callback_tools import RESULT, body_of, post
from tests.commands import Place
from tests.database import superuser
from tests.factories import database_now, make_agent, make_client, make_user, pdf_bytes
from tests.process_tools import begin_worker

ACTOR = Actor("erika")
QUICK = {"LEASE_SECONDS": "3", "POLL_SECONDS": "0.3", "COMPUTE_USD_PER_HOUR": "0.75"}
FITS = {
    "retry": ("failed", "cancelled"), "cancel": ("processing",), "run-next": ("enqueued",), "priority": ("enqueued",),
    "reprocess": ("completed", "failed"),
}  # fmt: skip
ROLES = ("Auditor", "Operator", "Finance")


class MixedWork:
    """One installation whose days pass; `steps` says what was done, in order."""

    def __init__(self, place: Place, seed: int) -> None:
        self.place, self.luck, self.days = place, random.Random(seed), 0
        self.workers: list[subprocess.Popen[str]] = []
        self.steps: list[str] = []
        self._suspended: tuple[int, float] | None = None
        self.corrections = Decimal(0)
        """What costs were changed by, past the counters of spend limits."""
        self.agents = [
            make_agent(name, program="tests.standin.programs:by_chance", max_attempts=most, options={"seed": seed}, timeout_seconds=longest)
            for name, most, longest in (("careful", 3, 60), ("once", 1, 60), ("hurried", 2, 1))
        ]  # fmt: skip
        self.clients = [make_client(name) for name in ("Nordwind", "Südwind", "Ostwind")]
        self.users = [
            make_user(name, *ROLES, clients=tuple(self.clients), is_staff=True) for name in ("ana", "ben")
        ]
        self.browser = Browser()
        self.browser.force_login(self.users[0])
        for model, usd in (("small", 3), ("large", 20)):
            Price.objects.create(
                model=model, valid_from=database_now() - timedelta(days=1), input_usd=usd, output_usd=4 * usd, cache_read_usd=Decimal(usd) / 10
            )  # fmt: skip
        often: list[Callable[[], Any]] = [
            self.upload, self.upload, self.upload, self.one_task, self.one_task, self.one_task, self.many_tasks, self.resume, self.callback,
            self.callback, self.replay, self.bill, self.correct, self.review, self.sum_up,
        ]  # fmt: skip
        self.verbs = [*often, *often, self.pause, self.suspend, self.kill]

    # Time and processes

    def begin_day(self, days: int) -> None:
        """So many days later; workers begin work."""
        self.days += days
        with superuser("postgres") as server:
            name = sql.Identifier(connection.settings_dict["NAME"])
            offset = sql.Literal(f"{self.days} days")
            server.execute(sql.SQL("ALTER DATABASE {} SET agentaudit.clock_offset = {}").format(name, offset))
        connection.close()
        self.begin()
        self.begin()

    def begin(self) -> None:
        self.workers.append(begin_worker(self.place, "--slots", 4, **QUICK))

    def end_day(self) -> None:
        """Whatever is under way stays as it is: nobody is left to change it."""
        for worker in self.workers:
            worker.kill()
            worker.wait()
        self.workers.clear()
        self._suspended = None
        summary.shared.clear()

    def is_recovered(self) -> bool:
        """Whether nothing is left to workers that are no more."""
        alive = Worker.objects.filter(pid__in=[worker.pid for worker in self.workers])
        return not Attempt.objects.filter(ended_at=None).exclude(worker__in=alive.values("id")).exists()

    def act(self) -> None:
        if self._suspended and time.monotonic() > self._suspended[1]:
            os.kill(self._suspended[0], signal.SIGCONT)
            self._suspended = None
        verb = self.luck.choice(self.verbs)
        self.steps.append(verb.__name__)
        self.browser.force_login(self.luck.choice(self.users))
        verb()

    def kill(self) -> None:
        worker = self.workers.pop()
        worker.kill()
        worker.wait()
        self.begin()

    def suspend(self) -> None:
        """For longer than a lease, while everything else goes on."""
        if not self._suspended:
            self._suspended = self.workers[0].pid, time.monotonic() + 4
            os.kill(self._suspended[0], signal.SIGSTOP)

    # People

    def upload(self) -> None:
        number = Extraction.objects.count()
        files = [
            (f"{number}-{n}.pdf", pdf_bytes(self.luck.randint(1, 3), title=f"{number} {n}"))
            for n in range(self.luck.randint(1, 5))
        ]
        odd = self.luck.random()
        if odd < 0.2:
            files.append(("again.pdf", files[0][1]))
        elif odd < 0.3:
            files += [("broken.pdf", b"%PDF-1.7 broken"), ("empty.pdf", b"")]
        elif odd < 0.4:
            files.append(("old.pdf", pdf_bytes(1, title="0 0")))
        data = {
            "client": self.luck.choice(self.clients).pk, "agent": self.luck.choice(self.agents).pk,
            "engagement": self.luck.choice(("", "2025", "2026")), "run_again": self.luck.choice(("", "on")),
            "files": [SimpleUploadedFile(name, content, "application/pdf") for name, content in files],
        }  # fmt: skip
        assert self.browser.post(reverse("upload"), data).status_code in (302, 400)

    def one_task(self) -> None:
        """A verb on a task, mostly on one that it fits."""
        verb = self.luck.choice(list(FITS))
        fitting = Task.objects.filter(status__in=FITS[verb])
        if task := self._any(fitting if self.luck.random() < 0.8 else Task.objects.all()):
            data = {"priority": int(self.luck.choice(list(Priority))), "reason": "by chance"}
            assert self.browser.post(reverse("task_operate", args=(task, verb)), data).status_code == 302

    def many_tasks(self) -> None:
        """All that a filter finds, or some that were picked."""
        verb = self.luck.choice(("retry", "cancel", "priority", "reprocess", "run-next"))
        data = {"verb": verb, "confirmed": "1", "reason": "by chance", "priority": int(Priority.URGENT)}
        if self.luck.random() < 0.4:
            status = self.luck.choice(("failed", "enqueued", "processing", "cancelled"))
            data |= {
                "scope": "all",
                "selection": f"last=24h&status={status}&client={self.luck.choice(self.clients).pk}",
            }
        else:
            ids = list(Task.objects.values_list("pk", flat=True))
            data |= {"task": self.luck.sample(ids, min(len(ids), 6))}
        assert self.browser.post(reverse("operations_act"), data).status_code == 302

    def pause(self) -> None:
        with suppress(operations.Refused):
            operations.pause(ACTOR, self.luck.choice((*self.agents, *self.clients)))

    def resume(self) -> None:
        for one in (*self.agents, *self.clients):
            with suppress(operations.Refused):
                operations.resume(ACTOR, one)

    def review(self) -> None:
        if task := self._any(Task.objects.filter(status="completed")):
            Task.objects.filter(pk=task, status="completed").update(needs_review=self.luck.random() < 0.5)

    # Runs

    def callback(self) -> None:
        """A word of any attempt, late or early, once or several times."""
        if attempt := self._any(Attempt.objects.all()):
            usage = {"calls": 1, "model": self.luck.choice(("small", "large", "unpriced")), "input_tokens": self.luck.randint(0, 9000),
                     "output_tokens": self.luck.randint(0, 900)}  # fmt: skip
            event = self.luck.choice(
                (
                    body_of(attempt, "completed", result=RESULT | {"confidence": round(self.luck.random(), 3)}, usage=usage),
                    body_of(attempt, "failed", retryable=self.luck.random() < 0.5, usage=usage),
                    body_of(attempt, "progress", usage=usage),
                )
            )  # fmt: skip
            self._said = attempt, event, f"m-{len(self.steps)}"
            for _ in range(self.luck.choice((1, 1, 3))):
                self.replay()

    def replay(self) -> None:
        """What was said last once more: under its id, or under another."""
        if hasattr(self, "_said"):
            attempt, event, message = self._said
            again = message if self.luck.random() < 0.7 else f"{message}-{self.luck.randrange(10**6)}"
            assert post(self.browser, attempt, event, message_id=again).status_code in (200, 409)

    # Money that comes late

    def bill(self) -> None:
        if attempt := self._any(Attempt.objects.exclude(finished_at=None)):
            usd = self.luck.choice((Decimal("0.123456"), Decimal("2.5"), Decimal(0), None))
            state = "unknown" if usd is None else self.luck.choice(("estimated", "settled"))
            Attempt.objects.filter(pk=attempt).update(compute_cost_usd=usd, compute_cost_state=state)

    def correct(self) -> None:
        """Its trace said something else."""
        with connection.cursor() as cursor:
            if attempt := self._any(Attempt.objects.exclude(finished_at=None).exclude(settled_at=None)):
                cursor.execute("SELECT cost_usd FROM task_attempts WHERE id = %s", [attempt])
                before = cursor.fetchone()[0] or Decimal(0)
                usd = Decimal(self.luck.randint(0, 2_000_000)) / 1_000_000
                Attempt.objects.filter(pk=attempt).update(cost_usd=usd, cost_state="settled")
                self.corrections += usd - before

    # What is kept and what goes

    def sum_up(self) -> None:
        for _ in range(self.luck.randint(1, 40)):
            rollup.step()
            cells.step()

    def erase(self) -> bool:
        """All data of a client, if nothing of it is under way."""
        client = self.clients[-1]
        ids = list(
            Task.objects.filter(client=client).exclude(status__in=TERMINAL).values_list("pk", flat=True)
        )
        operations.cancel(ACTOR, ids)
        try:
            erasure.begin(ACTOR, client, "the engagement ended")
            list(erasure.go_on(ACTOR, client))
        except operations.Refused:
            return False
        return True

    def prune(self, days: int) -> None:
        list(pruning.prune(ACTOR, timedelta(days=days), "retention is over"))

    def finish_actions(self) -> None:
        while bulk.step():
            pass

    def _any(self, rows: Any) -> Any:
        ids = list(rows.order_by("pk").values_list("pk", flat=True))
        return self.luck.choice(ids) if ids else None
