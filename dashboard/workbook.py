"""The results of an extraction as a workbook: each value is a number, a date or text, leads to its place on the page, and says what is doubtful."""

from __future__ import annotations

import io
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

import xlsxwriter
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from xlsxwriter.format import Format
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from dashboard import words
from dashboard.documents import anchor_of
from dashboard.sayings import spoken
from tasks import confidence
from tasks.models import Extraction, Task

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
"""Text stays text, whatever it begins with: no cell is ever a formula, and a link only where we make one. A row is held in memory, not a page."""
MOST_LINKS = 60_000
"""A worksheet holds 65,530 of them."""
MOST_NOTES = 20_000
"""Each is kept in memory, with a drawing of its own."""
MOST_ROWS = 200_000
"""A worksheet holds a million, and no request has the time for them."""
MOST_TEXT, KEPT_TEXT = 32_767, 16_000
"""UTF-16 units that a cell holds, and characters that are kept of a longer text: they fit, whatever they are."""
EXACT_DIGITS = 15
"""A number of a workbook is exact up to here; longer ones are kept as text."""
AMBER, GREY = "#FDEED3", "#F0F3F6"
DATE, AMOUNT = "yyyy-mm-dd", "#,##0.00######"

Results = Callable[[], Iterator[tuple[Task, dict[str, Any]]]]
"""Each task with its result, read anew at each call."""
Absolute = Callable[[str], str]
"""Makes an address that also leads here from elsewhere."""


class Looks(NamedTuple):
    """Formats of cells by kind of value and by whether it needs a look."""

    head: Format
    of: dict[tuple[str, bool], Format]


def made(extraction: Extraction, results: Results, absolute: Absolute, *, may_see_pages: bool) -> bytes:
    """The workbook's bytes. What it cannot hold is counted below its table; values lead to their page for those who may open it."""
    out = io.BytesIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        xlsxwriter.Workbook(out, {**OPTIONS, "tmpdir": folder}) as book,
    ):
        looks = _looks(book)
        documents = _Table(book.add_worksheet(_("Documents")[:31]), looks)
        lines = _Table(book.add_worksheet(_("Line items")[:31]), looks)
        _fill(extraction, results, absolute, may_see_pages, documents, lines)
        if extraction.refused:
            refused = _Table(book.add_worksheet(_("Files not read")[:31]), looks)
            refused.head([_("file"), _("code"), _("reason")])
            for entry in extraction.refused:
                refused.row([entry["name"], entry["code"], spoken(entry["sentence"])])
        documents.end(words.incomplete(extraction))
        lines.end()
    return out.getvalue()


def _looks(book: Workbook) -> Looks:
    kinds = {
        "text": {},
        "date": {"num_format": DATE},
        "amount": {"num_format": AMOUNT},
        "share": {"num_format": "0%"},
        "number": {},
    }
    found = {}
    for kind, properties in kinds.items():
        top = {"valign": "top", **properties}
        found[kind, False] = book.add_format(top)
        found[kind, True] = book.add_format(top | {"bg_color": AMBER})
    return Looks(book.add_format({"bold": True, "bg_color": GREY, "text_wrap": True}), found)  # fmt: skip


