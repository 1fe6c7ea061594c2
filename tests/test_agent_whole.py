"""Figures, dates and numbers are read whole or not at all: never the beginning of something longer."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from tasks.agent.rules import dates, numbers
from tests.test_agent_unusual import ITEMS, SUMS, TITLES, Rows, record, sums, values


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("16 293,75:-", "16293.75"), ("645:-", "645"), ("1.250,-", "1250"), ("1,250.--", "1250"), ("2 418,5:-", "2418.5"),
        ("16 293,75/m", None), ("1.250,75:5", None), ("12 345,67-A", None),
    ],
)  # fmt: skip
def test_a_figure_that_goes_on_has_no_beginning(printed: str, value: str | None) -> None:
    found = [amount.value for amount in numbers.amounts(printed, ".")]
    assert found == ([] if value is None else [Decimal(value)])


@pytest.mark.parametrize("language", ["sv", "no"])
def test_a_dash_behind_a_colon_stands_for_the_cents(tmp_path: Path, language: str) -> None:
    tax = {"sv": "varav moms (25%)", "no": "herav mva (25%)"}[language]
    rows: Rows = ["Norr El AB", "Faktura", "Fakturanr 5512", "Totalt: 16 293,75:-", f"{tax}: 3 258,75:-"]
    assert sums(record(tmp_path, rows))[1:] == [Decimal("3258.75"), Decimal("16293.75")]


@pytest.mark.parametrize(
    ("printed", "days"),
    [("12/03/2024/AB", 0), ("12/03/2024", 1), ("12/03/2024 / AB", 1)],
)
def test_a_number_with_a_day_in_it_is_no_date(printed: str, days: int) -> None:
    assert len(dates.find(printed.lower())) == days


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("Faktura VAT nr 23/02/2025/PT", "23/02/2025/PT"), ("Rechnungsnummer: 2025-06-03t101442", "2025-06-03t101442"),
        ("Numéro de facture : 2025-06-03-07", "2025-06-03-07"), ("Fakturanummer/OCR: 20250915319", "20250915319"),
        ("Invoice no./Reference: PK-2207", "PK-2207"), ("Invoice number: 84,35", None), ("Lasku nro ____/2025", None),
    ],
)  # fmt: skip
def test_the_number_is_all_that_stands_there(tmp_path: Path, label: str, number: str | None) -> None:
    rows: Rows = ["Plain Paper Ltd", "14 May 2024", label, *TITLES, *ITEMS, *SUMS]
    found = record(tmp_path, rows)
    assert values(found, "number", "date") == [number, "2024-05-14"]


@pytest.mark.parametrize(
    ("title", "under", "number"),
    [
        ("FAKTURA", "20250388", "20250388"), ("INVOICE", "117-24", "117-24"), ("Rechnung", "4711", "4711"),
        ("INVOICE", "2024", None), ("INVOICE", "2024/25", None), ("INVOICE", "14/05/2024", None), ("INVOICE", "84.50", None),
    ],
)  # fmt: skip
def test_a_number_alone_under_the_title_asks_for_a_look(
    tmp_path: Path, title: str, under: str, number: str | None
) -> None:
    rows: Rows = [
        title,
        under,
        "Plain Paper Ltd",
        "Date: 14 May 2024",
        "Bill to: Ash & Co",
        *TITLES,
        *ITEMS,
        *SUMS,
    ]
    found = record(tmp_path, rows).fields["number"]
    assert found.value == number
    assert found.reasons
