"""Finds who the document is for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tasks.agent.layout import Cell
from tasks.agent.rules.labels import Hit
from tasks.agent.rules.patterns import (
    ADDRESSED,
    HONOURED,
    PREFIX,
    STREET,
    TITLES,
    TO,
    TOWN,
    clean,
    is_name,
    key_of,
    little,
    named,
)
from tasks.agent.rules.text import ADDRESS_LINES, Candidate, Text, words_at

PARTY = re.compile(r"^party(?:'?s)?(?: name)?(?= ?:)")
"""What invoices of India call who they are for; in other sentences the word means anybody."""
ATTENTION = re.compile(r"attn|attention|a l'attention|a la atencion|t\.? ?a\.? ?v|ter attentie|z\.? ?hd")
ALIGNED = 4.0
HONOUR, PERSON = 0.85, 0.3
"""Somebody at the buyer's counts for less than a company."""


def buyers_of(text: Text) -> list[Candidate]:
    """Who the document is for, by label; best first."""
    found = []
    for cell, hit in text.labelled("buyer"):
        is_label = hit.end - hit.start > 2 or cell.text[hit.end :].lstrip().startswith(":")
        if "buyer" in hit.roles and text.leads(cell, hit) and is_label and not STREET.search(cell.text):
            less = PERSON if ATTENTION.match(text.folded[cell], hit.start) else 0.0
            found += [Candidate(clean(c.value), c.score - less, c.words) for c in named(text, cell, hit)]
            if less:
                found += _company_below(text, cell)
    for cell in text.cells:
        if label := PARTY.match(text.folded[cell]):
            hit = Hit(0, label.end(), frozenset(), frozenset(), 1)
            found += [Candidate(clean(c.value), c.score, c.words) for c in named(text, cell, hit)]
    for cell in text.cells:
        if cell.text.endswith(HONOURED):
            alone = cell.text in HONOURED
            for one in text.lines[cell.line].cells[: cell.column][-1:] if alone else [cell]:
                name = one.text.removesuffix("御中").rstrip("様殿 ")
                found.append(Candidate(name, HONOUR, one.words))
    for cell, hit in little(text, TO):
        found += [Candidate(clean(c.value), c.score, c.words) for c in named(text, cell, hit)]
    found = [candidate for candidate in found if is_name(candidate.value)]
    for candidate in found:
        if TITLES.match(candidate.value):
            candidate.score -= PERSON
    return sorted(found, key=lambda c: -c.score)


def _company_below(text: Text, cell: Cell) -> Iterator[Candidate]:
    """Whose the person is that the cell names: "Company: Miller Ltd" in the line below."""
    for other in text.below(cell, 1):
        label = PREFIX.match(text.folded[other])
        if label is not None and abs(other.x0 - cell.x0) < ALIGNED:
            name = other.text[label.end() :]
            yield Candidate(clean(name), HONOUR, words_at(other, label.end(), len(other.text)))


def others_of(text: Text) -> set[str]:
    """Keys of the names that a label gives another part than that of supplier and buyer: who goods go to, who may be asked."""
    return {
        key_of(clean(candidate.value))
        for cell, hit in text.labelled("other_party")
        if "other_party" in hit.roles and text.leads(cell, hit)
        for candidate in named(text, cell, hit)
    }


def addresses_of(text: Text) -> set[str]:
    """Keys of what stands below the labels of who is written to or sent to, and elsewhere as well: an address stands at the head below a name that is a picture."""
    return {
        key_of(clean(other.text))
        for cell, hit in (*text.labelled("buyer"), *text.labelled("other_party"))
        if text.leads(cell, hit)
        for other in text.below(cell, ADDRESS_LINES)
        if text.printed[other.text] > 1
    }


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
        name = clean(cell.text)
        if TOWN.search(cell.text) or not is_name(name):
            continue
        above = [
            c
            for line in text.lines[max(cell.line - 2, 0) : cell.line]
            for c in line.cells
            if abs(c.x0 - cell.x0) < 4 and not re.match(ADDRESSED, c.text, re.IGNORECASE)
        ]
        if any(cell.y0 - c.y1 < 0.7 * cell.height and c.page == cell.page for c in above):
            continue
        block = [c for c in text.below(cell, 4) if abs(c.x0 - cell.x0) < 4]
        key = key_of(name)
        if any(TOWN.search(c.text) for c in block) and key not in own and own not in key:
            found.append(Candidate(name, 0.7, cell.words))
    if len(found) == 1:
        found[0].score = 0.83
    return found
