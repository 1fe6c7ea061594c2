"""Sums by what stands around them: a tax that a sum holds, headings with and without the tax, rows that add up by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_agent_unusual import HEAD, ITEMS, TITLES, Rows, record, sums


@pytest.mark.parametrize(
    ("subtotal", "held", "total"),
    [
        ("Zwischensumme", "davon USt.", "Gesamtbetrag"), ("Subtotal", "of which VAT", "Total"),
        ("Sous-total", "dont taxe", "Total"), ("Subtotaal", "waarvan omzetbelasting", "Totaal"),
    ],
)  # fmt: skip
def test_a_tax_that_is_held_makes_the_sum_over_it_no_net(
    tmp_path: Path, subtotal: str, held: str, total: str
) -> None:
    rows: Rows = [
        [(390, subtotal), (480, "300.00")],
        [(390, held), (480, "50.00")],
        [(390, total), (480, "300.00")],
    ]
    assert sums(record(tmp_path, [*HEAD, *TITLES, *ITEMS, *rows])) == [None, 50, 300]


@pytest.mark.parametrize(
    ("rate", "net", "tax", "gross", "total"),
    [
        ("Moms (%)", "Pris utan moms", "Moms", "Pris med moms", "Total"), ("USt. %", "Preis ohne USt.", "USt.", "Preis mit USt.", "Summe"),
        ("TVA %", "Prix hors TVA", "TVA", "Prix avec TVA", "Total"), ("VAT %", "Price without VAT", "VAT", "Price with VAT", "Total"),
    ],
)  # fmt: skip
def test_headings_say_what_their_figures_lack(
    tmp_path: Path, rate: str, net: str, tax: str, gross: str, total: str
) -> None:
    rows: Rows = [
        [(60, rate), (160, net), (300, tax), (400, gross)],
        [(60, "10"), (160, "100.00"), (300, "10.00"), (400, "110.00")],
        [(60, "20"), (160, "200.00"), (300, "40.00"), (400, "240.00")],
        [(60, total), (160, "300.00"), (300, "50.00"), (400, "350.00")],
    ]
    assert sums(record(tmp_path, [*HEAD, *rows])) == [300, 50, 350]


@pytest.mark.parametrize("name", ["RAZEM", "Total", "Summe"])
@pytest.mark.parametrize(
    ("figures", "expected"),
    [(("300.00", "50.00", "350.00"), [300, 50, 350]), (("300.00", "-50.00", "250.00"), [None, None, 250])],
)
def test_a_row_of_sums_needs_no_heading(
    tmp_path: Path, name: str, figures: tuple[str, str, str], expected: list[int | None]
) -> None:
    net, tax, total = figures
    rows: Rows = [
        *HEAD,
        [(60, "Item"), (200, "Worth")],
        [(60, name), (200, net), (300, tax), (400, total)],
        [(60, "To pay"), (400, total)],
    ]
    found = sums(record(tmp_path, rows))
    assert found[1] == expected[1]
    assert found[2] == expected[2]


def test_a_figure_without_a_name_that_raises_the_sum_may_be_a_tax(tmp_path: Path) -> None:
    rows: Rows = [
        [(390, "Subtotal"), (480, "300.00")],
        [(390, "Further"), (480, "30.00")],
        [(390, "VAT 10%"), (480, "20.00")],
        [(390, "Total"), (480, "350.00")],
    ]
    assert record(tmp_path, [*HEAD, *TITLES, *ITEMS, *rows]).fields["tax"].reasons
