"""How sure a value is, in one place: a small table of weights over what speaks for it and against it.

The weights come from documents that are drawn for it (`python -m tests.samples.calibrate`), with and without their labels, invoices as text and as
scans; they are checked on documents that they were not fitted to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tasks.agent.contract import FieldValue, Record
from tasks.agent.page import Word

REQUIRED = ("supplier", "number", "date", "currency", "total")
READY = 0.8
"""Below this a value needs a look even if no check failed."""
HIGHEST = 0.99
UNCONFIRMED = 0.98
"""The most for a value that no check confirms."""
FLAGGED = 0.6
"""A flagged value is never surer than this."""
FEW = 0.1
"""Of the values in the lines the share that may be doubtful while the rest is not."""
UNPROVEN = 0.75
"""Nor one whose words were not found on the page, unless a second source says the same."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of a value's right: its rule's support (0..1), checks that confirm it, doubts, proof on the page, its letters."""

    support: float
    confirmed: int = 0
    doubted: bool = False
    proven: bool = True
    recognised: bool = False
    clear: float = 1.0
    """How sure the OCR engine is of its least sure word (0..1)."""

    def named(self) -> dict[str, float]:
        """The signals that the weights are for."""
        support = min(max(self.support, 0.05), 0.95)
        return {
            "support": math.log(support / (1 - support)),
            "confirmed": float(self.confirmed > 0),
            "confirmed again": float(self.confirmed > 1),
            "recognised": float(self.recognised),
            "unclear": 1.0 - self.clear,
        }


def letters_of(words: list[Word]) -> tuple[bool, float]:
    """(recognised, clear) of a value that stands in these words."""
    seen = [word.sure for word in words if word.source == "ocr"]
    return bool(seen), min(seen, default=1.0)


@dataclass(frozen=True, slots=True)
class Scale:
    """What is fitted for one kind of document: a weight for each signal, a bias for each field, and `any`, the bias of every field before its own."""

    weights: dict[str, float]
    bias: dict[str, float]
    any: float


RECOGNISED = {"recognised": -0.8, "unclear": -6.0}
"""Set by hand, for all kinds."""
INVOICE = Scale(
    weights={"support": 1.06, "confirmed": 1.19, "confirmed again": 0.45, **RECOGNISED},
    bias={
        "currency": 0.39, "date": 0.61, "due_date": 0.19, "lines": -0.62, "net": -0.2, "number": 0.35, "supplier": 0.4, "tax": -0.1, "total": 0.17,
    },
    any=1.19,
)  # fmt: skip
CONTRACT = Scale(
    weights={"support": 1.49, "confirmed": 0.58, "confirmed again": 0.0, **RECOGNISED},
    bias={
        "amount": -0.87, "currency": -0.02, "effective_date": 0.47, "end_date": 0.53, "governing_law": -1.25, "notice_period": -1.34, "renewal": -0.23,
        "term": 0.69, "title": 0.83, **{f"party_{position}": 0.63 for position in range(1, 7)},
    },
    any=0.04,
)  # fmt: skip
STATEMENT = Scale(
    weights={"support": 1.73, "confirmed": 0.31, "confirmed again": 0.0, **RECOGNISED},
    bias={
        "account": 0.02, "closing_balance": 0.02, "company": 0.12, "currency": 0.04, "line amount": 0.44, "line column": -1.23, "line date": 0.2,
        "line item": 0.55, "line period_end": 0.37, "opening_balance": 0.02, "period_end": 0.04, "period_from": 0.02, "period_to": 0.02, "unit": 0.03,
    },
    any=0.65,
)  # fmt: skip


def settled(name: str, signals: Signals, scale: Scale = INVOICE) -> float:
    """The confidence of a value of the field `name`; cells of a statement's lines are fields of their own, as "line amount"."""
    weighed = scale.any + scale.bias.get(name, 0.0)
    weighed += sum(scale.weights[key] * value for key, value in signals.named().items())
    return capped(1 / (1 + math.exp(-weighed)), signals)


def supported(signals: Signals) -> float:
    """The confidence of a value without checks and without calibration: what its rule says, and its letters."""
    return capped(signals.support * min(1.0, signals.clear + 0.2), signals)


def capped(value: float, signals: Signals) -> float:
    if not signals.proven and not signals.confirmed:
        value = min(value, UNPROVEN)
    if signals.doubted:
        value = min(value, FLAGGED)
    return round(min(value, HIGHEST if signals.confirmed else UNCONFIRMED), 3)


def of_records(records: tuple[Record, ...], required: tuple[str, ...] = REQUIRED) -> float:
    """The lowest confidence of the required fields of all records; 0 where there is none."""
    fields = [record.fields.get(name) for record in records for name in required]
    return min(
        (field.confidence if field is not None and field.value is not None else 0.0 for field in fields),
        default=0.0,
    )


def needs_review(records: tuple[Record, ...], required: tuple[str, ...] = REQUIRED) -> bool:
    """Whether any required field is missing, flagged or not sure enough."""
    return not records or any(_open(record.fields.get(name)) for record in records for name in required)


def unsure_lines(records: tuple[Record, ...]) -> str:
    """Why the lines need a look, in words: an amount among them is doubtful, or more than a few values of any kind are. Else empty."""
    cells = [item for record in records for line in record.lines for item in line.items()]
    unsure = [name for name, cell in cells if cell.reasons or cell.confidence < READY]
    if "amount" in unsure or len(unsure) > FEW * len(cells):
        return f"{len(unsure)} of the {len(cells)} values in the lines need a look."
    return ""


def _open(field: FieldValue | None) -> bool:
    return field is None or field.value is None or bool(field.reasons) or field.confidence < READY
