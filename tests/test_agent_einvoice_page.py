"""What the page says decides, whatever its electronic invoice says; where they differ, both are told."""

from __future__ import annotations

import io
from decimal import Decimal
from pathlib import Path

from pypdf import PdfReader, PdfWriter

from tasks.agent.contract import Record
from tests.pdfs import lines_pdf, result_of, stored
from tests.samples.einvoice import cross_industry_invoice
from tests.samples.generate import Paper
from tests.test_agent_unusual import HEAD, ITEMS, SUMS, TITLES, Rows

PAPER = Paper(
    kind="invoice",
    supplier="Harbour Lane Books Ltd",
    supplier_address=[],
    buyer=["Quay Reading Rooms"],
    number="8812",
    date="2024-05-14",
    lines=[("Oak shelf", "2", "120.00"), ("Wall bracket", "5", "12.00")],
    rate=Decimal(20),
    currency="GBP",
)


def with_xml(folder: Path, rows: Rows, **said: str) -> Record:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(lines_pdf(rows))))
    writer.add_attachment("factur-x.xml", cross_industry_invoice(PAPER, **said))
    content = io.BytesIO()
    writer.write(content)
    return result_of(stored(folder, content.getvalue())).records[0]


def test_sums_that_stand_on_the_page_without_labels_are_read_there(tmp_path: Path) -> None:
    rows: Rows = [
        *HEAD,
        "Your contribution with the duty that is due on it comes to 360.00,",
        "and this duty to 60.00.",
    ]
    found = with_xml(tmp_path, rows).fields
    for name, value in (("tax", "60.00"), ("total", "360.00")):
        assert (found[name].value, found[name].reasons) == (value, ())
        assert found[name].evidence


def test_a_number_within_the_title_is_the_pages_and_differs(tmp_path: Path) -> None:
    rows: Rows = [HEAD[0], "Invoice on upkeep of the library no. 00.123.456", *HEAD[2:], *SUMS]
    found = with_xml(tmp_path, rows, number="00.123.456-2024-1").fields["number"]
    assert found.value == "00.123.456"
    assert found.reasons == (
        "No label says whose number this is.",
        "The page says 00.123.456, the embedded electronic invoice says 00.123.456-2024-1.",
    )


def test_lines_that_do_not_sum_say_so_even_if_there_are_as_many(tmp_path: Path) -> None:
    wrong = [(60, "Wall bracket"), (305, "5"), (390, "14.00"), (480, "70.00")]
    lines = with_xml(tmp_path, [*HEAD, *TITLES, ITEMS[0], wrong, *SUMS]).lines
    assert {reason for line in lines for reason in line["amount"].reasons} == {
        "The line items do not sum to the printed net or total."
    }
