"""The worker as operators meet it: a process that is started, told to stop, woken, cut off, and that keeps its word."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection

from tasks import operations
from tasks.models import Attempt, Task
from tasks.models import Worker as WorkerRow
from tests.attempts import alive, below
from tests.commands import Place, wait_until
from tests.database import empty_tables
from tests.factories import database_now, make_agent, make_client, make_document
from tests.process_tools import begin_worker, django_at
from tests.standin.fleet import ACTOR, LEASE, Fleet

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def migrated(place: Place) -> Place:
    run = place.run("migrate", "--verbosity", "0")
    assert run.returncode == 0, run.stderr
    return place


@pytest.fixture
def workers(migrated: Place) -> Iterator[list]:
    """Processes that a test began; Django looks at the database that they work on."""
    begun: list = []
    with django_at(migrated):
        yield begun
        for process in begun:
            process.kill()
            process.wait()
        empty_tables()


def submit(program: str, count: int, **fields) -> list[int]:
    agent = make_agent(program=f"tests.attempt_programs:{program}", **fields)
    client = make_client()
    handed = [operations.Handed(make_document(client)) for _ in range(count)]
    extraction = operations.submit(ACTOR, client=client, agent=agent, documents=handed)
    return list(extraction.tasks.order_by("id").values_list("id", flat=True))


def statuses(tasks: list[int]) -> list[str]:
    return list(Task.objects.filter(pk__in=tasks).order_by("pk").values_list("status", flat=True))


def running(tasks: list[int]) -> int:
    return Attempt.objects.filter(task__in=tasks, status="running").count()


# Telling it to stop


@pytest.mark.slow
def test_sigterm_hands_long_tasks_back_within_ten_seconds_and_claims_nothing_more(migrated, workers):
    tasks = submit("waits", 3, max_concurrent_tasks=2)
    workers.append(process := begin_worker(migrated, "--slots", 2))
    wait_until(lambda: running(tasks) == 2, 20, "two attempts")
    told_at = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    assert time.monotonic() - told_at < 11
    attempts = Attempt.objects.filter(task__in=tasks)
    assert [attempt.status for attempt in attempts] == ["released", "released"]
    assert all(attempt.ended_at for attempt in attempts)
    assert statuses(tasks) == ["enqueued"] * 3
    for task in Task.objects.filter(pk__in=tasks[:2]):
        assert (task.attempts_burnt, task.attempts_released) == (0, 1)
    assert WorkerRow.objects.get(pid=process.pid, stopped_at__isnull=False).stopping_at


@pytest.mark.slow
def test_what_ends_within_the_grace_period_is_kept(migrated, workers):
    (task,) = submit("sleeps", 1)
    workers.append(process := begin_worker(migrated))
    wait_until(lambda: running([task]), 20, "an attempt")
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    assert statuses([task]) == ["completed"]


@pytest.mark.slow
def test_a_second_sigterm_stops_at_once_and_a_sweeper_recovers_the_rest(migrated, workers):
    (task,) = submit("waits", 1)
    workers.append(process := begin_worker(migrated, LEASE_SECONDS="2", POLL_SECONDS="0.3"))
    wait_until(lambda: running([task]), 20, "an attempt")
    children = below(process.pid)
    process.send_signal(signal.SIGTERM)
    wait_until(
        lambda: WorkerRow.objects.filter(pid=process.pid).exclude(stopping_at=None).exists(),
        5,
        "its first stop",
    )
    told_at = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert process.wait(5) == 128 + signal.SIGTERM
    assert time.monotonic() - told_at < 2
    wait_until(lambda: not any(alive(child) for child in children), 3, "the end of its children")
    workers.append(begin_worker(migrated, "--slots", 1, LEASE_SECONDS="2", POLL_SECONDS="0.3"))
    wait_until(lambda: Attempt.objects.get(task=task, number=1).status == "lost", 15, "the recovery")
    assert Task.objects.get(pk=task).attempts_burnt == 1


@pytest.mark.slow
def test_until_idle_ends_by_itself_when_everything_is_done(migrated, workers):
    tasks = submit("completes", 5)
    workers.append(process := begin_worker(migrated, "--until-idle"))
    assert process.wait(30) == 0
    assert statuses(tasks) == ["completed"] * 5


def test_leases_that_heartbeats_cannot_hold_are_refused(migrated):
    run = migrated.run("worker", "--until-idle", LEASE_SECONDS="30", HEARTBEAT_SECONDS="30")
    assert run.returncode != 0
    assert "HEARTBEAT_SECONDS" in run.stderr
    assert "LEASE_SECONDS" in run.stderr


# Clocks

FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
"""Gives a process another time of day than its machine has."""


@pytest.mark.slow
@pytest.mark.skipif(
    FAKETIME is None and "CI" not in os.environ,
    reason="libfaketime is not installed: apt-get install libfaketime",
)
@pytest.mark.parametrize("shift", ["+120", "-120"])
def test_a_worker_whose_clock_is_two_minutes_off_steals_nothing_and_keeps_what_it_has(
    migrated, workers, shift
):
    assert FAKETIME, "libfaketime is not installed"
    tasks, quick = submit("waits", 2), {"LEASE_SECONDS": "3", "POLL_SECONDS": "0.3"}
    other_time = {"LD_PRELOAD": str(FAKETIME), "FAKETIME": shift, "DONT_FAKE_MONOTONIC": "1"}
    workers.append(begin_worker(migrated, "--slots", 1, **quick))
    workers.append(begin_worker(migrated, "--slots", 1, **quick, **other_time))
    wait_until(lambda: running(tasks) == 2, 20, "two attempts")
    begun = Attempt.objects.order_by("-claimed_at")[0].claimed_at
    wait_until(lambda: database_now() - begun > timedelta(seconds=9), 20, "three leases")
    assert running(tasks) == Attempt.objects.filter(task__in=tasks).count() == 2
    rows = WorkerRow.objects.filter(pid__in=[process.pid for process in workers])
    assert all(abs((database_now() - row.heartbeat_at).total_seconds()) < 3 for row in rows)


# Hints and the connection


@pytest.mark.slow
def test_a_hint_wakes_an_idle_worker_and_without_hints_it_is_only_slower(migrated, workers):
    workers.append(begin_worker(migrated))
    wait_until(lambda: sessions("listen"), 10, "its listening")
    (warm,) = submit("completes", 1)  # the fork server starts with the first
    wait_until(lambda: statuses([warm]) == ["completed"], 20, "the first task")
    delays = [waited(submit("completes", 1)[0]) for _ in range(5)]
    assert sorted(delays)[2] < 0.4, delays
    for _ in range(3):
        cut("listen")
        assert waited(submit("completes", 1)[0]) < 4


def waited(task: int) -> float:
    """Seconds from a task's arrival to its claim, by the database's clock."""
    wait_until(lambda: statuses([task]) == ["completed"], 20, "a task")
    attempt = Attempt.objects.get(task=task)
    return (attempt.claimed_at - attempt.task.created_at).total_seconds()


def sessions(kind: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = %s",
            [f"agentaudit {kind}"],
        )
        return cursor.fetchone()[0]


def cut(kind: str = "") -> None:
    """End the sessions of this kind, or every session but our own."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND (%s = '' OR application_name = %s)",
            [kind, f"agentaudit {kind}"],
        )


