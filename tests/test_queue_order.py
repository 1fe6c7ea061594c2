"""Who comes first: low levels in the end too, recovered work before lower work, and the exact order that an operator gives."""

from __future__ import annotations

import random

import pytest

from tasks import events, operations, queue
from tasks.models import Attempt, Task
from tasks.states import Priority
from tasks.sweeper import Sweeper
from tests import queue_tools as tools
from tests.factories import make_agent

pytestmark = pytest.mark.django_db

AGE = 3600.0


@pytest.fixture
def clock():
    return tools.Clock(queue.connection())


def age() -> list[int]:
    """One ageing pass; the tasks that it raised."""
    db = queue.connection()
    return [row.id for level in queue.aged_levels(db, AGE) if (row := queue.raise_head(db, level.task_id))]


def run_one(clock: tools.Clock, seconds: float) -> int:
    """The one slot starts a task, which takes so long and succeeds; which task."""
    (row,) = tools.claim()
    clock.forward(seconds)
    events.apply(queue.connection(), [tools.completed(row.attempt_id)])
    return row.task_id


def test_a_low_level_starts_within_its_bound_though_urgent_work_never_stops(clock):
    agent = make_agent()
    (low,) = tools.hand_in(agent, 1, priority=Priority.BULK)
    tools.hand_in(agent, 2, priority=Priority.URGENT)
    for _ in range(200):
        tools.hand_in(agent, 1, priority=Priority.URGENT)
        age()
        if run_one(clock, 60) == low:
            break
    waited = Attempt.objects.get(task=low).claimed_at - Task.objects.get(pk=low).enqueued_at
    assert AGE < waited.total_seconds() <= AGE + 120


@pytest.mark.slow
def test_a_level_that_has_waited_gets_one_start_per_age_however_long_its_line(clock):
    """What has waited must not come all at once: a bulk order of last week would starve the urgent work of today."""
    agent = make_agent()
    low = tools.hand_in(agent, 10, priority=Priority.BULK)
    tools.hand_in(agent, 2, priority=Priority.URGENT)
    started = []
    for _ in range(4 * 60):
        tools.hand_in(agent, 1, priority=Priority.URGENT)
        age()
        task = run_one(clock, 60)
        if task in low:
            started.append(task)
    assert started == low[:3]


def test_ageing_raises_nothing_while_the_raised_task_still_waits(clock):
    agent = make_agent(max_concurrent_tasks=1)
    low = tools.hand_in(agent, 3, priority=Priority.BULK)
    tools.hand_in(agent, 3, priority=Priority.URGENT)
    clock.forward(AGE + 1)
    assert age() == low[:1]
    clock.forward(60)
    assert age() == []


def test_a_level_whose_own_tasks_start_is_not_raised(clock):
    agent = make_agent()
    (low,) = tools.hand_in(agent, 1, priority=Priority.BULK)
    (row,) = tools.claim()
    assert row.task_id == low
    clock.forward(AGE - 60)
    tools.hand_in(agent, 5, priority=Priority.BULK)
    tools.hand_in(agent, 5, priority=Priority.URGENT)
    assert age() == []


def test_what_is_raised_is_in_the_trail_with_the_reason(clock):
    from tasks.models import AuditEntry

    agent = make_agent()
    (low,) = tools.hand_in(agent, 1, priority=Priority.BULK)
    tools.hand_in(agent, 1, priority=Priority.URGENT)
    clock.forward(AGE + 1)
    Sweeper(tools.new_worker(), {}, {}, lease_seconds=60, age_seconds=AGE, max_pages=1)._age(
        queue.connection()
    )
    entry = AuditEntry.objects.get(verb="age")
    assert entry.object_id == str(low)
    assert "nothing of its level" in entry.reason


@pytest.mark.parametrize("slots", [1, 5])
def test_a_recovered_urgent_task_comes_before_lower_work_older_and_fresh(clock, slots):
    agent = make_agent()
    tools.hand_in(agent, 20, priority=Priority.BULK)
    (urgent,) = tools.hand_in(agent, 1, priority=Priority.URGENT)
    tools.claim()
    clock.forward(tools.LEASE + 1)
    tools.hand_in(agent, 20, priority=Priority.BULK)
    sweeper = Sweeper(
        tools.new_worker(), {"local": tools.Runs()}, {}, lease_seconds=tools.LEASE, age_seconds=0, max_pages=1
    )
    sweeper.tick()
    assert Task.objects.get(pk=urgent).status == "enqueued"
    clock.forward(30)  # past its backoff
    queue.promote_due(queue.connection())
    assert urgent in {row.task_id for row in tools.claim(slots)}


def test_run_next_puts_them_first_in_the_order_in_which_they_were_given():
    agent = make_agent()
    tasks = tools.hand_in(agent, 12)
    wanted = random.Random(1).sample(tasks, 5)
    assert operations.run_next(tools.SYSTEM, wanted).done
    order = [row.task_id for _ in tasks for row in tools.claim()]
    assert order == wanted + [task for task in tasks if task not in wanted]
