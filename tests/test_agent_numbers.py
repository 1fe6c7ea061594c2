"""Amounts are read as they were printed, in every locale's way of printing them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.agent.rules import numbers

CENTS = st.decimals(min_value=0, max_value=Decimal("9999999.99"), places=2, allow_nan=False)
PRINTED = {
    "en": (",", ".", "."),
    "de": (".", ",", ","),
    "fr": (" ", ",", ","),
    "fr-narrow": ("\u202f", ",", ","),
    "ch": ("'", ".", "."),
    "ch-typographic": ("’", ".", "."),
    "plain-dot": ("", ".", "."),
    "plain-comma": ("", ",", ","),
}


def shown(value: Decimal, group: str, mark: str) -> str:
    return f"{value:,.2f}".replace(",", "\0").replace(".", mark).replace("\0", group)


@pytest.mark.parametrize("locale", PRINTED)
@given(
    value=CENTS,
    negative=st.booleans(),
    currency=st.sampled_from(["", "€", "EUR", "CHF", "$", "£", "zł"]),
    before=st.booleans(),
)
def test_money_is_read_as_printed(
    locale: str, value: Decimal, negative: bool, currency: str, before: bool
) -> None:
    group, mark, decimal = PRINTED[locale]
    figure = ("-" if negative and value else "") + shown(value, group, mark)
    text = f"{currency} {figure}" if before else f"{figure} {currency}"
    found = numbers.amounts(text.strip(), decimal)
    assert [(a.value, a.decimals) for a in found] == [(-value if negative else value, 2)]
    assert found[0].currency == numbers.code_of(currency)


@given(value=CENTS)
def test_a_number_with_both_marks_needs_no_locale(value: Decimal) -> None:
    for group, mark in ((",", "."), (".", ",")):
        text = shown(value + 1000, group, mark)
        assert numbers.parse(text, ".") == numbers.parse(text, ",") == (value + 1000, 2)


@pytest.mark.parametrize(
    ("text", "mark", "value"),
    [
        ("1.000", ",", "1000"),
        ("1.000", ".", "1.000"),
        ("0,125", ".", "0.125"),
        ("1,23,456.78", ".", "123456.78"),
        ("(1,234.50)", ".", "-1234.50"),
        ("12,34-", ",", "-12.34"),
        ("$-61.00", ".", "-61.00"),
        ("-$13.00", ".", "-13.00"),
        ("85.––", ".", "85"),
        ("¥58,000-", ".", "58000"),
        ("£494.99", ".", "494.99"),
        ("7,0425 €", ",", "7.0425"),
        ("EUR735.59", ".", "735.59"),
        ("Total:110.00", ".", "110.00"),
    ],
)
def test_ways_of_printing(text: str, mark: str, value: str) -> None:
    assert [a.value for a in numbers.amounts(text, mark)] == [Decimal(value)]


@pytest.mark.parametrize(
    "text", ["CHE-109.322.551", "19.01.2016", "RE-2024-10", "v1.2.3", "A4", "12:30", "1/2"]
)
def test_codes_dates_and_times_are_no_amounts(text: str) -> None:
    assert numbers.amounts(text, ",") == []


def test_a_rate_is_told_from_money() -> None:
    rate, money = numbers.amounts("Tax 12.50% on $ 48.20", ".")
    assert rate.percent and not rate.money
    assert money.money and money.currency == "USD"


@given(st.lists(CENTS, min_size=1, max_size=6))
def test_the_decimal_mark_is_the_one_that_most_cents_stand_behind(values: list[Decimal]) -> None:
    assert numbers.decimal_mark([shown(v, ".", ",") for v in values]) == ","
    assert numbers.decimal_mark([shown(v, ",", ".") for v in values]) == "."


@given(st.text(max_size=80))
def test_no_text_breaks_the_reader(text: str) -> None:
    for amount in numbers.amounts(text, "."):
        assert amount.value.is_finite()
        assert 0 <= amount.start < amount.end <= len(text)


@pytest.mark.parametrize(
    ("printed", "currencies"),
    [("71840066 £494.99", ["", "GBP"]), ("12 € 34 €", ["EUR", "EUR"]), ("5 EUR20.00", ["", "EUR"])],
)
def test_a_sign_right_before_a_figure_is_not_the_unit_of_the_one_before_it(
    printed: str, currencies: list[str]
) -> None:
    """The number of an account was pounds, and the total."""
    assert [amount.currency for amount in numbers.amounts(printed, ".")] == currencies
