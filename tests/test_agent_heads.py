"""Numbers, dates and names at the head of a document are its own, and not those of what its sentences and boxes speak of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_agent_unusual import Rows, record, values

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
