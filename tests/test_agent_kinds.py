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
