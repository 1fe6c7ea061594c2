"""Finds the date of a document and the day of its payment: by their labels, else by where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tasks.agent.layout import Cell
from tasks.agent.rules.dates import SWAPPABLE, Found
from tasks.agent.rules.document_numbers import ranked
from tasks.agent.rules.labels import Hit
from tasks.agent.rules.number_values import BELOW, RIGHT, SAME_CELL, STAMPED
from tasks.agent.rules.terms import stated_days, unreduced
from tasks.agent.rules.text import Candidate, Text, words_at

PLACE_AND_DATE = re.compile(
    r"^[^\W\d_][\w .\-]{2,30},\s*(?:den|le|lì|a)\b|^[^\W\d_]{3,}(?:[ \-/][^\W\d_]{2,}){0,2},\s*(?:dnia |am |op )?$",
    re.IGNORECASE,
)
CONNECTED = re.compile(
    r"^\W*(?:du|vom|of|dated|date|del|di|van|d\.d\.|z dnia|z|den|le|il|av|fra|af|ze dne|de|no dia)?\W*$"
)
OF = re.compile(r"[a-z][^\w]*$")
PAID = 0.85
OFTEN_ANOTHER = 0.2
"""By so much less weighs a label that may as well be one of another date: "Date de vente"."""
WORDS, SENTENCE = re.compile(r"[^\W\d_]{2,}"), 4
"""So many words before a date make it a part of what they say."""
SAID = "The only date stands in a sentence, and no label says that it is the document's."


def dates_of(text: Text, role: str, kind: str = "") -> list[Candidate]:
    """Candidates for `role` ("date" or "due_date"), best first. A date that another label claims is left to it.

    A receipt (`kind`) that bears no other date is of the day of payment.
    """
    found: list[Candidate] = []
    claims = list(_claims(text, role))
    claimed = {id(word) for other in claims for word in other.words}
    for cell, hit in text.labelled(role):
        if role not in hit.roles:
            continue
        leads = text.leads(cell, hit)
        precise = hit.words > 1 or len(text.folded[cell][hit.start : hit.end]) >= 9
        weight = (0.95 if precise else 0.85) if leads else (0.8 if precise else 0.5)
        weight -= OFTEN_ANOTHER if "other_date" in hit.roles else 0.0
        found += [c for c in date_values(text, cell, hit, weight) if id(c.words[0]) not in claimed]
    if role == "due_date":
        found += [c for c in stated_days(text) if id(c.words[0]) not in claimed]
        found = unreduced(text, found)
        found = found or list(_dates_over(text, role))
    if role == "date":
        found += _undated(text, claimed)
        if kind == "receipt" and not found:
            paid = ((cell, hit) for cell, hit in text.labelled("paid_on") if text.leads(cell, hit))
            found += [c for cell, hit in paid for c in date_values(text, cell, hit, PAID)]
        if not found:
            found += [_only_other(c) for c in claims if c.label != "expiry"]
    for candidate in found:
        word = candidate.words[0]
        page = text.pages[word.page]
        candidate.score -= 0.05 * min(word.page - min(text.pages), 3) + (
            0.12 if word.y0 > 0.88 * page.height else 0.0
        )
    return ranked(found)


def _dates_over(text: Text, role: str) -> Iterator[Candidate]:
    """Where labels are set in small print under their values: the date over the label."""
    for cell, hit in text.labelled(role):
        if text.leads(cell, hit) and role in hit.roles and not cell.text[hit.end :].strip(" :."):
            for other in text.above(cell):
                if text.dates(other) and text.leading_hit(other) is None:
                    yield _dated(other, text.dates(other)[0], 0.7)


def _claims(text: Text, role: str) -> Iterator[Candidate]:
    """The dates that the labels of other dates announce, each with the role of its label."""
    for other in ("other_date", "expiry", "due_date" if role == "date" else "date"):
        for cell, hit in text.labelled(other):
            if (
                role not in hit.roles
                and other in hit.roles
                and (hit.words > 1 or len(text.folded[cell][hit.start : hit.end]) > 6)
            ):
                for candidate in date_values(text, cell, hit, 1.0):
                    candidate.label = other
                    yield candidate


def date_values(text: Text, cell: Cell, hit: Hit, weight: float) -> Iterator[Candidate]:
    """Dates that belong to a label: behind it, else to its right, else below it."""
    rivals = {"date", "due_date", "other_date", "expiry", "number"}
    stop = min(
        [other.start for other in text.hits[cell] if other.start >= hit.end and rivals & other.roles],
        default=len(cell.text),
    )
    own = [d for d in text.dates(cell) if hit.end <= d.start < stop]
    if own:
        yield _dated(cell, own[0], weight * SAME_CELL)
        return
    if text.amounts(cell) and any(a.start >= hit.end for a in text.amounts(cell)):
        return
    beside = next(text.right_of(cell), None)
    if beside is not None and (right := text.dates(beside)):
        yield _dated(beside, right[0], weight * RIGHT)
        return
    for other in text.below(cell, 1):
        if text.dates(other) and text.leading_hit(other) is None:
            yield _dated(other, text.dates(other)[0], weight * BELOW)
            return


def _only_other(candidate: Candidate) -> Candidate:
    reason = "Only a date of delivery, of the order or of a period is printed; it was taken as the document's date."
    return Candidate(candidate.value, 0.55, candidate.words, [*candidate.reasons, reason])


def _dated(cell: Cell, found: Found, score: float) -> Candidate:
    words, reasons = words_at(cell, found.start, found.end), [SWAPPABLE] if found.unsure else []
    return Candidate(found.value.isoformat(), score, words, reasons, label="date")


def _undated(text: Text, claimed: set[int]) -> Iterator[Candidate]:
    """Dates without a label of their own: behind a place, behind the document's number, or alone near the top."""
    alone = len({found.value for cell in text.cells for found in text.dates(cell)}) == 1
    for cell in text.cells:
        for found in text.dates(cell)[:1]:
            candidate = _dated(cell, found, 0.0)
            if id(candidate.words[0]) in claimed:
                continue
            before = text.folded[cell][: found.start]
            if STAMPED.match(cell.text, found.start) and any(
                "number" in hit.roles for hit in text.hits.get(cell, ())
            ):
                continue
            if CONNECTED.match(before) and found.end >= len(cell.text) - 1 and _titled(text, cell, found):
                candidate.score = 0.86
                yield candidate
                continue
            left = (
                text.lines[cell.line].cells[cell.column - 1].text
                if cell.column and not before.strip()
                else before
            )
            if PLACE_AND_DATE.search(left):
                candidate.score = 0.84
            elif _is_titled(text, cell, found):
                candidate.score = 0.86
            elif alone:
                candidate.score = 0.82
                if len(WORDS.findall(before)) >= SENTENCE:
                    candidate.reasons.append(SAID)
            elif text.lines[cell.line].y0 < 0.3 * text.pages[cell.page].height and not re.search(
                r"[a-z]", before
            ):
                candidate.score = 0.62
                candidate.reasons.append("No label says that this is the document's date.")
            else:
                continue
            yield candidate


