"""MLflow's own store takes our traces with their ids and times, twice as well as once, and gives their tokens back."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from tasks.agent.trace_store import Trace, TraceStore, local_uri
from tasks.agent.tracing import Span, root_id, trace_id
from tasks.traces.exporter import Exporter, Lock
from tasks.traces.probe import written_and_read_back
from tasks.traces.spool import Spool
from tests.attempts import make_order
from tests.test_tracing import traced

pytestmark = pytest.mark.filterwarnings("ignore")
START = 1_700_000_000_123_456_789
CALL = {"model": "gpt-4o-mini", "input_tokens": 2006, "output_tokens": 300, "cache_read_tokens": 1920}


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> TraceStore:
    """A SQLite store of MLflow's, as an installation without settings has it."""
    return TraceStore(local_uri(Path(tmp_path_factory.mktemp("mlflow"))), "agentaudit")


def step(
    number: int, parent: str, name: str = "step", kind: str = "CHAIN", error: str = "", **attributes
) -> Span:
    return Span(
        span_id=f"{number:016x}", parent_id=parent, name=name, kind=kind, error=error,
        start_ns=START + number, end_ns=START + number + 1_000_000, attributes=attributes,
    )  # fmt: skip


def trace_of(attempt: UUID, *steps: Span, tags: dict[str, str] | None = None, error: str = "") -> Trace:
    root = Span(
        span_id=root_id(attempt),
        name="attempt",
        kind="AGENT",
        start_ns=START,
        end_ns=START + 2_000_000_000,
        error=error,
    )
    return Trace(attempt, tags or {"attempt": str(attempt)}, (*steps, root))


def one(store: TraceStore, attempt: UUID):
    return store.read([trace_id(attempt)]).get(trace_id(attempt))


def test_ids_times_tags_and_tokens_come_back_as_they_were(store):
    attempt = uuid4()
    tags = {
        "task": "12",
        "attempt": str(attempt),
        "client": "Müller & Co",
        "agent": "invoice-llm",
        "version": "3",
    }
    call = step(1, root_id(attempt), "model call", "LLM", **CALL, reasoning_tokens=7)
    store.write([trace_of(attempt, call, tags=tags)])
    trace = store.client.get_trace(trace_id(attempt))
    assert trace.info.request_time == START // 1_000_000
    assert trace.info.execution_duration == 2000
    assert trace.info.state == "OK"
    assert tags.items() <= trace.info.tags.items()
    assert trace.info.tags["mlflow.traceName"] == "invoice-llm"
    [root, told] = trace.data.spans
    assert (told.span_id, told.parent_id, told.start_time_ns) == (call.span_id, root.span_id, START + 1)
    assert told.get_attribute("reasoning_tokens") == 7
    assert one(store, attempt).tokens == {
        "input_tokens": 2006, "output_tokens": 300, "cache_read_tokens": 1920, "cache_write_tokens": None,
    }  # fmt: skip


def test_a_trace_that_is_written_again_is_the_same(store):
    attempt = uuid4()
    trace = trace_of(attempt, step(1, root_id(attempt), "model call", "LLM", **CALL))
    store.write([trace])
    first = one(store, attempt)
    store.write([trace, trace])
    store.write([trace])
    assert one(store, attempt) == first
    assert first.calls == 1 and first.spans == 2


def test_the_rest_of_a_trace_may_come_later(store):
    attempt = uuid4()
    call = step(1, root_id(attempt), "model call", "LLM", input_tokens=10, output_tokens=1)
    store.write([trace_of(attempt, call, error="lost")])
    store.write(
        [
            trace_of(
                attempt,
                call,
                step(2, root_id(attempt), "model call", "LLM", input_tokens=20, output_tokens=2),
            )
        ]
    )
    assert one(store, attempt).tokens["input_tokens"] == 30


def test_a_call_around_calls_does_not_count_their_tokens_again(store):
    attempt = uuid4()
    root = root_id(attempt)
    steps = (
        step(1, root, "chain", "LLM", input_tokens=30, output_tokens=3),
        step(2, f"{1:016x}", "gap"),
        step(3, f"{2:016x}", "model call", "LLM", input_tokens=10, output_tokens=1),
        step(4, f"{2:016x}", "model call", "LLM", input_tokens=20, output_tokens=2),
        step(5, root, "agent", "AGENT", input_tokens=1000, output_tokens=1000),
    )
    store.write([trace_of(attempt, *steps)])
    found = one(store, attempt)
    assert (found.calls, found.tokens["input_tokens"], found.tokens["output_tokens"]) == (2, 30, 3)


