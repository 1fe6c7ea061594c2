"""Draws a part of a page in grey, to tell what can be seen there, and knows how much of it pictures take up."""

from __future__ import annotations

import ctypes

import pypdfium2.raw as raw

from tasks.agent.page import Word
from tasks.agent.quick import kind_of, objects_of

CONTRAST = 40
"""Difference in brightness (of 255) that makes a light word readable on what lies behind it."""
CHECK_SIDE = 800
MOST_IMAGE_PIXELS = 60_000_000
MOST_OBJECTS = 20_000
WHOLE = 0.99
"""A picture over so much of its page is the page."""


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
        lines = self.lines(word)
        return max(map(max, lines)) - min(map(min, lines)) >= CONTRAST

    def pixels_of(self, word: Word) -> int:
        """How many pixels the word's box has."""
        left, top, right, bottom = self.place(word)
        return (right - left + 1) * (bottom - top + 1)

    def lines(self, word: Word) -> list[bytes]:
        """The pixels under the word, line by line."""
        left, top, right, bottom = self.place(word)
        return [
            self.pixels[row * self.stride + left : row * self.stride + right + 1]
            for row in range(top, bottom + 1)
        ]


def drawn(
    handle: raw.FPDF_PAGE, width: float, height: float, words: list[Word], flags: int = 0
) -> Drawn | None:
    """The part of the page around these words, drawn in grey; None where there is no memory for it. Only for a page that `can_be_drawn`."""
    scale = min(1.0, CHECK_SIDE / max(width, height))
    columns, rows = max(int(width * scale), 1), max(int(height * scale), 1)
    part = Drawn.around(words, columns, rows, scale)
    bitmap = raw.FPDFBitmap_CreateEx(part.columns, part.rows, raw.FPDFBitmap_Gray, None, 0)
    if not bitmap:
        return None
    try:
        raw.FPDFBitmap_FillRect(bitmap, 0, 0, part.columns, part.rows, 0xFFFFFFFF)
        raw.FPDF_RenderPageBitmap(bitmap, handle, -part.left, -part.top, columns, rows, 0, flags)
        part.stride = raw.FPDFBitmap_GetStride(bitmap)
        part.pixels = ctypes.string_at(raw.FPDFBitmap_GetBuffer(bitmap), part.stride * part.rows)
    finally:
        raw.FPDFBitmap_Destroy(bitmap)
    return part


def can_be_drawn(handle: raw.FPDF_PAGE) -> bool:
    """Whether the page's pictures are small enough to draw it safely."""
    return image_pixels(handle) <= MOST_IMAGE_PIXELS


def image_pixels(handle: raw.FPDF_PAGE) -> int:
    total = 0
    columns, rows = ctypes.c_uint(), ctypes.c_uint()
    kinds = list(map(kind_of, objects_of(handle, MOST_OBJECTS)))
    for index in [index for index, kind in enumerate(kinds) if kind == raw.FPDF_PAGEOBJ_IMAGE]:
        item = raw.FPDFPage_GetObject(handle, index)
        if raw.FPDFImageObj_GetImagePixelSize(item, ctypes.byref(columns), ctypes.byref(rows)):
            total += columns.value * rows.value
    return total


def scanned_scale(handle: raw.FPDF_PAGE, width: float, height: float) -> float | None:
    """Pixels of a point in the picture that a scanned page is; None for a page that is more than one picture, or has another beside it."""
    if raw.FPDFPage_CountObjects(handle) != 1 or image_share(handle, width, height) < WHOLE:
        return None
    columns, rows = ctypes.c_uint(), ctypes.c_uint()
    item = raw.FPDFPage_GetObject(handle, 0)
    if not raw.FPDFImageObj_GetImagePixelSize(item, ctypes.byref(columns), ctypes.byref(rows)):
        return None
    return max(columns.value, rows.value) / max(width, height)


def image_share(handle: raw.FPDF_PAGE, width: float, height: float) -> float:
    """The share of the page under its largest picture (0..1)."""
    best = 0.0
    sides = [ctypes.c_float() for _ in range(4)]
    for index in range(min(raw.FPDFPage_CountObjects(handle), MOST_OBJECTS)):
        item = raw.FPDFPage_GetObject(handle, index)
        if raw.FPDFPageObj_GetType(item) not in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM):
            continue
        if raw.FPDFPageObj_GetBounds(item, *map(ctypes.byref, sides)):
            left, bottom, right, top = (side.value for side in sides)
            best = max(best, (right - left) * (top - bottom) / (width * height))
    return min(best, 1.0)
