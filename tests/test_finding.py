"""A value is found wherever it is printed, however that was done, and nowhere else; the box holds it."""

from __future__ import annotations

import string
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.agent import printed
from tasks.agent.contract import FieldValue
from tasks.agent.llm.grounded import NOT_FOUND, Grounder, best_row
from tasks.agent.pdf import Document
from tasks.agent.schema import Field, Type
from tests.any_script import any_script_pdf
from tests.pdfs import lines_pdf, stored


@contextmanager
def grounder(path: Path) -> Iterator[Grounder]:
    with Document.open(path) as document:
        yield Grounder(document, {page.number: page for page in document.pages})


def find(folder: Path, content: bytes, kind: str, value: str | int, name: str = "field") -> FieldValue:
    with grounder(stored(folder, content)) as there:
        choices = (str(value),) if kind == "choice" else ()
        return there.value(Field(name=name, type=Type(kind), choices=choices), value, there.pages)


def quotes(value: FieldValue) -> str:
    return " ".join(proof.quote for proof in value.evidence)


HEBREW, ARABIC = "חברת ספרים", "شركة الكتب"


@pytest.mark.parametrize(
    ("drawn", "kind", "value", "quote"),
    [
        (["Total 1\u202f250,00 EUR"], "money", "1250.00", "1 250,00"),
        (["Total 1\u2009250,00 EUR"], "money", "1250", "1 250,00"),
        (["Total 1\xa0250,00"], "money", "1250.00", "1 250,00"),
        (["O\ufb03ce \ufb01nance AG"], "text", "Office finance AG", "Office finance AG"),
        (["Die Wirt-", "schaftsprüfer GmbH"], "text", "Wirtschaftsprüfer GmbH", "Wirt- schaftsprüfer GmbH"),
        ([HEBREW[::-1] + " Ltd"], "text", HEBREW, HEBREW),
        ([ARABIC[::-1]], "text", ARABIC, ARABIC),
        (["合計金額1,250円です"], "money", "1250", "1,250"),
        (["請求先 株式会社山田商店御中"], "text", "株式会社山田商店", "株式会社山田商店"),
        (["発行日2024年3月5日です"], "date", "2024-03-05", "2024年3月5日"),
        (["발행일 2024년 3월 5일"], "date", "2024-03-05", "2024년 3월 5일"),
        (["Herr Mu\u0308ller, Herr M\xa8uller"], "text", "Müller", "Mu\u0308ller,"),
        (["Total ١٢٣٤"], "integer", 1234, "١٢٣٤"),
        (["for three months"], "integer", 3, "three"),
        (["August 6, 2015".replace(" ", "   ")], "date", "2015-08-06", "August 6, 2015"),
        (["on 31", "December 2024."], "date", "2024-12-31", "31 December 2024."),
        (["this 3rd day of March, 2024"], "date", "2024-03-03", "3rd day of March, 2024"),
        (["booked 20240131"], "date", "2024-01-31", "20240131"),
        (["Price 10 €"], "currency", "EUR", "€"),
        (["in US Dollars USD"], "currency", "USD", "USD"),
        (["a fixed term contract"], "choice", "fixed_term", "fixed term"),
    ],
)  # fmt: skip
def test_a_value_is_found_however_it_is_printed(
    tmp_path: Path, drawn: list[str], kind: str, value: str | int, quote: str
) -> None:
    content = any_script_pdf([(60, 700 - 16 * row, text) for row, text in enumerate(drawn)])
    found = find(tmp_path, content, kind, value)
    assert quotes(found) == quote and not found.reasons
    assert found.confidence >= 0.8


@pytest.mark.parametrize("rotate", [90, 180, 270])
def test_a_value_is_found_on_a_page_that_is_turned(tmp_path: Path, rotate: int) -> None:
    found = find(
        tmp_path, any_script_pdf([(60, 700, "Total 1,250.00 Fine Ltd")], rotate=rotate), "money", "1250.00"
    )
    assert quotes(found) == "1,250.00"


def test_a_value_is_found_where_it_is_printed_on_its_side(tmp_path: Path) -> None:
    found = find(
        tmp_path, any_script_pdf([(60, -300, "Fine Ltd 7")], matrix="0 1 -1 0 0 0"), "text", "Fine Ltd"
    )
    assert quotes(found) == "Fine Ltd"


