"""Procrastinate: `setup` makes its tables, `fill COUNT` adds jobs, `work SLOTS` does them while the gate is open. Connects by PG* variables."""

from __future__ import annotations

import asyncio
import logging
import sys
from threading import Event

from procrastinate_app import app, noop

from tasks.bench.gate import serve

MOST_PER_INSERT = 10_000


async def setup() -> None:
    async with app.open_async():
        await app.schema_manager.apply_schema_async()


async def fill(count: int) -> None:
    async with app.open_async():
        while count > 0:
            some = min(count, MOST_PER_INSERT)
            await noop.batch_defer_async(*({} for _ in range(some)))
            count -= some


async def work_until(stop: Event, slots: int) -> None:
    async with app.open_async():
        worker = asyncio.create_task(app.run_worker_async(concurrency=slots, install_signal_handlers=False))
        while not stop.is_set() and not worker.done():
            await asyncio.sleep(0.01)
        worker.cancel()  # it finishes what it has begun, and ends
        await asyncio.gather(worker, return_exceptions=True)


if __name__ == "__main__":
    logging.disable(logging.INFO)
    if sys.argv[1] == "setup":
        asyncio.run(setup())
    elif sys.argv[1] == "fill":
        asyncio.run(fill(int(sys.argv[2])))
    else:
        serve(lambda stop: asyncio.run(work_until(stop, int(sys.argv[2]))))
