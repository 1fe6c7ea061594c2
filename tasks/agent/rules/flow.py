"""The words of some pages as one running text, for what a sentence states; every stretch of it leads back to its words."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from tasks.agent.page import Word
from tasks.agent.rules.dates import SWAPPABLE, Found
from tasks.agent.rules.labels import fold
from tasks.agent.rules.text import Candidate, Text

QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'"})


class Flow:
    """`text` with straight quotation marks, and `folded`: the same, lower case without accents, character for character."""

    def __init__(self, text: Text):
        self.words: list[Word] = [word for cell in text.cells for word in cell.words]
        self.starts: list[int] = []
        at = 0
        for word in self.words:
            self.starts.append(at)
            at += len(word.text) + 1
        self.text = " ".join([word.text for word in self.words]).translate(QUOTES)
        self.folded = fold(self.text)

    def words_at(self, start: int, end: int) -> list[Word]:
        """The words that characters start..end touch."""
        first = max(bisect_right(self.starts, start) - 1, 0)
        return self.words[first : bisect_left(self.starts, end)]

    def dated(self, found: Found, score: float) -> Candidate:
        """The candidate for a date that was found in `folded`."""
        reasons = [SWAPPABLE] if found.unsure else []
        return Candidate(found.value.isoformat(), score, self.words_at(found.start, found.end), reasons)