@pytest.mark.slow
def test_sessions_that_are_ended_at_any_time_lose_nothing(migrated, workers):
    tasks = submit("completes", 40)
    workers.append(process := begin_worker(migrated, "--slots", 2, LEASE_SECONDS="10", POLL_SECONDS="0.5"))
    for _ in range(8):
        cut()
        before = statuses(tasks).count("completed")
        wait_until(
            lambda before=before: statuses(tasks).count("completed") > before or before == 40,
            30,
            "another task",
        )
    wait_until(lambda: set(statuses(tasks)) == {"completed"}, 60, "the end of all tasks")
    assert process.poll() is None
    won = Attempt.objects.filter(task__in=tasks, status="completed")
    assert sorted(won.values_list("task", flat=True)) == tasks
    assert not Attempt.objects.filter(task__in=tasks, ended_at=None).exists()


# In one process, with the clock moved


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    fleet = Fleet(tmp_path)
    yield fleet
    fleet.close()


def test_a_storage_that_fails_is_told_for_each_task_and_stops_no_worker(fleet, settings, tmp_path):
    from tasks.storage import get_storage

    (tmp_path / "storage").write_text("a file where the folder should be")
    settings.STORAGE_URL = f"file:{tmp_path / 'storage'}"
    get_storage.cache_clear()
    tasks = fleet.submit(fleet.agent("completes"), 2)
    worker = fleet.worker()
    fleet.until(
        lambda: Attempt.objects.filter(error_code="storage", ended_at__isnull=False).count() == 2, worker
    )
    assert fleet.cloud.runs() == []
    assert {Task.objects.get(pk=task).status for task in tasks} == {"enqueued"}
    (tmp_path / "storage").unlink()
    fleet.advance(60)
    fleet.until(lambda: {fleet.status(task) for task in tasks} == {"completed"}, worker)


def test_when_most_workers_fall_silent_at_once_the_sweep_waits_a_lease_for_them(fleet):
    tasks = fleet.submit(fleet.agent("waits"), 3)
    three = [fleet.worker(slots=1) for _ in range(3)]
    fleet.until(lambda: Attempt.objects.filter(status="running").count() == 3, *three)
    fleet.expire()
    other = fleet.worker()
    other.tick()
    assert other.held == {}
    other.sweeper._braked_since -= LEASE
    other.tick()
    assert {held.task for held in other.held.values()} == set(tasks)


def test_one_silent_worker_of_three_is_swept_at_once(fleet):
    (task,) = fleet.submit(fleet.agent("waits"))
    fleet.until(lambda: Attempt.objects.filter(status="running").exists(), fleet.worker())
    second, third = fleet.worker(), fleet.worker()
    fleet.expire()
    second._renew()
    third._renew()
    second.tick()
    assert [held.task for held in second.held.values()] == [task]


def test_a_worker_that_is_told_to_stop_claims_nothing_more(fleet):
    fleet.submit(fleet.agent("waits"), 2)
    worker = fleet.worker(slots=1)
    worker.tick()
    worker.stopping = True
    worker.habits = type(worker.habits)(slots=2)
    worker.tick()
    assert Attempt.objects.count() == 1


def test_a_worker_whose_lease_may_have_run_out_claims_nothing(fleet):
    fleet.submit(fleet.agent("waits"))
    worker = fleet.worker(heartbeat_seconds=1000.0)
    worker._beat.due()
    worker._lease_until = time.monotonic() + worker.habits.margin_seconds / 2
    worker.tick()
    assert not Attempt.objects.exists()


def test_a_worker_that_was_recorded_as_stopped_has_come_back_with_its_next_heartbeat(fleet):
    first, second = fleet.worker(), fleet.worker()
    fleet.advance(11 * LEASE)
    second.tick()
    assert WorkerRow.objects.get(pk=first.id).stopped_at
    first.tick()
    row = WorkerRow.objects.get(pk=first.id)
    assert row.stopped_at is None
    assert database_now() - row.heartbeat_at < timedelta(seconds=5)
