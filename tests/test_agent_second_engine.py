"""A second OCR engine is asked only where the first left gaps, and taken only where it leaves fewer."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from tasks.agent import second_engine
from tasks.agent.contract import Limits, Result
from tasks.agent.ocr import Engine, Seen, recognise
from tasks.agent.page import Page
from tasks.agent.second_engine import MEMORY_MIB, Rapid, installed, parted
from tests.ocr_tools import picture_of, scan_of
from tests.pdfs import result_of
from tests.samples.generate import FOLDER

SAMPLE = FOLDER / "01-invoice-english.pdf"
ENOUGH = Limits(memory_mib=MEMORY_MIB)
TAKEN = "A second OCR engine was asked, and its words were taken: they leave fewer gaps."

Rows = list[tuple[float, float, str]]
PARTIES: Rows = [(150, 150, "Harbour Lane Books Ltd"), (900, 150, "INVOICE")]
HEAD: Rows = [(900, 350, "Invoice number"), (1200, 350, "HLB-2024-0187"), (900, 400, "Invoice date"), (1200, 400, "14 March 2024")]  # fmt: skip
SUMS: Rows = [(900, 900, "Subtotal"), (1250, 900, "£604.50"), (900, 950, "VAT 20%"), (1250, 950, "£120.90")]
TOTAL: Rows = [(900, 1000, "Total"), (1250, 1000, "£725.40")]
WHOLE = [*PARTIES, *HEAD, *SUMS, *TOTAL]


class Scripted:
    """An engine that sees these phrases on every picture, and counts how often it is asked."""

    def __init__(self, rows: Rows, sure: float = 96.0):
        self.rows, self.sure, self.asked = rows, sure, 0

    def words(self, picture: Image.Image, scattered: bool = False) -> list[Seen]:
        self.asked += 1
        boxes = [([[x, y], [x + 14 * len(text), y], [x + 14 * len(text), y + 28], [x, y + 28]], text) for x, y, text in self.rows]  # fmt: skip
        return [word for box, text in boxes for word in parted(box, text, self.sure / 100)]

    def read(self, page: Page, picture: Image.Image) -> bool:
        return recognise(page, picture, self)  # type: ignore[arg-type]

    def quarters(self, picture: Image.Image) -> int:
        return 0


Reader = Callable[..., tuple[Result, Scripted]]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """What becomes of a scan of which the first engine sees `first` and the second one `second`; and the second one."""
    path = scan_of(SAMPLE, tmp_path / "scan.pdf")

    def read(first: Rows, second: Rows | Scripted, limits: Limits = ENOUGH) -> tuple[Result, Scripted]:
        other = second if isinstance(second, Scripted) else Scripted(second)
        monkeypatch.setattr(Engine, "find", classmethod(lambda cls, options: Scripted(first)))
        monkeypatch.setattr(second_engine, "installed", lambda: True)
        monkeypatch.setattr(second_engine, "Rapid", lambda: other)
        return result_of(path, limits=limits), other

    return read


def values(result: Result) -> dict[str, object]:
    return {name: field.value for record in result.records for name, field in record.fields.items()}


def test_it_is_not_asked_where_nothing_is_missing(read: Reader) -> None:
    result, other = read(WHOLE, [])
    assert values(result)["total"] == "725.40" and other.asked == 0


@pytest.mark.parametrize(
    ("first", "field", "value"),
    [
        ([*PARTIES, *HEAD, *SUMS], "total", "725.40"),
        ([*PARTIES, *HEAD[2:], *SUMS, *TOTAL], "number", "HLB-2024-0187"),
        ([*PARTIES, *HEAD, *SUMS, (900, 1000, "Total"), (1250, 1000, "£125.40")], "total", "725.40"),
    ],
    ids=["no total", "no number", "sums disagree"],
)
def test_what_it_sees_is_taken_where_it_fills_a_gap(
    read: Reader, first: Rows, field: str, value: str
) -> None:
    result, other = read(first, WHOLE)
    assert values(result)[field] == value and other.asked == 1
    found = result.records[0].fields[field]
    assert TAKEN in result.notes and found.source == "ocr" and found.evidence[0].page == 1


def test_what_it_sees_is_left_where_it_fills_no_gap(read: Reader) -> None:
    first = [*PARTIES, *HEAD, *SUMS]
    result, other = read(first, [*PARTIES, *HEAD[2:], *SUMS, *TOTAL])
    alone, _ = read(first, [])
    assert other.asked == 1 and result == alone and values(result)["number"] == "HLB-2024-0187"


def test_a_gap_filled_at_the_cost_of_other_fields_is_no_gain(read: Reader) -> None:
    result, other = read([*PARTIES, *HEAD, *SUMS], [(900, 150, "INVOICE"), *HEAD[:2], *TOTAL])
    assert other.asked == 1 and values(result)["date"] == "2024-03-14" and TAKEN not in result.notes


def test_a_scan_that_is_no_invoice_is_left_alone(read: Reader) -> None:
    letter: Rows = [(150, 300 + 60 * row, text) for row, text in enumerate(["Dear neighbours,", "We met on the bridge.", "Kind regards"])]  # fmt: skip
    result, other = read(letter, WHOLE)
    assert result.kind == "other" and other.asked == 0


def test_it_needs_three_gibibytes_and_the_result_says_so(read: Reader) -> None:
    result, other = read([*PARTIES, *HEAD, *SUMS], WHOLE, Limits(memory_mib=MEMORY_MIB - 1))
    assert other.asked == 0 and values(result)["total"] is None
    assert (
        "The second OCR engine was not tried: it needs 3,072 MiB, and the agent may use 3,071."
        in result.notes
    )


def test_it_begins_no_page_that_time_is_too_short_for(read: Reader) -> None:
    seconds = int(second_engine.PAGE_SECONDS / 0.8) - 5
    result, other = read([*PARTIES, *HEAD, *SUMS], WHOLE, Limits(memory_mib=MEMORY_MIB, wall_seconds=seconds))
    assert other.asked == 0 and values(result)["total"] is None and result.notes


@pytest.mark.parametrize("fault", [RuntimeError("bad allocation"), MemoryError()])
def test_its_failure_leaves_what_the_first_engine_read(read: Reader, fault: Exception) -> None:
    class Broken(Scripted):
        def words(self, picture: Image.Image, scattered: bool = False) -> list[Seen]:
            raise fault

    result, _ = read([*PARTIES, *HEAD, *SUMS], Broken([]))
    assert values(result)["number"] == "HLB-2024-0187"
    assert f"The second OCR engine failed ({type(fault).__name__})." in result.notes


def test_a_phrase_is_parted_into_words_side_by_side() -> None:
    one, two = parted([[100, 50], [260, 52], [260, 92], [100, 90]], "Invoice  No.", 0.9)
    assert (one.text, two.text, one.sure) == ("Invoice", "No.", 90.0)
    assert 100 < one.x0 < one.x1 < two.x0 < two.x1 < 260 and 50 < one.y0 < one.y1 < 92
    assert parted([[0, 0], [9, 0], [9, 9], [0, 9]], "  ", 0.9) == []


@pytest.mark.slow
@pytest.mark.skipif(
    not installed(), reason="rapidocr is not installed. Type: pip install -r requirements-rapidocr.txt"
)
def test_the_engine_reads_without_the_network_and_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("asks the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    picture = picture_of(SAMPLE)
    seen = Rapid().words(picture)
    text = " ".join(word.text for word in seen)
    assert "HLB-2024-0187" in text and "Harbour Lane Books Ltd" in text
    assert all(0 <= word.x0 < word.x1 <= picture.width and word.y0 < word.y1 for word in seen)
    assert Rapid().words(picture) == seen
