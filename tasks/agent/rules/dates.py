"""Reads dates in the ways that people print them, and decides whether day or month comes first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from tasks.agent.rules import names
from tasks.agent.rules.labels import spellings


def _month_names() -> dict[str, int]:
    found: dict[str, int] = {}
    for table in (names.SHORT_MONTHS, names.MONTHS):
        for row in table.values():
            for number, name in enumerate(row.split(), 1):
                for spelling in spellings(name):
                    found.setdefault(spelling, number)
    for name, number in names.MORE_MONTHS.items():
        found.update(dict.fromkeys(spellings(name), number))
    return found


MONTHS = _month_names()
_NAME = r"(?=[^\W\d_])(" + "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True)) + r")(?![a-z])"
_DATE = re.compile(
    # 2024-01-31, 2024/1/31, 2024.01.31, 2024年1月31日
    r"(?<![\d.,/-])(?P<y1>(?:19|20)\d\d)\s?(?P<s1>[-/.年])\s?(?P<m1>\d{1,2})\s?(?:(?P=s1)|月)\s?(?P<d1>\d{1,2})(?:日)?(?![\d])"
    # 31.1.2024, 1/31/24; never the beginning of a number: 12/03/2024/AB
    r"|(?<![\d.,/-])(?P<a2>\d{1,2})\s?(?P<s2>[-/.])\s?(?P<b2>\d{1,2})\s?(?P=s2)\s?(?P<y2>(?:19|20)\d\d|\d\d)(?![\d]|[./-]\d|/[^\W\d_])"
    # 31 January 2024, 7. Mai 2014, 19-Apr-2014, 3rd of May 2024; 19-Apr-14, 19/Apr/2014, and 28 Jan 15 where nothing goes on
    r"|(?<![\d.,/])(?P<d3>\d{1,2})(?:st|nd|rd|th|er|ter|\.|o)?[\s\-./]{0,2}(?:of\s|de\s)?"
    + _NAME.replace(")(", ")(?P<m3>", 1)
    + r"[\s\-.,/]{0,2}(?:de\s|del\s)?'?(?P<y3>(?:19|20)\d\d|(?<=[-/])\d\d|(?<=[\s'])\d\d(?![.,:/'’]\s?\d|\s\w|[^\W_]))(?!\d)"
    # January 31, 2024; January 31 , 2024; Jan-31-2024
    r"|(?<![a-z])"
    + _NAME.replace(")(", ")(?P<m4>", 1)
    + r"\.?[\s/-](?P<d4>\d{1,2})(?:st|nd|rd|th)?\s?[,\s/-]\s?(?P<y4>(?:19|20)\d\d)(?!\d)"
)

_NUMERIC = re.compile(r"(?<!\d)(\d{1,2})\s?[/-]\s?(\d{1,2})\s?[/-]\s?(\d{4}|\d\d)(?!\d)")
EARLIEST, LATEST = 1950, 2069
SWAPPABLE = "Day and month of the date could be swapped; nothing in the document decides."


@dataclass(frozen=True, slots=True)
class Found:
    """A date at characters start..end; `unsure` where day and month could be swapped and nothing in the document decides."""

    value: date
    start: int
    end: int
    unsure: bool = False


def find(folded: str, month_first: bool | None = False) -> list[Found]:
    """All dates in folded text. `month_first` None: the document does not say; the day is taken first and the date is unsure."""
    if not any(map(str.isdigit, folded)):
        return []
    found = []
    for match in _DATE.finditer(folded):
        value, unsure = _value(match, month_first)
        if value is not None:
            found.append(Found(value, match.start(), match.end(), unsure))
    return found


def _value(match: re.Match[str], month_first: bool | None) -> tuple[date | None, bool]:
    part = match.groupdict()
    unsure = False
    if part["y1"]:
        year, month, day = int(part["y1"]), int(part["m1"]), int(part["d1"])
    elif part["y2"]:
        year, first, second = int(part["y2"]), int(part["a2"]), int(part["b2"])
        if first > 12 or second > 12 or first == second:
            swap = second > 12
        else:
            swap = month_first is True and part["s2"] != "."
            unsure = month_first is None and part["s2"] != "."
        month, day = (first, second) if swap else (second, first)
    elif part["y3"]:
        year, month, day = int(part["y3"]), MONTHS[part["m3"]], int(part["d3"])
    else:
        year, month, day = int(part["y4"]), MONTHS[part["m4"]], int(part["d4"])
    if year < 100:
        year += 2000 if year < 70 else 1900
    try:
        return date(year, month, day), unsure
    except ValueError:
        return None, False


def month_first(texts: Iterable[str], usual: Callable[[], bool | None] = lambda: None) -> bool | None:
    """Whether 3/4/2024 is the fourth of March here: what the document's other dates prove; else, where one could be swapped, `usual()`.

    Years of other calendars (2081 in Nepal, 2567 in Thailand) prove nothing.
    """
    day_first_proofs = month_first_proofs = 0
    swappable = False
    for text in texts:
        for match in _NUMERIC.finditer(text):
            first, second, year = map(int, match.groups())
            if not (year < 100 or EARLIEST <= year <= LATEST):
                continue
            day_first_proofs += first > 12 >= second
            month_first_proofs += second > 12 >= first
            swappable = swappable or first <= 12 >= second
    if day_first_proofs != month_first_proofs:
        return month_first_proofs > day_first_proofs
    return usual() if swappable else None
