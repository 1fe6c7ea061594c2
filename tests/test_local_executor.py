"""What local attempts do to each other, to their worker and to the machine: nothing. Real processes, real kills."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from uuid import uuid4

import pytest

from tasks.agent.contract import Code, Completed, Failed, Limits, Progress
from tasks.executors import Run, RunState
from tasks.executors.attempt_log import LIMIT_BYTES
from tasks.executors.local import LocalExecutor
from tests import local_executor_tools
from tests.attempts import alive, below, ended, hear, make_order, running, wait_for
from tests.local_executor_tools import ROOT, linux, run, server_of, start
from tests.pdfs import HOSTILE, order_for, stored

executor, short_grace = local_executor_tools.executor, local_executor_tools.short_grace


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
    assert time.monotonic() - began < 20, (
        "on a busy machine an attempt, which gives way, waits for its second"
    )


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
    assert (seen["nice"], seen["umask"], seen["core"], seen["cpu"]) == (os.nice(0) + 5, 0o077, 0, 600)
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
    assert said.stdout.split() == [str(os.nice(0) + 3), "0"]


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
