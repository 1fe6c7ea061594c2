"""Shapes of small charts, drawn by the server as SVG: no script, right in print, and each beside a table with the same numbers.

A library of charts would be the largest file of every page, and would draw with inline styles, which the policy of the pages forbids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 600.0, 120.0
GAP = 0.18


@dataclass(frozen=True, slots=True)
class Rectangle:
    x: float
    y: float
    width: float
    height: float
    tone: str
    title: str


def columns(stacks: Sequence[tuple[str, Sequence[tuple[str, int]]]], highest: int = 0) -> list[Rectangle]:
    """One column per stack (title, [(tone, number)], the first at the bottom), scaled to the highest one or to `highest`."""
    top = max(highest, 1, *(sum(number for _, number in parts) for _, parts in stacks)) if stacks else 1
    step = WIDTH / max(1, len(stacks))
    found = []
    for place, (title, parts) in enumerate(stacks):
        y = HEIGHT
        for tone, number in parts:
            if number:
                height = max(
                    1.5, HEIGHT * number / top
                )  # a single failure among thousands is still to be seen
                y = max(0.0, y - height)
                found.append(
                    Rectangle(place * step + step * GAP / 2, y, step * (1 - GAP), height, tone, title)
                )
    return found


def spark(numbers: Sequence[int]) -> list[Rectangle]:
    """A column per number, without titles."""
    return columns([("", [("completed", number)]) for number in numbers])
