"""Tells what at the head of a page can be the name of who writes, and what is a title, a label, a date or an address."""

from __future__ import annotations

import re
from itertools import pairwise

from tasks.agent.layout import Cell
from tasks.agent.page import Word
from tasks.agent.rules.dates import MONTHS
from tasks.agent.rules.labels import Hit
from tasks.agent.rules.patterns import (
    ADDRESSING,
    DOCTOR,
    IN_BRACKETS,
    LABELLED,
    POSTCODE,
    PREFIX,
    STATEMENT,
    STREET,
    TITLES,
    TWO_TITLES,
)
from tasks.agent.rules.text import Text

TITLED = re.compile(r"\s+(?:de|du|des|of|for|fur|uber|van|voor|di|per|para|za)\b")
"""What goes on a title: "Quittance de loyer", "Receipt for rent"."""
ABOUT = re.compile(
    r"\b(?:informations?|informationen|details?|info|summary|data|dati|datos|detalles|dane|gegevens|tiedot)\b"
)
"""What makes of a title the heading of what is said of the document: "Invoice information", "Datos de la factura"."""
NUMBERED = re.compile(r"#|\bN[o°º]|:\s{0,3}\S{0,20}\d")
"""What numbers a document behind its title."""
DASHED, DASH = re.compile(r"[^\d–—-]{3,30} [–—-] \S"), re.compile(r"\s+[–—-]\s")
NAMES = re.compile(r"[^\W\d_]{2}")
LEAST_LETTERS, WIDE = 4, 1.6


def is_something_else(text: Text, cell: Cell) -> bool:
    """Whether the cell is a title, a label or what one announces, a date, a sum, an address or somebody's form of address."""
    # A label is not printed elsewhere by itself, as a name is: "Miller & Sons:" over its address
    again = cell not in text.hits and cell.text[:-1] in text.printed
    if (
        (cell.text.rstrip().endswith(":") and not again)
        or text.dates(cell)
        or is_month(text, cell)
        or text.money(cell)
        or POSTCODE.search(cell.text)
        or STATEMENT.match(text.folded[cell])
        or STREET.search(cell.text)
        or (TITLES.search(cell.text) and not DOCTOR.search(cell.text))
        or (
            any(h.plays("kind:") for h in text.hits.get(cell, ()))
            and any(said.search(text.folded[cell]) for said in (ADDRESSING, TWO_TITLES, ABOUT))
        )
    ):
        return True
    hit = text.leading_hit(cell)
    if hit is not None and hit.plays("kind:") and NUMBERED.search(cell.text, hit.end):
        return True
    if hit is None:
        labelled = LABELLED.match(cell.text) and not PREFIX.match(text.folded[cell])
        return bool(labelled) or is_labelled(text, cell) or is_dashed(text, cell)
    bare = IN_BRACKETS.sub("", cell.text).strip(" .:") or cell.text
    covers = hit.end - hit.start >= 0.6 * len(bare) or not NAMES.search(cell.text, hit.end)
    titled = hit.plays("kind:") and TITLED.match(text.folded[cell], hit.end)
    return (
        bool(titled) or covers or announces(cell, hit) or cell.text[hit.end :].lstrip().startswith((":", "#"))
    )


def is_dashed(text: Text, cell: Cell) -> bool:
    """Whether a dash parts the cell as it parts a label from its value right above or below: "Quote Date - 17 June" over "Contact - A. Smith"."""
    if not DASHED.match(cell.text):
        return False
    block = [c for c in (*text.above(cell), *text.below(cell, 1)) if abs(c.x0 - cell.x0) < 4]
    hits = ((c, text.leading_hit(c)) for c in block)
    return any(hit is not None and DASH.match(c.text, hit.end) for c, hit in hits)


def is_month(text: Text, cell: Cell) -> bool:
    """Whether the cell is a month's name and a figure stands beside it: a date that is set wide ("Nov. | 9, | 2022")."""
    beside = text.lines[cell.line].cells[max(cell.column - 1, 0) : cell.column + 2]
    return text.folded[cell].strip(" .,") in MONTHS and any(other.text[:1].isdigit() for other in beside)


def is_labelled(text: Text, cell: Cell) -> bool:
    """Whether the cell before it on the line is a label and nothing else, and no title; a colon makes one of any words but those that announce a name."""
    before = text.lines[cell.line].cells[cell.column - 1] if cell.column else None
    if before is not None and before.text.endswith(":") and not PREFIX.match(text.folded[before]):
        return True
    hit = text.leading_hit(before) if before is not None else None
    return (
        before is not None
        and hit is not None
        and not hit.plays("kind:")
        and not NAMES.search(before.text, hit.end)
    )


def announces(cell: Cell, hit: Hit) -> bool:
    """Whether the label says who the name behind it is: "Verkauft von Tischlerei X", "Spett.le Y S.p.A."."""
    party = hit.plays_one(("supplier", "buyer", "other_party")) and (hit.words > 1 or hit.end - hit.start > 5)
    return party and cell.text[hit.end :].lstrip(" .")[:1].isupper()


def is_spelled(cell: Cell) -> bool:
    """Whether the cell is set in single letters."""
    return len(cell.words) >= LEAST_LETTERS and all(len(word.text) == 1 for word in cell.words)


def spelled_out(words: list[Word]) -> str:
    """A name set in single letters ("T H E  P I E R") with its words put together; wider gaps part them."""
    gaps = [after.x0 - before.x1 for before, after in pairwise(words)]
    usual = sorted(gaps)[len(gaps) // 2]
    name = words[0].text
    for gap, word in zip(gaps, words[1:], strict=True):
        name += (" " if gap > WIDE * usual else "") + word.text
    return name
