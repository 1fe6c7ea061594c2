"""Days of money: every moment is in exactly one of them, whatever the clocks of its zone do, and people name periods in words."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tasks.costs.periods import DAY, Period, day_of, months, named, next_month, start_of_day
from tasks.costs.sums import Key, Money, Sums, Terms, differences

# Clocks change at two, at midnight (Havana, Santiago), by half an hour (Lord Howe), with odd offsets (Kathmandu); a day that never was (Apia)
ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/Havana",
    "America/Santiago",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Pacific/Apia",
    "Atlantic/Azores",
)
moments = st.datetimes(datetime(2009, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))
TODAY = date(2026, 11, 29)


@given(moments, st.sampled_from(ZONES))
@example(datetime(2026, 11, 1, 4, 30, tzinfo=UTC), "America/Havana")
@example(datetime(2026, 3, 29, 0, 30, tzinfo=UTC), "Europe/Berlin")
@example(datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "Atlantic/Azores")
def test_every_moment_is_in_exactly_one_day(moment: datetime, name: str) -> None:
    zone = ZoneInfo(name)
    day = day_of(moment, zone)
    assert start_of_day(day, zone) <= moment < start_of_day(day + DAY, zone)


@pytest.mark.parametrize(
    ("name", "day", "hours"),
    [("Europe/Berlin", date(2026, 3, 29), 23), ("Europe/Berlin", date(2026, 10, 25), 25), ("America/Havana", date(2026, 11, 1), 25), ("UTC", date(2026, 3, 29), 24)],
)  # fmt: skip
def test_days_on_which_clocks_change_have_another_length(name: str, day: date, hours: int) -> None:
    zone = ZoneInfo(name)
    assert start_of_day(day + DAY, zone) - start_of_day(day, zone) == timedelta(hours=hours)


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("7d", "2026-11-23", "2026-11-30"), ("1d", "2026-11-29", "2026-11-30"), ("month", "2026-11-01", "2026-11-30"), ("last-month", "2026-10-01", "2026-11-01"),
        ("2026-02", "2026-02-01", "2026-03-01"), ("2025-12", "2025-12-01", "2026-01-01"), ("2026-11-03", "2026-11-03", "2026-11-30"),
    ],
)  # fmt: skip
def test_periods_have_names(text: str, since: str, until: str) -> None:
    assert named(text, TODAY) == Period(date.fromisoformat(since), date.fromisoformat(until))


@pytest.mark.parametrize(
    "text", ["", "0d", "7", "2026-13", "2026-02-30", "yesterday", "99999d", "0001-01-01", "9999-12"]
)
def test_what_is_no_period_is_refused_in_words(text: str) -> None:
    with pytest.raises(ValueError, match="is no period"):
        named(text, TODAY)


def test_months_of_a_period() -> None:
    assert list(months(date(2025, 12, 31), date(2026, 2, 1))) == [date(2025, 12, 1), date(2026, 1, 1)]
    assert next_month(date(2026, 12, 1)) == date(2027, 1, 1)


# What sums and terms make of them

amounts = st.decimals(0, 10_000, places=6)
sums = st.builds(
    Sums, attempts=st.integers(0, 99), llm_settled=st.integers(0, 9), llm_estimated=st.integers(0, 9), llm_settled_usd=amounts, llm_estimated_usd=amounts,
    compute_settled=st.integers(0, 9), compute_settled_usd=amounts,
)  # fmt: skip
cells = st.dictionaries(
    st.builds(Key, *[st.integers(1, 2), st.just("")] + [st.integers(1, 2)] * 3 + [st.just("m")] * 3),
    sums,
    max_size=6,
)


@given(cells, cells)
def test_what_was_booked_and_its_differences_make_the_actual(actual, booked) -> None:
    left = differences(actual, booked)
    for key in actual.keys() | booked.keys():
        whole = Sums()
        for part in (booked, left):
            whole.add(part.get(key, Sums()))
        assert whole == actual.get(key, Sums())
    assert differences(actual, actual) == {}


def test_terms_hold_for_their_month_and_one_without_a_rate_is_not_converted() -> None:
    known = Sums(
        attempts=2,
        llm_estimated=1,
        llm_estimated_usd=Decimal(10),
        compute_settled=1,
        compute_settled_usd=Decimal(5),
    )
    money = Money()
    money.add(known, Terms(Decimal(20), Decimal(10), "EUR", Decimal("0.5")))
    assert (money.llm, money.compute, money.total, money.charged, money.converted) == (
        10,
        4,
        14,
        Decimal("15.4"),
        Decimal("7.7"),
    )
    money.add(known, Terms())
    assert money.total == 29 and money.charged == Decimal("30.4") and not money.is_converted


def test_unknown_stays_unknown_through_every_sum() -> None:
    money = Money()
    money.add(Sums(attempts=5), Terms(Decimal(20), Decimal(10), "EUR", Decimal("0.5")))
    assert (money.llm, money.compute, money.total, money.charged, money.converted, money.settled) == (
        None,
    ) * 6
    assert Sums(attempts=5).llm_unknown == 5