def test_unknown_tokens_and_prices_are_unknown_and_not_nothing(store):
    attempt = uuid4()
    store.write([trace_of(attempt, step(1, root_id(attempt), "model call", "LLM", model="nobody's model"))])
    found = one(store, attempt)
    assert found.calls == 1 and found.model == "nobody's model"
    assert set(found.tokens.values()) == {None} and found.cost_usd is None


def test_mlflow_s_own_estimate_is_read_and_its_prices_were_not_fetched(store):
    attempt = uuid4()
    store.write([trace_of(attempt, step(1, root_id(attempt), "model call", "LLM", **CALL))])
    # 86 fresh and 1,920 cached tokens in, 300 out, at 0.15, 0.075 and 0.60 USD per million
    assert one(store, attempt).cost_usd == Decimal("0.000337")
    from mlflow.environment_variables import MLFLOW_DISABLE_TELEMETRY, MLFLOW_MODEL_CATALOG_URI

    assert MLFLOW_DISABLE_TELEMETRY.get() is True and MLFLOW_MODEL_CATALOG_URI.get() == ""


def test_an_attempt_that_failed_is_an_error_in_mlflow(store):
    attempt = uuid4()
    store.write([trace_of(attempt, step(1, root_id(attempt), error="corrupt"), error="corrupt")])
    trace = store.client.get_trace(trace_id(attempt))
    assert trace.info.state == "ERROR"
    assert "corrupt" in str(trace.data.spans[0].status.description)


@pytest.mark.slow
def test_only_what_is_there_is_read_and_any_number_at_once(store):
    attempts = [uuid4() for _ in range(600)]
    store.write([trace_of(attempt, step(1, root_id(attempt))) for attempt in attempts])
    wanted = [trace_id(attempt) for attempt in [*attempts, uuid4()]]
    assert set(store.read(wanted)) == set(wanted[:-1])


def test_the_probe_leaves_nothing(store):
    before = len(
        store.client.search_traces(locations=[store.experiment_id], max_results=500, include_spans=False)
    )
    written_and_read_back(store)
    after = len(
        store.client.search_traces(locations=[store.experiment_id], max_results=500, include_spans=False)
    )
    assert before == after


# The exporter


def exporter_of(files: Spool, store: TraceStore, ended: tuple[UUID, ...] = ()) -> Exporter:
    return Exporter(files, lambda: store, lambda attempts: set(attempts) & set(ended))


def leave(files: Spool, *, ends: bool = True) -> UUID:
    """The files of an attempt that has called a model once."""
    order = traced(make_order("completes"))
    call = step(1, root_id(order.attempt), "model call", "LLM", input_tokens=10, output_tokens=1)
    files.put(order, [call])
    if ends:
        files.end(order, START, "")
    return order.attempt


def test_what_is_complete_is_written_and_removed_and_what_is_not_waits(store, tmp_path):
    files = Spool(tmp_path)
    done, goes_on, orphan = leave(files), leave(files, ends=False), leave(files, ends=False)
    written = exporter_of(files, store, ended=(orphan,)).tick()
    assert set(written) == {done, orphan}
    assert [entry.attempt for entry in files.waiting()] == [goes_on]
    assert one(store, orphan).tokens["input_tokens"] == 10


class Away:
    """A store that is away for a while, or that refuses one trace."""

    def __init__(self, store: TraceStore):
        self.store, self.is_away, self.refused = store, True, None

    def write(self, traces) -> None:
        if self.is_away or any(trace.attempt == self.refused for trace in traces):
            raise ConnectionError("nobody answers there")
        self.store.write(traces)


def test_while_the_store_is_away_nothing_is_lost_and_it_is_said_once_per_try(store, tmp_path, caplog):
    files, away = Spool(tmp_path), Away(store)
    attempts = {leave(files) for _ in range(3)}
    exporter = exporter_of(files, away)
    assert exporter.tick() == []
    assert exporter.tick() == []  # not before its pause is over
    assert len(files.waiting()) == 3 and caplog.text.count("cannot be written") == 1
    away.is_away = False
    exporter.hurry()
    assert set(exporter.tick()) == attempts and files.waiting() == []


def test_a_trace_that_is_refused_holds_up_no_other_and_is_set_aside(store, tmp_path, caplog):
    files, away = Spool(tmp_path), Away(store)
    away.is_away = False
    away.refused = leave(files)
    exporter = exporter_of(files, away)
    for _ in range(3):
        good = leave(files)
        assert exporter.tick() == [good]
    assert files.waiting() == [] and len(list(tmp_path.glob("*.refused"))) == 2
    assert "set aside" in caplog.text


def test_one_exporter_per_machine(tmp_path):
    first, second = Lock(tmp_path), Lock(tmp_path)
    assert first.is_free() and first.take()
    assert not second.take() and not second.is_free()
    first.release()
    assert second.take()
    second.release()
