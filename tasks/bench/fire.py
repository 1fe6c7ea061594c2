"""Claims under fire: many claimer processes that are killed at random, an operator who changes everything, a sweeper, and a log of it all.

The database's clock runs many times faster here, so that a provider's minute passes in half a second and its limits are met all the time.
Triggers of this bench write the log that `tasks.bench.recount` is made from.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import psycopg
from django.db import connection, transaction
from psycopg.rows import namedtuple_row

from tasks import claims, events, operations, queue
from tasks.agent.contract import Code, Completed, Failed, Result, Usage
from tasks.audit import Actor
from tasks.events import News
from tasks.models import Agent, AgentVersion, Attempt, Client, Document, Extraction, Pool, Task
from tasks.outcomes import Answer
from tasks.states import AttemptStatus, Priority

AGENTS, POOLS, CLIENTS = 10, 3, 6
CLAIMERS = 32
SPEED = 120
"""Seconds of the database's clock per second."""
LEASE = 240.0
BACKLOG, FEED = 6_000, 4_000
KILL_EVERY = (0.1, 0.5)
LEVELS = [int(level) for level in Priority]
OPERATOR = Actor("fire")
RESULT = Result(kind="invoice", pages=1, confidence=0.9, needs_review=False)
fork = multiprocessing.get_context("fork")

LOG = """
CREATE TABLE fire_log (
  seq bigint GENERATED ALWAYS AS IDENTITY, kind text, attempt uuid, agent bigint, pool bigint, transaction bigint, snapshot text,
  at timestamptz, began timestamptz, held_until timestamptz, tpm float8, output_tpm float8, rpm float8,
  max_concurrent_tasks int, max_tpm int, max_output_tpm int, max_requests_per_minute int, is_paused boolean, cooldown_until timestamptz);
CREATE TABLE fire_waits (what text, seconds float8);
CREATE FUNCTION fire_claim() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO fire_log (kind, attempt, agent, pool, snapshot, at, tpm, output_tpm, rpm)
  VALUES ('claim', NEW.id, NEW.agent_id, NEW.pool_id, pg_current_snapshot()::text, NEW.claimed_at, NEW.reserved_tpm, NEW.reserved_output_tpm,
    NEW.reserved_rpm);
  RETURN NULL; END $$;
CREATE FUNCTION fire_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO fire_log (kind, attempt, transaction, at, began, held_until)
  VALUES ('end', NEW.id, pg_current_xact_id()::text::bigint, NEW.ended_at, coalesce(NEW.started_at, NEW.claimed_at), NEW.rate_held_until);
  RETURN NULL; END $$;
CREATE FUNCTION fire_limits() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO fire_log (kind, agent, pool, max_concurrent_tasks, max_tpm, max_output_tpm, max_requests_per_minute, is_paused, cooldown_until)
  VALUES (TG_ARGV[0], CASE TG_ARGV[0] WHEN 'agent' THEN NEW.id END, CASE TG_ARGV[0] WHEN 'pool' THEN NEW.id END, NEW.max_concurrent_tasks,
    NEW.max_tpm, NEW.max_output_tpm, NEW.max_requests_per_minute, coalesce((to_jsonb(NEW) ->> 'is_paused')::boolean, false), NEW.cooldown_until);
  RETURN NULL; END $$;
CREATE TRIGGER fire_claim AFTER INSERT ON task_attempts FOR EACH ROW EXECUTE FUNCTION fire_claim();
CREATE TRIGGER fire_end AFTER UPDATE ON task_attempts FOR EACH ROW
  WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION fire_end();
CREATE TRIGGER fire_limits AFTER INSERT OR UPDATE ON agents FOR EACH ROW EXECUTE FUNCTION fire_limits('agent');
CREATE TRIGGER fire_limits AFTER INSERT OR UPDATE ON pools FOR EACH ROW EXECUTE FUNCTION fire_limits('pool');
"""
UNLOG = """
DROP TRIGGER fire_claim ON task_attempts; DROP TRIGGER fire_end ON task_attempts;
DROP TRIGGER fire_limits ON agents; DROP TRIGGER fire_limits ON pools;
DROP FUNCTION fire_claim(); DROP FUNCTION fire_end(); DROP FUNCTION fire_limits(); DROP TABLE fire_log; DROP TABLE fire_waits;
"""
FAST_CLOCK = """
CREATE OR REPLACE FUNCTION agentaudit_now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT timestamptz '{base}' + (clock_timestamp() - timestamptz '{base}') * {speed}
$$
"""
FEEDING = """
INSERT INTO tasks (extraction_id, document_id, client_id, agent_id, agent_version_id, priority, start_key, created_at, enqueued_at, available_at,
  estimated_tokens, estimated_output_tokens, estimated_requests, estimated_seconds)
SELECT e.id, d.id, e.client_id, e.agent_id, a.current_version_id, (array[0, 10, 20, 30])[1 + floor(random() * 4)::int],
  (extract(epoch FROM now) * 1000000)::bigint + i, now, now, now,
  greatest(1, exp(random() * 8)::int * 10), greatest(1, exp(random() * 5)::int * 10), 1 + floor(random() * 20)::int, 1 + random() * 180
FROM generate_series(1, %(count)s) i
CROSS JOIN (SELECT agentaudit_now() AS now) clock
JOIN (SELECT *, row_number() OVER (ORDER BY id) AS place FROM extractions) e ON e.place = 1 + i %% %(extractions)s
JOIN agents a ON a.id = e.agent_id
JOIN documents d ON d.client_id = e.client_id
"""


