"""Opens a PDF and gives its words with their places, page by page. One thread only: PDFium allows no more.

What decides is the content, never the file's name. Everything that may go wrong is a `Problem` whose message people can read.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from tasks.agent.contract import Box, Code, Limits, Problem
from tasks.agent.forms import form_values
from tasks.agent.letters import joined
from tasks.agent.page import Page, Placing, Word, placing
from tasks.agent.picture import can_be_drawn, image_share, scanned_scale
from tasks.agent.quick import loose_boxes
from tasks.agent.straighten import Turn
from tasks.agent.visibility import TINY, Visibility

if TYPE_CHECKING:
    from PIL.Image import Image

HEADER_WITHIN = 1024
"""A PDF may start with some bytes of junk; the header has to stand within the first so many."""
RASTER_DPI = 300
"""What letters are recognised best at; a page of A4 stays below it, for its longest side is limited."""
LEGIBLE_DPI = 150
"""What scans hold at least whose small print is legible as it is."""
MUCH = 1.2
"""Letters that are drawn larger than this are blurred; a little larger they lose their grain."""
EXACT = 1 - 1e-9
"""So that rounding up gives a picture its own size."""
FEW_WORDS = 20
"""With fewer words than these a page may be a picture with a stamp of text on it."""
LARGEST_SIDE = 10_000_000
"""Points; more cannot be told apart in the numbers that places on a page are given in."""
XML_LIMIT = 8 * 1024 * 1024
AT_ONCE = 4 * 1024 * 1024
"""Files up to so many bytes are read once and kept; PDFium reads larger ones by itself, in small pieces."""

KEPT_OPEN = 16
"""So many pages stay open after their reading, for most of what is proven on a page stands on the first ones."""

Opened = tuple[raw.FPDF_PAGE, raw.FPDF_TEXTPAGE, Placing]

NOT_PDF = "This file is not a PDF, whatever its name says."
ARCHIVE = "This file is an archive or an Office document, and not a PDF. Hand in the PDFs that it holds, or save it as a PDF."
PACKED = (
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1f\x8b",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07",
    b"BZh",
    b"\xfd7zXZ\x00",
    b"\xd0\xcf\x11\xe0",
)
"""What archives and Office documents begin with. One that only stores its files has the first PDF's header where a PDF may have it: of
all that it holds, one document would be read and nobody would miss the others."""
TAR, TAR_AT = b"ustar", 257

BROKEN = "\x02"
"""PDFium's mark of a hyphen at the end of a line, behind which the next line goes on without a space."""
# And how it marks that hyphen elsewhere, and characters that it cannot name
REPAIRS = (("\ufffe", BROKEN), ("\x00", " "), ("\uffff", "\ufffd"), ("\u00ad", "-"), ("\xa0", " "))
UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+")
"""Characters without ink or width, which part no number and no name on the page."""
WORD = re.compile(rf"[^\s{BROKEN}]+{BROKEN}?|{BROKEN}")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside the file: listed, never opened, but for electronic invoices."""

    name: str
    content: bytes | None = None


class Document:
    """An open PDF. Use as a context manager, from one thread."""

    def __init__(
        self, pdf: pdfium.PdfDocument, content: bytes | None, path: str, password: str, limits: Limits
    ):
        self._pdf, self._content, self.path, self.password, self.limits = pdf, content, path, password, limits
        self.page_count = len(pdf)
        self._open: dict[int, Opened] = {}
        self._buffer = (ctypes.c_ushort * 1024)()
        self._forms: pdfium.PdfFormEnv | None = None
        if pdf.get_formtype() != raw.FORMTYPE_NONE:
            pdf.init_forms()
            self._forms = pdf.formenv

    @classmethod
    def open(cls, path: str | Path, password: str = "", limits: Limits | None = None) -> Document:
        """Raises Problem: not_pdf, empty, encrypted, no_pages, corrupt, limit, document_missing."""
        limits = limits or Limits()
        start = start_of(path)
        content = start if len(start) <= AT_ONCE else None
        # A document without pages leaves PDFium's error as the document before it did; this sets it to "format"
        raw.FPDF_LoadMemDocument(b"-", 1, None)
        try:
            pdf = pdfium.PdfDocument(content or str(path), password=password or None)
        except pdfium.PdfiumError as error:
            raise why_unopened(error, start, password) from None
        count = len(pdf)
        if count == 0:
            pdf.close()
            raise Problem(Code.NO_PAGES, "This PDF has no pages.")
        if count > limits.pages:
            pdf.close()
            message = f"This PDF has {count:,} pages; the limit is {limits.pages:,}. Split it and try again."
            raise Problem(Code.LIMIT, message)
        return cls(pdf, content, str(path), password, limits)

    def __enter__(self) -> Document:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for number in list(self._open):
            self._shut(number)
        self._pdf.close()

    @property
    def encrypted(self) -> bool:
        return raw.FPDF_GetSecurityHandlerRevision(self._pdf.raw) != -1

    @property
    def has_javascript(self) -> bool:
        """Scripts are noted and never run (this build of PDFium has no engine for them)."""
        if raw.FPDFDoc_GetJavaScriptActionCount(self._pdf.raw) > 0:
            return True
        if self._content is not None:
            return self._content.rfind(b"/JavaScript") >= 0  # a quarter quicker than from the front
        with open(self.path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(b"/JavaScript") >= 0

    @property
    def pages(self) -> Iterator[Page]:
        """All pages, one at a time."""
        return (self.read(number) for number in range(1, self.page_count + 1))

    def read(self, number: int) -> Page:
        """Page `number` (1-based) with its words; a page that PDFium cannot load is marked `unreadable`."""
        handle = raw.FPDF_LoadPage(self._pdf.raw, number - 1)
        if not handle:
            return Page(number, 0, 0, unreadable=True)
        try:
            width, height = raw.FPDF_GetPageWidthF(handle), raw.FPDF_GetPageHeightF(handle)
            if not (0 < width <= LARGEST_SIDE and 0 < height <= LARGEST_SIDE):
                return Page(number, 0, 0, unreadable=True, too_large=max(width, height) > LARGEST_SIDE)
            page = Page(number, width, height)
            text = raw.FPDFText_LoadPage(handle)
            if text:
                place = placing(handle, width, height)
                read_words(page, handle, text, place)
                if len(self._open) < KEPT_OPEN:
                    self._open[number] = (handle, text, place)
                else:
                    raw.FPDFText_ClosePage(text)
            if self._forms is not None:
                page.words += form_values(self._forms.raw, handle, page, placing(handle, width, height))
            if len(page.words) < FEW_WORDS:
                page.image_share = image_share(handle, width, height)
            return page
        finally:
            if number not in self._open:
                raw.FPDF_ClosePage(handle)

    def tight_box(self, words: list[Word], page: Page) -> Box | None:
        """The box of the ink of these words (all on `page`), as shares of the page; None if any has no characters of its own."""
        if page.turn is not None:
            return shown_box(words, page, page.turn)
        if any(word.start < 0 for word in words):
            return None
        _, text, place = self.opened(page)
        corners = [c for word in words for i in range(word.start, word.end) for c in ink(text, i, place)]
        if not corners:
            return None
        xs, ys = [x / page.width for x, _ in corners], [y / page.height for _, y in corners]
        x0, y0, x1, y1 = (min(1.0, max(0.0, v)) for v in (min(xs), min(ys), max(xs), max(ys)))
        return Box(x0=x0, y0=y0, x1=x1, y1=y1)

    def text_under(self, page: Page, box: Box) -> str:
        """All characters whose ink touches the box, as PDFium reads them."""
        _, text, place = self.opened(page)
        corners = (box.x0 * page.width, box.y0 * page.height, box.x1 * page.width, box.y1 * page.height)
        left, bottom, right, top = place.back(*corners)
        buffer = self._buffer
        size = raw.FPDFText_GetBoundedText(text, left, top, right, bottom, buffer, len(buffer))
        if size == len(buffer):  # there may be more
            size = raw.FPDFText_GetBoundedText(text, left, top, right, bottom, None, 0)
            buffer = (ctypes.c_ushort * max(size, 1))()
            raw.FPDFText_GetBoundedText(text, left, top, right, bottom, buffer, size)
        found = bytes(buffer)[: 2 * max(size, 0)]
        return UNSEEN.sub("", repaired(found.decode("utf-16-le", "replace").rstrip("\0"))).replace(
            BROKEN, "-"
        )

    def opened(self, page: Page) -> Opened:
        """Handles of a page; the first pages stay open from their reading on, and of the others the last one asked for."""
        opened = self._open.get(page.number)
        if opened is None:
            for number in [
                number for number in self._open if number > KEPT_OPEN or len(self._open) > KEPT_OPEN
            ]:
                self._shut(number)
            handle = raw.FPDF_LoadPage(self._pdf.raw, page.number - 1)
            text = raw.FPDFText_LoadPage(handle)
            opened = self._open[page.number] = (handle, text, placing(handle, page.width, page.height))
        return opened

    def _shut(self, number: int) -> None:
        handle, text, _ = self._open.pop(number)
        raw.FPDFText_ClosePage(text)
        raw.FPDF_ClosePage(handle)

    def render(self, number: int, *, grey: bool = True) -> Image | None:
        """A picture of page `number`, its longest side at most `limits.raster_pixels`; None where it is too large to draw safely.

        A scan of middling resolution on a small page is given as it is: to draw it much larger blurs its letters.
        """
        page = self._pdf[number - 1]
        if not can_be_drawn(page.raw):
            return None
        scale = min(RASTER_DPI / 72, self.limits.raster_pixels / max(page.get_size()))
        own = scanned_scale(page.raw, *page.get_size())
        if own is not None and LEGIBLE_DPI / 72 <= own < scale / MUCH:
            scale = own * EXACT
        return page.render(scale=scale, grayscale=grey).to_pil()

    def attachments(self) -> list[Attachment]:
        """Files inside the file, by name; the bytes only of XML below 8 MiB, for these may be an electronic invoice."""
        count = min(raw.FPDFDoc_GetAttachmentCount(self._pdf.raw), 1000)
        found = []
        for index in range(count):
            handle = raw.FPDFDoc_GetAttachment(self._pdf.raw, index)
            if handle:
                name = attachment_name(handle)
                found.append(
                    Attachment(name, attachment_bytes(handle) if name.lower().endswith(".xml") else None)
                )
        return found


def shown_box(words: list[Word], page: Page, turn: Turn) -> Box:
    """The box of recognised words, on the page as it is shown."""
    x0, x1 = min(word.x0 for word in words), max(word.x1 for word in words)
    y0, y1 = min(word.y0 for word in words), max(word.y1 for word in words)
    left, top, right, bottom = turn.shown(
        x0 / page.width, y0 / page.height, x1 / page.width, y1 / page.height
    )
    return Box(x0=left, y0=top, x1=right, y1=bottom)


def start_of(path: str | Path) -> bytes:
    """All of a file up to AT_ONCE bytes, of a larger one a byte more than that. Raises Problem unless it has a PDF header near its start."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            # Room for the most that may be kept would be asked of the system, and given back, each time
            room = min(os.fstat(file).st_size, AT_ONCE) + 1
            start = os.read(file, room)
            while len(start) < room and (more := os.read(file, room - len(start))):
                start += more
        finally:
            os.close(file)
    except FileNotFoundError:
        raise Problem(
            Code.DOCUMENT_MISSING, "The file of this document is not where it was stored."
        ) from None
    except OSError as error:
        message = f"The file of this document cannot be read: {error.strerror or 'input error'}."
        raise Problem(Code.STORAGE, message, retryable=True) from None
    if not start:
        raise Problem(Code.EMPTY, "This file is empty (0 bytes).")
    if start.startswith(PACKED) or start.startswith(TAR, TAR_AT):
        raise Problem(Code.NOT_PDF, ARCHIVE)
    if start.find(b"%PDF-", 0, HEADER_WITHIN + 5) < 0:
        raise Problem(Code.NOT_PDF, NOT_PDF)
    return start


