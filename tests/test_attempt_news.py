"""What is made of the bytes and of the exit that an attempt leaves: events in order, and an honest word for its end."""

from __future__ import annotations

import signal
from uuid import uuid4

import pytest

from tasks.agent.contract import Code, Completed, Failed, Limits, Progress, Result, Started
from tasks.executors.endings import Exit, describe, reworded
from tasks.executors.stream import MAX_EVENT_BYTES, EventStream

ATTEMPT = uuid4()
LIMITS = Limits(memory_mib=100)
COMPLETED = Completed(
    attempt=ATTEMPT, result=Result(kind="invoice", pages=1, confidence=1, needs_review=False)
)


def line(event) -> bytes:
    return event.model_dump_json().encode() + b"\n"


def progress(done: int) -> Progress:
    return Progress(attempt=ATTEMPT, pages_done=done, pages_total=9)


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_events_come_together_from_pieces_of_any_size(size):
    stream = EventStream(ATTEMPT)
    data = line(Started(attempt=ATTEMPT)) + line(progress(1)) + line(COMPLETED)
    for place in range(0, len(data), size):
        stream.feed(data[place : place + size])
    assert [event.type for event in stream.take()] == ["attempt.started", "attempt.progress"]
    assert stream.outcome == COMPLETED
    assert not stream.fault


def test_of_several_progress_events_only_the_last_is_told():
    stream = EventStream(ATTEMPT)
    stream.feed(line(progress(1)) + line(progress(2)) + line(progress(3)))
    assert stream.take() == (progress(3),)
    assert stream.take() == ()


def test_after_the_outcome_nothing_more_is_taken():
    stream = EventStream(ATTEMPT)
    stream.feed(line(COMPLETED) + line(progress(1)) + b"garbage\n")
    stream.feed(line(Failed(attempt=ATTEMPT, code=Code.CORRUPT, message="no", retryable=False)))
    assert stream.outcome == COMPLETED
    assert not stream.fault
    assert stream.take() == ()


def test_an_event_without_end_is_refused_as_soon_as_it_is_too_long():
    stream = EventStream(ATTEMPT)
    for _ in range(MAX_EVENT_BYTES // (1 << 20) + 1):
        stream.feed(b"x" * (1 << 20))
    assert "more than 16 MiB" in stream.fault


def test_a_fault_does_not_quote_what_was_sent():
    stream = EventStream(ATTEMPT)
    stream.feed(line(progress(1)).replace(b"9}", b'"secret of the document"}').replace(b":9,", b':"secret",'))
    assert stream.fault
    assert "secret" not in stream.fault


@pytest.mark.parametrize(
    ("end", "code", "words"),
    [
        (Exit(exit=0), Code.CRASHED, "without a result"),
        (Exit(exit=-signal.SIGABRT), Code.CRASHED, "crashed (abort)"),
        (Exit(exit=-signal.SIGSEGV, max_rss_bytes=90 << 20), Code.OUT_OF_MEMORY, "100 MiB"),
        (Exit(exit=-signal.SIGSEGV, max_rss_bytes=50 << 20), Code.CRASHED, "segmentation fault"),
        (Exit(exit=-signal.SIGKILL, kernel_killed=True), Code.OUT_OF_MEMORY, "machine ran out of memory"),
        (Exit(exit=-signal.SIGKILL), Code.CRASHED, "killed from outside"),
        (Exit(exit=-signal.SIGHUP), Code.CRASHED, "Hangup"),
        (Exit(exit=-40), Code.CRASHED, "signal"),
        (Exit(exit=-signal.SIGXCPU), Code.LIMIT, "processor time"),
        (Exit(exit=-signal.SIGKILL, why="timeout"), Code.TIMEOUT, "raise the limit"),
        (Exit(exit=0, why="cancelled"), Code.CANCELLED, "on request"),
        (Exit(exit=0, why="finished"), Code.CRASHED, "without a result"),
    ],
)
def test_each_end_has_its_code_and_words(end, code, words):
    found, message = describe(end, LIMITS)
    assert found is code
    assert words in message


def test_only_a_stop_is_reworded_and_what_it_cost_stays():
    stopped = Failed(
        attempt=ATTEMPT, code=Code.CANCELLED, message="Stopped.", retryable=False, usage={"calls": 3}
    )
    corrupt = stopped.model_copy(update={"code": Code.CORRUPT})
    timeout = reworded(stopped, Exit(why="timeout"), LIMITS)
    assert (timeout.code, timeout.retryable, timeout.usage.calls) == (Code.TIMEOUT, True, 3)
    assert reworded(corrupt, Exit(why="timeout"), LIMITS) == corrupt
    assert reworded(stopped, Exit(), LIMITS) == stopped
    assert reworded(COMPLETED, Exit(why="cancelled"), LIMITS) == COMPLETED
