"""Every number of the operators' page equals a plain count over the rows, whatever happened before and however far sums have come."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection

from dashboard import summary, tasklist, worklist
from dashboard.filters import Filters
from tasks import events, operations, queue, rollup, totals
from tasks.admin import in_use
from tasks.agent.contract import Code, Usage
from tasks.models import AgentVersion, Attempt, Summary, SummaryChange, SummaryState, Task
from tasks.states import TERMINAL
from tasks.totals import HOUR, STEP, Closed, cover, next_start, start_of
from tests import queue_tools as tools
from tests.factories import make_agent, make_client

STATES = ("", "enqueued", "processing", "completed", "review", "failed", "cancelled")
SPANS = (
    {"last": "24h"}, {"last": "7d"}, {"last": "30d"}, {"last": "all"}, {"first": date(2000, 1, 1)},
)  # fmt: skip


class History:
    """Random work by the real queue over some weeks, with money that comes late, and sums that are made now and then."""

    def __init__(self, seed: int) -> None:
        self.luck = random.Random(seed)
        self.db = queue.connection()
        self.clock = tools.Clock(self.db)
        self.agents = [make_agent(max_attempts=2) for _ in range(3)]
        self.clients = [make_client() for _ in range(3)]
        self.running: list[Any] = []
        self.ended: list[Any] = []

    def act(self) -> None:
        luck = self.luck
        step = luck.choice((self.hand_in, self.hand_in, self.claim, self.claim, self.settle, self.settle, self.settle, self.late, self.people,
                            self.wait, self.review, self.sum_up))  # fmt: skip
        step()

    def hand_in(self) -> None:
        tools.hand_in(self.luck.choice(self.agents), self.luck.randint(1, 6), self.luck.choice(self.clients))

    def claim(self) -> None:
        self.running += tools.claim(self.luck.randint(1, 4), lease=10**8)

    def usage(self) -> Usage:
        if self.luck.random() < 0.3:
            return Usage(calls=1)
        tokens = self.luck.randint(1, 5000)
        return Usage(
            calls=1, input_tokens=tokens, output_tokens=tokens // 3, cache_read_tokens=tokens // 7, cost_usd=Decimal(tokens) / 1_000_000
        )  # fmt: skip

    def settle(self) -> None:
        if not self.running:
            return
        row = self.running.pop(self.luck.randrange(len(self.running)))
        self.ended.append(row)
        if self.luck.random() < 0.6:
            news = tools.completed(row.attempt_id, usage=self.usage())
        else:
            code = self.luck.choice((Code.CRASHED, Code.CORRUPT, Code.TIMEOUT))
            news = tools.failed(row.attempt_id, code, retryable=code != Code.CORRUPT, usage=self.usage())
        events.apply(self.db, [news])

    def late(self) -> None:
        """A result or other money of an attempt that has ended long ago."""
        if self.ended:
            row = self.luck.choice(self.ended)
            events.apply(self.db, [tools.completed(row.attempt_id, usage=self.usage())])

    def people(self) -> None:
        ids = list(Task.objects.values_list("pk", flat=True))
        if ids:
            verb = self.luck.choice((operations.retry, operations.cancel, operations.reprocess))
            verb(tools.SYSTEM, self.luck.sample(ids, min(len(ids), self.luck.randint(1, 4))))

    def review(self) -> None:
        """Somebody looked at a result, a trace settled its cost, or a client's old task is removed."""
        done = list(Task.objects.filter(status__in=TERMINAL).values_list("pk", flat=True))
        if not done:
            return
        task = self.luck.choice(done)
        if self.luck.random() < 0.5:
            Task.objects.filter(pk=task, status="completed").update(needs_review=self.luck.random() < 0.5)
        elif self.luck.random() < 0.8:
            Attempt.objects.filter(task=task).update(cost_usd=Decimal("1.25"), cost_state="settled")
        else:
            Attempt.objects.filter(task=task).delete()
            Task.objects.filter(pk=task).delete()

    def wait(self) -> None:
        self.clock.forward(self.luck.choice((1, 120, 700, 3600, 9000, 86_400, 400_000)))

    def sum_up(self) -> None:
        for _ in range(self.luck.randint(1, 30)):
            sum_up_once()


def sum_up_once() -> bool:
    """A step, as if no older transaction of other databases of this server were still open."""
    SummaryState.objects.filter(fence__isnull=False).update(fence=0)
    return rollup.step()


def sum_up() -> None:
    while sum_up_once():
        pass


@pytest.fixture
def history(transactional_db, request) -> Iterator[History]:
    made = History(getattr(request, "param", 0))
    yield made
    made.clock.end()


