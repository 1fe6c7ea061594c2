"""Tells text that a reader of the page sees from text that is only in the file: invisible, white on white, tiny, covered, off the page."""

from __future__ import annotations

import ctypes

import pypdfium2.raw as raw

from tasks.agent.covers import covered_words
from tasks.agent.layout import rows_of
from tasks.agent.page import Page, Placing, Word
from tasks.agent.picture import can_be_drawn, drawn, image_share
from tasks.agent.quick import get_fill, render_mode, text_object_at

TINY = 2.0
"""Points of height below which nobody reads a word."""
LIGHT = 200
"""A fill whose darkest channel is at least this (of 255) may vanish on white paper."""

INVISIBLE_MODES = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
STROKED_MODES = (raw.FPDF_TEXTRENDERMODE_STROKE, raw.FPDF_TEXTRENDERMODE_STROKE_CLIP)

# PDFium fills these for one text object after the other, of which a page may have one per word
_fill = (ctypes.c_uint * 4)()
_red, _green, _blue, _alpha = (ctypes.addressof(_fill) + 4 * channel for channel in range(4))


class Visibility:
    """Asks PDFium about each text object once; light text is compared with the drawn page only where there is any."""

    def __init__(self, handle: raw.FPDF_PAGE, text: raw.FPDF_TEXTPAGE, width: float, height: float):
        self.handle, self.text, self.width, self.height = handle, text, width, height
        self.known: dict[int | None, str] = {None: "seen"}
        self.light: set[int] = set()
        self.invisible = 0

    def sees(self, word: Word) -> bool:
        """Whether the word can be seen; a light one counts as seen until `settle` has looked at the page."""
        if word.x1 <= 0 or word.y1 <= 0 or word.x0 >= self.width or word.y0 >= self.height:
            return False
        if word.y1 - word.y0 < TINY and word.x1 - word.x0 < TINY * len(word.text):
            return False
        item = text_object_at(self.text, word.start)
        kind = self.known.get(item)
        if kind is None:
            kind = self.known[item] = look(item)
        if kind == "seen":
            return True
        if kind == "light":
            self.light.add(word.start)
            return True
        self.invisible += 1
        return False

    def settle(self, page: Page, place: Placing) -> None:
        """Move light words without contrast and covered ones to the hidden ones; let an OCR layer over or under a scan be text after all."""
        if self.light:
            # A row at a time: the first and the last may stand a page apart
            safe = can_be_drawn(self.handle)
            for row in rows_of([word for word in page.words if word.start in self.light]):
                shown = drawn(self.handle, self.width, self.height, row) if safe else None
                for word in row:
                    if shown is None or not shown.contrasts(word):
                        page.words.remove(word)
                        page.hidden.append(word)
        covered = covered_words(self.handle, self.text, page, place)
        if covered:
            page.words = [word for word in page.words if word not in covered]
            page.hidden += covered
            self.invisible += sum(covered.values())
        only_invisible = bool(page.hidden) and not page.words and self.invisible == len(page.hidden)
        if only_invisible and image_share(self.handle, self.width, self.height) > 0.5:
            page.words, page.hidden, page.text_layer_of_scan = page.hidden, [], True


def look(item: int) -> str:
    """seen, invisible or light."""
    mode = render_mode(item)
    if mode in INVISIBLE_MODES:
        return "invisible"
    if not get_fill(item, _red, _green, _blue, _alpha):
        return "seen"
    red, green, blue, alpha = _fill
    if alpha < 12:
        return "invisible"
    light = red >= LIGHT and green >= LIGHT and blue >= LIGHT
    return "light" if light and mode not in STROKED_MODES else "seen"
