"""What stands as a number behind, beside or below its label."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from tasks.agent.layout import Cell
from tasks.agent.rules.kind import DAYS
from tasks.agent.rules.labels import Hit
from tasks.agent.rules.numbers import code_of
from tasks.agent.rules.patterns import TOWN
from tasks.agent.rules.text import Candidate, Text, words_at

NUMBER = re.compile(
    r"#?(?:[A-Za-z]{1,4} (?=\d)|[A-Z]{1,4} (?=[A-Z]{1,3}[/\-]\d))?[A-Za-z]{0,12}[\w\-/.\\\[\]#]*\d[\w\-/.\\\[\]]*"
)
LEAD = re.compile(r"^[\s:.#\-–°º|=]*(?:(?:nr|no|n|o)\b[.\s:°º]*)?")
MONEY = re.compile(r"^[-+]?\d{1,3}(?:[.,' ]?\d{3})*[.,]\d{2}$")
NOT_NUMBERS = re.compile(
    r"^(?:page|seite)$|^[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3}|@|^www\.|^\d{1,2}:\d\d|^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-"
)
PAGE_OF = re.compile(r"\d{1,2}/\d{1,2}$")
"""A page of so many; behind a label that says that it is the number it is one."""
OF_DAYS = re.compile(DAYS)
"""Not a number but a time to pay in: "Recibo 60 días"."""
SAID = re.compile(
    r"(?:[ ,][^\d:]{30,}|\.? ?/(?! ?(?:kund|client|klant|asiak|cust|order|bestell|auftr|dat))[^\d:]{2,25})(?=: ?\S)"
)
"""How a label goes on that is a sentence, or has another name as well: "Invoice number, given in one or more series, that names the invoice without doubt: ...", "Fakturanummer/OCR: ..."."""
OF_ANOTHER = re.compile(
    r"\b(?:korygowan|corrected|credited|original invoice|ursprungsrechnung|korrigierte|d'origine|rectifie|rectificada|di riferimento|rettificata|oorspronkelijk|alkuperai|alkup\b"
    r"|ursprunglig|opprinnelig|oprindelig|fatura original|puvodni)"
)
"""What says that a number is that of the document which this one corrects."""
PREFIX = re.compile(r"[A-Z]{2,5}[-/]\d")
"""A label in capitals that a number begins with: "TXN-98765"."""
MONTHLY = re.compile(r"(?:\d{1,4}/\d{1,2}/(?:19|20)\d\d|(?:19|20)\d\d-\d{1,2}-\d{1,3})(?![\w/-])")
"""A number within its month, which looks like a date, and behind a label of the number is none: "Faktura nr 12/03/2024", "2024-03-12"."""
BLANKED = re.compile(r" ?/ ?(?=\S)[A-Za-z]{0,4}\d[\w/-]*")
"""How a number goes on behind a stroke with blanks around it: "2024 / 0815"."""
BARE_LABEL = re.compile(
    r"^(?:n[o.°º]{0,2}|nr|num(?:ber|mer|ero)?|#)(?:(?<![a-z])|(?![a-z]))\W{0,2}\s?[:.]?\s*(?=$|\W*[a-z]{0,6}[-/ ]?\d)"
)
"""What stands alone for "number" under a title: "N° :", "Nr.", "No.", "Number"; never the beginning of another word."""
GROUPS = re.compile(r"(?: \d{2,})+$")
PARTED = re.compile(r" \d{3,}(?=$| [^\W\d_]{2})")
BY_MONTH = re.compile(r"[A-Z]{2,4} \d{1,4}/(?:\d{1,2}/)?\d{4}$")
"""A number with its month and year, which holds what looks like a date: "FV 14/03/2025"."""
STAMPED = re.compile(r"(?:19|20)\d\d-\d\d-\d\d(?:[a-z]\w*|[-/]\w+)", re.IGNORECASE)
"""A number that begins with the day and goes on: "2024-05-31t101500", "2024-05-31-07"."""
CUT = re.compile(r",\d")
"""What makes a number behind which it stands the beginning of a figure."""
ALIGNED = 6.0
FAR = 6.0
"""Heights between a label and a cell on its line, beyond which one right below the label is as likely its value."""
SAME_CELL, RIGHT, BELOW = 1.0, 0.97, 0.86
GLUED = re.compile(r"(?:\bn|\bno|nr|num|nro|#|\bid|\bref)$")


def values_behind(text: Text, cell: Cell, hit: Hit, weight: float, near: bool = False) -> Iterator[Candidate]:
    if hit.words == 1 and PREFIX.match(cell.text, hit.start):
        # The label is the beginning of the number itself
        if (own := number_in(text, cell, hit.start, weight, first_only=True)) is not None:
            yield own
        return
    tail = text.folded[cell][hit.end :]
    if tail[:1].isdigit() and not GLUED.search(text.folded[cell][hit.start : hit.end]):
        weight -= 0.2  # a code that happens to start with the label's letters
    if OF_ANOTHER.search(text.folded[cell]):
        return
    if said := SAID.match(tail):
        tail, hit = tail[said.end() :], replace(hit, end=hit.end + said.end())
    start = hit.end + len(LEAD.match(tail).group())  # type: ignore[union-attr]
    own = number_in(text, cell, start, weight * SAME_CELL, first_only=True, labelled=not near)
    if own is None and not near and hit.words > 1 and (monthly := MONTHLY.match(cell.text, start)):
        own = Candidate(monthly.group(), weight, words_at(cell, *monthly.span()), label="number")
    if own is not None:
        yield own
        return
    if cell.text[hit.end :].strip(" :.#-") and not near:
        weight -= 0.15
    beside = next(text.right_of(cell), None)
    town = beside is not None and TOWN.search(beside.text) is not None
    far = beside is not None and (town or beside.x0 - cell.x1 > FAR * cell.height)
    if beside is not None and not town:
        candidate = number_in(text, beside, lead_end(beside), weight * (RIGHT if not near else 0.8))
        if candidate is not None:
            candidate.score -= 0.2 if far and not near and _stacked(text, cell) else 0.0
            yield candidate
    if (beside is None or far or not re.search(r"\d", beside.text)) and not near:
        for other in text.below(cell, 1):
            if text.leading_hit(other) is None or BARE_LABEL.match(text.folded[other]):
                candidate = number_in(text, other, lead_end(other), weight * BELOW) or _dated_number(
                    other, weight * BELOW
                )
                if candidate is not None:
                    yield candidate
                    return


def _stacked(text: Text, cell: Cell) -> bool:
    """Whether the words right below the label begin where it begins and look like a value."""
    return any(
        abs(other.x0 - cell.x0) < 3 and any(map(str.isdigit, other.text)) and text.leading_hit(other) is None
        for other in text.below(cell, 1)
    )


def _dated_number(cell: Cell, score: float) -> Candidate | None:
    """Numbers like 3/11/2024 (third of November's invoices) look like dates; alone under a number's label they are none."""
    if MONTHLY.fullmatch(cell.text):
        return Candidate(cell.text, score, cell.words, label="number")
    return None


def lead_end(cell: Cell) -> int:
    match = re.match(r"[\s:.|=]*", cell.text)
    return match.end() if match else 0


def number_in(
    text: Text, cell: Cell, start: int, score: float, first_only: bool = False, labelled: bool = False
) -> Candidate | None:
    """The first thing behind `start` that looks like a document's number: has a digit, is no date, no money, no telephone.

    Behind a label of the number (`labelled`) it may be one that looks like the count of a page: "5/12".
    """
    match = NUMBER.match(cell.text, start)
    if match is None:
        if first_only:
            return None
        match = NUMBER.search(cell.text, start)
        if match is None or len(cell.text[start : match.start()].split()) > 1:
            return None
    value = match.group().rstrip(".-/\\[")
    value = value if value.count("[") == value.count("]") else value.rstrip("]")
    groups = GROUPS.match(cell.text, match.start() + len(value))
    if first_only and value.isdigit():
        groups = PARTED.match(cell.text, match.start() + len(value))
    if groups is not None and (not first_only or value.isdigit()):
        value += groups.group()
    end = match.start() + len(value)
    if (blanked := BLANKED.match(cell.text, end)) and not any(
        d.start < blanked.end() and end < d.end for d in text.dates(cell)
    ):
        value, end = value + blanked.group(), blanked.end()
    taken = [found for found in text.dates(cell) if found.start < end and match.start() < found.end]
    if taken and not (BY_MONTH.match(value) or (labelled and STAMPED.fullmatch(value))):
        return None
    if CUT.match(cell.text, end) or value.startswith(("/", "_")):
        return None  # the beginning of a figure, or the end of a number that is left open in a form
    currency, _, sum_ = value.rpartition(" ")
    if MONEY.match(sum_) and (not currency or code_of(currency)):
        return None
    if NOT_NUMBERS.search(value) or len(value) > 40 or cell.text[end : end + 1] == "%":
        return None
    if not labelled and (PAGE_OF.match(value) or OF_DAYS.match(text.folded[cell], match.start())):
        return None
    if re.match(r"\s?(?:[€$£%]|EUR\b|USD\b)", cell.text[end : end + 5]):
        return None
    words = words_at(cell, match.start(), end)
    if cell.text[end:] == "-" and (rest := _wrapped(text, cell)) is not None:
        value, words = f"{value}-{rest.text}", [*words, *rest.words]
    return Candidate(value.lstrip("#"), score, words, label="number")


def _wrapped(text: Text, cell: Cell) -> Cell | None:
    """The rest of a number that a hyphen at the end of its cell parts: it begins right below it."""
    rests = [c for c in text.below(cell, 1) if abs(c.x0 - cell.x0) < ALIGNED and len(c.words) == 1]
    return rests[0] if rests and any(map(str.isdigit, rests[0].text)) else None
