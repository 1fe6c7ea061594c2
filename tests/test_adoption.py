"""Remote runs outlive their workers: adopted and never run twice, stopped until that is confirmed, counted until they have ended."""

from __future__ import annotations

import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from uuid import uuid4

import pytest
from django.db import connection

from tasks import events, faults, operations, queue
from tasks.agent.contract import Completed, Failed
from tasks.models import Attempt, AuditEntry, Task
from tasks.outcomes import Word
from tasks.worker import Worker
from tests.commands import wait_until
from tests.process_tools import Forker, Wanted, copied_database, kill
from tests.standin.cloud import COST, RESULT, USAGE
from tests.standin.fleet import ACTOR, LEASE, Fleet

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    fleet = Fleet(tmp_path)
    yield fleet
    fleet.close()


def started(fleet: Fleet, agent, **habits) -> tuple[int, Worker]:
    """One task whose run is known to be alive, and the worker that holds it."""
    (task,) = fleet.submit(agent)
    worker = fleet.worker(**habits)
    fleet.until(lambda: fleet.attempts(task) and fleet.attempts(task)[0].status == "running", worker)
    return task, worker


def completed(fleet: Fleet, task: int) -> bool:
    return fleet.status(task) == "completed"


def ended(fleet: Fleet, task: int) -> bool:
    """Whether every attempt of a task is confirmed to have ended."""
    return all(attempt.ended_at for attempt in fleet.attempts(task))


# Adoption


def test_a_live_run_of_a_dead_worker_is_adopted_and_not_run_again(fleet):
    task, _dead = started(fleet, fleet.agent("waits"))
    (attempt,) = fleet.attempts(task)
    assert Task.objects.get(pk=task).locked_by == f"run:{attempt.run_id}"
    fleet.expire()
    other = fleet.worker()
    other.tick()
    assert attempt.pk in other.held
    assert Attempt.objects.get(pk=attempt.pk).worker == other.id
    assert AuditEntry.objects.filter(verb="adopt", object_id=str(task)).count() == 1
    fleet.cloud.end(attempt.pk, "completes")
    fleet.until(lambda: completed(fleet, task), other)
    assert len(fleet.cloud.runs()) == 1
    (attempt,) = fleet.attempts(task)
    assert attempt.cost_usd == COST
    assert attempt.ended_at


def test_a_run_that_ended_while_nobody_lived_is_settled_and_not_run_again(fleet):
    task, _dead = started(fleet, fleet.agent("waits"))
    fleet.cloud.end(fleet.attempts(task)[0].pk, "completes")
    fleet.expire()
    fleet.until(lambda: completed(fleet, task), fleet.worker())
    assert len(fleet.cloud.runs()) == 1


def test_a_worker_that_comes_back_after_its_run_was_adopted_changes_nothing(fleet):
    task, first = started(fleet, fleet.agent("waits"))
    (attempt,) = fleet.attempts(task)
    fleet.expire()
    second = fleet.worker()
    second.tick()
    first.tick()
    assert first.held == {}
    row = Task.objects.get(pk=task)
    assert (row.status, row.lease_owner) == ("processing", second.id)
    assert not fleet.run(attempt.pk).ended
    assert queue.renew(queue.connection(), first.id, [(task, attempt.pk)], LEASE) == []


def test_an_adopted_run_is_renewed_by_who_adopted_it(fleet):
    task, _dead = started(fleet, fleet.agent("waits"))
    fleet.expire()
    second = fleet.worker()
    second.tick()
    fleet.advance(LEASE - 1)
    second.tick()
    fleet.advance(LEASE - 1)
    fleet.worker().tick()
    assert Task.objects.get(pk=task).lease_owner == second.id


def test_a_result_whose_callback_was_lost_is_found_by_asking(fleet):
    task, worker = started(fleet, fleet.agent("waits"))
    worker.executors["standin"]._watched.clear()  # nobody tells
    fleet.cloud.end(fleet.attempts(task)[0].pk, "completes")
    fleet.until(lambda: completed(fleet, task), worker)


