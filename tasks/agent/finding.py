"""Finds where on some pages a value is printed: by our own reading of the words there, whoever says that it is there."""

from __future__ import annotations

import contextlib
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation

from tasks.agent import printed
from tasks.agent.page import Page, Word
from tasks.agent.rules import dates, names
from tasks.agent.rules.numbers import code_of

NEAR = 0.4
"""Words with a gap of at most this share of their height between them belong together; a space is a quarter, one of a typewriter a half."""
APART = "\t"
MOST_PLACES = 200
MORE_DATES = re.compile(
    r"(?P<y1>(?:19|20)\d\d)\s?[년年]\s?(?P<m1>\d{1,2})\s?[월月]\s?(?P<d1>\d{1,2})\s?[일日]"
    r"|(?<!\d)(?P<y2>(?:19|20)\d\d)(?P<m2>[01]\d)(?P<d2>[0-3]\d)(?!\d)"
)
DAY_OF = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?\s+day\s+of\s+([a-z]+),?\s+((?:19|20)\d\d)(?!\d)")
NUMBER_WORDS = {
    word: number
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "un deux trois quatre cinq six sept huit neuf dix onze douze",
    )
    for number, word in enumerate(map(printed.plain, words.split()), 1)
} | {"thirty": 30, "sixty": 60, "ninety": 90, "dreißig": 30, "trente": 30}
LETTERS = re.compile(r"[^\W\d_]+")
SIGN = "The value has another sign than the one that is printed."


@dataclass(frozen=True, slots=True)
class Habits:
    """How a document writes numbers and dates: its decimal mark ("" if nothing says) and whether the month comes first (None: unknown)."""

    mark: str = ""
    month_first: bool | None = None

    @classmethod
    def of(cls, pages: Iterable[Page]) -> Habits:
        texts = [" ".join(word.text for word in page.words) for page in pages]
        return cls(printed.decimal_mark(map(printed.plain, texts)), dates.month_first(texts))


@dataclass(frozen=True, slots=True)
class Place:
    """The words in which a value stands. `doubt` in words, where they could also mean another one."""

    words: tuple[Word, ...]
    doubt: str = ""

    @property
    def order(self) -> tuple[int, float, float]:
        """Down the pages, then from left to right."""
        first = self.words[0]
        return first.page, round((first.y0 + first.y1) / 2, 1), first.x0


class PageText:
    """A page's words as one plain text, in which a space stands between words that belong together, and APART between others."""

    def __init__(self, words: list[Word]):
        self.words = words
        pieces: list[str] = []
        self._starts: list[int] = []
        self._origins: list[list[int]] = []
        self._numbers: dict[Decimal, list[tuple[int, int]]] | None = None
        self._dates: dict[date, list[tuple[int, int, str]]] | None = None
        at = 0
        for index, word in enumerate(words):
            if index:
                pieces.append(" " if belong(words[index - 1], word) else APART)
                at += 1
            letters = [
                (plain, place)
                for place, one in enumerate(word.text)
                for plain in printed.plain_character(one)
            ]
            self._starts.append(at)
            self._origins.append([place for _, place in letters])
            pieces.append("".join(plain for plain, _ in letters))
            at += len(letters)
        self.text = "".join(pieces)
        self.keys = [
            start + place
            for start, piece in zip(self._starts, pieces[::2], strict=True)
            for place in printed.key_positions(piece)
        ]
        self.key = "".join(self.text[at] for at in self.keys)

    def words_at(self, start: int, end: int) -> tuple[Word, ...]:
        """The words that plain characters start..end touch; of a script without spaces only the part that they touch."""
        first, last = max(bisect_right(self._starts, start) - 1, 0), bisect_left(self._starts, end)
        found = []
        for index in range(first, last):
            word, at, origins = self.words[index], self._starts[index], self._origins[index]
            inside = origins[max(start - at, 0) : end - at]
            if not inside:
                continue
            whole = len(inside) == len(origins) or not printed.WITHOUT_SPACES.search(word.text)
            found.append(word if whole else part_of(word, inside[0], inside[-1] + 1))
        return tuple(found)

    def numbers(self, mark: str) -> dict[Decimal, list[tuple[int, int]]]:
        """Where each number stands, read once."""
        if self._numbers is None:
            self._numbers = defaultdict(list)
            for number in printed.numbers(self.text, mark):
                for value in number.values:
                    self._numbers[value].append((number.start, number.end))
        return self._numbers

    def dates(self, month_first: bool | None) -> dict[date, list[tuple[int, int, str]]]:
        """Where each date stands, with its doubts, read once."""
        if self._dates is None:
            self._dates = defaultdict(list)
            for value, start, end, doubt in dates_in(self.text, month_first):
                self._dates[value].append((start, end, doubt))
        return self._dates

    def keyed(self, wanted: str) -> Iterator[tuple[int, int]]:
        """Where the key stands, as characters start..end of the text, not within a longer word."""
        at = self.key.find(wanted)
        while at >= 0:
            start, end = self.keys[at], self.keys[at + len(wanted) - 1] + 1
            if not (self._goes_on(start - 1, start) or self._goes_on(end - 1, end)):
                yield start, end
            at = self.key.find(wanted, at + 1)

    def _goes_on(self, one: int, other: int) -> bool:
        """Whether two neighbouring characters are within one word or number."""
        if one < 0 or other >= len(self.text):
            return False
        pair = self.text[one] + self.text[other]
        if pair[0].isalnum() and pair[1].isalnum():
            return not printed.WITHOUT_SPACES.search(pair)
        around = self.text[max(one - 1, 0) : other + 2]
        if pair[0].isdigit() and pair[1] in printed.INSIDE_NUMBERS:
            return around[-1].isdigit()
        return pair[1].isdigit() and pair[0] in printed.INSIDE_NUMBERS and around[0].isdigit()


