"""Several processes at the same rows: each task once, no deadlock that anybody sees, and no harm when the answer to COMMIT is lost."""

from __future__ import annotations

import random
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
import pytest
from django.db import connection

from tasks import events, operations, queue
from tasks.agent.contract import Usage
from tasks.models import Agent, Attempt, Task
from tasks.outcomes import Word
from tasks.sweeper import Sweeper
from tests import queue_tools as tools
from tests.attempts import wait_for
from tests.database import superuser
from tests.factories import make_agent, make_client

pytestmark = pytest.mark.django_db(transaction=True)

USAGE = Usage(calls=1, model="m", input_tokens=100, output_tokens=10, cost_usd="0.25")


def test_eight_workers_on_two_connections_each_take_every_task_exactly_once():
    """One connection claims while the other settles, as a worker's replicas do; some agents have limits, one has turns."""
    agents = [
        make_agent(),
        make_agent(max_concurrent_tasks=7),
        make_agent(is_fair=True),
        make_agent(max_tpm=50),
    ]
    clients = [make_client(), make_client(tier="premium")]
    tasks = [task for agent in agents for client in clients for task in tools.hand_in(agent, 40, client)]
    Agent.objects.filter(pk=agents[3].pk).update(max_tpm=1_000_000)
    workers = [tools.new_worker() for _ in range(8)]
    taken: list[list[int]] = [[] for _ in workers]
    stop = threading.Event()

    def work(number: int) -> None:
        luck = random.Random(number)
        with tools.session() as claiming, tools.session() as settling:
            while not stop.is_set():
                rows = tools.claim(luck.randint(1, 5), worker=workers[number], db=claiming)
                taken[number] += [row.task_id for row in rows]
                events.apply(settling, [tools.completed(row.attempt_id) for row in rows])
                if sum(map(len, taken)) >= len(tasks):
                    stop.set()

    tools.together(*(lambda number=number: work(number) for number in range(len(workers))))
    claimed = Counter(task for of_one in taken for task in of_one)
    assert claimed == Counter(tasks)
    assert set(Task.objects.values_list("status", "attempts_made")) == {("completed", 1)}
    assert tools.violations(queue.connection()) == []


# Deadlocks


