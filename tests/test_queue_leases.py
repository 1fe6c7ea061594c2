"""Leases: held as long as their holder lives, never by anybody's own clock, recovered once, and lost for good by who lost them."""

from __future__ import annotations

import re
import time
from uuid import uuid4

import pytest
from django.db import connection, transaction

from tasks import events, notify, operations, queue
from tasks.agent.contract import Code, Progress
from tasks.models import Attempt, AuditEntry, Task
from tasks.outcomes import Word
from tasks.sql import SQL
from tasks.states import AttemptStatus
from tasks.sweeper import Sweeper
from tasks.worker import Habits, Worker
from tests import queue_tools as tools
from tests.commands import wait_until
from tests.factories import make_agent


@pytest.fixture
def clock(db):
    return tools.Clock(queue.connection())


def make_worker(runs: tools.Runs | None = None, **habits) -> Worker:
    """A worker that renews, sweeps and heeds flags in every round."""
    quick = {"heartbeat_seconds": 0.0, "sweep_seconds": 0.0, "lease_seconds": tools.LEASE, "age_seconds": 0.0}
    worker = Worker({"local": runs or tools.Runs()}, Habits(**{**quick, **habits}))
    worker._flags.seconds = 0.0
    worker.register()
    return worker


def sweeper() -> Sweeper:
    return Sweeper(
        tools.new_worker(), {"local": tools.Runs()}, {}, lease_seconds=tools.LEASE, age_seconds=0, max_pages=9
    )


def task_row(task: int) -> tuple:
    return queue.connection().execute("SELECT * FROM tasks WHERE id = %s", (task,)).fetchone()


def test_a_healthy_long_task_is_never_handed_to_a_second_worker(clock):
    agent, runs = make_agent(timeout_seconds=100_000), tools.Runs()
    (task,) = tools.hand_in(agent, 1)
    holder, idle = make_worker(runs), make_worker()
    holder.tick()
    for _ in range(20):
        clock.forward(tools.LEASE / 3)
        holder.tick()
        idle.tick()
    (attempt,) = Attempt.objects.filter(task=task)
    runs.end(attempt.pk, tools.completed(attempt.pk).event)
    holder.tick()
    assert (Task.objects.get(pk=task).status, Attempt.objects.count()) == ("completed", 1)


def test_a_task_whose_worker_dies_before_its_first_heartbeat_is_recovered(clock):
    (task,) = tools.hand_in(make_agent(), 1)
    (row,) = tools.claim()
    clock.forward(tools.LEASE - 1)
    sweeper().tick()
    assert Task.objects.get(pk=task).status == "processing"
    clock.forward(2)
    sweeper().tick()
    assert Task.objects.get(pk=task).status == "enqueued"
    assert Attempt.objects.get(pk=row.attempt_id).status == AttemptStatus.LOST


def test_a_restarted_process_does_not_keep_its_predecessors_task(clock):
    """Same host, same process number, another life: it beats under another id."""
    (task,) = tools.hand_in(make_agent(), 1)
    before = make_worker()
    before.tick()
    after = make_worker(slots=0)
    assert (after.id != before.id) and Task.objects.get(pk=task).lease_owner == before.id
    for _ in range(4):
        clock.forward(tools.LEASE / 3)
        after.tick()
    assert Task.objects.get(pk=task).status == "enqueued"


def test_three_sweepers_at_once_recover_each_task_once(transactional_db):
    tasks = tools.hand_in(make_agent(), 100)
    tools.claim(100)
    queue.connection().execute("UPDATE tasks SET lease_expires_at = lease_expires_at - interval '1 hour'")
    sweepers = [sweeper() for _ in range(3)]

    def sweep(one: Sweeper) -> None:
        try:
            for _ in range(3):
                one.tick()
        finally:
            connection.close()

    tools.together(*(lambda one=one: sweep(one) for one in sweepers))
    assert Task.objects.filter(status="enqueued", attempts_burnt=1, attempts_made=1).count() == len(tasks)
    assert Attempt.objects.filter(status=AttemptStatus.LOST, ended_at__isnull=False).count() == len(tasks)
    assert AuditEntry.objects.filter(verb="sweep").count() == len(tasks)


