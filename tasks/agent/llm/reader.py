"""The program "llm": asks a model for the fields of a schema, window by window, and keeps only what our own code finds on the pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Protocol

from tasks.agent import answers, confidence, tracing
from tasks.agent.answers import Answer
from tasks.agent.contract import Code, FieldValue, Order, Problem, Record, Result, Usage
from tasks.agent.einvoice import EInvoice
from tasks.agent.layout import lines_of
from tasks.agent.llm.asking import Asking
from tasks.agent.llm.checking import checked
from tasks.agent.llm.grounded import Entry, Grounder
from tasks.agent.llm.kept import Kept
from tasks.agent.llm.merge import Portion, merged_fields, merged_lists
from tasks.agent.llm.options import Options
from tasks.agent.llm.pictures import pictures_of, wants_picture
from tasks.agent.llm.prompt import Question, question
from tasks.agent.llm.server import Server
from tasks.agent.llm.troubles import TooLong
from tasks.agent.llm.usage import Meter
from tasks.agent.llm.windows import Piece, Window, windows_of
from tasks.agent.page import Page
from tasks.agent.pdf import Document
from tasks.agent.printed import WRITTEN_LEFTWARDS
from tasks.agent.reading import Reading, Tell, read_document
from tasks.agent.rules.reader import electronic
from tasks.agent.schema import Field, Schema, Type

MOST_ANSWER_SECONDS = 300.0
MOST_FAULTS = 10
NOTHING = "This document has no text, and no pictures of its pages were asked for; there was nothing to ask a model."


def read(order: Order, tell: Tell) -> tuple[Result, Usage]:
    """Raises Problem for a document that cannot be opened, settings that cannot be used, and a model that does not answer."""
    with opened(order, tell) as (reading, options):
        server = Server(order.endpoint, address_of(order), patience(order))
        try:
            asking = Asking(server, list(options.chain), Kept(order.kept), reading.meter)
            return Portions(reading, options, asking, tell).result()
        finally:
            server.close()


@contextmanager
def opened(order: Order, tell: Tell) -> Iterator[tuple[Reading, Options]]:
    """The document as it was read, and what its agent is set to."""
    options = Options.of(order)
    with Document.open(order.document, order.password, order.limits) as document:
        yield read_document(document, order, lambda _done, total, usage: tell(0, total, usage)), options


def address_of(order: Order) -> str:
    """Of the model server; empty where nobody says it."""
    return str(order.endpoint.base_url or order.settings.get("endpoint") or "")


def patience(order: Order) -> float:
    """Seconds that an answer may take."""
    return min(MOST_ANSWER_SECONDS, float(order.limits.wall_seconds))


class Asks(Protocol):
    """Whoever answers the questions about a document."""

    meter: Meter
    notes: list[str]

    def ask(self, question: Question) -> str:
        """The answer's JSON. Raises TooLong, or a Problem."""


class Portions:
    """Asks about every window of a document and grounds each answer before the next question."""

    def __init__(self, reading: Reading, options: Options, asking: Asks, tell: Tell):
        self.reading, self.options, self.asking, self.tell = reading, options, asking, tell
        self.document = reading.document
        self._pages_done = 0
        self.grounder = Grounder(self.document, {page.number: page for page in reading.pages})

    def result(self) -> tuple[Result, Usage]:
        """With what it cost; a Problem says what was paid until then."""
        try:
            found, notes = self.all(), self.asking.notes
            return result_of(self.reading, self.options.fields, found, notes), self.asking.meter.usage
        except Problem as problem:
            problem.usage = self.asking.meter.usage
            raise

    def windows(self) -> list[Window]:
        return windows_of(self._pieces(), self.options.window_pages)

    def all(self) -> list[Portion]:
        found: list[Portion] = []
        for window in self.windows():
            found += self._portions(window)
            self._told(window.pages[-1])
        self._told(self.document.page_count)
        return found

    def _told(self, pages_done: int) -> None:
        """Tell about progress; ends the attempt where it was asked to stop."""
        self._pages_done = pages_done
        self.tell(pages_done, self.document.page_count, self.asking.meter.usage)

    def _pieces(self) -> Iterator[Piece]:
        for page in self.reading.pages:
            text, picture = text_of(page), wants_picture(page, self.options.vision)
            if text or picture:
                yield Piece(page.number, text, picture)

    def _portions(self, window: Window) -> Iterator[Portion]:
        for part, answer in self.answers(window):
            with tracing.span("grounding", pages=len(part.pages)):
                yield self.grounded(part, answer)

    def answers(self, window: Window) -> Iterator[tuple[Window, str]]:
        """One, or several where the window, or the answer about it, is too long for the model."""
        try:
            answer = self._ask(window)
        except TooLong:
            halves = window.halves()
            if halves is None:
                raise Problem(Code.INVALID_RESULT, too_long(window)) from None
            for half in halves:
                yield from self.answers(half)
            return
        yield window, answer

    def _ask(self, window: Window) -> str:
        wanted = [piece.page for piece in window.pieces if piece.picture]
        pictures = pictures_of(self.document, wanted)
        schema, most = self.options.fields, self.options.max_output_tokens
        asked = question(schema, window, self.document.page_count, pictures, most)
        try:
            return self.asking.ask(asked)
        finally:
            # What was paid is told before anything is done with it
            self._told(self._pages_done)

    def said(self, answer: str) -> Answer:
        """The values in an answer's JSON."""
        return answers.parse(self.options.fields, answer)

    def grounded(self, window: Window, answer: str) -> Portion:
        """An answer about a window, with what proves it there."""
        said, pages = self.said(answer), window.pages
        portion = Portion({}, again=window.again)
        for field in self.options.fields.fields:
            if field.type is Type.LIST:
                portion.lists[field.name] = self._entries(field, said.values[field.name], pages)
                portion.faults += faults_of(field, said.problems)
            else:
                value = self.grounder.value(field, said.values[field.name], pages)
                portion.fields[field.name] = with_fault(value, said.problems.get(field.name))
        return portion

    def _entries(
        self, field: Field, rows: list[dict[str, str | int | None]], pages: list[int]
    ) -> list[Entry]:
        entries: list[Entry] = []
        for row in rows:
            before = next((entry.row for entry in reversed(entries) if entry.row), None)
            entries.append(self.grounder.entry(field.fields, row, pages, before))
        return entries


