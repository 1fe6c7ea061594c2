"""What tests of reading agents in the queue share: a document handed in, and a worker with one slot for real processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.executors.local import LocalExecutor
from tasks.intake import Upload, take_in
from tasks.models import Agent
from tasks.worker import Habits, Worker
from tests import queue_tools as tools
from tests.attempts import wait_for
from tests.factories import make_client


def hand_in(agent: Agent, path: Path) -> int:
    with path.open("rb") as file:
        extraction = take_in(
            tools.SYSTEM, client=make_client(), agent=agent, uploads=[Upload("long.pdf", file)]
        )
    return extraction.tasks.get().pk


@contextmanager
def working(folder: Path) -> Iterator[Worker]:
    worker = Worker(
        {"local": LocalExecutor(1, lambda attempt: folder / f"{attempt}.log")}, Habits(slots=1, age_seconds=0)
    )
    worker.register()
    try:
        yield worker
    finally:
        worker.finish(0.5)


def work_until(worker: Worker, condition: Callable[[], object]) -> None:
    wait_for(lambda: worker.tick(0.05) is not None and condition(), 60)
