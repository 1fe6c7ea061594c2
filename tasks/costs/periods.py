"""Days and months of the zone in which money is counted: where they begin, which one a moment is in, and how people name them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

DAY = timedelta(days=1)
EARLIEST, LATEST = date(2000, 1, 1), date(2999, 12, 31)
"""Days that may be asked for."""
_DAYS_BACK = re.compile(r"(\d{1,4})d")
_MONTH = re.compile(r"\d{4}-\d{2}")


def start_of_day(day: date, zone: ZoneInfo) -> datetime:
    """The first moment of a day, in UTC: where clocks are put back past midnight, the earlier midnight; where they leap over it, the leap."""
    return datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)


def day_of(moment: datetime, zone: ZoneInfo) -> date:
    return moment.astimezone(zone).date()


def first_of_month(day: date) -> date:
    return day.replace(day=1)


def next_month(month: date) -> date:
    return (month.replace(day=1) + 32 * DAY).replace(day=1)


def months(since: date, until: date) -> Iterator[date]:
    """Every month that [since, until) touches."""
    month = first_of_month(since)
    while month < until:
        yield month
        month = next_month(month)


@dataclass(frozen=True, slots=True)
class Period:
    """Whole days [since, until)."""

    since: date
    until: date

    @property
    def last_day(self) -> date:
        return self.until - DAY

    def days(self) -> Iterator[date]:
        day = self.since
        while day < self.until:
            yield day
            day += DAY


def named(text: str, today: date) -> Period:
    """ "7d": today and the six days before it; "month": from the first up to today; "last-month"; "2026-11"; "2026-11-03": from that day up to today.

    Raises ValueError, in words.
    """
    tomorrow = today + DAY
    if found := _DAYS_BACK.fullmatch(text):
        number = int(found[1])
        if number:
            return Period(tomorrow - number * DAY, tomorrow)
    if text == "month":
        return Period(first_of_month(today), tomorrow)
    if text == "last-month":
        return Period(first_of_month(first_of_month(today) - DAY), first_of_month(today))
    try:
        is_month = _MONTH.fullmatch(text)
        day = date.fromisoformat(f"{text}-01" if is_month else text)
        if not EARLIEST <= day <= LATEST:
            raise ValueError
        return Period(day, next_month(day) if is_month else tomorrow)
    except ValueError:
        raise ValueError(
            f"{text!r} is no period. Write a number of days such as 7d, a month such as 2026-11, a day such as 2026-11-03, or month or last-month."
        ) from None