def text_of(page: Page) -> str:
    """The page's text, line by line; of a script that is written leftwards in the order of the file, which is that of reading."""
    if not page.words:
        return page.plain
    words = " ".join(word.text for word in page.words)
    if len(WRITTEN_LEFTWARDS.findall(words)) > len(words) / 4:
        return words
    return "\n".join(line.text for line in lines_of(page))


def too_long(window: Window) -> str:
    return (
        f"What page {window.pages[0]} holds, or the answer about it, is longer than the model takes at once. "
        "Raise max_output_tokens of the agent, ask for fewer fields, or choose a model with a larger context."
    )


def faults_of(field: Field, problems: dict[str, str]) -> list[str]:
    """What is wrong with a list or its cells, for the entry or value itself is lost."""
    own = (place for place in problems if place == field.name or place.startswith(f"{field.name}["))
    return [f"The model's answer cannot be used at {place}: {problems[place]}"[:300] for place in own]


def with_fault(value: FieldValue, fault: str | None) -> FieldValue:
    """What the model said and does not fit the field's type is told, for the value itself is lost."""
    if fault is None:
        return value
    return value.model_copy(
        update={"reasons": (*value.reasons, f"The model's answer cannot be used: {fault}"[:300])}
    )


def result_of(reading: Reading, schema: Schema, portions: list[Portion], notes: list[str]) -> Result:
    reasons = list(reading.reasons)
    required = tuple(field.name for field in schema.fields if field.required and field.type is not Type.LIST)
    records: tuple[Record, ...] = ()
    if portions:
        with tracing.span("checks"):
            xml, faults = electronic(reading.document)
            records = (record_of(schema, portions, reading.document.page_count, xml),)
        reasons += faults
        reasons += [fault for portion in portions for fault in portion.faults][:MOST_FAULTS]
        reasons += no_entries(schema, portions)
    else:
        reasons.append(NOTHING)
    sure = confidence.of_records(records, required) if required or not records else 1.0
    return Result(
        kind=schema.kind,
        pages=reading.document.page_count,
        records=records,
        confidence=min(sure, confidence.FLAGGED) if reasons else sure,
        needs_review=bool(reasons) or confidence.needs_review(records, required),
        reasons=tuple(reasons),
        notes=tuple(dict.fromkeys([*reading.notes, *notes])),
    )


def no_entries(schema: Schema, portions: list[Portion]) -> list[str]:
    """A reason for each list that is required and empty."""
    wanted = (field.name for field in schema.fields if field.type is Type.LIST and field.required)
    empty = (name for name in wanted if not any(portion.lists.get(name) for portion in portions))
    return [f"No entry of the list {name.replace('_', ' ')} was found." for name in empty]


def record_of(schema: Schema, portions: list[Portion], page_count: int, xml: EInvoice | None) -> Record:
    """Lists become lines; where the schema has several of them, each line names its own as `list`."""
    lists = [field.name for field in schema.fields if field.type is Type.LIST]
    lines: list[dict[str, FieldValue]] = []
    for name in lists:
        own = {"list": FieldValue(value=name, confidence=1.0)} if len(lists) > 1 else {}
        lines += [own | cells for cells in merged_lists(portions, name)]
    today = datetime.now(UTC).date()
    fields = checked(merged_fields(portions), lines if len(lists) == 1 else (), today, xml)
    return Record(
        kind=schema.kind, fields=fields, lines=tuple(lines), first_page=1, last_page=max(page_count, 1)
    )
