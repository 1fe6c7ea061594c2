"""Keeps the sums in `summaries` right, behind the queue's back: closes minutes that are over, and makes those anew that were changed.

It costs claims and settlements nothing: they know nothing of it. Each step is one short transaction on one snapshot, so that whoever
reads sums, the state and the changes together (also on one snapshot) always gets exact numbers, however far behind this is.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

from tasks import piecework, queue
from tasks.states import TERMINAL
from tasks.totals import DAY, HOUR, Totals, grouped, next_start, start_of, start_of_step

EVERY_SECONDS = 20.0
BUDGET_SECONDS = 0.5
"""How long one call goes on with steps, while a worker waits for it."""
SETTLE_TIME = timedelta(seconds=60)
HOURS_KEPT = timedelta(days=8)
MOST_CHANGES, MOST_DAYS = 20_000, 5
STATUSES = sorted(str(status) for status in TERMINAL)


def catch_up(seconds: float = BUDGET_SECONDS) -> bool:
    """Steps until nothing is left to do or the time is over; whether anything was done. Not inside of a transaction."""
    return piecework.catch_up(step, seconds)


def step() -> bool:
    """One piece of work, in one transaction on one snapshot; False if there is none, or another process is at it."""
    with piecework.alone("summary") as db:
        if db is None:
            return False
        state = queue.first(db, "summary_state")
        if state.closed_until is None:
            _begin(db, state.now)
            return True
        return _renew(db, state) or _fence(db, state) or _close(db, state)


def _begin(db: Any, now: datetime) -> None:
    """Nothing is stored yet: begin with the day on which the first task finished."""
    first = queue.first(db, "summary_first_finish").at
    start = start_of("day", min(first or now, now))
    _advance(db, start, start)


def _advance(
    db: Any, closed_until: datetime, hours_from: datetime, next_until: datetime | None = None, fence: int | None = None
) -> None:  # fmt: skip
    queue.execute(
        db, "summary_advance", closed_until=closed_until, hours_from=hours_from, next_until=next_until, fence=fence
    )  # fmt: skip


def _renew(db: Any, state: Any) -> bool:
    """Make the sums of changed hours anew, the days and months around them included; a bounded number of days at a time."""
    changes = queue.rows(db, "summary_changed", most=MOST_CHANGES)
    days = sorted({start_of("day", change.hour) for change in changes})[:MOST_DAYS]
    done = [change for change in changes if start_of("day", change.hour) in days]
    for day in days:
        hours = {change.hour for change in done if start_of("day", change.hour) == day}
        _store_day(db, day, state.closed_until, state.hours_from, hours)
    for month in {start_of("month", day) for day in days}:
        _store_month(db, month, state.closed_until)
    if done:
        queue.execute(db, "summary_forget_changes", ids=[change.id for change in done])
    return bool(done)


def _fence(db: Any, state: Any) -> bool:
    """Some minutes are over: note which transactions may still commit something that finished in them."""
    over = start_of_step(state.now - SETTLE_TIME)
    if state.fence is not None or over <= state.closed_until:
        return False
    _advance(db, state.closed_until, state.hours_from, over, queue.first(db, "summary_own_number").id)
    return True


def _close(db: Any, state: Any) -> bool:
    """Store what is over for everybody, up to the end of one day; with the day's and the month's end, those too."""
    if state.fence is None or state.oldest_running < state.fence:
        return False
    day = start_of("day", state.closed_until)
    until = min(state.next_until, day + DAY)
    hours_from = state.hours_from
    if until <= state.next_until - HOURS_KEPT:
        hours_from = until  # so long ago that nobody asks for its hours
    if until < day + DAY:
        _add_minutes(db, max(state.closed_until, hours_from), until)
    else:
        first = start_of("hour", max(state.closed_until, hours_from))
        _store_day(db, day, until, hours_from, {first + HOUR * number for number in range(24)})
    if until == next_start("month", start_of("month", day)):
        _store_month(db, start_of("month", day), until)
    if (kept := start_of("day", until) - HOURS_KEPT) > hours_from:
        queue.execute(db, "summary_clear", level="hour", since=hours_from, until=kept)
        hours_from = kept
    more = until < state.next_until
    _advance(db, until, hours_from, state.next_until if more else None, state.fence if more else None)
    return True


def _add_minutes(db: Any, since: datetime, until: datetime) -> None:
    """What finished in these minutes of one day, beside what the sums of their hours hold already."""
    if since >= until:
        return
    sums = grouped(counted(db, [(since, until)], by_client=True), "hour")
    for row in queue.rows(db, "summary_hour", hour=start_of("hour", since)):
        sums.setdefault((row.starts_at, row.agent, row.client, row.outcome), Totals()).add(row)
    for hour in {key[0] for key in sums}:
        _replace(db, "hour", hour, {key: totals for key, totals in sums.items() if key[0] == hour})


def _store_day(db: Any, day: datetime, closed: datetime, hours_from: datetime, hours: set[datetime]) -> None:
    """The sums of these hours of a day, as far as they are closed and kept, and of the day itself if it is over."""
    hours = {hour for hour in hours if hours_from <= hour < closed}
    whole = day + DAY <= closed
    spans = [(day, day + DAY)] if whole else [(hour, min(hour + HOUR, closed)) for hour in sorted(hours)]
    if not spans:
        return
    rows = counted(db, spans, by_client=True)
    for hour in hours:
        _replace(db, "hour", hour, grouped((row for row in rows if row.hour == hour), "hour"))
    if whole:
        _replace(db, "day", day, grouped(rows, "day"))


def _store_month(db: Any, month: datetime, closed: datetime) -> None:
    following = next_start("month", month)
    if following > closed:
        return
    found: dict[tuple, Totals] = {}
    for row in queue.rows(db, "summary_days", since=month, until=following):
        found.setdefault((month, row.agent, row.client, row.outcome), Totals()).add(row)
    _replace(db, "month", month, found)


def _replace(db: Any, level: str, start: datetime, sums: dict[tuple, Totals]) -> None:
    queue.execute(db, "summary_clear", level=level, since=start, until=next_start(level, start))
    rows = [
        {"level": level, "starts_at": starts_at.isoformat(), "agent": agent, "client": client, "outcome": outcome, **totals.stored()}
        for (starts_at, agent, client, outcome), totals in sums.items()
    ]  # fmt: skip
    if rows:
        queue.execute(db, "summary_store", rows=json.dumps(rows))


def counted(
    db: Any, spans: list[tuple[datetime, datetime]], *, agent: int = 0, client: int = 0, by_client: bool = False,
    statuses: list[str] = STATUSES,
) -> list[Any]:  # fmt: skip
    """Sums of what finished in these spans, from the rows of tasks and attempts, by hour, agent, outcome and, if wanted, client."""
    return queue.read(
        db, "summary_count", since=[since for since, _ in spans], until=[until for _, until in spans],
        agent=agent, client=client, by_client=by_client, statuses=statuses,
    )  # fmt: skip
