"""A long document is asked about in windows that leave nothing out, and what they say is put together by plain rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.agent.contract import Box, Code, Completed, Evidence, FieldValue, Progress, Source
from tasks.agent.llm.grounded import Entry
from tasks.agent.llm.merge import Portion, merged, merged_lists
from tasks.agent.llm.prompt import MOST_OUTPUT, tokens_for
from tasks.agent.llm.windows import Piece, windows_of
from tasks.agent.schema import Schema
from tests.fakes.openai import MODEL, Asked, ModelServer, Refused, Reply, answer
from tests.llm_tools import SCHEMA, attempt, bill, failure, field, honest, pages_pdf, record, total_of
from tests.pdfs import events_of

PIECES = st.lists(st.text("ab\n", max_size=300), max_size=12).map(
    lambda texts: [Piece(number, text) for number, text in enumerate(texts, 1)]
)


@given(PIECES, st.integers(1, 5), st.integers(20, 400))
def test_windows_hold_every_line_of_every_page_in_order(
    pieces: list[Piece], pages: int, characters: int
) -> None:
    windows = windows_of(pieces, pages, characters)
    told: dict[int, str] = {}
    for window in windows:
        assert len(window.pages) <= pages
        for piece in window.pieces:
            if not (piece.page in window.again and told.get(piece.page, "").endswith(piece.text)):
                told[piece.page] = told.get(piece.page, "") + piece.text
    assert told == {piece.page: piece.text for piece in pieces}
    assert [window.pages for window in windows] == sorted(window.pages for window in windows)


@given(PIECES.filter(bool))
def test_halves_hold_what_the_whole_held(pieces: list[Piece]) -> None:
    (window,) = windows_of(pieces, 100, 100_000)
    halves = window.halves()
    if halves is not None:
        first, second = halves
        assert "".join(piece.text for half in (first, second) for piece in half.pieces) == "".join(
            piece.text for piece in window.pieces
        )
        assert first.pieces and second.pieces


def test_each_window_begins_with_the_last_page_of_the_one_before() -> None:
    windows = windows_of([Piece(number, "x") for number in range(1, 9)], 3)
    assert [window.pages for window in windows] == [[1, 2, 3], [3, 4, 5], [5, 6, 7], [7, 8]]
    assert [set(window.again) for window in windows] == [set(), {3}, {5}, {7}]


@pytest.mark.parametrize("window_pages", [1, 2, 3, 10])
def test_all_pages_are_read_whatever_the_window(tmp_path: Path, window_pages: int) -> None:
    with ModelServer(honest) as there:
        outcome = attempt(there, bill(tmp_path / "long.pdf", 7), window_pages=window_pages)
    found = record(outcome)
    assert {page for asked in there.asked for page in asked.pages} == set(range(1, 8))
    assert [line["item"].value for line in found.lines] == [
        f"Entry {page}.{row}" for page in range(1, 8) for row in (1, 2)
    ]
    assert [line["amount"].evidence[0].page for line in found.lines] == [
        page for page in range(1, 8) for _ in (1, 2)
    ]
    assert found.fields["total"].value == total_of(7) and found.fields["total"].evidence[0].page == 7
    assert found.fields["total"].confidence > 0.9, "the sum of the lines confirms it"


def test_a_question_that_is_too_long_is_asked_in_halves(tmp_path: Path) -> None:
    def script(asked: Asked) -> Reply | Refused:
        if len(asked.pages) > 2:
            return Refused(
                400, "This model's maximum context length is 100 tokens.", code="context_length_exceeded"
            )
        return honest(asked)

    with ModelServer(script) as there:
        outcome = attempt(there, bill(tmp_path / "long.pdf", 5))
    assert len(record(outcome).lines) == 10 and field(outcome, "total").value == total_of(5)


def test_an_answer_that_was_cut_is_asked_for_in_halves_down_to_parts_of_a_page(tmp_path: Path) -> None:
    def script(asked: Asked) -> Reply:
        whole = honest(asked)
        fits = len(asked.text.split("Entry")) <= 19
        return whole if fits else Reply(str(whole.content)[:200], finish="length")

    def page(name: str, rows: int) -> Path:
        return pages_pdf(tmp_path / name, [[f"Entry 1.{row}  {row}.00" for row in range(1, rows + 1)]])

    with ModelServer(script) as there:
        outcome = attempt(there, page("long.pdf", 36))
        assert len(there.asked) == 3, "the whole, and two halves"
        failed = failure(attempt(there, page("short.pdf", 19)))
    assert [line["amount"].value for line in record(outcome).lines] == [f"{row}.00" for row in range(1, 37)]
    assert failed.code is Code.INVALID_RESULT and not failed.retryable and failed.usage.calls == 1


# Merging


def said(value: str | None, page: int = 0, confidence: float = 0.9) -> FieldValue:
    box = Box(x0=0, y0=0, x1=1, y1=1)
    proof = (Evidence(page=page, box=box, quote=value or ""),) if page else ()
    return FieldValue(value=value, confidence=confidence, source=Source.MODEL, evidence=proof)


def test_the_first_proven_value_of_a_field_counts() -> None:
    assert merged([said(None), said("A", 2), said("a", 5)]).evidence[0].page == 2
    assert merged([said("invented"), said("A", 4)]).value == "A"
    assert merged([said("1,0"), said(None)]).value == "1,0"
    assert merged([said("10.00", 1), said("10", 3)]).reasons == ()


def test_two_windows_that_contradict_each_other_are_both_named() -> None:
    found = merged([said("2024-01-01", 2), said("2024-02-01", 11)])
    assert found.value == "2024-01-01" and found.confidence <= 0.6
    assert found.reasons == ("Page 2 says “2024-01-01”, page 11 says “2024-02-01”.",)


def entry(item: str, row: tuple[int, float] | None) -> Entry:
    return Entry({"item": said(item)}, row)


def test_entries_are_taken_once_from_a_page_that_two_windows_share() -> None:
    portions = [
        Portion({}, {"lines": [entry("a", (1, 10)), entry("b", (2, 10)), entry("b", (2, 30)), entry("x", None)]}),
        Portion({}, {"lines": [entry("b", (2, 10)), entry("b", (2, 30)), entry("x", None), entry("x", None), entry("b", (3, 10))]}, again=frozenset([2])),
    ]  # fmt: skip
    assert [cells["item"].value for cells in merged_lists(portions, "lines")] == [
        "a",
        "b",
        "b",
        "x",
        "x",
        "b",
    ]


def test_an_entry_is_taken_once_where_the_page_was_cut_in_parts_the_second_time() -> None:
    portions = [
        Portion({}, {"lines": [entry("a", (2, 10)), entry("b", (2, 30))]}),
        Portion({}, {"lines": [entry("a", (2, 10))]}, again=frozenset([2])),
        Portion({}, {"lines": [entry("b", (2, 30)), entry("c", (2, 50))]}, again=frozenset([2])),
    ]
    assert [cells["item"].value for cells in merged_lists(portions, "lines")] == ["a", "b", "c"]


def test_equal_entries_of_windows_without_a_common_page_are_all_kept() -> None:
    portions = [Portion({}, {"lines": [entry("fee", None)]}), Portion({}, {"lines": [entry("fee", None)]})]
    assert len(merged_lists(portions, "lines")) == 2


# Asking


def test_a_models_answer_may_be_as_long_as_the_schema_needs_and_no_longer() -> None:
    small = Schema.of({"kind": "x", "fields": [{"name": "total", "type": "money"}]})
    assert tokens_for(small, 1) == tokens_for(small, 10) < 400
    lists = Schema.of(SCHEMA)
    assert tokens_for(small, 1) < tokens_for(lists, 1) < tokens_for(lists, 3) <= MOST_OUTPUT


def test_progress_tells_pages_and_what_was_paid_after_each_window(tmp_path: Path) -> None:
    with ModelServer(honest) as there:
        endpoint = {"base_url": there.url, "key": "sk-of-tests-only"}
        events = events_of(
            bill(tmp_path / "long.pdf", 5), program="llm", endpoint=endpoint, settings={"schema": SCHEMA, "model": MODEL, "window_pages": 2}
        )  # fmt: skip
    told = [(event.pages_done, event.usage.calls) for event in events if isinstance(event, Progress)]
    assert told[0] == (0, 0) and told[-1] == (5, 4) and told == sorted(told)
    assert {(0, 1), (2, 2), (3, 3), (4, 4)} <= set(told), "what was paid is told at once, then the pages"


def test_a_document_without_text_or_pictures_costs_nothing(tmp_path: Path) -> None:
    with ModelServer(lambda _: answer({})) as there:
        outcome = attempt(there, pages_pdf(tmp_path / "blank.pdf", [[]]), vision="never")
    assert isinstance(outcome, Completed) and outcome.result and outcome.result.records == ()
    assert outcome.result.needs_review and outcome.result.confidence == 0 and there.asked == []