@pytest.mark.slow
def test_runs_of_a_worker_that_was_really_killed_are_adopted_and_billed_once(tmp_path: Path):
    template = connection.settings_dict["NAME"]
    fleet, forker = Fleet(tmp_path), Forker()
    tasks = fleet.submit(fleet.agent("completes", seconds=2.5), 3)
    connection.close()
    try:
        with copied_database(template, f"{template}_killed") as db:
            connection.settings_dict["NAME"] = db.info.dbname
            first = forker.begin(Wanted(db.info.dbname, tmp_path))
            wait_until(lambda: Attempt.objects.filter(status="running").count() == 3, 60, "three runs")
            kill(first)
            forker.begin(Wanted(db.info.dbname, tmp_path))
            wait_until(lambda: Task.objects.filter(status="completed").count() == 3, 60, "three results")
            assert AuditEntry.objects.filter(verb="adopt").count() == 3
            assert sorted(run.task for run in fleet.cloud.runs()) == tasks
            assert [attempt.cost_usd for attempt in Attempt.objects.all()] == [COST] * 3
            connection.close()
    finally:
        forker.close()
        connection.close()
        connection.settings_dict["NAME"] = template


# The same attempt is never started twice (I4)


def test_a_start_whose_answer_was_lost_ends_in_the_same_run(fleet):
    fleet.cloud.set(lose_answers=1)
    (task,) = fleet.submit(fleet.agent("completes", seconds=0.2))
    worker = fleet.worker(poll_seconds=3600.0)
    worker.tick()
    assert fleet.attempts(task)[0].status == "starting"
    fleet.until(lambda: completed(fleet, task), worker)
    (run,) = fleet.cloud.runs()
    assert run.asked == 2
    assert len(fleet.attempts(task)) == 1


@pytest.mark.parametrize(
    "weather",
    [{"lose_answers": 1}, {"lose_requests": 1}, {"lose_answers": 1, "hide_seconds": 3600}],
    ids=["answer lost", "request lost", "not found yet"],
)
def test_a_start_that_died_with_its_worker_ends_in_one_run_of_the_same_attempt(fleet, weather):
    fleet.cloud.set(**weather)
    (task,) = fleet.submit(fleet.agent("completes", seconds=0.2))
    fleet.worker().tick()
    fleet.expire()
    other = fleet.worker()
    other.tick()
    assert fleet.attempts(task)[0].run_id
    fleet.cloud.set(hide_seconds=0)
    if "hide_seconds" in weather:
        events.apply_event(
            queue.connection(), Completed(attempt=fleet.attempts(task)[0].pk, result=RESULT, usage=USAGE)
        )
    fleet.until(lambda: completed(fleet, task), other)
    assert len(fleet.cloud.runs()) == 1
    (attempt,) = fleet.attempts(task)
    assert attempt.cost_usd == COST


def test_a_start_that_turns_out_to_be_refused_is_retried_as_another_attempt(fleet):
    fleet.cloud.set(lose_requests=1, reject=1)
    (task,) = fleet.submit(fleet.agent("completes"))
    fleet.worker().tick()
    fleet.expire()
    other = fleet.worker()
    other.tick()
    (attempt,) = fleet.attempts(task)
    assert attempt.status == "failed"
    assert attempt.ended_at
    assert attempt.cost_usd == 0
    fleet.advance(60)
    fleet.until(lambda: completed(fleet, task), other)


def test_a_worker_that_was_suspended_between_claim_and_start_starts_nothing(fleet, monkeypatch):
    (task,) = fleet.submit(fleet.agent("waits"))
    worker = fleet.worker()

    def suspended(point: str) -> None:
        if point == "claim:committed":
            worker._lease_until = 0.0

    monkeypatch.setattr(faults, "point", suspended)
    worker.tick()
    assert fleet.attempts(task)[0].status == "claimed"
    assert fleet.cloud.runs() == []
    monkeypatch.undo()
    worker.tick()  # its lease was renewed in time: nobody else has taken over
    assert len(fleet.cloud.runs()) == 1


# Stopping, until it is confirmed


def test_a_cancelled_remote_task_waits_for_its_run_to_confirm_it(fleet):
    fleet.cloud.set(stop_seconds=0.3)
    task, worker = started(fleet, fleet.agent("waits"))
    operations.cancel(ACTOR, [task])
    worker.tick()
    assert fleet.status(task) == "processing"
    fleet.until(lambda: fleet.status(task) == "cancelled", worker)
    assert ended(fleet, task)
    assert fleet.cloud.runs()[0].ended


def test_a_result_that_comes_before_the_cancel_is_confirmed_wins(fleet):
    task, worker = started(fleet, fleet.agent("waits"))
    operations.cancel(ACTOR, [task])
    fleet.cloud.end(fleet.attempts(task)[0].pk, "completes")
    fleet.until(lambda: completed(fleet, task), worker)
    assert ended(fleet, task)


