"""Reads what is printed the way it was meant: letters in any form of theirs, numbers and signs in any way of writing them. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from tasks.agent.rules.numbers import code_of

DASHES = dict.fromkeys("‐‑‒–—―−﹘﹣－", "-")
QUOTES = dict.fromkeys("’‘ʼ′`´＇", "'")
UNSEEN = re.compile(r"[\u0300-\u036f\u0640\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
"""Accents that stand alone, joiners, marks of direction, and the stroke that only lengthens an Arabic word."""
WITHOUT_SPACES = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Scripts that put nothing between words, or endings behind them, so that a value may begin and end anywhere."""
WRITTEN_LEFTWARDS = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
LATIN_GREEK_CYRILLIC_END = "\u0590"
INSIDE_NUMBERS = ".,/:-"


@lru_cache(maxsize=20_000)
def plain_character(character: str) -> str:
    """A character as it is compared: ligatures apart, digits of any script as 0-9, without case and accents; "" for what nobody sees."""
    if character in DASHES:
        return "-"
    if character in QUOTES:
        return "'"
    out = []
    for one in unicodedata.normalize("NFKC", character).casefold():
        digit = unicodedata.digit(one, None)
        if digit is not None:
            out.append(str(digit))
        elif not (one.isspace() or UNSEEN.match(one)):
            apart = unicodedata.normalize("NFD", one)
            out.append(apart[0] if apart[0] < LATIN_GREEK_CYRILLIC_END else one)
    return "".join(out)


def plain(text: str) -> str:
    return "".join(
        " " if one.isspace() else plain_character(one) for one in unicodedata.normalize("NFC", text)
    )


def key_positions(word: str) -> Iterator[int]:
    """Places in a plain word of what tells values apart: letters and digits, and the marks between digits. Pure."""
    last = len(word) - 1
    for at, character in enumerate(word):
        marks = character in INSIDE_NUMBERS and 0 < at < last and word[at - 1].isdigit()
        if (
            character.isalnum()
            or unicodedata.category(character)[0] == "M"
            or (marks and word[at + 1].isdigit())
        ):
            yield at


def key(text: str) -> str:
    """What is left of a text when white space, hyphens and the like do not count: equal keys are the same value."""
    return "".join(word[at] for word in plain(text).split() for at in key_positions(word))


@dataclass(frozen=True, slots=True)
class Number:
    """A printed number at characters start..end of a plain text, and every value that it may mean."""

    start: int
    end: int
    values: frozenset[Decimal]


PART = re.compile(r"\d[\d.,'٫٬]*")
FIRST, NEXT, LAST = re.compile(r"\d{1,3}"), re.compile(r"\d{3}"), re.compile(r"\d{3}(?:[.,]\d{1,4})?")
MOST_PARTS = 5
MARKS = ".,'٫٬"
GROUPED = re.compile(r"\d{1,3}(?:\D\d{2,3})*\D\d{3}")
LONGEST_HEAD = 40
HEAD = re.compile(r"(?P<open>\(?)(?P<minus>[-+]?)(?P<unit>[^\W\d_]*\.?[^\w\s()+.,'/:-]*)(?P<inner>[-+]?)$")
TAIL = re.compile(r"(?:[.,]-+|(?P<minus>-))?[^\W\d_]*[^\w\s()+.,'/:-]*(?P<close>\))?(?![\w]|[-/:.,'][^\W_])")
LABEL_BEFORE = re.compile(r"[^\W\d_]\.?:$")
MINUS_APART = re.compile(r"(?:^|\s)-\s$")


def numbers(text: str, mark: str = "") -> Iterator[Number]:
    """Every number in a plain text in which a single space may stand between thousands.

    mark: the decimal mark of the document, "" where nothing says; then 1.234 may be either.
    Parts of dates, times, telephone numbers, codes and longer numbers are none.
    """
    parts = list(PART.finditer(text))
    while parts:
        run = [parts.pop(0)]
        while parts and len(run) < MOST_PARTS and _groups(text, run, parts[0]):
            run.append(parts.pop(0))
        said = "".join(part.group() for part in run)
        bare = said.rstrip(MARKS)
        start, end = run[0].start(), run[-1].end() - (len(said) - len(bare))
        if values := signed(text, start, end, readings(bare, mark)):
            yield Number(start, end, values)


def _groups(text: str, run: list[re.Match[str]], following: re.Match[str]) -> bool:
    """Whether the space before `following` is one between thousands."""
    whole = FIRST if len(run) == 1 else NEXT
    alone = text[run[-1].end() : following.start()] == " "
    return alone and bool(
        whole.fullmatch(run[-1].group()) and LAST.fullmatch(following.group().rstrip(MARKS))
    )


def readings(printed: str, mark: str = "") -> frozenset[Decimal]:
    """What digits with marks may mean: "1.234" is 1234 or 1.234 where the document's decimal mark is not known."""
    text = printed.replace("'", "").replace("٬", ",").replace("٫", ".")
    last = max(text.rfind("."), text.rfind(","))
    if last < 0:
        return frozenset([Decimal(text)]) if text else frozenset()
    sign = text[last]
    other = "," if sign == "." else "."
    grouped = bool(GROUPED.fullmatch(text)) and other not in text
    as_whole = Decimal(text.replace(sign, "").replace(other, "")) if grouped else None
    whole = text[:last]
    is_decimal = sign not in whole and (
        other not in whole or bool(GROUPED.fullmatch(whole)) or bool(FIRST.fullmatch(whole))
    )
    as_decimal = Decimal(f"{whole.replace(other, '') or 0}.{text[last + 1 :]}") if is_decimal else None
    if as_whole is not None and as_decimal is not None:
        if text[0] == "0":
            as_whole = None
        elif mark:
            as_whole, as_decimal = (None, as_decimal) if sign == mark else (as_whole, None)
    return frozenset(value for value in (as_whole, as_decimal) if value is not None)


def signed(text: str, start: int, end: int, values: frozenset[Decimal]) -> frozenset[Decimal]:
    """The values with the sign that is printed; none where the digits are part of something else. "-" apart from them may be either."""
    before = text[max(start - LONGEST_HEAD, 0) : start]
    head, tail = HEAD.search(before), TAIL.match(text, end)
    if head is None or tail is None or not _stands_alone(head):
        return frozenset()
    enclosed = bool(head["open"] and tail["close"])
    if "-" in (head["minus"], head["inner"]) or enclosed or tail["minus"]:
        return frozenset(-value for value in values)
    if MINUS_APART.search(before):
        return values | {-value for value in values}
    return values


def _stands_alone(head: re.Match[str]) -> bool:
    """Whether what stands directly before the digits leaves them a number: a currency, a sign, an abbreviation, or a script without spaces."""
    unit, rest = head["unit"], head.string[: head.start()]
    if rest and not (rest[-1].isspace() or WITHOUT_SPACES.match(rest[-1]) or LABEL_BEFORE.search(rest)):
        return False
    letters = unit.rstrip("$€£¥₹₽₩₺₪")
    return (
        not any(map(str.isalpha, letters))
        or bool(code_of(unit))
        or letters.endswith(".")
        or bool(WITHOUT_SPACES.match(letters[-1]))
    )


def decimal_mark(texts: Iterable[str]) -> str:
    """The mark before most two-digit decimals of plain texts; "" where none says it, or as many say the other."""
    votes: Counter[str] = Counter()
    for text in texts:
        votes.update(re.findall(r"(?<![\d.,])\d[\d.,' ]*([.,])\d\d(?![\d.,]*\d)", text))
    if votes[","] == votes["."]:
        return ""
    return "," if votes[","] > votes["."] else "."
