"""What kind of document it is, by its title in the words of each trade, and without one by what it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.agent.contract import Result
from tasks.agent.page import Page, Word
from tasks.agent.rules.kind import kind_of
from tasks.agent.rules.text import Text
from tests.pdfs import lines_pdf, result_of, stored

Rows = list[str | list[tuple[float, str]]]


def read(folder: Path, rows: Rows) -> Result:
    return result_of(stored(folder, lines_pdf(rows)))


def kind_in(lines: list[str]) -> str:
    """The kind that these lines of words name; a blank parts cells."""
    page = Page(1, 600, 800)
    for row, line in enumerate(lines):
        for place, text in enumerate(line.split()):
            x = 60 + 90 * place
            page.words.append(Word(text, x, 60 + 20 * row, x + 60, 72 + 20 * row, 1, -1, -1))
    return kind_of(Text([page]))[0]


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("CREDIT CARD RECEIPT", "receipt"), ("Sales slip", "receipt"), ("Kartenbeleg", "receipt"), ("Comprobante de pago", "receipt"),
        ("SALE RETURN", "credit_note"), ("Refund receipt", "credit_note"), ("RECHNUNGS-KORREKTUR", "credit_note"), ("Nota di reso", "credit_note"),
        ("Retourbon", "credit_note"), ("Returkvitto", "credit_note"),
    ],
)  # fmt: skip
def test_titles_of_slips_and_returns(tmp_path: Path, title: str, kind: str) -> None:
    rows: Rows = ["Kite & Loom", title, "14 May 2024", [(60, "Total"), (300, "GBP 24.00")]]
    assert [record.kind for record in read(tmp_path, rows).records] == [kind]


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        (["領 収 証", "合計 ¥4,180"], "receipt"), (["クレジットカード売上票", "金額 ¥4,180"], "receipt"),
        (["御請求書", "合計 ¥4,180"], "invoice"), (["返品伝票", "合計 ¥4,180"], "credit_note"), (["納品書", "合計 ¥4,180"], "none"),
    ],
)  # fmt: skip
def test_japanese_titles(lines: list[str], kind: str) -> None:
    assert kind_in(lines) == kind


def money(*rows: tuple[str, str]) -> Rows:
    return [[(60, label), (360, figure)] for label, figure in rows]


TILL: Rows = ["Kite & Loom", "05/14/2024 14:02", *money(("Tea towel", "20.00"), ("Subtotal", "20.00"), ("Sales tax", "1.60"), ("Total", "21.60"), ("Visa", "21.60")), "AUTH CODE 55120"]  # fmt: skip
SLIP: Rows = [[(60, "DATE"), (300, "SLIP #")], [(60, "14 May 2024"), (300, "55120")], "MERCHANT 7781", "TRAN TYPE SALE", "APP CODE 0091", *money(("TOTAL", "21.60"))]  # fmt: skip
POWER: Rows = ["Fjord Power Ltd", "14 May 2024", "Meter number 77120", *money(("Current charges", "GBP 84.10"), ("Amount due", "GBP 84.10"), ("Date due", "4 June 2024"))]  # fmt: skip
STROM: Rows = ["Fjordstrom GmbH", "14.05.2024", "Zählernummer 77120", *money(("Arbeitspreis", "84,10 EUR"), ("Zu zahlen", "84,10 EUR"), ("Fällig am", "04.06.2024"))]  # fmt: skip
CZECH: Rows = ["Tkalcovna Drak s.r.o.", "Datum: 14.5.2024", "Splatnost: ....", *money(("Základ dane", "100,00"), ("DPH 21 %", "21,00"), ("Celkem s DPH", "121,00"))]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "kind", "total"),
    [(TILL, "receipt", "21.60"), (SLIP, "receipt", "21.60"), (POWER, "invoice", "84.10"), (STROM, "invoice", "84.10"), (CZECH, "invoice", "121.00")],
    ids=["till", "slip", "power", "strom", "czech"],
)  # fmt: skip
def test_a_document_without_a_title_is_what_it_holds(
    tmp_path: Path, rows: Rows, kind: str, total: str
) -> None:
    (record,) = read(tmp_path, rows).records
    assert (record.kind, record.fields["total"].value) == (kind, total)


SUMS = money(("Netto", "240,00"), ("MwSt 19 %", "45,60"), ("Gesamtbetrag", "285,60"))
OTHERS: dict[str, Rows] = {
    "payslip": ["Mill Bakery Ltd", "May 2024", *money(("Salary", "2,000.00"), ("Tax", "300.00"), ("Total", "1,700.00")), "Payment date: 31 May 2024"],
    "card account": [
        "Northern Card Bank", *money(("Minimum payment", "$35.00"), ("Tax", "$3.00"), ("Card", "$1.00"), ("Cash", "$2.00"), ("Payments", "$9.00"), ("Total amount due", "$70.10")),
        "Payment due date 06/10/2024",
    ],
    "bank account": ["Harbour Bank", *([(60, f"0{day}/05/2024"), (160, word), (400, "20.00")] for day, word in enumerate(("Card", "Cash", "Payment"), 3)), *money(("Balance", "29.00"))],
    "order": ["Harbour Lane Books Ltd", "Please deliver to our shop", "Order no 77", *SUMS],
    "offer": ["Holzbau Kern GmbH", "Wir bieten Ihnen an:", *SUMS, "Zahlungsziel 30 Tage"],
    "reminder": ["Harbour Lane Books Ltd", "14 May 2024", *money(("Late fee", "GBP 10.00"), ("Amount due", "GBP 298.00")), "Please pay by 24 May 2024"],
    "account of a customer": ["Harbour Lane Books Ltd", *money(("Total due", "300.00")), "Payment due date: 30 June 2024", "Payment received"],
    "profit": ["Mill Bakery Ltd", *money(("Profit before tax", "500.00"), ("Tax", "100.00"), ("Net profit", "400.00"), ("Total", "400.00"))],
    "lease": ["This agreement is made between Kern Ltd and Mill Ltd", *SUMS, "Payable by the 3rd of each month"],
    "delivery": ["Harbour Lane Books Ltd", "Delivery note", *SUMS, "Payment due 30 June 2024"],
}  # fmt: skip


@pytest.mark.parametrize("what", OTHERS)
def test_what_asks_for_no_money_here_is_none(tmp_path: Path, what: str) -> None:
    result = read(tmp_path, OTHERS[what])
    assert (result.kind, result.records) == ("other", ())


@pytest.mark.parametrize(
    ("sums", "kind"),
    [
        ([("Subtotal", "-100.00"), ("VAT 20%", "-20.00"), ("Total", "-120.00")], "credit_note"),
        ([("Subtotal", "100.00"), ("VAT 20%", "20.00"), ("Total", "120.00")], "invoice"),
        ([("Total", "- 120.00")], "invoice"),
    ],
)
def test_an_invoice_whose_sums_are_negative_is_a_credit_note(
    tmp_path: Path, sums: list[tuple[str, str]], kind: str
) -> None:
    """One dash is no proof of it: on a scan it may be a stain."""
    rows: Rows = ["Kite & Loom Ltd", "Invoice no 8812", "Date: 14 May 2024", *money(*sums)]
    assert [record.kind for record in read(tmp_path, rows).records] == [kind]


def test_an_invoice_that_is_hardly_legible_is_no_table_of_figures(tmp_path: Path) -> None:
    rows: Rows = ["Kite & Loom Ltd", *([(60, f"Loom {at}"), (200, "2"), (280, "60.00"), (360, "120.00")] for at in range(6))]  # fmt: skip
    (reason,) = read(tmp_path, rows).reasons
    assert reason.endswith("the agent statement-rules reads those.")
    (reason,) = read(tmp_path, [*rows, *money(("VAT 20 %", "144.00"))]).reasons
    assert reason.endswith("It names a tax, as those do, but too little else of one was read.")


def test_what_a_slip_calls_its_sum_and_number(tmp_path: Path) -> None:
    rows: Rows = ["CREDIT CARD RECEIPT", "Slip no 55120", "14 May 2024", [(60, "AMOUNT"), (300, "21.60")]]
    (record,) = read(tmp_path, rows).records
    assert [record.fields[name].value for name in ("number", "total")] == ["55120", "21.60"]
    bill: Rows = [*POWER[:3], *money(("Previous bill amount", "GBP 99.10"), ("Amount due", "GBP 84.10"), ("Date due", "4 June 2024"))]  # fmt: skip
    assert read(tmp_path, bill).records[0].fields["total"].value == "84.10"


def test_the_label_of_a_number_names_the_kind_though_the_number_is_not_legible(tmp_path: Path) -> None:
    rows: Rows = ["Kite & Loom", [(60, "For Ada Reed"), (400, "Receipt no:")], "14 May 2024", *money(("Total", "GBP 24.00"))]  # fmt: skip
    (record,) = read(tmp_path, rows).records
    assert record.kind == "receipt" and record.fields["number"].value is None
    assert not read(tmp_path, [row for row in rows if isinstance(row, str)]).records


def test_the_names_of_both_parties_are_a_sign_of_an_invoice_that_is_titled_so(tmp_path: Path) -> None:
    parties: Rows = ["Cedente: Bianchi SRL", "Cessionario: Alfa SRL"]
    rest: Rows = ["Data documento 14/05/2024", "Contratto 406-163 del 06-05-2024"]
    assert read(tmp_path, ["TD01 fattura", *parties, *rest]).kind == "invoice"
    assert read(tmp_path, ["TD01 fattura", *rest]).kind == "other"
    assert read(tmp_path, [*parties, *rest]).kind == "other"
