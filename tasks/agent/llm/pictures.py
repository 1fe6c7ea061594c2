"""Pictures of pages for models that can see: of those whose text is poor, small enough to be sent."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable

from tasks.agent.garbage import is_garbled
from tasks.agent.llm.prompt import Picture
from tasks.agent.page import Page
from tasks.agent.pdf import Document
from tasks.agent.reading import needs_recognition

LONGEST_SIDE = 1568
"""Pixels; providers make larger pictures smaller before a model sees them."""
QUALITY = 80


def wants_picture(page: Page, vision: str) -> bool:
    """vision: auto, never or always. Text that was recognised in a picture may be wrong where the picture is plain to see."""
    if vision != "auto":
        return vision == "always" and not page.unreadable
    return page.turn is not None or page.placeless or needs_recognition(page) or is_garbled(page.words)


def pictures_of(document: Document, numbers: Iterable[int]) -> tuple[Picture, ...]:
    """Those pages that can be drawn safely, one at a time in memory."""
    made = []
    for number in numbers:
        image = document.render(number)
        if image is not None:
            image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            packed = io.BytesIO()
            image.save(packed, "JPEG", quality=QUALITY)
            made.append(
                Picture(number, f"data:image/jpeg;base64,{base64.b64encode(packed.getvalue()).decode()}")
            )
    return tuple(made)
