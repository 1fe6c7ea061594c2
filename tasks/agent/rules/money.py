"""Finds the currency of a document."""

from __future__ import annotations

import re
from collections import Counter

from tasks.agent.rules import names
from tasks.agent.rules.numbers import code_of
from tasks.agent.rules.text import Candidate, Text, words_at

_CODE = re.compile(
    r"(?<![A-Za-z])("
    + "|".join(sorted(names.CODES))
    + r")(?![A-Za-z])|([€£₹])|\b(zł)\b|\b(Euro)\b|\b(Rs)\b|\b(Kč)\b"
)
_COUNTRY = re.compile(
    r"\b([A-Z]{2})\d{2}[ \d]{10,}|\b(?:VAT|UID|USt|TVA|BTW|NIP|MWST)[^A-Z]{0,12}([A-Z]{2})[A-Z]?[ -]?\d{3}|, (UK)\b"
)
US = re.compile(r"US\$|\bUSD\b")
DOLLARS = {
    "CAD": re.compile(r"\b(?:HST|QST|TVQ|TPS)\b|\bRT ?0001\b"),
    "AUD": re.compile(r"\bABN\b"),
    "NZD": re.compile(r"\bNZBN\b"),
    "SGD": re.compile(r"\bUEN\b|\bPTE\b|\bPte\b"),
    "MXN": re.compile(r"\bRFC\b|\bCFDI\b"),
    "HKD": re.compile(r"\bHong Kong\b"),
}
"""Countries that call their money dollar, and what only their documents print."""
AMBIGUOUS = {"$": "dollars of another country", "¥": "yuan"}


def currency_of(text: Text) -> list[Candidate]:
    """The currency beside the most amounts, else the one named anywhere, else a guess from the country, which says that it is one."""
    votes: Counter[str] = Counter()
    words: dict[str, list] = {}
    for cell in text.cells:
        for amount in text.amounts(cell):
            if amount.currency:
                votes[amount.currency] += 2
                words.setdefault(amount.currency, words_at(cell, amount.start, amount.end))
        for match in _CODE.finditer(cell.text):
            code = code_of(match.group())
            if code:
                votes[code] += 2
                words[code] = words_at(cell, match.start(), match.end())
    _settle_dollars(text, votes, words)
    if votes:
        (code, best), *rest = votes.most_common()
        share = best / sum(votes.values())
        reasons = [] if share > 0.6 else [f"Several currencies are printed: {', '.join(sorted(votes))}."]
        return [
            Candidate(code, 0.95 if share > 0.8 else 0.8 if not reasons else 0.6, words[code], reasons),
            *_others(rest, words),
        ]
    return _by_country(text)


def _settle_dollars(text: Text, votes: Counter[str], words: dict[str, list]) -> None:
    """ "$" alone is the dollar whose code is printed; without one, that of the country whose tax is."""
    if not votes["USD"] or any(US.search(cell.text) for cell in text.cells):
        return
    codes = [code for code in DOLLARS if votes[code]]
    taxes = [code for code, tax in DOLLARS.items() if any(tax.search(cell.text) for cell in text.cells)]
    chosen = codes or taxes
    if len(chosen) == 1:
        votes[chosen[0]] += votes.pop("USD")
        words.setdefault(chosen[0], words["USD"])


def _others(rest: list[tuple[str, int]], words: dict[str, list]) -> list[Candidate]:
    return [Candidate(code, 0.3, words[code]) for code, _ in rest]


def _by_country(text: Text) -> list[Candidate]:
    countries: Counter[str] = Counter()
    for cell in text.cells:
        for match in _COUNTRY.finditer(cell.text):
            country = next(group for group in match.groups() if group)
            if country in names.COUNTRY_CURRENCY:
                countries[country] += 1
    if not countries and text.language in names.LANGUAGE_CURRENCY:
        reason = "No currency is printed; taken from the language."
        return [Candidate(names.LANGUAGE_CURRENCY[text.language], 0.45, [], [reason], source="computed")]
    if not countries:
        return []
    country = countries.most_common(1)[0][0]
    reason = f"No currency is printed; taken from the country of the addresses and numbers ({country})."
    return [Candidate(names.COUNTRY_CURRENCY[country], 0.5, [], [reason], source="computed")]
