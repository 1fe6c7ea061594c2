"""Traces in a workspace's MLflow: begun with their own ids, their spans a file beside them, compared like local ones."""

from __future__ import annotations

import json
from decimal import Decimal
from uuid import uuid4

import pytest

from tasks.agent.trace_store import TraceStore
from tasks.agent.tracing import root_id, trace_id
from tests.fakes.fixtures import workspace  # noqa: F401
from tests.fakes.mlflow import Mlflow
from tests.test_trace_store import CALL, START, step, trace_of

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def there(workspace) -> Mlflow:  # noqa: F811
    return Mlflow(workspace)


@pytest.fixture
def store(there) -> TraceStore:
    return TraceStore("databricks", "/Shared/agentaudit")


def test_a_trace_and_its_spans_arrive_and_are_read_back(store, there):
    attempt = uuid4()
    tags = {"task": "12", "attempt": str(attempt)}
    store.write([trace_of(attempt, step(1, root_id(attempt), "model call", "LLM", **CALL), tags=tags)])
    info = there.traces[trace_id(attempt)]
    assert info["trace_location"]["mlflow_experiment"]["experiment_id"] == "77"
    assert tags.items() <= info["tags"].items() and info["state"] == "OK"
    assert json.loads(info["trace_metadata"]["mlflow.trace.tokenUsage"])["input_tokens"] == 2006
    assert len(json.loads(there.files[trace_id(attempt)])["spans"]) == 2
    missing = trace_id(uuid4())
    found = store.read([trace_id(attempt), missing])
    assert missing not in found
    stored = found[trace_id(attempt)]
    assert (stored.calls, stored.tokens["input_tokens"], stored.tokens["cache_read_tokens"]) == (
        1,
        2006,
        1920,
    )
    assert stored.cost_usd == Decimal("0.000337")


def test_writing_again_after_a_lost_answer_leaves_one_trace(store, there, workspace):  # noqa: F811
    attempt = uuid4()
    trace = trace_of(attempt, step(1, root_id(attempt), "model call", "LLM", **CALL))
    workspace.fault("403", "/signed/")
    with pytest.raises(Exception, match="403"):
        store.write([trace])
    workspace.faults.clear()
    store.write([trace])
    assert len(there.traces) == len(there.files) == 1 and there.begun >= 2
    assert store.read([trace_id(attempt)])[trace_id(attempt)].tokens["input_tokens"] == 2006


def test_an_experiment_that_is_no_path_is_refused_in_words(there):
    with pytest.raises(Exception, match="absolute path"):
        TraceStore("databricks", "agentaudit")


def test_times_are_those_of_the_attempt(store, there):
    attempt = uuid4()
    store.write([trace_of(attempt)])
    trace = store.client.get_trace(trace_id(attempt))
    assert trace.info.request_time == START // 1_000_000 and trace.info.execution_duration == 2000
