"""Rows that say more or less than others: running sums, names on a line of their own, headings of two lines, sums of groups."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from tasks.agent.checks import Findings, check_lines
from tests.test_agent_unusual import HEAD, ITEMS, SUMS, TITLES, Rows, record, sums, values


def amounts_of_items(found: object) -> list[object]:
    return [item["amount"].value for item in found.lines]  # type: ignore[attr-defined]


def test_a_figure_belongs_to_the_label_that_has_none_of_its_own(tmp_path: Path) -> None:
    rows: Rows = [[(60, "Total"), (480, "360.00")], [(60, "VAT 20%"), (200, "Net 300.00"), (480, "60.00")]]
    assert sums(record(tmp_path, [*HEAD, *TITLES, *ITEMS, *rows])) == [300, 60, 360]


def test_a_running_sum_beside_the_tax_is_not_the_tax(tmp_path: Path) -> None:
    rows: Rows = [
        [(60, "Professional charges"), (390, "950.00")],
        [(60, "VAT at 20%"), (390, "190.00"), (480, "1,140.00")],
        [(60, "Bank transfer fee"), (390, "36.00"), (480, "36.00")],
        [(60, "Total"), (480, "1,176.00")],
    ]
    found = record(tmp_path, [*HEAD, *rows])
    assert sums(found)[1:] == [190, 1176]
    assert sums(found)[0] != 36


def test_the_second_line_of_a_heading_is_none_of_sums(tmp_path: Path) -> None:
    titles: Rows = [
        [(60, "Description"), (240, "Qty"), (300, "Price"), (360, "Value"), (430, "Value"), (500, "Value")],
        [(300, "net"), (360, "net"), (430, "VAT"), (500, "gross")],
    ]
    items: Rows = [
        [(60, "Oak shelf"), (240, "2"), (300, "120.00"), (360, "240.00"), (430, "48.00"), (500, "288.00")],
        [(60, "Bracket"), (240, "5"), (300, "12.00"), (360, "60.00"), (430, "12.00"), (500, "72.00")],
    ]
    found = record(tmp_path, [*HEAD, *titles, *items, "Total: net 300.00 VAT 60.00 gross 360.00"], step=12)
    assert amounts_of_items(found) == ["288.00", "72.00"]
    assert all("quantity" in item for item in found.lines)


def test_an_item_is_named_on_the_line_before_its_count(tmp_path: Path) -> None:
    rows: Rows = [
        "Oak shelf",
        [(60, "2 x 120.00"), (480, "240.00")],
        [(60, "Wall bracket"), (480, "60.00")],
        *SUMS,
    ]
    found = record(tmp_path, [*HEAD, *rows])
    assert amounts_of_items(found) == ["240.00", "60.00"]
    assert found.lines[0]["description"].value == "Oak shelf"


def test_a_tax_among_the_rows_that_prove_the_total_is_no_item(tmp_path: Path) -> None:
    rows: Rows = [
        [(60, "Basic service"), (480, "22.00")],
        [(60, "Energy"), (480, "88.10")],
        [(60, "Iowa State Tax 7%"), (480, "7.71")],
        [(60, "Total current charges"), (480, "117.81")],
    ]
    assert amounts_of_items(record(tmp_path, [*HEAD, *rows])) == ["22.00", "88.10"]


def test_sums_of_groups_are_no_items(tmp_path: Path) -> None:
    groups: Rows = [[(390, "Shelves"), (480, "240.00")], [(390, "Brackets"), (480, "60.00")]]
    total: Rows = [[(390, "Sales Tax"), (480, "60.00")], [(390, "Total"), (480, "360.00")]]
    assert amounts_of_items(record(tmp_path, [*HEAD, *TITLES, *ITEMS, *groups, *total])) == [
        "240.00",
        "60.00",
    ]


def test_a_total_below_its_items_asks_for_a_look() -> None:
    for changes, doubted in [([], True), ([Decimal(-6)], True), ([Decimal(-602)], False)]:
        found = Findings()
        assert check_lines(found, [Decimal(300), Decimal(306)], None, Decimal(6), changes) is False
        assert bool(found.reasons.get("total")) is doubted


@pytest.mark.parametrize(
    ("head", "number"),
    [
        (["Harbour Lane Books Ltd", "Repair Order / Invoice", "RO# 30917"], "30917"),
        (["Harbour Lane Books Ltd", "Fatura", "FT 2025A/99120"], "FT 2025A/99120"),
    ],
)
def test_titles_and_numbers_of_other_trades(tmp_path: Path, head: Rows, number: str) -> None:
    found = record(tmp_path, [*head, "Date: 14 May 2024", "GBP", *TITLES, *ITEMS, *SUMS])
    assert values(found, "supplier", "number") == ["Harbour Lane Books Ltd", number]
    assert found.kind == "invoice"


def test_a_title_goes_on_behind_its_first_word(tmp_path: Path) -> None:
    rows: Rows = ["Receipt for rent", "Lime Tree Homes", "Receipt no 8812", "Date: 14 May 2024", [(60, "Total"), (480, "£695.00")]]  # fmt: skip
    assert values(record(tmp_path, rows), "supplier") == ["Lime Tree Homes"]


def test_a_name_is_looked_for_beyond_the_numbers_below_its_label(tmp_path: Path) -> None:
    rows: Rows = [
        [(60, "Supplier"), (300, "Customer")],
        [(60, "Identification for VAT:"), (300, "Name: Rose House")],
        [(60, "IT01234560321"), (300, "Address: Elm Road 60")],
        [(60, "Fiscal code: 01234560321"), (300, "Town: Leeds")],
        [(60, "Name: Northern Boilers")],
        "Invoice no 8812",
        "Date: 14 May 2024",
        "GBP",
    ]
    assert values(record(tmp_path, [*rows, *TITLES, *ITEMS, *SUMS], step=14), "supplier") == [
        "Northern Boilers"
    ]


def test_the_day_behind_a_term_is_the_due_date(tmp_path: Path) -> None:
    found = record(
        tmp_path, [*HEAD, *TITLES, *ITEMS, *SUMS, "Délai de paiement : 30 jours, soit le 13.06.2024"]
    )
    assert values(found, "due_date") == ["2024-06-13"]


def test_the_dollar_of_a_company_of_singapore_is_its_own(tmp_path: Path) -> None:
    rows: Rows = [
        "Kopi Corner Pte Ltd",
        "Receipt no 8812",
        "Date: 14 May 2024",
        [(60, "Total"), (480, "$25.06")],
    ]
    assert values(record(tmp_path, rows), "currency") == ["SGD"]


def test_a_till_says_thanks_on_a_short_document_only(tmp_path: Path) -> None:
    rows: Rows = [
        "Ryde Inc.",
        "5 October 2025",
        [(60, "Total"), (480, "$27.46")],
        "Payments",
        "Visa 9931",
        "Thanks for riding",
    ]
    assert record(tmp_path, rows).kind == "receipt"


def test_a_discount_behind_the_sum_of_the_items_is_none_of_them(tmp_path: Path) -> None:
    titles: Rows = [[(60, "Service"), (390, "Qty"), (480, "Amount")]]
    items: Rows = [
        [(60, "Wellness exam"), (390, "1"), (480, "$72.00")],
        [(60, "Vaccine"), (390, "1"), (480, "$31.00")],
    ]
    below: Rows = [[(60, "Subtotal"), (480, "$103.00")], [(60, "Wellness plan discount"), (480, "-$10.30")], [(60, "Tax"), (480, "$0.00")], [(60, "Total"), (480, "$92.70")]]  # fmt: skip
    found = record(tmp_path, [*HEAD, *titles, *items, *below])
    assert amounts_of_items(found) == ["72.00", "31.00"]
    assert not found.fields["total"].reasons


def test_items_stand_over_their_sum_where_a_charge_follows_it(tmp_path: Path) -> None:
    rows: Rows = [
        [(60, "Pint of ale"), (480, "11.60")],
        [(60, "Pie of the day"), (480, "18.00")],
        [(60, "Food & drink"), (480, "29.60")],
        [(60, "Service 10%"), (480, "2.96")],
        [(60, "Total due"), (480, "32.56")],
    ]
    assert amounts_of_items(record(tmp_path, [*HEAD, *rows])) == ["11.60", "18.00"]
