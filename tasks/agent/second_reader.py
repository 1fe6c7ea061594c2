"""Asks pypdf for the text of pages on which PDFium finds next to nothing although they are not pictures."""

from __future__ import annotations

import logging
import os

from tasks.agent.page import Page
from tasks.agent.pdf import Document

MOST_PAGES = 5
MOST_BYTES = 20 * 1024 * 1024
MOST_TEXT = 200_000


def plain_text(document: Document, pages: list[Page]) -> None:
    """Fill `plain` of such pages. A second reader that fails changes nothing: its failures are those of a damaged file."""
    wanted = [p for p in pages if not p.words and not p.hidden and p.image_share <= 0.2 and not p.unreadable][
        :MOST_PAGES
    ]
    if not wanted:
        return
    if os.path.getsize(document.path) > MOST_BYTES:
        return
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        from pypdf import PdfReader

        reader = PdfReader(document.path, password=document.password or None)
        for page in wanted:
            page.plain = (reader.pages[page.number - 1].extract_text() or "").strip()[:MOST_TEXT]
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - whatever the second reader makes of a file that the first could not read
        return
