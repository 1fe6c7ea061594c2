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
