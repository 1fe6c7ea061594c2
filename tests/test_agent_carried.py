"""Tables that go on: on the next page under what each page bears, in columns wider than their figures, over two lines."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from pypdf import PdfWriter

from tests.pdfs import lines_pdf, page_pdf, result_of, stored, text_at
from tests.test_agent_unusual import HEAD, SUMS, TITLES, Rows, record
from tests.test_agent_unusual_rows import amounts_of_items

FOOT: dict[str, Rows] = {
    "en": ["Harbour Lane Books Ltd", "12 Kent Street", "Leeds LS1 4AP", [(60, "Phone"), (300, "VAT no."), (420, "GB123456789")], [(60, "LS1 4AP Leeds"), (300, "IBAN"), (420, "GB29 NWBK 6016 1331 9268 19")]],
    "fi": ["Savon Puu Oy", "Puutavaratie 11", [(60, "74120 Iisalmi"), (300, "Y-tunnus"), (420, "0712448-7")], [(60, "74120 Iisalmi"), (300, "IBAN"), (420, "FI08 5670 0820 0413 37")], "Puh 017 812 440"],
}  # fmt: skip
FIRST: Rows = [[(60, "Oak shelf"), (305, "2"), (390, "100.00"), (480, "200.00")]]
NEXT: Rows = [
    [(60, "Wall bracket"), (305, "5"), (390, "12.00"), (480, "60.00")],
    [(60, "Pine shelf"), (305, "1"), (390, "40.00"), (480, "40.00")],
]


def pages(folder: Path, *of: Rows) -> list[object]:
    writer = PdfWriter()
    for rows in of:
        writer.append(io.BytesIO(lines_pdf(rows)))
    out = io.BytesIO()
    writer.write(out)
    return amounts_of_items(result_of(stored(folder, out.getvalue())).records[0])


@pytest.mark.parametrize("language", FOOT)
def test_items_go_on_under_the_head_of_the_next_page(tmp_path: Path, language: str) -> None:
    found = pages(
        tmp_path,
        [*HEAD, *TITLES, *FIRST, *FOOT[language]],
        ["12 Kent Street", "Leeds LS1 4AP", *NEXT, *SUMS, *FOOT[language]],
    )
    assert found == ["200.00", "60.00", "40.00"]


def test_what_follows_the_sums_on_the_next_page_is_no_item(tmp_path: Path) -> None:
    items: Rows = [*FIRST, [(60, "Wall bracket"), (305, "5"), (390, "20.00"), (480, "100.00")]]
    found = pages(tmp_path, [*HEAD, *TITLES, *items, *SUMS], ["Annex", "Stock", *NEXT])
    assert found == ["200.00", "100.00"]


@pytest.mark.parametrize(
    ("titles", "total"),
    [(("Nazwa", "Netto", "Wartosc brutto zamowionych towarow"), "Razem"), (("Description", "Net", "Amount in our own currency"), "Total")],
)  # fmt: skip
def test_figures_stand_left_in_a_column_wider_than_they_are(
    tmp_path: Path, titles: tuple[str, str, str], total: str
) -> None:
    name, net, amount = titles
    rows: Rows = [
        *HEAD,
        [(60, name), (200, net), (380, amount)],
        [(60, "Router"), (200, "8.12"), (330, "9.99")],
        [(60, "Shelf"), (200, "56.90"), (330, "69.99")],
        [(60, total), (330, "89.98")],  # with a freight that is not printed, so that no sum proves the rows
    ]
    assert amounts_of_items(record(tmp_path, rows)) == ["9.99", "69.99"]


def test_an_amount_may_stand_between_the_two_lines_of_its_row(tmp_path: Path) -> None:
    content = text_at(60, 760, "Corner Stores Ltd") + text_at(60, 740, "Receipt no 8812")
    content += text_at(60, 720, "Date: 14 May 2024")
    content += text_at(160, 700, "Item") + text_at(300, 700, "Qty") + text_at(480, 700, "Amount")
    for place, (name, price, amount) in enumerate([("Masala Dosa", "96.00", "192.00"), ("Filter Coffee", "54.00", "108.00")]):  # fmt: skip
        y = 680 - 36 * place
        content += text_at(60, y, f"MSL-{place}") + text_at(300, y, "2")
        content += text_at(480, y - 7, amount)
        content += text_at(60, y - 14, name) + text_at(240, y - 14, f"@ {price}")
    content += text_at(380, 600, "Total") + text_at(480, 600, "300.00")
    found = result_of(stored(tmp_path, page_pdf(content))).records[0]
    assert amounts_of_items(found) == ["192.00", "108.00"]


@pytest.mark.parametrize(
    ("label", "total"), [("SPRING20 (20% off)", "Total"), ("FRUEHLING20 (20 %)", "Gesamtbetrag")]
)
def test_what_is_taken_off_behind_the_sum_of_the_items_is_none(
    tmp_path: Path, label: str, total: str
) -> None:
    rows: Rows = [
        *HEAD,
        [(60, "Description"), (480, "Amount")],
        [(60, "Oak shelf"), (480, "120.00")],
        [(60, "Wall bracket"), (480, "30.00")],
        [(390, "Subtotal"), (480, "150.00")],
        [(300, label), (480, "-30.00")],
        [(390, "VAT 20%"), (480, "24.00")],
        [(390, total), (480, "144.00")],
    ]
    found = record(tmp_path, rows)
    assert amounts_of_items(found) == ["120.00", "30.00"]
    assert [not found.fields[name].reasons for name in ("net", "tax", "total")] == [True, True, True]


@pytest.mark.parametrize(
    ("name", "cost", "tax", "total"),
    [("Beskrivning", "Kostnad", "Moms (25%)", "Totalt:"), ("Descripción", "Coste", "IVA (25%)", "Total:"), ("Opis", "Koszt", "VAT (25%)", "Razem:")],
)  # fmt: skip
def test_the_only_column_of_money_may_be_what_it_costs(
    tmp_path: Path, name: str, cost: str, tax: str, total: str
) -> None:
    rows: Rows = [*HEAD, [(60, name), (350, cost)], [(60, "Oak 4 m"), (350, "18400.00")], [(60, tax), (350, "4600.00")], [(60, total), (350, "23000.00")]]  # fmt: skip
    assert amounts_of_items(record(tmp_path, rows)) == ["18400.00"]
