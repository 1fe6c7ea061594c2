"""In whatever order the events of two attempts of one task arrive, and however often: what is true at the end is the same."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from tasks import callbacks, events, operations, queue
from tasks.audit import Actor
from tasks.callbacks import Message
from tasks.events import News
from tasks.models import Attempt, Task
from tasks.outcomes import Answer
from tasks.states import AttemptStatus
from tests.callback_tools import body_of
from tests.factories import database_now, make_agent, make_attempt, make_client, make_extraction, make_task

pytestmark = pytest.mark.django_db
COSTS = {"first": "0.10", "second": "0.20"}


class Race:
    """One task with a first attempt that was given up and a second one that runs; every event can be told, again and again."""

    def __init__(self, extraction: Any) -> None:
        owner, later = uuid4(), database_now() + timedelta(minutes=5)
        self.task = make_task(extraction, attempts_made=2)
        first = make_attempt(self.task, "lost", ended_at=None, error_code="lost")
        second = make_attempt(self.task, "running")
        Task.objects.filter(pk=self.task.pk).update(
            status="processing",
            locked_by=f"worker:{owner}",
            lease_owner=owner,
            lease_expires_at=later,
            current_attempt=second.pk,
        )
        self.ids: dict[str, UUID] = {"first": first.pk, "second": second.pk}
        self.bodies = {
            name: json.dumps(body).encode()
            for name, body in {
                "first started": body_of(first.pk, "started"),
                "first at page 1": body_of(first.pk, "progress", pages_done=1, usage=self.usage("first", 10)),
                "first at page 2": body_of(first.pk, "progress", pages_done=2, usage=self.usage("first", 20)),
                "first completed": body_of(first.pk, "completed", usage=self.usage("first", 30)),
                "first failed": body_of(first.pk, "failed", usage=self.usage("first", 30)),
                "second completed": body_of(second.pk, "completed", usage=self.usage("second", 50)),
            }.items()
        }

    def usage(self, whose: str, tokens: int) -> dict[str, Any]:
        return {"calls": 1, "model": "m", "input_tokens": tokens, "cost_usd": COSTS[whose]}

    def tell(self, name: str) -> str:
        if name == "cancel":
            operations.cancel(Actor.system("test"), [self.task.pk])
            stopped = Answer(AttemptStatus.CANCELLED, True, "cancelled", "Stopped.")
            events.apply(queue.connection(), [News(self.ids["second"], answer=stopped, ended=True)])
            return ""
        return callbacks.receive(
            Message(self.ids[name.partition(" ")[0]], name.replace(" ", "-"), self.bodies[name])
        )

    def end(self) -> tuple[Any, ...]:
        """Everything that lasts."""
        task = Task.objects.get(pk=self.task.pk)
        winner = next((name for name, pk in self.ids.items() if pk == task.result_attempt), None)
        attempts = [
            Attempt.objects.values_list("status", "input_tokens", "cost_usd", "result__kind").get(pk=pk)
            for pk in self.ids.values()
        ]
        return task.status, winner, bool(task.finished_at), task.lease_owner, *attempts


@pytest.fixture
def extraction():
    return make_extraction(make_client(), make_agent())


def first_of(order: tuple[str, ...], *names: str) -> str:
    return next(name for name in order if name in names)


@pytest.mark.slow
@pytest.mark.parametrize("copies", [1, 2], ids=["each once", "each twice"])
def test_all_orders_of_six_events_end_in_the_state_that_the_first_valid_result_decides(
    extraction, copies: int
) -> None:
    names = (
        "first started",
        "first at page 1",
        "first at page 2",
        "first completed",
        "first failed",
        "second completed",
    )
    ends = defaultdict(set)
    for order in itertools.permutations(names):
        race = Race(extraction)
        for name in order * copies:
            race.tell(name)
        ends[first_of(order, "first completed", "second completed")].add(race.end())
    assert {key: len(found) for key, found in ends.items()} == {
        "first completed": 1,
        "second completed": 1,
    }, ends
    for key, found in ends.items():
        status, winner, *_rest = found.pop()
        assert (status, winner) == ("completed", key.partition(" ")[0])


@pytest.mark.slow
def test_a_cancel_among_them_counts_from_its_place_on(extraction) -> None:
    names = (
        "first started",
        "first at page 1",
        "first completed",
        "first failed",
        "second completed",
        "cancel",
    )
    ends = defaultdict(set)
    for order in itertools.permutations(names):
        race = Race(extraction)
        for name in order:
            race.tell(name)
            if name != "cancel":
                race.tell(name)
        status, winner, *rest = race.end()
        attempts = tuple((tokens, cost) for _status, tokens, cost, _kind in rest[-2:])
        ends[first_of(order, "first completed", "second completed", "cancel")].add((status, winner, attempts))
    assert {key: [found[:2] for found in group] for key, group in ends.items()} == {
        "first completed": [("completed", "first")],
        "second completed": [("completed", "second")],
        "cancel": [("cancelled", None)],
    }


def test_two_attempts_interleaved_each_keep_their_own(extraction) -> None:
    race = Race(extraction)
    told = [
        race.tell(name)
        for name in (
            "first started",
            "first at page 2",
            "second completed",
            "first at page 1",
            "first completed",
        )
    ]
    assert told == ["stale", "stale", "applied", "stale", "already_terminal"]
    first, second = (Attempt.objects.get(pk=race.ids[name]) for name in ("first", "second"))
    assert (first.input_tokens, str(first.cost_usd)) == (30, "0.100000")
    assert (second.input_tokens, str(second.cost_usd)) == (50, "0.200000")


def test_what_a_given_up_attempt_says_never_touches_the_lease_of_the_next_one(extraction) -> None:
    race = Race(extraction)
    before = Task.objects.values(
        "status", "lease_owner", "lease_expires_at", "current_attempt", "locked_by"
    ).get(pk=race.task.pk)
    for name in ("first started", "first at page 1", "first failed"):
        race.tell(name)
    assert Task.objects.values(*before).get(pk=race.task.pk) == before
    assert Attempt.objects.get(pk=race.ids["second"]).last_seen_at is None
