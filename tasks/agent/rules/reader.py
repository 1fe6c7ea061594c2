"""The offline agent: reads invoices, receipts, credit notes and quotations by rules, and says what needs a look."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from datetime import UTC, datetime

from tasks.agent import confidence, einvoice
from tasks.agent.contract import Code, Order, Problem, Record, Result, Usage
from tasks.agent.einvoice import EInvoice
from tasks.agent.page import Page
from tasks.agent.pdf import Document
from tasks.agent.rules.garbage import is_garbage
from tasks.agent.rules.kind import kind_of
from tasks.agent.rules.record import record_of
from tasks.agent.rules.text import Text
from tasks.agent.second_reader import plain_text

NOTHING = "No invoice, receipt, credit note or quotation was recognised in this document."
MOST_LISTED = 10
MARK_WORDS = 10
FIGURE = re.compile(r"\d{2}|\d[.,]\d")


def read(order: Order, progress: Callable[[int, int, Usage], None]) -> tuple[Result, Usage]:
    """The program "rules". Raises Problem for a document that cannot be opened."""
    with Document.open(order.document, order.password, order.limits) as document:
        pages: list[Page] = []
        for page in document.pages:
            pages.append(page)
            progress(page.number, document.page_count, Usage())
        return result_of(document, pages), Usage()


def result_of(document: Document, pages: list[Page]) -> Result:
    if all(page.unreadable for page in pages):
        raise Problem(Code.CORRUPT, "None of this PDF's pages can be read; the file is damaged.")
    plain_text(document, pages)
    reasons, notes = about_pages(pages)
    notes += about_file(document)
    xml, xml_reasons = electronic(document)
    reasons += xml_reasons
    readable = [page for page in pages if page.words]
    kind, language = "other", ""
    records: tuple[Record, ...] = ()
    if readable:
        text = Text(readable)
        language = text.language
        if is_garbage(text):
            reasons.append(
                "The text of this PDF is garbled (its fonts name the wrong characters); it needs OCR."
            )
        record = record_of(document, text, kind_of(text), xml, datetime.now(UTC).date())
        if record is not None:
            kind, records = record.kind, (record,)
    if not records:
        reasons.append(NOTHING) if readable else None
    return Result(
        kind=kind,
        language=language,
        pages=document.page_count,
        records=records,
        confidence=confidence.of_records(records)
        if not reasons
        else min(confidence.of_records(records), confidence.FLAGGED),
        needs_review=bool(reasons) or confidence.needs_review(records),
        reasons=tuple(reasons),
        notes=tuple(notes),
    )


def about_pages(pages: list[Page]) -> tuple[list[str], list[str]]:
    """Reasons for a look and notes that the pages themselves give: no text, hidden text, pages that cannot be read."""
    reasons, notes = [], []
    silent = [
        page.number
        for page in pages
        if not page.has_text and not page.unreadable and (page.image_share > 0.2 or not page.words)
    ]
    blank = [number for number in silent if pages[number - 1].image_share <= 0.2]
    pictures = [number for number in silent if number not in blank]
    if len(silent) == len(pages) or pictures:
        where = "This document" if len(silent) == len(pages) else named(pictures)
        reasons.append(f"{where} has no text; needs OCR.")
    broken = [page.number for page in pages if page.unreadable]
    if broken:
        reasons.append(f"{named(broken)} cannot be read; the file is damaged there.")
    hidden = [page.number for page in pages if is_telling(page)]
    faint = [page.number for page in pages if page.hidden and page.number not in hidden]
    if hidden:
        reasons.append(f"{named(hidden)} holds text that a reader of the page does not see; it was not used.")
    elif faint:
        notes.append(f"{named(faint)} holds a few invisible words; they were not used.")
    layered = [page.number for page in pages if page.text_layer_of_scan]
    if layered:
        notes.append(f"{named(layered)} is a scan with an invisible text layer; the layer was read.")
    if any(page.plain for page in pages):
        notes.append("Some text was read by a second reader, without its place on the page.")
    return reasons, notes


def is_telling(page: Page) -> bool:
    """Whether the hidden words could be meant for a machine: many of them, or figures; a maker's mark is neither."""
    return len(page.hidden) >= MARK_WORDS or any(FIGURE.search(word.text) for word in page.hidden)


def about_file(document: Document) -> list[str]:
    notes = []
    if document.has_javascript:
        notes.append("The PDF holds JavaScript; it was not run.")
    names = [attachment.name for attachment in document.attachments()]
    if names:
        more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
        notes.append(
            f"Attached files, not opened but for electronic invoices: {', '.join(names[:MOST_LISTED])}{more}."[
                :300
            ]
        )
    return notes


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


def named(numbers: list[int]) -> str:
    """Page 3; Pages 1 to 4; Pages 1, 3, 9 and 12 more."""
    if len(numbers) == 1:
        return f"Page {numbers[0]}"
    if numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"Each of pages {numbers[0]} to {numbers[-1]}"
    more = f" and {len(numbers) - 8} more" if len(numbers) > 8 else ""
    return f"Each of pages {', '.join(map(str, numbers[:8]))}{more}"
