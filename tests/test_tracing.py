"""Spans of an attempt: what is recorded, what is never recorded, and how they travel to the worker's files."""

from __future__ import annotations

import json
import threading
from uuid import UUID

import pytest

from tasks.agent import program, tracing
from tasks.agent.contract import Code, Completed, Failed, Order, Problem, Tracing
from tasks.agent.tracing import MOST_SPANS, SPAN_LINE, Span, recording, root_id, span, trace_id
from tasks.executors.local import LocalExecutor
from tasks.executors.stream import EventStream
from tasks.traces import spool as spooling
from tasks.traces.spool import Spool, read
from tests.attempts import ended, hear, make_order

ATTEMPT = UUID(int=0x1234_5678_9ABC_DEF0_1234_5678_9ABC_DEF0)
SECRET = "Harbour Lane Books Ltd owes 725.40"
TAGS = {"task": "7", "agent": "invoice-rules"}


@pytest.fixture
def spans():
    """What a recorded attempt hands over."""
    return []


def traced(order: Order, **values: object) -> Order:
    return order.model_copy(update={"tracing": Tracing(tags=TAGS, **values)})


def test_an_attempts_trace_has_its_own_128_bits():
    assert trace_id(ATTEMPT) == "tr-123456789abcdef0123456789abcdef0"
    assert root_id(ATTEMPT) == "123456789abcdef0"


def test_outside_an_attempt_nothing_is_recorded(spans):
    with span("reading") as step:
        step.set(pages=3)
        step.content(inputs=SECRET)
        step.fail("no")
    with recording(ATTEMPT, None), span("reading"):
        pass
    assert step.attributes == {}


def test_steps_nest_and_the_attempt_is_the_last_to_end(spans):
    with recording(ATTEMPT, spans.append, program="rules"):
        with span("reading", kind="PARSER", pages=2), span("recognise"):
            pass
        with span("model call", kind="LLM", model="m") as call:
            call.set(input_tokens=10, output_tokens=2)
    inner, reading, call, root = spans
    assert [one.name for one in spans] == ["recognise", "reading", "model call", "attempt"]
    assert (inner.parent_id, reading.parent_id, call.parent_id, root.parent_id) == (
        reading.span_id, root.span_id, root.span_id, "",
    )  # fmt: skip
    assert root.span_id == root_id(ATTEMPT)
    assert call.attributes == {"model": "m", "input_tokens": 10, "output_tokens": 2}
    assert root.start_ns <= inner.start_ns <= inner.end_ns <= root.end_ns


def test_a_step_in_a_thread_belongs_to_the_attempt(spans):
    with recording(ATTEMPT, spans.append), span("outer"):

        def work() -> None:
            with span("inner"):
                pass

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert {one.name: one.parent_id for one in spans}["inner"] == root_id(ATTEMPT)


def test_no_word_of_a_document_gets_into_a_span_by_any_way(spans):
    with (
        pytest.raises(ValueError),
        recording(ATTEMPT, spans.append, supplier=SECRET),
        span("rules", title=SECRET) as step,
    ):
        step.set(supplier=SECRET, found=[SECRET], code=None, pages=3)
        step.content(inputs=SECRET, outputs=SECRET)
        raise ValueError(SECRET)
    assert "Harbour" not in json.dumps([one.model_dump() for one in spans])
    assert [one.error for one in spans] == ["ValueError", "ValueError"]
    assert spans[0].attributes == {"pages": 3}


def test_words_are_kept_where_trace_content_says_so_and_cut(spans):
    with recording(ATTEMPT, spans.append, keep_content=True), span("model call", kind="LLM") as step:
        step.content(inputs=SECRET, outputs="x" * 100_000)
    assert spans[0].inputs == SECRET
    assert len(spans[0].outputs) == tracing.MOST_CONTENT


def test_a_problem_is_told_by_its_code(spans):
    with pytest.raises(Problem), recording(ATTEMPT, spans.append), span("reading"):
        raise Problem(Code.CORRUPT, SECRET)
    assert [one.error for one in spans] == ["corrupt", "corrupt"]


def test_a_trace_that_cannot_be_handed_over_is_of_no_consequence():
    def refuse(_span: Span) -> None:
        raise OSError("the pipe is gone")

    with recording(ATTEMPT, refuse), span("reading") as step:
        step.set(pages=1)


def test_too_many_steps_are_counted_and_left_out(spans):
    with recording(ATTEMPT, spans.append):
        for _ in range(MOST_SPANS + 5):
            with span("page"):
                pass
    assert len(spans) == MOST_SPANS + 1
    assert spans[-1].attributes == {"spans_left_out": 5}


# The program


