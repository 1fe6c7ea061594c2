"""Evidence is true: the box hugs the words of its quote, and the text under the box is the quote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest

from tasks.agent.contract import Evidence, FieldValue, Result
from tests.pdfs import lines_pdf, result_of, stored
from tests.samples.generate import FOLDER

READABLE = [
    name for name, truth in json.loads((FOLDER / "expected.json").read_text()).items() if "fields" in truth
]


def all_fields(result: Result) -> Iterator[tuple[str, FieldValue]]:
    for record in result.records:
        yield from record.fields.items()
        for line in record.lines:
            yield from line.items()


def under(document: pypdfium2.PdfDocument, evidence: Evidence) -> tuple[str, float]:
    """The text under the box, and how many times the area of its words the box is."""
    page = document[evidence.page - 1]
    width, height = page.get_size()
    box = evidence.box
    text = page.get_textpage()
    left, bottom, right, top = (
        box.x0 * width,
        height - box.y1 * height,
        box.x1 * width,
        height - box.y0 * height,
    )
    words = text.get_text_bounded(left, bottom, right, top)
    inked = sum(
        (right - left) * (top - bottom)
        for left, bottom, right, top in (text.get_charbox(i, loose=True) for i in range(text.count_chars()))
        if left >= box.x0 * width - 2
        and right <= box.x1 * width + 2
        and abs((bottom + top) / 2 - (height - (box.y0 + box.y1) / 2 * height)) < 6
    )
    return " ".join(words.split()), (right - left) * (top - bottom) / inked


@pytest.mark.parametrize("name", READABLE)
def test_the_text_under_each_box_is_its_quote(name: str) -> None:
    result = result_of(FOLDER / name)
    document = pypdfium2.PdfDocument(FOLDER / name)
    count = 0
    for field, value in all_fields(result):
        for evidence in value.evidence:
            text, times = under(document, evidence)
            assert text == evidence.quote, (field, value.value)
            assert times <= 3, (field, value.value, times)
            count += 1
    document.close()
    assert count >= 8


@pytest.mark.parametrize("name", READABLE)
def test_a_value_of_the_page_stands_on_the_page_or_says_that_it_does_not(name: str) -> None:
    for field, value in all_fields(result_of(FOLDER / name)):
        assert value.value is None or value.evidence or value.reasons or value.source != "page", field


def test_the_quote_holds_the_value_and_no_more_than_its_words(tmp_path: Path) -> None:
    rows: list[str | list[tuple[float, str]]] = [
        "Solo Trading Ltd",
        "INVOICE",
        "Invoice number: AB-77",
        "Invoice date: 3 May 2024",
    ]
    rows += [[(60, "Total"), (400, "GBP 1,250.00")]]
    record = result_of(stored(tmp_path, lines_pdf(rows))).records[0]
    assert record.fields["number"].evidence[0].quote == "AB-77"
    assert record.fields["total"].value == "1250.00"
    assert record.fields["total"].evidence[0].quote == "GBP 1,250.00"
    assert record.fields["date"].evidence[0].quote == "3 May 2024"
