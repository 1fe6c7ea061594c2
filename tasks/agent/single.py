"""Reads a file that is one document of one kind, by the rules for that kind: what contracts and statements share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tasks.agent import confidence, tracing
from tasks.agent.contract import Order, Record, Result, Usage
from tasks.agent.pdf import Document
from tasks.agent.reading import Reading, Tell, read_document
from tasks.agent.rules.text import Text


@dataclass(frozen=True, slots=True)
class Kind:
    """`record_of` gives None for what is no such document, and `nothing` is the reason then. `required`: fields that decide the confidence."""

    name: str
    required: tuple[str, ...]
    nothing: str
    record_of: Callable[[Document, Text], Record | None]

    def read(self, order: Order, tell: Tell) -> tuple[Result, Usage]:
        """Raises Problem for a document that cannot be opened."""
        with Document.open(order.document, order.password, order.limits) as document:
            reading = read_document(document, order, tell)
            with tracing.span("rules"):
                return self.result_of(reading), reading.meter.usage

    def result_of(self, reading: Reading) -> Result:
        reasons, language = list(reading.reasons), ""
        records: tuple[Record, ...] = ()
        if reading.readable:
            text = Text(reading.readable)
            language = text.language
            record = self.record_of(reading.document, text)
            records = (record,) if record is not None else ()
            if not records:
                reasons.append(self.nothing)
            if unsure := confidence.unsure_lines(records):
                reasons.append(unsure)
        sure = confidence.of_records(records, self.required)
        return Result(
            kind=self.name if records else "other",
            language=language,
            pages=reading.document.page_count,
            records=records,
            confidence=min(sure, confidence.FLAGGED) if reasons else sure,
            needs_review=bool(reasons) or confidence.needs_review(records, self.required),
            reasons=tuple(reasons),
            notes=tuple(reading.notes),
        )
