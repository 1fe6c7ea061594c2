"""Tells text that a reader of the page sees from text that is only in the file: invisible, white on white, tiny, off the page."""

from __future__ import annotations

import ctypes

import pypdfium2.raw as raw

from tasks.agent.page import Page, Word

TINY = 2.0
"""Points of height below which nobody reads a word."""
LIGHT = 200
"""A fill whose darkest channel is at least this (of 255) may vanish on white paper."""
CONTRAST = 40
"""Difference in brightness (of 255) that makes a light word readable on what lies behind it."""
CHECK_SIDE = 800
MOST_IMAGE_PIXELS = 60_000_000


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
        if kind == "invisible":
            self.invisible += 1
        elif kind == "light":
            self.light.add(word.start)
        return kind != "invisible"

    def settle(self, page: Page) -> None:
        """Move light words without contrast to the hidden ones; let an OCR layer over a scan be text after all."""
        if self.light:
            shown = drawn(self.handle, self.width, self.height)
            for word in [word for word in page.words if word.start in self.light]:
                if shown is None or not shown.contrasts(word):
                    page.words.remove(word)
                    page.hidden.append(word)
        only_invisible = bool(page.hidden) and not page.words and self.invisible == len(page.hidden)
        if only_invisible and image_share(self.handle, self.width, self.height) > 0.5:
            page.words, page.hidden, page.text_layer_of_scan = page.hidden, [], True


def look(item: raw.FPDF_PAGEOBJECT) -> str:
    """seen, invisible or light."""
    mode = raw.FPDFTextObj_GetTextRenderMode(item)
    if mode in (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP):
        return "invisible"
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not raw.FPDFPageObj_GetFillColor(item, *map(ctypes.byref, (red, green, blue, alpha))):
        return "seen"
    if alpha.value < 12:
        return "invisible"
    stroked = mode in (raw.FPDF_TEXTRENDERMODE_STROKE, raw.FPDF_TEXTRENDERMODE_STROKE_CLIP)
    return "light" if not stroked and min(red.value, green.value, blue.value) >= LIGHT else "seen"


class Drawn:
    """The page in grey."""

    def __init__(self, pixels: memoryview, stride: int, columns: int, rows: int, scale: float):
        self.pixels, self.stride, self.columns, self.rows, self.scale = pixels, stride, columns, rows, scale

    def contrasts(self, word: Word) -> bool:
        left, right = (min(max(int(v * self.scale), 0), self.columns - 1) for v in (word.x0, word.x1))
        top, bottom = (min(max(int(v * self.scale), 0), self.rows - 1) for v in (word.y0, word.y1))
        darkest, brightest = 255, 0
        for row in range(top, bottom + 1):
            line = self.pixels[row * self.stride + left : row * self.stride + right + 1]
            darkest, brightest = min(darkest, min(line)), max(brightest, max(line))
        return brightest - darkest >= CONTRAST


def drawn(handle: raw.FPDF_PAGE, width: float, height: float) -> Drawn | None:
    """The page drawn in grey; None where its pictures are too large to draw safely."""
    if image_pixels(handle) > MOST_IMAGE_PIXELS:
        return None
    scale = min(1.0, CHECK_SIDE / max(width, height))
    columns, rows = max(int(width * scale), 1), max(int(height * scale), 1)
    bitmap = raw.FPDFBitmap_CreateEx(columns, rows, raw.FPDFBitmap_Gray, None, 0)
    if not bitmap:
        return None
    try:
        raw.FPDFBitmap_FillRect(bitmap, 0, 0, columns, rows, 0xFFFFFFFF)
        raw.FPDF_RenderPageBitmap(bitmap, handle, 0, 0, columns, rows, 0, 0)
        stride = raw.FPDFBitmap_GetStride(bitmap)
        content = ctypes.string_at(raw.FPDFBitmap_GetBuffer(bitmap), stride * rows)
    finally:
        raw.FPDFBitmap_Destroy(bitmap)
    return Drawn(memoryview(content), stride, columns, rows, scale)


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
