"""Lines whose beginning is remembered: only after a slow look, for seconds, in the same order, and never a task lost."""

from __future__ import annotations

import pytest

from tasks import claims, heads, queue
from tasks.states import Priority
from tests import queue_tools as tools
from tests.factories import make_agent

pytestmark = pytest.mark.django_db


@pytest.fixture
def slow(monkeypatch) -> None:
    """Every look is a slow one."""
    monkeypatch.setattr(claims, "SLOW_SECONDS", 0.0)


def claimed(terms: claims.Terms, slots: int) -> list[int]:
    return [row.task_id for row in claims.claim(queue.connection(), terms, ["local"], slots).rows]


@pytest.mark.parametrize("limit", [None, 100])
def test_the_order_is_the_same_from_a_remembered_beginning_on(slow, limit):
    agent = make_agent(max_concurrent_tasks=limit)
    bulk = tools.hand_in(agent, 4, priority=Priority.BULK)
    urgent = tools.hand_in(agent, 4, priority=Priority.URGENT)
    terms = claims.Terms(tools.new_worker(), 60.0)
    assert claimed(terms, 1) == urgent[:1] and terms.heads.start(agent.pk, Priority.URGENT)
    assert claimed(terms, 2) == urgent[1:3]
    assert claimed(terms, 2) == [urgent[3], bulk[0]], (
        "a level that runs out is followed by the next one at once"
    )
    assert claimed(terms, 9) == bulk[1:]


def test_where_nothing_is_left_of_what_is_remembered_everything_is_looked_at(slow):
    agent = make_agent()
    (first,) = tools.hand_in(agent, 1, priority=Priority.NORMAL)
    terms = claims.Terms(tools.new_worker(), 60.0)
    terms.heads.remember(queue.levels(queue.connection(), [agent.pk]))
    assert claimed(terms, 1) == [first]
    (urgent,) = tools.hand_in(agent, 1, priority=Priority.URGENT)
    assert claimed(terms, 1) == [urgent]


@pytest.mark.parametrize("limit", [None, 100])
def test_what_comes_before_the_remembered_place_starts_after_the_next_full_look(slow, monkeypatch, limit):
    agent = make_agent(max_concurrent_tasks=limit)
    normal = tools.hand_in(agent, 3, priority=Priority.NORMAL)
    terms = claims.Terms(tools.new_worker(), 60.0)
    assert claimed(terms, 1) == normal[:1]
    urgent = tools.hand_in(agent, 1, priority=Priority.URGENT)
    assert claimed(terms, 1) == normal[1:2], "a level that was empty is not looked at"
    monkeypatch.setattr(heads, "KEPT_SECONDS", 0.0)
    terms.heads.remember([])
    assert claimed(terms, 1) == urgent


def test_nothing_is_remembered_where_looks_are_quick():
    agent = make_agent()
    tools.hand_in(agent, 2, priority=Priority.NORMAL)
    terms = claims.Terms(tools.new_worker(), 60.0)
    claimed(terms, 1)
    assert terms.heads.starts == {}


def test_each_level_of_a_line_is_found_where_it_begins():
    agent, other = make_agent(), make_agent()
    for priority in (Priority.BULK, 7, Priority.URGENT):
        tools.hand_in(agent, 2, priority=priority)
    tools.hand_in(other, 1, priority=Priority.NORMAL)
    found = queue.levels(queue.connection(), [agent.pk, other.pk])
    rows = queue.connection().execute(
        "SELECT agent_id, priority, min(start_key) FROM tasks GROUP BY 1, 2 ORDER BY 1, 2 DESC"
    )
    assert sorted((row.agent_id, -row.priority, row.start_key) for row in found) == [
        (agent_id, -priority, key) for agent_id, priority, key in rows
    ]
