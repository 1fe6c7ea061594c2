"""Prints of electronic invoices and what is set as they are: labels that are sentences, headings of many rows, boxes wider than their headings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pdfs import result_of, stored
from tests.test_agent_unusual import HEAD, ITEMS, TITLES, Rows, record, sums, two_pages, values

PARTIES: Rows = [
    "FA(3)",
    "Krajowy System e-Faktur",
    [(350, "FAKTURA PODSTAWOWA")],
    "Kolejny numer faktury, nadany w ramach jednej lub kilku serii: FV2026/02/150",
    "Data wystawienia: 2026-02-28",
    [(60, "SPRZEDAWCA"), (350, "NABYWCA")],
    [(60, "NIP: 5260250995"), (350, "NIP: 1111111111")],
    [(60, "Imie i nazwisko lub nazwa: Mlyn S.A."), (350, "Imie i nazwisko lub nazwa: Jan Kowalski")],
    [(60, "Adres podatnika"), (350, "Adres nabywcy")],
    [(60, "Adres: ul. Kwiatowa 1"), (350, "Adres: ul. Polna 1")],
    [(60, "Dane kontaktowe podatnika"), (350, "Dane kontaktowe nabywcy")],
]
RATES: Rows = [
    [(60, "Stawka VAT"), (180, "Suma sprzedazy"), (300, "Kwota podatku od")],
    [(180, "netto"), (300, "wartosci sprzedazy")],
    [(300, "netto, przeliczona")],
]
TOTAL: Rows = ["Kwota naleznosci ogolem: 2760 PLN"]


def test_an_official_print_is_read_by_its_labels(tmp_path: Path) -> None:
    rates: Rows = [[(60, "22% lub 23%"), (200, "2000"), (320, "460")], [(60, "zw"), (200, "300")]]
    charges: Rows = [[(200, "Suma doplat"), (480, "0.00")]]
    found = record(tmp_path, [*PARTIES, *RATES, *rates, "", *TOTAL, "", *charges], step=13)
    assert values(found, "supplier", "buyer", "number") == ["Mlyn S.A.", "Jan Kowalski", "FV2026/02/150"]
    assert sums(found) == [2300, 460, 2760]
    assert not any(found.fields[name].reasons for name in ("supplier", "number", "net", "tax", "total"))


def test_each_partys_data_stand_under_its_heading(tmp_path: Path) -> None:
    def block(heading: str, number: str, name: str) -> Rows:
        return [
            heading,
            "Dati anagrafici",
            f"Identificativo fiscale ai fini IVA: {number}",
            f"Denominazione: {name}",
        ]

    rows: Rows = [
        "FATTURA ELETTRONICA",
        "Dati relativi alla trasmissione",
        "Progressivo di invio: 17",
        *block("Dati del cedente / prestatore", "IT00743110157", "Officina Verdi"),
        *block("Dati del cessionario / committente", "IT07643520567", "Alba S.p.A."),
        *block("Dati del terzo intermediario soggetto emittente", "IT12345670017", "Servizi Dati Srl"),
    ]
    found = record(tmp_path, rows, step=13)
    assert values(found, "supplier", "buyer") == ["Officina Verdi", "Alba S.p.A."]
    assert values(found, "supplier_tax_id", "buyer_tax_id") == ["IT00743110157", "IT07643520567"]


def test_the_number_of_the_corrected_invoice_is_not_the_documents(tmp_path: Path) -> None:
    corrected: Rows = ["Numer identyfikujacy fakture korygowana w KSeF", "9999999999-20230908-8BEF"]
    rows: Rows = [*PARTIES[:3], PARTIES[4], "Faktura korygujaca", *corrected, *TOTAL]
    assert values(record(tmp_path, rows), "number") == [None]


def test_the_last_figure_below_the_last_heading_is_its_own(tmp_path: Path) -> None:
    titles: Rows = [[(60, "Importo bollo"), (190, "Arr."), (380, "Totale documento")]]
    figures: Rows = [[(195, "0,00"), (500, "28,40")]]
    rows: Rows = ["Bianchi SRL", "Fattura n. 12", "Data: 14/05/2024", "EUR", *titles, *figures]
    assert values(record(tmp_path, rows, step=13), "total") == ["28.40"]


@pytest.mark.parametrize(
    ("said", "tax"),
    [
        ([[(390, "Total"), (480, "360.00")], "Inklusive MWST von 20% (60.00)"], 60),
        ([[(390, "VAT 20%"), (470, "60.00 (300.00)")], [(390, "Total"), (480, "360.00")]], 60),
        (
            [
                [(390, "Subtotal"), (480, "$300.00")],
                [(390, "Discount %"), (480, "-$30.00")],
                [(390, "VAT %"), (480, "$54.00")],
                [(390, "Total"), (480, "$324.00")],
            ],
            54,
        ),
    ],
)
def test_ways_to_print_a_tax(tmp_path: Path, said: Rows, tax: int) -> None:
    found = record(tmp_path, [*HEAD, *said])
    assert sums(found)[1] == tax and not found.fields["tax"].reasons


def test_what_is_left_after_a_payment_proves_net_and_taxes_and_is_no_total(tmp_path: Path) -> None:
    said: Rows = [
        [(390, "Sous-total"), (480, "300,00")],
        [(390, "TVA 10 % sur 100,00"), (520, "10,00")],
        [(390, "TVA 20 % sur 200,00"), (520, "40,00")],
        [(390, "Déjà payé"), (480, "-100,00")],
        [(390, "Solde à régler"), (480, "250,00")],
    ]
    found = record(
        tmp_path, ["Imprimerie Delorme", "Facture n° 88", "Date : 14/05/2024", "EUR", *TITLES, *ITEMS, *said]
    )
    assert not found.fields["tax"].reasons
    assert sums(found)[:2] == [300, 50] and values(found, "total", "amount_due") == [None, "250.00"]


def test_nothing_is_chosen_of_sums_that_contradict_each_other(tmp_path: Path) -> None:
    """A figure alone, which only net and tax could prove, less than what the lines add up to."""
    rows: Rows = [*HEAD, *TITLES, *ITEMS, "", [(480, "261.00")]]
    assert sums(record(tmp_path, rows)) == [None, None, None]


def test_euros_have_an_ending_in_finnish(tmp_path: Path) -> None:
    rows: Rows = [
        "Pullin Kala Oy",
        "Lasku 88",
        "Laskun numero: 88",
        "Päivämäärä: 14.5.2024",
        "Yhteensä 122,00 euroa",
    ]
    found = record(tmp_path, rows).fields["currency"]
    assert (found.value, found.reasons) == ("EUR", ())


def test_a_title_in_spaced_letters_is_no_supplier(tmp_path: Path) -> None:
    rows: Rows = [
        [(60 + 14 * place, letter) for place, letter in enumerate("FACTURA")],
        "Número 88",
        "Fecha: 14/05/2024",
    ]
    found = record(tmp_path, [*rows, [(390, "Total"), (480, "300,00 EUR")]])
    assert values(found, "supplier") == [None]


def test_a_line_that_says_what_it_is_is_no_rival_of_the_supplier(tmp_path: Path) -> None:
    sender = "Gartenbau Tiedemann - Moorweg 8 - 25421 Pinneberg"
    block: Rows = [
        [(60, "Gemeinde Quickborn"), (400, "Dokument: Rechnung")],
        "Lornsenweg 2",
        "25451 Quickborn",
    ]
    rows: Rows = [sender, *block, "Rechnung 88", "Datum: 14.05.2024", [(390, "Summe"), (480, "300,00 EUR")]]
    found = record(tmp_path, rows, step=14).fields["supplier"]
    assert (found.value, found.reasons) == ("Gartenbau Tiedemann", ())


def test_the_name_of_an_item_may_stand_over_its_figures(tmp_path: Path) -> None:
    """Where quantity times price is the amount, and no heading names the columns."""
    items: Rows = [
        "Pro license",
        [(300, "2"), (390, "120"), (480, "$240.00")],
        "Annual subscription",
        "Onboarding",
        [(300, "1"), (390, "60"), (480, "$60.00")],
        "Half a day",
    ]
    said: Rows = [[(390, "Subtotal"), (480, "$300.00")], [(390, "Total"), (480, "$300.00")]]
    lines = record(tmp_path, [*HEAD, *items, *said]).lines
    assert [line["description"].value for line in lines] == ["Pro license", "Onboarding"]


def test_an_amount_with_its_currency_names_no_item(tmp_path: Path) -> None:
    titles: Rows = [[(60, "Description"), (250, "Qty"), (310, "Price"), (390, "Net value"), (480, "Amount")]]
    item: Rows = [[(250, "1"), (310, "948.00"), (390, "853.20 PLN"), (480, "853.20 PLN")]]
    (line,) = record(tmp_path, [*HEAD, *titles, *item, [(390, "Total"), (480, "853.20 PLN")]]).lines
    assert "description" not in line


@pytest.mark.parametrize(
    ("label", "number", "is_doubted"),
    [
        ("NIP:", "1234567890", True),
        ("NIP:", "5260250995", False),
        ("Y-tunnus:", "0123456-7", True),
        ("NIF:", "123456789", False),
    ],
)
def test_check_digits_of_numbers_without_the_letters_of_their_country(
    tmp_path: Path, label: str, number: str, is_doubted: bool
) -> None:
    rows: Rows = [HEAD[0], f"{label} {number}", *HEAD[1:], *TITLES, *ITEMS, [(390, "Total"), (480, "300.00")]]
    assert bool(record(tmp_path, rows).fields["supplier_tax_id"].reasons) is is_doubted


NARROW: Rows = [
    [(60, "Nazwa"), (220, "Ilosc"), (280, "Cena"), (350, "Wartosc"), (430, "Stawka"), (490, "Kwota akcyzy")]
]
WORTH: Rows = [[(60, "Rata"), (225, "1"), (280, "200.00"), (350, "200.00"), (430, "23%")], [(60, "Pakiet"), (225, "2"), (280, "50.00"), (350, "100.00"), (430, "23%")]]  # fmt: skip
DUE: Rows = [[(350, "Do zaplaty"), (480, "500.00")]]


def test_amounts_stand_in_the_last_column_that_holds_some(tmp_path: Path) -> None:
    found = record(tmp_path, [*HEAD, *NARROW, *WORTH, *DUE])
    assert [line["amount"].value for line in found.lines] == ["200.00", "100.00"]


def test_rows_may_begin_on_the_page_after_their_heading(tmp_path: Path) -> None:
    pages = two_pages([*HEAD, *[""] * 30, *TITLES, [(60, "of the goods")]], [*ITEMS, *DUE])
    found = result_of(stored(tmp_path, pages)).records[0]
    assert [line["amount"].value for line in found.lines] == ["240.00", "60.00"]


def test_an_annex_adds_no_items_to_those_that_the_sum_proves(tmp_path: Path) -> None:
    annex: Rows = ["Annex", [(60, "Description"), (300, "Qty"), (390, "Price"), (480, "Amount")], [(60, "Base fee"), (305, "2"), (390, "7.00"), (480, "14.00")]]  # fmt: skip
    said: Rows = [[(390, "Subtotal"), (480, "300.00")], [(390, "Total"), (480, "300.00")]]
    coded: Rows = [[*row, (525, "A"), (550, "B")] for row in ITEMS if not isinstance(row, str)]
    found = record(tmp_path, [*HEAD, *TITLES, *coded, *said, "", *annex])
    assert [line["amount"].value for line in found.lines] == ["240.00", "60.00"]
