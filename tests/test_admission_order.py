"""Who comes next: plain order, turns between the clients of a fair agent, run next, and tiers."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tasks import events, operations, queue
from tasks.models import Agent, AuditEntry, Client, Task
from tasks.states import Priority
from tests.factories import make_agent, make_client
from tests.queue_tools import SYSTEM, claim, completed, hand_in

pytestmark = pytest.mark.django_db


def starts(count: int) -> list[int]:
    """The next `count` tasks to start, one at a time; each ends at once."""
    order = []
    for _ in range(count):
        rows = claim(1)
        events.apply(queue.connection(), [completed(row.attempt_id) for row in rows])
        order += [row.task_id for row in rows]
    return order


def clients_of(tasks: list[int]) -> list[int]:
    found = dict(Task.objects.filter(pk__in=tasks).values_list("pk", "client_id"))
    return [found[task] for task in tasks]


@pytest.fixture
def fair(db) -> Agent:
    return make_agent(is_fair=True)


# Plain


@pytest.mark.slow
def test_ten_thousand_claims_come_in_plain_order_of_priority_and_creation():
    agent = make_agent()
    for _ in range(40):
        hand_in(agent, 250, priority=random.choice([0, 5, 10, 20, 30]))
    expected = list(Task.objects.order_by("-priority", "created_at", "id").values_list("pk", flat=True))
    assert len(expected) == 10_000
    order: list[int] = []
    while len(order) < len(expected):
        taken = sorted(row.task_id for row in claim(random.choice([1, 7, 200])))
        assert sorted(expected[len(order) : len(order) + len(taken)]) == taken
        order += taken


def test_the_tier_of_a_client_sets_the_priority_of_its_work():
    agent = make_agent()
    standard, premium = make_client(), make_client(tier=Client.Tier.PREMIUM)
    first, second = hand_in(agent, 1, standard), hand_in(agent, 1, premium)
    assert starts(2) == second + first


def test_run_next_goes_before_everything_of_its_level_and_not_before_higher_ones():
    agent = make_agent()
    tasks = hand_in(agent, 5)
    urgent = hand_in(agent, 1, priority=Priority.URGENT)
    operations.run_next(SYSTEM, [tasks[3], tasks[4]])
    assert starts(6) == [*urgent, tasks[3], tasks[4], tasks[0], tasks[1], tasks[2]]


# Fair


def test_a_few_documents_do_not_wait_behind_a_clients_thousands(fair):
    large, small = make_client(), make_client()
    hand_in(fair, 300, large)
    starts(10)
    theirs = hand_in(fair, 5, small)
    assert set(theirs) <= set(starts(12))


def test_clients_with_waiting_work_take_turns(fair):
    clients = [make_client() for _ in range(3)]
    for client in clients:
        hand_in(fair, 30, client)
    counts = Counter(clients_of(starts(30)))
    assert all(abs(counts[client.pk] - 10) <= 1 for client in clients)


def test_a_premium_client_gets_two_turns_for_one(fair):
    standard, premium = make_client(), make_client(tier=Client.Tier.PREMIUM)
    for client in (standard, premium):
        hand_in(fair, 40, client, priority=Priority.NORMAL)
    counts = Counter(clients_of(starts(30)))
    assert abs(counts[premium.pk] - 20) <= 1


def test_a_client_that_was_away_has_saved_up_nothing(fair):
    busy, idle = make_client(), make_client()
    hand_in(fair, 1, idle)
    hand_in(fair, 100, busy)
    starts(60)
    hand_in(fair, 30, idle)
    counts = Counter(clients_of(starts(20)))
    assert abs(counts[idle.pk] - 10) <= 1


def test_the_work_of_one_client_stays_first_come_first_served(fair):
    one, two = make_client(), make_client()
    for _ in range(8):
        hand_in(fair, 5, one), hand_in(fair, 2, two)
    order = starts(56)
    assert len(order) == 56
    for client in (one, two):
        mine = [task for task, owner in zip(order, clients_of(order), strict=True) if owner == client.pk]
        assert mine == sorted(mine)


def test_run_next_works_with_turns_too(fair):
    one, two = make_client(), make_client()
    tasks = hand_in(fair, 20, one)
    hand_in(fair, 20, two)
    operations.run_next(SYSTEM, [tasks[19]])
    assert starts(1) == [tasks[19]]


def test_turns_are_taken_on_each_level_for_itself(fair):
    one, two = make_client(), make_client()
    bulk = hand_in(fair, 20, one, priority=Priority.BULK)
    normal = hand_in(fair, 4, two, priority=Priority.NORMAL)
    assert set(starts(4)) == set(normal)
    assert set(starts(2)) <= set(bulk)


# The switch


def test_switched_on_what_waits_takes_turns_too():
    agent = make_agent()
    one, two = make_client(), make_client()
    hand_in(agent, 40, one), hand_in(agent, 5, two)
    assert operations.set_fair(SYSTEM, agent, True)
    assert Counter(clients_of(starts(10)))[two.pk] == 5
    agent.refresh_from_db()
    three = make_client()
    theirs = hand_in(agent, 3, three)
    assert set(theirs) <= set(starts(8))


def test_switched_off_what_waits_goes_back_to_first_come_first_served(fair):
    one, two = make_client(), make_client()
    tasks = hand_in(fair, 10, one) + hand_in(fair, 10, two)
    assert operations.set_fair(SYSTEM, fair, False, "simpler")
    assert starts(20) == tasks
    entry = AuditEntry.objects.get(verb="set_fair")
    assert (entry.object_id, entry.before, entry.after, entry.reason) == (
        str(fair.pk),
        {"is_fair": True},
        {"is_fair": False},
        "simpler",
    )


def test_thrown_twice_it_changes_nothing(fair):
    assert not operations.set_fair(SYSTEM, fair, True)
    assert not AuditEntry.objects.filter(verb="set_fair").exists()


@pytest.mark.parametrize("how", ["reprocess", "reprioritise"])
def test_what_is_handed_in_again_or_moved_takes_its_turn_at_the_end_of_its_clients_lane(fair, how):
    """Keys of another level or of the wall clock would put it before everybody or behind everybody for days."""
    one, two = make_client(), make_client()
    again = hand_in(fair, 6, one, priority=Priority.BULK)
    if how == "reprocess":
        operations.cancel(SYSTEM, again)
        operations.reprocess(SYSTEM, again)
    hand_in(fair, 40, two, priority=Priority.INTERACTIVE)
    if how == "reprioritise":
        operations.reprioritise(SYSTEM, again, Priority.INTERACTIVE)
    order = starts(14)
    assert abs(Counter(clients_of(order))[one.pk] - 6) <= 1
    mine = [task for task in order if task in again]
    assert mine == sorted(mine)
