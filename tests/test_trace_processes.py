"""Traces and real processes: eight children at once, exporters and workers that are killed, and none is lost or doubled."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from tasks.agent.contract import Order
from tasks.agent.trace_store import TraceStore, local_uri
from tasks.agent.tracing import trace_id
from tasks.executors.local import LocalExecutor
from tasks.traces.spool import Spool
from tests.attempts import ended, hear, make_order
from tests.commands import SAMPLES, Place, processes_of, wait_until
from tests.process_tools import begin_worker, django_at
from tests.test_tracing import traced

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
CHILDREN, TRACES = 8, 400
PATIENCE = 240.0


def leave_traces(files: Spool, logs: Path, count: int) -> list[UUID]:
    """So many attempts, eight at a time, in children of one fork server."""
    executor = LocalExecutor(CHILDREN, lambda attempt: logs / f"{attempt}.log", files)
    executor.extend(PATIENCE)
    attempts: list[UUID] = []
    try:
        while len(attempts) < count:
            orders: list[Order] = [traced(make_order("calls_a_model")) for _ in range(CHILDREN)]
            executor.start(orders)
            attempts += [order.attempt for order in orders]
            hear(executor, ended(*attempts[-CHILDREN:]), PATIENCE)
    finally:
        executor.close(1.0)
    return attempts


def stored(home: Path, attempts: list[UUID]) -> dict[str, tuple[int, int, int | None]]:
    store = TraceStore(local_uri(home), "agentaudit")
    found = store.read([trace_id(attempt) for attempt in attempts])
    return {name: (trace.spans, trace.calls, trace.tokens["input_tokens"]) for name, trace in found.items()}


def moved(files: Spool, exporter: subprocess.Popen[str]) -> Callable[[], bool]:
    """Whether fewer wait than now, or nobody writes them."""
    waiting = len(files.waiting())
    return lambda: len(files.waiting()) < waiting or exporter.poll() is not None


def test_eight_children_write_400_of_400_traces_past_exporters_that_are_killed(place: Place, tmp_path):
    files = Spool(place.home / "spans")
    exporter = place.begin("traces", TRACING="1")
    attempts = leave_traces(files, tmp_path, TRACES)
    kills = 0
    while files.waiting():
        wait_until(moved(files, exporter), PATIENCE, "an export")
        if kills < 4:
            kills += 1
            exporter.kill()
            exporter.communicate()
            exporter = place.begin("traces", TRACING="1")
    exporter.send_signal(signal.SIGTERM)
    assert exporter.wait(60) == 0
    assert kills >= 2
    found = stored(place.home, attempts)
    assert len(found) == TRACES
    assert set(found.values()) == {(3, 1, 100)}


def exporters(place: Place) -> list[int]:
    return [pid for pid, command in processes_of(place.home).items() if " traces" in command]


def test_a_worker_starts_an_exporter_again_when_it_is_killed_and_takes_it_along_when_it_goes(place: Place):
    assert (
        place.run(
            "extract", *sorted(SAMPLES.glob("0[1-4]*.pdf")), "--client", "A", "--create-client"
        ).returncode
        == 0
    )
    with django_at(place):
        worker = begin_worker(place, TRACING="1")
        try:
            place.run("extract", *sorted(SAMPLES.glob("0[1-4]*.pdf")), "--client", "A", "--again")
            [first] = wait_until(lambda: exporters(place), 60, "an exporter")
            os.kill(first, signal.SIGKILL)
            wait_until(lambda: exporters(place) not in ([], [first]), 60, "another exporter")
            query = "Attempt.objects.exclude(trace_id='').exclude(trace_state='agrees').count()"
            wait_until(lambda: place.ask(query) == 0, PATIENCE, "the comparison of all traces")
            assert place.ask("Attempt.objects.filter(trace_state='agrees').count()") == 4
        finally:
            worker.send_signal(signal.SIGTERM)
            worker.wait(30)
    wait_until(lambda: not exporters(place), 60, "the end of the exporter")
    assert Spool(place.home / "spans").waiting() == []


def test_an_attempt_does_not_mind_a_trace_store_that_is_away(place: Place):
    began = time.monotonic()
    with django_at(place):
        worker = begin_worker(place, TRACING="1", MLFLOW_TRACKING_URI="http://127.0.0.1:9")
        try:
            run: subprocess.CompletedProcess[str] = place.run(
                "extract", SAMPLES / "01-invoice-english.pdf", "--client", "B", "--create-client"
            )
            assert run.returncode == 0 and time.monotonic() - began < 60
        finally:
            worker.send_signal(signal.SIGTERM)
            worker.wait(30)
    assert len(Spool(place.home / "spans").waiting()) == 1
