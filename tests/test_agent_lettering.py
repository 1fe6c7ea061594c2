"""Words whose letters say something else than what is printed ask for a look."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.agent.contract import FieldValue
from tasks.agent.lettering import REPLACED, STRANGE, UNEVEN
from tests.pdfs import page_pdf, result_of, stored, text_at, unicode_pdf

HEAD = "".join(
    text_at(60, 760 - 18 * row, said)
    for row, said in enumerate(["Blue Gum Traders Ltd", "INVOICE", "Date: 14 May 2024", "Bill to:", "Red Oak Inc"])
)  # fmt: skip


def fields(tmp_path: Path, number: str = text_at(160, 600, "4711"), total: str = "") -> dict[str, FieldValue]:
    labels = text_at(60, 600, "Invoice no.") + text_at(390, 400, "Total")
    content = page_pdf(HEAD + labels + number + (total or text_at(480, 400, "$300.00")))
    (record,) = result_of(stored(tmp_path, content)).records
    return record.fields


@pytest.mark.parametrize("mark", [text_at(520.5, 405, "1", 7), text_at(520.5, 400, "1", 7, before="5 Ts")])
def test_the_mark_of_a_footnote_behind_a_sum_asks_for_a_look(tmp_path: Path, mark: str) -> None:
    found = fields(tmp_path, total=text_at(480, 400, "$300.00") + mark)
    assert UNEVEN in found["total"].reasons and not found["number"].reasons


@pytest.mark.parametrize(
    ("whole", "is_doubted"), [("$300", True), ("$300.", False)], ids=["no point", "a point"]
)
def test_cents_that_are_set_smaller(tmp_path: Path, whole: str, is_doubted: bool) -> None:
    found = fields(
        tmp_path,
        total=text_at(480, 400, whole) + text_at(506.7 + 3.4 * whole.endswith("."), 405, "50", 7),
    )["total"]
    assert (UNEVEN in found.reasons) is is_doubted
    assert is_doubted or found.value == "300.50"


def test_the_mark_of_a_footnote_behind_a_number_asks_for_a_look(tmp_path: Path) -> None:
    found = fields(tmp_path, number=text_at(160, 600, "4711") + text_at(187, 605, "2", 7))
    assert found["number"].reasons == (UNEVEN,) and not found["total"].reasons


def test_text_in_the_place_of_what_is_printed_asks_for_a_look(tmp_path: Path) -> None:
    """The page shows 300.00, and what is read there is what the file says instead."""
    marked = f"/Span <</ActualText ($999.00)>> BDC {text_at(480, 400, '$300.00')} EMC\n"
    found = fields(tmp_path, total=marked)["total"]
    assert (found.value, found.reasons) == ("999.00", (REPLACED,))


def test_a_ligature_is_no_other_text(tmp_path: Path) -> None:
    marked = f"/Span <</ActualText (ff)>> BDC {text_at(127, 780, 'f')} EMC\n"
    name = text_at(60, 780, "Blue Gum O") + marked + text_at(131, 780, "ice Ltd")
    total = text_at(60, 600, "Invoice no. 4711") + text_at(390, 400, "Total: $300.00")
    (record,) = result_of(
        stored(tmp_path, page_pdf(name + HEAD.replace("Blue Gum Traders Ltd", "") + total))
    ).records
    assert (record.fields["supplier"].value, record.fields["supplier"].reasons) == ("Blue Gum Office Ltd", ())


def named(tmp_path: Path, supplier: str = "Blue Gum Traders Ltd", number: str = "4711", total: str = "$300.00") -> dict[str, FieldValue]:  # fmt: skip
    rows = [supplier, "INVOICE", f"Invoice no. {number}", "Date: 14 May 2024", "Bill to:", "Red Oak Inc"]
    (record,) = result_of(stored(tmp_path, unicode_pdf([*rows, [(390, "Total"), (480, total)]]))).records
    return record.fields


@pytest.mark.parametrize(
    ("total", "value"),
    [
        ("$1\u200b300.00", "1300.00"),
        ("$1\u2060300.00\u200f", "1300.00"),
        ("$3OO.00", None),
        ("$3\u041e0.00", None),
        ("$300\u00bd", None),
        ("$3.0E2", None),
        ("$3\u03360\u03360\u0336", None),
        ("$\u0663\u066c\u0664\u0660\u0660\u066b\u0665\u0660", None),
        ("$\u0663\u0660\u0660.\u0660\u0660", "300.00"),
        ("$300.00\u00b9", "300.00"),
    ],
    ids=["a space of no width", "a joiner", "letters", "Cyrillic", "a fraction", "a power", "strokes", "Arabic marks", "Arabic digits", "a footnote"],
)  # fmt: skip
def test_no_total_is_a_part_of_a_longer_figure(tmp_path: Path, total: str, value: str | None) -> None:
    found = named(tmp_path, total=total)["total"]
    assert (found.value, bool(found.reasons)) == (value, value is None)


def test_letters_of_another_alphabet_that_look_like_latin_ones_ask_for_a_look(tmp_path: Path) -> None:
    found = named(tmp_path, supplier="Blue Gum Tr\u0430ders Ltd", number="\u0410\u0412-551")
    assert found["supplier"].reasons == found["number"].reasons == (STRANGE,)
    assert not named(tmp_path, supplier="Cafe M\u00fcller Ltd", number="A\u00b5-551")["number"].reasons


@pytest.mark.parametrize(
    ("total", "is_doubted"), [("1.300 EUR", True), ("KWD 130.300", False), ("1.30 EUR", False)]
)
def test_a_sum_with_three_decimals_may_be_thousands(tmp_path: Path, total: str, is_doubted: bool) -> None:
    assert bool(named(tmp_path, total=total)["total"].reasons) is is_doubted
