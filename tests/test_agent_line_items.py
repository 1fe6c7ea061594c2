"""Line items are read under headings of several rows and around wrapped names, and a doubt about them is said only where there is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.agent.contract import Record
from tests.pdfs import page_pdf, result_of, stored, text_at
from tests.test_agent_unusual import HEAD, ITEMS, SUMS, TITLES, Rows, read, record, sums

GERMAN: Rows = ["Hafenbuch GmbH", "Rechnung Nr. 8812", "Datum: 14.05.2024", "EUR"]


def parts(found: Record, name: str) -> list[object]:
    return [line[name].value if name in line else None for line in found.lines]


def doubts(found: Record) -> list[str]:
    return [reason for line in found.lines for cell in line.values() for reason in cell.reasons]


def test_the_amount_may_share_its_heading_with_the_rate(tmp_path: Path) -> None:
    """What stands over the figures in two rows: "MwSt-% Nettowert" in the first, the name of the article in the second."""
    rows: Rows = [
        [(60, "GTIN"), (150, "Art-Nr"), (270, "Menge"), (360, "Nettopreis"), (440, "MwSt-% Nettowert")],
        [(60, "Kunden-Art-Nr"), (150, "Artikelbezeichnung")],
        [
            (60, "4012345"),
            (150, "EI100"),
            (270, "2,0000 Stk."),
            (365, "120,0000"),
            (450, "19,0"),
            (500, "240,00"),
        ],
        [(150, "Eichenregal")],
        [
            (60, "4012346"),
            (150, "WW7"),
            (270, "5,0000 Stk."),
            (371, "12,0000"),
            (450, "19,0"),
            (506, "60,00"),
        ],
        [(150, "Winkel")],
        [(390, "Nettobetrag"), (500, "300,00")],
        [(390, "MwSt 19 %"), (500, "57,00")],
        [(390, "Endbetrag"), (500, "357,00")],
    ]
    found = record(tmp_path, [*GERMAN, *rows], step=12)
    assert parts(found, "amount") == ["240.00", "60.00"]
    assert parts(found, "unit_price") == ["120.0000", "12.0000"]
    assert parts(found, "description") == ["Eichenregal", "Winkel"]
    assert not doubts(found)


def test_a_further_row_of_a_heading_names_the_amounts(tmp_path: Path) -> None:
    rows: Rows = [
        [(60, "Unsere"), (300, "Menge"), (390, "Preis/")],
        [(60, "Art.Nr."), (150, "Bezeichnung"), (390, "Einheit"), (480, "Entgelt")],
        [(60, "EI100"), (150, "Regal"), (300, "2"), (390, "120,00"), (480, "240,00")],
        [(150, "aus Eiche")],
        [(60, "WINKEL7"), (150, "Haken"), (300, "5"), (390, "12,00"), (480, "60,00")],
        [(390, "Summe netto"), (480, "300,00")],
    ]
    found = record(tmp_path, [*GERMAN, *rows], step=12)
    assert [parts(found, name) for name in ("description", "quantity", "unit_price", "amount")] == [
        ["Regal", "Haken"],
        ["2", "5"],
        ["120.00", "12.00"],
        ["240.00", "60.00"],
    ]


def test_a_name_may_wrap_around_its_figures(tmp_path: Path) -> None:
    rows: Rows = [
        "Oak shelf with three boards and",
        [(200, "4449130"), (305, "2"), (480, "240.00")],
        "a back",
        "",
        [(60, "Wall bracket"), (200, "5284409"), (305, "5"), (480, "60.00")],
    ]
    titles: Rows = [[(60, "Description of goods"), (200, "Code"), (300, "Qty"), (480, "Amount")]]
    found = record(tmp_path, [*HEAD, *titles, *rows, *SUMS], step=13)
    assert parts(found, "amount") == ["240.00", "60.00"]
    assert parts(found, "description") == ["Oak shelf with three boards and", "Wall bracket"]


def test_what_is_printed_along_the_side_gets_into_no_cell(tmp_path: Path) -> None:
    content = "".join(
        text_at(x, 760 - 18 * index, text)
        for index, row in enumerate([*HEAD, *TITLES, *ITEMS, *SUMS])
        for x, text in ([(60.0, row)] if isinstance(row, str) else row)
    )
    aside = "BT /F 8 Tf 0 1 -1 0 30 640 Tm (Registered copyright of the printer No. 3 of 2013) Tj ET\n"
    found = result_of(stored(tmp_path, page_pdf(content + aside))).records[0]
    assert parts(found, "description") == ["Oak shelf", "Wall bracket"]
    assert found.fields["supplier"].value == "Harbour Lane Books Ltd"


def test_discounts_behind_the_sum_of_discounted_items_are_no_items(tmp_path: Path) -> None:
    rows: Rows = [
        [(60, "Bezeichnung"), (480, "Betrag")],
        [(60, "Regal"), (480, "240,00")],
        [(60, "abzgl. Rabatt 2 %"), (480, "-4,80")],
        [(60, "Haken"), (480, "60,00")],
        [(60, "Zwischensumme"), (480, "295,20")],
        [(60, "abzgl. Sondernachlass"), (480, "-15,20")],
        [(60, "zzgl. Versandkosten"), (480, "5,80")],
        [(60, "Rechnungssumme Netto (exkl. USt.)"), (480, "285,80")],
        [(60, "Rechnungssumme Brutto (inkl. USt.)"), (480, "340,10")],
    ]
    found = record(tmp_path, [*GERMAN, *rows])
    assert parts(found, "amount") == ["240.00", "60.00"]
    assert found.fields["net"].value == "285.80"


GOODS = [(60, "Warenwert"), (150, "Abschlag"), (230, "Nettobetrag"), (330, "MwSt-Betrag"), (450, "Endbetrag")]
WORTH = [(60, "300,00"), (150, "-17,33"), (230, "282,67"), (330, "53,71"), (450, "336,38")]


@pytest.mark.parametrize("worth", ["300,00", "290,00"])
def test_lines_may_sum_to_what_is_printed_before_all_changes(tmp_path: Path, worth: str) -> None:
    titles: Rows = [[(60, "Bezeichnung"), (300, "Menge"), (390, "Preis"), (480, "Betrag")]]
    items: Rows = [
        [(60, "Regal"), (305, "2"), (390, "120,00"), (480, "240,00")],
        [(60, "Haken"), (305, "5"), (390, "12,00"), (480, "60,00")],
    ]
    found = record(tmp_path, [*GERMAN, *titles, *items, "", GOODS, [(60, worth), *WORTH[1:]]])
    assert [float(str(value)) for value in sums(found)] == [282.67, 53.71, 336.38]
    assert bool(doubts(found)) is (worth != "300,00")


@pytest.mark.parametrize(
    "rows",
    [
        [[(60, "Oak shelf"), (305, "3"), (390, "110.00"), (480, "300.00")], [(390, "- 10.00")], [(383, "= 100.00")]],
        [[(60, "Oak chips (3 kg)"), (305, "9 kg"), (390, "100.00"), (480, "300.00")]],
        [[(60, "Oak shelf"), (305, "3"), (390, "100.00"), (480, "300.00")], [(60, "Shipping"), (305, "1"), (390, "9.00"), (440, "9.00"), (480, "0.00")]],
    ],
)  # fmt: skip
def test_a_further_price_and_what_a_price_is_for_contradict_nothing(tmp_path: Path, rows: Rows) -> None:
    found = record(tmp_path, [*HEAD, *TITLES, *rows, *SUMS], step=12)
    assert {"quantity", "unit_price"} <= found.lines[-1].keys()
    assert not doubts(found)


def test_a_list_of_what_is_paid_holds_its_items(tmp_path: Path) -> None:
    rows: Rows = [
        [(60, "Description"), (480, "Amount")],
        [(60, "Payment for order OR-1"), (480, "240.00")],
        [(60, "Payment for order OR-2"), (480, "60.00")],
        [(390, "Total"), (480, "300.00")],
    ]
    head: Rows = ["Harbour Lane Books Ltd", "RECEIPT", "Receipt no 8812", "Date: 14 May 2024", "GBP"]
    assert parts(record(tmp_path, [*head, *rows]), "amount") == ["240.00", "60.00"]


def test_what_begins_like_a_label_may_be_an_item(tmp_path: Path) -> None:
    rows: Rows = [
        [(60, "Handling fee"), (300, "$0.00")],
        [(60, "Buyer fee"), (300, "$60.00")],
        [(60, "Oak shelf"), (300, "$240.00")],
        "Invoice Total: $300.00",
        "The invoice total includes 10% GST for buyers in Australia only",
    ]
    found = record(tmp_path, [*HEAD[:3], *rows])
    assert parts(found, "amount") == ["0.00", "60.00", "240.00"]
    assert sums(found) == [None, None, 300]


SERVICES: Rows = [
    [(70, "Hosting"), (480, "240.00")],
    [(80, "Charges"), (480, "230.00")],
    [(80, "Regional fee"), (480, "10.00")],
    [(70, "Support"), (480, "60.00")],
    [(80, "Charges"), (480, "60.00")],
]


def test_services_are_items_and_what_they_are_made_of_is_none(tmp_path: Path) -> None:
    summary: Rows = [
        [(60, "Charges"), (480, "300.00")],
        [(60, "Credits"), (480, "0.00")],
        [(50, "Total for this invoice"), (480, "300.00")],
    ]
    found = record(tmp_path, [*HEAD, *summary, "Detail", *SERVICES])
    assert parts(found, "description") == ["Hosting", "Support"]
    assert not doubts(found)
    assert not record(tmp_path, [*HEAD, *summary]).lines


def test_a_document_without_line_items_says_so(tmp_path: Path) -> None:
    note = "No line items were recognised."
    assert note in read(tmp_path, [*HEAD, *SUMS]).notes
    assert note not in read(tmp_path, [*HEAD, *TITLES, *ITEMS, *SUMS]).notes


def test_items_of_a_receipt_sum_to_its_total_without_the_tax(tmp_path: Path) -> None:
    rows: Rows = [
        [(60, "Coffee"), (400, "7.00")],
        [(60, "Cake"), (400, "4.20")],
        [(60, "Tax"), (400, "0.90")],
        [(60, "Total"), (400, "$12.10")],
    ]
    found = record(tmp_path, ["Harbour Lane Cafe", "RECEIPT", "14/05/2024", *rows])
    assert parts(found, "amount") == ["7.00", "4.20"]
    assert not doubts(found)


def test_items_may_stand_over_a_sum_that_was_said_before(tmp_path: Path) -> None:
    rows: Rows = [
        [(60, "Total charges"), (480, "300.00")],
        "Details of these charges",
        [(60, "Basic supply"), (480, "240.00")],
        [(60, "Renewable energy"), (480, "60.00")],
        [(60, "Total electric charges"), (480, "300.00")],
    ]
    assert parts(record(tmp_path, [*HEAD, *rows]), "amount") == ["240.00", "60.00"]


def test_a_name_right_below_its_heading_heads_no_column(tmp_path: Path) -> None:
    rows: Rows = [
        [(60, "Description of services"), (305, "Qty"), (390, "Price")],
        "Service charges",
        [(60, "January"), (305, "2"), (390, "240.00")],
        [(60, "February"), (305, "1"), (390, "60.00")],
        [(60, "Total"), (390, "300.00")],
    ]
    found = record(tmp_path, [*HEAD, *rows], step=12)
    assert [parts(found, name) for name in ("description", "quantity", "amount")] == [
        ["January", "February"],
        ["2", "1"],
        ["240.00", "60.00"],
    ]


def test_a_balance_that_opens_the_items_is_none(tmp_path: Path) -> None:
    rows: Rows = [
        [(60, "Description"), (480, "Amount")],
        [(60, "Previous balance"), (480, "35.00")],
        [(60, "Oak shelf"), (480, "240.00")],
        [(60, "Wall bracket"), (480, "60.00")],
        [(390, "Total"), (480, "335.00")],
    ]
    assert parts(record(tmp_path, [*HEAD, *rows]), "amount") == ["240.00", "60.00"]


def test_a_count_before_a_name_is_no_part_of_it(tmp_path: Path) -> None:
    rows: Rows = [
        [(60, "2"), (90, "Coffee"), (400, "7.00")],
        [(60, "1"), (90, "Cake"), (400, "4.20")],
        [(60, "Total"), (400, "$11.20")],
    ]
    found = record(tmp_path, ["Harbour Lane Cafe", "RECEIPT", "14/05/2024", *rows])
    assert parts(found, "description") == ["Coffee", "Cake"]


@pytest.mark.parametrize(
    ("name", "price", "count", "whole"),
    [
        ("Descripción", "P.U.", "Cant.", "Base imponible"),
        ("Bezeichnung", "Preis", "Menge", "Bemessungsgrundlage"),
        ("Description", "Price", "Qty", "Taxable amount"),
    ],
)
def test_the_name_of_a_net_sum_may_head_the_amounts_of_the_items(
    tmp_path: Path, name: str, price: str, count: str, whole: str
) -> None:
    rows: Rows = [
        [(60, name), (300, price), (390, count), (450, whole)],
        [(60, "Oak shelf"), (300, "120.00"), (390, "2"), (480, "240.00")],
        [(60, "Wall bracket"), (300, "12.00"), (390, "5"), (480, "60.00")],
    ]
    found = record(tmp_path, [*HEAD, *rows, *SUMS])
    assert parts(found, "amount") == ["240.00", "60.00"]
    assert parts(found, "unit_price") == ["120.00", "12.00"]
