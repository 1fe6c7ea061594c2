"""Cuts a document into what one request can hold: pages in order, the last of each again in the next, and nothing left out. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

MOST_CHARACTERS = 60_000
"""Of text in one request: a quarter as many tokens, more in scripts without spaces."""
MOST_PICTURES = 4
FEWEST_LINES = 10
"""Less of a page is not worth a request of its own."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A page, or some lines of one that is too long. `picture`: whether its picture is sent too."""

    page: int
    text: str
    picture: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """What one request is about. `again`: the pages that the window before has held as well."""

    pieces: tuple[Piece, ...]
    again: frozenset[int] = frozenset()

    @property
    def pages(self) -> list[int]:
        return sorted({piece.page for piece in self.pieces})

    def halves(self) -> tuple[Window, Window] | None:
        """The window as two smaller ones; None where it is too small to be cut."""
        if len(self.pieces) > 1:
            middle = len(self.pieces) // 2
            return self._only(self.pieces[:middle]), self._only(self.pieces[middle:])
        piece = self.pieces[0]
        lines = piece.text.splitlines(keepends=True)
        if len(lines) < 2 * FEWEST_LINES:
            return None
        middle = len(lines) // 2
        first, second = (
            self._only((replace(piece, text="".join(part)),)) for part in (lines[:middle], lines[middle:])
        )
        return first, second

    def _only(self, pieces: tuple[Piece, ...]) -> Window:
        return Window(pieces, self.again & {piece.page for piece in pieces})


def windows_of(
    pieces: Iterable[Piece], most_pages: int, most_characters: int = MOST_CHARACTERS
) -> list[Window]:
    """Windows of at most so many pages and characters (a single line may be longer). Each begins with the last page of the one before,
    so that what goes on over a page break is seen whole once; not where that page alone nearly fills a window."""
    windows: list[Window] = []
    open_: list[Piece] = []
    fresh = 0
    for piece in (part for one in pieces for part in _parts(one, most_characters)):
        if fresh and not _fits([*open_, piece], most_pages, most_characters):
            windows.append(Window(tuple(open_), _pages(open_[: len(open_) - fresh])))
            open_ = [open_[-1]] if _fits([open_[-1], piece], most_pages, most_characters) else []
            fresh = 0
        open_.append(piece)
        fresh += 1
    if fresh:
        windows.append(Window(tuple(open_), _pages(open_[: len(open_) - fresh])))
    return windows


def _pages(pieces: list[Piece]) -> frozenset[int]:
    return frozenset(piece.page for piece in pieces)


def _fits(pieces: list[Piece], most_pages: int, most_characters: int) -> bool:
    return (
        len(_pages(pieces)) <= most_pages
        and sum(len(piece.text) for piece in pieces) <= most_characters
        and sum(piece.picture for piece in pieces) <= MOST_PICTURES
    )


def _parts(piece: Piece, most_characters: int) -> Iterable[Piece]:
    """The piece itself, or its lines in portions that fit."""
    if len(piece.text) <= most_characters:
        return [piece]
    parts, lines, size = [], [], 0
    for line in piece.text.splitlines(keepends=True):
        if lines and size + len(line) > most_characters:
            parts.append(replace(piece, text="".join(lines), picture=piece.picture and not parts))
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    return [*parts, replace(piece, text="".join(lines), picture=piece.picture and not parts)]