def nobody_sees_what_was() -> None:
    """A page is tidied of versions that nobody may still see; any transaction that is open on the server may, of whatever database."""
    db = queue.connection()
    now = db.execute("SELECT pg_current_xact_id()::text::bigint").fetchone()[0]
    oldest = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
    wait_until(lambda: db.execute(oldest).fetchone()[0] > now, 30, "the end of others' transactions")


def test_renewing_stays_on_its_page_and_tells_nobody(transactional_db, monkeypatch):
    """Renewals are what tasks see most of: an index entry each, or a hint each, would slow down every commit of the database."""
    tools.hand_in(make_agent(), 30)
    worker = make_worker(slots=30)
    worker.tick()
    assert len(worker.held) == 30
    hints: list[str] = []
    monkeypatch.setattr(notify, "hint", lambda *channels: hints.extend(channels))

    def updates() -> tuple[int, int]:
        queue.connection().execute("SELECT pg_stat_force_next_flush()")
        return (
            queue.connection()
            .execute("SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'tasks'")
            .fetchone()
        )

    changed, hot = updates()
    for _ in range(10):
        nobody_sees_what_was()
        worker._renew()
    changed_since, hot_since = updates()
    assert changed_since - changed == 300
    assert hot_since - hot >= 270, "a row may leave a page that was full from before, once"
    assert hints == []


def test_no_statement_and_no_trigger_sends_a_hint_in_a_transaction_that_changes_tasks(db):
    """Whoever has sent one commits behind a lock of the whole database."""
    assert [name for name, statement in SQL.items() if "notify" in statement.lower()] == []
    functions = "SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prosrc ~* 'notify'"
    assert queue.connection().execute(functions).fetchall() == []


# Clocks


def test_a_worker_whose_own_clock_is_fast_steals_nothing(clock, monkeypatch):
    (task,) = tools.hand_in(make_agent(), 1)
    holder = make_worker()
    holder.tick()
    true = time.time
    monkeypatch.setattr(time, "time", lambda: true() + 7200)
    make_worker().tick()
    assert Task.objects.get(pk=task).lease_owner == holder.id
    assert Attempt.objects.count() == 1


def test_a_lease_is_counted_from_its_write_and_not_from_the_beginning_of_its_transaction(transactional_db):
    """now() stands still in a transaction: a claim that waited would write a lease that is already short."""
    (task,) = tools.hand_in(make_agent(), 1)
    worker = tools.new_worker()
    db = queue.connection()
    with transaction.atomic():
        began, waited = db.execute("SELECT now()").fetchone()[0], 0.0
        while waited < 0.3:
            waited = (db.execute("SELECT clock_timestamp()").fetchone()[0] - began).total_seconds()
        tools.claim(worker=worker)
    expires = Task.objects.get(pk=task).lease_expires_at
    assert (expires - began).total_seconds() >= tools.LEASE + 0.3


def test_every_statement_asks_the_one_clock():
    """agentaudit_now() alone; wherever it bounds a scan as a subselect, because a volatile function is never an index condition."""
    for name, statement in SQL.items():
        others = re.findall(
            r"(?<!agentaudit_)\bnow\(\)|current_timestamp|localtimestamp|clock_timestamp|transaction_timestamp",
            statement,
            re.I,
        )
        assert not others, (name, others)


# Who has lost a lease


def lose_it(clock: tools.Clock, **fields):
    """A task whose first worker was frozen past its lease, and which a second worker runs by now: (task, first, second)."""
    (task,) = tools.hand_in(make_agent(**fields), 1)
    (first,) = tools.claim(worker=(frozen := tools.new_worker()))
    clock.forward(tools.LEASE + 1)
    sweeper().tick()
    clock.forward(60)
    queue.promote_due(queue.connection())
    (second,) = tools.claim()
    assert (first.task_id, second.task_id) == (task, task)
    return task, frozen, first.attempt_id, second.attempt_id


