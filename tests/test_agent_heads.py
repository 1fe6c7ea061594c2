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
