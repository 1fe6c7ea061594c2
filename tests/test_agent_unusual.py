"""Layouts that say things where few do: items without headings, figures before their labels, values over theirs, terms within sentences."""

from __future__ import annotations

import io
from decimal import Decimal
from pathlib import Path

import pytest
from pypdf import PdfWriter

from tasks.agent.contract import Record, Result
from tests.pdfs import lines_pdf, result_of, stored

Rows = list[str | list[tuple[float, str]]]
HEAD: Rows = ["Harbour Lane Books Ltd", "Invoice no 8812", "Date: 14 May 2024", "GBP"]
TITLES: Rows = [[(60, "Description"), (300, "Qty"), (390, "Price"), (480, "Amount")]]
ITEMS: Rows = [
    [(60, "Oak shelf"), (305, "2"), (390, "120.00"), (480, "240.00")],
    [(60, "Wall bracket"), (305, "5"), (390, "12.00"), (480, "60.00")],
]
SUMS: Rows = [[(390, "Subtotal"), (480, "300.00")], [(390, "VAT 20%"), (480, "60.00")], [(390, "Total"), (480, "360.00")]]  # fmt: skip


def record(folder: Path, rows: Rows, step: float = 18) -> Record:
    return read(folder, rows, step).records[0]


def read(folder: Path, rows: Rows, step: float = 18) -> Result:
    return result_of(stored(folder, lines_pdf(rows, step=step)))


def values(found: Record, *names: str) -> list[object]:
    return [found.fields[name].value if name in found.fields else None for name in names]


def sums(found: Record) -> list[Decimal | None]:
    said = values(found, "net", "tax", "total")
    return [None if value is None else Decimal(str(value)) for value in said]


NORTH = {
    "sv": ("Faktura", "Fakturanummer 5512", "Fakturadatum 2024-04-30", "Förfallodatum 2024-05-30", "Netto", "Moms 25 %", "Att betala SEK"),
    "da": ("Faktura", "Fakturanr. 5512", "Fakturadato 30-04-2024", "Forfaldsdato 30-05-2024", "Subtotal", "Moms (25,00%)", "Total DKK"),
    "no": ("Faktura", "Fakturanr 5512", "Fakturadato 30.04.2024", "Forfallsdato 30.05.2024", "Sum eks. mva", "MVA 25 %", "Å betale NOK"),
    "pt": ("Fatura", "Fatura nº 5512", "Data de emissão 30/04/2024", "Vencimento 30/05/2024", "Total ilíquido", "Total IVA", "Total a pagar EUR"),
    "cs": ("Faktura", "Faktura c. 5512", "Datum vystavení 30.04.2024", "Datum splatnosti 30.05.2024", "Základ dane", "DPH 25 %", "Celkem k úhrade CZK"),
}  # fmt: skip


@pytest.mark.parametrize("language", NORTH)
def test_further_languages_are_read(tmp_path: Path, language: str) -> None:
    title, number, day, due, net, tax, total = NORTH[language]
    rows: Rows = [title, number, day, due, [(60, net), (480, "400,00")], [(60, tax), (480, "100,00")], [(60, total), (480, "500,00")]]  # fmt: skip
    result = read(tmp_path, rows)
    found = result.records[0]
    assert (result.kind, result.language) == ("invoice", language)
    assert values(found, "number", "date", "due_date") == ["5512", "2024-04-30", "2024-05-30"]
    assert sums(found) == [400, 100, 500]


def test_items_without_headings_are_those_that_the_sum_proves(tmp_path: Path) -> None:
    rows: Rows = [
        *HEAD,
        [(60, "Oak shelf"), (480, "240.00")],
        [(60, "Delivery to Leeds"), (480, "60.00")],
        *SUMS,
    ]
    items = record(tmp_path, rows).lines
    assert [item["amount"].value for item in items] == ["240.00", "60.00"]


def test_lines_that_no_sum_proves_are_no_items(tmp_path: Path) -> None:
    rows: Rows = [*HEAD, [(60, "Oak shelf"), (480, "240.00")], [(60, "Old price"), (480, "61.00")], *SUMS]
    assert not record(tmp_path, rows).lines


@pytest.mark.parametrize("label", ["VAT - United Kingdom (20% on 300.00)", "Parts tax 7 %"])
def test_a_sum_with_its_label_inside_is_no_item(tmp_path: Path, label: str) -> None:
    rows: Rows = [*HEAD, *TITLES, *ITEMS, [(60, label), (480, "60.00")], [(390, "Total"), (480, "360.00")]]
    found = record(tmp_path, rows)
    assert len(found.lines) == 2
    assert sums(found)[1:] == [60, 360]


