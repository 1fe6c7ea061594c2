"""Numbers, dates and names at the head of a document are its own, and not those of what its sentences and boxes speak of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.agent.rules.labels import find, fold
from tests.test_agent_unusual import ITEMS, SUMS, TITLES, Rows, record, values

HEAD: Rows = ["Plain Paper Ltd", "INVOICE", "Invoice number: P-9"]
TOTAL: Rows = [[(60, "Total"), (400, "GBP 120.00")]]


@pytest.mark.parametrize(
    "sentence",
    [
        "The points of this purchase will expire on 28 March 2026.",
        "Ihr Guthaben verfällt am 28.03.2026.",
        "Votre avoir expire le 28 mars 2026.",
        "El saldo caduca el 28 de marzo de 2026.",
        "This ticket is valid until 28 March 2026.",
    ],
)
def test_the_day_on_which_something_expires_is_not_the_documents(tmp_path: Path, sentence: str) -> None:
    assert values(record(tmp_path, [*HEAD, *TOTAL, sentence]), "date") == [None]
    found = record(tmp_path, [*HEAD, "Order date: 28 Feb 25", *TOTAL, sentence]).fields["date"]
    assert found.value == "2025-02-28" and found.reasons


def test_a_lone_date_in_a_sentence_asks_for_a_look(tmp_path: Path) -> None:
    found = record(tmp_path, [*HEAD, *TOTAL, "We opened our new house in Leeds on 3 March 2025."])
    assert found.fields["date"].reasons
    assert not record(tmp_path, [*HEAD, "3 March 2025", *TOTAL]).fields["date"].reasons


@pytest.mark.parametrize(
    ("name", "label"),
    [("Lieferant GmbH", "Rechnungssteller"), ("Kunde AG", "Verkäufer"), ("Vendor Ltd.", "Seller")],
)
def test_a_label_with_a_legal_form_is_a_name(tmp_path: Path, name: str, label: str) -> None:
    """Whether it heads the page or stands below a label of its own."""
    rest: Rows = ["Invoice number: P-9", "Invoice date: 14 May 2024", *TOTAL]
    assert values(record(tmp_path, [name, "Mill Road 4, 80331 Munich", *rest]), "supplier") == [name]
    assert values(record(tmp_path, [label, name, "Mill Road 4", *rest]), "supplier") == [name]


@pytest.mark.parametrize(
    ("due", "expected"),
    [("Faellig bis: 12.05.2026", "2026-05-12"), ("Faelligkeitsdatum 12. Maerz 2026", "2026-03-12"), ("Foerfallodatum 2026-05-12", "2026-05-12")],
)  # fmt: skip
def test_letters_that_are_written_out(tmp_path: Path, due: str, expected: str) -> None:
    assert values(record(tmp_path, [*HEAD, "Invoice date: 1 March 2026", due, *TOTAL]), "due_date") == [
        expected
    ]


@pytest.mark.parametrize(
    ("created", "due"),
    [
        ("Created: May 14, 2024", "Due: June 13, 2024"), ("Created: 2024-5-14", "Due: 2024-6-13"),
        ("Creata il 14/05/2024", "Scadenza: 13/06/2024"), ("Créée le 14/05/2024", "Échéance : 13/06/2024"),
        ("Aangemaakt op 14-05-2024", "Vervaldatum: 13-06-2024"), ("Utworzono: 14.05.2024", "Due: 13.06.2024"),
    ],
)  # fmt: skip
def test_the_day_on_which_it_was_made_is_the_documents(tmp_path: Path, created: str, due: str) -> None:
    found = record(tmp_path, ["Plain Paper Ltd", "INVOICE", "Invoice #: 123", created, due, *TOTAL])
    assert [found.fields[name].value for name in ("date", "due_date")] == ["2024-05-14", "2024-06-13"]


@pytest.mark.parametrize(
    ("pay", "made"), [("Mode de règlement : virement", "Fait le : 14/05/2024"), ("Payment by transfer", "Created on: 14/05/2024")]
)  # fmt: skip
def test_a_day_that_a_label_of_its_own_announces_is_not_that_of_payment(
    tmp_path: Path, pay: str, made: str
) -> None:
    found = record(tmp_path, [*HEAD[:2], *TITLES, *ITEMS, *SUMS, pay, made])
    assert values(found, "due_date") == [None]


@pytest.mark.parametrize("label", ["Razón Social", "Ragione sociale", "Raison sociale", "Company name"])
def test_a_label_of_a_name_is_not_part_of_it(tmp_path: Path, label: str) -> None:
    rows: Rows = [
        f"{label}: Asociación de Escribanos",
        "Bolívar 2958",
        "Invoice no 8812",
        "Date: 14 May 2024",
    ]
    assert values(record(tmp_path, [*rows, *TITLES, *ITEMS, *SUMS]), "supplier") == [
        "Asociación de Escribanos"
    ]


@pytest.mark.parametrize(
    "heading", ["Detalles del cliente", "Détails du client", "Dettagli cliente", "Client details"]
)
def test_a_heading_over_the_data_of_the_buyer_is_not_the_name(tmp_path: Path, heading: str) -> None:
    head: Rows = [*HEAD, "", heading, "Nombre: Iker Ortiz", "Avda. Gasteiz 54, 01008 Vitoria"]
    assert values(record(tmp_path, [*head, *TITLES, *ITEMS, *SUMS]), "buyer") != [heading]


def test_words_of_a_sentence_are_no_supplier(tmp_path: Path) -> None:
    rows: Rows = [
        "Invoice number: P-9",
        "Invoice date: 14 May 2024",
        *TOTAL,
        "Sold by: our partners or by others",
    ]
    assert values(record(tmp_path, rows), "supplier") == [None]


def test_a_company_below_the_head_of_the_page_may_be_who_is_written_to(tmp_path: Path) -> None:
    about: Rows = [
        "Invoice number: P-9",
        "Invoice date: 14 May 2024",
        "Account: 55-10",
        "Contract: 77-10",
        "Line: 06 99",
    ]
    address: Rows = [
        [(330, "Blue Gum Traders Ltd")],
        [(330, "12 Kent Street")],
        [(330, "Leeds LS1 4AP")],
        *TOTAL,
    ]
    assert record(tmp_path, [*about, *address], step=14).fields["supplier"].reasons
    assert not record(tmp_path, [*address[:3], *about, *TOTAL], step=14).fields["supplier"].reasons


@pytest.mark.parametrize(
    ("rows", "expected", "is_doubted"),
    [
        (["RECEIPT", "Registration Number T0123456789012"], None, True),
            (["RECEIPT", "Serial number 77-120", "Numer rejestracyjny 88120"], None, True),
        ([[(60, "FACTURE"), (300, "Numéro de série FA.00318")]], "FA.00318", True),
        ([[(60, "INVOICE"), (300, "Serial No. AB-00318")]], "AB-00318", True),
        (["Factura", "2026-T-0031"], "2026-T-0031", False),
        (["Rechnung", "2026-0031"], "2026-0031", False),
        (["INVOICE", "2025/2026"], None, True),
        ([[(300, "FACTURE")], [(300, "N°PXL-26-0041")]], "PXL-26-0041", False),
        (["Factura #2988", [(60, "Factura"), (200, "ID del pedido"), (360, "Fecha")], [(60, "INV-2026-0012"), (200, "2988"), (360, "14/05/2024")]], "INV-2026-0012", False),
        (["Invoice #2988", [(60, "Invoice"), (200, "Order ID"), (360, "Date")], [(60, "INV-2026-0012"), (200, "2988"), (360, "14 May 2024")]], "INV-2026-0012", False),
        (["Invoice #2988", "Order ID: 2988"], "2988", False),
        ([[(60, "Date: 14 May 2024"), (400, "No. 1234")], "RECEIPT", "Registration Number T0123456789012"], "1234", True),
        (["FACTURA", "INV/2024/00005"], "INV/2024/00005", False),
        (["FACTURA", [(60, "Factura"), (140, "1 24 0005 0001201345")], "Registro Mercantil, Tomo 12, Folio 203"], "1 24 0005 0001201345", False),
        ([[(60, "I N V O I C E")], "Ref no: #1721"], "1721", True),
        (["Invoice", "Your reference: XY-77", "Our reference: AB-12"], "AB-12", True),
        (["Facture", "Réf. : FA2607-0231"], "FA2607-0231", False),
        (["Factura", "Ref. : FV26-00412"], "FV26-00412", False),
        (["Devis", "Référence : DEV-2026-0311"], "DEV-2026-0311", False),
        (["Credit note", "Ref. INV-2026-0311"], "INV-2026-0311", True),
        (["Invoice no: 77/12"], "77/12", False),
        (["Invoice 1/2"], None, True),
        (["Rechnung Nr.: 2024 / 0815"], "2024 / 0815", False),
        (["Rechnung Nr.: 0815 / 14.05.2024"], "0815", False),
        (["Invoice", "INV-0012"], "INV-0012", False),
        (["Invoice", "Invoice no: AB-13", "Our reference: AB-12"], "AB-13", False),
    ],
)  # fmt: skip
def test_whose_number_a_number_is(tmp_path: Path, rows: Rows, expected: str | None, is_doubted: bool) -> None:
    found = record(tmp_path, ["Plain Paper Ltd", *rows, "Invoice date: 14 May 2024", *TITLES, *ITEMS, *SUMS])
    assert values(found, "number") == [expected]
    assert bool(found.fields["number"].reasons) is is_doubted


def test_a_date_that_ends_the_line_of_the_title_is_the_documents(tmp_path: Path) -> None:
    rows: Rows = ["Plain Paper Ltd", *["-"] * 20, [(60, "Invoice P-9 for insurance"), (420, "11 March 2024")]]
    period = "Period: 1 April 2024 to 30 June 2024"
    found = record(tmp_path, [*rows, period, "Due date: 1 April 2024", *TOTAL]).fields["date"]
    assert (found.value, found.reasons) == ("2024-03-11", ())


def test_a_day_of_the_whole_sum_is_the_due_date_though_a_discount_follows(tmp_path: Path) -> None:
    terms = "Zahlbar innerhalb 30 Tagen netto bis 04.07.2024, 3% Skonto innerhalb 10 Tagen bis 15.06.2024"
    found = record(tmp_path, [*HEAD, "Invoice date: 5 June 2024", *TOTAL, terms])
    assert values(found, "due_date") == ["2024-07-04"]


@pytest.mark.parametrize(
    ("above", "line", "expected"),
    [
        ("Rechnung gemäß Bestellung Nr. 471331", "vom 01.03.2024", "2024-05-14"),
        ("Rechnung Seite 1", "01.03.2024", "2024-03-01"),
        ("Rechnung zu Bestellung 471331 vom 01.03.2024", "", "2024-05-14"),
    ],
)
def test_the_date_behind_another_number_is_not_the_documents(
    tmp_path: Path, above: str, line: str, expected: str
) -> None:
    rows: Rows = ["Lieferant GmbH", above, line, "", [(400, "14.05.2024")], "Nr. 8812", [(60, "Summe"), (480, "360,00 EUR")]]  # fmt: skip
    assert values(record(tmp_path, rows, step=12), "date") == [expected]


def test_a_label_that_a_number_begins_with_is_part_of_it(tmp_path: Path) -> None:
    rows: Rows = ["Harbour Lane Books Ltd", "Receipt", "TXN-98765-24", "Date: 14 May 2024", *SUMS]
    assert values(record(tmp_path, rows), "number") == ["TXN-98765-24"]


@pytest.mark.parametrize(
    ("title", "date"),
    [("FAKTURA VAT 8/29/2025", "Data wystawienia: 2025-08-29"), ("Rechnung 3/31/2025", "Rechnungsdatum: 31.03.2025")],
)  # fmt: skip
def test_what_looks_like_a_date_behind_the_title_is_the_number_where_the_date_has_a_label(
    tmp_path: Path, title: str, date: str
) -> None:
    found = record(tmp_path, ["Plain Paper Ltd", date, title, *TITLES, *ITEMS, *SUMS])
    assert values(found, "number") == [title.split()[-1]]
    assert found.fields["number"].reasons == ("It looks like a date.",)
    bare = record(tmp_path, ["Plain Paper Ltd", title, *TITLES, *ITEMS, *SUMS])
    assert values(bare, "number") == [None]


@pytest.mark.parametrize(
    ("reference", "flagged"),
    [("Référence : FA2607-0231", False), ("Réf. : DEV2607-0231", True), ("Referenz: AN 4711", True)],
)
def test_the_reference_of_an_offer_is_not_surely_the_number_of_an_invoice(
    tmp_path: Path, reference: str, flagged: bool
) -> None:
    found = record(tmp_path, ["Plain Paper Ltd", "INVOICE", reference, "14 May 2024", *TITLES, *ITEMS, *SUMS])
    assert bool(found.fields["number"].reasons) is flagged


def test_the_day_below_an_empty_label_of_the_number_asks_for_a_look(tmp_path: Path) -> None:
    found = record(
        tmp_path, ["Plain Paper Ltd", "RECHNUNG", "Rechnungsnr.:", "2024-05-14", *TITLES, *ITEMS, *SUMS]
    )
    assert found.fields["number"].value is None or found.fields["number"].reasons


@pytest.mark.parametrize("title", ["Teilstornorechnung", "Proformafaktura", "Korrekturrechnung"])
def test_what_takes_an_invoice_back_is_none(title: str) -> None:
    assert not any(hit.roles >= {"kind:invoice"} for hit in find(fold(title)))
