"""Makes one record of what was read in several windows. Pure.

A field is what the first window says that proves it on a page; if another proves something else, the value is flagged and both are named.
Entries of lists follow each other; one that two windows have read, because they share its page, is taken once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from tasks.agent import confidence, printed
from tasks.agent.contract import FieldValue
from tasks.agent.llm.grounded import ROW, Entry

MOST_QUOTED = 80

Value = str | int | None


@dataclass(slots=True)
class Portion:
    """What one window gave, grounded. `again`: pages that the window before has held too; `faults`: what in its lists cannot be used, in words."""

    fields: dict[str, FieldValue]
    lists: dict[str, list[Entry]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    again: frozenset[int] = frozenset()


def merged_fields(portions: Sequence[Portion]) -> dict[str, FieldValue]:
    """Every field of the portions, which all have the same ones."""
    return {name: merged([portion.fields[name] for portion in portions]) for name in portions[0].fields}


def merged(values: Sequence[FieldValue]) -> FieldValue:
    """The value of a field that several windows were asked for."""
    said = [value for value in values if value.value is not None]
    proven = [value for value in said if value.evidence]
    if not proven:
        return (said or values)[0]
    same = [value for value in proven if alike(value.value, proven[0].value)]
    best = max(same, key=lambda value: value.confidence)
    other = next((value for value in proven if not alike(value.value, best.value)), None)
    return best if other is None else contradicted(best, other)


def contradicted(one: FieldValue, other: FieldValue) -> FieldValue:
    reason = f"{_said(one)}, {_said(other)}."
    return one.model_copy(
        update={
            "confidence": min(one.confidence, confidence.FLAGGED),
            "reasons": (*one.reasons, reason[0].upper() + reason[1:])[:20],
        }
    )


def _said(value: FieldValue) -> str:
    text = str(value.value)
    shown = text if len(text) <= MOST_QUOTED else f"{text[:MOST_QUOTED]}…"
    return f"page {value.evidence[0].page} says “{shown}”"


def alike(one: Value, other: Value) -> bool:
    """Whether two values say the same: equal amounts, or texts that differ in spaces, case and the like only."""
    try:
        return Decimal(str(one)) == Decimal(str(other))
    except InvalidOperation:
        return printed.key(str(one)) == printed.key(str(other))


def merged_lists(portions: Iterable[Portion], name: str) -> list[dict[str, FieldValue]]:
    """The entries of the list `name` of all portions, in the order of the document."""
    entries: list[Entry] = []
    before: list[Entry] = []
    for portion in portions:
        fresh = portion.lists.get(name, [])
        repeated = _repeated(entries, before, fresh, portion.again) if portion.again else set()
        entries += [entry for index, entry in enumerate(fresh) if index not in repeated]
        before = fresh
    return [entry.cells for entry in entries]


def _repeated(
    entries: list[Entry], before: list[Entry], fresh: list[Entry], again: frozenset[int]
) -> set[int]:
    """Which of the fresh entries there are already: those that stand in the row of another on a page that was read before.

    Entries that were found nowhere are compared with those of the window before by what they say, as often as they were said.
    """
    rows = [entry.row for entry in entries if entry.row is not None and entry.row[0] in again]
    said = Counter(_content(entry) for entry in before if entry.row is None)
    repeated = set()
    for index, entry in enumerate(fresh):
        if entry.row is not None:
            same = any(row[0] == entry.row[0] and abs(row[1] - entry.row[1]) < ROW for row in rows)
        elif same := said[_content(entry)] > 0:
            said[_content(entry)] -= 1
        if same:
            repeated.add(index)
    return repeated


def _content(entry: Entry) -> tuple[tuple[str, Value], ...]:
    return tuple(sorted((name, value.value) for name, value in entry.cells.items()))
