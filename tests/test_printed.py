"""What is printed is read as it was meant: numbers in every way of writing them, letters in every form, and never more than stands there."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.agent import printed

AMOUNTS = st.decimals(min_value=0, max_value=Decimal("99999999.99"), places=2)


def values_in(text: str, mark: str = "") -> list[set[str]]:
    return [{f"{value:f}" for value in one.values} for one in printed.numbers(printed.plain(text), mark)]


def grouped(amount: Decimal, thousands: str, mark: str) -> str:
    return f"{amount:,.2f}".replace(",", "\0").replace(".", mark).replace("\0", thousands)


@given(
    AMOUNTS,
    st.sampled_from(
        [(",", "."), (".", ","), (" ", ","), ("\u202f", ","), ("'", "."), ("’", "."), ("", "."), ("", ",")]
    ),
)
def test_an_amount_is_read_in_every_way_of_grouping_it(amount: Decimal, style: tuple[str, str]) -> None:
    thousands, mark = style
    text = printed.plain(grouped(amount, thousands.replace("\u202f", " "), mark))
    assert [amount in one.values for one in printed.numbers(text)] == [True]


@given(AMOUNTS, AMOUNTS)
def test_no_part_of_an_amount_is_taken_for_another(one: Decimal, other: Decimal) -> None:
    found = [value for number in printed.numbers(f"eur {grouped(one, ' ', ',')}") for value in number.values]
    assert found == [one]
    assert (other in found) == (one == other)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(1,250.00)", [{"-1250.00"}]),
        ("1,250.00-", [{"-1250.00"}]),
        ("−5", [{"-5"}]),
        ("€-50.00", [{"-50.00"}]),
        ("- 50", [{"50", "-50"}]),
        ("50,-", [{"50"}]),
        ("1,50,000.00", [{"150000.00"}]),
        ("EUR1.250,00", [{"1250.00"}]),
        ("合計¥1,250円", [{"1250", "1.250"}]),
        ("１，２５０．００", [{"1250.00"}]),
        ("١٢٣٤", [{"1234"}]),
        ("30days 12kg", [{"30"}, {"12"}]),
        ("0.125", [{"0.125"}]),
        ("Total:50.00 No.:7 [5]", [{"50.00"}, {"7"}, {"5"}]),
    ],
)
def test_signs_currencies_and_scripts(text: str, found: list[set[str]]) -> None:
    assert values_in(text) == found


@pytest.mark.parametrize(
    "text", ["INV-12", "2024-05-01", "5/3/2024", "12:30", "A12", "12A7", "x1/2", "1.2.3.4", "AB-77-12"]
)
def test_parts_of_codes_dates_and_times_are_no_numbers(text: str) -> None:
    assert values_in(text) == []


def test_the_documents_decimal_mark_decides_what_the_number_itself_does_not() -> None:
    assert values_in("1.234") == [{"1234", "1.234"}]
    assert values_in("1.234", ",") == [{"1234"}] and values_in("1.234", ".") == [{"1.234"}]
    assert printed.decimal_mark(["total 1.250,00", "net 10,50", "0.5"]) == ","
    assert printed.decimal_mark(["a 1,50", "b 1.50"]) == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("O\ufb03ce", "office"),
        ("M\u00fcller", "MU\u0308LLER"),
        ("co-op", "coop"),
        ("Straße", "STRASSE"),
        ("\uff21\uff22", "ab"),
        ("مـكـتب", "مكتب"),
    ],
)
def test_forms_of_the_same_letters_have_one_key(one: str, other: str) -> None:
    assert printed.key(one) == printed.key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("1.5", "15"), ("12/34", "1234"), ("2024-01", "202401"), ("が", "か"), ("10:30", "1030")],
)
def test_marks_between_digits_and_signs_that_change_a_letter_count(one: str, other: str) -> None:
    assert printed.key(one) != printed.key(other)


@given(st.text(max_size=80))
def test_whatever_is_printed_is_read_without_an_error(text: str) -> None:
    plain = printed.plain(text)
    for number in printed.numbers(plain):
        assert plain[number.start].isdigit() and plain[number.end - 1].isdigit()
    printed.key(text)
