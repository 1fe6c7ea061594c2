"""Shapes of small charts, drawn by the server as SVG: no script, right in print, and each beside a table with the same numbers.

A library of charts would be the largest file of every page, and would draw with inline styles, which the policy of the pages forbids.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH, HEIGHT = 600.0, 120.0
GAP = 0.18
FRAME = '<svg class="{}" viewBox="0 0 600 120" preserveAspectRatio="none" aria-hidden="true" focusable="false">{}</svg>'


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


def drawn(shapes: Iterable[Rectangle]) -> SafeString:
    """The shapes as a picture. Each is written in one go: hundreds of them by the template's own filters took half of a page's time."""
    parts = format_html_join(
        "", '<rect class="{}" x="{}" y="{}" width="{}" height="{}">{}</rect>', map(_attributes, shapes)
    )
    return format_html(FRAME, "chart", parts)


def _attributes(shape: Rectangle) -> tuple[str, ...]:
    title = format_html("<title>{}</title>", shape.title) if shape.title else ""
    return (shape.tone, *(f"{number:.2f}" for number in (shape.x, shape.y, shape.width, shape.height)), title)


def spark(numbers: Sequence[int]) -> SafeString:
    """A picture with a column per number, without titles: one path."""
    columns_of = columns([("", [("completed", number)]) for number in numbers])
    path = "".join(f"M{c.x:.1f} {HEIGHT:g}V{c.y:.1f}h{c.width:.1f}V{HEIGHT:g}z" for c in columns_of)
    return format_html(FRAME, "chart spark", format_html('<path class="completed" d="{}"/>', path))
