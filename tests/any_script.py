"""Writes PDFs with text of any script without a font of it: Helvetica's letters are drawn, and the file says which characters they stand for."""

from __future__ import annotations

from tests.pdfs import raw_pdf

FIRST, MOST = 0x41, 150
"""Codes of the simple font that are given out, one to each character."""
NARROW = 60
"""Width of thin spaces, of 1000; every other character is so wide that none touches the next."""


def any_script_pdf(
    rows: list[tuple[float, float, str]], rotate: int = 0, matrix: str = "1 0 0 1 0 0"
) -> bytes:
    """One page of 600 × 800 points with texts at (x, y) from the bottom left, its characters drawn in the order given."""
    codes: dict[str, int] = {" ": 0x20}
    for _, _, text in rows:
        for character in text:
            codes.setdefault(character, FIRST + len(codes) - 1)
    assert len(codes) <= MOST
    content = f"q {matrix} cm\n"
    for x, y, text in rows:
        drawn = "".join(f"{codes[character]:02x}" for character in text)
        content += f"BT /F 12 Tf {x} {y} Td <{drawn}> Tj ET\n"
    content += "Q\n"
    wide = [1000] * 256
    for space in (" ", "\u2009", "\u202f", "\xa0"):
        if space in codes:
            wide[codes[space]] = NARROW if space != " " else 278
    widths = " ".join(map(str, wide))
    return raw_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Rotate %d /MediaBox [0 0 600 800] /Resources << /Font << /F 5 0 R >> >> >>" % rotate,
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content.encode()),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 6 0 R /FirstChar 0 /LastChar 255 /Widths [%s] >>" % widths.encode(),
            _stream(_to_unicode(codes)),
        ]
    )  # fmt: skip


def _to_unicode(codes: dict[str, int]) -> bytes:
    pairs = "".join(
        f"<{code:02x}> <{character.encode('utf-16-be').hex()}>\n" for character, code in codes.items()
    )
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"{len(codes)} beginbfchar\n{pairs}endbfchar endcmap end end"
    ).encode()


def _stream(data: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(data), data)
