"""kill -9 of workers, attempts and the database at random moments: every document still ends right, and counts once."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

from agentaudit.postgres import postmaster
from agentaudit.postgres.embedded import Server
from tasks import operations
from tasks.models import Attempt, Extraction, Task
from tasks.storage import get_storage
from tests.attempts import alive, below
from tests.commands import SAMPLES, Place, wait_until
from tests.factories import make_agent, make_client, make_document
from tests.process_tools import (
    DATABASE,
    Forker,
    Wanted,
    begin_worker,
    copied_database,
    django_at,
    kill,
)
from tests.standin.fleet import ACTOR

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

DOCUMENTS, KILLS = 50, 10
READABLE = (
    "01-invoice-english",
    "02-rechnung-drei-seiten",
    "03-facture-francaise",
    "04-credit-note",
    "05-receipt",
)
AWAY_SECONDS = 20.0
QUICK = {"LEASE_SECONDS": "3", "POLL_SECONDS": "0.5"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """An installation with an embedded server of its own, which starts it by itself whenever it is gone."""
    folder = tmp_path_factory.mktemp("home")
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    place = Place(environment | {"AGENTAUDIT_HOME": str(folder), "STORAGE_URL": f"file:{folder / 'storage'}"})
    # Processes are killed, not the machine, so nothing has to reach the disk
    superuser = Server(folder).ensure_running() | {"user": "postgres"}
    with psycopg.connect(**superuser, autocommit=True) as db:
        db.execute("ALTER SYSTEM SET fsync = off")
        db.execute("SELECT pg_reload_conf()")
    run = place.run("migrate", "--verbosity", "0")
    assert run.returncode == 0, run.stderr
    yield place
    Server(folder).remove()


@pytest.fixture
def workers(home: Place, settings) -> Iterator[list[subprocess.Popen[str]]]:
    begun: list[subprocess.Popen[str]] = []
    settings.STORAGE_URL = home.environment["STORAGE_URL"]
    get_storage.cache_clear()
    with django_at(home):
        yield begun
        for process in begun:
            process.kill()
            process.wait()


def hand_in() -> Extraction:
    """Fifty small documents, all different, read for real (a little slower than they could be)."""
    agent = make_agent(program="tests.standin.programs:reads", max_attempts=100)
    client = make_client()
    handed = []
    for number in range(DOCUMENTS):
        content = (
            SAMPLES / f"{READABLE[number % len(READABLE)]}.pdf"
        ).read_bytes() + f"\n% {agent.pk} {number}\n".encode()
        name = f"{READABLE[number % len(READABLE)]}-{number}.pdf"
        document = make_document(client, name, sha256=hashlib.sha256(content).hexdigest())
        path = get_storage().path_for_attempt(document.storage_name)
        path.write_bytes(content)
        handed.append(operations.Handed(document))
    return operations.submit(ACTOR, client=client, agent=agent, documents=handed)


def patiently(question: Callable[[], Any]) -> Any:
    """The answer, asked again while the database is away."""
    from django.db import Error, connection

    deadline = time.monotonic() + 30
    while True:
        try:
            return question()
        except (Error, psycopg.Error):
            assert time.monotonic() < deadline, "the database stays away"
            connection.close()
            time.sleep(0.1)


def running(extraction: Extraction) -> int:
    return patiently(Attempt.objects.filter(task__extraction=extraction, status="running").count)


def random_moment(luck: random.Random, extraction: Extraction) -> None:
    """Some moment while attempts run."""
    wait_until(lambda: running(extraction), 40, "a running attempt")
    time.sleep(luck.uniform(0.0, 0.6))


def everything_ended_right(extraction: Extraction) -> None:
    def unfinished() -> int:
        return (
            Task.objects.filter(extraction=extraction, finished_at=None).count()
            + Attempt.objects.filter(task__extraction=extraction, ended_at=None).count()
        )

    wait_until(lambda: patiently(unfinished) == 0, 90, "the end of everything")
    tasks = list(Task.objects.filter(extraction=extraction).select_related("document"))
    assert len(tasks) == DOCUMENTS
    found: dict[str, set[str]] = {}
    for task in tasks:
        assert task.status == "completed", (task.error_code, task.error_message)
        attempts = list(Attempt.objects.filter(task=task))
        won = [attempt for attempt in attempts if attempt.status == "completed"]
        assert [attempt.pk for attempt in won] == [task.result_attempt]
        assert task.attempts_made == len(attempts)
        burnt = [attempt for attempt in attempts if attempt.status in ("failed", "lost", "timeout")]
        assert len(burnt) <= task.attempts_burnt <= len(burnt) + 1
        sample = task.document.original_name.rpartition("-")[0]
        fields = won[0].result["records"][0]["fields"]
        found.setdefault(sample, set()).add(str({name: field["value"] for name, field in fields.items()}))
    assert {sample: len(results) for sample, results in found.items()} == dict.fromkeys(READABLE, 1)


def test_workers_that_are_killed(home, workers):
    extraction, luck, delays = hand_in(), random.Random(1), []
    for _ in range(KILLS):
        workers.append(worker := begin_worker(home, "--slots", 3, **QUICK))
        random_moment(luck, extraction)
        children = below(worker.pid)
        worker.kill()
        killed_at = time.monotonic()
        wait_until(
            lambda gone=children: not any(alive(child) for child in gone), 5, "the end of its children"
        )
        delays.append(time.monotonic() - killed_at)
        worker.wait()
    workers.append(begin_worker(home, "--slots", 3, **QUICK))
    everything_ended_right(extraction)
    assert sorted(delays)[KILLS // 2] < 1.0, (
        delays
    )  # a busy machine may be slow to look, but not half of the time


def test_attempts_that_are_killed(home, workers):
    extraction, luck = hand_in(), random.Random(2)
    workers.append(worker := begin_worker(home, "--slots", 3, **QUICK))
    (server,) = wait_until(lambda: below(worker.pid), 10, "the fork server")
    for _ in range(KILLS):
        random_moment(luck, extraction)
        child = wait_until(lambda: sorted(below(server)), 20, "an attempt")
        os.kill(luck.choice(child), signal.SIGKILL)
    everything_ended_right(extraction)
    assert worker.poll() is None


def test_a_database_that_is_killed(home, workers):
    extraction, luck = hand_in(), random.Random(3)
    workers.append(worker := begin_worker(home, "--slots", 3, **QUICK))
    server = Server(home.home)
    for _ in range(KILLS):
        random_moment(luck, extraction)
        os.kill(wait_until(lambda: server.status().pid, 30, "the server"), signal.SIGKILL)
    everything_ended_right(extraction)
    assert worker.poll() is None


def test_a_database_that_is_gone_for_twenty_seconds_costs_time_and_nothing_else(home, workers):
    """With leases that last longer, no attempt is even repeated: results wait until they can be settled."""
    extraction = hand_in()
    parameters = Server(home.home).ensure_running()
    url = "postgres://{user}:{password}@/{dbname}?host={host}&port={port}".format(
        **{name: quote(str(value), safe="") for name, value in parameters.items()}
    )
    workers.append(worker := begin_worker(home, "--slots", 2, DATABASE_URL=url))
    wait_until(lambda: running(extraction), 20, "a running attempt")
    server = Server(home.home)
    assert postmaster.stop(server.home, server.status().socket_folder)
    gone_at = time.monotonic()
    wait_until(lambda: time.monotonic() - gone_at > AWAY_SECONDS, AWAY_SECONDS + 5)
    assert worker.poll() is None
    server.ensure_running()
    everything_ended_right(extraction)
    assert set(Task.objects.filter(extraction=extraction).values_list("attempts_made", flat=True)) == {1}


def test_a_server_that_only_reads_since_a_failover_is_left_for_one_that_writes(home, workers):
    """Sessions that are open live on there and refuse every change, for ever; only new ones find where changes are taken."""
    extraction = hand_in()
    workers.append(worker := begin_worker(home, "--slots", 3, **QUICK))
    wait_until(lambda: running(extraction), 20, "a running attempt")
    superuser = Server(home.home).ensure_running() | {"user": "postgres"}
    with psycopg.connect(**superuser, autocommit=True) as db:
        db.execute(f"ALTER DATABASE {DATABASE} SET default_transaction_read_only = off")
        db.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        db.execute("SELECT pg_reload_conf()")
        try:
            everything_ended_right(extraction)
        finally:
            db.execute("ALTER SYSTEM RESET default_transaction_read_only")
            db.execute("SELECT pg_reload_conf()")
    assert worker.poll() is None


def test_where_no_connection_is_left_a_newcomer_says_so_and_everything_goes_on_by_itself_afterwards(
    home, workers
):
    extraction = hand_in()
    workers.append(worker := begin_worker(home, "--slots", 3, **QUICK))
    wait_until(lambda: running(extraction), 20, "a running attempt")
    superuser = Server(home.home).ensure_running() | {"user": "postgres"}
    with psycopg.connect(**superuser, autocommit=True) as db:
        db.execute(f"ALTER DATABASE {DATABASE} CONNECTION LIMIT 0")
        try:
            db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename <> 'postgres'")
            newcomer = home.run("worker", "--until-idle", **QUICK)
            assert newcomer.returncode != 0 and "too many connections" in newcomer.stderr
            assert "Traceback" not in newcomer.stderr
        finally:
            db.execute(f"ALTER DATABASE {DATABASE} CONNECTION LIMIT -1")
    everything_ended_right(extraction)
    assert worker.poll() is None


# A worker that is suspended, in a database of the ordinary server


def test_a_suspended_worker_loses_its_task_and_overwrites_nothing(tmp_path: Path, django_db_setup):
    """LEASE-633: its children are dead before another worker runs the task again, and what it says afterwards changes nothing."""
    from django.db import connection

    ledger = tmp_path / "ledger"
    template = connection.settings_dict["NAME"]
    connection.close()
    forker = Forker()
    try:
        with copied_database(template, f"{template}_suspended") as db:
            connection.settings_dict["NAME"] = db.info.dbname
            agent = make_agent(
                program="tests.standin.programs:completes",
                options={"first_seconds": 60.0, "seconds": 1.0, "ledger": str(ledger)},
            )
            handed = [operations.Handed(make_document(client := make_client()))]
            operations.submit(ACTOR, client=client, agent=agent, documents=handed)
            suspended = forker.begin(Wanted(db.info.dbname, tmp_path, lease=6.0, local=True))
            wait_until(lambda: Attempt.objects.filter(status="running").exists(), 20, "the first attempt")
            children = below(suspended)
            (child,) = {pid for pid in children if below(pid) == set()}
            os.kill(suspended, signal.SIGSTOP)
            forker.begin(Wanted(db.info.dbname, tmp_path, lease=6.0, local=True))
            wait_until(lambda: Attempt.objects.count() == 2, 20, "the second attempt")
            assert not alive(child)
            os.kill(suspended, signal.SIGCONT)
            wait_until(lambda: Task.objects.get().finished_at, 20, "the end")
            kill(suspended)
            first, second = Attempt.objects.order_by("number")
            task = Task.objects.get()
            assert (first.status, second.status) == ("lost", "completed")
            assert (task.status, task.result_attempt, task.attempts_burnt) == ("completed", second.pk, 1)
            moments = {str(first.pk): [], str(second.pk): []}
            for line in ledger.read_text().splitlines():
                moments[line.split()[0]].append(float(line.split()[2]))
            assert max(moments[str(first.pk)]) < min(moments[str(second.pk)])
            connection.close()
    finally:
        forker.close()
        connection.close()
        connection.settings_dict["NAME"] = template
