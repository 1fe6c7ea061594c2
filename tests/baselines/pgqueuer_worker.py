"""PgQueuer: `setup` makes its tables, `fill COUNT` adds jobs, `work BATCH MOST` does them while the gate is open. Connects by PG* variables.

It allows batches of half of what a worker may hold at most.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from threading import Event

import psycopg
from pgqueuer import Job, PsycopgDriver, Queries, QueueManager

from tasks.bench.gate import serve

MOST_PER_INSERT = 10_000


async def connected() -> psycopg.AsyncConnection:
    return await psycopg.AsyncConnection.connect(autocommit=True)


async def setup() -> None:
    await Queries(PsycopgDriver(await connected())).install()


async def fill(count: int) -> None:
    queries = Queries(PsycopgDriver(await connected()))
    while count > 0:
        some = min(count, MOST_PER_INSERT)
        await queries.enqueue(["noop"] * some, [None] * some, [0] * some)
        count -= some


async def work_until(stop: Event, batch: int, most: int) -> None:
    """A manager as its documentation sets one up; its own completions are batched as its claims are."""
    async with await connected() as connection:
        manager = QueueManager(Queries(PsycopgDriver(connection)))

        @manager.entrypoint("noop")
        async def noop(job: Job) -> None:
            return None

        async def end() -> None:
            while not stop.is_set():
                await asyncio.sleep(0.01)
            manager.shutdown.set()

        ending = asyncio.create_task(end())
        await manager.run(batch_size=batch, max_concurrent_tasks=most)
        await ending


if __name__ == "__main__":
    logging.disable(logging.INFO)
    if sys.argv[1] == "setup":
        asyncio.run(setup())
    elif sys.argv[1] == "fill":
        asyncio.run(fill(int(sys.argv[2])))
    else:
        serve(lambda stop: asyncio.run(work_until(stop, int(sys.argv[2]), int(sys.argv[3]))))
