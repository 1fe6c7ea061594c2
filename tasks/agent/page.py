"""A page as all readers give it: its words, where they stand, and what else is known of it."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field

import pypdfium2.raw as raw

from tasks.agent.quick import to_device
from tasks.agent.straighten import Turn


class Word:
    """A run of characters without white space. Coordinates in points, origin top left, after rotation.

    `start` and `end` are the places of its characters in PDFium's text page; both are -1 where the word did not come from there.
    `source` is page, form or ocr; `sure` is how sure its reader is of the letters (0..1).
    """

    __slots__ = ("end", "page", "source", "start", "sure", "text", "x0", "x1", "y0", "y1")

    def __init__(
        self, text: str, x0: float, y0: float, x1: float, y1: float, page: int, start: int, end: int
    ):
        self.text, self.page, self.start, self.end = text, page, start, end
        self.x0, self.y0, self.x1, self.y1 = x0, y0, x1, y1
        self.source, self.sure = "page", 1.0

    def __repr__(self) -> str:
        return (
            f"Word({self.text!r}, page {self.page}, {self.x0:.0f} {self.y0:.0f} {self.x1:.0f} {self.y1:.0f})"
        )


@dataclass(slots=True)
class Page:
    """What one page holds. `hidden` are words that a reader of the printed page does not see; no value may come from them."""

    number: int
    width: float
    height: float
    words: list[Word] = field(default_factory=list)
    hidden: list[Word] = field(default_factory=list)
    image_share: float = 0.0
    """The share of the page that pictures cover (0..1); read only where there is hardly any text."""
    text_layer_of_scan: bool = False
    """All its text is invisible and lies over a picture: somebody's OCR, not a trick."""
    plain: str = ""
    """Text of the second reader, without places, where PDFium found next to nothing."""
    unreadable: bool = False
    too_large: bool = False
    """Unreadable for no other reason than its size."""
    blank: bool = False
    """Its picture shows nothing."""
    placeless: bool = False
    """The words were read by somebody who tells only in which paragraph or table they stand: good to read by, and nothing proves a value there."""
    turn: Turn | None = None
    """The words are those of the page's picture (OCR), which was straightened so before it was read."""

    @property
    def has_text(self) -> bool:
        return len(self.words) >= 3 or len(self.plain) >= 10


class Placing:
    """Maps PDF user space to points from the top left of the page as it is shown (CropBox and rotation applied)."""

    __slots__ = ("a", "b", "c", "d", "e", "f", "upright")

    def __init__(self, a: float, b: float, c: float, d: float, e: float, f: float):
        self.a, self.b, self.c, self.d, self.e, self.f = a, b, c, d, e, f
        self.upright = a > 0 > d and abs(b) < 1e-9 and abs(c) < 1e-9

    def box(self, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
        a, b, c, d, e, f = self.a, self.b, self.c, self.d, self.e, self.f
        if self.upright:
            return a * left + e, d * top + f, a * right + e, d * bottom + f
        xs = (a * left + c * bottom + e, a * right + c * top + e)
        ys = (b * left + d * bottom + f, b * right + d * top + f)
        return min(xs), min(ys), max(xs), max(ys)

    def back(self, x0: float, y0: float, x1: float, y1: float) -> tuple[float, float, float, float]:
        """left, bottom, right, top in PDF user space of a box in points from the top left."""
        a, b, c, d, e, f = self.a, self.b, self.c, self.d, self.e, self.f
        scale = a * d - b * c
        xs = [(d * (x - e) - c * (y - f)) / scale for x, y in ((x0, y0), (x1, y1))]
        ys = [(a * (y - f) - b * (x - e)) / scale for x, y in ((x0, y0), (x1, y1))]
        return min(xs), min(ys), max(xs), max(ys)


_x, _y = ctypes.c_int(), ctypes.c_int()
_to_x, _to_y = ctypes.addressof(_x), ctypes.addressof(_y)


def placing(handle: raw.FPDF_PAGE, width: float, height: float) -> Placing:
    """Ask PDFium where three points land; whole pixels are fine enough on a device of a hundred million."""
    device = 100_000_000
    unit = 1000.0

    def at(px: float, py: float) -> tuple[float, float]:
        to_device(handle, 0, 0, device, device, 0, px, py, _to_x, _to_y)
        return _x.value / device * width, _y.value / device * height

    (e, f), (ax, bx), (cx, dx) = at(0, 0), at(unit, 0), at(0, unit)
    round_off = 1e-6
    a, b, c, d = ((v / unit) if abs(v / unit) > round_off else 0.0 for v in (ax - e, bx - f, cx - e, dx - f))
    return Placing(a, b, c, d, e, f)
