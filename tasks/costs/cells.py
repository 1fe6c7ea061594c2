"""Keeps `cost_cells` right, behind the queue's back: stores days that are over, makes those anew that were changed, and books corrections of closed months.

Claims and settlements know nothing of it: triggers note which days were changed. Each step is one short transaction on one snapshot.
A day is over once `tasks.rollup` has found that no transaction runs which could still end an attempt in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings

from tasks import piecework, queue
from tasks.costs.periods import DAY, day_of, first_of_month, next_month, start_of_day
from tasks.costs.sums import Key, Sums, by_key, differences

BUDGET_SECONDS = 0.5
"""How long one call goes on with steps, while a worker waits for it."""
MOST_CHANGES, MOST_DAYS = 20_000, 5


@dataclass(frozen=True, slots=True)
class State:
    """How far cells reach: every day before `stored_until`. Days of months up to `last_closed` never change."""

    now: datetime
    zone: ZoneInfo
    stored_until: date | None
    settled_until: datetime | None
    last_closed: date | None

    @property
    def today(self) -> date:
        return day_of(self.now, self.zone)

    def is_closed(self, day: date) -> bool:
        return self.last_closed is not None and first_of_month(day) <= self.last_closed


def state(db: Any) -> State:
    """The zone is COST_TIME_ZONE, but once a month is closed it stays the one in which that was done: closed days do not move."""
    row = queue.first(db, "costs_state")
    wanted = row.zone if row.last_closed and row.zone else settings.COST_TIME_ZONE
    stored_until = row.stored_until if row.zone == wanted else None
    return State(row.now, ZoneInfo(wanted), stored_until, row.settled_until, row.last_closed)


def catch_up(seconds: float = BUDGET_SECONDS) -> bool:
    """Steps until nothing is left to do or the time is over; whether anything was done. Not inside of a transaction."""
    return piecework.catch_up(step, seconds)


def step() -> bool:
    """One piece of work, in one transaction on one snapshot; False if there is none, or another process is at it."""
    with piecework.alone("costs") as db:
        if db is None:
            return False
        found = state(db)
        if found.stored_until is None:
            return _begin(db, found)
        return renew(db, found) or _advance(db, found)


def _begin(db: Any, found: State) -> bool:
    """Nothing is stored in this zone yet: begin with the day on which the first attempt ended."""
    first = queue.first(db, "costs_first_end").at
    if first is None:
        return False
    queue.execute(db, "costs_clear_all")
    queue.execute(
        db, "costs_advance", zone=found.zone.key, stored_until=day_of(min(first, found.now), found.zone)
    )
    return True


def renew(db: Any, found: State) -> bool:
    """Make the cells of changed days anew, a bounded number of days at a time; what changed in a closed month is booked today."""
    changes = queue.rows(db, "costs_changed", most=MOST_CHANGES)
    days = sorted({day_of(change.at, found.zone) for change in changes})[:MOST_DAYS]
    for day in days:
        if found.is_closed(day):
            _correct(db, day, found)
        elif found.stored_until and day < found.stored_until:
            _store(db, [day], found.zone)
    done = [change.id for change in changes if day_of(change.at, found.zone) in days]
    if done:
        queue.execute(db, "costs_forget_changes", ids=done)
    return bool(done)


def _advance(db: Any, found: State) -> bool:
    """Store the next day, if it is over for everybody."""
    day = found.stored_until
    if (
        day is None
        or found.settled_until is None
        or start_of_day(day + DAY, found.zone) > found.settled_until
    ):
        return False
    _store(db, [day], found.zone)
    queue.execute(db, "costs_advance", zone=found.zone.key, stored_until=day + DAY)
    return True


def counted(db: Any, days: Sequence[date], zone: ZoneInfo) -> list[Any]:
    """Cells of some days from the rows of attempts, with their day."""
    return queue.read(
        db, "costs_count", days=list(days), since=[start_of_day(day, zone) for day in days],
        until=[start_of_day(day + DAY, zone) for day in days],
    )  # fmt: skip


def _store(db: Any, days: Sequence[date], zone: ZoneInfo) -> None:
    queue.execute(db, "costs_clear", days=list(days))
    for day in days:
        _insert(db, by_key(counted(db, [day], zone)).items(), day)


def _correct(db: Any, day: date, found: State) -> None:
    """A day of a closed month says something else now than the reports do: the difference counts today."""
    actual = by_key(counted(db, [day], found.zone))
    booked = by_key(queue.rows(db, "costs_booked", day=day))
    _insert(db, differences(actual, booked).items(), found.today, corrects=day)


def _insert(db: Any, cells: Iterable[tuple[Key, Sums]], day: date, corrects: date | None = None) -> None:
    when = {"day": day.isoformat(), "corrects": corrects and corrects.isoformat()}
    rows = [when | key._asdict() | sums.stored() for key, sums in cells]
    if rows:
        queue.execute(db, "costs_store", rows=json.dumps(rows))


def are_complete(found: State, month: date) -> bool:
    """Whether every day of a month has its cells."""
    return found.stored_until is not None and found.stored_until >= next_month(month)