def test_a_row_that_is_what_the_rows_before_it_sum_to_is_none(tmp_path: Path) -> None:
    rows: Rows = [
        *HEAD,
        *TITLES,
        *ITEMS,
        [(390, "Everything"), (480, "300.00")],
        [(390, "Total"), (480, "360.00")],
    ]
    assert len(record(tmp_path, rows).lines) == 2


def test_figures_that_stand_before_their_labels(tmp_path: Path) -> None:
    rows: Rows = [*HEAD, [(60, "300.00"), (160, "Subtotal")], [(60, "60.00"), (160, "VAT 20%")], [(60, "360.00"), (160, "Total")]]  # fmt: skip
    assert sums(record(tmp_path, rows)) == [300, 60, 360]


@pytest.mark.parametrize("unknown", ["Balancing figure", "Wxyz"])
def test_the_third_of_the_sums_is_what_the_other_two_say(tmp_path: Path, unknown: str) -> None:
    for at, figure in enumerate(("300.00", "60.00", "360.00")):
        line: Rows = [[(390, unknown), (480, figure)]]
        assert sums(record(tmp_path, [*HEAD, *TITLES, *ITEMS, *SUMS[:at], *line, *SUMS[at + 1 :]])) == [
            300,
            60,
            360,
        ]
    assert sums(record(tmp_path, [*HEAD, *SUMS[:2], [(390, unknown), (480, "361.00")]]))[2] is None


@pytest.mark.parametrize(
    ("tax", "currency"), [("HST (13%)", "CAD"), ("GST 10% ABN 51 824 753 556", "AUD"), ("Sales tax", "USD")]
)
def test_whose_dollars_they_are(tmp_path: Path, tax: str, currency: str) -> None:
    rows: Rows = [*HEAD[:3], [(60, "Subtotal"), (480, "$100.00")], [(60, tax), (480, "$10.00")], [(60, "Total"), (480, "$110.00")]]  # fmt: skip
    assert values(record(tmp_path, rows), "currency") == [currency]


def test_little_words_alone_name_the_parties(tmp_path: Path) -> None:
    rows: Rows = [
        "FACTURA", [(60, "DE"), (300, "PARA")], [(60, "Lucía Ferrer Diseño"), (300, "Cervezas Turia S.L.")],
        "Nº 2024-031", "FECHA 3 de octubre de 2024", "VENCE 2 de noviembre de 2024", *SUMS,
    ]  # fmt: skip
    found = record(tmp_path, rows)
    assert values(found, "supplier", "number", "due_date") == [
        "Lucía Ferrer Diseño",
        "2024-031",
        "2024-11-02",
    ]


def test_several_sums_in_one_line(tmp_path: Path) -> None:
    rows: Rows = [*HEAD, [(60, "Net amount 300.00"), (200, "Tax 60.00"), (330, "Total incl. tax 360.00")]]
    assert sums(record(tmp_path, rows)) == [300, 60, 360]


def test_rates_without_a_row_of_sums_are_summed_if_the_total_proves_them(tmp_path: Path) -> None:
    rates: Rows = [
        [(60, "VAT rate"), (160, "Taxable amount"), (300, "VAT amount")],
        [(60, "20%"), (160, "200.00"), (300, "40.00")],
        [(60, "5%"), (160, "100.00"), (300, "5.00")],
    ]
    assert sums(record(tmp_path, [*HEAD, *rates, [(60, "Total"), (300, "345.00")]])) == [300, 45, 345]
    assert sums(record(tmp_path, [*HEAD, *rates, [(60, "Total"), (300, "350.00")]]))[0] is None


def test_one_of_several_taxes_asks_for_a_look(tmp_path: Path) -> None:
    rows: Rows = [*HEAD, [(390, "VAT 20%"), (480, "40.00")], [(390, "VAT 5%"), (480, "5.00")], [(390, "Total"), (480, "350.00")]]  # fmt: skip
    assert record(tmp_path, rows).fields["tax"].reasons


def test_the_total_is_not_the_net_where_a_tax_is_printed(tmp_path: Path) -> None:
    rows: Rows = ["Cafe Sol", "Receipt no 12", "14 May 2024", [(60, "Suma"), (300, "23,00 EUR")], [(60, "VAT"), (300, "3,00 EUR")]]  # fmt: skip
    assert sums(record(tmp_path, rows))[0] != 23


