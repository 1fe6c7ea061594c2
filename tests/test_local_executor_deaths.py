"""Local attempts end with their leases, their fork server and their worker, hung or killed, and nothing of them is left."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tasks.agent.contract import Code, Completed
from tasks.executors import RunState
from tasks.executors.child import scratch_folder
from tasks.executors.lease import LeaseClock
from tasks.executors.local import LocalExecutor
from tests import local_executor_tools
from tests.attempts import alive, below, ended, hear, make_order, running, wait_for
from tests.local_executor_tools import ROOT, linux, pid_of, server_of, start

executor, short_grace = local_executor_tools.executor, local_executor_tools.short_grace


def test_attempts_die_when_the_workers_leases_run_out(executor):
    order = make_order("spins_in_c")
    executor.extend(60)
    start(executor, order)
    hear(executor, running(order.attempt))
    executor.extend(0.3)
    report = hear(executor, ended(order.attempt), 5)[-1]
    assert report.code is Code.LOST


def test_attempts_live_while_the_leases_are_extended(executor):
    order = make_order("waits")
    executor.extend(3)
    start(executor, order)
    until = time.monotonic() + 4
    while time.monotonic() < until:
        executor.extend(3)
        assert not [report for report in executor.news(0.1) if report.state is RunState.ENDED]
    assert alive(pid_of(executor, order))


@linux
def test_attempts_die_with_the_lease_also_when_their_fork_server_hangs(executor):
    order = make_order("waits")
    start(executor, order)
    pid = pid_of(executor, order)
    hear(executor, running(order.attempt))
    os.kill(server_of(executor), signal.SIGSTOP)
    executor.extend(0)
    assert wait_for(lambda: not alive(pid)) < 1.5
    os.kill(server_of(executor), signal.SIGCONT)
    assert hear(executor, ended(order.attempt))[-1].code is Code.LOST


@linux
def test_a_killed_fork_server_ends_its_attempts_confirmed_and_the_next_start_makes_a_new_one(
    executor, tmp_path
):
    note = tmp_path / "note"
    orders = [
        make_order("leaves_processes_behind", settings={"note": str(note), "wait": True}),
        make_order("spins_in_c"),
    ]
    start(executor, *orders)
    hear(executor, running(*(order.attempt for order in orders)))
    wait_for(lambda: note.exists() and note.read_text())
    family = json.loads(note.read_text())
    first = server_of(executor)
    os.kill(first, signal.SIGKILL)
    reports = hear(executor, ended(*(order.attempt for order in orders)), 5)
    assert {report.code for report in reports if report.state is RunState.ENDED} == {Code.CRASHED}
    # Its descriptors are closed a moment before a process counts as dead.
    wait_for(lambda: not any(alive(pid) for pid in family), 1)
    assert not [order for order in orders if scratch_folder(str(order.attempt)).exists()]
    after = make_order("completes")
    start(executor, after)
    assert server_of(executor) != first
    assert isinstance(hear(executor, ended(after.attempt))[-1].events[-1], Completed)


@linux
def test_attempts_die_with_their_fork_server_though_nobody_looks(executor):
    """The parent-death signal alone: this one cannot watch, and the worker is busy elsewhere."""
    order = make_order("spins_in_c")
    start(executor, order)
    hear(executor, running(order.attempt))
    pid = pid_of(executor, order)
    os.kill(server_of(executor), signal.SIGKILL)
    assert wait_for(lambda: not alive(pid)) < 1


WORKER = """
import sys
from pathlib import Path
from tasks.executors import Run
from tasks.executors.local import LocalExecutor
from tests.attempts import make_order, hear, running

executor = LocalExecutor(4, lambda attempt: Path(sys.argv[1]) / f"{attempt}.log")
orders = [
    make_order("ignores_sigterm"),
    make_order("leaves_processes_behind", settings={"note": sys.argv[1] + "/note", "wait": True}),
    make_order("spins_in_c"),
    make_order("stops_itself"),
]
executor.start(orders)
hear(executor, running(*(order.attempt for order in orders)))
silent = executor.ask([Run(orders[0].attempt)])[0].run_id.removeprefix("pid:")
print(executor._link.process.pid, silent, flush=True)
while True:
    executor.news(60)
