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
