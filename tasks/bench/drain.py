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
START_SECONDS, WARM_SECONDS = 20.0, 0.5
FIRST_BACKLOG = 40_000


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
    fastest: dict[str, float] = field(default_factory=dict)
    """By what counts a queue's waiting jobs: the same workers are quick under every name of a cut."""

    def cut(self, name: str, queue: Queue, count: int | None = None) -> None:
        """Jobs per second of `queue` (with `count` of its workers) over a few seconds. Refills it before if it would run dry."""
        needed = int(self.fastest.get(queue.waiting, 0) * 2 * (self.seconds + WARM_SECONDS + 1))
        while (rate := self._measured(queue, count, needed)) is None:
            needed = 2 * max(needed, FIRST_BACKLOG)
        self.rates.setdefault(name, []).append(rate)
        self.fastest[queue.waiting] = max(rate, self.fastest.get(queue.waiting, 0))

    def _measured(self, queue: Queue, count: int | None, needed: int) -> float | None:
        """One cut with at least `needed` jobs waiting. None where the queue ran dry before the end, which says too little."""
        waiting = self._waiting(queue)[0]
        if waiting < needed:
            queue.fill(needed - waiting)
        queue.open(count)
        try:
            self._wait_for_work(queue)
            before, began = self._waiting(queue)
            time.sleep(self.seconds)
            after, ended = self._waiting(queue)
        finally:
            queue.shut(count)
        return (before - after) / (ended - began).total_seconds() if after else None

    def _wait_for_work(self, queue: Queue) -> None:
        """Until it is at work, and then a moment more for those of its workers that take longer to begin."""
        at_first, until = self._waiting(queue)[0], time.monotonic() + START_SECONDS
        while self._waiting(queue)[0] == at_first:
            if time.monotonic() > until:
                raise RuntimeError("a queue does not begin to work")
            time.sleep(0.02)
        time.sleep(WARM_SECONDS)

    def _waiting(self, queue: Queue) -> tuple[int, Any]:
        ((waiting, now),) = self.db.execute(f"SELECT ({queue.waiting}), statement_timestamp()").fetchall()
        return waiting, now

    def ratio(self, one: str, other: str) -> float | None:
        """The median of the ratios of each round."""
        pairs = list(zip(self.rates.get(one, ()), self.rates.get(other, ()), strict=False))
        return round(median(a / b for a, b in pairs), 3) if pairs else None


def run(full: bool, say: Say) -> Measured:
    rounds, seconds = (9, 4.0) if full else (3, 1.2)
    with server.connect() as db, _ours(say) as (free, limited):
        pgbench, peers = Pgbench(WORKERS), _peers(db, say)
        pgbench.prepare(db)
        say("Filling the queues.")
        first: list[tuple[Queue, int]] = [
            (free, FIRST_BACKLOG),
            (limited, 20_000),
            (pgbench, FIRST_BACKLOG),
            *peers.values(),
        ]
        for queue, count in first:
            queue.fill(count)
        db.execute("ANALYZE")
        field = Field(db, seconds)
        for number in range(rounds):
            _round(field, free, limited, pgbench, {name: peer for name, (peer, _) in peers.items()})
            last = ", ".join(f"{name} {rates[-1]:,.0f}" for name, rates in field.rates.items())
            say(f"Round {number + 1} of {rounds}, jobs/s: {last}")
        for peer, _ in peers.values():
            peer.end()
    return Measured(_figures(field), _notes(field))


def _peers(db: psycopg.Connection, say: Say) -> dict[str, tuple[Peer, int]]:
    """The other queues by name, ready to work, and how many jobs each gets at first. None where they cannot be installed."""
    python = python_of_peers(say)
    if python is None:
        return {}
    peers = {
        # Claims and completions in batches as large as it allows for a worker that holds at most so many jobs at once
        "pgqueuer": (Peer("pgqueuer", "pgqueuer", "true", str(SLOTS // 2), str(SLOTS)), FIRST_BACKLOG),
        "procrastinate": (Peer("procrastinate", "procrastinate_jobs", "status = 'todo'", str(SLOTS)), 4_000),
        "django_tasks_db": (
            Peer("django_tasks_db", "django_tasks_database_dbtaskresult", "status = 'READY'"),
            4_000,
        ),
    }
    for peer, _ in peers.values():
        peer.prepare(db, python, WORKERS)
    return peers


def _round(field: Field, free: Ours, limited: Ours, pgbench: Pgbench, peers: dict[str, Peer]) -> None:
    """With commits as quick as the disk makes them: ours and pgbench. Where each takes 4 ms: everything, one after the other."""
    if server.is_ours():
        field.cut("ours, quick commits", free)
        field.cut("pgbench, quick commits", pgbench)
    with server.changed(server.SLOW_COMMITS) if server.is_ours() else nullcontext():
        field.cut("ours", free)
        field.cut("pgbench", pgbench)
        for name, peer in peers.items():
            field.cut(name, peer)
        field.cut("ours, limited", limited)
        field.cut("ours, one worker", free, 1)


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
    def whole(name: str) -> int | None:
        return round(median(field.rates[name])) if name in field.rates else None

    quick = "ours, quick commits" if server.is_ours() else "ours"
    quick_pgbench = "pgbench, quick commits" if server.is_ours() else "pgbench"
    return {
        "jobs_per_s_1": whole("ours, one worker"),
        "jobs_per_s_4": whole("ours"),
        "ratio_to_pgbench": field.ratio("ours", "pgbench") if server.is_ours() else None,
        "ratio_to_pgbench_fast": field.ratio(quick, quick_pgbench),
        "ratio_to_pgqueuer": field.ratio("ours", "pgqueuer"),
        "ratio_to_procrastinate": field.ratio("ours", "procrastinate"),
        "ratio_to_django_tasks_db": field.ratio("ours", "django_tasks_db"),
        "ratio_with_admission": field.ratio("ours, limited", "ours"),
    }


def _notes(field: Field) -> list[str]:
    rates = "; ".join(f"{name}: {median(found):,.0f}" for name, found in field.rates.items())
    notes = [f"Jobs per second, medians: {rates}."]
    if server.is_ours():
        notes.append(
            "All with commits that take 4 ms (commit_delay), except where quick commits are named: the disk as it is."
        )
    else:
        notes.append(
            "ratio_to_pgbench is not measured: only the embedded server's commits may be made to take 4 ms."
        )
    if "pgqueuer" not in field.rates:
        notes.append("The other queues could not be installed, so that nothing is compared with them.")
    return notes
