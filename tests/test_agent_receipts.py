"""What receipts of payments say: amounts received, in sentences and in words, the day of payment, and their own number."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.agent.rules.labels import fold
from tasks.agent.rules.received import UNNAMED
from tasks.agent.rules.spelled import value_of
from tests.test_agent_unusual import ITEMS, TITLES, Rows, record, values

HEAD: Rows = ["Blue Gum Traders", "14 Mill Road", "RECEIPT", "Receipt no. R-551", "Date: 14 May 2024"]


@pytest.mark.parametrize(
    ("line", "total"),
    [
        ("Received: $496.00", "496.00"),
        ("Received: 496", "496"),
        ("Received from Ana Olivares the sum of $496.00 for rent of May.", "496.00"),
        ("Amount paid: USD 496.00", "496.00"),
        ("Betrag erhalten: 496,00 EUR", "496.00"),
        ("Reçu de Mme Olivares la somme de 496,00 EUR", "496.00"),
        ("He recibido de Ana Olivares la cantidad de 496,00 EUR", "496.00"),
        ("Ricevuto da Ana Olivares la somma di 496,00 EUR", "496.00"),
        ("Ontvangen: EUR 496,00", "496.00"),
        ("Recebemos de Ana Olivares a quantia de EUR 496,00", "496.00"),
    ],
)
def test_what_was_received_is_the_total_of_a_receipt(tmp_path: Path, line: str, total: str) -> None:
    found = record(tmp_path, [*HEAD, line])
    assert values(found, "total") == [total] and not found.fields["total"].reasons


def test_of_several_amounts_received_none_is_the_total(tmp_path: Path) -> None:
    found = record(tmp_path, [*HEAD, "Received: $496.00", "Received: $20.00"])
    assert values(found, "total") == [None]


def test_what_was_received_on_an_invoice_is_no_total(tmp_path: Path) -> None:
    rows: Rows = ["Blue Gum Traders", "INVOICE", "Invoice no. 551", "Date: 14 May 2024", "Received: $496.00"]
    assert values(record(tmp_path, rows), "total") == [None]


@pytest.mark.parametrize(
    ("rows", "total", "is_doubted"),
    [
        (["Received with thanks", "Rupees Four Hundred Ninety", "Six Only by cash", "Rs. 496.00"], "496.00", False),
        (["Received with thanks", "Rupees Four Hundred Ninety Six and Fifty Paise Only", "Rs. 496.50"], "496.50", False),
        (["Betrag in Worten: vierhundertsechsundneunzig", [(400, "EUR 496,00")]], "496.00", False),
        (["Received the sum of US Dollars Four Hundred and Ninety Six"], "496", True),
        (["Amount paid: $496.00", "Amount in words: five hundred"], "496.00", True),
        (["Amount paid: $496.00", "Tax amount in words: five hundred"], "496.00", False),
    ],
)  # fmt: skip
def test_amounts_in_words(tmp_path: Path, rows: Rows, total: str, is_doubted: bool) -> None:
    found = record(tmp_path, [*HEAD, *rows]).fields["total"]
    assert found.value == total and bool(found.reasons) is is_doubted


def test_the_only_amount_of_a_receipt_is_its_total_and_asks_for_a_look(tmp_path: Path) -> None:
    found = record(tmp_path, [*HEAD, "$496.00", "for rent of May"]).fields["total"]
    assert (found.value, *found.reasons) == ("496.00", UNNAMED)
    assert values(record(tmp_path, [*HEAD, "$496.00", "for rent of May", "$12.00"]), "total") == [None]


def test_a_figure_that_words_say_as_well_is_the_total(tmp_path: Path) -> None:
    """Of two figures that labels call a total, none of which sums prove."""
    sums: Rows = [[(60, "Total"), (480, "$41.00")], [(60, "Payable on delivery"), (480, "$496.00")]]
    found = record(tmp_path, [*HEAD, *sums, "Amount in words: four hundred ninety six only"])
    assert values(found, "total") == ["496.00"]


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        ("en", "one crore two lakh five thousand and thirty", 10_205_030),
        ("en", "twelve thousand three hundred forty-five", 12_345),
        ("de", "eintausendzweihundertfünfunddreißig", 1235),
        ("fr", "quatre-vingt-seize", 96),
        ("fr", "mille deux cent soixante et onze", 1271),
        ("es", "mil cuatrocientos veintiuno", 1421),
        ("it", "milleduecentotrentotto", 1238),
        ("nl", "vierhonderdzesennegentig", 496),
        ("pl", "tysiąc czterysta dziewięćdziesiąt sześć", 1496),
        ("pt", "quatrocentos e noventa e seis", 496),
        ("en", "four hundred apples", None),
    ],
)
def test_numbers_in_words(language: str, said: str, value: int | None) -> None:
    assert value_of(fold(said).replace("-", " ").split(), language) == value


def test_a_receipt_without_another_date_is_of_the_day_of_payment(tmp_path: Path) -> None:
    rows: Rows = [*HEAD[:4], "Date paid: 14 May 2024", "Invoice date: due on 1 May 2024", "Received: $496.00"]
    found = record(tmp_path, rows).fields["date"]
    assert (found.value, found.reasons) == ("2024-05-14", ())


@pytest.mark.parametrize(
    ("title", "own", "other"),
    [
        ("Receipt", "Receipt number", "Invoice number"),
        ("Credit note", "Credit note no", "Invoice no"),
        ("Gutschrift", "Gutschrift Nr", "Rechnungsnummer"),
    ],
)
def test_a_document_bears_the_number_of_its_own_kind(
    tmp_path: Path, title: str, own: str, other: str
) -> None:
    rows: Rows = ["Blue Gum Traders", title, f"{other} INV-77", f"{own} R-551", "Date: 14 May 2024"]
    found = record(tmp_path, [*rows, *TITLES, *ITEMS, [(390, "Total"), (480, "$300.00")]]).fields["number"]
    assert (found.value, found.reasons) == ("R-551", ())


def test_a_discount_is_no_tax(tmp_path: Path) -> None:
    sums: Rows = [[(390, "Subtotal"), (480, "$300.00")], [(390, "Discount"), (480, "-10.00")], [(390, "Total"), (480, "$290.00")]]  # fmt: skip
    assert values(record(tmp_path, [*HEAD, *TITLES, *ITEMS, *sums]), "tax", "total") == [None, "290.00"]


def test_a_row_of_sums_holds_more_than_its_label_names(tmp_path: Path) -> None:
    rows: Rows = [
        [(60, "Article"), (250, "Qty"), (300, "Price"), (390, "Tax"), (480, "Total")],
        [(60, "Memory card, class 10"), (250, "1"), (300, "270.50"), (390, "39.50"), (480, "310.00")],
        [(60, "Total"), (250, "1"), (300, "270.50"), (390, "39.50"), (480, "310.00")],
        [(390, "Grand total"), (480, "310.00")],
    ]
    assert values(record(tmp_path, [*HEAD, *rows]), "net", "tax", "total") == ["270.50", "39.50", "310.00"]


def test_a_discount_among_the_items_is_none(tmp_path: Path) -> None:
    items: Rows = [
        [(60, "Tea"), (300, "3.00")],
        [(60, "Loyalty discount"), (300, "-0.50")],
        [(60, "Cake"), (300, "4.50")],
    ]
    paid: Rows = [
        [(60, "TOTAL"), (300, "7.00")],
        [(60, "CASH"), (300, "10.00")],
        [(60, "CHANGE"), (300, "3.00")],
    ]
    found = record(tmp_path, [*HEAD, *items, *paid])
    assert [line["amount"].value for line in found.lines] == ["3.00", "4.50"]
    assert values(found, "total") == ["7.00"] and not found.fields["total"].reasons
    assert not any(cell.reasons for line in found.lines for cell in line.values())
