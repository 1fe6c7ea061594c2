"""Tells words that do not say what is printed: digits of two sizes (cents, the mark of a footnote), and text that the file puts in the place of what it shows."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from itertools import groupby

import pypdfium2.raw as raw

from tasks.agent.page import Page, Word
from tasks.agent.pdf import Document
from tasks.agent.quick import loose_boxes, text_objects

SMALLER = 0.8
"""Digits of less than this share of the largest one's size are cents, or the mark of a footnote."""
DIGIT, CENTS = re.compile(r"\d"), re.compile(r"[.,]\d\d\D*")
LIGATURE = 3
"""Letters that are printed as one: what stands for so few is no other text."""
ALIKE = "АВЕКМНОРСТУХІЅЈаеорсухіѕјΑΒΕΖΗΙΚΜΝΟΡΤΥΧο"
"""Letters of Cyrillic and Greek that look like Latin ones."""
MIXED = re.compile(rf"[A-Za-z].*[{ALIKE}]|[{ALIKE}].*[A-Za-z]")
NUMBERED = re.compile(rf"\d.*[{ALIKE}]|[{ALIKE}].*\d")
FOREIGN = re.compile(r"[\u0370-\u052f]{4}")
STRANGE = "It holds letters of another alphabet that look like Latin ones: it is not what it seems, and will not be found again by what is seen."
UNEVEN = "Some of its digits are set smaller than the others: they may be cents, or the mark of a footnote."
REPLACED = (
    "The file gives another text in the place of what it prints here; read on the page what is printed."
)


def misprints_of(document: Document, pages: dict[int, Page], words: Sequence[Word]) -> list[str]:
    """Why what is printed may be something else than these words."""
    # Joined letters have line ends between them
    placed = [word for word in words if word.start >= 0 and word.end - word.start == len(word.text)]
    doubts = {REPLACED: _is_replaced, UNEVEN: _is_uneven}
    reasons = [STRANGE] if any(_is_strange(pages[word.page], word) for word in words) else []
    return reasons + [
        reason
        for reason, applies in doubts.items()
        if any(applies(document.opened(pages[word.page])[1], word) for word in placed)
    ]


def _is_strange(page: Page, word: Word) -> bool:
    """Whether two alphabets make one word, or letters of a foreign one stand with digits on a page that has no words of it."""
    if word.text.isascii():
        return False
    numbered = NUMBERED.search(word.text) and not any(FOREIGN.search(other.text) for other in page.words)
    return bool(MIXED.search(word.text) or numbered)


def _is_uneven(text: raw.FPDF_TEXTPAGE, word: Word) -> bool:
    digits = [match.start() for match in DIGIT.finditer(word.text)]
    boxes = loose_boxes(text, [word.start + place for place in digits])
    # A line along the side of the page is as wide as its letters are high
    sizes = [max(box[1] - box[3], box[2] - box[0]) if box is not None else 0.0 for box in boxes]
    small = [place for place, size in zip(digits, sizes, strict=True) if size < SMALLER * max(sizes)]
    return bool(small) and not CENTS.fullmatch(word.text[small[0] - 1 :])


def _is_replaced(text: raw.FPDF_TEXTPAGE, word: Word) -> bool:
    signs = zip(text_objects(text, range(word.start, word.end)), word.text, strict=True)
    for item, run in groupby(signs, key=lambda sign: sign[0]):
        said = "".join(sign for _, sign in run)
        if (any(map(str.isdigit, said)) or len(said) > LIGATURE) and item and _has_other_text(item):
            return True
    return False


def _has_other_text(item: int) -> bool:
    handle = ctypes.cast(item, raw.FPDF_PAGEOBJECT)
    marks = (raw.FPDFPageObj_GetMark(handle, number) for number in range(raw.FPDFPageObj_CountMarks(handle)))
    return any(raw.FPDFPageObjMark_GetParamValueType(mark, b"ActualText") for mark in marks)