def _fill(
    extraction: Extraction,
    results: Results,
    absolute: Absolute,
    may_see_pages: bool,
    documents: _Table,
    lines: _Table,
) -> None:
    columns, of_lines = _columns(results())
    documents.head(
        [_("document"), _("state"), _("confidence"), _("needs review"), _("kind"), *map(words.field_word, columns),
         _("line items"), _("reasons"), _("error"), _("SHA-256")]
    )  # fmt: skip
    lines.head([_("document"), _("record"), _("line"), *map(words.field_word, of_lines)])

    @lru_cache(maxsize=64)
    def page_of(task: int, page: int) -> str:
        return absolute(reverse("sheet", args=(task, page)))

    def address(task: int, record: int, line: int | None) -> Callable[[str, int], str]:
        def place(name: str, page: int) -> str:
            return f"{page_of(task, page)}#box-{anchor_of(record, line, name)}" if may_see_pages else ""

        return place

    for task, result in results():
        for number, record in enumerate(result.get("records", ()) or [{"kind": "", "fields": {}}]):
            rows = record.get("lines", ())
            documents.row([
                Linked(task.document.original_name, absolute(reverse("task", args=(task.pk,)))), words.TASK["review" if task.needs_review else task.status].word,
                Share(task.confidence), _("yes") if task.needs_review else "", words.kind_word(record["kind"]) if record["kind"] else "",
                *_values(record["fields"], columns, address(task.pk, number, None)), len(rows),
                _reasons(extraction, result, record), task.error_message, task.document.sha256,
            ])  # fmt: skip
            for place, row in enumerate(rows, start=1):
                lines.row(
                    [
                        task.document.original_name,
                        number + 1,
                        place,
                        *_values(row, of_lines, address(task.pk, number, place)),
                    ]
                )


def _columns(results: Iterable[tuple[Task, dict[str, Any]]]) -> tuple[list[str], list[str]]:
    """Names of all fields and of all columns of line items, in reading order."""
    fields: set[str] = set()
    cells: set[str] = set()
    for _task, result in results:
        for record in result.get("records", ()):
            fields.update(record["fields"])
            cells.update(name for line in record.get("lines", ()) for name in line)
    return words.ordered(fields), words.ordered(cells)


def _reasons(extraction: Extraction, result: dict[str, Any], record: dict[str, Any]) -> str:
    """Why the document needs a look, then why each amber value of the row does, in the order of the columns."""
    said = [gone] if (gone := words.gone(extraction)) else []
    said += map(spoken, result.get("reasons", ()))
    for name in words.ordered(record["fields"]):
        reasons = record["fields"][name].get("reasons", ())
        said += [f"{words.field_word(name)}: {spoken(reason)}" for reason in reasons]
    return "; ".join(said)


def _values(fields: dict[str, Any], names: list[str], address: Callable[[str, int], str]) -> Iterator[Value]:
    for name in names:
        value = fields.get(name)
        if value is None:
            yield Value(name, None)
            continue
        first = next(iter(value.get("evidence", ())), None)
        where = address(name, first["page"]) if first else ""
        yield Value(name, value["value"], where, tuple(spoken(reason) for reason in value.get("reasons", ())))


# Cells


class Linked(NamedTuple):
    text: str
    url: str


class Share(NamedTuple):
    share: float | None


class Value(NamedTuple):
    """What was read for a field; `reasons`: why it needs a look."""

    name: str
    value: str | int | None
    url: str = ""
    reasons: tuple[str, ...] = ()