def test_a_cancelled_run_of_a_dead_worker_is_stopped_by_another_one(fleet):
    task, _dead = started(fleet, fleet.agent("waits"))
    operations.cancel(ACTOR, [task])
    fleet.expire()
    fleet.until(lambda: fleet.status(task) == "cancelled" and ended(fleet, task), fleet.worker())
    assert [run.ending for run in fleet.cloud.runs()] == ["cancelled"]


def test_one_round_of_a_sweeper_alone_stops_a_run_that_is_to_be_stopped(fleet):
    task, _dead = started(fleet, fleet.agent("waits"))
    fleet.expire()
    operations.cancel(ACTOR, [task])
    fleet.worker().sweeper.tick()
    assert fleet.cloud.runs()[0].ending == "cancelled"


def test_not_found_confirms_nothing_while_a_start_may_be_on_its_way(fleet):
    """It is asked for again with its token, and that run is cancelled: whatever was on its way finds its token used."""
    fleet.cloud.set(lose_requests=1)
    (task,) = fleet.submit(fleet.agent("waits"))
    fleet.worker().tick()
    operations.cancel(ACTOR, [task])
    fleet.expire()
    other = fleet.worker()
    fleet.until(lambda: fleet.status(task) == "cancelled" and ended(fleet, task), other)
    (run,) = fleet.cloud.runs()
    assert (run.attempt, run.ending, run.ended) == (fleet.attempts(task)[0].pk, "cancelled", True)


def test_a_start_that_may_be_on_its_way_is_confirmed_also_after_its_task_is_over(fleet):
    fleet.cloud.set(lose_requests=1)
    (task,) = fleet.submit(fleet.agent("waits"))
    fleet.worker().tick()
    operations.cancel(ACTOR, [task])
    fleet.cloud.set(unreachable=1)
    fleet.advance(2 * LEASE + 2)
    other = fleet.worker()
    other.tick()
    assert fleet.status(task) == "cancelled"
    assert not ended(fleet, task)
    fleet.cloud.set(unreachable=0, stop_seconds=3600)
    other.tick()
    (attempt,) = fleet.attempts(task)
    assert attempt.run_id == fleet.run(attempt.pk).run_id
    fleet.cloud.end(attempt.pk, "cancelled")
    fleet.until(lambda: ended(fleet, task), other)
    assert [(run.ending, run.ended) for run in fleet.cloud.runs()] == [("cancelled", True)]


def test_a_run_past_its_deadline_is_stopped_before_the_next_attempt_starts(fleet):
    fleet.cloud.set(stop_seconds=0.3)
    task, worker = started(fleet, fleet.agent("waits", timeout_seconds=100), lease_seconds=1000.0)
    fleet.advance(101)
    fleet.until(lambda: fleet.status(task) == "enqueued", worker)
    (attempt,) = fleet.attempts(task)
    assert (attempt.status, attempt.error_code) == ("timeout", "timeout")
    assert attempt.ended_at
    assert fleet.cloud.runs()[0].ended


def test_the_rival_of_the_result_that_won_is_stopped(fleet):
    """The first run was out of reach past its deadline, so a second one was started; then the first one's result comes."""
    task, other = given_up(fleet)
    fleet.cloud.set(unreachable=0, stop_seconds=3600)
    fleet.advance(60)
    fleet.until(lambda: len(fleet.attempts(task)) == 2 and fleet.attempts(task)[1].status == "running", other)
    first, second = fleet.attempts(task)
    events.apply_event(queue.connection(), Completed(attempt=first.pk, result=RESULT, usage=USAGE))
    assert completed(fleet, task)
    fleet.cloud.end(first.pk, "completes")
    fleet.cloud.set(stop_seconds=0)
    fleet.until(lambda: ended(fleet, task), other)
    assert [attempt.status for attempt in fleet.attempts(task)] == ["completed", "superseded"]
    assert [fleet.run(attempt.pk).ending for attempt in (first, second)] == ["completes", "cancelled"]


def test_a_lost_attempt_is_stopped_as_soon_as_its_executor_can_be_reached(fleet):
    task, other = given_up(fleet)
    (attempt,) = fleet.attempts(task)
    assert not attempt.ended_at
    fleet.cloud.set(unreachable=0)
    fleet.until(lambda: Attempt.objects.get(pk=attempt.pk).ended_at, other)
    assert fleet.run(attempt.pk).ending == "cancelled"


