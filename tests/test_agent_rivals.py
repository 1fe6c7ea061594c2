"""Totals, currencies and names that something else in the document speaks against: they ask for a look, and what proves them takes it back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pdfs import lines_pdf, result_of, stored
from tests.test_agent_unusual import ITEMS, TITLES, Rows, record, values

HEAD: Rows = ["Blue Gum Traders Ltd", "INVOICE", "Invoice no. INV-551", "Date: 14 May 2024", "Bill to:", "Red Oak Inc"]  # fmt: skip
RECEIPT: Rows = ["Blue Gum Traders Ltd", "RECEIPT", "Receipt no. R-551", "Date: 14 May 2024"]


def sums(*pairs: tuple[str, str]) -> Rows:
    return [[(390, label), (480, figure)] for label, figure in pairs]


@pytest.mark.parametrize(
    ("rows", "is_doubted"),
    [
        (sums(("Total", "$300.00"), ("Total", "$350.00")), True),
        (sums(("Total", "$300.00"), ("Total", "$300.00")), False),
        (sums(("Total", "$100.00"), ("Total", "$200.00"), ("Total", "$300.00")), False),
        ([*TITLES, *ITEMS, *sums(("Total", "$200.00"), ("Total", "$300.00"))], False),
        (sums(("Subtotal", "$290.00"), ("Total", "$10.00"), ("Total", "$300.00")), False),
        (sums(("Total", "$300.00"), ("Amount due", "$250.00")), False),
    ],
    ids=["two", "twice the same", "of parts", "items prove one", "a tax under another name", "what is left"],
)
def test_another_figure_that_is_called_the_total(tmp_path: Path, rows: Rows, is_doubted: bool) -> None:
    found = record(tmp_path, [*HEAD, *rows]).fields["total"]
    assert bool(found.reasons) is is_doubted, found


def test_a_page_behind_the_invoice_with_another_total_asks_for_a_look(tmp_path: Path) -> None:
    """The slip of a transfer, or what several invoices of the file add up to."""
    rows: Rows = [*HEAD, *sums(("Total", "$300.00")), *[""] * 20, "Summary", *sums(("Total", "$500.00"))]
    found = record(tmp_path, rows).fields["total"]
    assert found.confidence < 0.8 and "300.00" in found.reasons[0]


@pytest.mark.parametrize(
    ("rows", "is_doubted"),
    [
        ([*TITLES, *ITEMS, *sums(("Previous balance", "$120.00"), ("Current charges", "$300.00"), ("Total due", "$420.00"))], True),
        (sums(("Previous balance", "$120.00"), ("New charges", "$300.00"), ("Total", "$420.00")), True),
        (sums(("Total", "$420.00"), ("Paid", "$120.00"), ("Balance due", "$300.00")), False),
    ],
)  # fmt: skip
def test_a_total_that_holds_a_balance_from_before_asks_for_a_look(
    tmp_path: Path, rows: Rows, is_doubted: bool
) -> None:
    found = record(tmp_path, [*HEAD, *rows]).fields["total"]
    assert (found.value, bool(found.reasons)) == ("420.00", is_doubted)


@pytest.mark.parametrize(
    ("total", "equivalent", "is_doubted"),
    [
        (("Total EUR", "276.00"), "USD 300.00", True),
        (("Total USD", "276.00"), "USD 300.00", False),
        (("Total in Australian dollars", "$276.00"), "180.00", False),
    ],
)
def test_a_currency_that_does_not_stand_beside_the_total(
    tmp_path: Path, total: tuple[str, str], equivalent: str, is_doubted: bool
) -> None:
    found = record(tmp_path, [*HEAD, *sums(total, ("Equivalent", equivalent))]).fields["currency"]
    assert any("The total is printed in" in reason for reason in found.reasons) is is_doubted


def test_one_of_several_invoices_that_a_payment_is_for_is_not_what_was_received(tmp_path: Path) -> None:
    invoices: Rows = [[(60, "Invoice no"), (390, "Amount")], [(60, "INV-1"), (390, "$100.00")], [(60, "INV-2"), (390, "$250.00")]]  # fmt: skip
    found = record(tmp_path, [*RECEIPT, *invoices, "Amount received: $350.00"]).fields["total"]
    assert found.value != "350.00" and "350.00" in found.reasons[0]


def test_what_was_received_may_hold_the_change(tmp_path: Path) -> None:
    rows = [*RECEIPT, *sums(("TOTAL", "$7.00")), "Received: $10.00", *sums(("CHANGE", "$3.00"))]
    assert not record(tmp_path, rows).fields["total"].reasons


def test_who_goods_are_shipped_to_is_not_the_supplier(tmp_path: Path) -> None:
    rows: Rows = ["INVOICE", [(60, "Ship to"), (330, "Bill to")], [(60, "Green Fir LLC"), (330, "Red Oak Inc")], *HEAD[2:4], HEAD[0]]  # fmt: skip
    (found,) = result_of(stored(tmp_path, lines_pdf([*rows, *sums(("Total", "$300.00"))]))).records
    assert values(found, "supplier", "buyer") == ["Blue Gum Traders Ltd", "Red Oak Inc"]
