"""Runs of a job when answers are lost, logins end, limits are met and words are unknown: one attempt is one run, and never two bills."""

from __future__ import annotations

import json
import time
from uuid import uuid4

import pytest

from tasks import databricks
from tasks.agent.contract import Code, Completed, Failed
from tasks.executors import Run, RunState
from tasks.executors import databricks as module
from tests.attempts import ended, hear, wait_for
from tests.fakes.jobbench import JobBench
from tests.fakes.jobs import FAILED, keep_running
from tests.fakes.programs import as_thread
from tests.fakes.wire import golden, seen

pytest_plugins = ["tests.fakes.fixtures"]
pytestmark = pytest.mark.slow
RUN_NOW, GET = "/jobs/run-now", "/jobs/runs/get"


@pytest.fixture
def bench(on_databricks, monkeypatch):
    """Runs that last until a test ends them, and a workspace that is given up after three seconds."""
    monkeypatch.setattr(databricks, "PATIENT", (2.0, 3))
    monkeypatch.setattr(module, "REST_SECONDS", 0.05)
    bench = JobBench(on_databricks, keep_running)
    yield bench
    bench.executor.close(1.0)
    bench.ear.close()


@pytest.fixture
def jobs(bench):
    return bench.workspace.jobs


def started(bench) -> Run:
    order = bench.order("completes")
    report = bench.executor.start([order]).started[0]
    return Run(order.attempt, report.run_id)


def state(bench, run: Run) -> RunState:
    return bench.executor.ask([run])[0].state


# Starting


@pytest.mark.parametrize("fault", ["lose", "drop", "429", "503"])
def test_a_start_that_goes_wrong_once_is_one_run(bench, jobs, fault):
    bench.workspace.fault(fault, RUN_NOW, times=1)
    run = started(bench)
    assert [str(one.run_id) for one in jobs.all()] == [run.run_id]


def test_a_start_whose_answers_are_all_lost_is_unsure_and_then_the_same_run(bench, jobs):
    order = bench.order("completes")
    fault = bench.workspace.fault("lose", RUN_NOW)
    answer = bench.executor.start([order])
    assert (answer.started, answer.refused, answer.unsure) == ((), (), (order.attempt,))
    bench.workspace.faults.remove(fault)
    time.sleep(0.1)
    assert bench.another().start([order]).started[0].run_id == str(jobs.all()[0].run_id)
    assert len(jobs.all()) == 1


def test_each_attempt_has_a_token_of_its_own_that_the_api_takes(bench, jobs):
    for _ in range(3):
        started(bench)
    tokens = {run.token for run in jobs.all()}
    assert len(tokens) == 3
    assert max(map(len, tokens)) <= 64


def test_a_workspace_that_asks_for_a_pause_gets_it(bench):
    bench.workspace.fault("429", RUN_NOW, retry_after="60", code="REQUEST_LIMIT_EXCEEDED")
    first, second = bench.order("completes"), bench.order("completes")
    assert bench.executor.start([first]).unsure == (first.attempt,)
    asked = len(bench.workspace.requests(RUN_NOW))
    assert bench.executor.start([second]).unsure == (second.attempt,)
    assert len(bench.workspace.requests(RUN_NOW)) == asked


def test_a_token_whose_run_was_deleted_ends_its_attempt_and_not_the_next(bench, jobs):
    run = started(bench)
    jobs.end(jobs.of(run.attempt))
    databricks.client().jobs.delete_run(int(run.run_id))
    order = bench.order("completes").model_copy(update={"attempt": run.attempt})
    refusal = bench.another().start([order]).refused[0]
    assert refusal.retryable and "for good" in refusal.message
    assert started(bench).run_id


def test_a_job_that_does_not_exist_is_said_and_not_tried_again(bench, jobs):
    bench.executor.job_id = 99
    refusal = bench.executor.start([bench.order("completes")]).refused[0]
    assert (refusal.code, refusal.retryable) == (Code.BAD_CONFIGURATION, False)
    assert "Job 99 does not exist" in refusal.message and "DATABRICKS_JOB_ID" in refusal.message