"""


@linux
@pytest.mark.parametrize("hung_server", [False, True])
def test_a_killed_worker_takes_everything_with_it_within_a_second(tmp_path, hung_server):
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    server, silent = (int(pid) for pid in worker.stdout.readline().split())
    note = tmp_path / "note"
    wait_for(lambda: note.exists() and note.read_text())
    family = {server, *below(server)}
    assert len(family) == 7
    if hung_server:
        os.kill(server, signal.SIGSTOP)
    worker.kill()
    worker.wait()
    if hung_server:  # then only what watches its own channel can know
        assert wait_for(lambda: not alive(silent)) < 1
        os.kill(server, signal.SIGCONT)
    assert wait_for(lambda: not any(alive(pid) for pid in family)) < 1
    worker.stdout.close()


@linux
def test_closing_leaves_no_process_and_hands_the_attempts_back(tmp_path):
    executor = LocalExecutor(3, lambda attempt: tmp_path / f"{attempt}.log")
    orders = [make_order("waits"), make_order("ignores_sigterm"), make_order("stops_itself")]
    start(executor, *orders)
    hear(executor, running(*(order.attempt for order in orders)))
    server = server_of(executor)
    family = {server, *below(server)}
    began = time.monotonic()
    executor.close(1.0)
    assert time.monotonic() - began < 2
    assert not [pid for pid in family if Path(f"/proc/{pid}").exists()]
    reports = executor.news(0)
    assert {report.attempt for report in reports} == {order.attempt for order in orders}
    assert {report.code for report in reports} == {Code.RELEASED}


@linux
def test_a_fork_server_that_hangs_is_replaced(executor, monkeypatch):
    monkeypatch.setattr("tasks.executors.local.ANSWER_SECONDS", 0.5)
    first = server_of(executor)
    start(executor, make_order("completes"))
    os.kill(first, signal.SIGSTOP)
    stuck = make_order("completes")
    executor.start([stuck])
    assert hear(executor, ended(stuck.attempt), 5)[-1].code is Code.CRASHED
    after = make_order("completes")
    start(executor, after)
    assert server_of(executor) != first
    assert isinstance(hear(executor, ended(after.attempt))[-1].events[-1], Completed)


@linux
def test_an_overdue_attempt_ends_also_when_its_fork_server_hangs(executor, monkeypatch):
    monkeypatch.setattr("tasks.executors.local.BACKSTOP_SECONDS", 0.5)
    order = make_order("spins_in_c", wall_seconds=1)
    start(executor, order)
    os.kill(server_of(executor), signal.SIGSTOP)
    assert hear(executor, ended(order.attempt), 5)[-1].code is Code.CRASHED


@pytest.mark.slow
def test_a_thousand_attempts_leave_no_descriptor_and_no_process(executor):
    def round_of_four() -> None:
        orders = [make_order(name) for name in ("completes", "fails", "kills_itself", "leaves")]
        start(executor, *orders)
        hear(executor, ended(*(order.attempt for order in orders)))

    def descriptors() -> tuple[int, int]:
        return len(os.listdir("/proc/self/fd")), len(os.listdir(f"/proc/{server_of(executor)}/fd"))

    round_of_four()
    before = descriptors()
    for _ in range(250):
        round_of_four()
    # Not more; other things of this process may have been closed meanwhile
    assert all(now <= then for now, then in zip(descriptors(), before, strict=True))
    assert not below(server_of(executor))


def test_a_fork_server_whose_worker_left_before_it_was_ready_ends_without_a_word():
    lease = LeaseClock()
    ours, theirs = socket.socketpair()
    numbers = (theirs.fileno(), lease.descriptor)
    with theirs:
        server = subprocess.Popen(
            [sys.executable, "-m", "tasks.executors.forkserver", *map(str, numbers)],
            pass_fds=numbers, cwd=ROOT, stderr=subprocess.PIPE,
        )  # fmt: skip
        ours.close()
    _, said = server.communicate(timeout=60)
    lease.close()
    assert (server.returncode, said) == (0, b"")
