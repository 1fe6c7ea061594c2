"""What local attempts do to each other, to their worker and to the machine: nothing. Real processes, real kills."""

from __future__ import annotations

import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tasks.agent.contract import Code, Completed, Failed, Limits, Progress
from tasks.executors import Run, RunState
from tasks.executors.attempt_log import LIMIT_BYTES
from tasks.executors.child import scratch_folder
from tasks.executors.lease import LeaseClock
from tasks.executors.local import LocalExecutor
from tests.attempts import alive, below, ended, hear, make_order, running, wait_for
from tests.pdfs import HOSTILE, order_for, stored

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


# How attempts end


@pytest.mark.parametrize(
    ("program", "limits", "code", "words"),
    [
        (
            "crashes_in_c",
            {},
            Code.CRASHED,
            "The PDF library crashed (segmentation fault) while reading this file.",
        ),
        ("kills_itself", {}, Code.CRASHED, "killed from outside (SIGKILL)"),
        ("leaves", {}, Code.CRASHED, "without a result (exit code 7)"),
        ("spins_in_c", {"cpu_seconds": 1}, Code.LIMIT, "1 seconds of processor time"),
        ("spins_in_c", {"wall_seconds": 1}, Code.TIMEOUT, "within 1 seconds"),
        ("ignores_sigterm", {"wall_seconds": 1}, Code.TIMEOUT, "within 1 seconds"),
        ("stops_itself", {"wall_seconds": 1}, Code.TIMEOUT, "within 1 seconds"),
        ("says_garbage", {}, Code.INVALID_RESULT, "does not follow the contract"),
        ("speaks_for_another", {}, Code.INVALID_RESULT, "another attempt"),
        ("says_too_much", {}, Code.INVALID_RESULT, "more than 16 MiB"),
    ],
)
def test_one_attempt_ends_with_a_clear_error_and_the_others_go_on(executor, program, limits, code, words):
    began = time.monotonic()
    report = run(executor, program, **limits)
    assert report.code is code
    assert words in report.message
    assert not [event for event in report.events if isinstance(event, Completed | Failed)]
    assert time.monotonic() - began < 6


def test_a_memory_hog_ends_at_its_limit(executor):
    report = run(executor, "hogs_memory", memory_mib=128)
    assert report.code is Code.OUT_OF_MEMORY
    assert "128 MiB" in report.message
    assert report.max_rss_bytes < 300 << 20


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_document_ends_its_own_attempt_in_time_and_memory(executor, tmp_path, kind):
    path = stored(tmp_path, HOSTILE[kind]())
    other, tried = make_order("waits"), order_for(path, attempt=uuid4(), limits=Limits(memory_mib=512))
    began = time.monotonic()
    start(executor, other, tried)
    report = hear(executor, ended(tried.attempt))[-1]
    assert time.monotonic() - began < 20, "starting the first attempt takes some of it"
    assert report.max_rss_bytes < 600 << 20
    outcome = report.events[-1] if report.events else None
    if isinstance(outcome, Completed):  # of a page without words, which it says
        assert outcome.result.needs_review and outcome.result.confidence == 0
    else:
        assert report.code in (Code.LIMIT, Code.CORRUPT, Code.OUT_OF_MEMORY, Code.CRASHED)
    assert executor.ask([Run(other.attempt)])[0].state is RunState.RUNNING


@linux
def test_a_fork_bomb_ends_whole(executor):
    report = run(executor, "forks_without_end")
    assert (report.code, report.message) == (
        Code.LIMIT,
        "The agent started too many processes and was stopped.",
    )
    assert len(below(server_of(executor))) == 1


def test_an_attempt_at_its_wall_limit_that_listens_is_a_timeout_too(executor):
    """The agent only knows that it was asked to stop, and says cancelled."""
    report = run(executor, "waits", wall_seconds=1)
    assert report.events[-1].code is report.code is Code.TIMEOUT
    assert report.events[-1].retryable


@pytest.mark.parametrize("program", ["ignores_sigterm", "stops_itself", "spins_in_c"])
def test_a_stop_ends_what_does_not_listen(executor, program):
    order = make_order(program)
    start(executor, order)
    hear(executor, running(order.attempt))
    executor.stop([Run(order.attempt)])
    report = hear(executor, ended(order.attempt), 5)[-1]
    assert report.code is Code.CANCELLED


def test_an_attempt_that_stays_after_its_outcome_is_made_to_leave_and_keeps_the_outcome(executor):
    report = run(executor, "stays_after_its_outcome", patience=5)
    assert isinstance(report.events[-1], Completed)


def test_a_large_order_and_a_large_result_arrive_whole(executor):
    report = run(executor, "gives_a_large_result", settings={"schema": "s" * 2_000_000})
    assert len(report.events[-1].result.notes) == 20_000


@linux
def test_nothing_that_an_attempt_started_outlives_it(executor, tmp_path):
    note = tmp_path / "note"
    report = run(executor, "leaves_processes_behind", settings={"note": str(note)})
    assert isinstance(report.events[-1], Completed)
    assert not [pid for pid in json.loads(note.read_text()) if alive(pid)]


def test_the_report_says_what_was_used(executor):
    report = run(executor, "completes")
    assert 0 < report.cpu_seconds < 5
    assert 1 << 20 < report.max_rss_bytes < 1 << 30


# What an attempt sees and leaves


