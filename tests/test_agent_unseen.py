"""Documents of kinds that no rule was made for: titles in two languages, figures beside their headings, labels that are another's as well."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.agent.contract import Record
from tests.pdfs import lines_pdf, result_of, stored

Rows = list[str | list[tuple[float, str]]]


def read(folder: Path, rows: Rows) -> Record:
    (record,) = result_of(stored(folder, lines_pdf(rows))).records
    return record


def money(*rows: tuple[str, str]) -> Rows:
    return [[(60, label), (360, figure)] for label, figure in rows]


SUMS = money(("Subtotal", "240.00"), ("VAT", "45.60"), ("Total", "285.60"))


@pytest.mark.parametrize(
    ("title", "number"),
    [
        ("Invoice / Saskaita #: KZL 000271", "KZL 000271"), ("Faktura VAT sprzedazy: FV/12/2024", "FV/12/2024"),
        ("Fatura n.º FT 2025/1187", "FT 2025/1187"),
    ],
)  # fmt: skip
def test_a_title_goes_on_before_its_number(tmp_path: Path, title: str, number: str) -> None:
    fields = read(tmp_path, ["Kite & Loom", "14 May 2024", title, *SUMS]).fields
    assert fields["number"].value == number


@pytest.mark.parametrize(
    "rows",
    [["PEDIDO 5521"], [[(60, "Number"), (200, "Due"), (360, "Sum")], [(60, "47428/1"), (200, "1 June 2024"), (360, "285.60")]]],
    ids=["order", "instalments"],
)  # fmt: skip
def test_numbers_of_orders_and_instalments_are_not_the_document_s(tmp_path: Path, rows: Rows) -> None:
    assert (
        read(tmp_path, ["Kite & Loom", "INVOICE", "14 May 2024", *SUMS, *rows]).fields["number"].value is None
    )


def test_a_row_of_values_may_begin_with_the_title(tmp_path: Path) -> None:
    head: Rows = [[(60, "DOCUMENTO"), (200, "CÓDIGO"), (300, "FECHA"), (400, "PÁGINA")], [(60, "FACTURA"), (200, "001287"), (300, "14/06/2024"), (400, "1 de 1")]]  # fmt: skip
    record = read(tmp_path, ["Kite & Loom", *head, *money(("Base imponible", "240,00"), ("IVA", "45,60"))])
    assert (record.kind, record.fields["number"].value) == ("invoice", "001287")


def test_a_date_that_may_be_another_s_waits_for_one_that_is_not(tmp_path: Path) -> None:
    dates: Rows = ["Date : 11/04/2025", "Date de la vente : 09/04/2025"]
    assert (
        read(tmp_path, ["Kite & Loom", "FACTURE", *dates, *SUMS]).fields["date"].value,
        read(tmp_path, ["Kite & Loom", "FACTURE", dates[1], *SUMS]).fields["date"].value,
    ) == ("2025-04-11", "2025-04-09")


@pytest.mark.parametrize(
    "line", ["Fecha de Vto. de CAE: 19/03/2026", "Pedido pagado con Bizum el 19/03/2026"]
)
def test_no_day_of_payment(tmp_path: Path, line: str) -> None:
    rows: Rows = ["Kite & Loom", "FACTURA", "Fecha: 09/03/2026", *money(("Total", "285,60")), line]
    assert "due_date" not in read(tmp_path, rows).fields


def test_no_tax_is_more_than_its_net(tmp_path: Path) -> None:
    fields = read(tmp_path, ["Kite & Loom", "INVOICE", "Invoice no 7", *SUMS[:1], *money(("VAT", "285.60"))]).fields  # fmt: skip
    assert (fields["net"].value, fields.get("tax")) == ("240.00", None)


def test_the_sum_of_the_items_stands_alone(tmp_path: Path) -> None:
    items: Rows = [[(60, "Položka"), (360, "Cena")], *money(("Návrh", "36 100"), ("Školení", "9 600"))]
    rows: Rows = ["Kite & Loom", "Faktura 2024/117", "Datum: 3.5.2024", *items, [(360, "45 700 CZK")]]
    total = read(tmp_path, rows).fields["total"]
    assert (total.value, total.reasons) == ("45700", ())


def test_figures_stand_further_right_than_their_headings(tmp_path: Path) -> None:
    head: Rows = [[(60, "Item"), (200, "Qty"), (280, "Price"), (400, "Amount")]]
    items: Rows = [[(60, "Ribbon"), (240, "2"), (330, "60.00"), (410, "120.00")], [(60, "Delivery"), (240, "1"), (330, "15.00"), (410, "15.00")]]  # fmt: skip
    record = read(tmp_path, ["Kite & Loom", "INVOICE", "Invoice no 7", *head, *items, *money(("Total", "135.00"))])  # fmt: skip
    assert [[line[name].value for name in ("quantity", "unit_price", "amount")] for line in record.lines] == [
        ["2", "60.00", "120.00"],
        ["1", "15.00", "15.00"],
    ]


def test_a_receipt_speaks_to_its_reader(tmp_path: Path) -> None:
    rows: Rows = ["Kite & Loom", "Receipt for your order MB-20931, paid by card on 14 May 2024 at noon", *money(("Total", "285.60"))]  # fmt: skip
    assert read(tmp_path, rows).kind == "receipt"


@pytest.mark.parametrize(
    ("rows", "supplier"),
    [
        (["INVOICE", "Invoice no 7", *SUMS, "© 2025 Kite & Loom Ltd, 4 Mill Street, London, VAT GB123456789"], "Kite & Loom Ltd"),
        (["Invoice / Saskaita #: KZL 000271", [(60, "Seller / Pardavejas:"), (300, "Buyer / Pirkejas:")], [(60, "Kite & Loom"), (300, "Moss & Fern")], *SUMS], "Kite & Loom"),
    ],
    ids=["copyright", "two languages"],
)  # fmt: skip
def test_titles_and_signs_are_no_part_of_a_name(tmp_path: Path, rows: Rows, supplier: str) -> None:
    assert read(tmp_path, rows).fields["supplier"].value == supplier


def test_one_of_two_names_side_by_side_asks_for_a_look(tmp_path: Path) -> None:
    names: Rows = [[(60, "Ing. Toms Hrub"), (300, "Vltava Mills a.s.")], [(60, "Mill Street 4"), (300, "Quay 90")], [(60, "602 00 Brno"), (300, "150 00 Praha")]]  # fmt: skip
    rows: Rows = [*names, [(60, "IC: 74136208"), (300, "DIC: CZ48372153")], "Faktura 2024/117", *SUMS]
    supplier = read(tmp_path, rows).fields["supplier"]
    assert supplier.reasons


def test_the_date_of_another_document_is_not_this_one_s(tmp_path: Path) -> None:
    rows: Rows = ["Kite & Loom", "Avoir AV-9", "Date : 18/04/2025", *SUMS, "Avoir sur la facture F-143 du 11/04/2025"]  # fmt: skip
    date = read(tmp_path, rows).fields["date"]
    assert (date.value, date.reasons) == ("2025-04-18", ())


def test_a_sign_that_ends_a_label_is_the_currency(tmp_path: Path) -> None:
    rows: Rows = ["Kite & Loom", "FACTURA", "Fecha: 09/03/2026", "CUIT: 27-26451893-3", *money(("Total: $", "285,60"))]  # fmt: skip
    assert read(tmp_path, rows).fields["currency"].value == "ARS"


def test_a_label_may_follow_the_value_of_another(tmp_path: Path) -> None:
    rows: Rows = ["Kite & Loom", "FACTURA", "Punto de Venta: 0007 Comp. Nro: 00012844", "Factura proforma: INV-844", *SUMS]  # fmt: skip
    assert read(tmp_path, rows).fields["number"].value == "00012844"


def test_a_receipt_without_a_number_has_that_of_its_order(tmp_path: Path) -> None:
    rows: Rows = ["Kite & Loom", "Receipt for your order MB-20931, paid by card on 14 May 2024 at noon", *money(("Total", "285.60"))]  # fmt: skip
    number = read(tmp_path, rows).fields["number"]
    assert (number.value, len(number.reasons)) == ("MB-20931", 1)


def test_the_town_of_a_sender_line_may_stand_below_it(tmp_path: Path) -> None:
    sender: Rows = ["Bloom Anke Sommer · 17 Dyer Street · 24534", "Newminster", "", "Rose Petersen", "Pond 3", "24598 Marsh", "Dear Ms Petersen,"]  # fmt: skip
    fields = read(tmp_path, [*sender, "", "Invoice no 7", *SUMS]).fields
    assert fields["supplier"].value == "Bloom Anke Sommer"


def test_a_title_over_items_is_enough_of_an_invoice(tmp_path: Path) -> None:
    head: Rows = [[(60, "Item"), (200, "Qty"), (280, "Price"), (400, "Amount")], [(60, "Ribbon"), (200, "2"), (280, "60.00"), (400, "120.00")]]  # fmt: skip
    record = read(tmp_path, ["Kite & Loom", "INVOICE", *head, "Payment by transfer please"])
    assert (len(record.lines), record.fields["total"].value) == (1, None)


def test_brackets_behind_the_total_hold_its_tax(tmp_path: Path) -> None:
    rows: Rows = ["Kite & Loom", "FACTUUR", "Factuurnummer 7", *money(("Totaal", "€120,00 (inclusief €20,83 BTW)"))]  # fmt: skip
    fields = read(tmp_path, rows).fields
    assert (fields["total"].value, fields["tax"].value) == ("120.00", "20.83")


def test_one_of_two_taxes_in_the_brackets_is_not_all_of_them(tmp_path: Path) -> None:
    rows: Rows = ["Kite & Loom", "FACTUUR", "Factuurnummer 7", [(60, "Totaal"), (300, "€ 160,60 (inclusief €")], [(300, "18,19 21% BTW, € 4,61")], [(300, "9% BTW)")]]  # fmt: skip
    fields = read(tmp_path, rows).fields
    assert fields["total"].value == "160.60"
    assert fields["tax"].value == "22.80" or fields["tax"].reasons


def test_a_number_may_look_like_a_date(tmp_path: Path) -> None:
    rows: Rows = ["Kite & Loom", "Faktura nr 12/03/2024", "Data wystawienia: 2024-03-14", *SUMS]
    fields = read(tmp_path, rows).fields
    assert (fields["number"].value, fields["date"].value) == ("12/03/2024", "2024-03-14")


def test_who_writes_stands_at_the_left_below_the_title(tmp_path: Path) -> None:
    names: Rows = [[(60, "Jane Hrub"), (300, "Vltava Mills a.s.")], [(60, "Mill Street 4"), (300, "Quay 90")], [(60, "602 00 Brno"), (300, "150 00 Praha")]]  # fmt: skip
    rows: Rows = ["Faktura 2024/117", "Datum: 3.5.2024", *names, "DIC: CZ48372153", *SUMS]
    supplier = read(tmp_path, rows).fields["supplier"]
    assert supplier.value == "Jane Hrub"
    assert supplier.reasons


def test_who_charges_no_tax_may_call_the_total_net(tmp_path: Path) -> None:
    rows: Rows = ["Kite & Loom", "FACTURE N° 7", *money(("Total net", "750,00")), "TVA non applicable"]
    total = read(tmp_path, rows).fields["total"]
    assert (total.value, len(total.reasons)) == ("750.00", 1)
    taxed: Rows = ["Kite & Loom", "FACTURE N° 7", *money(("Total net", "750,00")), "TVA 20 %"]
    assert read(tmp_path, taxed).fields["total"].value is None


def test_a_title_in_two_languages_has_its_number_behind_it(tmp_path: Path) -> None:
    rows: Rows = ["Kite & Loom", "FACTUUR / FACTURE VF240118", *SUMS]
    assert read(tmp_path, rows).fields["number"].value == "VF240118"


def test_a_way_to_pay_is_no_title(tmp_path: Path) -> None:
    heads: Rows = [[(60, "Nº FACTURA"), (200, "FORMA DE PAGO")], [(60, "VF24/0091"), (200, "Recibo 60 días")]]
    record = read(tmp_path, ["Kite & Loom", *heads, *money(("Base imponible", "240,00"), ("IVA 21 %", "50,40"), ("TOTAL FACTURA", "290,40"))])  # fmt: skip
    assert (record.kind, record.fields["number"].value) == ("invoice", "VF24/0091")


def test_a_day_on_which_money_is_taken(tmp_path: Path) -> None:
    rows: Rows = ["Kite & Loom", "Beitragsrechnung BR-55", "Datum: 14.05.2024", *money(("Gesamtbeitrag", "119,00 EUR")), "Den Betrag buchen wir am 01.06.2024 von Ihrem Konto ab."]  # fmt: skip
    fields = read(tmp_path, rows).fields
    assert (fields["total"].value, fields["due_date"].value) == ("119.00", "2024-06-01")


def test_title_and_number_stand_in_cells_of_their_own(tmp_path: Path) -> None:
    title: Rows = [[(60, "FACTURE"), (160, "N°"), (200, "2405-118"), (300, "du"), (330, "14/05/2024")]]
    items: Rows = [[(60, "Réf."), (140, "Désignation"), (280, "Qté"), (360, "Total")], [(60, "FRN1"), (140, "Plaquettes"), (280, "1"), (360, "80,00")]]  # fmt: skip
    total = money(("Total", "80,00"))
    assert read(tmp_path, ["Kite & Loom", *title, *items, *total]).fields["number"].value == "2405-118"
    assert read(tmp_path, ["Kite & Loom", "FACTURE", *items, *total]).fields["number"].value is None


def test_a_larger_sum_under_unknown_words_makes_a_total_doubtful(tmp_path: Path) -> None:
    rows: Rows = ["Kite & Loom", "INVOICE", "Invoice no 7", *money(("Total", "240.00"), ("Zusammen inbegriffen", "285.60"))]  # fmt: skip
    total = read(tmp_path, rows).fields["total"]
    assert (total.value, len(total.reasons)) == ("240.00", 1)
