"""An attempt always ends in exactly one outcome, which is on disk before anybody hears of it."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest

from tasks.agent import signatures
from tasks.agent.contract import (
    PROGRAMS,
    Code,
    Completed,
    Event,
    Failed,
    FieldValue,
    Order,
    Problem,
    Progress,
    Record,
    Result,
    Started,
    Usage,
    parse_event,
)
from tasks.agent.predictions import differences, prediction
from tasks.agent.program import BUILT_IN, WITHOUT_MODEL, run
from tests.pdfs import events_of, lines_pdf, order_for, outcome_of
from tests.samples.generate import FOLDER

SAMPLE = FOLDER / "01-invoice-english.pdf"
HERE = "tests.test_agent_program"


def leaves(order: Order, progress: Callable[[int, int, Usage], None]) -> tuple[Result, Usage]:
    """As libraries for command lines do; a run of the job ended as a success by it, and said nothing."""
    sys.exit(0)


def says_half_a_character(order: Order, progress: Callable[[int, int, Usage], None]) -> tuple[Result, Usage]:
    record = Record(kind="note", fields={"x": FieldValue(value="a\ud800", confidence=1.0)}, last_page=1)
    result = Result(kind="note", pages=1, records=(record,), confidence=1.0, needs_review=False)
    return result, Usage(calls=1, model="m", input_tokens=7, output_tokens=1)


def says_nothing_of_tokens(order: Order, progress: Callable[[int, int, Usage], None]) -> tuple[Result, Usage]:
    return Result(kind="note", pages=1, confidence=1.0, needs_review=False), Usage()


def refuses(order: Order, progress: Callable[[int, int, Usage], None]) -> tuple[Result, Usage]:
    raise Problem(Code.RATE_LIMITED, "The model is busy.", retryable=True, retry_after=12)


def tells_all(order: Order, progress: Callable[[int, int, Usage], None]) -> tuple[Result, Usage]:
    progress(1, 2, Usage(calls=1, model="m", input_tokens=7, output_tokens=1))
    raise Problem(Code.UPSTREAM, "🧾" * 9000, retryable=True, retry_after=order.settings["wait"])


def breaks(order: Order, progress: Callable[[int, int, Usage], None]) -> tuple[Result, Usage]:
    words = " ".join(["text of the document:", str(4700 + 11)])
    raise ValueError(words)


def exhausts(order: Order, progress: Callable[[int, int, Usage], None]) -> tuple[Result, Usage]:
    raise MemoryError


def invents(order: Order, progress: Callable[[int, int, Usage], None]) -> tuple[Result, Usage]:
    return Result(kind="invoice", pages=1, confidence=7, needs_review=False), Usage()


def goes_on(order: Order, progress: Callable[[int, int, Usage], None]) -> tuple[Result, Usage]:
    for page in range(1, 1001):
        progress(page, 1000, Usage())
    raise AssertionError("was asked to stop and did not")


def test_events_come_in_order_and_survive_the_wire() -> None:
    events = events_of(SAMPLE)
    assert isinstance(events[0], Started) and isinstance(events[-1], Completed)
    progress = [event for event in events if isinstance(event, Progress)]
    assert len(progress) == len(events) - 2 and (progress[-1].pages_done, progress[-1].pages_total) == (1, 1)
    assert [parse_event(event.model_dump_json()) for event in events] == events


@pytest.mark.parametrize(
    ("program", "code", "retryable"),
    [
        (f"{HERE}:refuses", Code.RATE_LIMITED, True),
        (f"{HERE}:breaks", Code.CRASHED, True),
        (f"{HERE}:leaves", Code.CRASHED, True),
        (f"{HERE}:exhausts", Code.OUT_OF_MEMORY, True),
        (f"{HERE}:invents", Code.INVALID_RESULT, False),
        (f"{HERE}:absent", Code.AGENT_NOT_AVAILABLE, False),
        (f"{HERE}:HERE", Code.AGENT_NOT_AVAILABLE, False),
        ("no.such.module:read", Code.AGENT_NOT_AVAILABLE, False),
        ("nonsense", Code.AGENT_NOT_AVAILABLE, False),
    ],
)
def test_every_failure_is_one_event_with_a_fitting_code(program: str, code: Code, retryable: bool) -> None:
    events = events_of(SAMPLE, program=program)
    assert [type(event) for event in events] == [Started, Failed]
    failed = events[-1]
    assert isinstance(failed, Failed) and (failed.code, failed.retryable) == (code, retryable)
    assert failed.message.endswith(".")


def test_the_upstream_says_when_to_come_back() -> None:
    failed = outcome_of(SAMPLE, program=f"{HERE}:refuses")
    assert isinstance(failed, Failed) and failed.retry_after == 12


def test_a_file_with_other_bytes_than_were_handed_in_is_not_read(tmp_path: Path) -> None:
    """Of half a document that can be repaired, a part would be read and called the whole."""
    whole = lines_pdf(["Invoice 7", "Total 12.00 EUR"])
    digest, path = hashlib.sha256(whole).hexdigest(), tmp_path / "a.pdf"
    path.write_bytes(whole)
    assert isinstance(outcome_of(path, document_sha256=digest), Completed)
    for other in (whole[:-40], whole.replace(b"12.00", b"21.00"), b""):
        path.write_bytes(other)
        failed = outcome_of(path, document_sha256=digest)
        assert isinstance(failed, Failed) and (failed.code, failed.retryable) == (Code.STORAGE, True)
        assert "not the document that was handed in" in failed.message
    path.unlink()
    failed = outcome_of(path, document_sha256=digest)
    assert isinstance(failed, Failed) and failed.code is Code.DOCUMENT_MISSING


@pytest.mark.parametrize(("wait", "told"), [(1e9, 86_400), (-3.0, 0), (float("inf"), 86_400), (None, None)])
def test_what_an_upstream_says_at_length_is_cut_and_loses_neither_the_failure_nor_what_was_paid(
    wait: float | None, told: float | None
) -> None:
    failed = outcome_of(SAMPLE, program=f"{HERE}:tells_all", settings={"wait": wait})
    assert isinstance(failed, Failed) and (failed.code, failed.retryable) == (Code.UPSTREAM, True)
    assert (len(failed.message), failed.message[-1], failed.retry_after) == (2000, "…", told)
    assert failed.usage.input_tokens == 7 and parse_event(failed.model_dump_json()) == failed


def test_an_unexpected_error_never_tells_what_the_document_says(caplog: pytest.LogCaptureFixture) -> None:
    failed = outcome_of(SAMPLE, program=f"{HERE}:breaks")
    assert isinstance(failed, Failed) and "4711" not in failed.message and "4711" not in caplog.text
    assert "ValueError" in failed.message and "breaks" in caplog.text


def test_a_stop_is_heard_at_the_next_page() -> None:
    events: list[Event] = []
    run(order_for(SAMPLE, program=f"{HERE}:goes_on"), events.append, should_stop=lambda: len(events) > 1)
    assert isinstance(events[-1], Failed) and events[-1].code is Code.CANCELLED


def test_the_outcome_is_on_disk_before_it_is_spoken(tmp_path: Path) -> None:
    path = tmp_path / "outcome.json"
    seen: list[bool] = []

    def emit(event: Event) -> None:
        seen.append(path.exists())
        if isinstance(event, Completed):
            assert parse_event(json.loads(path.read_text())["body"]) == event

    run(order_for(SAMPLE, outcome=str(path)), emit)
    assert seen[-1] and not any(seen[:-1])
    assert [item.name for item in tmp_path.iterdir()] == ["outcome.json"], "nothing half-written stays"


def test_the_outcome_on_disk_is_signed_by_its_attempt(tmp_path: Path) -> None:
    path, attempt = tmp_path / "outcome.json", uuid4()
    secret = signatures.derive("m" * 40, attempt)
    run(order_for(SAMPLE, outcome=str(path), callback_secret=secret), lambda event: None)
    kept = json.loads(path.read_text())
    assert signatures.verify([secret], kept["headers"], kept["body"].encode(), None)
    with pytest.raises(signatures.SignatureError):
        signatures.verify(
            [secret], kept["headers"], kept["body"].replace("invoice", "receipt").encode(), None
        )


def test_a_failure_is_written_too(tmp_path: Path) -> None:
    path = tmp_path / "outcome.json"
    failed = outcome_of(tmp_path / "gone.pdf", outcome=str(path))
    assert isinstance(failed, Failed) and failed.code is Code.DOCUMENT_MISSING
    assert parse_event(json.loads(path.read_text())["body"]) == failed


def test_an_outcome_that_cannot_be_written_is_spoken_all_the_same(tmp_path: Path) -> None:
    """What was paid for would be paid for again, as often as the disk is full."""
    outcome = outcome_of(SAMPLE, outcome=str(tmp_path / "no" / "such" / "folder" / "outcome.json"))
    assert isinstance(outcome, Completed)


def test_an_outcome_that_a_disk_has_no_room_for_leaves_nothing_behind(tmp_path: Path, monkeypatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert isinstance(outcome_of(SAMPLE, outcome=str(tmp_path / "outcome.json")), Completed)
    assert not list(tmp_path.iterdir())


def test_a_result_that_cannot_be_written_is_a_failure_that_keeps_what_was_paid(tmp_path: Path) -> None:
    outcome = outcome_of(SAMPLE, program=f"{HERE}:says_half_a_character", outcome=str(tmp_path / "out.json"))
    assert isinstance(outcome, Failed) and (outcome.code, outcome.retryable) == (Code.INVALID_RESULT, False)
    assert outcome.usage.input_tokens == 7 and (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    ("program", "file", "tokens"),
    [
        ("rules", SAMPLE, 0), ("contract-rules", SAMPLE, 0), ("rules", FOLDER / "10-truncated.pdf", 0), ("rules", FOLDER / "gone.pdf", 0),
        (f"{HERE}:says_nothing_of_tokens", SAMPLE, None), (f"{HERE}:refuses", SAMPLE, None),
    ],
)  # fmt: skip
def test_only_programs_without_a_model_are_known_to_have_used_no_tokens(
    program: str, file: Path, tokens: int | None
) -> None:
    used = outcome_of(file, program=program).usage
    counts = {used.input_tokens, used.output_tokens, used.cache_read_tokens, used.cache_write_tokens}
    assert (used.calls, counts) == (0, {tokens})


def test_every_program_that_comes_along_can_be_named() -> None:
    assert set(BUILT_IN) == set(PROGRAMS) and set(PROGRAMS) >= WITHOUT_MODEL


def test_the_same_document_gives_the_same_result() -> None:
    assert outcome_of(SAMPLE) == outcome_of(SAMPLE)


def test_predictions_have_the_shape_that_is_scored() -> None:
    flat = prediction(outcome_of(SAMPLE))
    assert (
        flat["outcome"] == "result"
        and flat["total"] == 725.4
        and flat["line_count"] == 3
        and flat["flagged"] == []
    )
    assert prediction(outcome_of(FOLDER / "09-encrypted.pdf")) == {"outcome": "error:encrypted"}


def test_differences_name_what_is_not_as_expected() -> None:
    expected = json.loads((FOLDER / "expected.json").read_text())[SAMPLE.name]
    outcome = outcome_of(SAMPLE)
    assert differences(outcome, expected) == []
    assert differences(outcome, {**expected, "fields": {"total": "1.00"}, "line_count": 9}) == [
        "total is 725.40, expected 1.00",
        "3 line items, expected 9",
    ]


def test_the_agent_imports_neither_django_nor_the_rest_of_the_product() -> None:
    code = (
        "import sys, tasks.agent.__main__, tasks.agent.program, tasks.agent.rules.reader, tasks.agent.inspection, tasks.agent.predictions\n"
        "bad = [n for n in sys.modules if n.split('.')[0] in ('django', 'mlflow', 'databricks', 'agentaudit', 'dashboard')]\n"
        "bad += [n for n in sys.modules if n.startswith('tasks.') and not n.startswith('tasks.agent')]\n"
        "sys.exit(', '.join(bad) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
