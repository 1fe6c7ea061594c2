"""Whatever a file holds, opening and reading it ends: with words and their places, or with one clear problem."""

from __future__ import annotations

import io
import zlib
from pathlib import Path

import pytest
from fpdf import FPDF
from PIL import ImageOps
from pypdf import PdfReader, PdfWriter

from tasks.agent.contract import Code, Limits, Problem
from tasks.agent.pdf import Document
from tests.pdfs import lines_pdf, looping_pages, outcome_of, page_pdf, raw_pdf, result_of, stored, text_at


def opened(path: Path, password: str = "", limits: Limits | None = None) -> Document:
    return Document.open(path, password, limits)


def problem_of(path: Path, password: str = "", limits: Limits | None = None) -> Problem:
    with pytest.raises(Problem) as caught, opened(path, password, limits):
        pass
    assert caught.value.message.endswith(".") and not caught.value.retryable
    return caught.value


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", Code.EMPTY),
        (b"hello, this is text", Code.NOT_PDF),
        (b"\x89PNG\r\n\x1a\n" + b"0" * 50, Code.NOT_PDF),
        (b"%PDF-1.4\nThis is not a PDF at all\n%%EOF\n", Code.NOT_PDF),
        (b"0" * 2000 + b"%PDF-1.4\n", Code.NOT_PDF),
        (lines_pdf(["Hello"])[:300], Code.CORRUPT),
        (
            raw_pdf([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>"]),
            Code.NO_PAGES,
        ),
    ],
)
def test_what_cannot_be_opened_says_why(tmp_path: Path, content: bytes, code: Code) -> None:
    assert problem_of(stored(tmp_path, content)).code is code


def test_a_missing_file_is_told_from_a_bad_one(tmp_path: Path) -> None:
    assert problem_of(tmp_path / "gone.pdf").code is Code.DOCUMENT_MISSING


def test_junk_before_the_header_is_accepted(tmp_path: Path) -> None:
    path = stored(tmp_path, b"junk " * 20 + lines_pdf(["Hello world"]))
    with opened(path) as document:
        assert [word.text for word in document.read(1).words] == ["Hello", "world"]


def encrypted(user: str, owner: str, algorithm: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(lines_pdf(["Secret words"]))))
    writer.encrypt(user, owner, algorithm=algorithm)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_encryption(tmp_path: Path, algorithm: str) -> None:
    pytest.importorskip("cryptography")
    path = stored(tmp_path, encrypted("sesame", "owner", algorithm))
    missing, wrong = problem_of(path), problem_of(path, "guess")
    assert missing.code is wrong.code is Code.ENCRYPTED
    assert "needs a password" in missing.message and "does not open" in wrong.message
    for password in ("sesame", "owner"):
        with opened(path, password) as document:
            assert document.encrypted
            assert [word.text for word in document.read(1).words] == ["Secret", "words"]