@dataclass(slots=True)
class Burnt:
    """What happened: rows of the log; how many claimers were killed, and how many processes ended by an error of their own."""

    log: list[Any]
    kills: int
    crashed: int
    seconds: float
    operations: int
    longest_wait_s: float


def burn(
    seconds: float, most_claims: int, say: Callable[[str], None], *, claimers: int = CLAIMERS, seed: int = 7
) -> Burnt:
    """Run the fire until so many claims are made or the time is over. The database holds nothing but its first agent before."""
    rng = random.Random(seed)  # noqa: S311 - a seeded run
    clock = _lay(rng)
    try:
        kills, crashed, took = _run(seconds, most_claims, say, claimers, rng)
        return _told(kills, crashed, took)
    finally:
        queue.connection().execute(UNLOG.encode())
        queue.connection().execute(clock.encode())


def _run(
    seconds: float, most_claims: int, say: Callable[[str], None], claimers: int, rng: random.Random
) -> tuple[int, int, float]:
    """(claimers killed, processes that ended by an error, seconds)."""
    stop = fork.Event()
    connection.close()  # a connection is not to be shared with the children
    others = [_start(work, stop, rng) for work in (_operate, _sweep)]
    hands = [_start(_claim, stop, rng) for _ in range(claimers)]
    begun, kills, crashed, told = time.monotonic(), 0, 0, 0.0
    try:
        while time.monotonic() - begun < seconds:
            time.sleep(rng.uniform(*KILL_EVERY))
            place = rng.randrange(claimers)
            crashed += not _kill(hands[place])
            kills += 1
            hands[place] = _start(_claim, stop, rng)
            _feed()
            if time.monotonic() - told > 5:
                told, made = time.monotonic(), _made()
                say(f"admission: {made:,} claims, {kills} claimers killed")
                if made >= most_claims:
                    break
            connection.close()
    finally:
        stop.set()
        for process in (*hands, *others):
            process.join(15)
            crashed += process.exitcode != 0
            if process.is_alive():
                _kill(process)
    return kills, crashed, time.monotonic() - begun


def _told(kills: int, crashed: int, seconds: float) -> Burnt:
    db = queue.connection()
    log = (
        psycopg.Cursor(db, row_factory=namedtuple_row)
        .execute("SELECT * FROM fire_log ORDER BY seq")
        .fetchall()
    )
    operations_made, longest = db.execute(
        "SELECT count(*), coalesce(max(seconds), 0) FROM fire_waits"
    ).fetchone() or (0, 0.0)
    return Burnt(log, kills, crashed, seconds, operations_made, longest)


def _start(work: Callable[..., None], stop: Any, rng: random.Random) -> Any:
    process = fork.Process(
        target=_in_child, args=(work, os.getpid(), stop, rng.randrange(1 << 30)), daemon=True
    )
    process.start()
    return process


