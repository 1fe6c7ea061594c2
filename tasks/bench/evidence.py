"""Is what a result quotes really printed where it says? Read anew from the PDF, without the reader that is being judged.

`python -m tasks.bench.evidence FILE.pdf < result.json` prints {"checked": n, "wrong": [[page, quote, why], …]}; a process of
its own, because files that are made to break readers are judged as well.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from ctypes import byref, c_int
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

SCALE = 1_000_000
"""Device units per page side: fractions of the page with six digits."""
MOST_TIMES_THE_WORDS = 3.0
SLACK = 0.0005  # of a page side
Rectangle = tuple[float, float, float, float]


def cited(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every piece of evidence of a result that lies in a text layer (words that OCR found do not)."""
    for record in result["records"]:
        for value in (
            *record["fields"].values(),
            *(cell for line in record["lines"] for cell in line.values()),
        ):
            if value["source"] != "ocr":
                yield from value["evidence"]


class Words:
    """The characters of one page with their boxes, as they are seen: after cropping and rotation."""

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        text = page.get_textpage()
        self.characters: list[tuple[str, Rectangle]] = []
        for index in range(text.count_chars()):
            character = chr(pdfium.FPDFText_GetUnicode(text, index))
            left, bottom, right, top = text.get_charbox(index)
            corners = [_seen(page, left, bottom), _seen(page, right, top)]
            (x0, x1), (y0, y1) = (sorted(axis) for axis in zip(*corners, strict=True))
            self.characters.append((character, (x0, y0, x1, y1)))

    def under(self, box: dict[str, float]) -> list[tuple[str, Rectangle]]:
        """Characters whose middle lies in the box, in the order of the page's text."""
        return [
            (character, (x0, y0, x1, y1))
            for character, (x0, y0, x1, y1) in self.characters
            if box["x0"] - SLACK <= (x0 + x1) / 2 <= box["x1"] + SLACK
            and box["y0"] - SLACK <= (y0 + y1) / 2 <= box["y1"] + SLACK
        ]


def fault(words: Words, evidence: dict[str, Any]) -> str:
    """What is wrong with one piece of evidence; empty if nothing is."""
    box, quote = evidence["box"], "".join(evidence["quote"].split())
    found = words.under(box)
    text = "".join("".join(character for character, _ in found).split())
    if sorted(text) != sorted(
        quote
    ):  # as a multiset: the order of a page's text is not always that of the eye
        return f"the text there is {text[:80]!r}"
    area = (box["x1"] - box["x0"]) * (box["y1"] - box["y0"])
    if area > MOST_TIMES_THE_WORDS * _area_of_words(found):
        return f"the box is {area / max(_area_of_words(found), 1e-12):.1f} times as large as its words"
    return ""


def _area_of_words(found: list[tuple[str, Rectangle]]) -> float:
    area = 0.0
    word: list[Rectangle] = []
    for character, rectangle in [*found, (" ", (0.0, 0.0, 0.0, 0.0))]:
        if character.isspace():
            if word:
                x0, y0, x1, y1 = zip(*word, strict=True)
                area += (max(x1) - min(x0)) * (max(y1) - min(y0))
            word = []
        else:
            word.append(rectangle)
    return area


def _seen(page: pypdfium2.PdfPage, x: float, y: float) -> tuple[float, float]:
    """A point of the page's own coordinates as fractions of the page as it is shown, from its upper left corner."""
    across, down = c_int(), c_int()
    pdfium.FPDF_PageToDevice(page, 0, 0, SCALE, SCALE, 0, x, y, byref(across), byref(down))
    return across.value / SCALE, down.value / SCALE


def judge(path: str, result: dict[str, Any], password: str | None = None) -> dict[str, Any]:
    """Counts and faults of all evidence of one result."""
    checked, wrong, pages = 0, [], {}
    document = pypdfium2.PdfDocument(path, password=password)
    for evidence in cited(result):
        number = evidence["page"]
        if number not in pages:
            pages[number] = Words(document[number - 1])
        checked += 1
        if why := fault(pages[number], evidence):
            wrong.append([number, evidence["quote"], why])
    return {"checked": checked, "wrong": wrong}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(judge(sys.argv[1], json.load(sys.stdin))))
