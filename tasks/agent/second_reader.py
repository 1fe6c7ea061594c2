"""Asks pypdf for the text of pages on which PDFium finds next to nothing although they are not pictures."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from tasks.agent.page import Page
from tasks.agent.pdf import Document

if TYPE_CHECKING:
    from pypdf import PdfReader

MOST_PAGES = 5
MOST_BYTES = 20 * 1024 * 1024
MOST_TEXT = 200_000
PICTURE = 0.2
"""Pictures over more than this share of a page say that its text is in them."""


class SecondReader:
    """Opened at the first page that needs it. A second reader that fails changes nothing: its failures are those of a damaged file."""

    def __init__(self, document: Document):
        self.document = document
        self.left = MOST_PAGES if os.path.getsize(document.path) <= MOST_BYTES else 0
        self._reader: PdfReader | None = None

    def fill(self, page: Page) -> None:
        """Set `page.plain` where the page has neither words nor pictures to speak of."""
        if page.words or page.hidden or page.image_share > PICTURE or page.unreadable or not self.left:
            return
        self.left -= 1
        logging.getLogger("pypdf").setLevel(logging.CRITICAL)
        try:
            if self._reader is None:
                from pypdf import PdfReader

                self._reader = PdfReader(self.document.path, password=self.document.password or None)
            page.plain = (self._reader.pages[page.number - 1].extract_text() or "").strip()[:MOST_TEXT]
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - whatever the second reader makes of a file that the first could not read
            self.left = 0
