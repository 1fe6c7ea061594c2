"""Tells where OCR cannot know better: accents of a language whose data it lacks ("Swit" for "Świt"), an O beside digits."""

from __future__ import annotations

import re

from tasks.agent.page import Word
from tasks.agent.rules.text import Text

LETTERS = {
    "pl": "ąćęłńśźż", "cs": "ěščřžůňď", "es": "áíóúñ", "pt": "ãõáíóú", "sv": "å", "da": "øå", "no": "øå",
}  # fmt: skip
"""Letters that a page in the language hardly ever lacks, and that the data of English, German and French do not hold."""
LEAST_WORDS = 20
BESIDE_DIGITS = re.compile(r"[OQ](?=\d)|(?<=\d)[OQl]")
UNCLEAR = "A letter of this number looks like a digit, and stands beside digits: it may have been recognised wrongly."
LOST = "No letter that only this language has was recognised on the page: accents of the name may be missing."


def lost_accents(text: Text, words: list[Word]) -> bool:
    """Whether the words are recognised ones on a page without any of its language's own letters."""
    letters = LETTERS.get(text.language, "")
    if not letters or not any(word.source == "ocr" for word in words):
        return False
    page = text.pages[words[0].page].words
    return len(page) >= LEAST_WORDS and not any(one in letters for word in page for one in word.text.lower())


def unclear(number: str, words: list[Word]) -> bool:
    """Whether the number is recognised and holds a letter that may be a nought or a one: "INVO3051"."""
    return any(word.source == "ocr" for word in words) and BESIDE_DIGITS.search(number) is not None
