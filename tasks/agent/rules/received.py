"""Finds what a receipt says was received, where it names no total: "Received: 496", "the sum of $500.00"."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

from tasks.agent.layout import Cell
from tasks.agent.rules.labels import Hit
from tasks.agent.rules.numbers import Amount
from tasks.agent.rules.tables import Table
from tasks.agent.rules.text import Candidate, Text, figure_at

SCORE, BARE, ONLY = 0.8, 0.7, 0.5
CLOSED = re.compile(r"(?:[¥￥]|金)\s?[\d,]+\s?(?:円?[-−ー也]|※)")
"""A sum that a stroke or a word closes, so that nobody can write a digit behind it: "¥12,080-"."""
UNNAMED = "No label names a total; this is the only amount in the document."


def received_of(text: Text, table: Table) -> Candidate | None:
    """The only amount that labels call so, wherever they stand in a sentence; None where there are several."""
    found: dict[Decimal, Candidate] = {}
    for cell, hit in text.labelled("received"):
        if cell.line in table.taken or text.brackets(cell, hit):
            continue
        placed = _behind(text, cell, hit)
        if placed is not None and placed[1].value > 0:
            other, amount = placed
            label = text.folded[cell][hit.start : hit.end]
            candidate = figure_at(other, amount, SCORE if amount.money else BARE, label)
            found.setdefault(amount.value, candidate)
    return next(iter(found.values())) if len(found) == 1 else None


def closed_of(text: Text) -> Candidate | None:
    """The sum that is closed against digits behind it, as nothing but the total of a Japanese receipt is."""
    cells = (cell for cell in text.cells if CLOSED.fullmatch(cell.text))
    return next((figure_at(cell, amount, SCORE) for cell in cells for amount in text.money(cell)[:1]), None)


def only_figure(text: Text) -> Candidate | None:
    """The only amount of money in the document, which asks for a look; none where pages are recognised, for others may be lost there."""
    if any(cell.words[0].source == "ocr" for cell in text.cells):
        return None
    found = {
        amount.value: replace(figure_at(cell, amount, ONLY), reasons=[UNNAMED])
        for cell in text.cells
        for amount in text.money(cell)
        if amount.value > 0
    }
    return next(iter(found.values())) if len(found) == 1 else None


def _behind(text: Text, cell: Cell, hit: Hit) -> tuple[Cell, Amount] | None:
    """The first figure of money behind the label or right of it; behind a label that opens its cell and a colon any number."""
    places = [(cell, hit.end), *((other, 0) for other in list(text.right_of(cell))[:1])]
    for other, start in places:
        for amount in text.amounts(other):
            bare = not cell.text[hit.end : amount.start].strip(" :") if other is cell else amount.start == 0
            named = bare and text.leads(cell, hit) and not amount.percent and ":" in cell.text[hit.end :]
            if amount.start >= start and (amount.money or named):
                return other, amount
    return None
