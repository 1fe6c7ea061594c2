"""Joins letters to words on pages of which PDFium takes every letter for a line of its own, as it does with some prints of browsers."""

from __future__ import annotations

from tasks.agent.page import Word

LINE_END = "\r\n"
LEAST_WORDS = 20


def joined(words: list[Word], string: str) -> list[Word]:
    """The words as they are printed, or as they came where most of them are no letters alone. `string`: the page's text."""
    if len(words) < LEAST_WORDS or string.count(LINE_END) <= len(words) / 2:
        return words
    if sum(len(word.text) == 1 for word in words) <= len(words) / 2:
        return words
    found: list[Word] = []
    for word in words:
        last = found[-1] if found else None
        if last and string[last.end : word.start] == LINE_END and _goes_on(last, word):
            found[-1] = Word(
                last.text + word.text, last.x0, min(last.y0, word.y0), word.x1, max(last.y1, word.y1), word.page, last.start, word.end
            )  # fmt: skip
        else:
            found.append(word)
    return found


def _goes_on(word: Word, following: Word) -> bool:
    """Whether a letter stands right behind the one before it, on the same line."""
    height = word.y1 - word.y0
    return abs(following.x0 - word.x1) < height * 0.12 and abs(following.y1 - word.y1) < height * 0.1
