"""The offline agent: reads invoices, receipts, credit notes and quotations by rules, and says what needs a look."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import UTC, datetime

from tasks.agent import confidence, einvoice
from tasks.agent.contract import Order, Record, Result, Usage
from tasks.agent.einvoice import EInvoice
from tasks.agent.pdf import Document
from tasks.agent.reading import Reading, Tell, read_document
from tasks.agent.rules.kind import kind_of
from tasks.agent.rules.record import record_of
from tasks.agent.rules.text import Text

NOTHING = "No invoice, receipt, credit note or quotation was recognised in this document."


def read(order: Order, tell: Tell) -> tuple[Result, Usage]:
    """The program "rules". Raises Problem for a document that cannot be opened."""
    with Document.open(order.document, order.password, order.limits) as document:
        return result_of(read_document(document, order, tell)), Usage()


def result_of(reading: Reading) -> Result:
    xml, xml_reasons = electronic(reading.document)
    reasons = [*reading.reasons, *xml_reasons]
    kind, language = "other", ""
    records: tuple[Record, ...] = ()
    if reading.readable:
        text = Text(reading.readable)
        language = text.language
        record = record_of(reading.document, text, kind_of(text), xml, datetime.now(UTC).date())
        if record is not None:
            kind, records = record.kind, (record,)
        else:
            reasons.append(NOTHING)
    sure = confidence.of_records(records)
    return Result(
        kind=kind,
        language=language,
        pages=reading.document.page_count,
        records=records,
        confidence=min(sure, confidence.FLAGGED) if reasons else sure,
        needs_review=bool(reasons) or confidence.needs_review(records),
        reasons=tuple(reasons),
        notes=tuple(reading.notes),
    )


def electronic(document: Document) -> tuple[EInvoice | None, list[str]]:
    """The first embedded electronic invoice, and what is wrong with those that cannot be read."""
    reasons = []
    for attachment in document.attachments():
        if attachment.content is None:
            continue
        try:
            invoice = einvoice.parse(attachment.content)
        except (einvoice.Unsafe, ET.ParseError):
            reasons.append(
                f"The attached {attachment.name[:80]} is not a readable electronic invoice; it was not used."
            )
            continue
        if invoice is not None:
            return invoice, reasons
    return None, reasons
