"""Finds the currency of a document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from tasks.agent.layout import Cell
from tasks.agent.page import Word
from tasks.agent.rules import names
from tasks.agent.rules.numbers import code_of
from tasks.agent.rules.text import Candidate, Text, words_at

_CODE = re.compile(
    r"(?<![A-Za-z])("
    + "|".join(sorted(names.CODES))
    + r")(?![A-Za-z])|([€£₹])|(?<!\w)(R\$)|(?<!\S)(\$)(?=\W*$)|\b(zł)\b|\b([Ee]uro[as]?)\b|\b(Rs)\b|\b(Kč)\b"
)
CROWN = re.compile(r"(?<!\w)K\S(?!\w)")
"""What is recognised for "Kč" without the data of Czech: K€, Kë, K¢."""
_UNIT = re.compile(r"(?<![^\W_])(?:[A-Z]{3}|" + "|".join(names.LETTERS) + r")(?![^\W\d_])")
_NAMED = re.compile(
    r"\b(?:currency|wahrung|waehrung|devise|monnaie|moneda|divisa|valuta|munteenheid|waluta|valuutta|moeda|mena"
    r"|(?:amounts?|prices?|betrage|betraege|preise|montants?|prix|importes?|precios|importi|prezzi|bedragen|prijzen|kwoty|ceny) (?:are )?(?:in|en|w))\W*$"
)
"""What announces the currency that the document is in."""
UNMISTAKABLE = re.compile(r"US\$|R\$|₹|円")
SUMS = ("net", "tax", "total", "amount_due")
LEAST = 100
"""A number without decimals from here on may be money."""

_NATIONS = {
    "US": r"u\.?s\.?a?\.?|americ\w+|amerik\w+|estadounidenses?|statunitensi", "CA": r"canad\w+|kanad\w+", "AU": r"austral\w+", "NZ": r"new zealand|neuseeland\w*",
    "SG": r"singap\w+", "HK": r"hong ?kong", "MX": r"mexi[ck]\w+", "TW": r"taiwan\w*", "CL": r"chilen\w+", "CO": r"[ck]ol[uo]mbi\w+", "AR": r"argentin\w+",
    "IN": r"indi(?:an|sche|ennes?|as?)", "NP": r"nepal\w*", "PK": r"pakistan\w*", "LK": r"sri ?lanka\w*", "MU": r"mauriti\w+", "SE": r"swedish|svensk\w+|schwedisch\w+",
    "NO": r"norwegian|norsk\w*|norwegisch\w+", "DK": r"danish|dansk\w*|danisch\w+|daenisch\w+", "IS": r"icelandic|islandisch\w+|islensk\w+", "GB": r"british|sterling|britisch\w+|uk",
    "EG": r"egyptian|agyptisch\w+", "JP": r"japan\w*|japon\w+", "CN": r"chin\w+|renminbi",
}  # fmt: skip
_MONEY = {
    "USD": r"dollars?|dolares|dolar[yow]*|dollari|pesos?", "INR": r"rupees?|rupien?|roupies?|rupias?", "SEK": r"kron[aeory]\w*|crowns?|couronnes?|coronas?",
    "GBP": r"pounds?|pfund|livres?|libras?|sterline|ponden?", "JPY": r"yen|yens|yuan|renminbi",
}  # fmt: skip
_COINS = re.compile(
    "dollar|dolar|peso|rupee|rupie|roupie|rupia|kron|crown|couronne|corona|pound|pfund|livre|libra|sterlin|pond|yen|yuan|renminbi"
)
_NATION = "|".join(f"(?P<{{0}}{country}>{stem})" for country, stem in _NATIONS.items())
_COIN = "|".join(f"(?P<{{0}}{sign}>{noun})" for sign, noun in _MONEY.items())
_WORDS = re.compile(
    rf"\b(?:(?:{_NATION.format('n')})[\s-](?:{_COIN.format('c')})|(?:{_COIN.format('d')})[\s-](?:{_NATION.format('o')}))(?!\w)"
)
"""A shared currency in words, folded: "US dollars", "dollars canadiens", "norske kroner"."""


def currency_of(text: Text) -> list[Candidate]:
    """The currency beside the most amounts, else the one named anywhere, else a guess from the country, which says that it is one."""
    votes: Counter[str] = Counter()
    words: dict[str, list[Word]] = {}
    for cell in text.cells:
        for amount in text.amounts(cell):
            if amount.currency:
                votes[amount.currency] += 2
                words.setdefault(amount.currency, words_at(cell, amount.start, amount.end))
        printed = cell.text
        if text.language == "cs" and cell.words[0].source == "ocr":
            printed = CROWN.sub("Kč", printed)
        for match in _CODE.finditer(printed):
            code = code_of(match.group())
            if code:
                votes[code] += 2
                words[code] = words_at(cell, match.start(), match.end())
    letters = set(names.LETTERS.values())
    for code, where in _units(text):
        votes[code] += 2
        words.setdefault(code, where)
    reasons = _settle_shared(text, votes, words)
    if votes:
        (code, best), *rest = votes.most_common()
        share = best / sum(votes.values())
        if share <= 0.6:
            reasons.append(f"Several currencies are printed: {', '.join(sorted(votes))}.")
        if code in letters and best <= 2:
            reasons.append(f"What stands for {code} are letters, and they stand there but once.")
        return [
            Candidate(code, 0.95 if share > 0.8 else 0.8 if share > 0.6 else 0.6, words[code], reasons),
            *_others(rest, words),
        ]
    return _by_country(text)


def _units(text: Text) -> Iterator[tuple[str, list[Word]]]:
    """Codes that are words as well, where they are the unit of a sum or what a label of the currency says."""
    for cell in text.cells:
        for match in _UNIT.finditer(cell.text):
            code = names.LETTERS.get(match.group(), match.group())
            if (match.group() in names.LETTERS or code in names.FURTHER_CODES) and (
                _is_unit(text, cell, match) or _NAMED.search(_before(text, cell, match.start()))
            ):
                yield code, words_at(cell, *match.span())


def _is_unit(text: Text, cell: Cell, match: re.Match[str]) -> bool:
    """Whether the code stands right beside an amount of money, in a line of sums."""
    line = text.lines[cell.line].cells
    if not any(hit.plays_one(SUMS) for one in line for hit in text.hits.get(one, ())):
        return False
    if match.group() not in names.LETTERS and len(match.group()) < len(cell.text.strip("()")):
        return _is_beside(text, cell, match)
    before, behind = cell.text[: match.start()].strip(" ("), cell.text[match.end() :].strip(" ):")
    beside = [one for one in line if one.column == cell.column + 1 and not behind]
    beside += [one for one in line if one.column == cell.column - 1 and not before]
    if any(amount.money or amount.value >= LEAST for one in beside for amount in text.amounts(one)[-1:]):
        return True
    return _is_beside(text, cell, match)


def _is_beside(text: Text, cell: Cell, match: re.Match[str]) -> bool:
    """Whether the code stands right before or behind an amount in its own cell."""
    return any(
        (amount.money or amount.value >= LEAST)
        and (
            not cell.text[amount.end : match.start()].strip()
            if amount.end <= match.start()
            else not cell.text[match.end() : amount.start].strip()
        )
        for amount in text.amounts(cell)
    )


def _before(text: Text, cell: Cell, start: int) -> str:
    """What stands before the characters from `start` on, in the cell or in the one before it."""
    own = text.folded[cell][:start]
    if own.strip() or not cell.column:
        return own
    return text.folded[text.lines[cell.line].cells[cell.column - 1]]


def _settle_shared(text: Text, votes: Counter[str], words: dict[str, list[Word]]) -> list[str]:
    """A sign that several countries share means the currency that is printed as a code or in words, else the country's; why that is doubtful."""
    for sign, currencies in names.SHARED.items():
        if not votes[sign] or any(_is_said(cell, sign) for cell in text.cells):
            continue
        codes = {code for code in currencies.values() if votes[code] and code != sign}
        chosen = codes or {code for code, _ in _in_words(text, sign)}
        reasons: list[str] = []
        if not chosen:
            countries, numbered = text.countries.among(currencies)
            chosen = {currencies[country] for country in countries}
            if not chosen:
                chosen = {_of_language(text)} & set(currencies.values())
            if not chosen and sign not in names.USUAL:
                reasons = [
                    "Several countries have a currency with this sign, and nothing says which of them it is."
                ]
            elif len(chosen) > 1:
                reasons = [
                    f"Several countries have a currency with this sign; the page names some: {', '.join(sorted(chosen))}."
                ]
            elif not numbered and sign in names.USUAL and sign not in chosen and chosen:
                reasons = [
                    f"Only an address says that the sign means {', '.join(chosen)}; elsewhere it means {sign}."
                ]
        if len(chosen) == 1 and (code := chosen.pop()) != sign:
            votes[code] += votes.pop(sign)
            words.setdefault(code, words[sign])
        if reasons:
            return reasons
    return []