def test_a_file_that_only_restricts_its_owner_opens_without_password(tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    with opened(stored(tmp_path, encrypted("", "owner", "AES-256"))) as document:
        assert document.encrypted and len(document.read(1).words) == 2


def test_too_many_pages_are_refused_with_both_numbers(tmp_path: Path) -> None:
    pdf = FPDF()
    for _ in range(3):
        pdf.add_page()
    problem = problem_of(stored(tmp_path, bytes(pdf.output())), limits=Limits(pages=2))
    assert problem.code is Code.LIMIT and "3 pages" in problem.message and "limit is 2" in problem.message


def test_words_stand_where_they_are_printed(tmp_path: Path) -> None:
    path = stored(tmp_path, page_pdf(text_at(100, 700, "Alpha Beta", 20)))
    with opened(path) as document:
        page = document.read(1)
        alpha, beta = page.words
        box = document.tight_box([alpha], page)
    assert (page.width, page.height) == (600, 800)
    assert alpha.x0 == pytest.approx(100, abs=2) and alpha.x1 < beta.x0
    assert box is not None and box.x0 == pytest.approx(100 / 600, abs=0.005)
    assert box.y1 == pytest.approx((800 - 700) / 800, abs=0.01) or box.y1 == pytest.approx(
        (800 - 696) / 800, abs=0.01
    )


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_places_follow_rotation_and_crop_box(tmp_path: Path, rotate: int) -> None:
    content = text_at(150, 600, "Mark", 20)
    path = stored(
        tmp_path, page_pdf(content, f"/MediaBox [0 0 600 800] /CropBox [100 200 500 700] /Rotate {rotate}")
    )
    with opened(path) as document:
        page = document.read(1)
        box = document.tight_box(page.words, page)
        assert document.text_under(page, box).strip() == "Mark"  # type: ignore[arg-type]
    assert (page.width, page.height) == ((400, 500) if rotate in (0, 180) else (500, 400))
    left, bottom = (150 - 100) / 400, (600 - 200) / 500
    expected = {
        0: (left, 1 - bottom),
        90: (bottom, left),
        180: (1 - left, bottom),
        270: (1 - bottom, 1 - left),
    }[rotate]
    corners = [(x, y) for x in (box.x0, box.x1) for y in (box.y0, box.y1)]  # type: ignore[union-attr]
    assert min(abs(x - expected[0]) + abs(y - expected[1]) for x, y in corners) < 0.02


@pytest.mark.parametrize(
    ("hidden", "why"),
    [
        (text_at(60, 500, "Total 0.01", before="3 Tr"), "render mode 3"),
        ("1 1 1 rg " + text_at(60, 500, "Total 0.01") + "0 g ", "white on white"),
        (text_at(60, 500, "Total 0.01", size=0.5), "tiny"),
        (text_at(60, 2500, "Total 0.01"), "off the page"),
        (text_at(-400, 500, "Total 0.01"), "off the page, left"),
    ],
)
def test_hidden_text_is_kept_apart(tmp_path: Path, hidden: str, why: str) -> None:
    path = stored(tmp_path, page_pdf(text_at(60, 700, "Seen words") + hidden))
    with opened(path) as document:
        page = document.read(1)
    assert [word.text for word in page.words] == ["Seen", "words"], why
    reasons = result_of(path).reasons
    if page.hidden:
        assert any("does not see" in reason for reason in reasons), why


def test_white_text_on_a_dark_bar_is_seen(tmp_path: Path) -> None:
    bar = "0 0 0.4 rg 50 690 300 30 re f 1 1 1 rg "
    with opened(stored(tmp_path, page_pdf(bar + text_at(60, 700, "Amount Total")))) as document:
        page = document.read(1)
    assert [word.text for word in page.words] == ["Amount", "Total"] and not page.hidden


def test_of_light_words_each_is_judged_by_what_lies_behind_it(tmp_path: Path) -> None:
    bar = "0 0 0.4 rg 50 690 60 30 re f 50 90 60 30 re f 1 1 1 rg "
    words = [
        text_at(x, y, text)
        for x, y, text in ((60, 700, "seen"), (400, 700, "hid"), (60, 100, "too"), (60, 400, "gone"))
    ]
    with opened(stored(tmp_path, page_pdf(bar + "".join(words)))) as document:
        page = document.read(1)
    assert {word.text for word in page.words} == {"seen", "too"}
    assert {word.text for word in page.hidden} == {"hid", "gone"}


def test_filled_form_fields_are_text_with_a_place(tmp_path: Path) -> None:
    field = b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (total) /V (1,234.50 EUR) /Rect [100 600 300 620] /P 3 0 R /F 4 >>"
    content = page_pdf(
        text_at(60, 700, "Form with a value"),
        "/MediaBox [0 0 600 800] /Annots [6 0 R]",
        [field],
        "/AcroForm << /Fields [6 0 R] >>",
    )
    with opened(stored(tmp_path, content)) as document:
        page = document.read(1)
    filled = [word for word in page.words if word.source == "form"]
    assert [word.text for word in filled] == ["1,234.50", "EUR"]
    assert 99 < filled[0].x0 < filled[1].x1 < 301 and 179 < filled[0].y0 < filled[0].y1 < 201


def test_attachments_are_listed_and_never_read(tmp_path: Path) -> None:
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("Helvetica", size=12)
    pdf.cell(text="A page with words")
    pdf.embed_file(bytes=b"secret total 99.99", basename="notes.txt")
    result = result_of(stored(tmp_path, bytes(pdf.output())))
    assert any("notes.txt" in note for note in result.notes)
    assert "99.99" not in result.model_dump_json()


@pytest.mark.parametrize(
    "catalog",
    [
        "/Names << /JavaScript << /Names [(run) << /S /JavaScript /JS (app.alert\\(1\\)) >>] >> >>",
        "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>",
    ],
)
def test_scripts_are_noted_and_not_run(tmp_path: Path, catalog: str) -> None:
    path = stored(tmp_path, page_pdf(text_at(60, 700, "A page with words"), catalog=catalog))
    assert any("JavaScript" in note and "not run" in note for note in result_of(path).notes)


def deep_pages(depth: int) -> bytes:
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    objects += [b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % (number + 3) for number in range(depth)]
    objects.append(b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 100 100] >>" % (depth + 1))
    return raw_pdf(objects)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("content", [deep_pages(5000), looping_pages()], ids=["deep", "loop"])
def test_deep_and_looping_page_trees_end(tmp_path: Path, content: bytes) -> None:
    outcome = outcome_of(stored(tmp_path, content))
    assert outcome.type == "attempt.completed" or outcome.code in (Code.CORRUPT, Code.LIMIT, Code.NO_PAGES)


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "box", ["[0 0 1000000 1000000]", "[0 0 0 0]", "[0 0 -50 -50]", "[0 0 1e38 1e38]", "[a b]"]
)
def test_absurd_page_boxes_end(tmp_path: Path, box: str) -> None:
    outcome = outcome_of(stored(tmp_path, page_pdf(text_at(10, 10, "Words"), f"/MediaBox {box}")))
    assert outcome.type == "attempt.completed" or outcome.code in (Code.CORRUPT, Code.LIMIT)


