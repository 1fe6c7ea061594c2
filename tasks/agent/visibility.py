"""Tells text that a reader of the page sees from text that is only in the file: invisible, white on white, tiny, off the page."""

from __future__ import annotations

import ctypes

import pypdfium2.raw as raw

from tasks.agent.layout import rows_of
from tasks.agent.page import Page, Word

TINY = 2.0
"""Points of height below which nobody reads a word."""
LIGHT = 200
"""A fill whose darkest channel is at least this (of 255) may vanish on white paper."""
CONTRAST = 40
"""Difference in brightness (of 255) that makes a light word readable on what lies behind it."""
CHECK_SIDE = 800
MOST_IMAGE_PIXELS = 60_000_000

INVISIBLE_MODES = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
STROKED_MODES = (raw.FPDF_TEXTRENDERMODE_STROKE, raw.FPDF_TEXTRENDERMODE_STROKE_CLIP)

# PDFium fills these for one text object after the other, of which a page may have one per word
_red, _green, _blue, _alpha = _fill = [ctypes.c_uint() for _ in range(4)]
_fill_pointers = [ctypes.byref(channel) for channel in _fill]


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
        item = raw.FPDFText_GetTextObject(self.text, word.start)
        key = ctypes.addressof(item.contents) if item else None
        kind = self.known.get(key)
        if kind is None:
            kind = self.known[key] = look(item)
        if kind == "seen":
            return True
        if kind == "light":
            self.light.add(word.start)
            return True
        self.invisible += 1
        return False

    def settle(self, page: Page) -> None:
        """Move light words without contrast to the hidden ones; let an OCR layer over a scan be text after all."""
        if self.light:
            # A row at a time: the first and the last may stand a page apart
            for row in rows_of([word for word in page.words if word.start in self.light]):
                shown = drawn(self.handle, self.width, self.height, row)
                for word in row:
                    if shown is None or not shown.contrasts(word):
                        page.words.remove(word)
                        page.hidden.append(word)
        only_invisible = bool(page.hidden) and not page.words and self.invisible == len(page.hidden)
        if only_invisible and image_share(self.handle, self.width, self.height) > 0.5:
            page.words, page.hidden, page.text_layer_of_scan = page.hidden, [], True


def look(item: raw.FPDF_PAGEOBJECT) -> str:
    """seen, invisible or light."""
    mode = raw.FPDFTextObj_GetTextRenderMode(item)
    if mode in INVISIBLE_MODES:
        return "invisible"
    if not raw.FPDFPageObj_GetFillColor(item, *_fill_pointers):
        return "seen"
    if _alpha.value < 12:
        return "invisible"
    light = _red.value >= LIGHT and _green.value >= LIGHT and _blue.value >= LIGHT
    return "light" if light and mode not in STROKED_MODES else "seen"


class Drawn:
    """A part of the page in grey. `left`, `top`, `columns` and `rows` are pixels of the page, of which `scale` make a point."""

    def __init__(self, left: int, top: int, columns: int, rows: int, scale: float):
        self.left, self.top, self.columns, self.rows, self.scale = left, top, columns, rows, scale
        self.pixels, self.stride = b"", 0

    @classmethod
    def around(cls, words: list[Word], columns: int, rows: int, scale: float) -> Drawn:
        """The part that holds these words, of a page of `columns` × `rows` pixels; nothing is drawn yet."""
        part = cls(0, 0, columns, rows, scale)
        sides = [part.place(word) for word in words]
        left, top = min(side[0] for side in sides), min(side[1] for side in sides)
        right, bottom = max(side[2] for side in sides), max(side[3] for side in sides)
        return cls(left, top, right - left + 1, bottom - top + 1, scale)

    def place(self, word: Word) -> tuple[int, int, int, int]:
        """left, top, right, bottom of the word in pixels of this part."""
        across = [min(max(int(v * self.scale) - self.left, 0), self.columns - 1) for v in (word.x0, word.x1)]
        down = [min(max(int(v * self.scale) - self.top, 0), self.rows - 1) for v in (word.y0, word.y1)]
        return across[0], down[0], across[1], down[1]

    def contrasts(self, word: Word) -> bool:
        left, top, right, bottom = self.place(word)
        lines = [
            self.pixels[row * self.stride + left : row * self.stride + right + 1]
            for row in range(top, bottom + 1)
        ]
        return max(map(max, lines)) - min(map(min, lines)) >= CONTRAST


def drawn(handle: raw.FPDF_PAGE, width: float, height: float, words: list[Word]) -> Drawn | None:
    """The part of the page around these words, drawn in grey; None where its pictures are too large to draw safely."""
    if image_pixels(handle) > MOST_IMAGE_PIXELS:
        return None
    scale = min(1.0, CHECK_SIDE / max(width, height))
    columns, rows = max(int(width * scale), 1), max(int(height * scale), 1)
    part = Drawn.around(words, columns, rows, scale)
    bitmap = raw.FPDFBitmap_CreateEx(part.columns, part.rows, raw.FPDFBitmap_Gray, None, 0)
    if not bitmap:
        return None
    try:
        raw.FPDFBitmap_FillRect(bitmap, 0, 0, part.columns, part.rows, 0xFFFFFFFF)
        raw.FPDF_RenderPageBitmap(bitmap, handle, -part.left, -part.top, columns, rows, 0, 0)
        part.stride = raw.FPDFBitmap_GetStride(bitmap)
        part.pixels = ctypes.string_at(raw.FPDFBitmap_GetBuffer(bitmap), part.stride * part.rows)
    finally:
        raw.FPDFBitmap_Destroy(bitmap)
    return part


def image_pixels(handle: raw.FPDF_PAGE) -> int:
    total = 0
    columns, rows = ctypes.c_uint(), ctypes.c_uint()
    for index in range(min(raw.FPDFPage_CountObjects(handle), 2000)):
        item = raw.FPDFPage_GetObject(handle, index)
        if raw.FPDFPageObj_GetType(item) != raw.FPDF_PAGEOBJ_IMAGE:
            continue
        if raw.FPDFImageObj_GetImagePixelSize(item, ctypes.byref(columns), ctypes.byref(rows)):
            total += columns.value * rows.value
    return total


def image_share(handle: raw.FPDF_PAGE, width: float, height: float) -> float:
    """The share of the page under its largest picture (0..1)."""
    best = 0.0
    sides = [ctypes.c_float() for _ in range(4)]
    for index in range(min(raw.FPDFPage_CountObjects(handle), 500)):
        item = raw.FPDFPage_GetObject(handle, index)
        if raw.FPDFPageObj_GetType(item) not in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM):
            continue
        if raw.FPDFPageObj_GetBounds(item, *map(ctypes.byref, sides)):
            left, bottom, right, top = (side.value for side in sides)
            best = max(best, (right - left) * (top - bottom) / (width * height))
    return min(best, 1.0)