def _in_child(work: Callable[..., None], parent: int, stop: Any, seed: int) -> None:
    """Work until told to stop, or until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work(random.Random(seed), lambda: stop.is_set() or os.getppid() != parent)  # noqa: S311


def _kill(process: Any) -> bool:
    """Kill it; whether it was alive until then."""
    alive = process.is_alive()
    process.kill()
    process.join()
    return alive


# Laying the fire


def _lay(rng: random.Random) -> str:
    """Agents on pools with mixed limits, clients, a backlog, a fast clock and the log. Returns the statement that brings back the clock."""
    db = queue.connection()
    (clock,) = db.execute("SELECT pg_get_functiondef('agentaudit_now'::regproc)").fetchone() or ("",)
    with transaction.atomic():
        base = db.execute("SELECT clock_timestamp()").fetchone()[0]  # type: ignore[index]
        db.execute(FAST_CLOCK.format(base=base, speed=SPEED).encode())
        db.execute(LOG.encode())
        pools = [Pool.objects.create(name=f"account {number}", **_limits(rng, 4)) for number in range(POOLS)]
        clients = [Client.objects.create(name=f"client {number}") for number in range(CLIENTS)]
        for client in clients:
            Document.objects.create(
                client=client,
                sha256=f"{client.pk:064}",
                size_bytes=1,
                original_name="a.pdf",
                storage_name=f"d/{client.pk}",
            )
        for number in range(AGENTS):
            pool = pools[number % POOLS] if number % 4 else None
            agent = Agent.objects.create(name=f"fire-{number}", pool=pool, max_attempts=5, **_limits(rng, 1))
            agent.current_version = AgentVersion.objects.create(agent=agent, number=1, program="rules")
            agent.save(update_fields=("current_version",))
            for client in clients:
                Extraction.objects.create(client=client, agent=agent, priority=10)
        # Claims look at the first agent's row, too; it has no work
        db.execute("UPDATE agents SET title = title")
    _feed()
    db.execute("ANALYZE")
    return clock


def _limits(rng: random.Random, scale: int) -> dict[str, int | None]:
    """Often several at once, sometimes none; loose ones too, so that there is always somebody to claim for."""
    return {
        "max_concurrent_tasks": rng.choice([None, 2 * scale, 20 * scale, 80 * scale]),
        "max_tpm": rng.choice([None, None, 10_000 * scale, 200_000 * scale]),
        "max_output_tpm": rng.choice([None, None, 20_000 * scale]),
        "max_requests_per_minute": rng.choice([None, None, 2_000 * scale]),
    }


def _feed() -> None:
    """Keep a backlog."""
    db = queue.connection()
    waiting = db.execute(
        "SELECT count(*) FROM (SELECT FROM tasks WHERE status = 'enqueued' LIMIT %s) t", (BACKLOG,)
    ).fetchone()
    if waiting and waiting[0] < BACKLOG:
        db.execute(FEEDING, {"count": FEED, "extractions": AGENTS * CLIENTS})


def _made() -> int:
    """How many claims there were so far."""
    return Attempt.objects.count()


# Those around it


def _claim(rng: random.Random, done: Callable[[], bool]) -> None:
    """One worker's life: claims of random size, most of them settled at the next round, some late, some never."""
    db, worker = queue.connection(), uuid4()
    queue.register_worker(
        db, worker=worker, host="fire", pid=os.getpid(), version="", slots=40, executors=["local"]
    )
    terms = claims.Terms(worker, LEASE, 100, timedelta(seconds=60))
    held: list[Any] = []
    unconfirmed: list[Any] = []
    while not done():
        if rng.random() < 0.2:
            queue.promote_due(db)
        claimed = claims.claim(db, terms, ["local"], rng.choice([1, 10, 40]))
        held += claimed.rows
        rng.shuffle(held)
        cut = len(held) if rng.random() < 0.6 else len(held) // 2
        batch, held = held[:cut], held[cut:]
        news = [News(attempt, ended=True) for attempt in unconfirmed]
        unconfirmed = []
        for row in batch:
            answer = _answer(rng, row)
            if not answer.ended:
                unconfirmed.append(row.attempt_id)
            news.append(answer)
        if news:
            events.apply(db, news)
        if not claimed.rows and not news:
            time.sleep(rng.uniform(0.005, 0.05))
        if rng.random() < 0.003:
            held.clear()  # a worker that forgets what it holds: the sweeper finds it