@pytest.mark.parametrize(
    ("sentence", "due"),
    [
        ("Please pay by 13 June 2024 to our account.", "2024-06-13"),
        ("Bitte überweisen Sie den Betrag bis zum 13.06.2024 auf unser Konto.", "2024-06-13"),
        ("Règlement à 30 jours, soit le 13/06/2024", "2024-06-13"),
        ("Zahlbar in 8 Tagen mit 2 % Skonto, ohne Abzug bis 13.06.2024.", "2024-06-13"),
        ("We received your payment on 13 June 2024.", None),
        ("Paid by card on 13 June 2024.", None),
        ("If you pay by 20 May 2024 you get 2 % discount.", None),
    ],
)
def test_the_day_of_payment_in_a_sentence(tmp_path: Path, sentence: str, due: str | None) -> None:
    assert values(record(tmp_path, [*HEAD, *SUMS, sentence]), "due_date") == [due]


def test_values_over_small_labels(tmp_path: Path) -> None:
    rows: Rows = [
        "LASKU", "Saari Oy", [(60, "108823"), (200, "12.8.2024"), (340, "26.8.2024")], [(60, "Laskun numero"), (200, "Laskun päiväys"), (340, "Eräpäivä")],
        "", "", [(60, "Veroton yhteensä"), (480, "100,00")], [(60, "ALV 24 %"), (480, "24,00")], [(60, "Yhteensä EUR"), (480, "124,00")],
    ]  # fmt: skip
    assert values(record(tmp_path, rows), "number", "due_date") == ["108823", "2024-08-26"]


def test_a_number_in_groups_is_whole_and_one_below_goes_before_a_town_far_beside(tmp_path: Path) -> None:
    rows: Rows = [
        "Petrel Marine Surveys", "INVOICE", [(300, "Invoice Number"), (420, "LA9 6ED KENDAL")], [(300, "2411 008 7742")], [(300, "Date"), (420, "14 May 2024")], *SUMS,
    ]  # fmt: skip
    assert values(record(tmp_path, rows), "number") == ["2411 008 7742"]


def test_a_bare_sign_for_number_under_the_title(tmp_path: Path) -> None:
    rows: Rows = ["Menuiserie Le Goff SARL", [(340, "FACTURE")], [(340, "N° : FA-23-0419")], [(340, "Date : 30/06/2023")], *SUMS]  # fmt: skip
    assert values(record(tmp_path, rows), "number", "date") == ["FA-23-0419", "2023-06-30"]


@pytest.mark.parametrize("line", ["Sold by Harbour Lane Books Ltd", "H A R B O U R"])
def test_who_sells_is_read_without_its_label_and_its_gaps(tmp_path: Path, line: str) -> None:
    rows: Rows = [line, "Invoice no 8812", "Date: 14 May 2024", *SUMS]
    name = "Harbour Lane Books Ltd" if "Sold" in line else "HARBOUR"
    assert values(record(tmp_path, rows), "supplier") == [name]


@pytest.mark.parametrize(
    "name", ["Redwood Data Partners, LLC", "Cerâmica do Lis, Lda.", "Hortalizas del Segura, S.L."]
)
def test_a_comma_before_the_legal_form_parts_nothing(tmp_path: Path, name: str) -> None:
    rows: Rows = [[(450, "INVOICE")], [(400, "Advice in September")], [(400, name)], [(400, "1 Ferry Plaza")], "Invoice no 8812", "Date: 14 May 2024", *SUMS]  # fmt: skip
    assert values(record(tmp_path, rows), "supplier") == [name]


def test_a_till_says_that_it_is_a_receipt(tmp_path: Path) -> None:
    rows: Rows = ["Greenleaf Grocers", "CASHIER: MAYA", "TRANS 0093821", "07/19/2024", [(60, "TOTAL"), (200, "$26.01")], [(60, "VISA"), (200, "26.01")], [(60, "CHANGE"), (200, "0.00")]]  # fmt: skip
    assert read(tmp_path, rows).kind == "receipt"


def test_an_order_and_a_reminder_are_no_invoices(tmp_path: Path) -> None:
    letter: Rows = ["Harbour Lane Books Ltd", "2 December 2024", "Our invoice 8812 of 14 May 2024 over GBP 360.00 is still open.", "Please pay by 12 December 2024."]  # fmt: skip
    assert not read(tmp_path, letter).records


