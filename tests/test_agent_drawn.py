"""Drawn contracts and statements are read above a floor per field, and confidence means what it says on documents that it was not fitted to."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.pdfs import result_of
from tests.samples.calibrate import DRAWN, PROGRAMS, SURE, Judged, judged, same
from tests.samples.layouts import Drawn

FLOORS = {
    "contract": {
        "title": 0.98, "party_1": 0.97, "party_2": 0.97, "effective_date": 0.85, "end_date": 0.85, "term": 0.85, "renewal": 0.85, "notice_period": 0.55,
        "amount": 0.85, "currency": 0.9, "governing_law": 0.75,
    },
    "statement": dict.fromkeys(
        ("company", "period_from", "period_to", "period_end", "unit", "currency", "opening_balance", "closing_balance", "account"), 0.95
    ),
}  # fmt: skip
FIRST_SEED = 1000
"""Seeds of the calibration are others."""


def drawn(kind: str, count: int, folder: Path) -> list[tuple[int, Drawn, Path]]:
    found = []
    for number in range(count):
        one = DRAWN[kind](FIRST_SEED + number, hard=number % 2 == 0)
        path = folder / f"{number}.pdf"
        path.write_bytes(one.content)
        found.append((number, one, path))
    return found


def judgements(kind: str, count: int, folder: Path) -> list[Judged]:
    return [
        one
        for number, document, path in drawn(kind, count, folder)
        for one in judged(kind, number, document, path)
    ]


def calibration(rows: list[Judged]) -> tuple[float, float]:
    """Of the sure values the share that is right; of the right ones the share that is sure."""
    sure = sum(row.confidence >= SURE for row in rows)
    right = sum(row.right for row in rows)
    both = sum(row.right and row.confidence >= SURE for row in rows)
    return both / sure, both / right


@pytest.mark.parametrize("kind", FLOORS)
def test_what_documents_state_is_read_above_the_floors(kind: str, tmp_path: Path) -> None:
    right: Counter[str] = Counter()
    there: Counter[str] = Counter()
    for _, document, path in drawn(kind, 60, tmp_path):
        records = result_of(path, program=PROGRAMS[kind]).records
        for name in FLOORS[kind]:
            if document.truth[name] is not None:
                field = records[0].fields.get(name) if records else None
                there[name] += 1
                right[name] += field is not None and same(document.truth[name], field.value)
    below = {
        name: right[name] / there[name] for name in there if right[name] < FLOORS[kind][name] * there[name]
    }
    assert set(there) == set(FLOORS[kind]) and not below, below


@pytest.mark.parametrize("kind", FLOORS)
def test_a_few_sure_values_are_right_and_most_right_ones_are_sure(kind: str, tmp_path: Path) -> None:
    right, sure = calibration(judgements(kind, 40, tmp_path))
    assert right >= 0.96 and sure >= 0.6, (right, sure)


@pytest.mark.slow
@pytest.mark.parametrize("kind", FLOORS)
def test_sure_values_are_right_and_most_right_ones_are_sure(kind: str, tmp_path: Path) -> None:
    right, sure = calibration(judgements(kind, 300, tmp_path))
    assert right >= 0.97 and sure >= 0.6, (right, sure)


@pytest.mark.parametrize("kind", FLOORS)
def test_the_same_seed_draws_the_same_bytes(kind: str) -> None:
    for hard in (False, True):
        assert DRAWN[kind](7, hard).content == DRAWN[kind](7, hard).content
