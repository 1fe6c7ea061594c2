"""Finds words under boxes, pictures and annotations that are drawn after them, and proves by drawing the page whether they can be seen."""

from __future__ import annotations

import ctypes
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import repeat
from math import inf

import pypdfium2.raw as raw

from tasks.agent.page import Page, Placing, Word
from tasks.agent.picture import Drawn, can_be_drawn, drawn
from tasks.agent.quick import (
    bounds_of,
    count_form_objects,
    form_object_at,
    get_draw_mode,
    get_matrix,
    get_stroke_width,
    kind_of,
    objects_of,
    pointer_to,
    set_active,
    text_objects,
)  # fmt: skip

THINNEST = 3.0
"""Points; a line that is thinner covers no word."""
THICK_STROKE = 5.0
"""Points; a line of this width may have been drawn to black a word out."""
MOSTLY = 0.4
"""Share of a word's box that has to lie under something for a closer look."""
MOST_THINGS, DEEPEST = 50_000, 8
FAINT = 16
"""A pixel that a word darkens by less (of 255) shows nothing of it."""
SHOWN = 0.3
"""A word that is seen has at least this share of the pixels that it would have with nothing over it."""

PLAIN = 0.4
"""A word that changes this share of the pixels of its box is seen, whatever it would change with nothing over it."""

COVERING = (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING)
COVERING_NOTES = (
    raw.FPDF_ANNOT_SQUARE, raw.FPDF_ANNOT_CIRCLE, raw.FPDF_ANNOT_POLYGON, raw.FPDF_ANNOT_LINE, raw.FPDF_ANNOT_INK, raw.FPDF_ANNOT_STAMP,
    raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_REDACT, raw.FPDF_ANNOT_HIGHLIGHT,
)  # fmt: skip

Matrix = tuple[float, float, float, float, float, float]
Sides = tuple[float, float, float, float]


# Filled by PDFium for one object after the other
_floats = (ctypes.c_float * 6)()
_places = [ctypes.addressof(_floats) + 4 * index for index in range(4)]
_values = memoryview(_floats).cast("B").cast("f")
_modes = (ctypes.c_int * 2)()
_fill, _stroke = ctypes.byref(_modes), ctypes.byref(_modes, 4)


@dataclass(slots=True)
class Cover:
    """Something that may hide what is drawn before it; `sides` in points from the page's top left. An annotation has no `item` (an address) and lies over all."""

    order: float
    sides: Sides
    item: int = 0
    is_picture: bool = False

    def share_of(self, word: Word) -> float:
        """The share of the word's box that lies under this."""
        x0, y0, x1, y1 = self.sides
        across, down = min(x1, word.x1) - max(x0, word.x0), min(y1, word.y1) - max(y0, word.y0)
        whole = (word.x1 - word.x0) * (word.y1 - word.y0)
        return max(across, 0.0) * max(down, 0.0) / whole if whole > 0 else 1.0

    def overlaps(self, sides: Sides) -> bool:
        x0, y0, x1, y1 = self.sides
        return x0 < sides[2] and sides[0] < x1 and y0 < sides[3] and sides[1] < y1


def covered_words(
    handle: raw.FPDF_PAGE, text: raw.FPDF_TEXTPAGE, page: Page, place: Placing
) -> dict[Word, bool]:
    """The words of the page that nobody sees for what lies over them, each with whether that is a picture."""
    things = Things(handle)
    covers = covers_among(things, place) + covering_notes(handle, place)
    found = words_under(page.words, covers) if covers else {}
    if not found:
        return {}
    orders = dict(zip(things.items, range(len(things.items)), strict=True))
    under: dict[Word, list[Cover]] = {}
    for (word, above), item in zip(
        found.items(), text_objects(text, [word.start for word in found]), strict=True
    ):
        order = orders.get(item, -1) if item else inf
        later = [cover for cover in above if cover.order > order]
        if later and sum(cover.share_of(word) for cover in later) >= MOSTLY:
            under[word] = later
    if not under:
        return {}
    over = {id(cover): cover for above in under.values() for cover in above}
    unseen = unseen_words(
        handle, page, list(under), texts_under(things, list(over.values()), place), list(over.values())
    )
    return {word: any(cover.is_picture for cover in under[word]) for word in under if word in unseen}


class Things:
    """The page's objects in the order in which they are drawn: addresses, kinds, and the matrices of the forms that they lie in."""

    def __init__(self, handle: raw.FPDF_PAGE):
        self.items = objects_of(handle, MOST_THINGS)
        self.kinds = list(map(kind_of, self.items))
        self.matrices: dict[int, Matrix] = {}
        if raw.FPDF_PAGEOBJ_FORM in self.kinds:
            items, kinds = self.items, self.kinds
            self.items, self.kinds = [], []
            self._collect(items, kinds, None, 0)

    def _collect(self, items: list[int], kinds: list[int], matrix: Matrix | None, depth: int) -> None:
        for item, kind in zip(items, kinds, strict=True):
            if kind != raw.FPDF_PAGEOBJ_FORM:
                if matrix is not None:
                    self.matrices[len(self.items)] = matrix
                self.items.append(item)
                self.kinds.append(kind)
            elif depth < DEEPEST:
                count = max(min(count_form_objects(item), MOST_THINGS - len(self.items)), 0)
                inner = list(map(form_object_at, repeat(item), range(count)))
                self._collect(inner, list(map(kind_of, inner)), product(matrix_of(item), matrix), depth + 1)

    def sides(self, order: int, box: Sides, place: Placing) -> Sides:
        """Where the object of these bounds lies, in points from the top left of the page as it is shown."""
        left, bottom, right, top = box
        matrix = self.matrices.get(order)
        if matrix is not None:
            a, b, c, d, e, f = matrix
            xs = [a * x + c * y + e for x in (left, right) for y in (bottom, top)]
            ys = [b * x + d * y + f for x in (left, right) for y in (bottom, top)]
            left, bottom, right, top = min(xs), min(ys), max(xs), max(ys)
        return place.box(left, bottom, right, top)


