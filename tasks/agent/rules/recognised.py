"""Tells where OCR cannot know better: accents of a language whose data it lacks ("Swit" for "Świt"), an O beside digits."""

from __future__ import annotations

import re

from tasks.agent.page import Word
from tasks.agent.rules.text import Text

LETTERS = {
    "pl": "ąćęłńśźż", "cs": "ěščřžůňď", "es": "áíóúñ", "pt": "ãõáíóú", "sv": "å", "da": "øå", "no": "øå",
}  # fmt: skip
"""Letters that a page in the language hardly ever lacks, and that the data of English, German and French do not hold."""
DATA = {
    "es": "spa", "it": "ita", "nl": "nld", "pl": "pol", "fi": "fin", "sv": "swe", "da": "dan", "no": "nor", "pt": "por", "cs": "ces",
}  # fmt: skip
"""What Tesseract calls its data for a language."""
LEAST_WORDS = 20
BESIDE_DIGITS = re.compile(r"[OQ](?=\d)|(?<=\d)[OQl]")
LIKE_DIGITS, SURE = re.compile(r"[ISBZG](?=\d)|(?<=\d)[ISBZG]"), 0.8
"""Letters that are told from digits well enough where the engine is sure of the word: "RG2041"."""
UNCLEAR = "A letter of this number looks like a digit, and stands beside digits: it may have been recognised wrongly."
LOST = "No letter that only this language has was recognised on the page: accents of the name may be missing."


def lost_accents(text: Text, words: list[Word]) -> bool:
    """Whether the words are recognised ones on a page without any of its language's own letters."""
    letters = LETTERS.get(text.language, "")
    if not letters or not any(word.source == "ocr" for word in words):
        return False
    page = text.pages[words[0].page].words
    return len(page) >= LEAST_WORDS and not any(one in letters for word in page for one in word.text.lower())


def unread_language(text: Text, used: tuple[str, ...]) -> str:
    """Tesseract's name of the language that recognised words are in and whose letters they lack; empty where it was among those `used`."""
    data = DATA.get(text.language, "")
    recognised = ([word] for page in text.pages.values() for word in page.words[:1])
    return data if data not in used and any(lost_accents(text, words) for words in recognised) else ""


def unclear(number: str, words: list[Word]) -> bool:
    """Whether the number is recognised and holds a letter that may be a digit beside it: "INVO3051", and "S137482" where the word is not sure."""
    recognised = [word for word in words if word.source == "ocr"]
    doubtful = any(word.sure < SURE and LIKE_DIGITS.search(word.text) for word in recognised)
    return bool(recognised) and (doubtful or BESIDE_DIGITS.search(number) is not None)
