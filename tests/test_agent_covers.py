"""Text under what is drawn after it is not used and is flagged; what hides nothing hides nothing, whatever it is."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from tasks.agent.pdf import Document
from tests.pdfs import page_pdf, result_of, stored, text_at

BOX = "50 490 300 30 re f "
SECRET = text_at(60, 500, "Total 1,234.50")
OPEN = text_at(60, 700, "Seen words")
STATES = "/MediaBox [0 0 600 800] /Resources << /Font << /F 5 0 R >> /ExtGState << /Half 6 0 R /Under 7 0 R >> /XObject << /I 8 0 R /B 9 0 R >> >>"
FLAGGED = "Page 1 holds text that a reader of the page does not see; it was not used."


def stream(head: bytes, content: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (head, len(content), content)


def picture(pixels: bytes) -> bytes:
    head = b"/Type /XObject /Subtype /Image /Width 64 /Height 64 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode"
    return stream(head, zlib.compress(pixels))


NOISE = bytes(index * index * 37 % 251 for index in range(64 * 64))


def page_of(content: str, form: str = "", more: str = "", notes: list[bytes] | None = None) -> bytes:
    """A page with a half transparent state, a multiplying one, a picture full of contrast and a form."""
    head = b"/Type /XObject /Subtype /Form /BBox [0 0 1200 1600] /Matrix [0.5 0 0 0.5 0 0] /Resources << /Font << /F 5 0 R >> >>"
    objects = [
        b"<< /Type /ExtGState /ca 0.5 >>",
        b"<< /Type /ExtGState /BM /Multiply >>",
        picture(NOISE),
        stream(head, form.encode()),
        *(notes or []),
    ]
    return page_pdf(content, f"{STATES} {more}", objects)


def read(folder: Path, content: bytes) -> tuple[str, str]:
    """The words that were read, and those that were kept apart."""
    with Document.open(stored(folder, content)) as document:
        page = document.read(1)
    return " ".join(word.text for word in page.words), " ".join(word.text for word in page.hidden)


SQUARE = b"<< /Type /Annot /Subtype /Square /Rect [50 490 350 520] /C [0 0 0] /IC [0 0 0] /F 4 /AP << /N 11 0 R >> >>"
SQUARE_SHOWN = stream(b"/Type /XObject /Subtype /Form /BBox [50 490 350 520]", b"0 0 0 rg 50 490 300 30 re f")


@pytest.mark.parametrize(
    "content",
    [
        page_of(OPEN + SECRET + BOX),
        page_of(OPEN + SECRET + "1 g " + BOX),
        page_of(OPEN + SECRET + "0.9 0.2 0.2 rg " + BOX),
        page_of(OPEN + SECRET + "50 497 300 10.4 re f "),
        page_of(OPEN + SECRET + "q 300 0 0 30 50 490 cm /I Do Q"),
        page_of(OPEN + SECRET + BOX + "1 g " + text_at(60, 500, "BLACK")),
        page_of(OPEN + SECRET + "20 w 50 505 m 350 505 l S "),
        page_of(OPEN + SECRET + "".join(f"{x} 490 10 30 re f " for x in range(50, 350, 10))),
        page_of(OPEN + SECRET + "/B Do ", form="100 980 600 60 re f "),
        page_of(OPEN + "/B Do ", form=text_at(120, 1000, "Total 1,234.50", 24) + "100 980 600 60 re f "),
        page_of(OPEN + "q 1 0 0 1 0 0 cm /B Do Q " + BOX, form=text_at(120, 1000, "Total 1,234.50", 24)),
        page_of(OPEN + SECRET, more="/Annots [10 0 R]", notes=[SQUARE, SQUARE_SHOWN]),
        page_of(OPEN + SECRET + BOX, more="/Rotate 90"),
    ],
    ids=[
        "black box", "white box", "red box", "box a little too small", "picture", "box with a label", "thick line", "many small boxes",
        "box in a form", "text and box in a form", "text in a form", "annotation", "turned page",
    ],
)  # fmt: skip
def test_text_under_what_is_drawn_later_is_not_used_and_is_flagged(tmp_path: Path, content: bytes) -> None:
    seen, hidden = read(tmp_path, content)
    assert "Seen words" in seen and "1,234.50" not in seen
    assert "1,234.50" in hidden
    assert FLAGGED in result_of(tmp_path / "file.pdf").reasons


@pytest.mark.parametrize(
    "content",
    [
        page_of("0.8 g " + BOX + "0 g " + OPEN + SECRET),
        page_of(OPEN + SECRET + "/Half gs 1 1 0 rg " + BOX),
        page_of(OPEN + SECRET + "/Under gs 1 1 0 rg " + BOX),
        page_of(OPEN + SECRET + "q 50 490 5 30 re W n " + BOX + "Q"),
        page_of(OPEN + SECRET + "50 490 300 30 re S "),
        page_of(OPEN + SECRET + "400 490 100 30 re f q 100 0 0 100 400 600 cm /I Do Q"),
        page_of(OPEN + SECRET + "60 503 100 1 re f "),
        page_of(OPEN + SECRET + "".join(f"0.8 g 50 {y} 300 12 re f 0 g " + text_at(60, y + 2, "row") for y in (476, 512))),
        page_of(OPEN + SECRET + text_at(60.3, 500, "Total 1,234.50") + "/Half gs 1 1 0 rg " + BOX),
        page_of(OPEN + SECRET, more="/Annots [10 0 R]", notes=[SQUARE.replace(b"/F 4", b"/F 2"), SQUARE_SHOWN]),
        page_of(OPEN + SECRET + "50 490 300 30 re 52 492 296 26 re f* "),
    ],
    ids=[
        "drawn before", "half transparent", "multiply", "clipped", "frame", "beside", "struck through", "shading of other rows", "printed twice",
        "annotation that is not shown", "frame of two boxes",
    ],
)  # fmt: skip
def test_what_hides_nothing_leaves_the_text_as_it_is(tmp_path: Path, content: bytes) -> None:
    seen, hidden = read(tmp_path, content)
    assert "Seen words" in seen and "Total 1,234.50" in seen and hidden == ""
    assert FLAGGED not in result_of(tmp_path / "file.pdf").reasons


@pytest.mark.parametrize("invisible", ["", "3 Tr"])
@pytest.mark.parametrize("over", [False, True])
def test_the_text_layer_of_a_scan_is_read_whether_it_lies_over_or_under_the_picture(
    tmp_path: Path, invisible: str, over: bool
) -> None:
    layer = "".join(
        text_at(60, 700 - 20 * row, f"Line {row} of the layer", before=invisible) for row in range(8)
    )
    scan = "q 600 0 0 800 0 0 cm /I Do Q "
    content = page_of(scan + layer if over else layer + scan)
    seen, hidden = read(tmp_path, content)
    assert "Line 7 of the layer" in seen and hidden == ""
    if invisible or not over:
        notes = result_of(tmp_path / "file.pdf").notes
        assert "Page 1 is a scan with an invisible text layer; the layer was read." in notes


def test_a_page_of_many_objects_is_looked_through_to_its_end(tmp_path: Path) -> None:
    lines = "".join(f"{x % 500} {x // 500} m {x % 500 + 1} {x // 500} l S\n" for x in range(5000))
    seen, hidden = read(tmp_path, page_of(OPEN + SECRET + lines + BOX))
    assert (seen, hidden) == ("Seen words", "Total 1,234.50")


def test_forms_that_hold_each_other_end(tmp_path: Path) -> None:
    head = b"/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /N %d 0 R >> >>"
    forms = [stream(head % (7 + number), b"/N Do") for number in range(20)]
    page = "/MediaBox [0 0 600 800] /Resources << /Font << /F 5 0 R >> /XObject << /N 6 0 R >> >>"
    content = page_pdf(OPEN + "/N Do ", page, forms)
    assert read(tmp_path, content) == ("Seen words", "")
