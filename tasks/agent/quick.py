"""PDFium's functions that are called thousands of times a page, without what Python adds to each call; and sweeps of such calls.

Making a pointer object for each handle that is answered takes longer than the call, and so does checking arguments.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from itertools import repeat
from struct import iter_unpack
from typing import Any

import pypdfium2.raw as raw

ADDRESS = ctypes.c_void_p
pointer_to = ADDRESS.from_param
"""An address as an argument where nothing is converted, in a third of the time that an object of it takes."""
INT, DOUBLE = ctypes.c_int, ctypes.c_double

Box = tuple[float, float, float, float]
Fill = tuple[int, int, int, int]


def quick(name: str, result: type, *arguments: type) -> Callable[..., Any]:
    """The function of this name. Handles among `arguments` are pointers or addresses; where none are named, nothing is converted:

    handles have to be pointers then, never addresses (of which half would be lost), and numbers are C's int.
    """
    address = ctypes.cast(getattr(raw, name), ADDRESS).value or 0
    # The calls are too short to let other threads go on meanwhile
    function: Any = ctypes.PYFUNCTYPE(result, *arguments)(address)
    function.__name__ = name
    return function


object_at = quick("FPDFPage_GetObject", ADDRESS)
text_object_at = quick("FPDFText_GetTextObject", ADDRESS)
loose_box_at = quick("FPDFText_GetLooseCharBox", INT)
form_object_at = quick("FPDFFormObj_GetObject", ADDRESS, ADDRESS, ctypes.c_ulong)
count_form_objects = quick("FPDFFormObj_CountObjects", INT, ADDRESS)
kind_of = quick("FPDFPageObj_GetType", INT, ADDRESS)
get_bounds = quick("FPDFPageObj_GetBounds", INT)
get_matrix = quick("FPDFPageObj_GetMatrix", INT, ADDRESS, ADDRESS)
get_draw_mode = quick("FPDFPath_GetDrawMode", INT)
get_stroke_width = quick("FPDFPageObj_GetStrokeWidth", INT, ADDRESS, ADDRESS)
get_fill = quick("FPDFPageObj_GetFillColor", INT)
render_mode = quick("FPDFTextObj_GetTextRenderMode", INT, ADDRESS)
set_active = quick("FPDFPageObj_SetIsActive", INT, ADDRESS, INT)
to_device = quick("FPDF_PageToDevice", INT, ADDRESS, *[INT] * 5, DOUBLE, DOUBLE, ADDRESS, ADDRESS)

# Each call of a sweep writes into a slot of its own, which holds four numbers of four bytes
SLOTS = 2048
_slots = (ctypes.c_char * (16 * SLOTS))()
_memory = memoryview(_slots).cast("B")
_numbers = [[ctypes.byref(_slots, 16 * slot + 4 * number) for slot in range(SLOTS)] for number in range(4)]


def loose_boxes(text: raw.FPDF_TEXTPAGE, places: Sequence[int]) -> list[Box | None]:
    """left, top, right, bottom of the characters at these places, in PDF user space; None where there is no character."""
    return _swept("4f", loose_box_at, places, lambda part: (repeat(text), part, _numbers[0]))


def text_objects(text: raw.FPDF_TEXTPAGE, places: Sequence[int]) -> list[int | None]:
    """The addresses of the text objects that the characters at these places belong to."""
    return list(map(text_object_at, repeat(text), places))


def objects_of(page: raw.FPDF_PAGE, most: int) -> list[int]:
    """The addresses of the page's objects, of the first `most` of them, in the order in which they are drawn."""
    return list(map(object_at, repeat(page), range(min(raw.FPDFPage_CountObjects(page), most))))


def fills_of(items: Sequence[int]) -> list[Fill | None]:
    """red, green, blue, alpha (0..255) that objects are filled with; None for those that cannot say."""
    return _swept("4I", get_fill, items, lambda part: (map(pointer_to, part), *_numbers))


def bounds_of(items: Sequence[int]) -> list[Box | None]:
    """left, bottom, right, top of objects in the space that they are drawn in; None for those that cannot say."""
    return _swept("4f", get_bounds, items, lambda part: (map(pointer_to, part), *_numbers))


def _swept(
    numbers: str,
    function: Callable[..., int],
    of: Sequence[int],
    arguments: Callable[[Sequence[int]], tuple[Any, ...]],
) -> list[Any]:
    """What the function writes for each of these, None where it says that it could not."""
    found: list[Any] = []
    for begin in range(0, len(of), SLOTS):
        part = of[begin : begin + SLOTS]
        done = list(map(function, *arguments(part)))
        told = iter_unpack(numbers, _memory[: 16 * len(part)])
        found += (
            told if all(done) else [four if well else None for four, well in zip(told, done, strict=True)]
        )
    return found
