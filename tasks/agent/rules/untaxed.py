"""Tells by the words around the name of a sum that it is without the tax: "Suma sin IVA", "Total de la facture HT", "Warenwert total"."""

from __future__ import annotations

import re

from tasks.agent.layout import Cell
from tasks.agent.rules.labels import Hit, fold
from tasks.agent.rules.text import Text
from tasks.agent.rules.vocabulary import Words
from tasks.agent.rules.vocabulary.taxed import NET, TAXES, WITHOUT

ABBREVIATED = 4
"""Letters of a word that may be printed with points, at most."""


def one_of(*tables: Words) -> str:
    """A pattern for folded text; abbreviations may have points: "H.T.V.A."."""
    phrases = {fold(phrase) for words in tables for said in words.values() for phrase in said.split("|")}
    return "|".join(map(pointed, sorted(phrases, key=len, reverse=True)))


def pointed(phrase: str) -> str:
    words = phrase.split()
    return r"\W{1,3}".join(r"\.?".join(word) if len(word) <= ABBREVIATED else word for word in words)


EXCLUDED = r"e(?:x|s|ks)[ck]l\w*"
"""What says so behind the tax: "Tasse escl.", "Tax excluded", "impuestos excluidos", "MwSt. exkl."."""
WITHOUT_TAX = re.compile(
    rf"\b(?:(?:{one_of(WITHOUT)})\b[\W\d]{{0,8}}(?:(?:de |des |la |les |l'|dell'|the |of )*)(?:{one_of(TAXES)})|(?:{one_of(TAXES)})\W{{1,3}}(?:{EXCLUDED})|{one_of(NET)})(?![^\W_])"
)
TAXED = re.compile(rf"\b(?:{one_of(TAXES)})(?![^\W_])")
WITH_TAX = re.compile(
    r"\b(?:t\.?t\.?c|tvac|gross|brutto|bruto|lordo|mit|with|con|inc|in[ck]l\w*|compris\w*|comprensivo|met|avec|med|z|com|sis\w*|dont|davon|of which)\b"
)
ADJACENT = re.compile(r"[^\w]*(?:(?:eur|euros?|in|en|of|de|der|des|la)\b[^\w]*)*")
"""What may stand between two words for one sum."""


def priced_with(folded: str) -> str | None:
    """What a heading that ends in the name of a tax calls its figures: "Pris utan moms" the net amounts, "Pris med moms" the whole ones."""
    return "net" if WITHOUT_TAX.search(folded) else "total" if WITH_TAX.search(folded) else None


def is_untaxed(text: Text, cell: Cell, hit: Hit) -> bool:
    """Whether the words around a label of a sum, up to the figures before and behind it, say that the sum lacks its tax, or call it net."""
    folded = text.folded[cell]
    amounts = text.money(cell)
    start = max((amount.end for amount in amounts if amount.end <= hit.start), default=0)
    end = min((amount.start for amount in amounts if amount.start >= hit.end), default=len(folded))
    if hit.end - hit.start >= len(folded[start:end].strip(" :.")) or WITH_TAX.search(folded, start, end):
        return False
    found = WITHOUT_TAX.search(folded, start, end)
    if "tax" in hit.roles:
        return found is not None and (
            found.start() < hit.start <= found.end() or found.start() < hit.end < found.end()
        )
    return found is not None or any(
        "net" in other.roles
        and start <= other.start
        and other.end <= end
        and ADJACENT.fullmatch(folded, min(hit.end, other.end), max(hit.start, other.start))
        for other in text.hits[cell]
        if other is not hit
    )
