"""Fits the weights of `tasks.agent.confidence` to drawn documents and says how well they hold on documents that they were not fitted to.

`python -m tests.samples.calibrate [--documents 400] [--scans 40]` prints the weights; they are written into the module by hand. Half of the
documents are hard ones. Folds are made of whole documents, so that no document is judged by weights that have seen it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tasks.agent import confidence
from tasks.agent.confidence import Signals
from tasks.agent.contract import Completed
from tests.pdfs import outcome_of
from tests.samples.layouts import Drawn, draw

FOLDS = 5
SURE = 0.9
STEPS, RATE = 3000, 0.5
KEEP_SMALL = 0.003
"""Pulls weights to 0: figures of a few drawn wrong values must not grow without bound."""
FIRST_SEED = 50_000
AMOUNTS = ("net", "tax", "total")


@dataclass(frozen=True)
class Judged:
    """One value of one document: its field, its signals, and whether it is right."""

    document: int
    field: str
    signals: Signals
    right: bool


def judged(number: int, drawn: Drawn, path: Path) -> list[Judged]:
    """Read the document and compare; signals are those that the reader asks for a confidence with."""
    asked: dict[str, Signals] = {}
    settled = confidence.settled

    def remember(name: str, signals: Signals) -> float:
        asked.setdefault(name, signals)
        return settled(name, signals)

    confidence.settled = remember
    try:
        outcome = outcome_of(path)
    finally:
        confidence.settled = settled
    if not isinstance(outcome, Completed) or outcome.result is None or not outcome.result.records:
        return []
    record = outcome.result.records[0]
    found = [
        Judged(number, name, signals, same(name, drawn, record.fields[name].value))
        for name, signals in asked.items()
        if name in drawn.truth and name in record.fields
    ]
    if "lines" in asked:
        found.append(Judged(number, "lines", asked["lines"], len(record.lines) == drawn.truth["line_count"]))
    return found


def same(name: str, drawn: Drawn, value: object) -> bool:
    truth = drawn.truth[name]
    if name in AMOUNTS:
        return value is not None and abs(abs(float(str(value))) - abs(truth)) < 0.006
    return str(value).casefold() == str(truth).casefold()


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


def collected(documents: int, scans: int) -> list[Judged]:
    from tasks.bench.scans import scan

    rows: list[Judged] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(documents + scans):
            drawn = draw(FIRST_SEED + number, hard=number % 2 == 0)
            path = Path(folder) / f"{number}.pdf"
            path.write_bytes(drawn.content)
            if number >= documents:
                scan(path, path.with_suffix(".scan.pdf"))
                path = path.with_suffix(".scan.pdf")
            rows += judged(number, drawn, path)
            sys.stderr.write(f"\r{number + 1} of {documents + scans}")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--scans", type=int, default=40)
    options = parser.parse_args()
    rows = collected(options.documents, options.scans)
    fields = sorted({row.field for row in rows})
    sure = right = both = 0
    for fold in range(FOLDS):
        unseen = [row for row in rows if row.document // 2 % FOLDS == fold]
        weights = fitted([row for row in rows if row.document // 2 % FOLDS != fold], fields)
        high = confident(unseen, fields, weights) >= SURE
        hits = np.array([row.right for row in unseen])
        sure, right, both = sure + high.sum(), right + hits.sum(), both + (high & hits).sum()
    weights = fitted(rows, fields)
    names = list(rows[0].signals.named())
    show = sys.stdout.write
    show(f"{len(rows)} values, {sum(row.right for row in rows)} right\n")
    show(f"cross-validated: right at {SURE}: {both / sure:.4f}; of the right at {SURE}: {both / right:.4f}\n")
    show("WEIGHTS = " + repr({n: round(float(w), 2) for n, w in zip(names, weights, strict=False)}) + "\n")
    biases = weights[len(names) : -1]
    show("BIAS = " + repr({n: round(float(w), 2) for n, w in zip(fields, biases, strict=True)}) + "\n")
    show(f"ANY = {weights[-1]:.2f}\n")


if __name__ == "__main__":
    main()