@pytest.mark.parametrize(
    ("drawn", "kind", "value"),
    [
        ("Total 1 250,00 EUR", "money", "250.00"),
        ("Total 1,250.00", "money", "1250.01"),
        ("No. AB-771", "text", "AB-77"),
        ("No. 12.345", "text", "12.34"),
        ("No. 12.5", "text", "12"),
        ("No. 12.5", "text", "5"),
        ("Ref 2024-05-01", "integer", 2024),
        ("Paid 3/4/2024, sent 25/4/2024", "date", "2024-03-04"),
        ("the Booker Ltd", "text", "Booker Limited"),
        ("Dollars", "currency", "EUR"),
        ("", "text", "anything"),
    ],
)
def test_what_is_not_printed_is_not_found(tmp_path: Path, drawn: str, kind: str, value: str | int) -> None:
    found = find(tmp_path, any_script_pdf([(60, 700, drawn)]), kind, value)
    assert found.evidence == () and found.reasons == (NOT_FOUND,) and found.confidence < 0.6


def test_a_value_that_is_only_nearly_printed_says_so(tmp_path: Path) -> None:
    swapped = find(tmp_path, lines_pdf(["Date 03/04/2024"]), "date", "2024-03-04")
    assert swapped.evidence and "swapped" in swapped.reasons[0] and swapped.confidence <= 0.6
    sign = find(tmp_path, lines_pdf(["Credit -50.00"]), "money", "50.00")
    assert sign.evidence and "sign" in sign.reasons[0]


def test_names_with_semicolons_between_them_are_found_each_or_not_at_all(tmp_path: Path) -> None:
    content = lines_pdf(["Guarantor: North Ltd", "Agent: South GmbH"])
    assert [proof.quote for proof in find(tmp_path, content, "text", "South GmbH; North Ltd").evidence] == [
        "South GmbH",
        "North Ltd",
    ]
    assert find(tmp_path, content, "text", "South GmbH; East AG").evidence == ()


def test_of_several_places_the_one_beside_its_label_counts(tmp_path: Path) -> None:
    rows: list[str | list[tuple[float, str]]] = [
        [(60, "Subtotal"), (400, "100.00")], [(60, "Invoice total"), (400, "100.00")], [(60, "Paid"), (400, "100.00")],
    ]  # fmt: skip
    content = lines_pdf(rows)
    total, net, other = (
        find(tmp_path, content, "money", "100.00", name) for name in ("total", "net", "paid")
    )
    heights = [one.evidence[0].box.y0 for one in (net, total, other)]
    assert heights == sorted(heights) and len(set(heights)) == 3


def test_the_same_question_has_the_same_answer(tmp_path: Path) -> None:
    content = lines_pdf([f"Item {row} 10.00" for row in range(30)])
    assert find(tmp_path, content, "money", "10.00") == find(tmp_path, content, "money", "10.00")


def test_entries_of_a_list_are_found_in_their_own_rows(tmp_path: Path) -> None:
    rows: list[str | list[tuple[float, str]]] = [
        [(60, "Books"), (300, "2"), (400, "10.00")] for _ in range(3)
    ]
    columns = (
        Field(name="item"),
        Field(name="count", type=Type.INTEGER),
        Field(name="amount", type=Type.MONEY),
    )
    with grounder(stored(tmp_path, lines_pdf(rows))) as there:
        row, heights = None, []
        for _ in range(3):
            entry = there.entry(columns, {"item": "Books", "count": 2, "amount": "10.00"}, [1], row)
            tops = {round(cell.evidence[0].box.y1, 2) for cell in entry.cells.values()}
            assert len(tops) == 1, "all of an entry stands in one row"
            heights += tops
            row = entry.row
    assert heights == sorted(set(heights)) and len(heights) == 3


def test_an_entry_that_stands_nowhere_has_no_row() -> None:
    assert best_row([], None) is None


WORDS = st.text(string.ascii_letters, min_size=3, max_size=9)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(WORDS, min_size=2, max_size=6), day=st.dates(date(1971, 1, 1), date(2069, 12, 31)),
    cents=st.integers(0, 10**9), invented=st.integers(0, 10**9),
)  # fmt: skip
def test_the_text_of_every_box_holds_its_value(
    tmp_path: Path, words: list[str], day: date, cents: int, invented: int
) -> None:
    amount, other = (f"{number / 100:.2f}" for number in (cents, invented))
    text = " ".join(words)
    rows = [text, f"dated {day.strftime('%d.%m.%Y')}", [(60.0, "Sum"), (300.0, f"{cents / 100:,.2f}")]]
    with grounder(stored(tmp_path, lines_pdf(rows))) as there:  # type: ignore[arg-type]
        said = there.value(Field(name="a"), text, [1])
        assert printed.key(quotes(said)) == printed.key(text)
        when = there.value(Field(name="b", type=Type.DATE), day.isoformat(), [1])
        assert quotes(when) == day.strftime("%d.%m.%Y")
        money = there.value(Field(name="c", type=Type.MONEY), amount, [1])
        assert quotes(money) == f"{cents / 100:,.2f}"
        wrong = there.value(Field(name="d", type=Type.MONEY), other, [1])
        assert bool(wrong.evidence) == (cents == invented)
