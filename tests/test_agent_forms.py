"""Forms that label everything: counts beside sums, series beside names, headings over the data of a party, labels of two languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_agent_unusual import ITEMS, SUMS, TITLES, Rows, record, sums, values

HEAD: Rows = ["Harbour Lane Books Ltd", "Invoice no 8812", "Date: 14 May 2024"]


@pytest.mark.parametrize("count", ["Total items: 4", "Total products : 4", "Total de productos: 4"])
def test_how_many_things_there_are_is_no_sum(tmp_path: Path, count: str) -> None:
    found = record(tmp_path, [*HEAD, count, "Sub Total (without tax) : 250", "Total : GBP 300"])
    assert sums(found) == [250, None, 300]


def test_what_an_item_costs_is_not_its_tax_in_the_line_above(tmp_path: Path) -> None:
    """The name of a tax that is broken within its column stands over the figures of the next item."""
    items = [row for item in ITEMS for row in (item, [(480, "VAT")])]
    rest: Rows = [[(390, "Of the state"), (480, "45.00")], [(390, "Total"), (480, "345.00")]]
    assert sums(record(tmp_path, [*HEAD, *TITLES, *items, SUMS[0], *rest])) == [300, 45, 345]


FORM: Rows = [
    [(60, "SERIE:"), (140, "NC")],
    [(60, "FOLIO:"), (140, "377")],
    [(60, "FECHA:"), (140, "14/05/2024")],
    [(280, "EMISOR")],
    [(60, "NOMBRE:"), (140, "Muebles Hermosillo"), (460, "RFC:"), (500, "MHE060307QK4")],
    [(280, "RECEPTOR")],
    [(60, "NOMBRE:"), (140, "Consultores del Sol"), (460, "RFC:"), (500, "CSO110912M31")],
    [(60, "FACTURA")],
    [(60, "Total"), (400, "EUR 120.00")],
]


def test_a_series_is_no_name_and_a_heading_over_the_form_says_whose_it_is(tmp_path: Path) -> None:
    assert values(record(tmp_path, FORM), "supplier", "buyer") == [
        "Muebles Hermosillo",
        "Consultores del Sol",
    ]


def test_a_name_in_two_lines_in_the_middle_asks_for_a_look(tmp_path: Path) -> None:
    rows: Rows = [
        [(100, "OAKLINE FURNITURE")],
        [(138, "WORKS")],
        [(100, "Plot 9, Peenya Phase 2")],
        *HEAD[1:],
    ]
    found = record(tmp_path, [*rows, [(60, "Total"), (400, "GBP 120.00")]])
    assert any("go on" in reason for reason in found.fields["supplier"].reasons)


RATES: Rows = [
    [(60, "MwSt"), (300, "Imponibile"), (380, "Imposta")],
    [(460, "sofort")],
    [(60, "10"), (300, "100,00"), (380, "10,00")],
    [(460, "gleich")],
    [(460, "sofort")],
    [(60, "16"), (300, "200,00"), (380, "32,00")],
]


def test_a_value_beside_two_lines_of_its_label_is_read(tmp_path: Path) -> None:
    """A form in two languages: each label in two lines, the value as high as the gap between them. Its rates are added up."""
    rows: Rows = ["Rechnung - Fattura", "Harbour Lane Books GmbH", ""]
    for german, value, italian in [
        ("Dok.-nummer und -datum", "63/2025 - 2025-06-20", "Numero e data doc."),
        ("Gesamtbetrag Dokument", "EUR 342,00", "Importo totale documento"),
        ("Ende Zahlungsziel", "2025-07-20", "Data scadenza pagamento"),
    ]:
        rows += [[(60, german)], [(300, value)], [(60, italian)], "", ""]
    found = record(tmp_path, [*rows, *RATES], step=6)
    assert values(found, "number", "date", "due_date") == ["63/2025", "2025-06-20", "2025-07-20"]
    assert sums(found) == [300, 42, 342]


def test_one_rate_of_several_is_not_the_whole(tmp_path: Path) -> None:
    """Where something stands between the rows of the rates, and no total proves their sum."""
    head: Rows = ["Rechnung - Fattura", "Harbour Lane Books GmbH", "", "Rechnungsnummer 63/2025", "", ""]
    assert sums(record(tmp_path, [*head, *RATES], step=6)) == [None, None, None]


@pytest.mark.parametrize(
    ("title", "label"), [("Sale Return", "SR No :"), ("Credit Note", "CN Nr."), ("Tax Invoice", "TI #")]
)
def test_a_label_may_begin_with_the_first_letters_of_the_title(
    tmp_path: Path, title: str, label: str
) -> None:
    rows: Rows = ["Harbour Lane Books Ltd", title, [(300, label), (400, "SR_019")], "Date: 14 May 2024"]
    found = record(tmp_path, [*rows, [(60, "Total"), (400, "GBP 120.00")]])
    assert found.fields["number"].value == "SR_019" and not found.fields["number"].reasons
