"""A local executor that waits little, and what its fork server and attempts are called."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.executors import Run, RunState
from tasks.executors.local import LocalExecutor
from tests.attempts import alive, below, ended, hear, make_order

ROOT = Path(__file__).resolve().parent.parent


linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.executors.local.STOP_GRACE_SECONDS", 0.5)
    monkeypatch.setattr("tasks.executors.local.LEAVE_SECONDS", 0.5)


@pytest.fixture
def executor(tmp_path: Path) -> Iterator[LocalExecutor]:
    executor = LocalExecutor(4, lambda attempt: tmp_path / f"{attempt}.log")
    yield executor
    server = server_of(executor)
    executor.close(3.0)
    assert not below(server)
    assert not alive(server)


def server_of(executor: LocalExecutor) -> int:
    return executor._link.process.pid


def pid_of(executor: LocalExecutor, order) -> int:
    return int(executor.ask([Run(order.attempt)])[0].run_id.removeprefix("pid:"))


def start(executor: LocalExecutor, *orders):
    answer = executor.start(orders)
    assert not answer.refused
    return answer


def run(executor: LocalExecutor, program: str, *, patience: float = 90.0, **order):
    """Run one program to its end beside another attempt, which must go on untouched."""
    other, tried = make_order("waits"), make_order(program, **order)
    start(executor, other, tried)
    reports = hear(executor, ended(tried.attempt), patience)
    assert executor.ask([Run(other.attempt)])[0].state is RunState.RUNNING
    return next(r for r in reports if r.attempt == tried.attempt and r.state is RunState.ENDED)