def given_up(fleet: Fleet) -> tuple[int, Worker]:
    """A task whose run could not be reached past its deadline, and that waits for its next attempt; and a worker that lives."""
    fleet.cloud.set(unreachable=0)
    task, _dead = started(fleet, fleet.agent("waits", timeout_seconds=100))
    fleet.cloud.set(unreachable=1)
    other = fleet.worker()
    while fleet.attempts(task)[0].status != "timeout":
        fleet.advance(LEASE - 1)
        other.tick()
    return task, other


# What cannot be reached


def test_an_unreachable_run_is_not_run_again_while_it_may_live(fleet):
    task, _dead = started(fleet, fleet.agent("waits"))
    (attempt,) = fleet.attempts(task)
    fleet.cloud.set(unreachable=1)
    other = fleet.worker()
    for _ in range(3):
        fleet.expire()
        other.tick()
    assert fleet.status(task) == "processing"
    fleet.cloud.set(unreachable=0)
    fleet.expire()
    fleet.cloud.end(attempt.pk, "completes")
    fleet.until(lambda: completed(fleet, task), other)
    assert len(fleet.cloud.runs()) == 1


def test_a_living_worker_gives_up_a_run_that_is_out_of_reach_past_its_deadline(fleet):
    task, worker = started(fleet, fleet.agent("waits", timeout_seconds=100))
    fleet.cloud.set(unreachable=1)
    fleet.advance(101 - LEASE)
    for _ in range(6):
        worker.tick()
        fleet.advance(LEASE - 1)
    fleet.until(lambda: fleet.attempts(task)[0].status == "timeout", worker)
    assert not ended(fleet, task)


def test_what_is_not_confirmed_counts_against_limits_until_it_is_declared_ended(fleet):
    agent = fleet.agent("waits", max_concurrent_tasks=1)
    task, _dead = started(fleet, agent)
    (waiting,) = fleet.submit(agent)
    (attempt,) = fleet.attempts(task)
    operations.cancel(ACTOR, [task])
    fleet.cloud.set(unreachable=1)
    fleet.advance(3 * LEASE)
    other = fleet.worker()
    other.tick()
    assert fleet.status(task) == "cancelled"
    assert fleet.status(waiting) == "enqueued"
    operations.declare_ended(ACTOR, [attempt.pk], "the workspace was deleted")
    other.tick()
    assert fleet.status(waiting) == "processing"
    assert not any(run.attempt == attempt.pk and run.ended for run in fleet.cloud.runs())


def test_after_it_was_declared_ended_a_late_event_changes_money_only(fleet):
    task, _dead = started(fleet, fleet.agent("waits", max_attempts=1))
    (attempt,) = fleet.attempts(task)
    fleet.cloud.set(unreachable=1)
    operations.declare_ended(ACTOR, [attempt.pk], "the workspace was deleted")
    assert fleet.status(task) == "failed"
    before = Attempt.objects.get(pk=attempt.pk)
    events.apply_event(queue.connection(), Completed(attempt=attempt.pk, result=RESULT, usage=USAGE))
    after = Attempt.objects.get(pk=attempt.pk)
    assert fleet.status(task) == "failed"
    assert (after.status, after.ended_at) == (before.status, before.ended_at)
    assert (before.cost_usd, after.cost_usd) == (None, COST)


def test_a_current_attempt_that_is_declared_ended_lets_its_task_go_on(fleet):
    task, worker = started(fleet, fleet.agent("waits"))
    (attempt,) = fleet.attempts(task)
    fleet.cloud.set(unreachable=1)
    operations.declare_ended(ACTOR, [attempt.pk], "the workspace was deleted")
    assert fleet.status(task) == "enqueued"
    worker.tick()
    assert attempt.pk not in worker.held


def test_a_run_that_was_deleted_lets_its_task_go_on_and_stays_counted(fleet):
    task, _dead = started(fleet, fleet.agent("waits"))
    (attempt,) = fleet.attempts(task)
    fleet.cloud.forget(attempt.pk)
    fleet.expire()
    other = fleet.worker()
    fleet.until(lambda: fleet.attempts(task)[0].status == "lost", other)
    assert not fleet.attempts(task)[0].ended_at
    assert fleet.cloud.runs() == [] or fleet.cloud.runs()[0].attempt != attempt.pk


