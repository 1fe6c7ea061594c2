"""What the local workspace of the tests stands for, asked of a real one: part of `make test-databricks`. It starts three runs of the job.

It needs a login as the SDK reads it (DATABRICKS_HOST and so on), STORAGE_URL (a volume, in which a folder comes and goes), and
DATABRICKS_JOB_ID, the job that the bundle deploys. Not named test_…, so that it runs when it is asked for and costs nothing else.
"""

from __future__ import annotations

import io
import os
import secrets
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest

from tasks import databricks
from tasks.agent.contract import Code, Completed, Limits, Order
from tasks.callbacks import written_outcome
from tasks.executors import Report, Run, RunState
from tasks.executors.databricks import DatabricksExecutor, order_name
from tasks.orders import callback_secrets, outcome_name
from tasks.storage import NotStored, StorageError, get_storage
from tasks.storage.volumes import VolumeStorage

VOLUME, JOB_ID = os.environ.get("STORAGE_URL", ""), os.environ.get("DATABRICKS_JOB_ID", "")
PDF = Path(__file__).parents[1] / "tasks" / "agent" / "samples" / "01-invoice-english.pdf"
NOWHERE = "https://127.0.0.1:9/"
MINUTES = 15
pytestmark = [
    pytest.mark.skipif(
        not (VOLUME and JOB_ID), reason="no workspace: set STORAGE_URL, DATABRICKS_JOB_ID and a login"
    ),
    pytest.mark.timeout(60 * MINUTES),
]


@pytest.fixture
def storage(settings) -> Iterator[VolumeStorage]:
    settings.STORAGE_URL, settings.DATABRICKS_JOB_ID = f"{VOLUME}/{secrets.token_hex(4)}", int(JOB_ID)
    get_storage.cache_clear()
    storage = get_storage()
    assert isinstance(storage, VolumeStorage)
    yield storage
    for name in list(storage.names("")):
        storage.delete(name)


@pytest.fixture
def executor(storage) -> Iterator[DatabricksExecutor]:
    executor = DatabricksExecutor(
        int(JOB_ID), storage, callback_url=lambda _: NOWHERE, written=partial(written_outcome, certain=True)
    )
    yield executor
    executor.close(1.0)


def order_for(storage: VolumeStorage) -> Order:
    attempt = uuid4()
    storage.put("documents/01/invoice.pdf", io.BytesIO(PDF.read_bytes()))
    return Order(
        attempt=attempt, task=0, number=1, program="rules", document=str(storage.path_for_attempt("documents/01/invoice.pdf")),
        document_sha256="", outcome=str(storage.path_for_attempt(outcome_name(attempt))),
        callback_secret=callback_secrets(attempt)[0], limits=Limits(wall_seconds=600),
    )  # fmt: skip


def until(executor: DatabricksExecutor, run: Run, enough: Callable[[Report], bool]) -> Report:
    deadline = time.monotonic() + 60 * MINUTES
    while not enough(report := executor.ask([run])[0]):
        assert time.monotonic() < deadline, report
        time.sleep(2.0)
    return report


@pytest.mark.parametrize("size", [0, 1000, 60 << 20])
def test_files_come_back_as_they_went(storage, size):
    content = secrets.token_bytes(size)
    stored = storage.put("documents/01/a.pdf", io.BytesIO(content))
    assert storage.put("documents/01/a.pdf", io.BytesIO(content)) == stored
    with pytest.raises(StorageError, match="already stored"):
        storage.put("documents/01/a.pdf", io.BytesIO(b"other bytes"))
    assert storage.open("documents/01/a.pdf").read() == content
    assert list(storage.names("documents/")) == ["documents/01/a.pdf"]
    storage.delete("documents/01/a.pdf")
    with pytest.raises(NotStored):
        storage.open("documents/01/a.pdf")


def test_a_start_that_is_asked_twice_is_one_run_whose_outcome_is_on_the_volume(storage, executor):
    order = order_for(storage)
    first = executor.start([order]).started[0]
    executor._begun.clear()
    assert executor.start([order]).started[0].run_id == first.run_id
    report = until(executor, Run(order.attempt, first.run_id), lambda report: report.state is RunState.ENDED)
    assert isinstance(report.events[-1], Completed)
    assert not storage.exists(order_name(order.attempt))
    assert databricks.client().jobs.get_run(int(first.run_id)).attempt_number in (0, None)


def test_a_cancelled_run_says_so(storage, executor):
    order = order_for(storage)
    run = Run(order.attempt, executor.start([order]).started[0].run_id)
    executor.stop([run])
    report = until(executor, run, lambda report: report.state is RunState.ENDED)
    assert report.code is Code.CANCELLED or isinstance(report.events[-1], Completed)


def test_an_active_run_is_on_the_list(storage, executor):
    order = order_for(storage)
    run = Run(order.attempt, executor.start([order]).started[0].run_id)
    listed = executor._active_runs(databricks.client(), time.monotonic() + 30)
    assert run.run_id in {str(one.run_id) for one in listed} or executor.ask([run])[0].state is RunState.ENDED
    executor.stop([run])
