"""What tests of the queue share: work to claim, answers to give, clocks to move, doubles of executors, and the invariants as SQL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import psycopg

from tasks import claims, notify, operations, queue
from tasks.agent.contract import Code, Completed, Failed, Order, Result, Started, Usage
from tasks.audit import Actor
from tasks.events import News
from tasks.executors import Refusal, Report, Run, RunState, StartAnswer
from tasks.models import Agent, Client
from tests.factories import make_client, make_document

LEASE = 60.0
RESULT = Result(kind="invoice", pages=1, confidence=0.9, needs_review=False)
SYSTEM = Actor.system("test")


# Work


def hand_in(
    agent: Agent, count: int, client: Client | None = None, *, priority: int | None = None, pages: int = 1, password: str = ""
) -> list[int]:  # fmt: skip
    """Submit `count` new documents as one extraction; the ids of their tasks in order."""
    client = client or Client.objects.order_by("id").first() or make_client()
    handed = [operations.Handed(make_document(client, pages=pages), password) for _ in range(count)]
    extraction = operations.submit(SYSTEM, client=client, agent=agent, documents=handed, priority=priority)
    return list(extraction.tasks.order_by("id").values_list("id", flat=True))


def new_worker() -> UUID:
    """A worker that is registered and beats now."""
    worker = uuid4()
    queue.register_worker(
        queue.connection(), worker=worker, host="test", pid=1, version="", slots=4, executors=["local"]
    )
    return worker


def claim(
    slots: int = 1, *, worker: UUID | None = None, lease: float = LEASE, db: Any = None, **terms: Any
) -> list[Any]:
    """Claim on Django's connection, or on `db`."""
    terms_of = claims.Terms(worker or new_worker(), lease, **terms)
    return claims.claim(db or queue.connection(), terms_of, ["local"], slots).rows


def completed(attempt: UUID, *, ended: bool = True, usage: Usage | None = None) -> News:
    return News(attempt, Completed(attempt=attempt, result=RESULT, usage=usage or Usage()), ended=ended)


def failed(
    attempt: UUID, code: Code = Code.CRASHED, *, retryable: bool = True, ended: bool = True, **fields: Any
) -> News:
    event = Failed(attempt=attempt, code=code, message="It went wrong.", retryable=retryable, **fields)
    return News(attempt, event, ended=ended)


# Time and sessions


class Clock:
    """The database's clock as the sessions of one test see it. Only ever forward."""

    def __init__(self, *sessions: psycopg.Connection) -> None:
        self.sessions, self.seconds = list(sessions), 0.0
        self.forward(0)

    def forward(self, seconds: float) -> None:
        self.seconds += seconds
        for session in self.sessions:
            session.execute(
                "SELECT set_config('agentaudit.clock_offset', %s, false)", (f"{self.seconds} seconds",)
            )

    def end(self) -> None:
        """Sessions that live on tell the true time again."""
        self.seconds = 0.0
        self.sessions = [session for session in self.sessions if not session.closed]
        self.forward(0)


@contextmanager
def session() -> Iterator[psycopg.Connection]:
    """One more connection to the test's database, in autocommit mode."""
    with notify.connect("test") as raw:
        yield raw


def together(*actions: Callable[[], Any], seconds: float = 60.0) -> list[Any]:
    """Run actions in threads that begin at the same moment; their results in order. Raises what the first of them raised."""
    gate, results, errors = threading.Barrier(len(actions)), [None] * len(actions), []

    def run(place: int, action: Callable[[], Any]) -> None:
        try:
            gate.wait(seconds)
            results[place] = action()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=pair, daemon=True) for pair in enumerate(actions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds)
        assert not thread.is_alive(), "a thread hangs"
    if errors:
        raise errors[0]
    return results


# Invariants

