"""What stands between a total and what is to be paid: price reductions and charges change the total, payments and taxes withheld do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.agent.contract import Record
from tests.test_agent_unusual import HEAD, ITEMS, TITLES, Rows, record, values

LANGUAGES = {
    "en": ("Total", "Discount", "Amount due"),
    "de": ("Gesamtbetrag", "Rabatt", "Zu zahlen"),
    "fr": ("Total", "Remise", "Net à payer"),
    "es": ("Total", "Descuento", "Total a pagar"),
    "it": ("Totale", "Sconto", "Netto a pagare"),
    "nl": ("Totaal", "Korting", "Te betalen"),
    "pl": ("Razem", "Rabat", "Do zaplaty"),
    "fi": ("Yhteensä", "Alennus", "Maksettava"),
    "sv": ("Totalt", "Rabatt", "Att betala"),
    "da": ("I alt", "Rabat", "At betale"),
    "no": ("Totalt", "Rabatt", "Å betale"),
    "pt": ("Total", "Desconto", "Total a pagar"),
    "cs": ("Celkem", "Sleva", "K uhrade"),
}


def with_sums(folder: Path, *pairs: tuple[str, str]) -> Record:
    said: Rows = [[(300, label), (480, figure)] for label, figure in pairs]
    return record(folder, [*HEAD, *TITLES, *ITEMS, *said])


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_reduction_leaves_is_the_total_and_asks_for_a_look(tmp_path: Path, language: str) -> None:
    total, reduction, due = LANGUAGES[language]
    found = with_sums(tmp_path, (total, "300.00"), (reduction, "-10.00"), (due, "290.00"))
    assert values(found, "total", "amount_due") == ["290.00", "290.00"]
    assert found.fields["total"].reasons[0].startswith("A reduction or charge of 10.00 stands below")
    assert not found.fields["amount_due"].reasons


def test_a_charge_below_the_total_is_part_of_it(tmp_path: Path) -> None:
    found = with_sums(tmp_path, ("Total", "300.00"), ("Delivery", "12.50"), ("Amount due", "312.50"))
    assert values(found, "total") == ["312.50"] and found.fields["total"].reasons


def test_a_total_that_net_and_tax_prove_stays_and_asks_for_a_look(tmp_path: Path) -> None:
    taxed = [("Subtotal", "300.00"), ("VAT 20%", "60.00"), ("Total", "360.00")]
    found = with_sums(tmp_path, *taxed, ("Discount", "-30.00"), ("Amount due", "330.00"))
    assert values(found, "net", "tax", "total", "amount_due") == ["300.00", "60.00", "360.00", "330.00"]
    assert "330.00 is left to pay" in found.fields["total"].reasons[0]


@pytest.mark.parametrize(
    "taken",
    ["Deposit", "Less paid", "Credit applied", "Withholding tax", "Early payment discount", "Less 2% TDS"],
)
def test_what_is_paid_or_withheld_leaves_the_total_as_it_is(tmp_path: Path, taken: str) -> None:
    found = with_sums(tmp_path, ("Total", "300.00"), (taken, "-30.00"), ("Amount due", "270.00"))
    assert values(found, "total", "amount_due") == ["300.00", "270.00"]
    assert not found.fields["total"].reasons


def test_a_second_total_below_a_reduction_needs_no_look(tmp_path: Path) -> None:
    found = with_sums(
        tmp_path, ("Total", "300.00"), ("Discount", "-10.00"), ("Total after discount", "290.00")
    )
    assert values(found, "total") == ["290.00"] and not found.fields["total"].reasons


def test_what_was_saved_changes_nothing(tmp_path: Path) -> None:
    found = with_sums(tmp_path, ("Total", "300.00"), ("You saved", "10.00"), ("Amount due", "300.00"))
    assert values(found, "total") == ["300.00"] and not found.fields["total"].reasons


FREIGHT = {
    "en": ("Subtotal", "Shipping", "VAT", "Total"),
    "de": ("Zwischensumme", "Versandkosten", "MwSt", "Gesamtbetrag"),
    "fr": ("Sous-total", "Frais de port", "TVA", "Montant global"),
    "es": ("Subtotal", "Envío", "IVA", "Total"),
    "it": ("Subtotale", "Spedizione", "IVA", "Totale"),
}


@pytest.mark.parametrize("language", FREIGHT)
@pytest.mark.parametrize("rate", ["", " 20%"])
def test_a_charge_between_net_and_tax_is_part_of_the_net_amount(
    tmp_path: Path, language: str, rate: str
) -> None:
    net, charge, tax, total = FREIGHT[language]
    said = [(net, "300.00"), (charge, "12.50"), (tax + rate, "62.50"), (total, "375.00")]
    found = with_sums(tmp_path, *said)
    assert values(found, "net", "tax", "total") == ["312.50", "62.50", "375.00"]
    assert not any(found.fields[name].reasons for name in ("net", "tax", "total"))


def test_a_charge_that_bears_no_tax_stays_outside_the_net_amount(tmp_path: Path) -> None:
    net, tax, total = ("Subtotal", "300.00"), ("VAT 20%", "60.00"), ("Total", "372.50")
    for said in ([net, ("Shipping", "12.50"), tax, total], [net, tax, ("Shipping", "12.50"), total]):
        assert values(with_sums(tmp_path, *said), "net", "tax", "total") == ["300.00", "60.00", "372.50"]


@pytest.mark.parametrize("carrier", ["Flat rate", "Colissimo - Domicile", "Tarifa plana de envío"])
def test_a_charge_that_no_label_names_is_one_if_the_rate_says_so(tmp_path: Path, carrier: str) -> None:
    proved = with_sums(
        tmp_path, ("Subtotal", "300.00"), (carrier, "12.50"), ("VAT 20%", "62.50"), ("Total", "375.00")
    )
    assert values(proved, "net") == ["312.50"] and not proved.fields["net"].reasons
    doubted = with_sums(
        tmp_path, ("Subtotal", "300.00"), (carrier, "32.50"), ("VAT 20%", "60.00"), ("Total", "392.50")
    )
    assert values(doubted, "net") == ["300.00"] and doubted.fields["net"].reasons


def test_a_total_to_which_a_charge_leads_is_taken_and_asks_for_a_look(tmp_path: Path) -> None:
    taxed = [("Total HT", "300.00"), ("Taxes", "62.50"), ("TVA 20%", "60.00"), ("Total TTC", "360.00")]
    found = with_sums(tmp_path, *taxed, ("Frais de livraison", "15.00"), ("Total", "375.00"))
    assert values(found, "tax", "total") == ["62.50", "375.00"]
    assert all(found.fields[name].reasons for name in ("net", "tax", "total"))


@pytest.mark.parametrize(
    ("goods", "freight", "remark", "tax"),
    [
        ("Sous-total", "Expédition", "(dont 60.00 EUR", "TVA)"),
        ("Subtotal", "Shipping", "(includes 60.00 EUR", "VAT)"),
        ("Subtotale", "Spedizione", "(di cui 60.00 EUR", "IVA)"),
    ],
)
def test_goods_with_their_tax_are_no_net_amount(
    tmp_path: Path, goods: str, freight: str, remark: str, tax: str
) -> None:
    rows: Rows = [
        [(300, goods), (400, "350.00 EUR")],
        [(300, freight), (400, "10.00 EUR")],
        [(300, "Total"), (400, f"360.00 EUR {remark}")],
        [(400, tax)],
    ]
    assert values(record(tmp_path, [*HEAD, *rows]), "net", "tax", "total") == [None, "60.00", "360.00"]


def test_items_stand_over_the_total_that_a_charge_changes(tmp_path: Path) -> None:
    items: Rows = [[(60, "Pasta"), (480, "14.00")], [(60, "Wine"), (480, "8.00")]]
    said: Rows = [
        [(60, "Total"), (480, "22.00")],
        [(60, "Tip"), (480, "3.00")],
        [(60, "Total charged"), (480, "25.00")],
    ]
    found = record(tmp_path, [*HEAD, *items, *said])
    assert values(found, "total") == ["25.00"]
    assert [line["amount"].value for line in found.lines] == ["14.00", "8.00"]