def _answer(rng: random.Random, row: Any) -> News:
    luck = rng.random()
    ended = rng.random() < 0.9
    if luck < 0.85:
        return News(
            row.attempt_id, Completed(attempt=row.attempt_id, result=RESULT, usage=Usage()), ended=ended
        )
    if luck < 0.851:
        event = Failed(
            attempt=row.attempt_id,
            code=Code.RATE_LIMITED,
            message="",
            retryable=True,
            retry_after=rng.uniform(1, 20),
        )
        return News(row.attempt_id, event, ended=ended)
    event = Failed(attempt=row.attempt_id, code=Code.CRASHED, message="", retryable=luck < 0.97)
    return News(row.attempt_id, event, ended=ended)


def _sweep(rng: random.Random, done: Callable[[], bool]) -> None:
    """What dead claimers held goes back to the queue; what was to be stopped is confirmed."""
    db, sweeper = queue.connection(), uuid4()
    while not done():
        taken = queue.retried(
            lambda: queue.take_over_expired(
                db, sweeper=sweeper, lease_seconds=LEASE, most=100, executors=["local"]
            )
        )
        lost = Answer(AttemptStatus.LOST, True, Code.LOST, "", True)
        batch = [News(row.attempt_id, answer=lost, ended=True) for row in taken]
        flagged = Attempt.objects.filter(ended_at=None, stop_requested_at__isnull=False).order_by("pk")[:100]
        batch += [
            News(attempt, answer=lost, ended=True)
            for attempt in flagged.values_list("pk", flat=True)
            if rng.random() < 0.3
        ]
        if batch:
            events.apply(db, batch)
        time.sleep(0.1)


def _operate(rng: random.Random, done: Callable[[], bool]) -> None:
    """An operator who is never content; how long each change had to wait is written down."""
    db = queue.connection()
    verbs = [_change_limits] * 6 + [_change_pool, _pause, _pause, _cool, _move_tasks, _move_tasks, _end_tasks]
    while not done():
        begun, verb = time.monotonic(), rng.choice(verbs)
        queue.retried(lambda: verb(rng))  # noqa: B023
        db.execute("INSERT INTO fire_waits VALUES (%s, %s)", (verb.__name__, time.monotonic() - begun))
        time.sleep(0.02)
    for agent in Agent.objects.filter(is_paused=True):
        operations.resume(OPERATOR, agent)


def _some_agent(rng: random.Random) -> Agent:
    return rng.choice(list(Agent.objects.filter(name__startswith="fire-")))


def _change_limits(rng: random.Random) -> None:
    """As the admin does it: the row locked without its key, in a short transaction."""
    kind, scale = rng.choice([(Agent, 1), (Agent, 1), (Pool, 4)])
    chosen = _some_agent(rng) if kind is Agent else rng.choice(list(Pool.objects.all()))
    with transaction.atomic():
        kind.objects.select_for_update(no_key=True).get(pk=chosen.pk)
        kind.objects.filter(pk=chosen.pk).update(**_limits(rng, scale))


def _change_pool(rng: random.Random) -> None:
    pool = rng.choice([None, *Pool.objects.all()])
    Agent.objects.filter(pk=_some_agent(rng).pk).update(pool=pool)


def _pause(rng: random.Random) -> None:
    """Pause one agent or client, and let those go on that were paused before."""
    for kind in (Agent, Client):
        for paused in kind.objects.filter(is_paused=True):
            operations.resume(OPERATOR, paused)
    operations.pause(OPERATOR, rng.choice([_some_agent(rng), rng.choice(list(Client.objects.all()))]))


def _cool(rng: random.Random) -> None:
    queue.cool_down(queue.connection(), _some_agent(rng).pk, rng.uniform(1, 60))


def _move_tasks(rng: random.Random) -> None:
    tasks = list(
        Task.objects.filter(agent=_some_agent(rng), status="enqueued").values_list("pk", flat=True)[
            : rng.choice([1, 20])
        ]
    )
    if rng.random() < 0.7:
        operations.reprioritise(OPERATOR, tasks, rng.choice(LEVELS))
    else:
        operations.run_next(OPERATOR, tasks)


def _end_tasks(rng: random.Random) -> None:
    """Cancel what waits or runs, and run again what has ended."""
    some = list(Task.objects.filter(agent=_some_agent(rng)).order_by("-pk").values_list("pk", flat=True)[:10])
    (operations.cancel if rng.random() < 0.5 else operations.reprocess)(OPERATOR, some)
