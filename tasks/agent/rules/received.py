"""Finds what a receipt says was received, where it names no total: "Received: 496", "the sum of $500.00"."""

from __future__ import annotations

from decimal import Decimal

from tasks.agent.layout import Cell
from tasks.agent.rules.labels import Hit
from tasks.agent.rules.numbers import Amount, plain
from tasks.agent.rules.tables import Table
from tasks.agent.rules.text import Candidate, Text, words_at

SCORE, BARE = 0.8, 0.7


def received_of(text: Text, table: Table) -> Candidate | None:
    """The only amount that labels call so, wherever they stand in a sentence; None where there are several."""
    found: dict[Decimal, Candidate] = {}
    for cell, hit in text.labelled("received"):
        if cell.line in table.taken or text.brackets(cell, hit):
            continue
        placed = _behind(text, cell, hit)
        if placed is not None and placed[1].value > 0:
            other, amount = placed
            words = words_at(other, amount.start, amount.end)
            label = text.folded[cell][hit.start : hit.end]
            candidate = Candidate(plain(amount.value), SCORE if amount.money else BARE, words, label=label)
            found.setdefault(amount.value, candidate)
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