class _Table:
    """A worksheet that is filled row by row from the top."""

    def __init__(self, sheet: Worksheet, looks: Looks) -> None:
        self.sheet, self.looks = sheet, looks
        self.next, self.width = 0, 0
        self.links = self.notes = self.rows = 0

    def head(self, names: list[str]) -> None:
        for x, name in enumerate(names):
            self.sheet.write_string(0, x, name, self.looks.head)
        self.sheet.freeze_panes(1, 1)
        self.sheet.set_column(0, 0, 34)
        self.sheet.set_column(1, len(names), 16)
        self.next, self.width = 1, len(names)

    def row(self, cells: Iterable[object]) -> None:
        self.rows += 1
        if self.rows > MOST_ROWS:
            return
        for x, cell in enumerate(cells):
            self._write(x, cell)
        self.next += 1

    def end(self, *notes: str) -> None:
        """`notes`: sentences below the table; empty ones are none."""
        if self.next > 1:
            self.sheet.autofilter(0, 0, self.next - 1, self.width - 1)
        for place, sentence in enumerate(filter(None, (*notes, *self._left_out())), start=1):
            self._text(self.next + place, 0, sentence, self.looks.of["text", True])

    def _left_out(self) -> Iterator[str]:
        """What does not fit, below the table and one row apart from it."""
        if (n := self.rows - MOST_ROWS) > 0:
            yield ngettext(
                "%(n)d further row does not fit here; the results as JSON have it.",
                "%(n)d further rows do not fit here; the results as JSON have them.", n,
            ) % {"n": n}  # fmt: skip
        if (n := self.links - MOST_LINKS) > 0:
            yield ngettext(
                "%(n)d further link does not fit here; the page of its document has it.",
                "%(n)d further links do not fit here; the pages of their documents have them.", n,
            ) % {"n": n}  # fmt: skip
        if (n := self.notes - MOST_NOTES) > 0:
            yield ngettext(
                "%(n)d further amber cell does not say why here; the page of its document does.",
                "%(n)d further amber cells do not say why here; the pages of their documents do.", n,
            ) % {"n": n}  # fmt: skip

    def _write(self, x: int, cell: object) -> None:
        look = self.looks.of
        if isinstance(cell, Linked):
            self._link(x, cell.url)
            self._text(self.next, x, cell.text, look["text", False])
        elif isinstance(cell, Share):
            if cell.share is not None:
                self.sheet.write_number(self.next, x, confidence.shown(cell.share), look["share", False])
        elif isinstance(cell, Value):
            self._value(x, cell)
        elif isinstance(cell, int):
            self.sheet.write_number(self.next, x, cell, look["number", False])
        elif cell:
            self._text(self.next, x, str(cell), look["text", False])

    def _value(self, x: int, cell: Value) -> None:
        doubtful = bool(cell.reasons)
        if cell.url:
            self._link(x, cell.url)
        kind, value = _typed(cell.name, cell.value)
        look = self.looks.of[kind, doubtful]
        if isinstance(value, date):
            self.sheet.write_datetime(self.next, x, datetime(value.year, value.month, value.day), look)
        elif isinstance(value, (int, Decimal)):
            self.sheet.write_number(self.next, x, float(value), look)
        elif value:
            self._text(self.next, x, value, look)
        elif doubtful:
            self.sheet.write_blank(self.next, x, None, look)
        if doubtful:
            self.notes += 1
            if self.notes <= MOST_NOTES:
                said = fitting("\n".join(cell.reasons))
                self.sheet.write_comment(self.next, x, said, {"x_scale": 2, "author": "agentaudit"})

    def _link(self, x: int, url: str) -> None:
        """Before the cell's own value, which then takes the place of the address's text."""
        self.links += 1
        if self.links <= MOST_LINKS:
            self.sheet.write_url(self.next, x, url)

    def _text(self, y: int, x: int, text: str, look: Format) -> None:
        self.sheet.write_string(y, x, fitting(text), look)


def fitting(text: str) -> str:
    """Text as a cell holds it; where that is not all of it, it says so."""
    if len(text) <= KEPT_TEXT or len(text.encode("utf-16-le", "replace")) <= 2 * MOST_TEXT:
        return text
    return f"{text[:KEPT_TEXT]} […] {_('This text is too long for a cell.')}"


def _typed(name: str, value: str | int | None) -> tuple[str, str | int | Decimal | date | None]:
    """The kind of cell, and the value as a workbook has it; what it could not hold exactly stays text."""
    if isinstance(value, str):
        if name in words.DATES or name.endswith("_date"):
            try:
                day = date.fromisoformat(value)
            except ValueError:
                return "text", value
            return ("date", day) if day.year > 1900 else ("text", value)
        digits = re.fullmatch(r"-?(\d+)(?:\.(\d+))?", value)
        if (
            name in words.AMOUNTS
            and digits
            and len("".join(part or "" for part in digits.groups())) <= EXACT_DIGITS
        ):
            return "amount", Decimal(value)
        return "text", value
    if value is not None and abs(value) >= 10**EXACT_DIGITS:
        return "text", str(value)
    return "number", value
