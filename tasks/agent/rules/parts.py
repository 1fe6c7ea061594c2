"""Tells where in a file a new document begins: a page with a title and a number of its own, which no earlier page has."""

from __future__ import annotations

from collections import defaultdict

from tasks.agent.page import Page
from tasks.agent.rules.document_numbers import numbers_on
from tasks.agent.rules.text import Text

TOP = 0.45
"""A title stands in this upper share of its page."""
SURE_NUMBER = 0.7


def parts_of(text: Text) -> list[list[Page]]:
    """The pages of each document, in order; one part where nothing says that there are more."""
    pages = list(text.pages.values())
    if len(pages) < 2:
        return [pages]
    titled = _titled(text)
    numbers: dict[int, set[str]] = defaultdict(set)
    for candidate in numbers_on(text):
        if candidate.score >= SURE_NUMBER:
            numbers[candidate.words[0].page].add(candidate.value)
    parts, known = [[pages[0]]], set(numbers[pages[0].number])
    for page in pages[1:]:
        own = numbers[page.number]
        if page.number in titled and own and known and not own & known:
            parts.append([])
            known = set()
        parts[-1].append(page)
        known |= own
    return parts


def _titled(text: Text) -> set[int]:
    """Pages that name their kind at their top, and bear a date."""
    dated = {cell.page for cell in text.cells if text.dates(cell)}
    return {
        cell.page
        for cell, hit in text.labelled("kind:")
        if cell.page in dated
        and text.leads(cell, hit)
        and cell.y0 < TOP * text.pages[cell.page].height
        and len(text.folded[cell][hit.end :].split()) <= 4
    }
