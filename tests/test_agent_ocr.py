"""Pictures of pages are recognised, straightened, marked as recognised and limited; the engine never outlives its attempt."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from tasks.agent.contract import Code, Failed, Limits, Result, Source
from tasks.agent.lighting import evened
from tasks.agent.ocr import Seen, levelled, look_again, recognise, smaller
from tasks.agent.page import Page
from tasks.agent.pdf import Document
from tasks.agent.straighten import Turn, skew
from tests.ocr_tools import needs_engine, picture_of, scan_of
from tests.pdfs import outcome_of, page_pdf, result_of, stored, text_at
from tests.samples.generate import FOLDER

SAMPLE = FOLDER / "01-invoice-english.pdf"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())[SAMPLE.name]["fields"]
ENGLISH = {"ocr_languages": "eng"}


def values(result: Result) -> dict[str, object]:
    assert result.records, result.reasons
    return {name: result.records[0].fields[name].value for name in EXPECTED}


@needs_engine
@pytest.mark.parametrize(
    ("name", "degrees"), [("level", 0.0), ("skewed", 2.3), ("on its side", 90.0), ("on its head", 181.0)]
)
def test_a_scan_is_read_however_it_lies(tmp_path: Path, name: str, degrees: float) -> None:
    path = scan_of(
        SAMPLE,
        tmp_path / "scan.pdf",
        lambda picture: picture.rotate(
            degrees, resample=Image.Resampling.BICUBIC, expand=degrees >= 90, fillcolor=255
        ),
    )
    result = result_of(path, settings=ENGLISH)
    assert values(result) == EXPECTED
    assert "Page 1 was read from its picture: recognised text (OCR)." in result.notes


@needs_engine
@pytest.mark.parametrize("degrees", [0.0, 1.7, 90.0])
def test_recognised_values_say_so_and_their_boxes_lie_where_they_are_shown(
    tmp_path: Path, degrees: float
) -> None:
    turned = Turn(*picture_of(SAMPLE).size, quarters=0, degrees=0.0)
    path = scan_of(
        SAMPLE,
        tmp_path / "scan.pdf",
        lambda picture: picture.rotate(
            degrees, resample=Image.Resampling.BICUBIC, expand=degrees == 90, fillcolor=255
        ),
    )
    printed = result_of(SAMPLE).records[0].fields
    for name, field in result_of(path, settings=ENGLISH).records[0].fields.items():
        if field.value is None or name not in EXPECTED:
            continue
        assert field.source is Source.OCR and len(field.evidence) == 1, name
        box, plain = field.evidence[0].box, printed[name].evidence[0].box
        if field.evidence[0].quote != printed[name].evidence[0].quote:
            continue  # the currency may be taken from another place
        # Turning the picture back by as much lays the box over the one of the plain page
        width, height = turned.width, turned.height
        back = Turn(height, width, quarters=3) if degrees == 90 else Turn(width, height, degrees=-degrees)
        x0, y0, x1, y1 = Turn(*back.upright, quarters=-back.quarters % 4, degrees=-back.degrees).shown(
            box.x0, box.y0, box.x1, box.y1
        )
        assert (x0 + x1) / 2 == pytest.approx((plain.x0 + plain.x1) / 2, abs=0.012), name
        assert (y0 + y1) / 2 == pytest.approx((plain.y0 + plain.y1) / 2, abs=0.012), name


def test_a_place_on_the_straightened_picture_goes_back_to_where_it_was() -> None:
    picture = Image.new("L", (400, 300), 255)
    picture.paste(0, (40, 60, 60, 70))
    for quarters in range(4):
        turn = Turn(400, 300, quarters=quarters, degrees=4.0)
        straight = turn.apply(picture)
        assert straight.size == turn.upright
        x0, y0, x1, y1 = straight.point(lambda value: 255 if value < 128 else 0).getbbox()  # type: ignore[misc]
        width, height = straight.size
        box = turn.shown(x0 / width, y0 / height, x1 / width, y1 / height)
        assert (box[0] + box[2]) / 2 * 400 == pytest.approx(50, abs=1.5)
        assert (box[1] + box[3]) / 2 * 300 == pytest.approx(65, abs=1.5)


@pytest.mark.parametrize("degrees", [-4.2, -0.8, 0.0, 1.1, 3.0])
def test_skew_is_found_to_a_fraction_of_a_degree(degrees: float) -> None:
    turned = picture_of(SAMPLE).rotate(degrees, resample=Image.Resampling.BICUBIC, fillcolor=255)
    assert skew(turned) == pytest.approx(-degrees, abs=0.2)


def test_a_picture_without_lines_is_not_turned() -> None:
    assert skew(Image.new("L", (300, 400), 255)) == 0.0


@needs_engine
def test_only_the_pages_that_need_it_are_recognised(tmp_path: Path) -> None:
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.append(SAMPLE)
    writer.append(scan_of(SAMPLE, tmp_path / "scan.pdf"))
    path = tmp_path / "both.pdf"
    writer.write(path)
    result = result_of(path, settings=ENGLISH)
    assert [note for note in result.notes if "OCR" in note] == [
        "Page 2 was read from its picture: recognised text (OCR)."
    ]


@needs_engine
def test_garbled_text_gives_way_to_what_is_printed_and_asks_for_a_look(tmp_path: Path) -> None:
    content = "".join(
        text_at(60, 700 - 30 * row, text, 14)
        for row, text in enumerate(["Plain words", "¨afk ˜bto ¡xyz", "Wor¸ds q¨ww", "z¨zr ¡llo tr¨x"])
    )
    result = result_of(stored(tmp_path, page_pdf(content)), settings=ENGLISH)
    assert result.needs_review
    assert any("garbled" in reason and "picture" in reason for reason in result.reasons)


@needs_engine
def test_a_language_that_is_not_installed_is_a_wrong_setting(tmp_path: Path) -> None:
    failed = outcome_of(scan_of(SAMPLE, tmp_path / "scan.pdf"), settings={"ocr_languages": "eng+xyz"})
    assert isinstance(failed, Failed) and failed.code is Code.BAD_CONFIGURATION and "xyz" in failed.message


@needs_engine
def test_a_blank_page_needs_no_recognition(tmp_path: Path) -> None:
    result = result_of(stored(tmp_path, page_pdf("")))
    assert result.reasons == ("Nothing is printed on this document's pages.",)


@needs_engine
def test_a_page_on_which_hardly_a_word_was_recognised_is_not_said_to_need_ocr(tmp_path: Path) -> None:
    path = stored(tmp_path, page_pdf(text_at(100, 500, "Hello there", size=40)))
    result = result_of(scan_of(path, tmp_path / "scan.pdf"), settings=ENGLISH)
    assert "In the picture of page 1 hardly any text was recognised." in result.reasons
    assert not any("needs OCR" in reason for reason in result.reasons)


def test_without_an_engine_a_scan_says_that_it_needs_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = result_of(scan_of(SAMPLE, tmp_path / "scan.pdf"))
    assert result.needs_review and result.reasons == ("This document has no text; needs OCR.",)


@needs_engine
def test_when_time_is_up_the_rest_stays_unrecognised_and_the_result_says_so(tmp_path: Path) -> None:
    path = scan_of(SAMPLE, tmp_path / "scan.pdf")
    result = result_of(
        path, settings=ENGLISH, limits=Limits(wall_seconds=1).model_copy(update={"wall_seconds": 0})
    )
    assert any("time limit" in reason for reason in result.reasons) and result.needs_review


def test_words_of_a_line_share_its_height_and_ruled_lines_are_no_words() -> None:
    head = "level\tpage\tblock\tpar\tline\tword\tleft\ttop\twidth\theight\tconf\ttext"
    rows = [
        (1, 1, 10, 100, 60, 20, 96, "Total"), (1, 2, 90, 108, 8, 4, 91, "-"), (1, 3, 110, 101, 50, 19, 93, "12.50"),
        (1, 4, 200, 90, 3, 60, 40, "|"), (1, 5, 220, 100, 9, 9, 3, "x"), (2, 1, 10, 200, 40, 20, 95, "Next|"),
    ]  # fmt: skip
    table = "\n".join([head, *("\t".join(map(str, (5, 1, 1, 1, line, *rest))) for line, *rest in rows)])
    found = levelled(table)
    assert [word.text for word in found] == ["Total", "-", "12.50", "Next"]
    assert len({(word.y0, word.y1) for word in found[:3]}) == 1 and isinstance(found[0], Seen)


@needs_engine
def test_the_engine_dies_with_its_attempt(tmp_path: Path) -> None:
    """Killed without a chance to clean up, as for want of memory."""
    slow = tmp_path / "tesseract"
    slow.write_text(
        f'#!/bin/sh\nif [ "$1" = --list-langs ]; then echo list; echo eng; exit; fi\necho $$ > {tmp_path}/pid\nexec sleep 60\n'
    )
    slow.chmod(0o755)
    path = scan_of(SAMPLE, tmp_path / "scan.pdf")
    attempt = subprocess.Popen(
        [sys.executable, "-m", "tasks.agent", str(path)],
        cwd=Path(__file__).resolve().parents[1],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        stdout=subprocess.DEVNULL,
    )
    engine = int(eventually(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip()))
    attempt.send_signal(signal.SIGKILL)
    attempt.wait(10)
    assert eventually(lambda: not alive(engine))


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def eventually(look):  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if found := look():
            return found
        time.sleep(0.05)
    raise AssertionError("did not happen within 30 seconds")


def seen(text: str, x: float, y: float, sure: float = 90.0) -> Seen:
    return Seen(text, x, y, x + 10.0 * len(text), y + 20, sure)


class Scripted:
    """An engine that leaves out what stands in boxes unless it is asked to look for scattered words."""

    def __init__(self, first: list[Seen], scattered: list[Seen]):
        self.first, self.scattered = first, scattered

    def words(self, picture: Image.Image, scattered: bool = False) -> list[Seen]:
        return self.scattered if scattered else self.first

    def quarters(self, picture: Image.Image) -> int:
        return 0


def test_a_second_look_adds_only_what_the_first_left_out() -> None:
    first = [
        seen(text, 100, 100 + 40 * row)
        for row, text in enumerate(
            ["Invoice", "Number", "P-100", "Date", "Net", "Tax", "Total", "due", "Thanks"]
        )
    ]
    # On a picture of half the size
    more = [seen("Total", 50, 170), seen("120.00", 200, 170), seen("stain", 250, 250, sure=30.0)]
    page, picture = Page(1, 600, 800), Image.new("L", (1200, 1600), 255)
    engine = Scripted(first, more)
    assert recognise(page, picture, engine)  # type: ignore[arg-type]
    known = [word.text for word in page.words]
    assert look_again(page, smaller(picture), engine)  # type: ignore[arg-type]
    assert [word.text for word in page.words] == [*known, "120.00"]
    assert page.words[-1].x0 == pytest.approx(200)
    assert not look_again(page, smaller(picture), engine)  # type: ignore[arg-type]


def test_a_second_look_does_not_see_what_is_known() -> None:
    looked_at: list[Image.Image] = []

    class Watching(Scripted):
        def words(self, picture: Image.Image, scattered: bool = False) -> list[Seen]:
            looked_at.append(picture)
            return super().words(picture, scattered)

    page, picture = Page(1, 600, 800), Image.new("L", (1200, 1600), 90)
    engine = Watching([seen("Total", 100, 100 + 40 * row) for row in range(9)], [])
    assert recognise(page, picture, engine) and not look_again(page, smaller(picture), engine)  # type: ignore[arg-type]
    first, second = looked_at
    assert [first.getpixel(place) for place in ((120, 110), (400, 110))] == [90, 90]
    assert [second.getpixel(place) for place in ((60, 55), (200, 55))] == [255, 90]


def test_a_page_that_was_not_recognised_is_not_looked_at_again() -> None:
    assert not look_again(Page(1, 600, 800), Image.new("L", (12, 16)), Scripted([], [seen("x", 1, 1)]))  # type: ignore[arg-type]


@needs_engine
def test_a_shadow_across_a_photographed_page_is_no_ink(tmp_path: Path) -> None:
    def shaded(picture: Image.Image) -> Image.Image:
        shadow = (
            Image.linear_gradient("L").rotate(90).resize(picture.size).point(lambda v: 110 - v * 110 // 255)
        )
        return ImageChops.subtract(picture, shadow)

    assert values(result_of(scan_of(SAMPLE, tmp_path / "scan.pdf", shaded), settings=ENGLISH)) == EXPECTED


def test_a_page_that_is_lit_evenly_is_left_as_it_is() -> None:
    picture = picture_of(SAMPLE)
    assert evened(picture) is picture


def test_points_read_as_colons_are_points_where_no_time_can_be_meant() -> None:
    rows = [
        f"5\t1\t1\t1\t{n}\t1\t10\t{20 * n}\t40\t10\t90\t{text}"
        for n, text in enumerate(["71:55", "8:19", "6:75"])
    ]
    assert [word.text for word in levelled("\n".join(["head", *rows]))] == ["71.55", "8:19", "6.75"]


def table_of(*lines: list[tuple[str, int, int, int, int, int]]) -> str:
    """Tesseract's table of these lines of words: text, left, top, width, height, sureness."""
    rows = [
        (5, 1, 1, 1, line, number, left, top, width, height, sure, text)
        for line, words in enumerate(lines, 1)
        for number, (text, left, top, width, height, sure) in enumerate(words, 1)
    ]
    return "\n".join(["head", *("\t".join(map(str, row)) for row in rows)])


