"""How soon open pages hear of a change: two web processes, 200 streams, changes by another process; then a burst in one commit."""

from __future__ import annotations

import asyncio
import random
import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlsplit

from asgiref.sync import sync_to_async
from django.db import connection, connections

from tasks import operations
from tasks.audit import Actor
from tasks.bench import Measured, Say, crowd
from tasks.bench.web import Web
from tasks.management.preparation import collect_static
from tasks.models import Agent, Client, Document, Task

STREAMS, SEED, BURST, WEB_WORKERS = 200, 7, 500, 2
HEARD_WITHIN_SECONDS = 5.0
ACTOR = Actor.system("bench")


def run(full: bool, say: Say) -> Measured:
    changes = 200 if full else 40
    tasks = _submit(BURST)
    cookie = crowd.cookie()
    collect_static()
    with Web(workers=WEB_WORKERS) as web:
        crowd.get(web.url, "/extractions/", cookie)
        _warm(web.url, cookie)
        before = _backends()
        connection.close()  # what is counted later is counted by another thread
        return asyncio.run(_measure(web, cookie, tasks, changes, before, say))


def _submit(count: int) -> list[int]:
    client, agent = Client.objects.create(name="live"), Agent.objects.get(name="invoice-rules")
    documents = Document.objects.bulk_create(
        Document(client=client, sha256=f"{n:064d}", size_bytes=1, pages=1, original_name=f"{n}.pdf", storage_name=f"documents/{n}") for n in range(count)
    )  # fmt: skip
    extraction = operations.submit(
        ACTOR, client=client, agent=agent, documents=[operations.Handed(document) for document in documents]
    )
    return list(Task.objects.filter(extraction=extraction).values_list("pk", flat=True))


def _backends() -> int:
    """Connections to this database beside our own and those that listen."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'"
            " AND pid <> pg_backend_pid() AND application_name NOT IN ('agentaudit live', 'agentaudit notify')"
        )
        return cursor.fetchone()[0]


def _warm(url: str, cookie: str) -> None:
    """Fill the pools of both processes, whose idle connections nobody holds."""
    with ThreadPoolExecutor(64) as people:
        list(people.map(lambda _: crowd.get(url, "/extractions/", cookie), range(256)))


class Stream:
    """An open page: when it heard of a change."""

    def __init__(self) -> None:
        self.heard: list[float] = []
        self.is_open = asyncio.Event()

    async def run(self, port: int, cookie: str) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(
            f"GET /live/ HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\nAccept: text/event-stream\r\n\r\n".encode()
        )
        try:
            while line := await reader.readline():
                if line.startswith(b"event: changed"):
                    self.heard.append(time.monotonic())
                elif line.startswith(b"event: hearing"):
                    self.is_open.set()
        finally:
            writer.close()


async def _measure(web: Web, cookie: str, tasks: list[int], changes: int, before: int, say: Say) -> Measured:
    streams = [Stream() for _ in range(STREAMS)]
    running = [asyncio.create_task(stream.run(urlsplit(web.url).port or 0, cookie)) for stream in streams]
    try:
        async with asyncio.timeout(120):
            for stream in streams:
                await stream.is_open.wait()
        say(f"{STREAMS} streams are open.")
        await asyncio.sleep(1)
        held = await sync_to_async(_backends)() - before
        waits, missed = await _changes(streams, tasks, changes)
        burst = await _burst(web, cookie, streams, tasks)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await sync_to_async(connections.close_all)()
    figures: dict[str, Any] = {
        "p50_ms": round(median(waits), 1), "p99_ms": round(quantiles(waits, n=100)[-1], 1), "burst_right_s": round(burst, 2),
        "streams": len(streams), "backends_held": max(0, held), "missed": missed,
    }  # fmt: skip
    return Measured(
        figures,
        [f"{changes} changes, each heard by {STREAMS} streams: from the commit to the event in the client."],
    )


async def _changes(streams: list[Stream], tasks: list[int], changes: int) -> tuple[list[float], int]:
    """Milliseconds from each commit to each stream's event, and how many events never came."""
    luck, waits, missed = random.Random(SEED), [], 0  # noqa: S311
    for number in range(changes):
        priority = 20 if number % 2 else 10
        await asyncio.sleep(luck.uniform(0.3, 0.7))
        for stream in streams:
            stream.heard.clear()
        committed = await sync_to_async(_change)(tasks[number % len(tasks)], priority + number % 7 + 1)
        until = committed + HEARD_WITHIN_SECONDS
        while time.monotonic() < until and not all(stream.heard for stream in streams):
            await asyncio.sleep(0.005)
        waits += [(stream.heard[0] - committed) * 1000 for stream in streams if stream.heard]
        missed += sum(not stream.heard for stream in streams)
    return waits, missed


def _change(task: int, priority: int) -> float:
    operations.reprioritise(ACTOR, [task], priority)
    return time.monotonic()


async def _burst(web: Web, cookie: str, streams: list[Stream], tasks: list[int]) -> float:
    """Seconds from a commit that changes everything until a page that heard of it and looked again is right."""
    await asyncio.sleep(1)
    for stream in streams:
        stream.heard.clear()
    committed = await sync_to_async(_cancel)(tasks)
    extraction = await sync_to_async(lambda: Task.objects.get(pk=tasks[0]).extraction_id)()
    while time.monotonic() < committed + 30:
        if streams[0].heard:
            page = await asyncio.to_thread(crowd.get, web.url, f"/extractions/{extraction}/fragment/", cookie)
            if f"{len(tasks)} of {len(tasks)} documents done" in page:
                return time.monotonic() - committed
            streams[0].heard.clear()
        await asyncio.sleep(0.005)
    return float("inf")


def _cancel(tasks: list[int]) -> float:
    operations.cancel(ACTOR, tasks)
    return time.monotonic()
