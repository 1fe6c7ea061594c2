"""PDFium's functions about objects of a page, with addresses for handles: making a pointer for each of thousands takes longer than the call."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import pypdfium2.raw as raw

ADDRESS = ctypes.c_void_p


def quick(name: str, result: type, *arguments: type) -> Callable[..., Any]:
    """The function of this name; a handle that it is given may be a pointer as well."""
    address = ctypes.cast(getattr(raw, name), ADDRESS).value or 0
    # The calls are too short to let other threads go on meanwhile
    function: Any = ctypes.PYFUNCTYPE(result, *arguments)(address)
    function.__name__ = name
    return function


INT = ctypes.c_int

object_at = quick("FPDFPage_GetObject", ADDRESS, ADDRESS, INT)
form_object_at = quick("FPDFFormObj_GetObject", ADDRESS, ADDRESS, ctypes.c_ulong)
count_form_objects = quick("FPDFFormObj_CountObjects", INT, ADDRESS)
text_object_at = quick("FPDFText_GetTextObject", ADDRESS, ADDRESS, INT)
kind_of = quick("FPDFPageObj_GetType", INT, ADDRESS)
get_bounds = quick("FPDFPageObj_GetBounds", INT, ADDRESS, *[ADDRESS] * 4)
get_matrix = quick("FPDFPageObj_GetMatrix", INT, ADDRESS, ADDRESS)
get_draw_mode = quick("FPDFPath_GetDrawMode", INT, ADDRESS, ADDRESS, ADDRESS)
get_stroke_width = quick("FPDFPageObj_GetStrokeWidth", INT, ADDRESS, ADDRESS)
get_fill = quick("FPDFPageObj_GetFillColor", INT, ADDRESS, *[ADDRESS] * 4)
render_mode = quick("FPDFTextObj_GetTextRenderMode", INT, ADDRESS)
set_active = quick("FPDFPageObj_SetIsActive", INT, ADDRESS, INT)
