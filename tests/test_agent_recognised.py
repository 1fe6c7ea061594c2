"""Names that OCR wrote without the letters of their language, and numbers with an O beside digits, ask for a look."""

from __future__ import annotations

import pytest

from tasks.agent.page import Page, Word
from tasks.agent.rules.patterns import clean
from tasks.agent.rules.recognised import lost_accents, unclear
from tasks.agent.rules.text import Text


def page_of(lines: list[str], source: str) -> Page:
    page = Page(1, 600, 800)
    for row, line in enumerate(lines):
        for place, text in enumerate(line.split()):
            word = Word(text, 60 + 80 * place, 60 + 20 * row, 130 + 80 * place, 70 + 20 * row, 1, -1, -1)
            word.source = source
            page.words.append(word)
    return page


POLISH = ["Faktura VAT 118/2025", "Data wystawienia: 08.05.2025", "Sprzedawca Drukarnia Swit", "Razem netto 1270,00", "Kwota VAT 292,10", "Razem brutto 1562,10", "Termin zaplaty 22.05.2025"]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "source", "lost"),
    [
        (POLISH, "ocr", True),
        (POLISH, "pdf", False),
        ([*POLISH, "Do zapłaty 1562,10"], "ocr", False),
    ],
)
def test_a_page_without_any_letter_of_its_own_lost_them(lines: list[str], source: str, lost: bool) -> None:
    text = Text([page_of(lines, source)])
    assert text.language == "pl"
    assert lost_accents(text, text.lines[2].cells[0].words) is lost


def test_a_legal_form_has_letters_and_no_noughts() -> None:
    assert clean("Drukarnia Sp. z 0.0.") == "Drukarnia Sp. z o.o."
    assert clean("Route 66 z 0.0") == "Route 66 z 0.0"


def test_an_o_beside_digits_asks_for_a_look_where_it_was_recognised() -> None:
    pages = {source: page_of(["INVO3051"], source).words for source in ("ocr", "pdf")}
    assert unclear("INVO3051", pages["ocr"])
    assert not unclear("INVO3051", pages["pdf"])
    assert not unclear("PO-3051", pages["ocr"])
