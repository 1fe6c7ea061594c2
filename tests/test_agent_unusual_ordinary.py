"""What ordinary documents print: a charge that is an item, a letterhead larger than the title, one row of a table of rates."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pdfs import page_pdf, result_of, stored, text_at
from tests.test_agent_unusual import HEAD, ITEMS, SUMS, TITLES, Rows, read, record, sums

ACCOUNT: Rows = [
    "Statement of account",
    "Date: 31 March 2024",
    [(60, "Date"), (200, "Document"), (400, "Debit")],
    [(60, "04/03/2024"), (200, "Invoice F-811"), (400, "1,310.00")],
    [(60, "25/03/2024"), (200, "Invoice F-840"), (400, "240.00")],
    [(60, "Balance"), (400, "1,550.00")],
]


def test_a_charge_that_opens_the_items_is_one_of_them(tmp_path: Path) -> None:
    rows: Rows = [
        *HEAD,
        [(60, "Description"), (480, "Amount")],
        [(60, "Delivery of water, 41 m3"), (480, "240.00")],
        [(60, "Standing charge"), (480, "60.00")],
        *SUMS,
    ]
    assert [item["amount"].value for item in record(tmp_path, rows).lines] == ["240.00", "60.00"]


@pytest.mark.parametrize("size", [12, 15])
def test_an_account_is_no_invoice_whatever_the_size_of_its_letterhead(tmp_path: Path, size: int) -> None:
    content = text_at(60, 760, "Harbour Lane Books Ltd", size)
    for position, row in enumerate(ACCOUNT, 1):
        for x, text in [(60.0, row)] if isinstance(row, str) else row:
            content += text_at(x, 760 - 20 * position, text)
    result = result_of(stored(tmp_path, page_pdf(content)))
    assert (result.kind, result.records) == ("other", ())


def test_rows_of_an_account_name_no_kind(tmp_path: Path) -> None:
    assert read(tmp_path, ["Harbour Lane Books Ltd", "Account 2024", *ACCOUNT[1:]]).records == ()


RATES: list[tuple[float, str]] = [(60, "Rate"), (160, "Net"), (260, "VAT"), (360, "Gross")]
FULL: list[tuple[float, str]] = [(60, "20 %"), (160, "240.00"), (260, "48.00"), (360, "288.00")]
REDUCED: list[tuple[float, str]] = [(60, "5 %"), (160, "60.00"), (260, "3.00"), (360, "63.00")]


def test_one_rate_of_several_is_not_taken_for_the_whole_unsaid(tmp_path: Path) -> None:
    """The sums stand beside the rates, and the last of them is not legible."""
    rates: Rows = [
        [*RATES, (430, "Subtotal"), (520, "300.00")],
        [*FULL, (430, "Total VAT"), (520, "51.00")],
        REDUCED,
    ]
    found = record(tmp_path, [*HEAD, *TITLES, *ITEMS, *rates])
    assert sums(found) == [240, 48, 288]
    assert all(found.fields[name].reasons for name in ("net", "tax", "total"))


def test_a_single_rate_is_the_whole(tmp_path: Path) -> None:
    row: list[tuple[float, str]] = [(60, "20 %"), (160, "300.00"), (260, "60.00"), (360, "360.00")]
    found = record(tmp_path, [*HEAD, *TITLES, *ITEMS, RATES, row])
    assert sums(found) == [300, 60, 360]
    assert not any(found.fields[name].reasons for name in ("net", "tax", "total"))
