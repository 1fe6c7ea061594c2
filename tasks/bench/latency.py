"""How soon work starts: single submissions to an idle worker, and urgent ones while every slot is busy and a backlog waits."""

from __future__ import annotations

import random
import time
from statistics import median, quantiles

from django.db import transaction

from tasks.bench import Measured, Say, work
from tasks.models import Agent, Attempt
from tasks.states import Priority, TaskStatus

SUBMITS, SPACING_SECONDS, SEED = 200, (0.1, 0.3), 7
BACKLOG, URGENT, SLOTS, RUN_SECONDS = 100_000, 10, 4, 1.5


def run(full: bool, say: Say) -> Measured:
    desk, agent = work.Desk(), work.free_agent()
    say(f"Handing in {SUBMITS} documents one by one to an idle worker.")
    waits = idle_waits(desk, agent, SUBMITS)
    say(f"Handing in {BACKLOG:,} documents as bulk, and {URGENT} urgent ones behind them.")
    desk.hand_in(agent, BACKLOG, Priority.BULK)
    ratios = urgent_ratios(desk, agent, 5 * URGENT if full else URGENT)
    return Measured(
        {
            "p50_ms": round(1000 * median(waits), 1),
            "p99_ms": round(1000 * quantiles(waits, n=100)[98], 1),
            "urgent_wait_ratio": round(median(ratios), 3),
        },
        [
            f"{len(waits)} single submissions, from their commit to the start of the run; longest {1000 * max(waits):.0f} ms.",
            f"{len(ratios)} urgent tasks behind {BACKLOG:,} waiting ones, {SLOTS} slots with runs of {RUN_SECONDS} s: the median of "
            f"wait ÷ time until the next run ended; the largest was {max(ratios):.2f}.",
        ],
    )


def idle_waits(desk: work.Desk, agent: Agent, count: int) -> list[float]:
    """Seconds from commit to the start of the run, for each."""
    rng, committed = random.Random(SEED), []  # noqa: S311 - a seeded workload
    with work.crew(1, SLOTS, run_seconds=0.001) as crew:
        crew.open()
        for _ in range(count):
            time.sleep(rng.uniform(*SPACING_SECONDS))
            committed.append(submit(desk, agent, None))
        crew.shut()
    return [began - at for at, (began, _) in zip(committed, runs(), strict=True)]


def submit(desk: work.Desk, agent: Agent, priority: int | None) -> float:
    """Hand in one document; the moment of its commit, by this machine's clock."""
    at = []
    with transaction.atomic():
        transaction.on_commit(
            lambda: at.append(time.time())
        )  # before the hint, which is sent by what is registered later
        desk.hand_in(agent, 1, priority)
    return at[0]


def runs(**of_tasks: object) -> list[tuple[float, float]]:
    """When each run that has completed began and ended, in the order of submission; its trace id says it (tasks.bench.noop)."""
    found = Attempt.objects.filter(task__status=TaskStatus.COMPLETED, **of_tasks).order_by("task_id")
    told = [trace.split() for trace in found.values_list("trace_id", flat=True)]
    return [(float(began), float(ended)) for began, ended in told]


def urgent_ratios(desk: work.Desk, agent: Agent, count: int) -> list[float]:
    """For each urgent task: its wait ÷ the time until the next run of any task ended."""
    rng, committed = random.Random(SEED), []  # noqa: S311
    with work.crew(1, SLOTS, run_seconds=RUN_SECONDS) as crew:
        crew.open()
        time.sleep(RUN_SECONDS)
        for _ in range(count):
            time.sleep(rng.uniform(RUN_SECONDS / 2, RUN_SECONDS))
            committed.append(submit(desk, agent, Priority.URGENT))
        time.sleep(RUN_SECONDS)
        crew.shut()
    ends = sorted(ended for _, ended in runs())
    began = [begin for begin, _ in runs(priority=Priority.URGENT)]
    return [
        (start - at) / (min(end for end in ends if end > at) - at)
        for at, start in zip(committed, began, strict=True)
    ]
