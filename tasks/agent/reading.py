"""Reads all pages of a document: text layer and form values, else a second reader or OCR; and says what a reader should know of them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tasks.agent.contract import Code, Order, Problem, Usage
from tasks.agent.garbage import is_garbled
from tasks.agent.llm.usage import Meter
from tasks.agent.ocr import Engine, look_again, smaller
from tasks.agent.page import Page
from tasks.agent.pdf import FEW_WORDS, LARGEST_SIDE, Document
from tasks.agent.second_reader import PICTURE, SecondReader
from tasks.agent.tracing import span

if TYPE_CHECKING:
    from PIL.Image import Image

    from tasks.agent.databricks.parse import ParsedPages

Tell = Callable[[int, int, Usage], None]

TESSERACT, DATABRICKS = "tesseract", "databricks"
"""What an agent's setting `ocr_engine` may say; the first without it."""
MOST_LISTED = 10
MARK_WORDS = 10
FIGURE = re.compile(r"\d{2}|\d[.,]\d")
MOST_AGAIN = 4
"""Pages that are looked at a second time, whose pictures are kept until then, of a megabyte each; sums stand on the first ones."""
MOSTLY_PICTURE = 0.5
BLANK_CONTRAST = 40
"""A page whose darkest and brightest pixel differ by less (of 255) has nothing on it."""
SHARE_OF_TIME = 0.8
"""Of an attempt's time, after which no further page is recognised, so that there is a result at all."""


@dataclass(slots=True)
class Reading:
    """The pages, `reasons` for a look at the document and `notes` about it, both in words."""

    document: Document
    pages: list[Page] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    recogniser: Recogniser | None = None
    meter: Meter = field(default_factory=Meter)
    """What reading cost, and whatever is asked about the pages later: all that the attempt has paid."""

    @property
    def readable(self) -> list[Page]:
        return [page for page in self.pages if page.words]


def read_document(document: Document, order: Order, tell: Tell) -> Reading:
    """All pages, one after the other; `tell` hears of each. Raises Problem: limit or corrupt where no page can be read."""
    with span("reading", kind="PARSER", pages=document.page_count) as step:
        reading = _read(document, order, tell)
        recognised = len(reading.recogniser.done) if reading.recogniser else 0
        step.set(recognised_pages=recognised, words=sum(len(page.words) for page in reading.pages))
        return reading


def _read(document: Document, order: Order, tell: Tell) -> Reading:
    reading, second = Reading(document), SecondReader(document)
    recogniser = Recogniser(document, order, reading.meter)
    for page in document.pages:
        second.fill(page)
        recogniser.fill(page)
        reading.pages.append(page)
        tell(page.number, document.page_count, reading.meter.usage)
    if all(page.too_large for page in reading.pages):
        message = f"The pages of this PDF measure more than {LARGEST_SIDE:,} points a side. Save it at the size of its paper and try again."
        raise Problem(Code.LIMIT, message)
    if all(page.unreadable for page in reading.pages):
        raise Problem(Code.CORRUPT, "None of this PDF's pages can be read; the file is damaged.")
    tell_of_pages(reading, tried={*recogniser.done, *recogniser.vain, *recogniser.late})
    recogniser.tell(reading)
    tell_of_file(reading)
    reading.recogniser = recogniser
    return reading


class Recogniser:
    """Recognises the pages that need it, as long as there is an engine and time; remembers what became of each."""

    def __init__(self, document: Document, order: Order, meter: Meter):
        """Raises Problem: bad_configuration, where the agent's settings name an engine that nobody knows."""
        self.document, self.order, self.meter = document, order, meter
        self.until = time.monotonic() + SHARE_OF_TIME * order.limits.wall_seconds
        self.by_databricks = named_engine(order) == DATABRICKS
        self.lack = ""
        self._engine: Engine | ParsedPages | str | None = "not looked for"
        self.garbled: list[int] = []
        self.done: list[int] = []
        self.kept: dict[int, Image] = {}
        self.vain: list[int] = []
        self.late: list[int] = []

    @property
    def engine(self) -> Engine | ParsedPages | None:
        if isinstance(self._engine, str):
            self._engine = self._parsed_pages() if self.by_databricks else Engine.find(self.order.settings)
        return self._engine

    def _parsed_pages(self) -> ParsedPages | None:
        """None without a login, which the result tells of: the pages that have text are read all the same."""
        from tasks.agent.databricks.parse import ParsedPages

        try:
            return ParsedPages(self.order, self.meter)
        except Problem as problem:
            if problem.code is not Code.BAD_CONFIGURATION:
                raise
            self.lack = f"Pages without text were to be read by ai_parse_document. {problem.message}"
            return None

    def fill(self, page: Page) -> None:
        garbled = is_garbled(page.words)
        if garbled:
            self.garbled.append(page.number)
        if not (garbled or needs_recognition(page)) or self.engine is None:
            return
        if time.monotonic() > self.until:
            self.late.append(page.number)
            return
        picture = self.document.render(page.number)
        if picture is None:
            self.vain.append(page.number)
            return
        if is_blank(picture):
            page.blank = True
        elif self.engine.read(page, picture):
            self.done.append(page.number)
            if isinstance(self.engine, Engine) and len(self.kept) < MOST_AGAIN:
                self.kept[page.number] = smaller(picture)
        else:
            self.vain.append(page.number)

    def look_again(self, pages: list[Page]) -> bool:
        """A second look at the recognised ones of these pages, for words that the first left out; whether it found any."""
        found = False
        for page in [page for page in pages if page.number in self.kept]:
            if time.monotonic() > self.until or not isinstance(self.engine, Engine):
                continue
            found |= look_again(page, self.kept[page.number], self.engine)
        return found

    def tell(self, reading: Reading) -> None:
        garbled = [number for number in self.garbled if number not in self.done]
        if garbled:
            reading.reasons.append(
                "The text of this PDF is garbled (its fonts name the wrong characters); it needs OCR."
            )
        elif self.garbled:
            reading.reasons.append(
                f"The text of {named(self.garbled, inside=True)} is garbled (its fonts name the wrong characters); "
                "what its picture shows was read instead."
            )
        if self.lack:
            reading.reasons.append(self.lack)
        if self.done and self.by_databricks:
            reading.notes.append(
                f"{named(self.done)} was read from its picture by ai_parse_document of Databricks."
            )
        elif self.done:
            reading.notes.append(f"{named(self.done)} was read from its picture: recognised text (OCR).")
        vain = [number for number in self.vain if number not in garbled]
        if vain:
            reading.reasons.append(f"{named(vain)} has no text, and none was recognised in its picture.")
        faint = [number for number in self.done if not reading.pages[number - 1].has_text]
        if faint:
            reading.reasons.append(
                f"In the picture of {named(faint, inside=True)} hardly any text was recognised."
            )
        if self.late:
            reading.reasons.append(
                f"{named(self.late)} has no text; the time limit left none to recognise it."
            )