def test_many_attempts_that_cannot_be_confirmed_do_not_hide_the_one_that_can(fleet, monkeypatch):
    monkeypatch.setattr("tasks.sweeper.MOST", 2)
    agent = fleet.agent("waits")
    tasks = fleet.submit(agent, 5)
    worker = fleet.worker(slots=5)
    fleet.until(lambda: Attempt.objects.filter(status="running").count() == 5, worker)
    operations.cancel(ACTOR, tasks)
    attempts = sorted(attempt.pk for task in tasks for attempt in fleet.attempts(task))
    for attempt in attempts[:4]:
        fleet.cloud.forget(attempt)
    fleet.advance(3 * LEASE)
    fleet.until(lambda: Attempt.objects.get(pk=attempts[4]).ended_at, fleet.worker())


def test_two_sweepers_do_not_look_after_the_same_unconfirmed_attempt(fleet):
    task, _dead = started(fleet, fleet.agent("waits"))
    operations.cancel(ACTOR, [task])
    fleet.cloud.set(unreachable=1)
    fleet.advance(3 * LEASE)
    first, second = fleet.worker(), fleet.worker()
    first.tick()
    second.tick()
    assert fleet.attempts(task)[0].worker == first.id


# What runs say


def test_a_run_that_ends_without_a_word_is_retried(fleet):
    task, worker = started(fleet, fleet.agent("waits"))
    (attempt,) = fleet.attempts(task)
    fleet.cloud.end(attempt.pk, "silently")
    fleet.until(lambda: fleet.status(task) == "enqueued", worker)
    attempt.refresh_from_db()
    assert (attempt.status, attempt.error_code) == ("failed", "crashed")
    assert attempt.cost_usd is None


def test_callbacks_that_come_twice_and_late_count_once(fleet):
    task, worker = started(fleet, fleet.agent("waits"))
    (attempt,) = fleet.attempts(task)
    said = Completed(attempt=attempt.pk, result=RESULT, usage=USAGE)
    db = queue.connection()
    assert events.apply_event(db, said) is Word.APPLIED
    assert events.apply_event(db, said) is Word.DUPLICATE
    fleet.cloud.end(attempt.pk, "completes")
    fleet.until(lambda: ended(fleet, task), worker)
    assert events.apply_event(db, said) is Word.DUPLICATE
    late = Failed(attempt=attempt.pk, code="crashed", message="late", retryable=True)
    assert events.apply_event(db, late) is Word.ALREADY_TERMINAL
    row = Attempt.objects.get(pk=attempt.pk)
    assert (row.status, row.cost_usd, row.input_tokens) == ("completed", COST, 1000)
    assert completed(fleet, task)


def test_a_callback_before_the_executors_answer_leaves_the_run_to_be_confirmed(fleet):
    task, worker = started(fleet, fleet.agent("waits"))
    (attempt,) = fleet.attempts(task)
    events.apply_event(queue.connection(), Completed(attempt=attempt.pk, result=RESULT, usage=USAGE))
    assert completed(fleet, task)
    assert not ended(fleet, task)
    fleet.until(lambda: ended(fleet, task), worker)
    assert worker.held == {}


def test_a_callback_of_an_unknown_attempt_is_told_apart(fleet):
    assert events.apply_event(queue.connection(), Completed(attempt=uuid4(), result=RESULT)) is None


def test_the_bill_of_a_day_with_every_mishap_counts_each_run_once(fleet):
    fleet.cloud.set(lose_answers=2, lose_requests=2, hide_seconds=0.1)
    tasks = fleet.submit(fleet.agent("completes", seconds=0.1, max_attempts=10), 8)
    worker = fleet.worker(slots=3)
    for _ in range(3):
        worker.tick()
    # Only the database's clock jumps: what the cloud still hides then would have been hidden for a whole lease
    wait_until(lambda: all(run.began_at + 0.1 < time.time() for run in fleet.cloud.runs()))
    fleet.expire()
    other = fleet.worker(slots=3)
    fleet.until(
        lambda: all(completed(fleet, task) and ended(fleet, task) for task in tasks), other, seconds=30
    )
    billed = sum((attempt.cost_usd for attempt in Attempt.objects.exclude(cost_usd=None)), Decimal(0))
    assert billed == COST * len(fleet.cloud.runs())
    assert len(fleet.cloud.runs()) == len(tasks)
