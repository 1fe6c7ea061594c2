"""Habits of printing that no label of an invoice's own tells of: a place before a date, words of sums that name items, signs beside tax numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.agent.contract import Result
from tests.pdfs import lines_pdf, result_of, stored

Rows = list[str | list[tuple[float, str]]]
TABLE: Rows = [
    [(60, "Concepto"), (300, "Cantidad"), (390, "Precio"), (480, "Importe")],
    [(60, "Cambio de aceite"), (310, "4"), (390, "90,00"), (480, "360,00")],
    [(60, "Mano de obra"), (310, "7"), (390, "40,00"), (480, "280,00")],
    [(390, "Base imponible"), (480, "640,00 EUR")], [(390, "IVA 21 %"), (480, "134,40 EUR")], [(390, "Total"), (480, "774,40 EUR")],
]  # fmt: skip


def read(folder: Path, head: Rows, rest: Rows = TABLE) -> Result:
    return result_of(stored(folder, lines_pdf([*head, *rest])))


def value(result: Result, name: str) -> object:
    return result.records[0].fields[name].value


def test_a_row_that_multiplies_is_an_item_whatever_its_words(tmp_path: Path) -> None:
    head: Rows = ["Talleres Sierra S.L.", "Factura nº A-71", "Fecha: 09/02/2024"]
    items = [line["description"].value for line in read(tmp_path, head).records[0].lines]
    assert items == ["Cambio de aceite", "Mano de obra"], "Cambio is also what change is called"


def test_a_tax_number_ends_before_what_is_set_apart(tmp_path: Path) -> None:
    head: Rows = [
        "Talleres Sierra S.L.",
        "CIF B18123456 - Calle Real 14, 18001 Granada",
        "Factura nº A-71",
        "Fecha: 09/02/2024",
    ]
    assert value(read(tmp_path, head), "supplier_tax_id") == "B18123456"


@pytest.mark.parametrize(
    "printed", ["Biel, 18. Juni 2024", "Bad Tölz, 18.06.2024", "Linz-Urfahr, am 18. Juni 2024"]
)
def test_a_date_behind_a_place_is_the_documents(tmp_path: Path, printed: str) -> None:
    head: Rows = ["Lindenhof Werkzeugbau GmbH", "Rechnung Nr. 9031", printed, "fällig am 18.07.2024"]
    rest: Rows = [
        [(60, "Netto"), (480, "100,00 EUR")],
        [(60, "MwSt 19 %"), (480, "19,00 EUR")],
        [(60, "Gesamtbetrag"), (480, "119,00 EUR")],
    ]
    result = read(tmp_path, head, rest)
    assert (value(result, "date"), value(result, "due_date")) == ("2024-06-18", "2024-07-18")


LABELS = {
    "en": ("Sales Invoice", "Sales invoice no 771", "Tax point: 30 September 2024", "Settle by: 30 October 2024", "Goods/services", "VAT 20%", "Amount now due"),
    "fr": ("Facture", "Facture n° 771", "Établie le 30 septembre 2024", "Payable au plus tard le 30 octobre 2024", "Total avant taxes", "TVA 20 %", "Total TTC"),
    "es": ("Factura", "Núm. de factura: 771", "Expedida el 30 de septiembre de 2024", "Pago antes del 30 de octubre de 2024", "Total sin IVA", "IVA 20 %", "Importe pendiente"),
    "it": ("Fattura", "Fattura n. 771", "Emesso il 30/09/2024", "Pagare entro 30/10/2024", "Imponibile", "IVA 20 %", "Importo dovuto"),
    "nl": ("Factuur", "Factuurnummer 771", "Datum 30-09-2024", "Te betalen uiterlijk: 30-10-2024", "Totaal voor btw", "BTW 20 %", "Te voldoen bedrag"),
    "de": ("Rechnung", "Rechnung Nr. 771", "Erstellt am 30.09.2024", "Zahlbar spätestens am 30.10.2024", "Summe vor Steuern", "USt 20 %", "Gesamtbetrag"),
}  # fmt: skip


@pytest.mark.parametrize("language", LABELS)
def test_further_words_of_each_language(tmp_path: Path, language: str) -> None:
    title, number, day, due, net, tax, total = LABELS[language]
    sums: Rows = [
        [(60, net), (480, "EUR 500.00")],
        [(60, tax), (480, "EUR 100.00")],
        [(60, total), (480, "EUR 600.00")],
    ]
    result = read(tmp_path, ["Green Harbour Ltd", title, number, day, due], sums)
    found = [value(result, name) for name in ("number", "date", "due_date", "net", "tax", "total")]
    assert found == ["771", "2024-09-30", "2024-10-30", "500.00", "100.00", "600.00"]


def test_a_correction_with_a_bare_number_in_polish(tmp_path: Path) -> None:
    """No letters beyond the font of these tests: the words are looked up without accents all the same."""
    head: Rows = [
        "Odra Meble S.A.",
        "FAKTURA KORYGUJACA",
        "Numer: KOR/7/2024",
        "Wystawiono dnia: 2024-06-03",
        "Do faktury nr: FV/90/2024",
    ]
    sums: Rows = [
        [(60, "Razem netto"), (480, "-200,00 PLN")],
        [(60, "VAT 23%"), (480, "-46,00 PLN")],
        [(60, "Razem brutto"), (480, "-246,00 PLN")],
    ]
    result = read(tmp_path, head, sums)
    assert (result.kind, value(result, "number"), value(result, "date")) == (
        "credit_note",
        "KOR/7/2024",
        "2024-06-03",
    )


SUMS: Rows = [
    [(60, "Netto"), (480, "650,00 EUR")],
    [(60, "USt 19 %"), (480, "123,50 EUR")],
    [(60, "Summe brutto"), (480, "773,50 EUR")],
]


@pytest.mark.parametrize(
    "title", ["Rechnung 20240456 vom 21.02.2024", "Rechnung Nr. 20240456 vom 21.02.2024"]
)
def test_a_title_with_number_and_date_in_one_line(tmp_path: Path, title: str) -> None:
    result = read(tmp_path, ["Nordlicht Reederei GmbH", title, "Bitte zahlen Sie bis 06.03.2024."], SUMS)
    found = [value(result, name) for name in ("number", "date", "due_date", "total")]
    assert (result.kind, found) == ("invoice", ["20240456", "2024-02-21", "2024-03-06", "773.50"])


def test_a_good_that_is_called_like_a_kind_of_document_names_none(tmp_path: Path) -> None:
    """Abono: a credit note, and what plants are fed with."""
    row: Rows = [[(60, "Abono"), (310, "30"), (390, "10,00"), (480, "300,00")]]
    head: Rows = ["Talleres Sierra S.L.", "Factura", "Fecha: 09/02/2024"]
    result = read(tmp_path, head, [TABLE[0], *row, *TABLE[3:]])
    assert result.kind == "invoice" and value(result, "number") is None


def test_number_net_tax_and_total_are_an_invoice_without_a_title(tmp_path: Path) -> None:
    head: Rows = ["Green Harbour Ltd", "Document no. LC-3307", "Dated 9 July 2024"]
    sums: Rows = [
        [(60, "Subtotal"), (480, "$980.00")],
        [(60, "State tax (6%)"), (480, "$58.80")],
        [(60, "Please remit"), (480, "$1,038.80")],
    ]
    result = read(tmp_path, head, sums)
    assert (result.kind, value(result, "number"), value(result, "total")) == ("invoice", "LC-3307", "1038.80")
    assert read(tmp_path, [head[0], head[2]], [*sums[:1], "Kind regards"]).records == ()


@pytest.mark.parametrize(
    ("label", "kind"),
    [("Oferta nr OF/12", "quotation"), ("Ricevuta n. OF/12", "receipt"), ("Bill no. OF/12", "invoice")],
)
def test_the_label_of_the_number_tells_the_kind_without_a_title(
    tmp_path: Path, label: str, kind: str
) -> None:
    sums: Rows = [[(60, "Total"), (480, "EUR 600.00")]]
    result = read(tmp_path, ["Green Harbour Ltd", label, "Date: 30 September 2024"], sums)
    assert (result.kind, value(result, "number")) == (kind, "OF/12")
