"""Jobs per second through the whole queue with work that costs nothing, beside plain pgbench and three other queues.

Each queue has the machine to itself for a cut of a few seconds of a long backlog; the cuts of a round follow each other, so that a
machine that is slower for a while is so for all. Ratios are medians over the rounds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Protocol

import psycopg

from tasks.bench import Measured, Say, server, work
from tasks.bench.gate import Crew
from tasks.bench.peers import Peer, Pgbench, python_of_peers
from tasks.models import Agent

WORKERS, SLOTS, LIMITED_AGENTS = 4, 100, 10
WARM_SECONDS = 0.4


class Queue(Protocol):
    """Something that works on a backlog while its gate is open."""

    waiting: str

    def fill(self, count: int) -> None: ...
    def open(self, count: int | None = None) -> None: ...
    def shut(self, count: int | None = None) -> None: ...


@dataclass(slots=True)
class Ours:
    """Real workers, and the agents whose tasks they find."""

    crew: Crew
    agents: list[Agent]
    desk: work.Desk
    waiting: str = ""

    def __post_init__(self) -> None:
        ids = ", ".join(str(agent.pk) for agent in self.agents)
        self.waiting = (
            f"SELECT (SELECT count(*) FROM tasks WHERE status = 'enqueued' AND NOT deferred AND agent_id IN ({ids}))"  # noqa: S608
            " + (SELECT count(*) FROM tasks WHERE status = 'processing')"
        )

    def fill(self, count: int) -> None:
        """Evenly over the agents."""
        for agent in self.agents:
            self.desk.hand_in(agent, -(-count // len(self.agents)))

    def open(self, count: int | None = None) -> None:
        self._pause(False)
        self.crew.open(count)

    def shut(self, count: int | None = None) -> None:
        self.crew.shut(count)
        self._pause(True)

    def _pause(self, paused: bool) -> None:
        Agent.objects.filter(pk__in=[agent.pk for agent in self.agents]).update(is_paused=paused)


@dataclass(slots=True)
class Field:
    """All queues that are measured beside each other, and the rates found so far, by name of the cut."""

    db: psycopg.Connection
    seconds: float
    rates: dict[str, list[float]] = field(default_factory=dict)

    def cut(self, name: str, queue: Queue, count: int | None = None) -> None:
        """Jobs per second of `queue` (with `count` of its workers) over a few seconds. Refills it before if it would run dry."""
        found = self.rates.setdefault(name, [])
        needed = int(max(found or [0]) * 2 * (self.seconds + WARM_SECONDS + 1))
        waiting = self._waiting(queue)[0]
        if waiting < needed:
            queue.fill(needed - waiting)
        queue.open(count)
        try:
            time.sleep(WARM_SECONDS)
            before, began = self._waiting(queue)
            time.sleep(self.seconds)
            after, ended = self._waiting(queue)
        finally:
            queue.shut(count)
        if after == 0:
            raise RuntimeError(f"{name}: the backlog was too short for the cut")
        found.append((before - after) / (ended - began).total_seconds())

    def _waiting(self, queue: Queue) -> tuple[int, Any]:
        row = self.db.execute(f"SELECT ({queue.waiting}), statement_timestamp()").fetchone()
        assert row is not None
        return row

    def median(self, name: str) -> float | None:
        return median(self.rates[name]) if self.rates.get(name) else None

    def ratio(self, one: str, other: str) -> float | None:
        """The median of the ratios of each round."""
        pairs = list(zip(self.rates.get(one, ()), self.rates.get(other, ()), strict=False))
        return round(median(a / b for a, b in pairs), 3) if pairs else None


def run(full: bool, say: Say) -> Measured:
    rounds, seconds = (9, 4.0) if full else (3, 1.2)
    peers = [
        Peer("pgqueuer", "pgqueuer", "true", str(SLOTS)),
        Peer("procrastinate", "procrastinate_jobs", "status = 'todo'", str(SLOTS)),
        Peer("django_tasks_db", "django_tasks_database_dbtaskresult", "status = 'READY'"),
    ]
    with server.connect() as db, _ours(say) as (free, limited):
        python = python_of_peers(say)
        pgbench = Pgbench(WORKERS)
        pgbench.prepare(db)
        for peer in peers if python else ():
            peer.prepare(db, python, WORKERS)
        say("Filling the queues.")
        for queue, count in ((free, 40_000), (limited, 20_000), (pgbench, 40_000)):
            queue.fill(count)
        for peer, count in zip(peers if python else (), (40_000, 4_000, 4_000), strict=False):
            peer.fill(count)
        db.execute("ANALYZE")
        field = Field(db, seconds)
        for number in range(rounds):
            _round(field, free, limited, pgbench, peers if python else [])
            say(
                f"Round {number + 1} of {rounds}: "
                + ", ".join(f"{n} {r[-1]:,.0f}" for n, r in field.rates.items())
            )
    return Measured(_figures(field), _notes(field, bool(python)))


def _round(field: Field, free: Ours, limited: Ours, pgbench: Pgbench, peers: list[Peer]) -> None:
    """Every queue once with the disk as it is, where a commit is quick or not, and once where each takes 4 ms."""
    for slow in (False, True) if server.is_ours() else (False,):
        with server.changed(server.SLOW_COMMITS) if slow else nullcontext():
            kind = "slow" if slow else "fast"
            field.cut(f"ours_{kind}", free)
            field.cut(f"pgbench_{kind}", pgbench)
            for peer in peers:
                if peer.name == "pgqueuer" or slow or not server.is_ours():
                    field.cut(f"{peer.name}_{kind}", peer)
            field.cut(f"limited_{kind}", limited)
    field.cut(f"one_{kind}", free, 1)


@contextmanager
def _ours(say: Say) -> Iterator[tuple[Ours, Ours]]:
    """Our workers, with an agent that has no limits and with ten that have both, none of which binds."""
    desk, free = work.Desk(), work.free_agent()
    limits = {"max_concurrent_tasks": 1_000, "max_tpm": 1_000_000_000, "is_paused": True}
    limited = [work.make_agent(f"limited-{number}", **limits) for number in range(LIMITED_AGENTS)]
    say("Starting four workers.")
    with work.crew(WORKERS, SLOTS) as crew:
        yield Ours(crew, [free], desk), Ours(crew, limited, desk)


def _figures(field: Field) -> dict[str, Any]:
    kind = "slow" if server.is_ours() else "fast"

    def whole(name: str) -> int | None:
        found = field.median(name)
        return None if found is None else round(found)

    return {
        "jobs_per_s_1": whole(f"one_{kind}"),
        "jobs_per_s_4": whole(f"ours_{kind}"),
        "ratio_to_pgbench": field.ratio("ours_slow", "pgbench_slow"),
        "ratio_to_pgbench_fast": field.ratio("ours_fast", "pgbench_fast"),
        "ratio_to_pgqueuer": field.ratio(f"ours_{kind}", f"pgqueuer_{kind}"),
        "ratio_to_procrastinate": field.ratio(f"ours_{kind}", f"procrastinate_{kind}"),
        "ratio_to_django_tasks_db": field.ratio(f"ours_{kind}", f"django_tasks_db_{kind}"),
        "ratio_with_admission": field.ratio(f"limited_{kind}", f"ours_{kind}"),
    }


def _notes(field: Field, peers: bool) -> list[str]:
    return [f"{name}: {median(rates):,.0f}" for name, rates in field.rates.items()]
