"""Proves values: the box on the page that holds a value's words and nothing else, and the text under it."""

from __future__ import annotations

from tasks.agent.contract import Box, Evidence
from tasks.agent.lettering import misprints_of
from tasks.agent.page import Page, Word
from tasks.agent.pdf import Document

LONGEST_QUOTE = 500
PLACELESS = "It was read from a picture of the page by Databricks, which does not say where single words stand; compare it with the page."
INSETS = (0.0, 0.12, 0.25)
"""Shares of its height by which a box is made flatter until no neighbour's ink is under it."""


def evidence(document: Document, pages: dict[int, Page], words: list[Word]) -> tuple[Evidence, ...]:
    """One piece for each run of words that stand side by side; none where the text under the box is not these words."""
    found = []
    for run in _runs(words):
        page = pages[run[0].page]
        box = document.tight_box(run, page)
        if box is None:
            return ()
        quote = " ".join(word.text for word in run)
        # Recognised words have no text under them to compare with
        proven = box if page.turn is not None else _proven(document, page, box, quote)
        if proven is None or len(quote) > LONGEST_QUOTE:
            return ()
        found.append(Evidence(page=page.number, box=proven, quote=quote))
    return tuple(found[:20])


def doubts_of(document: Document, pages: dict[int, Page], words: list[Word]) -> list[str]:
    """Why these words prove nothing: they were read without their places, or what is printed may be something else."""
    if any(pages[word.page].placeless for word in words):
        return [PLACELESS]
    return misprints_of(document, pages, words)


def _runs(words: list[Word]) -> list[list[Word]]:
    runs: list[list[Word]] = []
    for word in words:
        last = runs[-1][-1] if runs else None
        height = last.y1 - last.y0 if last else 0.0
        if (
            last is None
            or word.page != last.page
            or abs(word.y0 - last.y0) > 0.6 * height
            or not 0 < word.x0 - last.x0 < 2 * height + last.x1 - last.x0
        ):
            runs.append([])
        runs[-1].append(word)
    return runs


def _proven(document: Document, page: Page, box: Box, quote: str) -> Box | None:
    bare = "".join(quote.split())
    for inset in INSETS:
        margin = inset * (box.y1 - box.y0)
        flatter = Box(x0=box.x0, y0=box.y0 + margin, x1=box.x1, y1=box.y1 - margin)
        if "".join(document.text_under(page, flatter).split()) == bare:
            return flatter
    return None
