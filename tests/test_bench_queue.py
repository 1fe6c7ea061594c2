"""The benches of the queue: each prints one object with every figure of its contract, and its parts measure what they say."""

from __future__ import annotations

import json
import time
from uuid import uuid4

import pytest

from tasks.agent.contract import Order
from tasks.bench import drain
from tasks.bench.noop import NoopExecutor
from tasks.executors import RunState

FIGURES = {
    "drain": {
        "jobs_per_s_1", "jobs_per_s_4", "ratio_to_pgbench", "ratio_to_pgbench_fast", "ratio_to_pgqueuer", "ratio_to_procrastinate",
        "ratio_to_django_tasks_db", "ratio_with_admission",
    },
    "latency": {"p50_ms", "p99_ms", "urgent_wait_ratio"},
    "backlog": {"claim_p99_ms", "claim_p99_ratio_to_empty", "claim_p99_ratio_xmin_held", "seq_scans"},
    "scale": {"claim_p99_ratio_10m_to_10k", "page_p95_ms", "prune_rows_per_s"},
    "notify": {"ratio_commits_with_live_updates", "lost_last_wakeups", "nudges_received", "right_after_s"},
    "checkpoints": {"writes_per_s_1", "writes_per_s_8", "writes_per_s_32", "queue_claim_p99_ratio"},
    "recovery": {"seconds_over_lease", "tasks_lost", "runs_started_twice", "false_sweeps"},
}  # fmt: skip
# What must hold on any machine, however slow and busy
EXACT = {
    "backlog": {"seq_scans": 0},
    "notify": {"lost_last_wakeups": 0},
    "recovery": {"tasks_lost": 0},
}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", FIGURES)
def test_a_bench_prints_every_figure_of_its_contract(place, monkeypatch, name):
    monkeypatch.setattr("tests.commands.SECONDS", 500)
    run = place.run("bench", name, "--json")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["bench"] == name and set(report["figures"]) == FIGURES[name]
    unknown = [figure for figure, value in report["figures"].items() if value is None]
    assert len(unknown) <= len(report["notes"]), "a figure that is not known has a note that says why"
    for figure, value in EXACT.get(name, {}).items():
        assert report["figures"][figure] == value, report
    if name == "recovery":  # of a worker that stood still for longer than its lease both runs may end
        assert report["figures"]["runs_started_twice"] <= report["figures"]["false_sweeps"], report


def order() -> Order:
    return Order(
        attempt=uuid4(), task=1, number=1, program="rules", document="/a.pdf", document_sha256="0" * 64
    )


def test_a_run_of_the_no_op_executor_takes_its_time_and_says_when_it_began_and_ended():
    executor, wanted = NoopExecutor(0.05), order()
    began = time.time()
    assert [report.state for report in executor.start([wanted]).started] == [RunState.RUNNING]
    assert executor.news(0.0) == []
    (report,) = executor.news(5.0)
    (event,) = report.events
    begin, end = (float(moment) for moment in event.trace_id.split())
    assert began <= begin <= began + 0.05 and end == pytest.approx(begin + 0.05, abs=1e-4)
    assert time.time() >= end, "it is not told before it has ended"
    assert executor.news(0.0) == []


def test_the_same_start_asked_for_twice_is_one_run():
    executor, wanted = NoopExecutor(0.01), order()
    executor.start([wanted])
    executor.start([wanted])
    time.sleep(0.02)
    assert len(executor.news(1.0)) == 1


def test_ratios_are_medians_of_the_rounds_ratios():
    field = drain.Field(db=None, seconds=1.0, rates={"a": [10.0, 40.0, 90.0], "b": [10.0, 20.0, 30.0]})
    assert field.ratio("a", "b") == 2.0, "and not 40 ÷ 20 by accident of the median rates"
    field.rates["a"] = [10.0, 90.0, 40.0]
    assert field.ratio("a", "b") == pytest.approx(1.333, abs=0.001)
    assert field.ratio("a", "nothing") is None
