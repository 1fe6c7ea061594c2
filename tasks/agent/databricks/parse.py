"""Databricks' ai_parse_document in the place of an OCR engine: reads the picture of a page, and gives its words without places that prove anything.

It is sent the picture and not the file, so that nothing is read that a reader of the page does not see, and only pages without text are sent.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import logging
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

from tasks.agent import tracing
from tasks.agent.contract import Code, Order, Problem
from tasks.agent.databricks.functions import Functions
from tasks.agent.llm.kept import Answered, Kept
from tasks.agent.llm.troubles import Elsewhere, TooLong
from tasks.agent.llm.usage import Meter
from tasks.agent.page import Page, Word

if TYPE_CHECKING:
    from PIL.Image import Image

log = logging.getLogger(__name__)

FUNCTION, VERSION = "ai_parse_document", "2.0"
PAGE_SECONDS = 120.0
QUALITY = 90
INVENTED = ("figure",)
"""Elements whose words a model has made up to describe a picture."""
CELL = 0.8
"""Of a column's width, the share that its words may take."""
WIDEST = 0.5
"""Width of a letter as a share of its line's height."""
LINE = 24.0
"""Pixels that a line takes whose place nobody tells."""

Box = tuple[float, float, float, float]


class ParsedPages:
    """Asks the workspace for one page after the other. Answers that were paid for are kept for later attempts."""

    def __init__(self, order: Order, meter: Meter):
        """Logs in. Raises Problem: bad_configuration where there is no login, upstream."""
        self._functions = Functions(min(PAGE_SECONDS, order.limits.wall_seconds))
        self._kept, self._meter = Kept(order.kept), meter

    def read(self, page: Page, picture: Image) -> bool:
        """Replace the page's words by those that the workspace reads in its picture; whether there are any. Raises Problem."""
        content = _jpeg(picture)
        key = hashlib.sha256(f"{FUNCTION} {VERSION}".encode() + content).hexdigest()
        kept = self._kept.get(key)
        text = kept.text if kept else self._paid(key, content)
        page.words = words_of(json.loads(text), page, picture.size)
        page.placeless = bool(page.words)
        return page.placeless

    def _paid(self, key: str, content: bytes) -> str:
        with tracing.span("page parsed", kind="PARSER", model=FUNCTION, source="databricks") as step:
            try:
                text = self._asked(content)
            except TooLong:
                text = "[]"
            except Elsewhere as error:
                if error.sent:
                    self._meter.add(FUNCTION, None)
                raise self._with_usage(error.problem) from None
            except Problem as problem:
                raise self._with_usage(problem) from None
            step.set(characters=len(text))
        try:
            self._kept.put(key, Answered(text, FUNCTION))
        except OSError as error:  # costs a second payment after a crash, and nothing now
            log.warning("A parsed page could not be kept for later attempts: %s.", error.strerror)
        return text

    def _asked(self, content: bytes) -> str:
        """The elements of the parsed document, as JSON. No descriptions of figures are asked for: they are no words of the page."""
        from databricks.sdk.service.aifunctions import AiParseDocumentOptions

        url = f"data:image/jpeg;base64,{base64.b64encode(content).decode()}"
        options = AiParseDocumentOptions(version=VERSION, description_element_types="")
        answer = self._functions.call(FUNCTION, lambda api: api.ai_parse_document(url, options=options))
        self._meter.add(FUNCTION, None)
        document = answer.document
        if isinstance(document, Mapping) and isinstance(document.get("elements"), list):
            return json.dumps(document["elements"])
        if answer.error_status:
            return "[]"
        message = "ai_parse_document of Databricks answered with something else than a parsed document."
        raise Problem(Code.INVALID_RESULT, message, retryable=True)

    def _with_usage(self, problem: Problem) -> Problem:
        problem.usage = self._meter.usage
        return problem


def _jpeg(picture: Image) -> bytes:
    packed = io.BytesIO()
    picture.convert("L").save(packed, "JPEG", quality=QUALITY)
    return packed.getvalue()


def words_of(elements: list[Any], page: Page, size: tuple[int, int]) -> list[Word]:
    """The words of parsed elements, in the order of the answer, about where they stand on a page whose picture has `size` pixels.

    Boxes are those of whole paragraphs and tables: lines and columns share them evenly, which is good enough to read by and proves nothing.
    """
    placed = list(_placed(elements))
    width = max([float(size[0]), *(box[2] for _, box in placed)])
    height = max([float(size[1]), *(box[3] for _, box in placed)])
    across, down = page.width / width, page.height / height
    words: list[Word] = []
    for element, (x0, y0, x1, y1) in placed:
        box = (x0 * across, y0 * down, x1 * across, y1 * down)
        for text, part in _phrases(str(element["content"]), box):
            words += _in_line(text, part, page.number)
    return words


def _placed(elements: list[Any]) -> Iterator[tuple[Mapping[str, Any], Box]]:
    """Elements that hold printed words, with their boxes; one without a box comes below all before it."""
    bottom = 0.0
    for element in elements:
        if not isinstance(element, Mapping) or element.get("type") in INVENTED:
            continue
        content = element.get("content")
        if not isinstance(content, str) or not content.strip():
            continue
        box = _box(element.get("bbox")) or (0.0, bottom, LINE * 40, bottom + LINE * (content.count("\n") + 1))
        bottom = max(bottom, box[3])
        yield element, box


def _box(said: Any) -> Box | None:
    first = said[0] if isinstance(said, list) and said else None
    corners = first.get("coord") if isinstance(first, Mapping) else None
    if not isinstance(corners, list) or len(corners) != 4:
        return None
    if not all(isinstance(one, int | float) and 0 <= one < 1e6 for one in corners):
        return None
    x0, y0, x1, y1 = map(float, corners)
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def _phrases(content: str, box: Box) -> Iterator[tuple[str, Box]]:
    """The lines of a text, or the cells of a table, each with its share of the box."""
    x0, y0, x1, y1 = box
    is_table = "<tr" in content.lower()
    rows = _rows(content) if is_table else [[line] for line in content.splitlines() if line.strip()]
    if not rows:
        return
    high, wide = (y1 - y0) / len(rows), (x1 - x0) / max(map(len, rows))
    longest = max(len(row[0]) for row in rows)
    for number, row in enumerate(rows):
        top = y0 + number * high
        for column, cell in enumerate(row):
            left = x0 + column * wide
            # What a cell holds ends before the next one begins
            share = CELL if is_table else len(cell) / longest
            yield cell, (left, top, left + share * wide, top + high)


def _in_line(text: str, box: Box, page: int) -> Iterator[Word]:
    """The words of a phrase, each as wide as its share of the letters, and no wider than print of that height: a space sets nothing apart."""
    x0, y0, x1, y1 = box
    letter, margin, at = min((x1 - x0) / max(len(text), 1), WIDEST * (y1 - y0)), 0.1 * (y1 - y0), 0
    for part in text.split():
        start = text.index(part, at)
        at = start + len(part)
        word = Word(part, x0 + letter * start, y0 + margin, x0 + letter * at, y1 - margin, page, -1, -1)
        word.source = "ocr"
        yield word


def _rows(content: str) -> list[list[str]]:
    parser = _Table()
    parser.feed(content)
    parser.close()
    return [row for row in parser.rows if any(row)]


class _Table(HTMLParser):
    """Collects the cells of a table's rows; whatever else stands there is left out."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            if not self.rows:
                self.rows.append([])
            self.rows[-1].append("")
            self._open = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr"):
            self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            self.rows[-1][-1] = f"{self.rows[-1][-1]} {data}".strip()
