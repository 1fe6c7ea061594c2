"""What tests of executors share: orders for small programs, waiting for news, and looking at real processes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from uuid import UUID, uuid4

from tasks.agent.contract import Limits, Order
from tasks.executors import Executor, Report, RunState

PATIENCE = 90.0


def make_order(program: str, *, settings: dict | None = None, password: str = "", **limits: int) -> Order:
    return Order(
        attempt=uuid4(),
        task=1,
        number=1,
        program=f"tests.attempt_programs:{program}",
        settings=settings or {},
        document="/nowhere.pdf",
        document_sha256="0" * 64,
        password=password,
        limits=Limits(**{"memory_mib": 512, "wall_seconds": 60, **limits}),
    )


def hear(
    executor: Executor, enough: Callable[[list[Report]], bool], patience: float = PATIENCE
) -> list[Report]:
    """All news until `enough` of it was heard."""
    heard: list[Report] = []
    deadline = time.monotonic() + patience
    while not enough(heard):
        assert time.monotonic() < deadline, f"not enough news: {heard}"
        heard += executor.news(0.5)
    return heard


def ended(*attempts: UUID) -> Callable[[list[Report]], bool]:
    """Enough news: the end of all these attempts."""
    return lambda heard: (
        {report.attempt for report in heard if report.state is RunState.ENDED} >= set(attempts)
    )


def running(*attempts: UUID) -> Callable[[list[Report]], bool]:
    """Enough news: all these attempts have said something."""
    return lambda heard: {report.attempt for report in heard if report.events} >= set(attempts)


def wait_for(condition: Callable[[], object], patience: float = PATIENCE) -> float:
    """Seconds until `condition` was true."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < patience, "it did not come true in time"
        time.sleep(0.005)
    return time.monotonic() - began


def alive(pid: int) -> bool:
    """Whether a process runs; one that has died and waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def below(pid: int) -> set[int]:
    """Pids of all processes below `pid`, dead ones that nobody has reaped included."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                parents[int(name)] = int(Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}
