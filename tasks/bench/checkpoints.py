"""What agents that keep checkpoints write at once beside the queue's own load, and how long claims take beside them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from statistics import median
from uuid import UUID, uuid4

import psycopg
from django.conf import settings

from tasks import queue
from tasks.bench import Measured, Say, checkpoint_writer, server, work
from tasks.bench.backlog import BATCH, WARM, claimed, p99
from tasks.bench.gate import Crew
from tasks.management import processes

CREWS = {1: (1, 1), 8: (4, 2), 32: (4, 8)}
"""Threads at once → processes, and threads of each."""
ROUNDS = 3
MISSING = "LangGraph is not installed; run: pip install -r requirements-checkpoints.txt"
# What LangGraph commits by itself each time: a checkpoint, or what one step of the graph has written
WRITES = """
SELECT (SELECT count(*) FROM checkpoints.checkpoints)
  + (SELECT count(*) FROM (SELECT DISTINCT thread_id, checkpoint_id, task_id FROM checkpoints.checkpoint_writes) steps)"""


def run(full: bool, say: Say) -> Measured:
    if find_spec("langgraph") is None:
        unknown = [*(f"writes_per_s_{threads}" for threads in CREWS), "queue_claim_p99_ratio"]
        return Measured(dict.fromkeys(unknown), [f"{name}: not measured. {MISSING}" for name in unknown])
    from tasks.agent.checkpointed import fence

    count = 1_000 if full else 100
    db = queue.connection()
    worker = uuid4()
    queue.register_worker(
        db, worker=worker, host="bench", pid=1, version="", slots=BATCH, executors=["local"]
    )
    db.execute(f"CREATE SCHEMA {checkpoint_writer.SCHEMA}")
    fence.prepare(checkpoint_writer.credentials)
    desk, agent = work.Desk(), work.free_agent()
    rates: dict[int, list[float]] = {threads: [] for threads in CREWS}
    alone: list[float] = []
    beside: list[float] = []
    with ExitStack() as ends:
        crews = {threads: ends.enter_context(_crew(threads)) for threads in CREWS}
        for number in range(1, ROUNDS + 1):
            say(
                f"Round {number} of {ROUNDS}: claims alone, then beside {', '.join(map(str, CREWS))} threads."
            )
            desk.hand_in(agent, (len(CREWS) + 1) * (count + WARM) * BATCH)
            alone.append(p99(claimed(db, worker, count)[0]))
            for threads, crew in crews.items():
                rate, slowest = _beside(crew, db, worker, count)
                rates[threads].append(rate)
            beside.append(slowest)  # the last crew is the largest
    ratio = median(there / here for there, here in zip(beside, alone, strict=True))
    figures = {f"writes_per_s_{threads}": round(median(found), 1) for threads, found in rates.items()}
    return Measured(
        {**figures, "queue_claim_p99_ratio": round(ratio, 2)},
        [
            "A write is one transaction of LangGraph's checkpointer behind the fence, with answers of 2,000 characters and ten steps per thread. All beside one "
            f"session that claims and settles {BATCH} tasks at a time as quickly as it can; medians of {ROUNDS} rounds.",
            f"queue_claim_p99_ratio: p99 of {count:,} claims beside 32 threads ({median(beside):.1f} ms) ÷ alone ({median(alone):.1f} ms), in the same rounds. "
            "Writers and the database share this machine's processors.",
        ],
    )


def _beside(crew: Crew, db: psycopg.Connection, worker: UUID, count: int) -> tuple[float, float]:
    """(writes per second, p99 of claims in milliseconds) while this crew writes."""
    before, began = _writes(), time.monotonic()
    crew.open()
    try:
        times, _ = claimed(db, worker, count)
    finally:
        crew.shut()
    return (_writes() - before) / (time.monotonic() - began), p99(times)


def _writes() -> int:
    with server.connect() as other:
        ((found,),) = other.execute(WRITES).fetchall()
    return int(found)


@contextmanager
def _crew(threads: int) -> Iterator[Crew]:
    """Their processes, ready to write."""
    count, each = CREWS[threads]
    command = [sys.executable, "-m", "tasks.bench.checkpoint_writer", str(each)]
    crew = Crew(processes.start, command, count, dict(os.environ), settings.BASE_DIR)
    try:
        crew.ready()
        yield crew
    finally:
        processes.stop(crew.processes)
