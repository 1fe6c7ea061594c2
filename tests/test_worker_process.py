"""The worker as operators meet it: a process that is started, told to stop, woken, cut off, and that keeps its word."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import signal
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.db import connection
from psycopg import sql

from tasks import operations
from tasks.models import Agent, Attempt, Document, Task
from tasks.models import Worker as WorkerRow
from tasks.storage import get_storage
from tests.attempts import alive, below
from tests.commands import SAMPLES, Place, wait_until
from tests.database import empty_tables, superuser
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
def workers(migrated: Place, settings) -> Iterator[list]:
    """Processes that a test began; Django looks at the database that they work on."""
    begun: list = []
    settings.STORAGE_URL = migrated.environment["STORAGE_URL"]
    get_storage.cache_clear()
    with django_at(migrated):
        yield begun
        for process in begun:
            process.kill()
            process.wait()
        empty_tables()


def submit(program: str, count: int, **fields) -> list[int]:
    agent = make_agent(program=f"tests.attempt_programs:{program}", **fields)
    return hand_in(agent, *(uuid4().bytes for _ in range(count)))


def hand_in(agent: Agent, *contents: bytes) -> list[int]:
    client, handed = make_client(), []
    for content in contents:
        document = make_document(client, sha256=hashlib.sha256(content).hexdigest())
        get_storage().put(document.storage_name, io.BytesIO(content))
        handed.append(operations.Handed(document))
    extraction = operations.submit(ACTOR, client=client, agent=agent, documents=handed)
    return list(extraction.tasks.order_by("id").values_list("id", flat=True))


def statuses(tasks: list[int]) -> list[str]:
    return list(Task.objects.filter(pk__in=tasks).order_by("pk").values_list("status", flat=True))


def running(tasks: list[int]) -> int:
    return Attempt.objects.filter(task__in=tasks, status="running").count()


# Telling it to stop


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["SIGTERM", "closed terminal"])
def test_who_is_told_to_stop_hands_long_tasks_back_within_ten_seconds_and_claims_nothing_more(
    migrated, workers, number
):
    tasks = submit("waits", 3, max_concurrent_tasks=2)
    workers.append(process := begin_worker(migrated, "--slots", 2))
    wait_until(lambda: running(tasks) == 2, 20, "two attempts")
    told_at = time.monotonic()
    process.send_signal(number)
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


def test_where_few_connections_are_left_a_worker_says_so_and_works(migrated, workers):
    tasks = submit("completes", 1)
    limit = sql.SQL("ALTER DATABASE {} CONNECTION LIMIT {}")
    name = sql.Identifier(connection.settings_dict["NAME"])
    with superuser("postgres") as server:
        server.execute(limit.format(name, sql.Literal(3)))
        try:
            run = migrated.run("worker", "--until-idle")
        finally:
            server.execute(limit.format(name, sql.Literal(-1)))
    assert run.returncode == 0 and statuses(tasks) == ["completed"]
    assert "more connections are free for this role" in run.stderr and "max_connections" in run.stderr
    assert "connections are free" not in migrated.run("worker", "--until-idle").stderr


# The storage


def test_a_worker_that_looks_into_another_storage_touches_nothing_and_says_what_to_do(
    migrated, workers, tmp_path
):
    tasks = submit("completes", 2)
    run = migrated.run("worker", "--until-idle", STORAGE_URL=f"file:{tmp_path / 'of another machine'}")
    assert run.returncode == 1
    assert (
        "of another machine holds none of the last documents" in run.stderr
        and "set STORAGE_URL" in run.stderr
    )
    assert statuses(tasks) == ["enqueued"] * 2 and not Attempt.objects.exists()


def test_a_worker_whose_storage_takes_no_files_starts_nothing_that_would_only_fail(migrated, workers):
    """As on a mount that was made read-only: each task had failed for good within seconds."""
    tasks = submit("completes", 2)
    attempts = Path(migrated.environment["STORAGE_URL"].removeprefix("file:")) / "attempts"
    shutil.rmtree(attempts, ignore_errors=True)  # that of the tests before
    attempts.write_text("in the way")
    try:
        run = migrated.run("worker", "--until-idle")
        assert run.returncode == 1 and "cannot be stored" in run.stderr
        assert statuses(tasks) == ["enqueued"] * 2 and not Attempt.objects.exists()
    finally:
        attempts.unlink()


@pytest.mark.slow
def test_on_a_new_installation_a_worker_with_another_storage_learns_it_from_the_first_document(
    migrated, workers, tmp_path
):
    elsewhere = f"file:{tmp_path / 'of another machine'}"
    workers.append(begin_worker(migrated, STORAGE_URL=elsewhere, POLL_SECONDS="0.3"))
    log = migrated.home / "worker.log"
    before = log.read_text().count("Nothing is claimed")
    (task,) = submit("completes", 1)
    wait_until(lambda: log.read_text().count("Nothing is claimed") > before, 20, "its word")
    workers.append(begin_worker(migrated))
    wait_until(lambda: statuses([task]) == ["completed"], 20, "a worker that has the storage")
    assert Attempt.objects.count() == 1


@pytest.mark.slow
def test_a_storage_that_disappears_costs_no_document_an_attempt_and_is_found_again_when_it_is_back(
    migrated, workers
):
    """As when a mount is lost: below it is an empty folder."""
    mounted = Path(migrated.environment["STORAGE_URL"].removeprefix("file:"))
    away, below_it = mounted.with_name("away"), mounted.with_name("below")
    workers.append(begin_worker(migrated, "--slots", 2, POLL_SECONDS="0.3"))
    agent = make_agent(program="rules", max_attempts=1)
    samples = [path.read_bytes() for path in sorted(SAMPLES.glob("0[1-4]*.pdf"))]
    first = hand_in(agent, samples[0])
    wait_until(lambda: statuses(first) == ["completed"], 30, "the first document")
    operations.pause(ACTOR, None)
    tasks = hand_in(agent, *samples[1:])
    mounted.rename(away)
    operations.resume(ACTOR, None)
    unread = Attempt.objects.filter(
        task__in=tasks, status="released", error_code="storage", ended_at__isnull=False
    )
    wait_until(unread.exists, 20, "documents that are not there")
    assert "set STORAGE_URL" in unread[0].error_message
    assert statuses(tasks) == ["enqueued"] * 3 and unread.count() <= 2
    if mounted.exists():
        mounted.rename(below_it)
    away.rename(mounted)
    wait_until(lambda: statuses(tasks) == ["completed"] * 3, 30, "all documents")
    assert set(Task.objects.values_list("attempts_burnt", flat=True)) == {0}


# Clocks

FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
"""Gives a process another time of day than its machine has."""
SLEEPS = "import select, time\n\ntime.sleep = lambda seconds: select.select((), (), (), seconds)\n"
"""With the other time libfaketime 0.9.10 refuses to sleep until a moment, which is how Python sleeps; for so long is no moment."""


@pytest.mark.slow
@pytest.mark.skipif(
    FAKETIME is None and "CI" not in os.environ,
    reason="libfaketime is not installed: apt-get install libfaketime",
)
@pytest.mark.parametrize("shift", ["+120", "-120"])
def test_a_worker_whose_clock_is_two_minutes_off_steals_nothing_and_keeps_what_it_has(
    migrated, workers, shift, tmp_path
):
    assert FAKETIME, "libfaketime is not installed"
    tasks, quick = submit("waits", 2), {"LEASE_SECONDS": "3", "POLL_SECONDS": "0.3"}
    (tmp_path / "sitecustomize.py").write_text(SLEEPS)
    other_time = {
        "LD_PRELOAD": str(FAKETIME), "FAKETIME": shift, "DONT_FAKE_MONOTONIC": "1", "PYTHONPATH": str(tmp_path)
    }  # fmt: skip
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


def test_a_storage_that_fails_is_told_for_each_task_costs_it_no_attempt_and_is_looked_at_again(
    fleet, settings, tmp_path
):
    (tmp_path / "storage").write_text("a file where the folder should be")
    settings.STORAGE_URL = f"file:{tmp_path / 'storage'}"
    get_storage.cache_clear()
    tasks = fleet.submit(fleet.agent("completes"), 2)
    worker = fleet.worker()
    fleet.until(
        lambda: Attempt.objects.filter(error_code="storage", ended_at__isnull=False).count() == 2, worker
    )
    assert fleet.cloud.runs() == []
    assert statuses(tasks) == ["enqueued"] * 2 and worker.storage.trouble
    assert set(Task.objects.values_list("attempts_burnt", "attempts_released")) == {(0, 0)}
    (tmp_path / "storage").unlink()
    get_storage().put(Document.objects.all()[0].storage_name, io.BytesIO(b"x"))
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


def test_a_worker_that_sweeps_plans_its_statements_anew(fleet):
    fleet.worker().tick()
    asked = "SELECT count(*) FROM pg_prepared_statements WHERE statement = 'DISCARD PLANS'"
    assert connection.connection.execute(asked).fetchone() == (1,)


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