def test_a_logo_beside_a_line_does_not_make_its_words_high() -> None:
    found = levelled(
        table_of(
            [("ove", 10, 10, 60, 40, 40), ("PAYMENT", 90, 30, 60, 12, 97), ("RECEIPT", 155, 30, 60, 12, 97)]
        )
    )
    heights = [word.y1 - word.y0 for word in found]
    assert heights[0] > 30 and max(heights[1:]) < 20


def test_a_line_that_is_hardly_legible_is_a_drawing_unless_it_holds_figures() -> None:
    found = levelled(
        table_of(
            [("Bee", 10, 10, 30, 12, 39), ("oft", 50, 10, 30, 12, 32), ("CE", 90, 10, 20, 12, 61)],
            [("Net", 10, 40, 30, 12, 40), ("84.80", 50, 40, 40, 12, 45)],
        )
    )
    assert [word.text for word in found] == ["Net", "84.80"]


def test_what_a_gap_parts_is_joined_again() -> None:
    found = levelled(
        table_of(
            [("REC-", 10, 10, 40, 12, 90), ("2025-001", 53, 10, 80, 12, 80)],
            [("Beleg-Nr", 10, 40, 80, 12, 90), (":", 130, 42, 3, 8, 90), ("KR-", 160, 40, 30, 12, 90), ("77", 240, 40, 20, 12, 90)],
        )
    )  # fmt: skip
    assert [word.text for word in found] == ["REC-2025-001", "Beleg-Nr:", "KR-", "77"]
    assert found[0].sure == 80 and found[1].x1 == 90


@needs_engine
def test_a_scan_in_which_nothing_was_found_says_for_which_languages_it_was_read(tmp_path: Path) -> None:
    page = page_pdf(text_at(60, 700, "We thank you for your visit to our garden.", 18))
    result = result_of(scan_of(stored(tmp_path, page), tmp_path / "scan.pdf"), settings=ENGLISH)
    assert result.reasons[-1] == (
        "Its pictures were read by OCR data for eng; a document in another language needs its own."
    )


@pytest.mark.parametrize(
    ("size", "resolution", "drawn"),
    [
        ((1150, 500), 200, (1150, 500)),  # a slip: as it was scanned
        ((575, 250), 100, (1726, 750)),  # coarse: larger, whatever it blurs
        ((1654, 2338), 200, (1769, 2500)),  # a page of A4: a little larger
    ],
)
def test_a_scan_is_not_drawn_much_larger_than_it_is(
    tmp_path: Path, size: tuple[int, int], resolution: int, drawn: tuple[int, int]
) -> None:
    path = tmp_path / "scan.pdf"
    Image.new("L", size, 255).save(path, "PDF", resolution=resolution)
    with Document.open(path, limits=Limits()) as document:
        picture = document.render(1)
    assert picture is not None and picture.size == drawn
