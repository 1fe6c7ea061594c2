"""Writes small PDFs for tests, odd and hostile ones included, object by object."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any
from uuid import UUID

from tasks.agent.contract import Completed, Event, Failed, Limits, Order, Result
from tasks.agent.program import run

FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"


def raw_pdf(objects: list[bytes], root: int = 1) -> bytes:
    """A file of these objects (numbered from 1) with a right cross-reference table."""
    out = b"%PDF-1.7\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer << /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        root,
        start,
    )


def page_pdf(
    content: str, page: str = "/MediaBox [0 0 600 800]", more: list[bytes] | None = None, catalog: str = ""
) -> bytes:
    """One page with this content stream; `page` and `catalog` are further entries, `more` further objects from number 6 on."""
    stream = content.encode("cp1252")
    return raw_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalog.encode(),
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> %s >>"
            % page.encode(),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
            FONT,
            *(more or []),
        ]
    )


def text_at(x: float, y: float, text: str, size: float = 12, before: str = "") -> str:
    """Operators that print one line with its baseline at (x, y) from the bottom left."""
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /F {size} Tf {before} {x} {y} Td ({escaped}) Tj ET\n"


def lines_pdf(rows: list[str | list[tuple[float, str]]], top: float = 760, step: float = 18) -> bytes:
    """One page with these rows; a row is a text at the left edge, or (x, text) pairs."""
    content = ""
    for index, row in enumerate(rows):
        for x, text in [(60.0, row)] if isinstance(row, str) else row:
            content += text_at(x, top - step * index, text)
    return page_pdf(content)


def unicode_pdf(rows: list[str | list[tuple[float, str]]], top: float = 760, step: float = 18) -> bytes:
    """As `lines_pdf`, with any characters: the font names them, whatever it draws."""
    codes: dict[str, int] = {}
    content = b""
    for index, row in enumerate(rows):
        for x, text in [(60.0, row)] if isinstance(row, str) else row:
            shown = bytes(codes.setdefault(sign, len(codes) + 1) for sign in text)
            content += b"BT /F 12 Tf %.1f %.1f Td <%s> Tj ET\n" % (
                x,
                top - step * index,
                shown.hex().encode(),
            )
    names = "".join(f"<{code:02x}> <{sign.encode('utf-16be').hex()}>\n" for sign, code in codes.items())
    mapping = f"begincmap 1 begincodespacerange <00> <ff> endcodespacerange {len(codes)} beginbfchar\n{names}endbfchar endcmap"
    return raw_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> /MediaBox [0 0 600 800] >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 0 /LastChar 255 /Widths [%s] /ToUnicode 6 0 R >>"
            % b" ".join([b"556"] * 256),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(mapping), mapping.encode()),
        ]
    )


def stored(folder: Path, content: bytes, name: str = "file.pdf") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def order_for(path: Path, **members: Any) -> Order:
    defaults = {
        "attempt": UUID(int=7),
        "task": 1,
        "number": 1,
        "program": "rules",
        "document": str(path),
        "document_sha256": "",
    }
    return Order(**{**defaults, **members})


def events_of(path: Path, **members: Any) -> list[Event]:
    events: list[Event] = []
    run(order_for(path, **members), events.append)
    return events


def outcome_of(path: Path, **members: Any) -> Completed | Failed:
    outcome = events_of(path, **members)[-1]
    assert isinstance(outcome, (Completed, Failed))
    return outcome


def result_of(path: Path, **members: Any) -> Result:
    outcome = outcome_of(path, **members)
    assert isinstance(outcome, Completed), outcome
    assert outcome.result is not None
    return outcome.result


FEW_PAGES = Limits(pages=2)


# Small files that want to be large


def flate_bomb(times: int = 3, gibibytes: int = 8) -> bytes:
    """So many GiB of spaces, packed so many times: a few kilobytes."""
    packer = zlib.compressobj(9)
    head, block = packer.compress(b""), packer.compress(b" " * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = (head or b"\x78\xda") + block.removeprefix(b"\x78\xda") * (gibibytes << 10)
    for _ in range(times - 1):
        packed = zlib.compress(packed, 9)
    return packed


def packed_stream(entries: bytes) -> bytes:
    packed = flate_bomb()
    filters = b"/Filter [/FlateDecode /FlateDecode /FlateDecode]"
    return b"<< %s %s /Length %d >>\nstream\n%s\nendstream" % (entries, filters, len(packed), packed)


def bomb_in_a_page() -> bytes:
    return raw_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /MediaBox [0 0 600 800] >>",
            packed_stream(b""),
        ]
    )


def bomb_in_the_table_of_contents() -> bytes:
    """In the cross-reference stream, which is unpacked before anything else."""
    out = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n"
    table = packed_stream(b"/Type /XRef /Size 3 /W [1 2 1] /Root 1 0 R")
    return out + b"2 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (table, len(out))


def looping_pages() -> bytes:
    return raw_pdf([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"])


def so_many_pages(count: int) -> bytes:
    """All of them the same object."""
    kids = b"3 0 R " * count
    return raw_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>",
        ]
    )


HOSTILE = {
    "a bomb in a page": bomb_in_a_page,
    "a bomb in the table of contents": bomb_in_the_table_of_contents,
    "a loop": looping_pages,
    "200,000 pages": lambda: so_many_pages(200_000),
    "a page of 100,000 points": lambda: page_pdf("", "/MediaBox [0 0 100000 100000]"),
    "a picture without an end": lambda: page_pdf("BI /W 60000 /H 60000 /BPC 8 /CS /RGB ID " + "x" * 5000),
}
