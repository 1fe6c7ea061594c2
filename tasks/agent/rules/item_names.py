"""Finds the words that name a line item: on its line, or on the one before or after it where its name wraps around the figures."""

from __future__ import annotations

import re

from tasks.agent.layout import Cell, Line
from tasks.agent.page import Word
from tasks.agent.rules import numbers
from tasks.agent.rules.tables import Column, Row
from tasks.agent.rules.text import Text

LETTERS = re.compile(r"[^\W\d_]{2}")
REACH = 60
"""Points beyond the middle of the heading within which the longest words are the name."""


def name_of(text: Text, line: Line, columns: list[Column], row: Row) -> list[Word]:
    """The words of the name, none where there is none. `row`: the figures of the item, which are no part of it."""
    used = {id(word) for _, words in row.parts.values() for word in words}
    named = next((column for column in columns if column.role == "description"), None)
    if named is not None and named.lower and (below := _beside(text, line.index + 1, line, named)):
        return below
    if named is not None and (under := _under(line, named, used)):
        return under
    cells = [
        cell
        for cell in line.cells
        if LETTERS.search(" ".join(word.text for word in cell.words if not numbers.code_of(word.text)))
        and not any(id(word) in used for word in cell.words)
    ]
    if named is not None and cells:
        return min(cells, key=lambda cell: _distance(cell, named)).words
    if cells:
        return max(cells, key=lambda cell: len(cell.text)).words
    words = [word for word in line.cells[0].words if id(word) not in used and LETTERS.search(word.text)]
    words = [word for word in words if not numbers.code_of(word.text)]
    if not words and named is not None:
        # An amount alone, in the middle of its row: the line of the name reaches into its own
        most = line.y1 - line.y0 if len(row.parts) > 1 else 0.0
        return _beside(text, line.index - 1, line, named, most)
    return words


def _distance(cell: Cell, named: Column) -> tuple[float, float]:
    near = cell.x0 < (named.x0 + named.x1) / 2 + REACH
    return -len(cell.text) if near else 0, abs(cell.x0 - named.x0)


def _under(line: Line, named: Column, used: set[int]) -> list[Word]:
    """What stands under the heading of names, without the figures beside it."""
    found: list[Word] = []
    for cell in line.cells:
        if cell.x0 < named.x1 and cell.x1 > named.x0:
            words = [word for word in cell.words if id(word) not in used]
            said = " ".join(word.text for word in words)
            if LETTERS.search(said) and len(said) > len(" ".join(word.text for word in found)):
                found = words
    return found


def _beside(text: Text, index: int, near: Line, named: Column, most: float | None = None) -> list[Word]:
    """What stands under the heading of names on the line before or after, if that line holds no figures of its own."""
    if not 0 <= index < len(text.lines):
        return []
    line = text.lines[index]
    apart = max(line.y0 - near.y1, near.y0 - line.y1)
    most = near.y1 - near.y0 if most is None else most
    figures = text.bears_money(line.cells)
    heads = any((hit := text.leading_hit(cell)) and hit.plays("column:unit_price") for cell in line.cells)
    if line.page != near.page or apart > most or figures or heads:
        return []
    first = line.cells[0]
    left = first.x0 < named.x0 and LETTERS.search(first.text)  # of a heading in the middle of its column
    return _under(line, named, set()) or (first.words if left else [])