def why_unopened(error: pdfium.PdfiumError, start: bytes, password: str) -> Problem:
    """PDFium's error number in words; `start` is that of the file."""
    if error.err_code == raw.FPDF_ERR_PASSWORD:
        message = (
            "The password does not open this PDF."
            if password
            else "This PDF is encrypted and needs a password to open."
        )
        return Problem(Code.ENCRYPTED, message)
    if error.err_code == raw.FPDF_ERR_SECURITY:
        return Problem(
            Code.ENCRYPTED,
            "This PDF is encrypted in a way that cannot be read here; save a copy without protection.",
        )
    if not re.search(rb"\d\s+obj\b|startxref|/Type", start):
        return Problem(Code.NOT_PDF, NOT_PDF)
    if re.search(rb"/Count\s+0\b", start) and not re.search(rb"/Type\s*/Page\b(?!s)", start):
        return Problem(Code.NO_PAGES, "This PDF has no pages.")
    return Problem(
        Code.CORRUPT, "This PDF is damaged or cut short and cannot be opened; ask for a fresh copy."
    )


def page_text(text: raw.FPDF_TEXTPAGE) -> str:
    """All characters, one per place in the text page (PDFium's own string may skip or pair some)."""
    count = raw.FPDFText_CountChars(text)
    if count <= 0:
        return ""
    buffer = bytearray(2 * (count + 1))
    # A type of array for each number of characters would take longer than the call
    first = ctypes.c_ushort.from_buffer(buffer)
    written = raw.FPDFText_GetText(text, 0, count, ctypes.byref(first))
    string = buffer[: 2 * max(written - 1, 0)].decode("utf-16-le", "replace")
    if len(string) != count:
        string = "".join(char_at(text, i) for i in range(count))
    return repaired(string)