def deadlocks() -> int:
    with tools.session() as db:
        db.execute("SELECT pg_stat_clear_snapshot()")
        return db.execute(
            "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        ).fetchone()[0]


def test_a_bulk_cancel_while_eight_workers_finish_and_a_sweeper_sweeps_meets_no_deadlock():
    agent = make_agent(max_attempts=9)
    tasks = tools.hand_in(agent, 500)
    attempts = [row.attempt_id for row in tools.claim(500, look_ahead=500)]
    assert len(attempts) == 500
    half = set(attempts[::2])
    queue.connection().execute(
        "UPDATE tasks SET lease_expires_at = agentaudit_now() - interval '1 second' WHERE id % 5 = 0"
    )
    before = deadlocks()

    def finish(number: int) -> None:
        luck, mine = random.Random(number), list(attempts)
        luck.shuffle(mine)
        with tools.session() as db:
            for start in range(0, len(mine), 25):
                batch = mine[start : start + 25]
                events.apply(db, [tools.completed(a) if a in half else tools.failed(a) for a in batch])

    def django(action) -> None:
        try:
            action()
        finally:
            connection.close()

    def cancel() -> None:
        luck, mine = random.Random(99), list(tasks)
        for _ in range(3):
            luck.shuffle(mine)
            operations.cancel(tools.SYSTEM, mine)

    def sweep() -> None:
        one = Sweeper(
            tools.new_worker(),
            {"local": tools.Runs()},
            {},
            lease_seconds=tools.LEASE,
            age_seconds=0,
            max_pages=9,
        )
        for _ in range(5):
            one.tick()

    tools.together(
        *(lambda number=number: finish(number) for number in range(8)),
        lambda: django(cancel),
        lambda: django(sweep),
    )
    assert deadlocks() == before
    assert tools.violations(queue.connection()) == []
    assert not Attempt.objects.filter(ended_at=None).exists()


def test_a_deadlock_that_the_database_ends_is_tried_again_with_the_same_result():
    first, second = tools.hand_in(make_agent(), 2)
    gate, tries = threading.Barrier(2), Counter()

    def change(name: str, one: int, other: int) -> None:
        with tools.session() as db:

            def both() -> None:
                tries[name] += 1
                with db.transaction():
                    db.execute("UPDATE tasks SET priority = priority + 1 WHERE id = %s", (one,))
                    if tries[name] == 1:
                        gate.wait(20)
                    db.execute("UPDATE tasks SET priority = priority + 1 WHERE id = %s", (other,))

            queue.retried(both)

    tools.together(lambda: change("a", first, second), lambda: change("b", second, first))
    assert sum(tries.values()) > 2, "one of them was tried again"
    assert list(Task.objects.values_list("priority", flat=True)) == [12, 12]


def test_a_settlement_that_a_deadlock_has_ended_is_written_all_the_same_and_once():
    """Another session changes the same tasks in the other order, and the database ends the settlement of the two."""
    tasks = tools.hand_in(make_agent(), 2)
    first, second = (row.attempt_id for row in tools.claim(2))
    before, locked = deadlocks(), threading.Event()

    def settle() -> None:
        with tools.session() as db:
            assert locked.wait(20)
            news = [tools.completed(first, usage=USAGE), tools.failed(second, usage=USAGE)]
            assert events.apply(db, news) == {first: Word.APPLIED, second: Word.APPLIED}

    def rival() -> None:
        change = "UPDATE tasks SET priority = 30 WHERE id = %s"
        with superuser() as db, db.transaction():
            db.execute("SET LOCAL deadlock_timeout = '60s'")  # so that it is not this one that is ended
            db.execute(change, (tasks[1],))
            locked.set()
            with tools.session() as other:
                waiting = "SELECT count(*) FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))"
                wait_for(lambda: other.execute(waiting, (db.info.backend_pid,)).fetchone()[0])
            db.execute(change, (tasks[0],))

    tools.together(settle, rival)
    assert deadlocks() > before, "one at least: those of sessions before may be counted late"
    assert list(Task.objects.order_by("id").values_list("status", "priority", "attempts_burnt")) == [
        ("completed", 30, 0), ("enqueued", 30, 1),
    ]  # fmt: skip
    assert [float(attempt.cost_usd) for attempt in Attempt.objects.all()] == [0.25, 0.25]
    assert tools.violations(queue.connection()) == []


# The answer to COMMIT is lost


class Proxy:
    """Between one client and the database: it passes the COMMIT on, waits until it is done, and cuts the line before the answer."""

    def __init__(self, host: str, port: int) -> None:
        self._upstream = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.armed, self.cut = threading.Event(), threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            client, _address = self._listener.accept()
            server = self._connect()
            threading.Thread(target=self._answers, args=(server, client), daemon=True).start()
            while data := client.recv(65536):
                if self.armed.is_set() and b"COMMIT" in data:
                    self.cut.set()
                server.sendall(data)

    def _connect(self) -> socket.socket:
        host, port = self._upstream
        if not host.startswith("/"):
            return socket.create_connection((host, port))
        upstream = socket.socket(socket.AF_UNIX)
        upstream.connect(f"{host}/.s.PGSQL.{port}")
        return upstream

    def _answers(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(65536):
                if self.cut.is_set():
                    if (
                        b"COMMIT\x00" in data
                    ):  # the server says that it has committed, and nobody will hear it
                        break
                    continue
                client.sendall(data)
        for end in (client, server):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextmanager
def cut_at_commit() -> Iterator[psycopg.Connection]:
    """A session whose next COMMIT is done and never answered."""
    parameters = {**connection.get_connection_params()}
    for ours_alone in ("cursor_factory", "context"):
        parameters.pop(ours_alone, None)
    proxy = Proxy(connection.connection.info.host, connection.connection.info.port)
    parameters |= {"host": "127.0.0.1", "port": proxy.port, "sslmode": "disable", "gssencmode": "disable"}
    raw = psycopg.connect(**parameters, autocommit=True)
    try:
        proxy.armed.set()
        yield raw
        assert proxy.cut.is_set(), "nothing was committed"
    finally:
        raw.close()


def one_attempt() -> tuple[int, object]:
    (task,) = tools.hand_in(make_agent(max_attempts=3), 1)
    (row,) = tools.claim()
    return task, row.attempt_id


@pytest.mark.parametrize("good", [True, False])
def test_a_settlement_whose_commit_was_not_answered_is_told_again_and_counts_once(good):
    task, attempt = one_attempt()
    news = tools.completed(attempt, usage=USAGE) if good else tools.failed(attempt, usage=USAGE)
    with cut_at_commit() as db, pytest.raises(psycopg.OperationalError):
        events.apply(db, [news])
    assert events.apply(queue.connection(), [news]) == {attempt: Word.DUPLICATE}
    after, only = Task.objects.get(pk=task), Attempt.objects.get(task=task)
    assert after.status == ("completed" if good else "enqueued")
    assert (after.attempts_made, after.attempts_burnt) == (1, 0 if good else 1)
    assert (float(only.cost_usd), only.input_tokens) == (0.25, 100)
    assert tools.violations(queue.connection()) == []


def test_a_claim_whose_commit_was_not_answered_gives_its_task_to_nobody_else_and_loses_it_for_a_lease_at_most():
    (task,) = tools.hand_in(make_agent(max_attempts=3), 1)
    worker = tools.new_worker()
    with cut_at_commit() as db, pytest.raises(psycopg.OperationalError):
        tools.claim(worker=worker, db=db)
    assert tools.claim(worker=worker) == []
    assert Task.objects.get(pk=task).lease_owner == worker
    clock = tools.Clock(queue.connection())
    clock.forward(tools.LEASE + 1)
    Sweeper(
        tools.new_worker(), {"local": tools.Runs()}, {}, lease_seconds=tools.LEASE, age_seconds=0, max_pages=9
    ).tick()
    clock.forward(30)
    queue.promote_due(queue.connection())
    (row,) = tools.claim()
    events.apply(queue.connection(), [tools.completed(row.attempt_id)])
    clock.end()
    done = Task.objects.get(pk=task)
    assert (done.status, done.attempts_made, done.attempts_burnt) == ("completed", 2, 1)
    assert sorted(Attempt.objects.values_list("number", "status")) == [(1, "lost"), (2, "completed")]


def test_a_renewal_whose_answer_was_lost_only_lasts_longer():
    task, attempt = one_attempt()
    holder = Task.objects.get(pk=task).lease_owner
    before = Task.objects.get(pk=task).lease_expires_at
    with cut_at_commit() as db, pytest.raises(psycopg.OperationalError), db.transaction():
        queue.renew(db, holder, [(task, attempt)], tools.LEASE)
    assert Task.objects.get(pk=task).lease_expires_at > before
    assert [
        row.attempt_id for row in queue.renew(queue.connection(), holder, [(task, attempt)], tools.LEASE)
    ] == [attempt]
