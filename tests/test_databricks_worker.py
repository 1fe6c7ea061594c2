"""Tasks whose attempts are runs of a job, from the claim to their end: callbacks lost, workers dead, runs cancelled, skipped and cut off."""

from __future__ import annotations

from uuid import UUID

import pytest

from tasks import databricks, faults, operations
from tasks.agent.contract import Code
from tasks.executors import databricks as module
from tasks.models import Task
from tests.fakes.fleet import JobFleet
from tests.fakes.jobs import keep_running
from tests.standin.fleet import ACTOR

pytest_plugins = ["tests.fakes.fixtures"]
pytestmark = pytest.mark.django_db(transaction=True)
RUN_NOW = "/jobs/run-now"


@pytest.fixture
def fleet(on_databricks, monkeypatch):
    monkeypatch.setattr(databricks, "PATIENT", (2.0, 3))
    monkeypatch.setattr(module, "REST_SECONDS", 0.05)
    fleet = JobFleet(on_databricks)
    yield fleet
    fleet.close()


def test_a_task_is_completed_by_what_its_run_left_on_the_volume(fleet):
    [task] = fleet.submit(fleet.agent())
    worker = fleet.worker()
    fleet.until(lambda: fleet.status(task) == "completed", worker)
    [attempt] = fleet.attempts(task)
    [run] = fleet.runs()
    assert (attempt.run_id, attempt.result["kind"]) == (str(run.run_id), "invoice")
    assert attempt.run_page_url.endswith(f"/jobs/{run.job_id}/runs/{run.run_id}?o=123")
    fleet.until(lambda: fleet.attempts(task)[0].ended_at, worker)


def test_a_program_that_fails_says_why(fleet):
    [task] = fleet.submit(fleet.agent("fails"))
    fleet.until(lambda: fleet.status(task) == "failed", fleet.worker())
    assert fleet.attempts(task)[0].error_code == Code.CORRUPT


def test_a_worker_that_dies_between_the_start_and_its_storing_leaves_one_run_that_another_adopts(
    fleet, monkeypatch
):
    fleet.workspace.jobs.runner = keep_running
    [task] = fleet.submit(fleet.agent("waits"))

    def die(point: str) -> None:
        if point == "start:asked":
            raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(faults, "point", die)
        fleet.worker().tick(0.0)
    assert fleet.attempts(task)[0].run_id == ""
    fleet.expire()
    heir = fleet.worker()
    fleet.until(lambda: heir.held, heir)
    [run], [attempt] = fleet.runs(), fleet.attempts(task)
    assert attempt.run_id == str(run.run_id) and run.asked == 2
    assert Task.objects.get(pk=task).locked_by == f"run:{run.run_id}"
    fleet.workspace.jobs.end(run, "CLOUD_FAILURE", "CLOUD_FAILURE")
    fleet.until(lambda: fleet.attempts(task)[0].error_code == Code.UPSTREAM, heir)


@pytest.mark.slow
def test_a_start_that_is_never_heard_of_is_one_run_in_the_end(fleet):
    fault = fleet.workspace.fault("lose", RUN_NOW, times=5)
    [task] = fleet.submit(fleet.agent())
    fleet.until(lambda: fleet.status(task) == "completed", fleet.worker(), seconds=40)
    assert fault.times < 5
    assert len(fleet.runs()) == 1 and len(fleet.attempts(task)) == 1


def test_a_cancelled_task_is_cancelled_there_and_confirmed(fleet):
    [task] = fleet.submit(fleet.agent("waits"))
    worker = fleet.worker()
    fleet.until(lambda: fleet.attempts(task) and fleet.attempts(task)[0].run_id, worker)
    operations.cancel(ACTOR, [task])
    fleet.until(lambda: fleet.status(task) == "cancelled", worker)
    fleet.until(lambda: fleet.attempts(task)[0].ended_at, worker)
    assert fleet.runs()[0].ended


def test_a_run_for_which_there_was_no_room_costs_its_task_nothing(fleet):
    fleet.workspace.jobs.runner = keep_running
    [task] = fleet.submit(fleet.agent("waits"))
    worker = fleet.worker()
    fleet.until(fleet.runs, worker)
    fleet.workspace.jobs.end(fleet.runs()[0], "MAX_CONCURRENT_RUNS_EXCEEDED", "CLIENT_ERROR", "Full.")
    fleet.until(lambda: len(fleet.runs()) == 2, worker)
    assert Task.objects.get(pk=task).attempts_burnt == 0
    first, second = fleet.attempts(task)
    assert first.status == "released" and first.id != second.id
    assert len({run.token for run in fleet.runs()}) == 2


def test_a_second_attempt_is_a_second_run(fleet):
    fleet.workspace.jobs.runner = keep_running
    [task] = fleet.submit(fleet.agent("waits"))
    worker = fleet.worker()
    fleet.until(fleet.runs, worker)
    fleet.workspace.jobs.end(fleet.runs()[0], "CLOUD_FAILURE", "CLOUD_FAILURE")
    fleet.until(lambda: fleet.attempts(task)[0].error_code, worker)
    fleet.advance(400)
    fleet.until(lambda: len(fleet.runs()) == 2, worker)
    tokens = [UUID(run.token) for run in fleet.runs()]
    assert tokens == [attempt.pk for attempt in fleet.attempts(task)]


def test_reading_again_what_was_completed_is_a_run_of_its_own(fleet):
    [task] = fleet.submit(fleet.agent())
    worker = fleet.worker()

    def all_ended(number: int) -> bool:
        attempts = fleet.attempts(task)
        return len(attempts) == number and all(attempt.ended_at for attempt in attempts)

    fleet.until(lambda: fleet.status(task) == "completed" and all_ended(1), worker)
    operations.reprocess(ACTOR, [task])
    fleet.until(lambda: fleet.status(task) == "completed" and all_ended(2), worker)
    first, second = fleet.attempts(task)
    assert {first.run_id, second.run_id} == {str(run.run_id) for run in fleet.runs()}
    assert len(fleet.runs()) == 2 and Task.objects.get(pk=task).result_attempt == second.pk


def test_a_fault_of_the_job_itself_is_not_tried_again(fleet):
    fleet.workspace.jobs.runner = keep_running
    [task] = fleet.submit(fleet.agent("waits"))
    worker = fleet.worker()
    fleet.until(fleet.runs, worker)
    fleet.workspace.jobs.end(fleet.runs()[0], "LIBRARY_INSTALLATION_ERROR", "CLIENT_ERROR", "No such wheel.")
    fleet.until(lambda: fleet.status(task) == "failed", worker)
    assert "No such wheel" in Task.objects.get(pk=task).error_message


@pytest.mark.slow
def test_a_workspace_that_is_gone_loses_nothing(fleet):
    fleet.workspace.jobs.runner = keep_running
    [task] = fleet.submit(fleet.agent("waits"))
    worker = fleet.worker()
    fleet.until(lambda: fleet.attempts(task) and fleet.attempts(task)[0].run_id, worker)
    fault = fleet.workspace.fault("503")
    worker.tick(0.0)
    fleet.advance(30)
    worker.tick(0.0)
    assert fleet.status(task) == "processing"
    fleet.workspace.faults.remove(fault)
    assert len(fleet.runs()) == 1