@pytest.mark.parametrize(
    "title", ["Statement of account", "Lieferschein", "Bon de commande", "Wezwanie do zaplaty"]
)
def test_a_document_with_another_title_is_none_whatever_it_sums(tmp_path: Path, title: str) -> None:
    rows: Rows = ["Harbour Lane Books Ltd", "Date: 14 May 2024", "Number: 8812", *SUMS]
    assert read(tmp_path, ["INVOICE", *rows]).records
    assert not read(tmp_path, [title, *rows]).records


def test_an_item_with_net_tax_and_gross_of_its_own_says_the_sums(tmp_path: Path) -> None:
    rows: Rows = [
        "FAKTURA NR FZ/12/2024", "Data wystawienia: 2024-11-04",
        [(60, "Opis"), (200, "Ilosc"), (260, "Netto"), (350, "Kwota VAT"), (450, "Brutto")],
        [(60, "Zaliczka"), (200, "1"), (260, "800,00"), (350, "184,00"), (450, "984,00")],
        [(60, "Pozostalo do zaplaty: 0,00 PLN")],
    ]  # fmt: skip
    assert sums(record(tmp_path, rows)) == [800, 184, 984]


def test_a_number_with_its_series_before_it(tmp_path: Path) -> None:
    assert values(record(tmp_path, ["Oficina Tejo Lda", "Fatura FR A/2291", "Data: 19/02/2025", *SUMS]), "number") == ["FR A/2291"]  # fmt: skip


def test_a_table_goes_on_without_a_heading_on_the_next_page(tmp_path: Path) -> None:
    rows: Rows = [*HEAD, *TITLES, *[book(at) for at in range(20)]]
    second: Rows = [*rows[5:10], [(390, "Subtotal"), (480, "250.00")], [(390, "VAT 20%"), (480, "50.00")], [(390, "Total"), (480, "300.00")]]  # fmt: skip
    pages = result_of(stored(tmp_path, two_pages(rows, second)))
    assert len(pages.records[0].lines) == 25


def book(at: int) -> list[tuple[float, str]]:
    return [(60, f"Exercise book {at}"), (305, "2"), (390, "5.00"), (480, "10.00")]


def two_pages(first: Rows, second: Rows) -> bytes:
    """Both pages in one file, joined by the library that writes PDFs for tests."""
    writer = PdfWriter()
    for rows in (first, second):
        writer.append(io.BytesIO(lines_pdf(rows)))
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Mahnung", ("Rechnung", "Datum", "Betrag")), ("Reminder", ("Invoice", "Date", "Balance")), ("", ("Invoice", "Date", "Amount")),
        ("Avis de paiement", ("Facture", "Date", "Total")), ("Sollecito", ("Fattura", "Data", "Importo")),
    ],
)  # fmt: skip
def test_a_list_of_invoices_is_no_invoice(tmp_path: Path, title: str, names: tuple[str, ...]) -> None:
    """The name of its first column is no title, however large it is printed."""
    row = ("RE-1001", "01.02.2024", "1,190.00")
    rows: Rows = ["Harbour Lane Books Ltd", title, "14.05.2024", *([(60 + 150 * at, part) for at, part in enumerate(parts)] for parts in (names, row)), [(60, "Total EUR"), (360, "1,190.00")]]  # fmt: skip
    result = read(tmp_path, [part for part in rows if part])
    assert result.kind == "other" and not result.records


@pytest.mark.parametrize(("tax", "is_doubted"), [("20.00", True), ("16.67", False)])
def test_a_total_that_its_tax_comes_on_top_of_is_flagged(tmp_path: Path, tax: str, is_doubted: bool) -> None:
    found = record(tmp_path, [*HEAD, [(390, "Total"), (480, "100.00")], [(390, "VAT 20%"), (480, tax)]])
    assert values(found, "total") == ["100.00"]
    assert bool(found.fields["total"].reasons) is is_doubted


@pytest.mark.parametrize(
    ("line", "number"), [("Number 8812", "8812"), ("Nummer: 8812", "8812"), ("Nr. 8812", "8812"), ("Nu 8812", None), ("Nord 8812", None)]
)  # fmt: skip
def test_a_bare_label_is_a_whole_word(tmp_path: Path, line: str, number: str | None) -> None:
    rows: Rows = [
        "Harbour Lane Books Ltd",
        "Invoice",
        line,
        "Date: 14 May 2024",
        "GBP",
        *TITLES,
        *ITEMS,
        *SUMS,
    ]
    assert values(record(tmp_path, rows), "number") == [number]
