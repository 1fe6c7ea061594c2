"""Dates are read as they were printed, in every language and order."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.agent.rules import dates, names
from tasks.agent.rules.labels import fold

DAYS = st.dates(min_value=date(1990, 1, 1), max_value=date(2069, 12, 31))


def only(text: str, month_first: bool | None = False) -> date:
    (found,) = dates.find(fold(text), month_first)
    return found.value


@given(DAYS, st.sampled_from(sorted(names.MONTHS)))
def test_written_months(day: date, language: str) -> None:
    month = names.MONTHS[language].split()[day.month - 1]
    for text in (
        f"{day.day}. {month} {day.year}",
        f"{day.day} {month.upper()} {day.year}",
        f"{day.day} {month.title()}, {day.year}",
    ):
        assert only(text) == day


@given(DAYS)
def test_english_written_dates(day: date) -> None:
    month = names.MONTHS["en"].split()[day.month - 1].title()
    for text in (
        f"{month} {day.day}, {day.year}",
        f"{month[:3]} {day.day} {day.year}",
        f"{day.day}-{month[:3]}-{day.year}",
        f"{day.day}th of {month} {day.year}",
    ):
        assert only(text) == day


@given(DAYS)
def test_numeric_dates(day: date) -> None:
    assert only(day.isoformat()) == day
    assert only(f"{day:%d.%m.%Y}", month_first=True) == day, "a dot is never American"
    assert only(f"{day:%d/%m/%Y}", month_first=False) == day
    assert only(f"{day:%m/%d/%Y}", month_first=True) == day
    assert only(f"{day:%d.%m.%y}") == day
    assert only(f"{day.year}年{day.month}月{day.day}日") == day


def test_an_undecided_order_is_said_to_be_unsure() -> None:
    (found,) = dates.find("03/04/2024", None)
    assert found.unsure
    (sure,) = dates.find("13/04/2024", None)
    assert not sure.unsure and sure.value == date(2024, 4, 13)


@pytest.mark.parametrize(
    ("texts", "usual", "expected"),
    [
        (["05/16/2024", "03/04/2024"], False, True),
        (["16/05/2024", "03/04/2024"], True, False),
        (["03/04/2024"], True, True),
        (["03/04/2024"], None, None),
        (["03/04/2024", "21/03/2081"], None, None),
    ],
)
def test_the_order_is_what_other_dates_prove(
    texts: list[str], usual: bool | None, expected: bool | None
) -> None:
    assert dates.month_first(texts, lambda: usual) is expected


@pytest.mark.parametrize(
    "text",
    [
        "28 Jan 15",
        "28 jan '15",
        "Order of 28 Jan. 15, paid",
        "January 28 , 2015",
        "28-Jan-15 12:00",
        "28/Jan/2015",
        "28/Jan/15",
        "Jan/28/2015",
        "Jan-28-2015",
    ],
)
def test_short_years_and_blanks_before_commas(text: str) -> None:
    assert only(text) == date(2015, 1, 28)


@pytest.mark.parametrize("text", ["28 Jan 15:30", "28 Jan 15 units", "28 Jan 15.00", "28 Jan 15 28"])
def test_what_stands_behind_a_month_is_not_always_a_year(text: str) -> None:
    assert dates.find(fold(text)) == []


@pytest.mark.parametrize(
    "text", ["31.02.2024", "1.2.3.4", "192.168.10.24", "2024-13-01", "12/2024", "99/99/9999"]
)
def test_what_is_no_date_is_not_read_as_one(text: str) -> None:
    assert dates.find(fold(text)) == []


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    for found in dates.find(fold(text), None):
        assert 0 <= found.start < found.end <= len(text)


@given(st.text(max_size=60))
def test_folding_keeps_places(text: str) -> None:
    assert len(fold(text)) == len(text)
