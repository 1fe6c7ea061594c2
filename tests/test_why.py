"""Why a task waits: each thing that can stop it is said in a sentence of its own, and nothing is said that does not stop it."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tasks import events, operations, queue
from tasks.agent.contract import Code
from tasks.models import Agent, Attempt, Client, Pool, Price, Task
from tasks.states import Priority
from tasks.why import clock as in_words
from tasks.why import why_waiting
from tests.factories import database_now, make_agent, make_client
from tests.queue_tools import SYSTEM, Clock, claim, completed, failed, hand_in, new_worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def clock(db) -> Clock:
    return Clock(queue.connection())


@pytest.fixture(autouse=True)
def worker(db):
    return new_worker()


def estimate(tasks, tokens: int, **fields) -> None:
    Task.objects.filter(pk__in=tasks).update(estimated_tokens=tokens, estimated_seconds=60.0, **fields)


def said(task: int) -> str:
    return why_waiting(task).sentence


def codes(task: int) -> list[str]:
    return [reason.code for reason in why_waiting(task).reasons]


def test_nothing_stops_the_next_one():
    (task,) = hand_in(make_agent(), 1)
    assert said(task) == "It is next: a worker will take it in a moment."


def test_its_place_in_line():
    agent = make_agent()
    tasks = hand_in(agent, 3)
    hand_in(agent, 2, priority=Priority.URGENT)
    hand_in(make_agent(), 7)
    assert why_waiting(tasks[2]).ahead == 4
    assert said(tasks[2]) == "4 tasks of the same agent are before it."
    assert said(tasks[0]) == "2 tasks of the same agent are before it."


def test_everything_the_agent_or_the_client_is_paused():
    agent, client = make_agent("reader"), make_client("Acme")
    (task,) = hand_in(agent, 1, client)
    operations.pause(SYSTEM, agent)
    assert said(task) == "The agent reader is paused."
    operations.pause(SYSTEM, client)
    assert said(task) == "The agent reader is paused. The work of Acme is paused."
    operations.pause(SYSTEM, None)
    assert said(task).startswith("Everything is paused by an operator.")
    for target in (agent, client, None):
        operations.resume(SYSTEM, target)
    assert codes(task) == ["next"]


def test_no_worker_lives_or_none_that_runs_this_kind(worker):
    (task,) = hand_in(make_agent(), 1)
    (other,) = hand_in(make_agent(executor="elsewhere"), 1)
    assert said(other) == "No living worker runs attempts of the kind elsewhere."
    queue.worker_stopped(queue.connection(), worker)
    assert said(task) == "No worker is alive. Start one with: manage.py worker"


def test_a_worker_that_fell_silent_is_not_alive(clock):
    (task,) = hand_in(make_agent(), 1)
    clock.forward(61)
    assert codes(task) == ["no_worker"]


def test_all_slots_are_busy():
    agent = make_agent()
    hand_in(agent, 4)
    claim(4)
    (task,) = hand_in(agent, 1)
    Task.objects.filter(pk=task).update(start_key=0)
    from tasks.models import Worker

    Worker.objects.exclude(pk=Worker.objects.order_by("started_at").first().pk).delete()
    assert said(task) == "All 4 slots of the workers are busy."


def test_the_agent_or_the_pool_is_at_its_limit():
    pool = Pool.objects.create(name="account", max_concurrent_tasks=3)
    agent = make_agent("reader", max_concurrent_tasks=3, pool=pool)
    hand_in(agent, 3)
    claim(9)
    (task,) = hand_in(agent, 1)
    assert (
        said(task)
        == "The agent reader is at its limit: 3 of 3 run. The pool account is at its limit: 3 of 3 run."
    )


@pytest.mark.parametrize(("limit", "column", "what"), [
    ("max_tpm", "estimated_tokens", "tokens"), ("max_output_tpm", "estimated_output_tokens", "output tokens"),
    ("max_requests_per_minute", "estimated_requests", "requests"),
])  # fmt: skip
def test_a_budget_has_too_little_left(limit, column, what):
    agent = make_agent("reader", **{limit: 60_000})
    tasks = hand_in(agent, 2)
    Task.objects.filter(pk=tasks[0]).update(estimated_seconds=60.0, **{column: 41_000})
    Task.objects.filter(pk=tasks[1]).update(estimated_seconds=60.0, **{column: 25_000})
    claim(1)
    assert said(tasks[1]) == f"The agent reader has 41k of 60k {what} per minute in use; this task needs 25k."


def test_an_over_sized_task_will_run_alone_and_what_is_kept_free_for_it(clock, settings):
    agent = make_agent("reader", max_tpm=1000)
    tasks = hand_in(agent, 2)
    estimate(tasks[:1], 500)
    estimate(tasks[1:], 3000)
    claim(9)
    claim(9)
    begun = Task.objects.get(pk=tasks[1]).blocked_since
    at = (begun + timedelta(seconds=settings.RESERVE_AFTER_SECONDS)).strftime("%H:%M")
    sentence = said(tasks[1])
    assert (
        "has 500 of 1000 tokens per minute in use; this task needs 3000. That is more than the whole budget, so it will run alone."
        in sentence
    )
    assert f"{at} on nothing smaller passes it." in sentence
    clock.forward(301)
    new_worker()
    assert said(tasks[1]).endswith("The budget is being kept free for it.")
    small = hand_in(agent, 1)
    estimate(small, 5)
    assert f"The budget is kept free for task {tasks[1]}, which is larger and has waited longer." in said(
        small[0]
    )
    urgent = hand_in(agent, 1, priority=Priority.URGENT)
    estimate(urgent, 5)
    assert codes(urgent[0]) == ["next"]


def test_the_pool_is_kept_free_for_a_task_of_another_agent(clock):
    pool = Pool.objects.create(name="account", max_tpm=1000)
    one, two = make_agent(pool=pool), make_agent(pool=pool)
    (running,) = hand_in(one, 1)
    estimate([running], 500)
    claim(9)
    (large,) = hand_in(two, 1)
    estimate([large], 900)
    claim(9)
    clock.forward(301)
    new_worker()
    (small,) = hand_in(one, 1)
    estimate([small], 5)
    assert f"kept free for task {large}" in said(small)


@pytest.mark.parametrize("of_pool", [False, True])
def test_cooling_down_and_coming_back_gently(clock, of_pool):
    pool = Pool.objects.create(name="account") if of_pool else None
    agent = make_agent("reader", pool=pool)
    hand_in(agent, 2)
    rows = claim(1)
    events.apply(queue.connection(), [failed(rows[0].attempt_id, Code.RATE_LIMITED, retry_after=300.0)])
    holder = Pool.objects.get() if of_pool else Agent.objects.get(pk=agent.pk)
    waiting = Task.objects.get(deferred=False, agent=agent)
    name = "The pool account" if of_pool else "The agent reader"
    until = in_words(holder.cooldown_until, database_now())  # with the day, shortly before midnight
    assert f"{name} is cooling down until {until}: its provider asked for a pause." in said(waiting.pk)
    clock.forward(301)
    new_worker()
    assert len(claim(1)) == 1
    (task,) = hand_in(agent, 1)
    assert f"{name} comes back gently after a pause of its provider: 1 of 1 run." in said(task)


def test_a_retry_and_when(clock):
    agent = make_agent()
    hand_in(agent, 1)
    (row,) = claim(1)
    events.apply(queue.connection(), [failed(row.attempt_id, Code.UPSTREAM, retry_after=600.0)])
    at = Task.objects.get().available_at.strftime("%H:%M")
    why = why_waiting(row.task_id)
    assert f"{at}. The last one failed: It went wrong." in why.sentence
    assert why.reasons[0].code == "retry" and why.ahead is None


def test_a_moment_of_another_day_names_the_day(clock):
    agent = make_agent()
    (task,) = hand_in(agent, 1)
    at = database_now() + timedelta(days=3)
    Task.objects.filter(pk=task).update(deferred=True, available_at=at)
    assert f"{at:%Y-%m-%d} {at:%H:%M}" in said(task)


def test_a_reprocessed_task_waits_for_its_old_run():
    agent = make_agent()
    (task,) = hand_in(agent, 1)
    (row,) = claim(1)
    events.apply(queue.connection(), [completed(row.attempt_id, ended=False)])
    operations.reprocess(SYSTEM, [task])
    assert codes(task) == ["old_run"]
    assert said(task).startswith("It waits for the run of its earlier attempt to end, until ")


def test_over_budget_of_the_agent_and_of_the_client():
    Price.objects.create(
        model="m", valid_from=database_now() - timedelta(days=1), input_usd=10, output_usd=10
    )
    agent, client = make_agent("reader", model="m"), make_client("Acme")
    tasks = hand_in(agent, 2, client)
    estimate(tasks, 10_000)
    claim(1)
    Agent.objects.filter(pk=agent.pk).update(spend_stop_per_day=Decimal("0.15"))
    assert said(tasks[1]) == (
        "The agent reader has spent or reserved 0.10 of 0.15 USD for today; this task needs 0.10. It goes on tomorrow (UTC)."
    )
    Agent.objects.filter(pk=agent.pk).update(spend_stop_per_day=None)
    Client.objects.filter(pk=client.pk).update(spend_stop_per_month=Decimal("0.15"))
    assert "The client Acme has spent or reserved 0.10 of 0.15 USD for this month" in said(tasks[1])
    Client.objects.filter(pk=client.pk).update(spend_stop_per_month=Decimal("0.05"))
    assert (
        said(tasks[1])
        == "The client Acme may spend 0.05 USD at most; this task alone is expected to cost 0.10. Raise that limit."
    )
    assert why_waiting(tasks[1]).eta is None


def test_what_does_not_wait_says_so():
    agent = make_agent()
    (task,) = hand_in(agent, 1)
    (row,) = claim(1)
    assert said(task) == "It does not wait: it is being processed."
    events.apply(queue.connection(), [completed(row.attempt_id)])
    assert said(task) == "It does not wait: it is completed."


# When it will start


def finished(agent: Agent, minutes_ago: list[int]) -> None:
    tasks = hand_in(agent, len(minutes_ago))
    rows = claim(len(tasks))
    events.apply(queue.connection(), [completed(row.attempt_id) for row in rows])
    for row, minutes in zip(rows, minutes_ago, strict=True):
        at = database_now() - timedelta(minutes=minutes)
        Attempt.objects.filter(pk=row.attempt_id).update(
            claimed_at=at,
            started_at=at,
            finished_at=at,
            ended_at=at,
            rate_held_until=at + timedelta(seconds=60),
        )


def test_the_start_is_said_as_a_range_from_the_last_hour():
    agent = make_agent()
    finished(agent, [1] * 20 + [15] * 5 + [90] * 100)
    tasks = hand_in(agent, 20)
    why = why_waiting(tasks[19])
    assert why.eta == (20 * 600 / 20, 20 * 600 / 5)
    assert why.eta_sentence == "It will probably start in 10 to 40 minutes."
    assert why_waiting(tasks[0]).eta_sentence == "It will probably start in 1 to 2 minutes."


def test_without_data_or_while_nothing_can_start_no_time_is_said():
    agent = make_agent()
    (task,) = hand_in(agent, 1)
    assert why_waiting(task).eta is None
    finished(agent, [1] * 20)
    (task,) = hand_in(agent, 1)
    assert why_waiting(task).eta is not None
    operations.pause(SYSTEM, agent)
    assert why_waiting(task).eta is None and why_waiting(task).eta_sentence == ""


# The command


def test_the_command_prints_sentences_or_one_json_object():
    tasks = hand_in(make_agent(), 2)
    out = StringIO()
    call_command("why", tasks[1], stdout=out)
    assert out.getvalue() == "1 task of the same agent is before it.\n"
    out = StringIO()
    call_command("why", tasks[1], "--json", stdout=out)
    assert json.loads(out.getvalue()) == {
        "task": tasks[1], "ahead": 1, "eta_seconds": None,
        "reasons": [{"code": "in_line", "sentence": "1 task of the same agent is before it.", "until": None}],
    }  # fmt: skip


def test_the_command_refuses_a_task_that_does_not_exist():
    with pytest.raises(CommandError, match="There is no task 12345"):
        call_command("why", 12345)
