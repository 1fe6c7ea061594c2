"""Orders the places where a value is printed: first those whose neighbours on the page say that they are the field asked for. Pure."""

from __future__ import annotations

import re

from tasks.agent.finding import PageText, Place
from tasks.agent.page import Word
from tasks.agent.rules import labels

LEFT_WORDS = 8
ABOVE = 2.5
"""A label stands at most so many heights of the value above it."""
LABEL, OTHER_LABEL, NAMED = 4.0, -1.0, 2.0
MOST_RANKED = 60
WORD = re.compile(r"[^\W\d_]{3,}")


def ranked(
    pages: dict[int, PageText], found: list[Place], name: str, near: tuple[int, float] | None = None
) -> list[Place]:
    """The places, best first; equal ones in reading order. `near`: page and height (points from the top) of the rest of its row."""
    if len(found) < 2:
        return found
    found = sorted(found, key=lambda place: place.order)
    if near is not None:
        return sorted(found, key=lambda place: distance(place, near))
    return sorted(
        found[:MOST_RANKED], key=lambda place: -score(pages[place.words[0].page].words, place, name)
    )


def distance(place: Place, near: tuple[int, float]) -> tuple[int, float]:
    page, height, _ = place.order
    return abs(page - near[0]), abs(height - near[1])


def score(words: list[Word], place: Place, name: str) -> float:
    """How well the words left of a place and above it fit the field `name`."""
    first = place.words[0]
    height = max(first.y1 - first.y0, 1.0)
    middle = (first.y0 + first.y1) / 2
    own = {id(word) for word in place.words}
    left, above = [], []
    for word in words:
        if id(word) in own:
            continue
        if abs((word.y0 + word.y1) / 2 - middle) < 0.5 * height and word.x0 < first.x0:
            left.append(word)
        elif 0 < middle - word.y1 < ABOVE * height and word.x0 < place.words[-1].x1 and word.x1 > first.x0:
            above.append(word)
    left = sorted(left, key=lambda word: word.x0)[-LEFT_WORDS:]
    return max(_fit(left, name), 0.5 * _fit(above, name), key=abs)


def _fit(words: list[Word], name: str) -> float:
    said = labels.fold(" ".join(word.text for word in words))
    fit = 0.0
    if hits := labels.find(said):
        fit = LABEL if hits[-1].plays(name) else OTHER_LABEL
    wanted = WORD.findall(labels.fold(name))
    if wanted:
        fit += NAMED * sum(word in said for word in wanted) / len(wanted)
    return fit
