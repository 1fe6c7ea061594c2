"""Tells text that a reader of the page sees from text that is only in the file: invisible, white on white, tiny, covered, off the page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import pypdfium2.raw as raw

from tasks.agent.covers import covered_words
from tasks.agent.layout import rows_of
from tasks.agent.page import Page, Placing, Word
from tasks.agent.picture import can_be_drawn, drawn, image_share
from tasks.agent.quick import Fill, fills_of, render_mode, text_objects

TINY = 2.0
"""Points of height below which nobody reads a word."""
LIGHT = 200
"""A fill whose darkest channel is at least this (of 255) may vanish on white paper."""

INVISIBLE_MODES = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
STROKED_MODES = (raw.FPDF_TEXTRENDERMODE_STROKE, raw.FPDF_TEXTRENDERMODE_STROKE_CLIP)


class Visibility:
    """Asks PDFium about each text object once; light text is compared with the drawn page only where there is any."""

    def __init__(self, handle: raw.FPDF_PAGE, text: raw.FPDF_TEXTPAGE, width: float, height: float):
        self.handle, self.text, self.width, self.height = handle, text, width, height
        self.light: set[int] = set()
        self.invisible = 0

    def looks(self, starts: Sequence[int]) -> list[str]:
        """How the words that start at these places are printed: seen, invisible or light."""
        owners = text_objects(self.text, starts)
        items = [item for item in set(owners) if item]
        known: dict[int | None, str] = {None: "seen"}
        known.update(zip(items, map(look, map(render_mode, items), fills_of(items)), strict=True))
        return [known[owner] for owner in owners]

    def sees(self, word: Word, printed: str) -> bool:
        """Whether the word can be seen; a light one counts as seen until `settle` has looked at the page."""
        if word.x1 <= 0 or word.y1 <= 0 or word.x0 >= self.width or word.y0 >= self.height:
            return False
        if word.y1 - word.y0 < TINY and word.x1 - word.x0 < TINY * len(word.text):
            return False
        if printed == "light":
            self.light.add(word.start)
        elif printed == "invisible":
            self.invisible += 1
            return False
        return True

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


@lru_cache(1024)  # there are hardly more than a few kinds of print in a document
def look(mode: int, fill: Fill | None) -> str:
    """seen, invisible or light."""
    if mode in INVISIBLE_MODES:
        return "invisible"
    if fill is None:
        return "seen"
    red, green, blue, alpha = fill
    if alpha < 12:
        return "invisible"
    light = red >= LIGHT and green >= LIGHT and blue >= LIGHT
    return "light" if light and mode not in STROKED_MODES else "seen"
