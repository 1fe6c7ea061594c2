"""What every executor promises. Each kind brings a bench that makes orders for three behaviours and counts real runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from tasks.agent.contract import Code, Completed, Failed, Order
from tasks.executors import Executor, Run, RunState
from tasks.executors.local import LocalExecutor
from tests.attempts import below, ended, hear, make_order, running
from tests.fakes.jobbench import JobBench
from tests.standin.cloud import Cloud
from tests.standin.executor import StandinExecutor

pytest_plugins = ["tests.fakes.fixtures"]


class LocalBench:
    """Attempts as processes of this machine."""

    def __init__(self, folder: Path):
        self.executor: Executor = LocalExecutor(3, lambda attempt: folder / f"{attempt}.log")

    def order(self, behaviour: str) -> Order:
        """An order for an attempt that `completes`, `fails` (code corrupt) or `waits` until it is stopped."""
        return make_order(behaviour)

    def runs(self, attempts: set[UUID]) -> int:
        """How many runs there really are now; all of them belong to `attempts`."""
        return len(below(self.executor._link.process.pid))  # type: ignore[attr-defined, union-attr]


class StandinBench:
    """Runs of a remote service that outlive whoever started them."""

    def __init__(self, folder: Path):
        self.cloud = Cloud(folder / "cloud.sqlite")
        self.executor: Executor = StandinExecutor(self.cloud)

    def order(self, behaviour: str) -> Order:
        return make_order(behaviour)

    def runs(self, attempts: set[UUID]) -> int:
        return sum(not run.ended for run in self.cloud.runs())

    def another(self) -> Executor:
        """The executor of another worker, in front of the same service."""
        return StandinExecutor(self.cloud)


@pytest.fixture
def local(tmp_path: Path) -> Iterator[LocalBench]:
    yield from _closed(LocalBench(tmp_path))


@pytest.fixture
def standin(tmp_path: Path) -> Iterator[StandinBench]:
    yield from _closed(StandinBench(tmp_path))


@pytest.fixture
def databricks(on_databricks) -> Iterator[JobBench]:
    yield from _closed(JobBench(on_databricks))


def _closed(bench):
    yield bench
    bench.executor.close(5.0)


@pytest.fixture(params=["local", "standin", "databricks"])
def bench(request: pytest.FixtureRequest):
    return request.getfixturevalue(request.param)


@pytest.fixture(params=["standin", "databricks"])
def remote_bench(request: pytest.FixtureRequest):
    return request.getfixturevalue(request.param)


def test_a_completed_attempt_is_heard_from_its_start_to_its_confirmed_end(bench):
    order = bench.order("completes")
    answer = bench.executor.start([order])
    assert [report.attempt for report in answer.started] == [order.attempt]
    reports = hear(bench.executor, ended(order.attempt))
    events = [event for report in reports for event in report.events]
    assert events[0].type == "attempt.started"
    assert isinstance(events[-1], Completed)
    assert all(event.attempt == order.attempt for event in events)
    assert bench.runs({order.attempt}) == 0


def test_a_failed_attempt_says_why(bench):
    order = bench.order("fails")
    bench.executor.start([order])
    report = hear(bench.executor, ended(order.attempt))[-1]
    assert isinstance(report.events[-1], Failed)
    assert report.events[-1].code is Code.CORRUPT


def test_an_attempt_that_is_started_twice_runs_once(bench):
    order = bench.order("waits")
    first, second = bench.executor.start([order]), bench.executor.start([order])
    hear(bench.executor, running(order.attempt))
    assert bench.runs({order.attempt}) == 1
    assert first.started[0].run_id == second.started[0].run_id


def test_an_attempt_that_has_ended_is_not_run_again(bench):
    order = bench.order("completes")
    bench.executor.start([order])
    hear(bench.executor, ended(order.attempt))
    bench.executor.start([order])
    assert bench.runs({order.attempt}) == 0


def test_a_stopped_attempt_is_confirmed_as_cancelled(bench):
    order = bench.order("waits")
    run = Run(order.attempt, bench.executor.start([order]).started[0].run_id)
    hear(bench.executor, running(order.attempt))
    bench.executor.stop([run])
    report = hear(bench.executor, ended(order.attempt))[-1]
    assert report.code is Code.CANCELLED
    assert bench.runs({order.attempt}) == 0


def test_stopping_one_attempt_leaves_the_others_running(bench):
    stopped, other = bench.order("waits"), bench.order("waits")
    bench.executor.start([stopped, other])
    bench.executor.stop([Run(stopped.attempt)])
    reports = hear(bench.executor, ended(stopped.attempt))
    assert other.attempt not in {report.attempt for report in reports if report.state is RunState.ENDED}
    assert bench.executor.ask([Run(other.attempt)])[0].state is RunState.RUNNING


def test_asking_gives_one_report_per_run_in_order(bench):
    running_one, done, unknown = bench.order("waits"), bench.order("completes"), Run(uuid4())
    bench.executor.start([running_one, done])
    hear(bench.executor, ended(done.attempt))
    states = [
        report.state for report in bench.executor.ask([Run(running_one.attempt), Run(done.attempt), unknown])
    ]
    assert states == [RunState.RUNNING, RunState.ENDED, RunState.NOT_FOUND]


def test_stopping_and_asking_for_nothing_known_is_harmless(bench):
    bench.executor.stop([Run(uuid4())])
    assert bench.executor.start([]).started == ()
    assert bench.executor.ask([]) == []


def test_no_news_is_an_empty_answer_after_the_timeout(bench):
    assert bench.executor.news(0.05) == []


def test_a_remote_run_outlives_the_executor_that_started_it(remote_bench):
    order = remote_bench.order("waits")
    run_id = remote_bench.executor.start([order]).started[0].run_id
    hear(remote_bench.executor, running(order.attempt))
    remote_bench.executor.close(0.5)
    report = remote_bench.another().ask([Run(order.attempt, run_id)])[0]
    assert (report.state, report.run_id) == (RunState.RUNNING, run_id)


def test_an_ended_remote_run_tells_its_outcome_to_whoever_asks(remote_bench):
    order = remote_bench.order("completes")
    run_id = remote_bench.executor.start([order]).started[0].run_id
    hear(remote_bench.executor, ended(order.attempt))
    report = remote_bench.another().ask([Run(order.attempt, run_id)])[0]
    assert isinstance(report.events[-1], Completed)


def test_another_executor_that_starts_the_same_attempt_gets_the_same_run(remote_bench):
    order = remote_bench.order("waits")
    run_id = remote_bench.executor.start([order]).started[0].run_id
    assert remote_bench.another().start([order]).started[0].run_id == run_id
    assert remote_bench.runs({order.attempt}) == 1


def test_another_executor_can_stop_a_remote_run(remote_bench):
    order = remote_bench.order("waits")
    run_id = remote_bench.executor.start([order]).started[0].run_id
    remote_bench.another().stop([Run(order.attempt, run_id)])
    report = hear(remote_bench.executor, ended(order.attempt))[-1]
    assert report.code is Code.CANCELLED