_CURRENT = "t.status = 'processing' AND t.current_attempt = a.id"
INVARIANTS = {
    "an attempt lives that is not its task's current one (I1)": f"""
      SELECT a.id FROM task_attempts a JOIN tasks t ON t.id = a.task_id WHERE a.finished_at IS NULL AND NOT ({_CURRENT})""",
    "a processing task has no live attempt of its generation (I1)": """
      SELECT t.id FROM tasks t WHERE t.status = 'processing' AND NOT EXISTS (SELECT FROM task_attempts a
        WHERE a.id = t.current_attempt AND a.task_id = t.id AND a.finished_at IS NULL AND a.generation = t.generation)""",
    "leased though not processing, or the other way round (I1)": """
      SELECT id FROM tasks WHERE (status = 'processing') <> (lease_owner IS NOT NULL AND lease_expires_at IS NOT NULL AND locked_by IS NOT NULL)""",
    "a run that nobody will stop": f"""
      SELECT a.id FROM task_attempts a JOIN tasks t ON t.id = a.task_id
      WHERE a.ended_at IS NULL AND a.stop_requested_at IS NULL AND NOT ({_CURRENT})""",
    "a wish to cancel that nobody heeds": """
      SELECT t.id FROM tasks t JOIN task_attempts a ON a.id = t.current_attempt
      WHERE t.cancel_requested_at IS NOT NULL AND a.ended_at IS NULL AND a.stop_requested_at IS NULL""",
    "a wish to cancel outlives its run": "SELECT id FROM tasks WHERE cancel_requested_at IS NOT NULL AND status <> 'processing'",
    "completed without a result of its generation": """
      SELECT t.id FROM tasks t LEFT JOIN task_attempts a ON a.id = t.result_attempt AND a.task_id = t.id
      WHERE t.status = 'completed' AND (a.status IS DISTINCT FROM 'completed' OR a.generation <> t.generation OR a.result IS NULL)""",
    "failed though a result of its generation was delivered": """
      SELECT t.id FROM tasks t JOIN task_attempts a ON a.task_id = t.id AND a.generation = t.generation
      WHERE t.status = 'failed' AND a.status = 'completed' AND a.stop_reason <> 'declared'""",
    "a cost that does not agree with its figures (I5)": """
      SELECT id FROM task_attempts WHERE cost_usd <> 0 AND cost_usd NOT IN (0.25, 0.5)""",
    "a password outlives its task's work": """
      SELECT id FROM tasks WHERE sealed_password IS NOT NULL AND status IN ('completed', 'failed', 'cancelled')""",
    "the number of attempts is wrong": """
      SELECT t.id FROM tasks t WHERE t.attempts_made <> (SELECT count(*) FROM task_attempts a WHERE a.task_id = t.id)""",
    "more attempts burnt or released than there were": """
      SELECT t.id FROM tasks t WHERE t.attempts_released > 3 OR t.attempts_burnt + t.attempts_released >
        (SELECT count(*) FROM task_attempts a WHERE a.task_id = t.id AND a.generation = t.generation AND a.finished_at IS NOT NULL)""",
    "an attempt that ended still holds rates without end": """
      SELECT id FROM task_attempts WHERE ended_at IS NOT NULL AND rate_held_until > ended_at + interval '2 minutes'""",
    "an attempt that lives holds no rates": """
      SELECT id FROM task_attempts WHERE ended_at IS NULL AND rate_held_until <= agentaudit_now()""",
}


def violations(db: psycopg.Connection) -> list[str]:
    """The invariants that do not hold at this moment, in words, with the rows at fault."""
    query = " UNION ALL ".join(
        f"SELECT {number}, array_agg(id::text) FROM ({statement}) AS x(id)"
        for number, statement in enumerate(INVARIANTS.values())
    )
    names = list(INVARIANTS)
    return [f"{names[number]}: {rows}" for number, rows in db.execute(query).fetchall() if rows]


# Doubles


@dataclass
class Runs:
    """An executor inside the test: it starts what it is told to, and the test says how each run goes."""

    name: str = "local"
    remote: bool = False
    refuse: Callable[[Order], Refusal | None] = lambda _order: None
    started: list[Order] = field(default_factory=list)
    stopped: list[UUID] = field(default_factory=list)
    states: dict[UUID, Report] = field(default_factory=dict)
    heard: list[Report] = field(default_factory=list)
    extended: float = 0.0

    def start(self, orders: Sequence[Order]) -> StartAnswer:
        refused = tuple(refusal for order in orders if (refusal := self.refuse(order)))
        away = {refusal.attempt for refusal in refused}
        begun = [order for order in orders if order.attempt not in away]
        self.started += begun
        for order in begun:
            self.states[order.attempt] = Report(
                order.attempt, RunState.RUNNING, run_id=f"run-{order.attempt}"
            )
        return StartAnswer(tuple(self.states[order.attempt] for order in begun), refused)

    def end(self, attempt: UUID, event: Completed | Failed | None = None, code: Code = Code.CRASHED) -> None:
        """The run ends with this last word, or silently."""
        events: tuple[Any, ...] = (Started(attempt=attempt), event) if event else ()
        self.states[attempt] = Report(attempt, RunState.ENDED, events, code=code)
        self.heard.append(self.states[attempt])

    def news(self, timeout: float) -> list[Report]:
        heard, self.heard = self.heard, []
        return heard

    def ask(self, runs: Sequence[Run]) -> list[Report]:
        return [self.states.get(run.attempt, Report(run.attempt, RunState.NOT_FOUND)) for run in runs]

    def stop(self, runs: Sequence[Run]) -> None:
        for run in runs:
            self.stopped.append(run.attempt)
            if run.attempt in self.states and self.states[run.attempt].state is RunState.RUNNING:
                self.end(run.attempt, code=Code.CANCELLED)

    def extend(self, seconds: float) -> None:
        self.extended = seconds

    def wake(self) -> None:
        """Nobody waits here."""

    def close(self, grace: float) -> None:
        for attempt, report in list(self.states.items()):
            if not self.remote and report.state is RunState.RUNNING:
                self.end(attempt, code=Code.RELEASED)