def _is_titled(text: Text, cell: Cell, found: Found) -> bool:
    """Whether the document's title or number opens the cell, or the line that the date ends."""
    first = text.lines[cell.line].cells[0]
    if first is not cell and (found.start or found.end < len(cell.text) - 1):
        first = cell
    end = found.start if first is cell else len(first.text)
    return _names_document(text, first, end, _is_connected(text, cell, found))


def _titled(text: Text, cell: Cell, found: Found) -> bool:
    """Whether the cell stands right under the document's title or number, in the same block of words."""
    connected = _is_connected(text, cell, found)
    return any(_names_document(text, other, len(other.text), connected) for other in text.above(cell))


def _is_connected(text: Text, cell: Cell, found: Found) -> bool:
    """Whether a word stands right before the date: it says whose date this is together with what stands before it."""
    return OF.search(text.folded[cell], 0, found.start) is not None


def _names_document(text: Text, cell: Cell, end: int, connected: bool) -> bool:
    """Whether title or number open the cell; where the date is connected to what stands up to `end`, nothing else is numbered there: "Invoice on order no. 7 | of 1 March"."""
    hits = [hit for hit in text.hits.get(cell, ()) if hit.start < end]
    titles = [hit.roles for hit in hits if hit.plays("kind:")]
    if titles and connected and titles[0].isdisjoint(titles[-1]):
        return False  # "Credit note on invoice 7 of 1 March"
    named = any("kind:none" not in roles for roles in titles) or any("number" in hit.roles for hit in hits)
    others = connected and any("other_number" in hit.roles and "number" not in hit.roles for hit in hits[1:])
    return named and not others and text.leading_hit(cell) is not None