def named_engine(order: Order) -> str:
    """What is to recognise pages without text. Raises Problem: bad_configuration."""
    name = order.settings.get("ocr_engine") or TESSERACT
    if name not in (TESSERACT, DATABRICKS):
        message = "The setting ocr_engine of this agent cannot be used; it is tesseract or databricks. Change it in the admin."
        raise Problem(Code.BAD_CONFIGURATION, message)
    return str(name)


def is_blank(picture: Image) -> bool:
    shades = [shade for shade, count in enumerate(picture.convert("L").histogram()) if count]
    return shades[-1] - shades[0] < BLANK_CONTRAST


def needs_recognition(page: Page) -> bool:
    """Whether what is printed on the page is in its pictures or lines, and not in its text."""
    if page.unreadable:
        return False
    if not page.has_text:
        return page.image_share > PICTURE or not page.words
    return len(page.words) < FEW_WORDS and page.image_share > MOSTLY_PICTURE and not page.text_layer_of_scan


def tell_of_pages(reading: Reading, tried: set[int]) -> None:
    """No text, hidden text, pages that cannot be read. Of the pages that OCR was `tried` on its own reasons tell."""
    pages, reasons, notes = reading.pages, reading.reasons, reading.notes
    silent = [
        page.number
        for page in pages
        if not page.has_text
        and not page.unreadable
        and page.number not in tried
        and (page.image_share > PICTURE or not page.words)
    ]
    empty = [
        number for number in silent if pages[number - 1].blank or pages[number - 1].image_share <= PICTURE
    ]
    pictures = [number for number in silent if number not in empty]
    if all(page.blank for page in pages):
        reasons.append("Nothing is printed on this document's pages.")
    elif len(silent) == len(pages) or pictures:
        where = "This document" if len(silent) == len(pages) else named(pictures)
        reasons.append(f"{where} has no text; needs OCR.")
    large = [page.number for page in pages if page.too_large]
    if large:
        reasons.append(f"{named(large)} measures more than {LARGEST_SIDE:,} points a side and was not read.")
    broken = [page.number for page in pages if page.unreadable and not page.too_large]
    if broken:
        reasons.append(f"{named(broken)} cannot be read; the file is damaged there.")
    hidden = [page.number for page in pages if is_telling(page)]
    faint = [page.number for page in pages if page.hidden and page.number not in hidden]
    if hidden:
        reasons.append(f"{named(hidden)} holds text that a reader of the page does not see; it was not used.")
    elif faint:
        notes.append(f"{named(faint)} holds a few invisible words; they were not used.")
    layered = [
        page.number for page in pages if page.text_layer_of_scan and page.turn is None and not page.placeless
    ]
    if layered:
        notes.append(f"{named(layered)} is a scan with an invisible text layer; the layer was read.")
    if any(page.plain for page in pages):
        notes.append("Some text was read by a second reader, without its place on the page.")


def is_telling(page: Page) -> bool:
    """Whether the hidden words could be meant for a machine: many of them, or figures; a maker's mark is neither."""
    return len(page.hidden) >= MARK_WORDS or any(FIGURE.search(word.text) for word in page.hidden)


def tell_of_file(reading: Reading) -> None:
    if reading.document.has_javascript:
        reading.notes.append("The PDF holds JavaScript; it was not run.")
    names = [attachment.name for attachment in reading.document.attachments()]
    if names:
        more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
        listed = ", ".join(names[:MOST_LISTED])
        reading.notes.append(f"Attached files, not opened but for electronic invoices: {listed}{more}."[:300])


def named(numbers: list[int], inside: bool = False) -> str:
    """Page 3; Each of pages 1 to 4; Each of pages 1, 3, 9 and 12 more. `inside`: within a sentence."""
    if len(numbers) == 1:
        words = f"Page {numbers[0]}"
    elif numbers == list(range(numbers[0], numbers[-1] + 1)):
        words = f"Each of pages {numbers[0]} to {numbers[-1]}"
    else:
        more = f" and {len(numbers) - 8} more" if len(numbers) > 8 else ""
        words = f"Each of pages {', '.join(map(str, numbers[:8]))}{more}"
    return words[0].lower() + words[1:] if inside else words
