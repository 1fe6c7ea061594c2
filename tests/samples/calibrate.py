"""Fits the scales of `tasks.agent.confidence` to drawn documents and says how well they hold on documents that they were not fitted to.

`python -m tests.samples.calibrate [--kind invoice|contract|statement] [--documents 400] [--scans 40]` prints a scale; it is written into the module by
hand. Half of the documents are hard ones. Folds are made of whole documents, so that no document is judged by weights that have seen it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tasks.agent import confidence
from tasks.agent.confidence import Scale, Signals
from tasks.agent.contract import Completed, FieldValue
from tests.pdfs import outcome_of
from tests.samples import agreements, layouts, tables
from tests.samples.layouts import Drawn

FOLDS = 5
SURE = 0.9
STEPS, RATE = 3000, 0.5
KEEP_SMALL = 0.003
"""Pulls weights to 0: figures of a few drawn wrong values must not grow without bound."""
FIRST_SEED = 50_000
PROGRAMS = {"invoice": "rules", "contract": "contract-rules", "statement": "statement-rules"}
DRAWN = {"invoice": layouts.draw, "contract": agreements.draw, "statement": tables.draw}


@dataclass(frozen=True)
class Judged:
    """One value of one document, whose labels are of this language: its field, its signals, and whether it is right."""

    document: int
    language: str
    field: str
    signals: Signals
    confidence: float
    right: bool


@dataclass(frozen=True)
class Asked:
    """What a reader asked a confidence for, and got."""

    name: str
    signals: Signals
    confidence: float


def judged(kind: str, number: int, drawn: Drawn, path: Path) -> list[Judged]:
    """Read the document and compare; signals are those that the reader asks for a confidence with."""
    asked: list[Asked] = []
    settled = confidence.settled

    def remember(name: str, signals: Signals, *scale: Scale) -> float:
        asked.append(Asked(name, signals, settled(name, signals, *scale)))
        return asked[-1].confidence

    confidence.settled = remember
    try:
        outcome = outcome_of(path, program=PROGRAMS[kind])
    finally:
        confidence.settled = settled
    if not isinstance(outcome, Completed) or outcome.result is None or not outcome.result.records:
        return []
    record = outcome.result.records[0]

    def judge(one: Asked, right: bool) -> Judged:
        return Judged(number, drawn.language, one.name, one.signals, one.confidence, right)

    fields = {
        one.name: one for one in reversed(asked) if one.name in record.fields and one.name in drawn.truth
    }
    found = [judge(one, same(drawn.truth[name], record.fields[name].value)) for name, one in fields.items()]
    if kind == "invoice":
        lines = next((one for one in asked if one.name == "lines"), None)
        return found + ([judge(lines, len(record.lines) == drawn.truth["line_count"])] if lines else [])
    cells = [(line, name) for line in record.lines for name in line]
    of_cells = [one for one in asked if one.name.startswith("line ")]
    return found + [
        judge(one, cell_is_right(name, line, drawn.truth["lines"]))
        for (line, name), one in zip(cells, of_cells, strict=True)
    ]


def same(truth: object, value: object) -> bool:
    """What a document does not say is never right."""
    if truth is None or value is None:
        return False
    if isinstance(truth, float):
        return abs(abs(float(str(value))) - abs(truth)) < 0.006
    return str(value).casefold().rstrip(".") == str(truth).casefold().rstrip(".")


def cell_is_right(name: str, line: dict[str, FieldValue], lines: list[dict[str, Any]]) -> bool:
    """Whether there is a figure of this item and amount, and the cell is as there; what no figure is said to have is not judged by its words."""
    item, amount = (str(line["item"].value).casefold(), float(str(line["amount"].value)))
    if name == "item":
        return any(one["item"].casefold() == item for one in lines)
    true = [one for one in lines if one["item"].casefold() == item and abs(one["amount"] - amount) < 0.006]
    return any(name not in one or same(one[name], line[name].value) for one in true)


def features(rows: list[Judged], fields: list[str]) -> np.ndarray:
    return np.array(
        [[*row.signals.named().values(), *(float(row.field == name) for name in fields), 1.0] for row in rows]
    )


def fitted(rows: list[Judged], fields: list[str]) -> np.ndarray:
    """Weights of the signals, biases of the fields, the common bias. Values that a check contradicts are no part of it: they are capped."""
    rows = [row for row in rows if not row.signals.doubted]
    inputs, right = features(rows, fields), np.array([float(row.right) for row in rows])
    weights = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        guess = 1 / (1 + np.exp(-inputs @ weights))
        weights -= RATE * (inputs.T @ (guess - right) / len(rows) + KEEP_SMALL * weights)
    return weights


def confident(rows: list[Judged], fields: list[str], weights: np.ndarray) -> np.ndarray:
    guess = 1 / (1 + np.exp(-features(rows, fields) @ weights))
    return np.array([confidence.capped(float(g), row.signals) for g, row in zip(guess, rows, strict=True)])


def collected(kind: str, documents: int, scans: int) -> list[Judged]:
    from tasks.bench.scans import scan

    rows: list[Judged] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(documents + scans):
            drawn = DRAWN[kind](FIRST_SEED + number, hard=number % 2 == 0)
            path = Path(folder) / f"{number}.pdf"
            path.write_bytes(drawn.content)
            if number >= documents:
                scan(path, path.with_suffix(".scan.pdf"))
                path = path.with_suffix(".scan.pdf")
            rows += judged(kind, number, drawn, path)
            sys.stderr.write(f"\r{number + 1} of {documents + scans}")
    return rows


def held_out(rows: list[Judged], fields: list[str], what: str, fold_of: Callable[[Judged], int | str]) -> str:
    """How well weights do on each fold that were fitted to all others."""
    sure = right = both = 0
    for fold in {fold_of(row): None for row in rows}:
        unseen = [row for row in rows if fold_of(row) == fold]
        weights = fitted([row for row in rows if fold_of(row) != fold], fields)
        high = confident(unseen, fields, weights) >= SURE
        hits = np.array([row.right for row in unseen])
        sure, right, both = sure + high.sum(), right + hits.sum(), both + (high & hits).sum()
    return f"on {what} held out: right at {SURE}: {both / sure:.4f}; of the right at {SURE}: {both / right:.4f}\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--scans", type=int, default=40)
    parser.add_argument("--kind", choices=PROGRAMS, default="invoice")
    options = parser.parse_args()
    rows = collected(options.kind, options.documents, options.scans)
    fields = sorted({row.field for row in rows})
    weights = fitted(rows, fields)
    names = list(rows[0].signals.named())
    show = sys.stdout.write
    show(f"{len(rows)} values, {sum(row.right for row in rows)} right\n")
    show(held_out(rows, fields, "documents", lambda row: row.document // 2 % FOLDS))
    show(held_out(rows, fields, "languages", lambda row: row.language))
    show("weights: " + repr({n: round(float(w), 2) for n, w in zip(names, weights, strict=False)}) + "\n")
    biases = weights[len(names) : -1]
    show("bias: " + repr({n: round(float(w), 2) for n, w in zip(fields, biases, strict=True)}) + "\n")
    show(f"any: {weights[-1]:.2f}\n")


if __name__ == "__main__":
    main()