def repaired(string: str) -> str:
    """With signs that words can hold. Replacing one after the other is a hundred times quicker than `translate`, for most are not there."""
    for sign, better in REPAIRS:
        string = string.replace(sign, better)
    return string


def char_at(text: raw.FPDF_TEXTPAGE, index: int) -> str:
    code = raw.FPDFText_GetUnicode(text, index)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def read_words(page: Page, handle: raw.FPDF_PAGE, text: raw.FPDF_TEXTPAGE, place: Placing) -> None:
    """Fill page.words and page.hidden. Two box calls a word, not one a character: a word's ends say where it is."""
    string = page_text(text)
    shown = string.replace(BROKEN, "-")
    unseen = UNSEEN.search(string) is not None
    seen = Visibility(handle, text, page.width, page.height)
    spans = [match.span() for match in WORD.finditer(string)]
    starts = [start for start, _ in spans]
    firsts, lasts = loose_boxes(text, starts), loose_boxes(text, [end - 1 for _, end in spans])
    words, sees, number, (width, height) = page.words, seen.sees, page.number, (page.width, page.height)
    a, d, e, f = place.a, place.d, place.e, place.f
    for (start, end), first, last, printed in zip(spans, firsts, lasts, seen.looks(starts), strict=True):
        if first is None:
            continue
        left, top, right, bottom = first
        if last is not None:
            # Thousands of times a second: min and max would take as long as PDFium
            last_left, last_top, last_right, last_bottom = last
            left = last_left if last_left < left else left
            right = last_right if last_right > right else right
            bottom = last_bottom if last_bottom < bottom else bottom
            top = last_top if last_top > top else top
        if place.upright:
            x0, y0, x1, y1 = a * left + e, d * top + f, a * right + e, d * bottom + f
        else:
            x0, y0, x1, y1 = place.box(left, bottom, right, top)
        said = UNSEEN.sub("", shown[start:end]) if unseen else shown[start:end]
        if not said:
            continue
        word = Word(said, x0, y0, x1, y1, number, start, end)
        # Most are plainly seen, and to ask costs as much as all of the above
        plain = printed == "seen" and x1 > 0 and y1 > 0 and x0 < width and y0 < height and y1 - y0 >= TINY
        (words if plain or sees(word, printed) else page.hidden).append(word)
    page.words = joined(words, string)
    seen.settle(page, place)