def _is_said(cell: Cell, sign: str) -> bool:
    """Whether the code itself is printed, or a sign that no other country has."""
    return re.search(rf"\b{sign}\b", cell.text) is not None or any(
        code_of(match.group()) == sign for match in UNMISTAKABLE.finditer(cell.text)
    )


def _in_words(text: Text, sign: str = "") -> Iterator[tuple[str, list[Word]]]:
    """Shared currencies that are written in words; only those with this sign, if one is given."""
    for cell in text.cells:
        folded = text.folded[cell]
        for match in _WORDS.finditer(folded) if _COINS.search(folded) else ():
            said = [name[1:] for name, value in match.groupdict().items() if value]
            country = next(name for name in said if name in _NATIONS)
            coin = next(name for name in said if name in _MONEY)
            code = names.SHARED[coin].get(country)
            if code and sign in ("", coin):
                yield code, words_at(cell, *match.span())


def unit_of(text: Text, words: list[Word]) -> set[str]:
    """The currencies that are printed in the cell of these words and in the one before it: those of a sum."""
    cells = [text.cell_of(words[0])] if words else []
    cells += [text.lines[cell.line].cells[cell.column - 1] for cell in cells if cell.column]
    codes = {code_of(match.group()) for cell in cells for match in _CODE.finditer(cell.text)}
    return codes - {""}


def _others(rest: list[tuple[str, int]], words: dict[str, list[Word]]) -> list[Candidate]:
    return [Candidate(code, 0.3, words[code]) for code, _ in rest]


def _by_country(text: Text) -> list[Candidate]:
    said = dict(_in_words(text))
    if len(said) == 1:
        return [Candidate(code, 0.9, where) for code, where in said.items()]
    numbered = sorted(text.countries.numbered or text.countries.placed)
    known = {names.COUNTRY_CURRENCY[country] for country in numbered if country in names.COUNTRY_CURRENCY}
    if len(known) == 1:
        reason = f"No currency is printed; taken from the country of the addresses and numbers ({', '.join(numbered)})."
        return [Candidate(known.pop(), 0.5, [], [reason], source="computed")]
    if not known and (code := _of_language(text)):
        reason = "No currency is printed; taken from the language."
        return [Candidate(code, 0.45, [], [reason], source="computed")]
    return []


def _of_language(text: Text) -> str:
    """The currency where the document's language is spoken; empty where it has none of its own, or where others are as likely."""
    spoken = {names.LANGUAGE_CURRENCY.get(language, "") for language in text.languages}
    return spoken.pop() if len(spoken) == 1 else ""
