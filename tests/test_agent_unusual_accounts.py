"""What accounts, bills and practices print: rows of days, lists of documents, titles that speak to their reader, terms behind a date."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from tests.test_agent_unusual import HEAD, ITEMS, SUMS, TITLES, Rows, read, record, sums, values

NIGHTS: Rows = [
    [(60, "03/10/2024"), (160, "Room charge"), (400, "249.00")],
    [(60, "03/10/2024"), (160, "Occupancy tax 12.5%"), (400, "31.13")],
    [(60, "03/11/2024"), (160, "Room charge"), (400, "249.00")],
    [(60, "03/11/2024"), (160, "Occupancy tax 12.5%"), (400, "31.13")],
]


def test_a_tax_of_each_night_is_an_item_and_not_the_tax(tmp_path: Path) -> None:
    head: Rows = ["The Bayfront Hotel", "Guest folio", "Folio no 8812", "Date: 03/12/2024"]
    titles: Rows = [[(60, "Date"), (160, "Description"), (400, "Charges"), (480, "Credits")]]
    found = record(tmp_path, [*head, *titles, *NIGHTS, [(60, "Total charges USD"), (400, "560.26")]])
    assert [item["amount"].value for item in found.lines] == ["249.00", "31.13", "249.00", "31.13"]
    assert sums(found)[0] is None and sums(found)[1] is None and values(found, "total") == ["560.26"]


def test_a_list_of_invoices_is_none(tmp_path: Path) -> None:
    rows: Rows = [
        "Harbour Lane Books Ltd",
        "Account summary",
        "Date 31/05/2024",
        [(60, "Date"), (160, "Invoice no"), (260, "Details"), (400, "Debit"), (480, "Balance")],
        [(60, "02/05/2024"), (160, "SIN-9911"), (260, "Sale"), (400, "410.00"), (480, "410.00")],
        [(60, "09/05/2024"), (160, "SIN-9920"), (260, "Sale"), (400, "246.48"), (480, "656.48")],
        [(60, "Amount outstanding: £656.48")],
    ]
    assert read(tmp_path, rows).records == ()


def test_the_number_over_one_row_of_sums_is_the_documents(tmp_path: Path) -> None:
    row: list[tuple[float, str]] = [(60, "8812"), (160, "14/05/2024"), (400, "360.00"), (480, "360.00")]
    head: Rows = ["Harbour Lane Books Ltd", "Invoice", [(60, "Invoice no"), (160, "Date"), (400, "Amount"), (480, "Balance")]]  # fmt: skip
    assert values(record(tmp_path, [*head, row, *TITLES, *ITEMS, *SUMS]), "number") == ["8812"]


@pytest.mark.parametrize("title", ["Your bill", "Ihre Stromrechnung Mai 2024", "Votre facture"])
def test_a_title_that_speaks_to_its_reader_is_no_name(tmp_path: Path, title: str) -> None:
    rows: Rows = [title, "Tamar Water", "Account number 7712", "Invoice no 8812", "Date: 14 May 2024", "GBP"]
    assert values(record(tmp_path, [*rows, *TITLES, *ITEMS, *SUMS]), "supplier") == ["Tamar Water"]


def test_a_practice_bears_the_name_of_its_doctor(tmp_path: Path) -> None:
    rows: Rows = ["Dr. med. Sabine Vogel", "Innere Medizin", "Bahnhofplatz 3", "97070 Würzburg", "Rechnung Nr. 8812", "Datum: 14.05.2024", "EUR"]  # fmt: skip
    total: Rows = [[(60, "Rechnungsbetrag"), (480, "82,68")]]
    assert values(record(tmp_path, [*rows, *total]), "supplier") == ["Dr. med. Sabine Vogel"]


def test_the_day_without_discount_is_the_due_date(tmp_path: Path) -> None:
    terms = "Zahlungsbedingungen: Bis 28.05.2024 2,00 % Skonto = 7,20; bis 13.06.2024 ohne Abzug"
    period = "Leistungszeitraum 01.05.2024 bis 31.05.2024 netto"
    found = record(tmp_path, [*HEAD, *TITLES, *ITEMS, *SUMS, terms, period])
    assert values(found, "due_date") == ["2024-06-13"]


def test_a_column_reaches_as_far_as_its_heading(tmp_path: Path) -> None:
    """A short figure stands under the currency behind the name of its column."""
    titles: Rows = [[(60, "Description"), (300, "Qty"), (390, "Price"), (480, "Total CHF")]]
    items: Rows = [
        [(60, "Oak shelf"), (305, "5"), (390, "12.00"), (508, "60.00")],
        [(60, "Bracket"), (305, "2"), (390, "4.50"), (515, "9.00")],
    ]
    found = record(tmp_path, [*HEAD, *titles, *items, [(390, "Amount due"), (508, "70.00")]])
    assert [item["amount"].value for item in found.lines] == ["60.00", "9.00"]


def test_items_stand_over_the_sums_even_if_the_page_opens_with_what_is_to_pay(tmp_path: Path) -> None:
    items: Rows = [[(60, "Monthly plan"), (480, "240.00")], [(60, "Roaming"), (480, "60.00")]]
    before: Rows = ["Total to pay £360.00", [(60, "Balance from last bill"), (480, "38.00")]]
    found = record(tmp_path, [*HEAD, *before, *items, *SUMS])
    assert [item["amount"].value for item in found.lines] == ["240.00", "60.00"]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (["Osprey Marine", "A division of Tideway Group plc"], "Osprey Marine"),
        (["Dipl.-Ing. Univ.", "Andrea Pfeiffer", "Marktplatz 2, 91522 Ansbach"], "Andrea Pfeiffer"),
        (["Cafe Bar La Plaza", "NIF 70123456B"], "Cafe Bar La Plaza"),
        (["Grand Metro Cargo Pvt. Ltd.", "Party : Vardhan Exports LLP"], "Grand Metro Cargo Pvt. Ltd."),
        (["Invoice 118842", "Westlake Clinic", "770 Lake Rd, Austin, TX 78746"], "Westlake Clinic"),
    ],
)
def test_what_stands_at_the_head_of_a_page_is_not_always_a_name(
    tmp_path: Path, head: Rows, name: str
) -> None:
    rows: Rows = [*head, "Invoice no 8812", "Date: 14 May 2024", "GBP", *TITLES, *ITEMS, *SUMS]
    assert values(record(tmp_path, rows), "supplier") == [name]


def test_the_currency_may_stand_in_a_heading_alone(tmp_path: Path) -> None:
    titles: Rows = [[(60, "Description"), (300, "Qty"), (390, "Price"), (480, "Amount (Rs.)")]]
    rows: Rows = ["Harbour Lane Books", "Invoice no 8812", "Date: 14 May 2024", *titles, *ITEMS, *SUMS]
    assert values(record(tmp_path, rows), "currency") == ["INR"]


@pytest.mark.parametrize(
    ("head", "number"),
    [
        ([[(60, "Invoice no"), (160, "RN2025-")], [(160, "7711204")]], "RN2025-7711204"),
        (["VAT invoice no FV 14/03/2025"], "FV 14/03/2025"),
        (["CIF B50998877", [(80, "Factura simplificada")], "Nº T-118274"], "T-118274"),
        ([[(60, "Folio"), (160, "5FB2822E-396D-4725-8521-CDC4BDD20CCF")]], None),
    ],
)
def test_a_number_is_read_whole_and_is_the_documents(tmp_path: Path, head: Rows, number: str | None) -> None:
    rows: Rows = ["Harbour Lane Books Ltd", *head, "Date: 14 May 2024", "GBP"]
    assert values(record(tmp_path, [*rows, *TITLES, *ITEMS, *SUMS], step=14), "number") == [number]


def test_pesos_are_no_dollars_where_the_tax_number_is_mexican(tmp_path: Path) -> None:
    rows: Rows = ["Papelera SA de CV", "RFC: GPB010203AB1", "Factura no 8812", "Fecha: 14/05/2024", [(60, "Total"), (480, "$360.00")]]  # fmt: skip
    assert values(record(tmp_path, rows), "supplier", "currency") == ["Papelera SA de CV", "MXN"]


def test_figures_beside_their_headings_are_told_apart_by_their_size(tmp_path: Path) -> None:
    titles: Rows = [[(60, "Details"), (260, "VAT code"), (340, "Net"), (410, "VAT"), (480, "Gross")]]
    items: Rows = [[(60, "Collection"), (270, "S"), (340, "286.00"), (410, "57.20"), (480, "343.20")]]
    totals: Rows = [[(200, "Totals"), (262, "286.00"), (340, "57.20"), (480, "343.20")]]
    assert sums(record(tmp_path, [*HEAD, *titles, *items, *totals]))[:2] == [Decimal(286), Decimal("57.20")]
