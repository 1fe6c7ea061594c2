"""Scanned pages may be read by Databricks' ai_parse_document: their text is used as any other, and nothing on them is taken for proven."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from fpdf import FPDF
from PIL import Image

from tasks import events, queue
from tasks.agent.contract import Code, Completed, Failed, Result, Source
from tasks.agent.databricks.parse import words_of
from tasks.agent.page import Page
from tasks.models import Attempt
from tests import queue_tools as tools
from tests.factories import make_agent
from tests.fakes.aifunctions import AiFunctions, element
from tests.fakes.databricks import Refused, Workspace
from tests.fakes.wire import golden, seen
from tests.llm_tools import SCHEMA, bill, failure, field, record
from tests.ocr_tools import scan_of
from tests.pdfs import outcome_of
from tests.samples.generate import FOLDER

pytest_plugins = ["tests.fakes.fixtures"]

PARSE = "/api/2.0/ai-functions/ai-parse-document"
SAMPLE = FOLDER / "01-invoice-english.pdf"
COMPARE = "It was read from a picture of the page by Databricks, which does not say where single words stand; compare it with the page."
BY_DATABRICKS = "Page 1 was read from its picture by ai_parse_document of Databricks."
TABLE = (
    "<table><tr><th>Description</th><th>Quantity</th><th>Unit price</th><th>Amount</th></tr>"
    "<tr><td>Atlas of rivers</td><td>2</td><td>50.00</td><td>100.00</td></tr>"
    "<tr><td>Field notebooks</td><td>4</td><td>25.00</td><td>100.00</td></tr></table>"
)


def an_invoice(picture: Image.Image) -> dict[str, Any]:
    """As the platform gives it: paragraphs, a table, and a figure that it has described itself."""
    elements = [
        element("title", "Invoice", (100, 100, 400, 160)),
        element("text", "Harbour Lane Books Ltd\n12 Quay Street, London", (100, 200, 700, 280)),
        element("text", "Invoice number: HLB-77\nInvoice date: 14 March 2024", (100, 320, 700, 400)),
        element("table", TABLE, (100, 500, 1400, 700)),
        element(
            "text", "Net total: GBP 200.00\nVAT 20 %: GBP 40.00\nTotal: GBP 240.00", (900, 750, 1400, 870)
        ),
        element(
            "figure",
            "Total: GBP 999.00",
            (100, 900, 300, 1000),
            description="A stamp that says Total: GBP 999.00",
        ),
    ]
    return {"pages": [{"id": 0, "image_uri": None}], "elements": elements}


@pytest.fixture
def functions(workspace: Workspace) -> AiFunctions:
    made = AiFunctions(workspace)
    made.parses = an_invoice
    return made


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    return scan_of(SAMPLE, tmp_path / "scan.pdf")


def attempt(path: Path, program: str = "rules", **members: Any) -> Completed | Failed:
    own = {"ocr_engine": "databricks", **members.pop("settings", {})}
    return outcome_of(path, program=program, settings=own, **members)


def result(outcome: Completed | Failed) -> Result:
    assert isinstance(outcome, Completed) and outcome.result is not None, outcome
    return outcome.result


def test_a_scan_is_read_and_every_value_of_it_asks_to_be_compared(functions: AiFunctions, scan: Path) -> None:
    outcome = attempt(scan)
    expected = {"supplier": "Harbour Lane Books Ltd", "number": "HLB-77", "date": "2024-03-14", "currency": "GBP", "total": "240.00"}  # fmt: skip
    for name, value in expected.items():
        said = field(outcome, name)
        assert said.value == value and said.source is Source.OCR, name
        assert said.evidence == () and COMPARE in said.reasons and said.confidence <= 0.6, name
    assert len(record(outcome).lines) == 2
    assert all(COMPARE in cell.reasons for line in record(outcome).lines for cell in line.values())
    assert BY_DATABRICKS in result(outcome).notes and result(outcome).needs_review


CONTRACT = """This Agreement is made on 4 March 2024 between Harbour Lane Books Ltd (the "Client"),
a company registered in England, and Northfield Garden Supply, LLC (the "Contractor").
The total fee for all services is GBP 48,500.00 and is paid monthly.
This Agreement shall be governed by the laws of England and Wales."""


def test_a_scanned_contract_is_read_the_same_way(functions: AiFunctions, scan: Path) -> None:
    elements = [
        element("title", "SERVICES AGREEMENT", (400, 100, 900, 150)),
        element("text", CONTRACT, (100, 200, 1500, 400)),
    ]
    functions.parses = lambda picture: {"elements": elements}
    found = record(attempt(scan, "contract-rules")).fields
    assert found["party_1"].value == "Harbour Lane Books Ltd" and found["amount"].value == "48500.00"
    said = [value for value in found.values() if value.value is not None]
    assert len(said) >= 5 and all(COMPARE in value.reasons and not value.evidence for value in said)


def test_what_reading_took_is_unknown_and_never_nothing(functions: AiFunctions, scan: Path) -> None:
    usage = attempt(scan).usage
    assert (usage.calls, usage.model, usage.input_tokens) == (1, "ai_parse_document", None)


@pytest.mark.django_db
def test_its_cost_is_unknown_on_an_agent_without_a_model(functions: AiFunctions, scan: Path) -> None:
    tools.hand_in(make_agent(), 1)
    (row,) = tools.claim()
    events.apply(queue.connection(), [tools.completed(row.attempt_id, usage=attempt(scan).usage)])
    paid = Attempt.objects.get()
    assert (paid.model, paid.cost_usd, paid.cost_state) == ("ai_parse_document", None, "unknown")


def test_only_pages_without_text_leave_the_machine_and_only_as_pictures(functions: AiFunctions, workspace: Workspace, scan: Path, tmp_path: Path) -> None:  # fmt: skip
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.append(SAMPLE)
    writer.append(scan)
    both = tmp_path / "both.pdf"
    writer.write(both)
    outcome = attempt(both)
    assert len(functions.pictures) == 1 and max(functions.pictures[0].size) <= 2500
    assert "Page 2 was read from its picture by ai_parse_document of Databricks." in result(outcome).notes
    assert attempt(SAMPLE).usage.calls == 0 and len(functions.pictures) == 1


def test_text_without_places_goes_through_models_too(functions: AiFunctions, scan: Path) -> None:
    functions.extracts = lambda asked: {
        "supplier": "Harbour Lane Books Ltd",
        "date": "2024-03-14",
        "total": "999.00",
        "lines": [],
    }
    outcome = attempt(scan, "databricks-ai-extract", settings={"schema": SCHEMA, "model": "ai_extract"})
    assert "Invoice number: HLB-77" in functions.asked[0].text and "999.00" not in functions.asked[0].text
    assert field(outcome, "supplier").reasons == (COMPARE,) and field(outcome, "supplier").evidence == ()
    assert field(outcome, "total").reasons == (
        "Not found on page: nothing that is printed there holds this value.",
    )
    assert (outcome.usage.calls, outcome.usage.model) == (2, "ai_parse_document + ai_extract")


def test_without_a_login_the_result_says_what_is_needed(
    tmp_path: Path, scan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DATABRICKS_HOST", "DATABRICKS_CLIENT_ID", "DATABRICKS_CLIENT_SECRET", "DATABRICKS_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATABRICKS_CONFIG_FILE", str(tmp_path / "none.cfg"))
    said = result(attempt(scan))
    assert said.needs_review and said.records == ()
    assert any(
        reason.startswith(
            "Pages without text were to be read by ai_parse_document. This run has no login to a Databricks workspace. Let"
        )
        for reason in said.reasons
    )
    assert result(attempt(bill(tmp_path / "bill.pdf", 1))).reasons == result(attempt(bill(tmp_path / "bill.pdf", 1), settings={"ocr_engine": ""})).reasons  # fmt: skip


def test_an_engine_that_nobody_knows_is_said(scan: Path) -> None:
    failed = failure(attempt(scan, settings={"ocr_engine": "abbyy"}))
    assert failed.code == Code.BAD_CONFIGURATION and "it is tesseract or databricks" in failed.message


@pytest.mark.parametrize(
    ("kind", "more", "code", "wait"),
    [
        ("429", {"retry_after": "21"}, Code.RATE_LIMITED, 21.0),
        ("429", {}, Code.RATE_LIMITED, None),
        ("503", {}, Code.UPSTREAM, None),
        ("403", {}, Code.BAD_CONFIGURATION, None),
        ("lose", {}, Code.UPSTREAM, None),
    ],
)
def test_a_refusal_ends_the_attempt_and_is_not_repeated(
    functions: AiFunctions,
    workspace: Workspace,
    scan: Path,
    kind: str,
    more: dict,
    code: Code,
    wait: float | None,
) -> None:
    workspace.fault(kind, PARSE, **more)
    failed = failure(attempt(scan))
    assert (failed.code, failed.retry_after) == (code, wait)
    assert "ai_parse_document" in failed.message and len(workspace.requests(PARSE)) == 1
    # What was refused used nothing; of what may have been taken nobody knows
    assert (failed.usage.calls, failed.usage.input_tokens) == ((1, None) if kind == "lose" else (0, 0))


def test_a_page_that_the_platform_cannot_read_is_named(functions: AiFunctions, scan: Path) -> None:
    functions.parses = lambda picture: None
    functions.page_errors = [{"page_id": 0, "error_message": "Harbour Lane Books Ltd is unreadable"}]
    said = result(attempt(scan))
    assert "Page 1 has no text, and none was recognised in its picture." in said.reasons
    assert "Harbour" not in said.model_dump_json()


def test_a_picture_that_is_refused_as_too_large_is_named(functions: AiFunctions, scan: Path) -> None:
    def parses(picture: Image.Image) -> Any:
        raise Refused(400, "INVALID_PARAMETER_VALUE", "The content is too large")

    functions.parses = parses
    assert "Page 1 has no text, and none was recognised in its picture." in result(attempt(scan)).reasons


@pytest.mark.parametrize("document", [None, "text", {"pages": []}, {"elements": "text"}, ["text"]])
def test_an_answer_of_another_shape_is_no_text(functions: AiFunctions, scan: Path, document: Any) -> None:
    functions.parses = lambda picture: document
    failed = failure(attempt(scan))
    assert (failed.code, failed.retryable, failed.usage.calls) == (Code.INVALID_RESULT, True, 1)


def test_a_paid_page_is_kept_for_the_next_attempt(functions: AiFunctions, scan: Path, tmp_path: Path) -> None:
    first = attempt(scan, kept=str(tmp_path / "kept"))
    again = attempt(scan, kept=str(tmp_path / "kept"))
    assert len(functions.pictures) == 1 and again.usage.calls == 0
    assert record(again) == record(first)


def test_no_text_of_the_document_gets_into_logs(
    functions: AiFunctions, scan: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    attempt(scan)
    assert "Harbour" not in caplog.text and "HLB-77" not in caplog.text


# Words of parsed elements


def words(*elements: Any) -> list[tuple[str, int, int]]:
    """Text with left edge and top in points, on a page of 100 × 200 points whose picture has 1000 × 2000 pixels."""
    return [
        (word.text, round(word.x0), round(word.y0))
        for word in words_of(list(elements), Page(1, 100, 200), (1000, 2000))
    ]


def test_lines_share_the_box_of_their_paragraph() -> None:
    assert words(element("text", "ab cd\n\nef", (100, 100, 600, 300))) == [
        ("ab", 10, 11),
        ("cd", 25, 11),
        ("ef", 10, 21),
    ]


def test_cells_of_a_table_stand_in_rows_and_columns() -> None:
    table = "<table><thead><tr><th>Item</th><th>Sum</th></tr></thead><tr><td>A &amp; B</td><td><b>5.00</b></td></tr></table>"
    found = {text: (x, y) for text, x, y in words(element("table", table, (0, 0, 1000, 200)))}
    assert found["Item"] == (0, 1) and found["Sum"] == (50, 1)
    assert found["5.00"] == (50, 11) and found["B"][1] == 11


def test_what_a_model_has_described_is_no_text_of_the_page() -> None:
    assert words(element("figure", "Total 5.00", description="Total 5.00")) == []


@pytest.mark.parametrize(
    "odd",
    [
        None, 5, "text", {}, {"type": "text"}, {"type": "text", "content": None}, {"type": "text", "content": ["a"]},
        {"type": "text", "content": "   \n "}, {"type": "table", "content": "<table><tr></tr></table>"},
    ],
)  # fmt: skip
def test_odd_elements_hold_no_words_and_break_nothing(odd: Any) -> None:
    assert [text for text, _, _ in words(odd, element("text", "Total", (0, 0, 500, 20)))] == ["Total"]


@pytest.mark.parametrize(
    "bbox", [None, [], "x", [{}], [{"coord": [1, 2]}], [{"coord": [9, 9, 1, 1]}], [{"coord": ["a", 1, 2, 3]}], [{"coord": [0, 0, 1e400, 5]}], [{"coord": [float("nan")] * 4}]],
)  # fmt: skip
def test_elements_without_a_usable_box_follow_below_the_others(bbox: Any) -> None:
    placed = words(
        element("text", "above", (0, 0, 500, 500)), {"type": "text", "content": "below", "bbox": bbox}
    )
    assert placed[1][0] == "below" and placed[1][2] >= 50


def test_a_box_beyond_the_picture_stays_on_the_page_and_no_word_is_left_out() -> None:
    found = words_of([element("text", "a " * 5_000, (0, 0, 900_000, 10))], Page(1, 100, 200), (1000, 2000))
    assert len(found) == 5_000 and all(0 <= word.x0 <= word.x1 <= 100.01 for word in found)


def test_a_picture_is_sent_and_no_description_of_figures_is_asked_for(
    functions: AiFunctions, workspace: Workspace, scan: Path
) -> None:
    attempt(scan)
    asked = workspace.requests(PARSE)[0]
    assert asked["method"] == "POST" and asked["body"].startswith('{"content": "data:image/jpeg;base64,')
    assert functions.parse_options == [{"description_element_types": "", "version": "2.0"}]


def test_the_requests_are_those_that_were_seen_before(
    functions: AiFunctions, workspace: Workspace, tmp_path: Path
) -> None:
    """A page without text and one with, so that both functions are asked. Of the picture only its kind is compared; it is so small
    that the log does not cut what is sent behind it."""
    stroke = FPDF(unit="mm", format=(20, 10))
    stroke.add_page()
    stroke.line(2, 2, 18, 8)
    stroke.output(str(tmp_path / "stroke.pdf"))
    own = {"schema": SCHEMA, "model": "ai_extract", "ocr_engine": "databricks"}
    attempt(tmp_path / "stroke.pdf", "databricks-ai-extract", settings=own)
    attempt(bill(tmp_path / "bill.pdf", 1), "databricks-ai-extract", settings={**own, "mode": "precision"})
    lines = seen(workspace, {r"base64,[\w+/=]+": "base64,PICTURE", r"DOCUMENT-[0-9a-f]+": "DOCUMENT-MARK"})
    assert [line for line in lines if "/ai-functions/" in line] == golden("functions")
