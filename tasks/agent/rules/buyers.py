"""Finds who the document is for."""

from __future__ import annotations

import re

from tasks.agent.rules.labels import Hit
from tasks.agent.rules.patterns import NOT_NAMES, STREET, TO, TOWN, clean, key_of, little, named
from tasks.agent.rules.text import Candidate, Text

PARTY = re.compile(r"^party(?:'?s)?(?: name)?(?= ?:)")
"""What invoices of India call who they are for; in other sentences the word means anybody."""


def buyers_of(text: Text) -> list[Candidate]:
    """Who the document is for, by label; best first."""
    found = []
    for cell, hit in text.labelled("buyer"):
        if "buyer" in hit.roles and text.leads(cell, hit) and hit.end - hit.start > 2:
            found += [Candidate(clean(c.value), c.score, c.words) for c in named(text, cell, hit)]
    for cell in text.cells:
        if label := PARTY.match(text.folded[cell]):
            hit = Hit(0, label.end(), frozenset(), frozenset(), 1)
            found += [Candidate(clean(c.value), c.score, c.words) for c in named(text, cell, hit)]
    for cell, hit in little(text, TO):
        found += [Candidate(clean(c.value), c.score, c.words) for c in named(text, cell, hit)]
    found = [
        c
        for c in found
        if len(key_of(c.value)) > 2 and not NOT_NAMES.search(c.value) and re.search(r"[^\W\d_]{3}", c.value)
    ]
    return sorted(found, key=lambda c: -c.score)


def addressee(text: Text, supplier: str) -> list[Candidate]:
    """Without a label: the first line of a block of address lines in the upper half of the first page that is not the supplier's."""
    own = key_of(supplier)
    first = min(text.pages)
    found = []
    for cell in text.cells:
        page = text.pages[cell.page]
        if (
            cell.page != first
            or cell.y0 > 0.45 * page.height
            or text.leading_hit(cell) is not None
            or len(cell.words) > 7
        ):
            continue
        if (
            not re.search(r"[^\W\d_]{3}", cell.text)
            or STREET.search(cell.text)
            or TOWN.search(cell.text)
            or NOT_NAMES.search(cell.text)
        ):
            continue
        above = [
            c
            for line in text.lines[max(cell.line - 2, 0) : cell.line]
            for c in line.cells
            if abs(c.x0 - cell.x0) < 4
        ]
        if any(cell.y0 - c.y1 < 0.7 * cell.height and c.page == cell.page for c in above):
            continue
        block = [c for c in text.below(cell, 4) if abs(c.x0 - cell.x0) < 4]
        key = key_of(cell.text)
        if any(TOWN.search(c.text) for c in block) and key not in own and own not in key:
            found.append(Candidate(clean(cell.text), 0.7, cell.words))
    if len(found) == 1:
        found[0].score = 0.83
    return found