@linux
def test_an_attempt_sees_nothing_of_its_worker(tmp_path, monkeypatch):
    for name in ("DATABASE_URL", "SECRET_KEY", "DATABRICKS_TOKEN", "PGPASSWORD"):
        monkeypatch.setenv(name, "canary")
    own = LocalExecutor(2, lambda attempt: tmp_path / f"{attempt}.log")
    order = make_order(
        "tells_its_surroundings", settings={"note": str(tmp_path / "note")}, password="sesame-canary"
    )
    start(own, order)
    server = server_of(own)
    kept = b"".join(Path(f"/proc/{server}/{name}").read_bytes() for name in ("environ", "cmdline"))
    report = hear(own, ended(order.attempt))[-1]
    own.close(1)
    assert isinstance(report.events[-1], Completed), report
    seen = json.loads((tmp_path / "note").read_text())
    assert "canary" not in json.dumps(seen["environ"]) + seen["cmdline"]
    assert b"canary" not in kept
    assert seen["password"] == "sesame-canary"
    assert seen["descriptors"] == [0, 1, 2, 3, 4]  # 4: the listing itself
    assert seen["stdin"] == "/dev/null"
    assert seen["session"]
    assert (seen["nice"], seen["umask"], seen["core"], seen["cpu"]) == (5, 0o077, 0, 600)
    assert seen["session_nice"] in ("5", None) or os.geteuid() != 0
    assert seen["oom_score_adj"] == "800"
    assert seen["heavy"] == []
    assert not Path(seen["cwd"]).exists()


def test_what_an_attempt_prints_is_in_its_log(executor, tmp_path):
    order = make_order("prints_a_little")
    start(executor, order)
    hear(executor, ended(order.attempt))
    path = tmp_path / f"{order.attempt}.log"
    assert sorted(path.read_text().splitlines()) == [
        "and from a child",
        "to standard error",
        "to standard output",
    ]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_long_log_is_cut_with_a_notice_and_the_attempt_goes_on(executor, tmp_path):
    order = make_order("prints_much")
    start(executor, order)
    report = hear(executor, ended(order.attempt))[-1]
    assert isinstance(report.events[-1], Completed)
    log = (tmp_path / f"{order.attempt}.log").read_bytes()
    assert log.startswith(b"first line\n")
    assert log.endswith(b"cut here: it reached 1 MiB.]\n")
    assert LIMIT_BYTES < len(log) < LIMIT_BYTES + 100


def test_an_attempt_whose_log_cannot_be_opened_is_refused_and_may_be_tried_again(tmp_path):
    executor = LocalExecutor(1, lambda attempt: tmp_path / "no such folder" / "x.log")
    answer = executor.start([make_order("completes")])
    executor.close(1)
    assert (answer.refused[0].code, answer.refused[0].retryable) == (Code.STORAGE, True)


# Fairness between attempts, and with the worker


def test_more_than_the_slots_is_refused_and_may_be_tried_again(executor):
    orders = [make_order("waits") for _ in range(5)]
    answer = executor.start(orders)
    assert len(answer.started) == 4
    assert [refusal.attempt for refusal in answer.refused] == [orders[4].attempt]
    assert answer.refused[0].retryable


@linux
def test_who_gives_way_in_a_session_of_somebody_else_takes_nobody_with_it():
    inner = "import os; from tasks.executors import system; system.give_way(3); print(os.nice(0), flush=True)"
    outer = (
        "import pathlib, subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]], check=True); "
        "found = pathlib.Path('/proc/self/autogroup'); print(found.read_text().split()[-1] if found.exists() else 0)"
    )
    said = subprocess.run([sys.executable, "-c", outer, inner], cwd=ROOT, start_new_session=True, capture_output=True, text=True, check=True)  # fmt: skip
    assert said.stdout.split() == ["3", "0"]


def test_a_chatty_attempt_starves_nobody_and_its_progress_is_thinned(executor):
    chatty, quiet = make_order("chatters", settings={"seconds": 1}), make_order("completes")
    start(executor, chatty)
    hear(executor, running(chatty.attempt))
    began = time.monotonic()
    start(executor, quiet)
    reports = hear(executor, ended(quiet.attempt))
    assert time.monotonic() - began < 1
    reports += hear(executor, ended(chatty.attempt))
    spoken = [report for report in reports if report.attempt == chatty.attempt]
    assert len(spoken) < 12
    assert all(sum(isinstance(event, Progress) for event in report.events) <= 1 for report in spoken)
    assert isinstance(spoken[-1].events[-1], Completed)


def test_what_is_said_with_an_outcome_is_told_with_the_end_for_which_the_worker_sleeps(executor):
    order = make_order("lingers")
    start(executor, order)
    began, reports = time.process_time(), hear(executor, ended(order.attempt))
    assert time.process_time() - began < 0.2
    told = [[type(event) for event in report.events] for report in reports]
    assert told[-1] == [Progress, Completed]
    assert Progress not in itertools.chain(*told[:-1])


def test_a_worker_that_does_not_listen_holds_up_nobody_and_loses_nothing(executor, tmp_path):
    note = tmp_path / "note"
    order = make_order("reports_every_page", settings={"note": str(note)})
    start(executor, order)
    wait_for(note.exists)
    report = hear(executor, ended(order.attempt))[-1]
    assert isinstance(report.events[-1], Completed)


def test_waiting_for_news_ends_when_woken_from_a_thread_or_a_signal(executor):
    executor.news(0)
    waker = threading.Timer(0.1, executor.wake)
    waker.start()
    began = time.monotonic()
    assert executor.news(20) == []
    previous = signal.signal(signal.SIGALRM, lambda *_: executor.wake())
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        assert executor.news(20) == []
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert time.monotonic() - began < 5


def test_waking_a_closed_executor_is_harmless(tmp_path):
    executor = LocalExecutor(1, lambda attempt: tmp_path / "log")
    executor.close(1)
    executor.wake()
    assert executor.start([make_order("completes")]).refused[0].code is Code.RELEASED


# Leases, the fork server's death, the worker's death


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
