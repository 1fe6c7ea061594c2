"""Names that OCR wrote without the letters of their language, and numbers with an O beside digits, ask for a look."""

from __future__ import annotations

import pytest

from tasks.agent.page import Page, Word
from tasks.agent.rules.kind import kind_of
from tasks.agent.rules.money import currency_of
from tasks.agent.rules.patterns import clean
from tasks.agent.rules.recognised import lost_accents, unclear, unread_language
from tasks.agent.rules.record import SURE_KIND
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


def test_a_letter_like_a_digit_asks_for_a_look_where_the_engine_is_not_sure() -> None:
    (word,) = page_of(["S137482-NK"], "ocr").words
    word.sure = 0.95
    assert not unclear(word.text, [word])
    word.sure = 0.74
    assert unclear(word.text, [word])
    assert not unclear("RE-2041", [Word("RE-2041", 0, 0, 9, 9, 1, -1, -1)])


@pytest.mark.parametrize(
    ("source", "used", "data"),
    [("ocr", ("eng", "deu"), "pol"), ("ocr", ("eng", "pol"), ""), ("pdf", ("eng",), "")],
)
def test_the_language_whose_data_was_lacking_is_named(source: str, used: tuple[str, ...], data: str) -> None:
    assert unread_language(Text([page_of(POLISH, source)]), used) == data


def test_a_title_is_one_beside_a_logo_however_high_that_is() -> None:
    page = page_of(["Gutschrift", "Hallo Welt", "Betrag 12,00", "Datum 3.4.2025"], "ocr")
    logo = Word("LOGO", 300, 0, 500, 200, 1, -1, -1)
    logo.source = "ocr"
    page.words.append(logo)
    named, sure = kind_of(Text([page]))
    assert named == "credit_note" and sure >= SURE_KIND


CZECH = [
    "Faktura 7712",
    "Datum vystavení: 8.5.2025",
    "Základ daně 100.00 K€",
    "DPH 21.00 Kë",
    "Celkem 121.00 K¢",
]


@pytest.mark.parametrize(("source", "currency"), [("ocr", "CZK"), ("page", "EUR")])
def test_crowns_without_their_accent_are_no_euros(source: str, currency: str) -> None:
    assert currency_of(Text([page_of(CZECH, source)]))[0].value == currency