@pytest.mark.parametrize(
    ("name", "end", "error"),
    [("completes", Completed, ""), ("fails", Failed, "corrupt")],
    ids=["completes", "fails"],
)
def test_an_outcome_names_the_trace_that_was_handed_over_before_it(name, end, error):
    order = traced(make_order(name))
    said: list[object] = []
    program.run(order, said.append, hand_over=said.append)
    root, outcome = said[-2:]
    assert isinstance(root, Span) and root.span_id == root_id(order.attempt) and root.error == error
    assert isinstance(outcome, end) and outcome.trace_id == trace_id(order.attempt)


def test_an_order_without_tracing_leaves_no_trace():
    said: list[object] = []
    program.run(make_order("completes"), said.append, hand_over=said.append)
    assert not any(isinstance(one, Span) for one in said)
    assert said[-1].trace_id == ""


# Over the pipe, into files


def line(one: Span) -> bytes:
    return SPAN_LINE + one.model_dump_json().encode() + b"\n"


def test_a_wrong_span_is_dropped_and_the_attempt_goes_on():
    stream = EventStream(ATTEMPT)
    good = Span(span_id="a" * 16, name="reading", start_ns=1, end_ns=2)
    stream.feed(b"span {nonsense\n" + line(good)[:20])
    stream.feed(line(good)[20:] + b"span " + b"9" * 3000 + b"\n")
    stream.feed(Completed(attempt=ATTEMPT).model_dump_json().encode() + b"\n")
    assert stream.take_spans() == (good,)
    assert stream.take_spans() == ()
    assert stream.outcome is not None and not stream.fault


def run_here(tmp_path, *orders: Order) -> Spool:
    files = Spool(tmp_path / "spans")
    executor = LocalExecutor(len(orders), lambda attempt: tmp_path / f"{attempt}.log", files)
    executor.extend(60.0)
    try:
        executor.start(orders)
        hear(executor, ended(*(order.attempt for order in orders)))
    finally:
        executor.close(1.0)
    return files


def test_spans_of_a_child_reach_files_that_hold_its_whole_trace(tmp_path):
    order = traced(make_order("completes"))
    [entry] = run_here(tmp_path, order).waiting()
    trace = read(entry)
    assert entry.ended and trace.attempt == order.attempt and trace.tags == TAGS
    assert [one.name for one in trace.spans] == ["attempt"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "spans").iterdir())


@pytest.mark.parametrize("name", ["kills_itself_after_a_step", "runs_out_of_memory_after_a_step"])
def test_a_killed_child_leaves_what_it_had_done(tmp_path, name):
    order = traced(make_order(name))
    [entry] = run_here(tmp_path, order).waiting()
    trace = read(entry)
    assert entry.ended
    by_name = {one.name: one for one in trace.spans}
    assert by_name["model call"].attributes["input_tokens"] == 100
    assert by_name["attempt"].span_id == root_id(order.attempt) and by_name["attempt"].error


def test_files_are_bounded_and_it_is_said_when_some_are_left_out(tmp_path, caplog, monkeypatch):
    files = Spool(tmp_path, most_files=3)
    for _ in range(5):
        files.end(traced(make_order("completes")), 1, "")
    assert len(files.waiting()) == 3
    monkeypatch.setattr(files, "_count_at", 0.0)
    files.end(traced(make_order("completes")), 1, "")
    assert "were left out" in caplog.text and "doctor" in caplog.text


def test_a_full_disk_costs_the_trace_and_nothing_else(tmp_path, caplog):
    (tmp_path / "spans").write_text("no folder")
    files = Spool(tmp_path / "spans")
    files.end(traced(make_order("completes")), 1, "")
    assert "could not be kept" in caplog.text


def test_foreign_and_broken_files_stop_nothing(tmp_path, caplog):
    files = Spool(tmp_path)
    order = traced(make_order("completes"))
    files.put(order, [Span(span_id="b" * 16, name="reading", start_ns=1, end_ns=2)])
    (tmp_path / f"{order.attempt.hex}-9999999999999999999.json").write_text("{")
    (tmp_path / "notes.json").write_text("{}")
    [entry] = files.waiting()
    assert {one.name for one in read(entry).spans} == {"reading", "attempt"}
    assert "no spans that can be read" in caplog.text
    assert read(entry).spans[-1].error == spooling.NOTHING_CAME


def test_an_attempt_that_said_nothing_has_a_trace_of_its_life(tmp_path):
    files, order = Spool(tmp_path), traced(make_order("completes"))
    files.end(order, 5, "timeout")
    [root] = read(files.waiting()[0]).spans
    assert (root.start_ns, root.error) == (5, "timeout")
    assert root.end_ns > 5
