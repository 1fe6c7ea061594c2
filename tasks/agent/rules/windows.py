"""Reads what stands in the window of an envelope: the line of who writes, and below it who is written to."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.agent.layout import Cell
from tasks.agent.page import Word
from tasks.agent.rules.patterns import BARE_CODE, POSTCODE, SPLIT, STREET, TOWN, clean, is_name
from tasks.agent.rules.text import Candidate, Text, words_at

ANNOUNCED = re.compile(r"[^\W\d_]{3,12} ?: ")
"""A word that says what the line is: "Adresse : Name - Street - Town"."""
GOES_ON = re.compile(r"[,;•·|–—-]$|[,;•·|–—-]\s*(?:[A-Z]{1,2}-)?\d{4,5}$")
"""How a line ends that is too long for the window: behind a mark, or between code and town."""
ALIGNED, WINDOW = 6.0, 5
"""Points; lines of an address."""
LONGEST, EARLY = 170, 0.4


@dataclass(slots=True)
class Sender:
    """Who writes, and the last cell of the line, below which stands who is written to."""

    name: str
    words: list[Word]
    last: Cell
    early: bool


def sender_of(text: Text, cell: Cell) -> Sender | None:
    """ "Name • Street 1 • 12345 Town" in one line or, set in two, in the next one; cells side by side count as well."""
    line = text.lines[cell.line]
    if SPLIT.search(cell.text):
        whole = cell.text
    else:
        whole = "  |  ".join(c.text for c in line.cells) if cell.column == 0 else ""
    last = cell
    if whole is cell.text and GOES_ON.search(whole) and STREET.search(whole):
        rests = (c for c in text.below(cell, 1) if abs(c.x0 - cell.x0) < ALIGNED)
        last = next(rests, cell)
        whole += f" {last.text}" if last is not cell else ""
    parts = [part.strip() for part in SPLIT.split(whole) if part.strip()]
    town = any(TOWN.search(part) for part in parts[1:]) or (
        len(parts) > 2 and BARE_CODE.fullmatch(parts[-1]) and STREET.search(parts[-2])
    )
    if not 3 <= len(parts) <= 7 or not town or len(whole) > LONGEST:
        return None
    hit = text.leading_hit(cell)
    if hit is not None and (hit.end > len(parts[0]) // 2 or ":" in parts[0]):
        return None
    start = cell.text.find(parts[0])
    if start < 0 or POSTCODE.search(parts[0]) or STREET.search(parts[0]) or text.money(cell):
        return None
    end = start + len(parts[0])
    label = ANNOUNCED.match(parts[0])
    start += label.end() if label is not None else 0
    early = cell.page == min(text.pages) and cell.y0 < EARLY * text.pages[cell.page].height
    return Sender(cell.text[start:end], words_at(cell, start, end), last, early)


def window_of(text: Text, sender: Cell) -> list[Candidate]:
    """The names below a sender's line down to the town: a person and a company are written to together."""
    found = []
    for cell in text.below(sender, WINDOW):
        if abs(cell.x0 - sender.x0) >= ALIGNED:
            continue
        hit = text.leading_hit(cell)
        if hit is not None and hit.plays("other_party"):
            continue  # "c/o Miller"
        if TOWN.search(cell.text) or hit is not None:
            break
        name = clean(cell.text)
        if is_name(name):
            found.append(Candidate(name, 0.85, cell.words))
    return found
