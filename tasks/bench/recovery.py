"""What happens to work whose worker dies: how long until it goes on, and whether any of it is lost, run twice, or taken from the living.

Workers are killed and suspended all the time while a steady stream of tasks is worked on. Runs end with their process, like local ones.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection

from tasks.bench import Measured, Say, work
from tasks.bench.gate import Crew
from tasks.bench.noop import STARTS
from tasks.models import Agent, Attempt, Task
from tasks.states import TaskStatus

WORKERS, SLOTS, RUN_SECONDS = 4, 8, 0.7
LEASE_SECONDS, HEARTBEAT_SECONDS = 4.0, 1.2
CALM_SECONDS = 2.0
"""How often a worker is killed or suspended; most of the time one of four is missing."""
SUSPENDED_SECONDS = 1.5
"""Shorter than what is left of a lease at any time, so that nothing may be taken from who was suspended."""
SECONDS, FULL_SECONDS, SETTLE_SECONDS, SEED = 35.0, 600.0, 60.0, 7
MOST_ATTEMPTS = 100
FEED = 8
"""Tasks per second and worker: somewhat less than they manage."""


@dataclass(slots=True)
class Toll:
    """What the dead held: the lease's end of each attempt, and the ids of killed workers."""

    leases: dict[UUID, datetime] = field(default_factory=dict)
    killed: set[UUID] = field(default_factory=set)
    suspended: int = 0


def run(full: bool, say: Say) -> Measured:
    seconds = FULL_SECONDS if full else SECONDS
    desk, agent = work.Desk(), work.free_agent()
    # Some task holds more workers that are killed than its agent has attempts: it fails as it should, and is not lost
    Agent.objects.filter(pk=agent.pk).update(max_attempts=MOST_ATTEMPTS)
    starts = Path(settings.AGENTAUDIT_HOME) / "starts"
    variables = {
        "LEASE_SECONDS": str(LEASE_SECONDS), "HEARTBEAT_SECONDS": str(HEARTBEAT_SECONDS), STARTS: str(starts),
    }  # fmt: skip
    say(f"Working for {seconds:.0f} s while workers are killed and suspended.")
    with work.crew(WORKERS, SLOTS, run_seconds=RUN_SECONDS, variables=variables) as crew:
        crew.open()
        toll = under_fire(crew, seconds, lambda count: desk.hand_in(agent, count))
        say(f"{len(toll.killed)} killed, {toll.suspended} suspended; waiting for all tasks to end.")
        wait_for_ends(SETTLE_SECONDS)
        crew.shut()
    return measured(toll, starts)


def under_fire(crew: Crew, seconds: float, hand_in: Any) -> Toll:
    """Feed the queue, and every now and then kill a worker, which is replaced, or suspend one for a moment."""
    rng, toll = random.Random(SEED), Toll()  # noqa: S311 - a seeded choice
    until, next_blow = time.monotonic() + seconds, time.monotonic() + 1.0
    while time.monotonic() < until:
        hand_in(int(FEED * WORKERS / 4))
        time.sleep(0.25)
        if time.monotonic() < next_blow:
            continue
        place = rng.randrange(WORKERS)
        if rng.random() < 0.6:
            kill(crew, place, toll)
        else:
            suspend(crew, place, toll)
        next_blow = time.monotonic() + rng.uniform(0.5, 1.5) * CALM_SECONDS
    return toll


def kill(crew: Crew, place: int, toll: Toll) -> None:
    pid = crew.processes[place].pid
    os.kill(pid, signal.SIGKILL)
    crew.processes[place].wait()
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM workers WHERE pid = %s AND stopped_at IS NULL", [pid])
        dead = [worker for (worker,) in cursor.fetchall()]
        cursor.execute(
            "SELECT current_attempt, lease_expires_at FROM tasks WHERE status = 'processing' AND lease_owner = ANY(%s)",
            [dead],
        )
        toll.leases |= dict(cursor.fetchall())
    toll.killed |= set(dead)
    crew.replace(place)


def suspend(crew: Crew, place: int, toll: Toll) -> None:
    """A pause that its lease survives: whoever takes its work away meanwhile sweeps falsely."""
    pid = crew.processes[place].pid
    os.kill(pid, signal.SIGSTOP)
    time.sleep(SUSPENDED_SECONDS)
    os.kill(pid, signal.SIGCONT)
    toll.suspended += 1


def wait_for_ends(seconds: float) -> None:
    until = time.monotonic() + seconds
    open_tasks = Task.objects.filter(status__in=(TaskStatus.ENQUEUED, TaskStatus.PROCESSING))
    while open_tasks.exists() and time.monotonic() < until:
        time.sleep(0.2)


def measured(toll: Toll, starts: Path) -> Measured:
    recovered = Attempt.objects.filter(pk__in=list(toll.leases)).exclude(finished_at=None)
    overdue = [
        (row.finished_at - toll.leases[row.pk]).total_seconds() for row in recovered if row.status == "lost"
    ]
    starts_of = Counter(line.split()[0] for line in starts.read_text().splitlines())
    results_of = Counter(Attempt.objects.filter(status="completed").values_list("task_id", flat=True))
    twice = sum(count > 1 for count in starts_of.values()) + sum(count > 1 for count in results_of.values())
    false = Attempt.objects.filter(status="lost").exclude(worker__in=toll.killed).count()
    lost = Task.objects.exclude(status=TaskStatus.COMPLETED).count()
    notes = [
        f"{Task.objects.count():,} tasks, {sum(starts_of.values()):,} runs started; {len(toll.killed)} workers killed while they held {len(toll.leases)} "
        f"runs, {toll.suspended} suspended for {SUSPENDED_SECONDS:g} s; leases of {LEASE_SECONDS:g} s.",
        "seconds_over_lease: from the end of a dead worker's lease until its task was free again, the longest.",
    ]
    if not overdue:
        notes.append(
            "No worker died while it held a run, so that nothing can be said about seconds_over_lease."
        )
    figures = {
        "seconds_over_lease": round(max(overdue), 2) if overdue else None,
        "tasks_lost": lost,
        "runs_started_twice": twice,
        "false_sweeps": false,
    }
    return Measured(figures, notes)
