"""100,000 tasks wait for three days without any worker: none fails by that, and all are done once somebody works again."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from django.db import connection
from django.db.models import Count

from tasks import operations, queue
from tasks.agent.contract import Completed, Order
from tasks.audit import Actor
from tasks.executors import Report, Run, RunState, StartAnswer
from tasks.models import Task
from tasks.states import Priority
from tasks.worker import Habits, Worker
from tests.factories import make_agent, make_client, make_document
from tests.standin.cloud import RESULT

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

TASKS = 100_000
AT_ONCE = 2_000


class Instant:
    """An executor whose runs are over as soon as they are started."""

    name = "local"
    remote = False

    def __init__(self) -> None:
        self._news: list[Report] = []

    def start(self, orders: Sequence[Order]) -> StartAnswer:
        self._news += [
            Report(order.attempt, RunState.ENDED, (Completed(attempt=order.attempt, result=RESULT),))
            for order in orders
        ]
        return StartAnswer(tuple(Report(order.attempt, RunState.RUNNING) for order in orders))

    def news(self, timeout: float) -> list[Report]:
        news, self._news = self._news, []
        return news

    def ask(self, runs: Sequence[Run]) -> list[Report]:
        return [Report(run.attempt, RunState.NOT_FOUND) for run in runs]

    def stop(self, runs: Sequence[Run]) -> None: ...

    def extend(self, seconds: float) -> None: ...

    def close(self, grace: float) -> None: ...


def by_status() -> dict[str, int]:
    return dict(Task.objects.values_list("status").annotate(Count("id")))


def test_after_three_days_without_a_worker_nothing_has_failed_and_everything_gets_done():
    agent, client = make_agent(timeout_seconds=60), make_client()
    handed = operations.Handed(make_document(client))
    actor = Actor.system("test")
    for priority in (Priority.BULK, Priority.NORMAL):
        operations.submit(
            actor, client=client, agent=agent, documents=[handed] * (TASKS // 2), priority=priority
        )
    queue.connection().execute("SELECT set_config('agentaudit.clock_offset', '3 days', false)")
    try:
        worker = Worker({"local": Instant()}, Habits(slots=AT_ONCE, look_ahead=AT_ONCE))
        worker.register()
        worker.sweeper.tick()
        assert by_status() == {"enqueued": TASKS}
        while by_status() != {"completed": TASKS}:
            worker.tick()
        assert Task.objects.exclude(attempts_made=1).count() == 0
    finally:
        connection.close()