def plain(filters: Filters) -> dict[str, Any]:
    """The same numbers by the simplest statements over all rows."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT agentaudit_now()")
        now = cursor.fetchone()[0]
        since, until = filters.span(now)
        cursor.execute(
            """SELECT id, status, needs_review, enqueued_at, finished_at, confidence, error_code FROM tasks
            WHERE (%(agent)s = 0 OR agent_id = %(agent)s) AND (%(client)s = 0 OR client_id = %(client)s)
              AND (finished_at IS NULL OR (finished_at >= %(since)s AND finished_at < %(until)s))""",
            {"agent": filters.agent, "client": filters.client, "since": since or datetime(1990, 1, 1, tzinfo=UTC), "until": until},
        )  # fmt: skip
        rows = cursor.fetchall()
    states = Counter(row[1] for row in rows)
    states["review"] = sum(row[1] == "completed" and row[2] for row in rows)
    wanted = [
        row
        for row in rows
        if filters.status in ("", row[1]) or (filters.status == "review" and row[1] == "completed" and row[2])
    ]
    attempts = list(Attempt.objects.filter(task__in=[row[0] for row in wanted]))
    times = sorted((row[4] - row[3]).total_seconds() for row in wanted if row[1] == "completed")
    return {
        "states": {state: states[state] for state in STATES[1:]},
        "ids": [row[0] for row in wanted],
        "oldest": min((row[3] for row in rows if row[1] == "enqueued"), default=None),
        "attempts": len(attempts), "metered": sum(a.input_tokens is not None for a in attempts),
        "tokens": [sum(getattr(a, f"{kind}_tokens") or 0 for a in attempts) for kind in ("input", "output", "cache_read", "cache_write")],
        "usd": {state: sum((a.cost_usd for a in attempts if a.cost_state == state), Decimal(0)) for state in ("settled", "estimated")},
        "priced": {state: sum(a.cost_state == state for a in attempts) for state in ("settled", "estimated")},
        "times": times,
        "errors": Counter(row[6] for row in wanted if row[1] == "failed"),
        "confidence": Counter(min(int(row[5] * 20 + 1e-9), 19) for row in wanted if row[1] == "completed" and row[5] is not None),
    }  # fmt: skip


def assert_equal(filters: Filters) -> None:
    board, expected = summary.make(filters), plain(filters)
    found = board.totals
    assert board.states == expected["states"], filters
    assert board.oldest == expected["oldest"]
    assert (found.attempts, found.metered) == (expected["attempts"], expected["metered"]), filters
    assert [
        found.input_tokens,
        found.output_tokens,
        found.cache_read_tokens,
        found.cache_write_tokens,
    ] == expected["tokens"]
    assert {"settled": found.settled_usd, "estimated": found.estimated_usd} == expected["usd"]
    assert {"settled": found.cost_settled, "estimated": found.cost_estimated} == expected["priced"]
    assert found.errors == expected["errors"]
    assert found.confidence == expected["confidence"]
    if times := expected["times"]:
        at = [times[max(0, -(-len(times) * share // 100) - 1)] for share in (50, 95)]
        assert [board.response.median, board.response.p95] == pytest.approx(at, abs=1e-6)
    series = Counter()
    for counts in board.series.values():
        series.update(counts)
    finished = {"completed", "review", "failed", "cancelled"}
    of_series = {outcome: series[outcome] for outcome in finished}
    by_status = Counter(
        Task.objects.filter(pk__in=expected["ids"], status__in=TERMINAL).values_list("status", "needs_review")
    )
    assert of_series == {
        "completed": by_status["completed", False], "review": by_status["completed", True],
        "failed": by_status["failed", False] + by_status["failed", True],
        "cancelled": by_status["cancelled", False] + by_status["cancelled", True],
    }  # fmt: skip
    assert sum(line.failed for line in board.agents) == of_series["failed"]
    assert sum(line.completed for line in board.agents) == of_series["completed"] + of_series["review"]
    for line in board.agents:
        of_agent = Task.objects.filter(pk__in=expected["ids"], agent=line.now.id, status__in=TERMINAL)
        paid = Attempt.objects.filter(task__in=of_agent)
        assert line.completed == sum(line.spark) == of_agent.filter(status="completed").count(), filters
        assert line.failed == of_agent.filter(status="failed").count(), filters
        assert line.tokens == sum((a.input_tokens or 0) + (a.output_tokens or 0) for a in paid), filters
    assert_list_is_as_long(filters, board, expected["ids"])


def assert_list_is_as_long(filters: Filters, board: summary.Board, expected: list[int]) -> None:
    summary.shared.clear()
    ids, after = [], None
    while True:
        page, after = tasklist.page(filters, board.at, 3, after)
        ids += page
        if after is None:
            break
        after = tasklist.Cursor.parse(str(after))
    assert sorted(ids) == sorted(expected), filters
    assert worklist.length(filters) == len(ids)
    for code, number in board.totals.errors.items():
        if code and filters.status in ("", "failed"):
            narrowed = Filters(
                **{name: getattr(filters, name) for name in ("last", "first", "final", "agent", "client")},
                status="failed",
                error=code,
            )
            listed = tasklist.page(narrowed, board.at, 10_000)[0]
            assert len(listed) == number
            assert set(tasklist.matching(narrowed, board.at).values_list("pk", flat=True)) == set(listed)


@pytest.mark.parametrize(
    "history", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))], indirect=True
)
def test_numbers_equal_plain_counts_and_lists_after_random_histories(history: History) -> None:
    for turn in range(12):
        for _ in range(25):
            history.act()
        for _ in range(3):
            whose = {"agent": history.luck.choice([0, 0, *(a.pk for a in history.agents)]),
                     "client": history.luck.choice([0, 0, *(c.pk for c in history.clients)])}  # fmt: skip
            assert_equal(Filters(**history.luck.choice(SPANS), status=history.luck.choice(STATES), **whose))
        day = (history.clock.seconds and plain_now().date()) or date.today()
        some = day - timedelta(days=history.luck.randint(0, 9))
        assert_equal(Filters(first=some, final=some + timedelta(days=history.luck.randint(0, 9))))
        if turn == 8:
            sum_up()
            assert not SummaryChange.objects.exists()
            assert Summary.objects.exists()
    assert_equal(Filters(last="all"))


def plain_now() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT agentaudit_now()")
        return cursor.fetchone()[0]


@pytest.mark.parametrize("history", [11, 12], indirect=True)
def test_above_a_number_percentiles_come_from_all_buckets_and_say_so(history: History, monkeypatch) -> None:
    monkeypatch.setattr(summary, "EXACT_UP_TO", 0)
    seen = 0
    for _ in range(6):
        for _ in range(40):
            history.act()
        for status in ("", "completed", "review"):
            filters = Filters(last=history.luck.choice(["24h", "7d", "30d", "all"]), status=status)
            board, times = summary.make(filters), plain(filters)["times"]
            assert board.totals.response.total() == len(times)
            if times:
                assert board.response.approximate
                exact = times[-(-len(times) * 50 // 100) - 1]
                assert board.response.median == pytest.approx(max(exact, 0.001), rel=0.0051)
                seen += 1
    assert seen > 5


def test_made_anew_the_sums_are_what_they_were(history: History) -> None:
    """What changes brought them to is what a first pass over the same rows makes."""
    for _ in range(300):
        history.act()
    sum_up()
    kept = stored()
    state = SummaryState.objects.get()
    Summary.objects.all().delete()
    SummaryState.objects.all().delete()
    sum_up()
    again = stored()
    # Hours are only kept for some days; days and months have to be the same
    days = {key: value for key, value in kept.items() if key[0] != "hour"}
    assert days == {key: value for key, value in again.items() if key[0] != "hour"}
    assert days and SummaryState.objects.get().closed_until >= state.closed_until


def test_minutes_that_are_over_are_added_to_what_their_hour_holds_already(transactional_db) -> None:
    clock = tools.Clock(queue.connection())
    clock.forward((start_of("hour", plain_now()) + HOUR - plain_now()).total_seconds())
    agent = make_agent()
    for minutes in range(1, 5):
        tools.hand_in(agent, 1)
        [row] = tools.claim(lease=10**8)
        events.apply(
            queue.connection(), [tools.completed(row.attempt_id, usage=Usage(calls=1, input_tokens=minutes))]
        )
        clock.forward(150)
        sum_up()
        [held] = Summary.objects.filter(level="hour", agent=0, client=0, outcome="completed")
        assert (held.tasks, held.input_tokens, sum(held.response.values())) == (
            minutes,
            minutes * (minutes + 1) // 2,
            minutes,
        )
        assert SummaryState.objects.get().closed_until > held.starts_at
    clock.end()


def stored() -> dict[tuple, tuple]:
    names = [f.name for f in Summary._meta.fields if f.name != "id"]
    return {
        tuple(row[:5]): tuple(row[5:14]) + tuple(map(str, row[14:]))
        for row in Summary.objects.values_list(*names)
        if row[5]
    }


def test_an_hour_stays_open_until_every_transaction_that_may_add_to_it_has_ended(transactional_db) -> None:
    clock = tools.Clock(queue.connection())
    [task] = tools.hand_in(make_agent(), 1)
    rollup.step()
    with tools.session() as other:
        clock.sessions.append(other)
        other.execute("BEGIN")
        other.execute(
            "UPDATE tasks SET status = 'cancelled', finished_at = agentaudit_now() WHERE id = %s", (task,)
        )
        clock.forward(3 * 3600)
        for _ in range(5):
            rollup.step()
        closed = SummaryState.objects.get()
        assert closed.fence is not None and closed.closed_until <= start_of("hour", plain_now() - 3 * HOUR)
        other.execute("COMMIT")
    sum_up()
    assert SummaryState.objects.get().closed_until >= plain_now() - 2 * HOUR
    assert summary.make(Filters()).states["cancelled"] == 1
    clock.end()


def test_a_settlement_writes_no_change_and_a_later_correction_does(transactional_db) -> None:
    tools.hand_in(make_agent(), 1)
    [row] = tools.claim()
    events.apply(queue.connection(), [tools.completed(row.attempt_id, usage=Usage(calls=1, input_tokens=10))])
    assert not SummaryChange.objects.exists(), "the queue pays for nothing"
    Attempt.objects.filter(pk=row.attempt_id).update(input_tokens=11)
    assert SummaryChange.objects.count() == 1


def test_periods_cover_each_hour_exactly_once_and_never_what_was_changed() -> None:
    luck, base = random.Random(3), datetime(2026, 1, 1, tzinfo=UTC)
    for _ in range(3000):
        since = base + HOUR * luck.randrange(2000)
        until = since + HOUR * luck.randrange(1, 2500)
        closed = base + STEP * luck.randrange(4000 * 12)
        hours_from = min(start_of("day", base + HOUR * luck.randrange(4000)), closed)
        changed = frozenset(base + HOUR * luck.randrange(4000) for _ in range(luck.choice([0, 1, 5, 50])))
        found = cover(
            since, until, Closed(closed, hours_from, changed), luck.choice(["hour", "day", "month"])
        )
        for level, start in found.stored:
            end = min(next_start(level, start), closed) if level == "hour" else next_start(level, start)
            assert end <= closed and (level != "hour" or start >= hours_from)
            assert not any(start <= hour < end for hour in changed)
        spans = sorted(
            [(start, min(next_start(level, start), closed)) for level, start in found.stored] + found.counted
        )
        assert spans[0][0] == since and spans[-1][1] == until
        assert all(one[1] == other[0] for one, other in pairwise(spans))


def test_percentiles_from_buckets_are_off_by_half_a_per_cent_at_most() -> None:
    luck = random.Random(5)
    times = sorted(luck.lognormvariate(3, 1.5) for _ in range(20_000))
    buckets = Counter(totals.response_bucket(seconds) for seconds in times)
    for share in (0.01, 0.5, 0.95, 0.999):
        exact = times[int(share * len(times)) - 1]
        assert totals.percentile(buckets, share) == pytest.approx(exact, rel=0.0051)
    assert totals.percentile(Counter(), 0.5) is None


def test_many_viewers_of_one_filter_cause_one_reading(transactional_db, monkeypatch) -> None:
    made = []
    monkeypatch.setattr(summary, "make", lambda filters: made.append(filters) or len(made))
    summary.shared.clear()
    found = tools.together(*[lambda: summary.board(Filters())] * 20)
    assert set(found) == {1} and made == [Filters()]
    assert summary.board(Filters(status="failed")) == 2


@pytest.mark.django_db
def test_an_agent_that_takes_no_tokens_is_shown_to_use_none() -> None:
    """The queue reserves at least one a minute for each attempt, so that no limit is passed by what has no estimate."""
    plain, metered = make_agent("plain"), make_agent("metered")
    AgentVersion.objects.filter(agent=metered).update(input_tokens_per_page=1000)
    metered.refresh_from_db()
    for agent in (plain, metered):
        tools.hand_in(agent, 3)
        tools.claim(3, lease=10**8)
    rows = {row.name: row for row in queue.rows(queue.connection(), "summary_agents", agent=0)}
    assert (rows["plain"].running, rows["plain"].tpm) == (3, 0)
    assert rows["metered"].tpm > 1000
    limits = in_use.in_use(plain)
    assert "tasks at once" in limits and "per minute" not in limits
    assert "tokens per minute" in in_use.in_use(metered)
    plain.max_tpm = 500
    assert "tokens per minute" in in_use.in_use(plain), "a limit is always shown"
