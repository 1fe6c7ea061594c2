"""Prints that place each letter by itself, in columns so dense that PDFium takes every letter for a line: their words are whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.agent.pdf import Document
from tests import pdfs

WIDTHS = {" ": 278, "i": 222, "l": 222, "t": 278, "r": 333, ":": 278, "-": 278, ",": 278, ".": 278, "m": 833, "F": 611, "A": 667, "C": 722,
          "T": 611, "U": 722, "R": 722, "z": 500, "s": 500, "c": 500, "k": 500}  # fmt: skip
"""Of Helvetica, in thousandths of its size; 556 for the others."""
LINES = ("Fietsenzo", "FACTUUR", "Factuurnummer: 2025-0388", "Datum: 3 april 2025", "Totaal: 44,00")
SIZE = 13.33


def letters(text: str, x: float, y: float) -> str:
    """A line with a Td before each letter, as browsers print it on a page that is drawn from the top."""
    out = f"BT /F {SIZE} Tf 1 0 0 -1 {x} {y} Tm\n"
    for before, letter in zip(["", *text], text, strict=False):
        step = WIDTHS.get(before, 556) * SIZE / 1000 if before else 0
        out += f"{step:.4f} 0 Td ({letter}) Tj\n"
    return out + "ET\n"


def columns(*places: float, step: float = 15) -> bytes:
    rows = [(x, 30 + step * row, LINES[row % len(LINES)]) for x in places for row in range(int(740 / step))]
    return pdfs.page_pdf(
        "1 0 0 -1 0 800 cm q\n" + "".join(letters(text, x, y) for x, y, text in rows) + "Q\n"
    )


def words(tmp_path: Path, content: bytes) -> list[str]:
    with Document.open(pdfs.stored(tmp_path, content)) as document:
        return [word.text for word in document.read(1).words]


@pytest.mark.parametrize("step", [13, 15, 18])
def test_letters_that_each_stand_in_a_line_of_their_own_are_joined(tmp_path: Path, step: float) -> None:
    expected = [word for row in range(int(740 / step)) for word in LINES[row % len(LINES)].split()]
    assert words(tmp_path, columns(20, 400, step=step)) == expected * 2


def test_a_joined_word_is_found_where_it_is_printed(tmp_path: Path) -> None:
    with Document.open(pdfs.stored(tmp_path, columns(20, 400))) as document:
        page = document.read(1)
        number = next(word for word in page.words if word.text == "2025-0388")
        box = document.tight_box([number], page)
        assert box is not None and "".join(document.text_under(page, box).split()) == "2025-0388"
        assert number.x1 - number.x0 == pytest.approx((8 * 556 + 278) * SIZE / 1000, abs=1)


def test_lone_letters_in_cells_stay_apart(tmp_path: Path) -> None:
    grid = "".join(
        letters(letter, x, 30 + 15 * row)
        for row in range(48)
        for x, letter in ((20, "A"), (40, "B"), (300, "C"), (400, "D"))
    )
    assert words(tmp_path, pdfs.page_pdf("1 0 0 -1 0 800 cm q\n" + grid + "Q\n")).count("A") == 48
