"""The offline agent: reads invoices, receipts, credit notes and quotations by rules, and says what needs a look."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import UTC, datetime

from tasks.agent import agreements, confidence, einvoice, second_engine, statements
from tasks.agent.contract import Order, Record, Result, Usage
from tasks.agent.einvoice import EInvoice
from tasks.agent.ocr import Engine
from tasks.agent.pdf import Document
from tasks.agent.reading import Reading, Tell, read_document
from tasks.agent.rules.kind import NAMES, kind_of
from tasks.agent.rules.parts import parts_of
from tasks.agent.rules.products import contradicts_itself
from tasks.agent.rules.recognised import unread_language
from tasks.agent.rules.record import record_of
from tasks.agent.rules.text import Text
from tasks.agent.rules.unnamed import is_taxed
from tasks.agent.tracing import span

NO_LINES = "No line items were recognised."
NOTHING = "No invoice, receipt, credit note or quotation was recognised in this document."
CONTRACT = "No invoice, receipt, credit note or quotation was recognised in this document. It looks like a contract; the agent contract-rules reads those."
TAXED = "No invoice, receipt, credit note or quotation was recognised in this document. It names a tax, as those do, but too little else of one was read."
FIGURES = "No invoice, receipt, credit note or quotation was recognised in this document. It holds a table of figures; the agent statement-rules reads those."


def read(order: Order, tell: Tell) -> tuple[Result, Usage]:
    """The program "rules". Raises Problem for a document that cannot be opened."""
    with Document.open(order.document, order.password, order.limits) as document:
        reading = read_document(document, order, tell)
        with span("rules") as step:
            result = result_of(reading, order)
            step.set(records=len(result.records), confidence=result.confidence, reasons=len(result.reasons))
        return result, reading.meter.usage


def result_of(reading: Reading, order: Order) -> Result:
    xml, xml_reasons = electronic(reading.document)
    reasons = [*reading.reasons, *xml_reasons]
    kind, language = "other", ""
    records: tuple[Record, ...] = ()
    if reading.readable:
        text = Text(reading.readable)
        language = text.language
        records = filled(reading, order, records_of(reading.document, text, xml), xml)
        if records:
            kind = records[0].kind
        else:
            reasons.append(why_nothing(reading.document, text))
        reasons += what_engine_lacked(reading, text, nothing=not records)
    notes = list(reading.notes)
    if len(records) > 1:
        notes.append(f"This file holds {len(records)} documents; each is a record of its own.")
    if not all(record.lines for record in records):
        notes.append(NO_LINES)
    sure = confidence.of_records(records)
    return Result(
        kind=kind,
        language=language,
        pages=reading.document.page_count,
        records=records,
        confidence=min(sure, confidence.FLAGGED) if reasons else sure,
        needs_review=bool(reasons)
        or confidence.needs_review(records)
        or any(map(contradicts_itself, records)),
        reasons=tuple(reasons),
        notes=tuple(notes),
    )


def why_nothing(document: Document, text: Text) -> str:
    """That no record was found, and which other agent reads what this seems to be; none where it seems to be an invoice that is hardly legible."""
    if agreements.record_of(document, text) is not None:
        return CONTRACT
    if is_taxed(text):
        return TAXED
    return FIGURES if statements.has_figures(statements.grids_of(text)) else NOTHING


def what_engine_lacked(reading: Reading, text: Text, nothing: bool) -> list[str]:
    """That pages were recognised without the data of their language, or for which languages it was where `nothing` was found."""
    recogniser = reading.recogniser
    if recogniser is None or not recogniser.done or not isinstance(recogniser.engine, Engine):
        return []
    used = recogniser.engine.languages
    if nothing:
        return [
            f"Its pictures were read by OCR data for {', '.join(used)}; a document in another language needs its own."
        ]
    data = unread_language(text, used)
    return (
        [
            f"The OCR data of this document's language ({data}) is not used here, so that its letters may be wrong."
        ]
        if data
        else []
    )


def records_of(document: Document, text: Text, xml: EInvoice | None) -> tuple[Record, ...]:
    """One record for each business document in the text. An electronic invoice belongs to the one whose number it bears."""
    today = datetime.now(UTC).date()
    found: list[tuple[Text, Record]] = []
    parts = parts_of(text)
    for pages in parts if len(parts) > 1 else ():
        part = Text(pages)
        record = record_of(document, part, kind_of(part), None, today)
        if record is not None and is_whole(record):
            found.append((part, record))
        elif found:
            # An annex of the document before it, however it is headed
            before = [*found[-1][0].pages.values(), *pages]
            part = Text(before)
            found[-1] = (part, record_of(document, part, kind_of(part), None, today) or found[-1][1])
    if len(found) > 1:
        return tuple(
            record_of(document, part, kind_of(part), xml, today) or record
            if xml is not None and xml.number == record.fields["number"].value
            else record
            for part, record in found
        )
    record = record_of(document, text, kind_of(text), xml, today)
    return (record,) if record is not None else ()


def filled(
    reading: Reading, order: Order, records: tuple[Record, ...], xml: EInvoice | None
) -> tuple[Record, ...]:
    """The records, or where they have gaps those of a second look at the recognised pages, and of a second engine, if they have fewer."""
    if gaps(records) and reading.recogniser and reading.recogniser.look_again(reading.readable):
        again = records_of(reading.document, Text(reading.readable), xml)
        records = again if gaps(again) <= gaps(records) else records
    if gaps(records) and (records or kind_of(Text(reading.readable))[0] in NAMES):
        pages = second_engine.read_again(reading, order)
        again = records_of(reading.document, Text(pages), xml) if pages else ()
        if gaps(again) < gaps(records) and known(again) >= known(records):
            reading.notes.append(
                "A second OCR engine was asked, and its words were taken: they leave fewer gaps."
            )
            records = again
    return records


def gaps(records: tuple[Record, ...]) -> int:
    """How much is missing of number and total, or contradicts itself; more than all of it without a record."""
    if not records:
        return 100
    return sum(
        (record.fields["number"].value is None)
        + (record.fields["total"].value is None)
        + any("do not add up" in reason for reason in record.fields["total"].reasons)
        for record in records
    )


def known(records: tuple[Record, ...]) -> int:
    """How many of the required fields have a value."""
    return sum(record.fields[name].value is not None for record in records for name in confidence.REQUIRED)


def is_whole(record: Record) -> bool:
    """Whether a part of the file can stand alone."""
    return record.fields["number"].value is not None and record.fields["total"].value is not None


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
