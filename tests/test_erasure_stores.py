"""What attempts left outside of our own database and storage goes too: threads of checkpoints, and traces in MLflow's own store."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from tasks import erasure
from tasks.agent.checkpointed import fence
from tasks.agent.checkpointed.thread import Thread
from tasks.agent.contract import Completed
from tasks.agent.trace_store import TraceStore
from tasks.agent.tracing import root_id, trace_id
from tasks.models import Attempt, Client, Task
from tests.erasure_tools import ACTOR, CANARY, erase
from tests.factories import (
    make_agent,
    make_client,
    make_completed,
    make_document,
    make_extraction,
    result_json,
)
from tests.fakes.openai import ModelServer
from tests.llm_tools import bill, honest
from tests.pdfs import order_for
from tests.test_checkpointed import CONVERSATION, GRAPH, Place, attempt, place, unprepared  # noqa: F401 - fixtures among them
from tests.test_trace_store import step, store, trace_of  # noqa: F401 - a fixture among them

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def clients(transactional_db: None) -> tuple[Client, Client]:
    """The one that goes and the one that stays; each has a document that was read."""
    clients, agent = (make_client("Nordwind"), make_client("Südwind")), make_agent()
    for client in clients:
        make_completed(make_extraction(client, agent), make_document(client), result=result_json())
    return clients


def threads(place: Place) -> dict[str, int]:  # noqa: F811
    """Rows by the thread that they belong to, over all tables of checkpoints."""
    found: dict[str, int] = {}
    with place.superuser() as db:
        for table, column in (*fence.THREAD_OF.items(), ("attempt_threads", "thread")):
            for (name,) in db.execute(f"SELECT {column} FROM checkpoints.{table}").fetchall():
                found[name] = found.get(name, 0) + 1
    return found


def test_threads_of_all_generations_go_and_those_of_others_stay(
    clients: tuple[Client, Client],
    settings: Any,
    place: Place,  # noqa: F811
    tmp_path: Path,
) -> None:
    """Written by real attempts of both libraries. An attempt that is still about is refused from then on."""
    settings.CHECKPOINT_DATABASE_URL, settings.CHECKPOINT_PASSWORD_FILE = place.database, str(place.file)
    gone, stays = (Task.objects.get(client=client) for client in clients)
    Task.objects.filter(pk=gone.pk).update(generation=2)
    path = bill(tmp_path / "one.pdf", 1)
    with ModelServer(honest) as there:
        for program, task, generation in ((GRAPH, gone, 1), (CONVERSATION, gone, 2), (CONVERSATION, stays, 1)):  # fmt: skip
            who = {"task": task.pk, "generation": generation, "attempt": uuid4(), "number": 1}
            said = attempt(there, path, program, checkpoints=place.checkpoints, **who)
            assert isinstance(said, Completed), said
    before, kept = threads(place), f"{stays.pk}-1"
    assert set(before) == {f"{gone.pk}-1", f"{gone.pk}-2", kept} and min(before.values()) > 1
    late = order_for(path, checkpoints=place.checkpoints, task=gone.pk, number=2, attempt=uuid4())
    holder = Thread.of(late)
    assert erase(clients[0]).left == []
    assert threads(place) == {kept: before[kept]}
    with psycopg.connect(**holder.parameters()) as db, pytest.raises(psycopg.Error) as refused:
        db.execute("INSERT INTO agent_sessions (session_id) VALUES (%s)", (holder.name,))
    assert refused.value.sqlstate == "AA001"


def test_a_database_of_checkpoints_that_is_away_is_said_and_the_next_time_finishes_it(
    clients: tuple[Client, Client],
    settings: Any,
    place: Place,  # noqa: F811
    tmp_path: Path,
) -> None:
    task = Task.objects.get(client=clients[0])
    Thread.of(order_for(tmp_path, checkpoints=place.checkpoints, task=task.pk, attempt=uuid4()))
    settings.CHECKPOINT_DATABASE_URL = "postgres://role@127.0.0.1:1/nothing"
    (left,) = erase(clients[0]).left
    assert "checkpoints could not be removed" in left and f"{task.pk}-1" in threads(place)
    settings.CHECKPOINT_DATABASE_URL, settings.CHECKPOINT_PASSWORD_FILE = place.database, str(place.file)
    assert list(erasure.go_on(ACTOR, clients[0]))[-1].left == [] and f"{task.pk}-1" not in threads(place)


def rows_with(path: Path, word: str) -> int:
    """Rows of any table of a SQLite file that hold the word in any column."""
    with closing(sqlite3.connect(path)) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return sum(word in repr(row) for name in names for row in db.execute(f'SELECT * FROM "{name}"'))


def test_traces_go_from_mlflows_own_store_and_those_of_others_stay(
    clients: tuple[Client, Client],
    settings: Any,
    store: TraceStore,  # noqa: F811
) -> None:
    settings.MLFLOW_TRACKING_URI, settings.MLFLOW_EXPERIMENT = store.uri, "agentaudit"
    gone, stays = (Attempt.objects.get(client=client) for client in clients)
    for one, word in ((gone, CANARY), (stays, "Rotkehlchen")):
        call = step(1, root_id(one.pk), word, "LLM", error=word, input_tokens=7, output_tokens=1)
        store.write([trace_of(one.pk, call, tags={"client": word}, error=word)])
        Attempt.objects.filter(pk=one.pk).update(trace_id=trace_id(one.pk))
    file = Path(store.uri.removeprefix("sqlite:///"))
    assert set(store.read([trace_id(gone.pk), trace_id(stays.pk)])) == {trace_id(gone.pk), trace_id(stays.pk)}
    assert rows_with(file, CANARY) and (kept := rows_with(file, "Rotkehlchen"))
    progress = erase(clients[0])
    assert (progress.left, progress.traces) == ([], 1)
    assert set(store.read([trace_id(gone.pk), trace_id(stays.pk)])) == {trace_id(stays.pk)}
    assert (rows_with(file, CANARY), rows_with(file, "Rotkehlchen")) == (0, kept)