def matrix_of(item: int) -> Matrix:
    get_matrix(item, _places[0])
    a, b, c, d, e, f = _values
    return a, b, c, d, e, f


def product(inner: Matrix, outer: Matrix | None) -> Matrix:
    if outer is None:
        return inner
    a, b, c, d, e, f = inner
    oa, ob, oc, od, oe, of = outer
    return (
        a * oa + b * oc,
        a * ob + b * od,
        c * oa + d * oc,
        c * ob + d * od,
        e * oa + f * oc + oe,
        e * ob + f * od + of,
    )


def covers_among(things: Things, place: Placing) -> list[Cover]:
    """What is drawn after the first text, and large and filled enough to hide a word."""
    kinds, text = things.kinds, raw.FPDF_PAGEOBJ_TEXT
    if text not in kinds:
        return []
    covers, first = [], kinds.index(text)
    later = [order for order, kind in enumerate(kinds[first:], first) if kind != text]
    items = [things.items[order] for order in later]
    for order, item, box in zip(later, items, bounds_of(items), strict=True):
        if box is None:
            continue
        left, bottom, right, top = box
        # Most are lines of tables
        if (top - bottom < THINNEST or right - left < THINNEST) and order not in things.matrices:
            continue
        if kinds[order] not in COVERING or (kinds[order] == raw.FPDF_PAGEOBJ_PATH and not is_solid(item)):
            continue
        is_picture = kinds[order] == raw.FPDF_PAGEOBJ_IMAGE
        covers.append(Cover(order, things.sides(order, box, place), item, is_picture))
    return covers


def is_solid(path: int) -> bool:
    """Whether the path is filled, or drawn with a line as thick as a word."""
    get_draw_mode(pointer_to(path), _fill, _stroke)
    if _modes[0]:
        return True
    return bool(_modes[1] and get_stroke_width(path, _places[0]) and _values[0] >= THICK_STROKE)


def covering_notes(handle: raw.FPDF_PAGE, place: Placing) -> list[Cover]:
    """Annotations of kinds that people black words out with."""
    covers, rect = [], raw.FS_RECTF()
    for index in range(min(raw.FPDFPage_GetAnnotCount(handle), 1000)):
        note = raw.FPDFPage_GetAnnot(handle, index)
        if not note:
            continue
        kind = raw.FPDFAnnot_GetSubtype(note)
        if kind in COVERING_NOTES and raw.FPDFAnnot_GetRect(note, rect):
            covers.append(Cover(inf, place.box(rect.left, rect.bottom, rect.right, rect.top)))
        raw.FPDFPage_CloseAnnot(note)
    return covers


def words_under(words: list[Word], covers: list[Cover]) -> dict[Word, list[Cover]]:
    """The words whose line has its middle within something, and what that is."""
    middles = [(word.y0 + word.y1) / 2 for word in words]
    indices = sorted(range(len(words)), key=middles.__getitem__)
    rows = [middles[index] for index in indices]
    found: dict[Word, list[Cover]] = {}
    for cover in covers:
        x0, y0, x1, y1 = cover.sides
        for index in indices[bisect_left(rows, y0) : bisect_right(rows, y1)]:
            word = words[index]
            if x0 < word.x1 and word.x0 < x1:
                found.setdefault(word, []).append(cover)
    return found


def texts_under(things: Things, covers: list[Cover], place: Placing) -> list[int]:
    """All text with something over it: a word may be printed twice to look bold, and is seen if either can be."""
    texts = []
    orders = [order for order, kind in enumerate(things.kinds) if kind == raw.FPDF_PAGEOBJ_TEXT]
    for order, box in zip(orders, bounds_of([things.items[order] for order in orders]), strict=True):
        if box is not None:
            sides = things.sides(order, box, place)
            if any(cover.order > order and cover.overlaps(sides) for cover in covers):
                texts.append(things.items[order])
    return texts


def unseen_words(
    handle: raw.FPDF_PAGE,
    page: Page,
    words: list[Word],
    texts: list[int],
    covers: list[Cover],
) -> set[Word]:
    """Those that make no difference to the drawn page, and would without their covers; all where it is too large to draw safely."""
    if not can_be_drawn(handle):
        return set(words)
    notes = raw.FPDF_ANNOT if any(not cover.item for cover in covers) else 0
    pictures: list[Drawn | None] = []

    def draw(flags: int) -> None:
        for shown in (True, False):
            for text in texts:
                set_active(text, shown)
            pictures.append(drawn(handle, page.width, page.height, words, flags))

    try:
        draw(notes)
        full, without = pictures
        if full is None or without is None:
            return set(words)
        inks = {word: ink_of(word, full, without) for word in words}
        doubtful = [word for word, ink in inks.items() if ink < PLAIN * full.pixels_of(word)]
        if not doubtful:
            return set()
        for cover in covers:
            if cover.item:
                set_active(cover.item, False)
        draw(0)
    finally:
        for item in (*texts, *(cover.item for cover in covers if cover.item)):
            set_active(item, True)
    bare, empty = pictures[2:]
    if bare is None or empty is None:
        return set(words)
    return {word for word in doubtful if inks[word] < SHOWN * ink_of(word, bare, empty)}


def ink_of(word: Word, full: Drawn, without: Drawn) -> int:
    """How many pixels show the word."""
    return sum(
        abs(one - other) >= FAINT
        for line, other_line in zip(full.lines(word), without.lines(word), strict=True)
        if line != other_line
        for one, other in zip(line, other_line, strict=True)
    )