def test_a_worker_that_wakes_up_changes_nothing_of_the_task_that_it_has_lost(clock):
    task, frozen, first, _second = lose_it(clock)
    db, before = queue.connection(), task_row(task)
    assert queue.renew(db, frozen, [(task, first)], tools.LEASE) == []
    events.progress(db, [Progress(attempt=first, pages_done=1, pages_total=2)])
    queue.mark_running(db, [(first, "pid:1", "")])
    for news in (
        tools.failed(first),
        tools.failed(first, Code.CORRUPT, retryable=False),
        tools.failed(first, Code.RELEASED),
        tools.failed(first, Code.CANCELLED),
        tools.failed(first, Code.TIMEOUT),
    ):
        assert events.apply(db, [news])[first] == Word.STALE
    assert task_row(task) == before
    assert Attempt.objects.get(pk=first).status == AttemptStatus.LOST
    assert Attempt.objects.filter(ended_at=None).count() == 1


def test_a_paid_result_of_the_attempt_that_was_given_up_still_counts(clock):
    task, _frozen, first, second = lose_it(clock)
    assert events.apply(queue.connection(), [tools.completed(first)])[first] == Word.APPLIED
    done = Task.objects.get(pk=task)
    assert (done.status, done.result_attempt) == ("completed", first)
    rival = Attempt.objects.get(pk=second)
    assert (rival.status, rival.stop_reason) == (AttemptStatus.SUPERSEDED, "superseded")
    assert rival.stop_requested_at is not None


def test_a_worker_that_has_lost_its_lease_stops_its_run(clock):
    (task,) = tools.hand_in(make_agent(), 1)
    runs = tools.Runs()
    frozen = make_worker(runs)
    frozen.tick()
    (attempt,) = Attempt.objects.filter(task=task)
    clock.forward(tools.LEASE + 1)
    sweeper().tick()
    frozen._renew()
    assert runs.stopped == [attempt.pk]
    assert not frozen.held


def test_an_expired_lease_is_not_renewed_even_before_anybody_took_it(clock):
    (task,) = tools.hand_in(make_agent(), 1)
    (row,) = tools.claim(worker=(worker := tools.new_worker()))
    clock.forward(tools.LEASE + 1)
    assert queue.renew(queue.connection(), worker, [(task, row.attempt_id)], tools.LEASE) == []


def test_a_lease_of_another_worker_is_not_renewed(clock):
    (task,) = tools.hand_in(make_agent(), 1)
    (row,) = tools.claim()
    before = task_row(task)
    assert queue.renew(queue.connection(), uuid4(), [(task, row.attempt_id)], tools.LEASE) == []
    assert task_row(task) == before


# What hangs


def test_tasks_that_hang_do_not_take_all_slots_again_as_soon_as_they_are_recovered(clock, monkeypatch):
    monkeypatch.setattr(events.random, "random", lambda: 0.5)
    agent, runs = make_agent(timeout_seconds=30), tools.Runs()
    tasks = tools.hand_in(agent, 7)
    worker = make_worker(runs, slots=2)
    worker.tick()
    hung = [order.task for order in runs.started]
    assert hung == tasks[:2]
    clock.forward(31)
    for _ in range(3):
        worker.tick()
    assert [order.task for order in runs.started[2:4]] == tasks[2:4]


def test_an_attempt_past_its_deadline_is_stopped_and_ends_as_a_timeout(clock):
    (task,) = tools.hand_in(make_agent(timeout_seconds=30, max_attempts=2), 1)
    runs = tools.Runs()
    worker = make_worker(runs)
    for _ in range(2):
        worker.tick()
        clock.forward(31)
        for _ in range(3):  # flagged, stopped, heard
            worker.tick()
        clock.forward(600)
    assert [attempt.status for attempt in Attempt.objects.order_by("number")] == ["timeout", "timeout"]
    ended = Task.objects.get(pk=task)
    assert (ended.status, ended.error_code, ended.attempts_burnt) == ("failed", "timeout", 2)
    assert "raise the agent's longest run" in ended.error_message
    assert len(runs.started) == 2


# Cancels outlive workers


