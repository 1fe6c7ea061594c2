"""Tells whether OCR could write the letters of a document's language: without its data "Świt" becomes "Swit"."""

from __future__ import annotations

from tasks.agent.page import Word
from tasks.agent.rules.text import Text

LETTERS = {
    "pl": "ąćęłńśźż", "cs": "ěščřžůňď", "es": "áíóúñ", "pt": "ãõáíóú", "sv": "å", "da": "øå", "no": "øå",
}  # fmt: skip
"""Letters that a page in the language hardly ever lacks, and that the data of English, German and French do not hold."""
LEAST_WORDS = 20
LOST = "No letter that only this language has was recognised on the page: accents of the name may be missing."


def lost_accents(text: Text, words: list[Word]) -> bool:
    """Whether the words are recognised ones on a page without any of its language's own letters."""
    letters = LETTERS.get(text.language, "")
    if not letters or not any(word.source == "ocr" for word in words):
        return False
    page = text.pages[words[0].page].words
    return len(page) >= LEAST_WORDS and not any(one in letters for word in page for one in word.text.lower())
