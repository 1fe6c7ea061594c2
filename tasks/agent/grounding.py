"""Proves values: the box on the page that holds a value's words and nothing else, and the text under it."""

from __future__ import annotations

from tasks.agent.contract import Box, Evidence
from tasks.agent.pdf import Document, Page, Word

LONGEST_QUOTE = 500
INSETS = (0.0, 0.12, 0.25)
"""Shares of its height by which a box is made flatter until no neighbour's ink is under it."""


def evidence(document: Document, pages: dict[int, Page], words: list[Word]) -> tuple[Evidence, ...]:
    """One piece for each line that the words stand on; none where the text under the box is not these words."""
    found = []
    for line in _by_line(words):
        page = pages[line[0].page]
        box = document.tight_box(line, page)
        if box is None:
            return ()
        quote = " ".join(word.text for word in line)
        proven = _proven(document, page, box, quote)
        if proven is None or len(quote) > LONGEST_QUOTE:
            return ()
        found.append(Evidence(page=page.number, box=proven, quote=quote))
    return tuple(found[:20])


def _by_line(words: list[Word]) -> list[list[Word]]:
    lines: list[list[Word]] = []
    for word in words:
        last = lines[-1][-1] if lines else None
        if last is None or word.page != last.page or abs(word.y0 - last.y0) > 0.6 * (last.y1 - last.y0) or word.x0 < last.x0:
            lines.append([])
        lines[-1].append(word)
    return lines


def _proven(document: Document, page: Page, box: Box, quote: str) -> Box | None:
    bare = "".join(quote.split())
    for inset in INSETS:
        margin = inset * (box.y1 - box.y0)
        flatter = Box(x0=box.x0, y0=box.y0 + margin, x1=box.x1, y1=box.y1 - margin)
        if "".join(document.text_under(page, flatter).split()) == bare:
            return flatter
    return None
