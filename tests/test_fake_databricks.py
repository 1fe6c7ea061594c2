"""The local workspace refuses what the real one does not know, and goes wrong as it is told to; our client stays within bounds."""

from __future__ import annotations

import time

import pytest

from tasks import databricks

pytest_plugins = ["tests.fakes.fixtures"]
RUN_NOW = "/jobs/run-now"


def start(token: str = "a", **parameters: str):
    from databricks.sdk.service.jobs import QueueSettings

    return databricks.client().jobs.run_now(
        7, idempotency_token=token, job_parameters=parameters, queue=QueueSettings(enabled=True)
    ).response  # fmt: skip


def test_a_start_whose_answer_is_lost_is_the_same_run_when_it_is_asked_again(workspace):
    workspace.fault("lose", RUN_NOW, times=1)
    run_id = start().run_id
    assert [run.run_id for run in workspace.jobs.all()] == [run_id]
    assert len(workspace.requests(RUN_NOW)) == 2


def test_without_a_token_a_lost_answer_is_two_runs(workspace):
    workspace.fault("lose", RUN_NOW, times=1)
    databricks.client().jobs.run_now(7)
    assert len(workspace.jobs.all()) == 2


def test_an_unknown_field_or_path_is_refused_and_remembered(workspace):
    api, errors = databricks.client().api_client, pytest.importorskip("databricks.sdk.errors")
    for method, path, body in (
        ("POST", "/api/2.2/jobs/run-now", {"job_id": 7, "jobparameters": {}}),
        ("POST", "/api/2.2/jobs/run-now", {"job_id": 7, "queue": {"enable": True}}),
        ("POST", "/api/2.2/jobs/run-now", {"job_id": 7, "job_parameters": {"speed": "1"}}),
        ("GET", "/api/2.1/jobs/runs/get", None),
    ):
        with pytest.raises(errors.DatabricksError):
            api.do(method, path, body=body)
    assert len(workspace.unexpected) == 4
    workspace.unexpected.clear()


def test_a_login_that_has_run_out_is_refused(workspace):
    errors = pytest.importorskip("databricks.sdk.errors")
    start()
    workspace.expire_tokens()
    with pytest.raises(errors.Unauthenticated) as caught:
        start()
    assert databricks.is_passing(caught.value)
    assert "Config" not in databricks.in_words(caught.value)
    databricks.forget()
    assert start().run_id


def test_a_call_is_given_up_in_seconds_however_long_the_workspace_asks_to_wait(workspace, monkeypatch):
    monkeypatch.setattr(databricks, "QUICK", (1.0, 1))
    workspace.fault("429", "/runs/get", retry_after="3600", code="REQUEST_LIMIT_EXCEEDED")
    began = time.monotonic()
    with pytest.raises(TimeoutError) as caught:
        databricks.client(quick=True).jobs.get_run(1)
    assert time.monotonic() - began < 5
    assert databricks.retry_after(caught.value) == 3600
    assert databricks.is_passing(caught.value)


def test_a_pause_without_a_number_is_tried_again(workspace):
    workspace.fault("503", RUN_NOW, times=1)
    assert start().run_id
    assert len(workspace.requests(RUN_NOW)) == 2


def test_without_a_workspace_one_sentence_says_what_to_set(monkeypatch, tmp_path):
    monkeypatch.setenv("DATABRICKS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("DATABRICKS_AUTH_TYPE", "pat")
    databricks.forget()
    with pytest.raises(databricks.NotConfigured, match="DATABRICKS_HOST"):
        databricks.client()


def test_a_workspace_that_is_not_there_is_said_without_inner_parts(workspace, monkeypatch):
    monkeypatch.setattr(databricks, "QUICK", (1.0, 1))
    client = databricks.client(quick=True)
    workspace.stop()
    with pytest.raises(TimeoutError) as caught:
        client.jobs.get_run(1)
    assert databricks.in_words(caught.value) == "the workspace cannot be reached"