def test_a_refusal_says_nothing_of_a_run_that_another_replica_may_have_started(bench):
    order = bench.order("completes")
    bench.executor.start([order])
    bench.workspace.fault("403", RUN_NOW, code="PERMISSION_DENIED")
    assert bench.another().start([order]).unsure == (order.attempt,)


def test_parameters_hold_no_secret_and_are_small_whatever_the_document_is_called(bench, jobs):
    order = bench.order("completes").model_copy(update={"password": "hunter2", "document_name": "ä" * 500})
    bench.executor.start([order])
    told = json.dumps(jobs.of(order.attempt).parameters)
    assert order.callback_secret not in told and "hunter2" not in told
    assert len(told) < 2000


def test_the_order_with_its_secret_is_on_the_volume_until_the_run_has_ended(bench, jobs):
    order = bench.order("completes")
    bench.executor.start([order])
    name = module.order_name(order.attempt)
    assert order.callback_secret.encode() in bench.storage.open(name).read()
    jobs.end(jobs.of(order.attempt))
    bench.executor.ask([Run(order.attempt)])
    assert not bench.storage.exists(name)


def test_starts_of_many_replicas_stay_below_the_rate_together(bench, jobs, monkeypatch):
    monkeypatch.setattr(module, "START_SECONDS", 1.5)
    executor = bench.another(replicas=lambda: 4)
    orders = [bench.order("completes") for _ in range(20)]
    answer = executor.start(orders)
    assert 3 <= len(answer.started) <= 8
    assert len(answer.started) + len(answer.unsure) == 20
    executor.close(1.0)


# Asking


@pytest.mark.slow
def test_nothing_that_goes_wrong_with_asking_ends_a_run(bench, jobs):
    run = started(bench)
    for kind, code in (
        ("401", ""),
        ("403", "PERMISSION_DENIED"),
        ("429", ""),
        ("500", "INTERNAL_ERROR"),
        ("503", ""),
        ("drop", ""),
        ("cut", ""),
    ):
        fault = bench.workspace.fault(kind, GET, code=code)
        assert state(bench, run) is RunState.UNREACHABLE, kind
        bench.workspace.faults.remove(fault)
    assert state(bench, run) is RunState.RUNNING


def test_a_login_that_runs_out_during_a_long_run_is_renewed(bench):
    run = started(bench)
    for _ in range(3):
        bench.workspace.expire_tokens()
        assert state(bench, run) is RunState.RUNNING


def test_a_word_that_is_not_known_yet_is_asked_for_again(bench, jobs):
    run = started(bench)
    jobs.of(run.attempt).state = "PONDERING"
    assert state(bench, run) is RunState.UNREACHABLE
    jobs.of(run.attempt).state = "RUNNING"
    assert state(bench, run) is RunState.RUNNING


def test_a_run_that_the_workspace_does_not_know_is_not_found(bench):
    assert state(bench, Run(uuid4(), "424242")) is RunState.NOT_FOUND
    assert state(bench, Run(uuid4())) is RunState.NOT_FOUND


def test_a_run_that_was_skipped_is_handed_back(bench, jobs):
    run = started(bench)
    jobs.end(jobs.of(run.attempt), "SKIPPED", "CLIENT_ERROR", "Too many runs.")
    report = bench.executor.ask([run])[0]
    assert (report.state, report.code) == (RunState.ENDED, Code.RELEASED)


def test_a_program_that_dies_without_a_word_has_crashed(bench, jobs):
    run = started(bench)
    jobs.end(jobs.of(run.attempt), *FAILED, "Traceback")
    assert bench.executor.ask([run])[0].code is Code.CRASHED


def test_an_outcome_that_the_run_did_not_sign_is_not_believed(bench, jobs):
    run = started(bench)
    event = Completed(attempt=run.attempt).model_dump_json()
    path = bench.workspace.files.path(str(bench.storage.path_for_attempt(f"attempts/{run.attempt}.json")))
    path.write_text(json.dumps({"headers": {}, "body": event}))
    jobs.end(jobs.of(run.attempt))
    report = bench.executor.ask([run])[0]
    assert not any(isinstance(event, Completed | Failed) for event in report.events)


