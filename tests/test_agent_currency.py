"""A sign that several countries share means the currency that the page names, else that of the writer's country, else it asks for a look."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pdfs import lines_pdf, result_of, stored
from tests.test_agent_unusual import Rows, record

HEAD: Rows = ["Corner Stores Ltd", "INVOICE", "Invoice number: P-9", "Invoice date: 14 May 2024"]


def currency(folder: Path, sign: str, *rows: str, lines: Rows = ()) -> tuple[object, bool]:  # type: ignore[assignment]
    """The currency that is read, and whether it asks for a look."""
    sums: Rows = [[(60, "Net"), (400, f"{sign}100.00")], [(60, "Total"), (400, f"{sign}100.00")]]
    found = record(folder, [*HEAD, *rows, *lines, *sums]).fields["currency"]
    return found.value, bool(found.reasons)


@pytest.mark.parametrize(
    ("sign", "said", "expected"),
    [
        ("$", "ABN 11 119 159 741", ("AUD", False)),
        ("$", "Phone +64 9 555 0199", ("NZD", False)),
        ("$", "All prices are in US dollars. ABN 11 119 159 741", ("USD", False)),
        ("$", "Tous les montants sont en dollars canadiens", ("CAD", False)),
        ("$", "Nathan Road 5, Kowloon, Hong Kong", ("HKD", True)),
        ("$", "", ("USD", False)),
        ("$", "Reference CA202400012345", ("USD", False)),
        ("kr ", "DK50 0040 0440 1162 43", ("DKK", False)),
        ("kr ", "DK51 0040 0440 1162 43", ("SEK", True)),
        ("£", "12 Mill Lane, Leeds, England", ("GBP", False)),
        ("£", "All prices +20% VAT", ("GBP", False)),
        ("$", "Storage: 128 + 64 GB", ("USD", False)),
        ("Rs. ", "", ("INR", True)),
        ("Rs. ", "New Road, Kathmandu", ("NPR", False)),
        ("Rs. ", "Phone +92 21 3555 0199", ("PKR", False)),
        ("Rs. ", "GSTIN 27AAPFU0939F1ZV", ("INR", False)),
        ("Rs. ", "Mumbai, and in Colombo", ("INR", True)),
        ("kr ", "", ("SEK", True)),
        ("kr ", "Kongens gate 5, 0153 Oslo", ("NOK", False)),
        ("kr ", "All amounts in Danish kroner", ("DKK", False)),
        ("¥", "", ("JPY", False)),
        ("¥", "Phone +86 21 5555 0199", ("CNY", False)),
    ],
)
def test_whose_currency_a_shared_sign_is(
    tmp_path: Path, sign: str, said: str, expected: tuple[object, bool]
) -> None:
    assert currency(tmp_path, sign, *[said] if said else []) == expected


def test_what_two_languages_call_alike_is_read_the_same_in_each_process_and_asks_for_a_look(
    tmp_path: Path,
) -> None:
    """It was Danish in one process and Norwegian in the next, and so were the crowns, without a doubt."""
    rows: Rows = [
        "Hansen AS",
        "Faktura",
        "Fakturanr 1003",
        "Fakturadato 03.04.2025",
        "Betales senest 12.05.2025",
    ]
    path = stored(tmp_path, lines_pdf([*rows, "Total 100,00 kr"]))
    said = {
        subprocess.run(
            [sys.executable, "-m", "tasks.agent", str(path)],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            timeout=60,
        ).stdout
        for seed in ("0", "1", "2", "3")
    }
    assert len(said) == 1
    currency = result_of(path).records[0].fields["currency"]
    assert (currency.value, len(currency.reasons)) == ("SEK", 1)


def test_the_country_of_who_is_written_to_decides_nothing(tmp_path: Path) -> None:
    buyer: Rows = ["Bill to", "Blue Gum Traders", "12 Kent Street", "Australia", "Phone +61 2 5550 0199"]
    assert currency(tmp_path, "$", lines=buyer) == ("USD", False)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([[(60, "Total"), (400, "145,250.50"), (480, "ALL")]], "ALL"),
        ([[(60, "Total"), (400, "145,250.50 TRY")]], "TRY"),
        ([[(60, "Total"), (400, "KES 145,250.50")]], "KES"),
        ([[(60, "Currency: PEN")], [(60, "Total"), (400, "145,250.50")]], "PEN"),
        ([[(60, "Amounts in"), (400, "NGN")], [(60, "Total"), (400, "145,250.50")]], "NGN"),
        (["TOP UP 20", [(60, "PEN GEL"), (400, "145,250.50")], [(60, "TOTAL OF ALL"), (400, "145,250.50")]], None),
    ],
)  # fmt: skip
def test_a_code_is_a_currency_where_it_is_the_unit_of_a_sum(
    tmp_path: Path, lines: Rows, expected: str | None
) -> None:
    assert record(tmp_path, [*HEAD, *lines]).fields["currency"].value == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("GSTIN 27AAPFU0939F1ZV", "2024-04-03"),
        ("Phone +44 20 7946 0958", "2024-04-03"),
        ("12 Mill Road, Austin, TX 78746", "2024-03-04"),
        ("Kathmandu, Nepal", None),
        ("", None),
    ],
)
def test_the_country_decides_whether_the_day_comes_first(
    tmp_path: Path, said: str, expected: str | None
) -> None:
    rows: Rows = ["Corner Stores Ltd", "RECEIPT", *[said], "Receipt no: P-9", "Date: 03/04/2024", [(60, "Total"), (400, "EUR 100.00")]]  # fmt: skip
    found = record(tmp_path, rows).fields["date"]
    assert (None if found.reasons else found.value) == expected


@pytest.mark.parametrize(
    ("label", "figure", "expected"),
    [
        ("Total", "R 19492.50", "ZAR"), ("Total", "R19,492.50", "ZAR"), ("Total: R", "19492.50", "ZAR"), ("Total", "RM 1,200.00", "MYR"),
        ("Total", "KSh 1,200.00", "KES"), ("Total", "19 492,50 Ft", "HUF"), ("Total", "1.250,00 lei", "RON"), ("Total pages R", "of 3", None),
    ],
)  # fmt: skip
def test_signs_that_are_letters_count_beside_sums(
    tmp_path: Path, label: str, figure: str, expected: str | None
) -> None:
    rows: Rows = [
        *HEAD,
        "Cooling unit R 134, type R32",
        [(60, "Net"), (400, "100.00")],
        [(60, label), (400, figure)],
    ]
    assert record(tmp_path, rows).fields["currency"].value == expected