# Filled by PDFium for one character after the other
_sides = _left, _right, _bottom, _top = [ctypes.c_double() for _ in range(4)]
_side_pointers = [ctypes.byref(side) for side in _sides]


def ink(text: raw.FPDF_TEXTPAGE, index: int, place: Placing) -> list[tuple[float, float]]:
    """Two opposite corners of a character's ink; none for a character without ink."""
    if not raw.FPDFText_GetCharBox(text, index, *_side_pointers):
        return []
    left, right, bottom, top = [side.value for side in _sides]
    if right <= left or top <= bottom:
        return []
    x0, y0, x1, y1 = place.box(left, bottom, right, top)
    return [(x0, y0), (x1, y1)]


def attachment_name(handle: raw.FPDF_ATTACHMENT) -> str:
    size = min(raw.FPDFAttachment_GetName(handle, None, 0), 4096)
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    raw.FPDFAttachment_GetName(handle, buffer, size)
    return bytes(buffer)[: max(size - 2, 0)].decode("utf-16-le", "replace")


def attachment_bytes(handle: raw.FPDF_ATTACHMENT) -> bytes | None:
    size = ctypes.c_ulong()
    if not raw.FPDFAttachment_GetFile(handle, None, 0, ctypes.byref(size)) or not 0 < size.value <= XML_LIMIT:
        return None
    buffer = ctypes.create_string_buffer(size.value)
    if not raw.FPDFAttachment_GetFile(handle, buffer, size.value, ctypes.byref(size)):
        return None
    return buffer.raw
