"""Results as a workbook: values of their own kind that lead to their place, what is doubtful said in its cell, nothing run, nothing rounded."""

from __future__ import annotations

import copy
import io
import tracemalloc
from datetime import datetime
from typing import Any

import openpyxl
import pytest
from django.test import Client as Browser
from django.urls import reverse

from dashboard import workbook
from tasks.models import Extraction
from tests.factories import (
    database_now,
    make_agent,
    make_client,
    make_completed,
    make_document,
    make_extraction,
    make_task,
    make_user,
    result_json,
)

EVIL = "=cmd|' /C calc'!A0.pdf"


@pytest.fixture
def extraction(db) -> Extraction:
    """Three documents: one ready, one (the first by name) with a doubt, a long number and text that looks like a formula, and one that waits."""
    refused = [{"name": "=1+1.docx", "code": "not_pdf", "sentence": "This file is not a PDF, whatever its name says.", "document_id": None, "task_id": None}]  # fmt: skip
    made = make_extraction(make_client("Nordwind"), make_agent("reader"), refused=refused)
    make_completed(made, make_document(made.client, "good.pdf"), result=result_json())
    doubtful = copy.deepcopy(result_json(confidence=0.62, needs_review=True, supplier="@SUM(A1)"))
    fields = doubtful["records"][0]["fields"]
    fields["date"] = fields["supplier"] | {"value": "2026-02-28", "evidence": []}
    fields["net"] = fields["supplier"] | {"value": "12345678901234.567890", "evidence": []}
    make_completed(made, make_document(made.client, EVIL), result=doubtful)
    make_task(made, make_document(made.client, "waiting.pdf"))
    return made


def taken(browser: Browser, extraction: Extraction) -> Any:
    answer = browser.get(reverse("results_xlsx", args=(extraction.pk,)))
    assert answer.status_code == 200 and answer.headers["Content-Type"] == workbook.XLSX
    return openpyxl.load_workbook(io.BytesIO(b"".join(answer.streaming_content)))


def table(page: Any) -> list[dict[str, Any]]:
    """Rows as cells by the heading above them."""
    head, *rows = page.iter_rows()
    return [{name.value: cell for name, cell in zip(head, row, strict=True)} for row in rows]


@pytest.fixture
def alice(extraction: Extraction, client: Browser) -> Browser:
    client.force_login(make_user("alice", "Auditor", clients=(extraction.client,)))
    return client


def test_each_value_is_of_its_kind_and_leads_to_its_place(alice: Browser, extraction: Extraction) -> None:
    doubtful, good, waiting = table(taken(alice, extraction)["Documents"])
    task = extraction.tasks.order_by("pk").first()
    assert good["document"].value == "good.pdf"
    assert good["document"].hyperlink.target == f"http://testserver{reverse('task', args=(task.pk,))}"
    assert (good["Supplier"].value, good["Total"].value, good["Total"].data_type) == (
        "Acme GmbH",
        1234.5,
        "n",
    )
    for heading, name in (("Supplier", "supplier"), ("Total", "total")):
        link = good[heading].hyperlink
        where = f"{link.target}#{link.location}" if link.location else link.target
        assert where == f"http://testserver{reverse('sheet', args=(task.pk, 1))}#box-0-{name}"
    assert (doubtful["Date"].value, doubtful["Date"].hyperlink) == (datetime(2026, 2, 28), None)
    assert good["Due date"].value is None and good["Due date"].hyperlink is None
    assert [row["state"].value for row in (good, doubtful, waiting)] == [
        "Completed",
        "Needs review",
        "Waiting",
    ]
    assert waiting["Supplier"].value is None and waiting["SHA-256"].value
    assert good["confidence"].value == 0.95 and good["confidence"].number_format == "0%"


def test_links_lead_nobody_to_what_they_may_not_open(extraction: Extraction) -> None:
    """And nothing else of the workbook is another one."""
    books = []
    for name, role in (("olga", "Operator"), ("fritz", "Finance")):
        browser = Browser()
        browser.force_login(make_user(name, role))
        books.append(taken(browser, extraction))
        for page in books[-1]:
            for cell in (cell for row in page.iter_rows() for cell in row if cell.hyperlink):
                assert browser.get(cell.hyperlink.target.split("#")[0]).status_code != 403, (name, cell)
    of_operator, of_finance = ([[list(row) for row in page.values] for page in book] for book in books)
    assert of_operator == of_finance
    assert table(books[1]["Documents"])[0]["document"].hyperlink


def test_what_is_doubtful_is_marked_and_says_why(alice: Browser, extraction: Extraction) -> None:
    doubtful, good, _ = table(taken(alice, extraction)["Documents"])
    assert "Net and tax do not add up" in doubtful["Total"].comment.text
    assert doubtful["Total"].fill.fgColor.rgb.endswith(workbook.AMBER[1:])
    assert (
        good["Total"].comment is None and good["Total"].fill.fgColor.rgb != doubtful["Total"].fill.fgColor.rgb
    )