@pytest.mark.timeout(30)
def test_a_page_is_read_up_to_the_largest_size_and_beyond_it_called_too_large_not_damaged(
    tmp_path: Path,
) -> None:
    content, side = text_at(10, 10, "Words"), "/MediaBox [0 0 {0} {0}]"
    largest = outcome_of(stored(tmp_path, page_pdf(content, side.format(10_000_000))))
    assert largest.type == "attempt.completed"
    outcome = outcome_of(stored(tmp_path, page_pdf(content, side.format(10_000_010))))
    assert outcome.code is Code.LIMIT and "more than 10,000,000 points" in outcome.message
    with PdfWriter() as both:
        for size in (600, 10_000_010):
            both.append(io.BytesIO(page_pdf(content, side.format(size))))
        both.write(tmp_path / "both.pdf")
    reasons = result_of(tmp_path / "both.pdf").reasons
    assert "Page 2 measures more than 10,000,000 points a side and was not read." in reasons
    assert not any("damaged" in reason for reason in reasons)


def test_a_rendered_page_is_never_larger_than_the_limit(tmp_path: Path) -> None:
    path = stored(tmp_path, page_pdf(text_at(10, 10, "Words"), "/MediaBox [0 0 14000 7000]"))
    with opened(path, limits=Limits(raster_pixels=500)) as document:
        assert max(document.render(1).size) <= 501


def test_a_page_that_is_a_picture_says_that_it_needs_ocr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no engine there
    pixels = zlib.compress(bytes(100 * 100))
    image = b"<< /Type /XObject /Subtype /Image /Width 100 /Height 100 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode"
    image += b" /Length %d >>\nstream\n%s\nendstream" % (len(pixels), pixels)
    content = page_pdf(
        "q 600 0 0 800 0 0 cm /I Do Q",
        "/MediaBox [0 0 600 800] /Resources << /XObject << /I 6 0 R >> >>",
        [image],
    )
    result = result_of(stored(tmp_path, content))
    assert result.needs_review and result.reasons == ("This document has no text; needs OCR.",)


@pytest.mark.parametrize("page", ["", "/CropBox [50 60 560 700]"])
@pytest.mark.parametrize(
    ("rotation", "matrix"),
    [(0, "1 0 0 1 0 0"), (90, "0 1 -1 0 600 0"), (180, "-1 0 0 -1 600 800"), (270, "0 -1 1 0 0 800")],
)
def test_a_box_lies_where_the_picture_has_the_ink(
    tmp_path: Path, page: str, rotation: int, matrix: str
) -> None:
    content = f"q {matrix} cm\n{text_at(200, 300, 'HELLO', 30)}Q\n"
    file = stored(tmp_path, page_pdf(content, f"/MediaBox [0 0 600 800] {page} /Rotate {rotation}"))
    with opened(file, limits=Limits(raster_pixels=2000)) as document:
        read = document.read(1)
        box, picture = document.tight_box(read.words, read), document.render(1)
    assert box is not None and picture is not None
    x0, y0, x1, y1 = ImageOps.invert(picture).point(lambda light: 255 * (light > 127)).getbbox()
    width, height = picture.size
    assert (box.x0, box.y0, box.x1, box.y1) == pytest.approx(
        (x0 / width, y0 / height, x1 / width, y1 / height), abs=0.002
    )