def test_a_cancel_while_no_worker_lives_is_not_forgotten(clock):
    waiting, running = tools.hand_in(make_agent(), 2)
    operations.reprioritise(tools.SYSTEM, [running], 30)
    (row,) = tools.claim()
    assert row.task_id == running
    operations.cancel(tools.SYSTEM, [waiting, running])
    clock.forward(tools.LEASE + 1)
    runs = tools.Runs()
    worker = make_worker(runs)
    for _ in range(3):
        worker.tick()
    assert set(Task.objects.values_list("status", flat=True)) == {"cancelled"}
    assert runs.started == []


def test_a_cancel_reaches_a_live_worker_without_any_hint(clock):
    (task,) = tools.hand_in(make_agent(), 1)
    runs = tools.Runs()
    worker = make_worker(runs)
    worker.tick()
    operations.cancel(tools.SYSTEM, [task])
    assert Task.objects.get(pk=task).status == "processing"
    for _ in range(2):
        worker.tick()
    assert Task.objects.get(pk=task).status == "cancelled"
    assert Attempt.objects.get(task=task).ended_at


def test_a_cancel_of_a_run_that_no_worker_can_ask_about_any_more_ends_by_an_operators_word(clock):
    """Its executor was taken out of the settings: nobody can say that the run has ended, so that a person has to."""
    (task,) = tools.hand_in(make_agent(), 1)
    (row,) = tools.claim()
    operations.cancel(tools.SYSTEM, [task])
    clock.forward(tools.LEASE + 1)
    Sweeper(tools.new_worker(), {}, {}, lease_seconds=tools.LEASE, age_seconds=0, max_pages=9).tick()
    assert Task.objects.get(pk=task).status == "processing"
    operations.declare_ended(tools.SYSTEM, [row.attempt_id], "the job was deleted")
    assert Task.objects.get(pk=task).status == "cancelled"
    assert Attempt.objects.get(pk=row.attempt_id).ended_at
    assert AuditEntry.objects.get(verb="declare_ended").reason == "the job was deleted"


class SlowToStop(tools.Runs):
    """Runs that are told to stop and go on until the test ends them."""

    def stop(self, runs) -> None:
        self.stopped += [run.attempt for run in runs]


def test_a_cancelled_task_that_is_retried_at_once_does_not_meet_its_old_run(clock):
    (task,) = tools.hand_in(make_agent(), 1)
    runs = SlowToStop(remote=True)
    worker = make_worker(runs)
    worker.tick()
    (first,) = Attempt.objects.filter(task=task)
    operations.cancel(tools.SYSTEM, [task])
    assert operations.retry(tools.SYSTEM, [task]).skipped == {task: "already being cancelled"}
    clock.forward(tools.LEASE + 1)
    for _ in range(3):
        worker.tick()
    assert Task.objects.get(pk=task).status == "cancelled", "its lease is over"
    assert runs.stopped and not Attempt.objects.get(pk=first.pk).ended_at
    assert operations.retry(tools.SYSTEM, [task]).done == [task]
    assert operations.retry(tools.SYSTEM, [task]).skipped == {task: "already queued"}, "a second person"
    for _ in range(3):
        worker.tick()
    assert len(runs.started) == 1
    runs.end(first.pk, code=Code.CANCELLED)
    for _ in range(3):
        worker.tick()
    assert [order.generation for order in runs.started] == [1, 2]


def test_a_worker_of_a_fresh_start_has_an_id_of_its_own():
    assert len({Worker({}, Habits()).id for _ in range(50)}) == 50


def test_a_worker_that_was_told_to_stop_claims_nothing_of_what_another_has_recovered(clock):
    (task,) = tools.hand_in(make_agent(), 1)
    runs = tools.Runs()
    draining, next_one = make_worker(runs), make_worker(slots=0)
    draining.stopping = True
    clock.forward(tools.LEASE + 1)
    draining.tick()
    assert (runs.started, Task.objects.get(pk=task).status) == ([], "enqueued")
    next_one.habits = Habits(slots=1)
    next_one._renew()
    next_one.tick()
    assert Task.objects.get(pk=task).lease_owner == next_one.id