def belong(one: Word, other: Word) -> bool:
    """Whether a word stands right behind another on one line."""
    height = min(one.y1 - one.y0, other.y1 - other.y0)
    apart = max(other.x0 - one.x1, one.x0 - other.x1)
    return one.y0 < other.y1 and other.y0 < one.y1 and apart <= NEAR * height


def part_of(word: Word, start: int, end: int) -> Word:
    """Characters start..end of a word. Where they stand is in proportion; PDFium knows it exactly where the word came from there."""
    width, count = word.x1 - word.x0, max(len(word.text), 1)
    part = Word(
        word.text[start:end], word.x0 + width * start / count, word.y0, word.x0 + width * end / count, word.y1, word.page,
        word.start + start if word.start >= 0 else -1, word.start + end if word.start >= 0 else -1,
    )  # fmt: skip
    part.source, part.sure = word.source, word.sure
    return part


def places(page: PageText, kind: str, value: str | int, habits: Habits) -> list[Place]:
    """Every place of the page that holds the value of this type (`schema.Type`), in the order of its words."""
    found = {
        "money": _numbers, "number": _numbers, "integer": _numbers, "date": _dates, "currency": _currencies,
    }.get(kind, _texts)(page, str(value), habits)  # fmt: skip
    kept: dict[tuple[Word, ...], Place] = {}
    for start, end, doubt in found:
        words = page.words_at(start, end)
        if words and len(kept) < MOST_PLACES:
            kept.setdefault(words, Place(words, doubt))
    return list(kept.values())


Spans = Iterable[tuple[int, int, str]]
"""Characters start..end of a page's text, and a doubt."""


def _texts(page: PageText, value: str, habits: Habits) -> Spans:
    wanted = printed.key(value.replace("_", " "))
    return [(start, end, "") for start, end in page.keyed(wanted)] if wanted else []


def _numbers(page: PageText, value: str, habits: Habits) -> Spans:
    try:
        wanted = Decimal(value)
    except InvalidOperation:
        return []
    known = page.numbers(habits.mark)
    if wanted in known:
        return [(*span, "") for span in known[wanted]]
    if -wanted in known:
        return [(*span, SIGN) for span in known[-wanted]]
    if wanted != wanted.to_integral_value():
        return []
    words = (match for match in LETTERS.finditer(page.text) if NUMBER_WORDS.get(match.group()) == wanted)
    return [(*word.span(), "") for word in words]


def _dates(page: PageText, value: str, habits: Habits) -> Spans:
    try:
        return page.dates(habits.month_first).get(date.fromisoformat(value), [])
    except ValueError:
        return []


def dates_in(text: str, month_first: bool | None) -> Iterator[tuple[date, int, int, str]]:
    """Every date of a plain text at characters start..end, with a doubt; one that could be two dates is both."""
    for one in dates.find(text, month_first):
        yield one.value, one.start, one.end, dates.SWAPPABLE if one.unsure else ""
    if month_first is None:
        for one in dates.find(text, True):
            if _could_be_swapped(text[one.start : one.end]):
                yield one.value, one.start, one.end, dates.SWAPPABLE
    for match in MORE_DATES.finditer(text):
        year, month, day = (int(part) for part in match.groups() if part)
        yield from _date(year, month, day, match)
    for match in DAY_OF.finditer(text):
        yield from _date(int(match[3]), dates.MONTHS.get(match[2], 0), int(match[1]), match)


def _date(year: int, month: int, day: int, match: re.Match[str]) -> Iterator[tuple[date, int, int, str]]:
    with contextlib.suppress(ValueError):
        yield date(year, month, day), match.start(), match.end(), ""


def _could_be_swapped(text: str) -> bool:
    found = re.match(r"(\d{1,2})\D(\d{1,2})\D", text.replace(" ", ""))
    return bool(found) and int(found[1]) <= 12 and int(found[2]) <= 12  # type: ignore[index]


CURRENCIES = re.compile(r"(?:us|hk|nz|a|c|s|r)\$|[^\W\d_]+|[$€£¥₹₽₩₺₪]")


def _currencies(page: PageText, value: str, habits: Habits) -> Iterator[tuple[int, int, str]]:
    for match in CURRENCIES.finditer(page.text):
        said = match.group()
        code = said.upper() if said.upper() in names.CODES | names.FURTHER_CODES else code_of(said)
        if code == value.upper():
            yield match.start(), match.end(), ""