@pytest.mark.parametrize(
    ("language", "column", "start"),
    [("en", "reasons", "Total: Net and tax"), ("de", "Gründe", "Gesamt: Net")],
)
def test_the_column_of_reasons_names_each_amber_cell_of_its_row(
    alice: Browser, extraction: Extraction, language: str, column: str, start: str
) -> None:
    alice.cookies["django_language"] = language
    doubtful, good, _ = table(next(iter(taken(alice, extraction))))
    assert doubtful[column].value.startswith(start)
    assert good[column].value is None


def test_nothing_is_a_formula_and_no_number_is_rounded(alice: Browser, extraction: Extraction) -> None:
    book = taken(alice, extraction)
    assert all(cell.data_type != "f" for page in book for row in page.iter_rows() for cell in row)
    doubtful = table(book["Documents"])[0]
    assert (doubtful["document"].value, doubtful["Supplier"].value) == (EVIL, "@SUM(A1)")
    assert doubtful["Net"].value == "12345678901234.567890", "more digits than a number of a workbook holds"
    assert book["Files not read"]["A2"].value == "=1+1.docx"


def test_line_items_have_a_page_of_their_own(alice: Browser, extraction: Extraction) -> None:
    _first, second = table(taken(alice, extraction)["Line items"])
    assert (second["document"].value, second["record"].value, second["line"].value) == ("good.pdf", 1, 1)
    assert "Paper" in [cell.value for cell in second.values()]


def test_links_end_where_a_workbook_holds_no_more(
    alice: Browser, extraction: Extraction, monkeypatch
) -> None:
    monkeypatch.setattr(workbook, "MOST_LINKS", 2)
    rows = table(taken(alice, extraction)["Documents"])
    assert sum(cell.hyperlink is not None for row in rows for cell in row.values()) == 2
    assert rows[0]["Total"].value == 1234.5


def test_what_does_not_fit_is_counted_below_the_table(
    alice: Browser, extraction: Extraction, monkeypatch
) -> None:
    for name, most in (("MOST_LINKS", 3), ("MOST_NOTES", 0), ("MOST_ROWS", 2)):
        monkeypatch.setattr(workbook, name, most)
    cells = [row[0].value for row in taken(alice, extraction)["Documents"].iter_rows()]
    assert cells[:4] == ["document", EVIL, "good.pdf", None], "the filter ends above what is said"
    assert [sentence.partition(" further ")[0] for sentence in cells[4:]] == ["1", "3", "1"]
    assert "JSON" in cells[4] and "link" in cells[5] and "amber" in cells[6]


def test_a_text_too_long_for_a_cell_says_so_and_long_whole_numbers_stay_exact(
    alice: Browser, extraction: Extraction
) -> None:
    long = copy.deepcopy(result_json(supplier="\U0001f4c4" * 20_000))
    fields = long["records"][0]["fields"]
    fields["number"] = fields["supplier"] | {"value": "x" * workbook.MOST_TEXT}
    fields["parcels"] = fields["supplier"] | {"value": 2**53 + 1}
    make_completed(extraction, make_document(extraction.client, "long.pdf"), result=long)
    _doubtful, _good, row, _waiting = table(taken(alice, extraction)["Documents"])
    said = row["Supplier"].value
    assert said.startswith("\U0001f4c4" * 16_000 + " […]") and "too long" in said
    assert len(said.encode("utf-16-le")) <= 2 * workbook.MOST_TEXT
    assert row["Number"].value == "x" * workbook.MOST_TEXT, "what just fits is whole"
    assert row["Parcels"].value == str(2**53 + 1)


def test_memory_does_not_grow_with_the_rows(alice: Browser, extraction: Extraction, monkeypatch) -> None:
    task = extraction.tasks.select_related("document").order_by("pk").first()
    result = result_json()
    monkeypatch.setattr(workbook, "MOST_LINKS", 10)
    line = result["records"][0]["lines"][0]
    peaks = []
    for count in (10, 20, 200):  # the first one loads what is loaded once
        result["records"][0]["lines"] = [line] * 20
        tracemalloc.start()
        made = workbook.made(
            extraction,
            lambda n=count: ((task, result) for _ in range(n)),
            "http://testserver{}".format,
            may_see_pages=True,
        )
        peaks.append(tracemalloc.get_traced_memory()[1] - len(made))
        tracemalloc.stop()
    assert peaks[2] < peaks[1] + 500_000


def test_it_speaks_the_language_of_who_takes_it(alice: Browser, extraction: Extraction) -> None:
    alice.cookies["django_language"] = "de"
    book = taken(alice, extraction)
    assert book.sheetnames == ["Dokumente", "Positionen", "Nicht gelesene Dateien"]


def test_after_its_retention_time_it_says_so(alice: Browser, extraction: Extraction) -> None:
    Extraction.objects.update(pruned_at=database_now(), refused=[])
    assert "after their retention time" in table(taken(alice, extraction)["Documents"])[0]["reasons"].value


def test_a_stranger_gets_none(extraction: Extraction, client: Browser) -> None:
    client.force_login(make_user("charlie", "Auditor", clients=(make_client("Elsewhere"),)))
    assert client.get(reverse("results_xlsx", args=(extraction.pk,))).status_code == 404