def test_an_outcome_that_cannot_be_read_now_may_stand_there_and_nothing_is_concluded(bench, jobs):
    jobs.runner = as_thread
    order = bench.order("completes")
    bench.executor.start([order])
    wait_for(lambda: jobs.of(order.attempt).ended)
    for fault in (
        bench.workspace.fault("503", "/fs/"),
        bench.workspace.fault("403", "/fs/", code="PERMISSION_DENIED"),
    ):
        assert state(bench, Run(order.attempt)) is RunState.UNREACHABLE
        bench.workspace.faults.remove(fault)
    assert isinstance(bench.executor.ask([Run(order.attempt)])[0].events[-1], Completed)


def test_many_runs_are_listed_and_few_are_asked_for_one_by_one(bench, jobs, monkeypatch):
    jobs.runner = None
    monkeypatch.setattr(module, "START_SECONDS", 60.0)
    for number in range(200):
        jobs._begin(jobs.job_id, f"other-{number}", {"attempt": str(uuid4())}, True)
    runs = [Run(uuid4(), str(run.run_id)) for run in jobs.all()]
    executor, before = bench.another(), len(bench.workspace.log)
    assert {report.state for report in executor.ask(runs)} == {RunState.STARTING}
    listed = bench.workspace.requests("/runs/list")
    assert len(listed) == 9 and len(bench.workspace.requests(GET)) == 0
    assert len({report.state for report in executor.ask(runs[:3])}) == 1
    assert len(bench.workspace.requests("/runs/list")) == 9 and len(bench.workspace.requests(GET)) == 3
    assert before < len(bench.workspace.log)
    executor.close(1.0)


def test_where_no_list_is_given_runs_are_asked_for_one_by_one_and_where_nobody_answers_later(bench, jobs):
    runs = [started(bench) for _ in range(8)]
    refused = bench.workspace.fault("403", "/runs/list", code="PERMISSION_DENIED")
    assert RunState.UNREACHABLE not in {report.state for report in bench.executor.ask(runs)}
    bench.workspace.faults.remove(refused)
    bench.workspace.fault("drop", "/runs/list")
    assert {report.state for report in bench.executor.ask(runs)} == {RunState.UNREACHABLE}


def test_a_run_that_ended_while_others_were_listed_is_asked_for(bench, jobs):
    jobs.runner = None
    for number in range(60):
        jobs._begin(jobs.job_id, f"other-{number}", {"attempt": str(uuid4())}, True)
    gone = jobs.all()[7]
    jobs.end(gone, "CLOUD_FAILURE", "CLOUD_FAILURE")
    runs = [Run(uuid4(), str(run.run_id)) for run in jobs.all()]
    states = [report.state for report in bench.executor.ask(runs)]
    assert states.count(RunState.ENDED) == 1 and states[7] is RunState.ENDED
    assert len(bench.workspace.requests(GET)) == 1


# Stopping


def test_a_cancellation_whose_answer_is_lost_is_confirmed_all_the_same(bench):
    run = started(bench)
    bench.workspace.fault("lose", "/runs/cancel", times=1)
    bench.executor.stop([run])
    report = hear(bench.executor, ended(run.attempt))[-1]
    assert report.code is Code.CANCELLED


def test_cancelling_what_has_ended_or_cannot_be_reached_is_harmless(bench, jobs):
    run = started(bench)
    jobs.end(jobs.of(run.attempt))
    bench.executor.stop([run, Run(uuid4(), "424242"), Run(uuid4())])
    bench.workspace.fault("503", "/runs/cancel")
    bench.executor.stop([run])


# What goes over the wire


def test_the_requests_are_those_that_were_seen_before(bench, jobs):
    run = started(bench)
    wait_for(lambda: state(bench, run) is RunState.RUNNING)
    bench.workspace.log[:] = [entry for entry in bench.workspace.log if GET not in entry["path"]]
    state(bench, run)
    bench.executor._listed(time.monotonic() + 5)
    bench.executor.stop([run])
    lines = [line for line in seen(bench.workspace, {str(run.attempt): "ATTEMPT"}) if "/jobs/" in line]
    assert lines == golden("jobs")
