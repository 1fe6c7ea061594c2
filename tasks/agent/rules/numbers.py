"""Reads numbers and amounts of money in the ways that people print them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from tasks.agent.rules import names

_SYMBOL = r"(?:US\$|HK\$|NZ\$|A\$|C\$|S\$|R\$|[€£¥₹$₽₩₺₪円₨]|(?<![A-Za-z])(?:Rs\.?|[Kk]r\.?|SFr\.?|Fr\.|zł|Kč|[Ee]uro[as]?)(?![a-z])|(?<![A-Za-z])(?:"
_SYMBOL += "|".join(sorted(names.CODES)) + r")(?![A-Za-z])"
_SYMBOL += rf"|(?<![A-Za-z])(?:{'|'.join(names.LETTERS)})(?=\d{{1,3}}(?:[ ,.'’]?\d{{3}})*[.,]\d\d(?!\d)))"
_DIGITS = (
    r"\d{1,3}(?:[ \u202f]\d{3})+(?!\d)|\d{1,3}(?:['’]\d{3})+|\d{1,3}(?:,\d{2,3})*,\d{3}(?=\.\d)"
    r"|\d{1,3}(?:\.\d{3})+(?!\d)|\d{1,3}(?:,\d{3})+(?!\d)|\d+"
)
_GOES_ON = r"[OolISBZ\u041e\u043e]+[.,]?\d|E\d|[½¼¾⅓⅔\u0300-\u036f\u066b\u066c]"
"""What makes a number behind which it stands only the beginning of one: "3OO.00", "300½", marks of Arabic, a stroke through a digit."""
AMOUNT = re.compile(
    rf"(?<![\w.,/\\\u066b\u066c])(?<!\d:)(?P<before>{_SYMBOL})?\s?(?P<minus>[-−–+(]\s?)?(?P<inside>{_SYMBOL})?\s?(?P<minus2>[-−–]\s?)?"
    rf"(?P<number>(?>(?:{_DIGITS})(?:[.,]\d{{1,4}})?))"
    rf"(?P<dash>[.,:][-–—―]{{1,2}})?(?![\d/:\\]|[.,]\d|[-–][A-Za-z0-9]|{_GOES_ON})"
    rf"(?P<tail>\s?-(?![\w-])|\s?\))?\s?(?P<percent>%)?(?P<after>(?<!\s){_SYMBOL}|{_SYMBOL}(?!\d))?"
)

CENTS = re.compile(r"(?<![\d.,])\d[\d.,'’ ]{0,24}([.,])\d{2}(?![\d.,]*\d)")
THOUSANDS = re.compile(r"(?<![\w.,])[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*(?![.,]?\w)")
ROUNDING = Decimal("0.02")
"""Rounding of several rates may shift a sum by this much."""
CENT = Decimal("0.01")
LEAST_THOUSANDS = 3
"""A single figure with three digits behind a point may be a measure."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A printed number at characters start..end of its text. `currency` only where it stands right beside it."""

    value: Decimal
    start: int
    end: int
    currency: str
    decimals: int
    percent: bool

    @property
    def money(self) -> bool:
        """Printed as money is: two decimals, or a currency beside it."""
        return not self.percent and (self.decimals == 2 or bool(self.currency))


def decimal_mark(texts: Iterable[str]) -> str:
    """ "," or ".": the mark that most two-digit decimals of the texts stand behind; where there are none, the one that does not part thousands.

    Three digits behind a single mark are thousands rather than thousandths, if no figure of the texts shows cents. "." where nothing says.
    """
    votes: Counter[str] = Counter()
    thousands: Counter[str] = Counter()
    for text in texts:
        votes.update(match.group(1) for match in CENTS.finditer(text))
        thousands.update(match.group(1) for match in THOUSANDS.finditer(text))
    if not votes:
        return "," if thousands["."] > thousands[","] and thousands["."] >= LEAST_THOUSANDS else "."
    return "," if votes[","] > votes["."] else "."


def parse(number: str, mark: str) -> tuple[Decimal, int]:
    """The value of a printed number and how many decimals it shows; `mark` decides where the number itself does not."""
    text = re.sub(r"[ '’\u202f]", "", number)
    last = max(text.rfind("."), text.rfind(","))
    if last < 0:
        return Decimal(text), 0
    sign, other = text[last], "," if text[last] == "." else "."
    behind = len(text) - last - 1
    if other in text:
        decimal = True
    elif text.count(sign) > 1:
        decimal = False
    elif behind == 3:
        # "1.000" is a thousand where commas mark decimals; "0,500" and "0.125" never are thousands.
        decimal = sign == mark or text[0] == "0"
    else:
        decimal = True
    if not decimal:
        return Decimal(text.replace(".", "").replace(",", "")), 0
    whole = text[:last].replace(".", "").replace(",", "")
    return Decimal(f"{whole}.{text[last + 1 :]}"), behind


def amounts(text: str, mark: str) -> list[Amount]:
    """All numbers of a text that may be amounts, quantities or rates; never parts of dates, codes or telephone numbers."""
    if not any(map(str.isdigit, text)):
        return []
    found = []
    for match in AMOUNT.finditer(text):
        start = match.start() + len(match.group()) - len(match.group().lstrip())
        if start and (text[start - 1].isalnum() or text[start - 1] in "_-/"):
            continue
        # A dash stands for the cents, so that no other mark in front of it does: "1.250,-"
        value, decimals = parse(match["number"], "" if match["dash"] else mark)
        tail = (match["tail"] or "").strip()
        sign = (match["minus"] or "").strip()
        currency = code_of(match["before"] or match["inside"] or match["after"] or "")
        # A dash behind yen closes the figure (¥58,000-); behind any other it is a minus.
        negative = sign in ("-", "−", "–") or bool(match["minus2"]) or (tail == "-" and currency != "JPY")
        negative = negative or (sign == "(" and tail == ")")
        if match["dash"]:
            decimals = 2
        end = (
            match.end("number")
            if tail == ")" and sign != "("
            else match.start() + len(match.group().rstrip())
        )
        found.append(
            Amount(-value if negative else value, start, end, currency, decimals, bool(match["percent"]))
        )
    return found


def code_of(symbol: str) -> str:
    """ISO 4217 of a symbol or code as printed; empty where it names none."""
    plain = symbol.strip().rstrip(".").lower()
    if plain.upper() in names.CODES:
        return plain.upper()
    return names.SYMBOLS.get(plain) or names.LETTERS.get(symbol.strip(), "")


def plain(value: Decimal) -> str:
    """A decimal string without exponent; amounts keep at least the cents they were printed with."""
    return f"{value:f}"
