"""Reports of money equal a plain recount of every attempt, by any dimension and however late, repeated or corrected its cost came."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from psycopg import errors

from tasks import queue
from tasks.costs import cells, reports
from tasks.costs.periods import Period, next_month
from tasks.costs.questions import DIMENSIONS, Query
from tasks.models import Attempt, ClosedMonth, CostCell, CostChange
from tests.cost_tools import MODELS, Plain, Spending, all_time, cells_up_to_date, recounted
from tests.test_operations_numbers import sum_up_once


@pytest.fixture(params=["UTC", "Europe/Berlin", "America/Havana", "Asia/Kathmandu"])
def zone(request, settings) -> str:
    settings.COST_TIME_ZONE = request.param
    return request.param


@pytest.fixture
def history(transactional_db, zone) -> Iterator[Spending]:
    made = Spending(len(zone))
    yield made
    made.clock.end()


def assert_equal(query: Query) -> None:
    report, plain = reports.make(query), recounted(query)
    found = {line.key: Plain.of(line) for line in report.lines}
    wasted = sum((line.wasted for line in plain.values()), Decimal(0))
    assert found == {key: replace(line, wasted=Decimal(0)) for key, line in plain.items()}, query
    for money in ("llm", "compute"):
        total = sum((getattr(line, money) for line in plain.values()), Decimal(0))
        assert (getattr(report.total.sums, f"{money}_usd") or 0) == total
    assert (report.retries.money.total or 0) + (report.failures.money.total or 0) == wasted


def queries(history: Spending, luck: random.Random) -> Iterator[Query]:
    """Every dimension over all time, and some that are narrowed at random."""
    everything = Query(all_time())
    for by in DIMENSIONS:
        yield replace(everything, by=by)
    for _ in range(12):
        since = reports.today() - timedelta(days=luck.randint(0, 60))
        until = since + timedelta(days=luck.choice((1, 7, 31, 90)))
        narrowed = {
            "client": luck.choice(history.clients).pk, "agent": luck.choice(history.agents).pk, "model": luck.choice(MODELS),
            "status": luck.choice(("completed", "failed", "cancelled", "open")), "outcome": luck.choice(("completed", "failed", "lost")),
            "engagement": luck.choice(("", "2025")), "uploader": luck.choice(history.people_who_upload).pk,
            "clients": frozenset(client.pk for client in history.clients[:2]),
        }  # fmt: skip
        chosen = luck.sample(sorted(narrowed), luck.randint(0, 3))
        yield Query(
            Period(since, until), luck.choice(DIMENSIONS), **{name: narrowed[name] for name in chosen}
        )


@pytest.mark.slow
def test_reports_equal_a_recount_whatever_has_happened(history, monkeypatch) -> None:
    monkeypatch.setattr(history, "close", lambda: None)
    for _ in range(4):
        for _ in range(60):
            history.act()
        for query in queries(history, history.luck):
            assert_equal(query)
    assert Attempt.objects.filter(cost_usd=None).exists() and CostCell.objects.exists()
    assert len({attempt.finished_at.date() for attempt in Attempt.objects.exclude(finished_at=None)}) > 10


@pytest.mark.slow
def test_closed_months_never_change_and_corrections_make_the_whole_right(history) -> None:
    frozen: dict = {}
    for _ in range(300):
        history.act()
        cells_up_to_date()
        for month in set(ClosedMonth.objects.values_list("month", flat=True)) - {
            month for month, _ in frozen
        }:
            period = Period(month, next_month(month))
            frozen |= {(month, by): _lines(Query(period, by)) for by in DIMENSIONS}
    assert len(frozen) > len(DIMENSIONS), "the history has to close several months"
    for (month, by), lines in frozen.items():
        assert _lines(Query(Period(month, next_month(month)), by)) == lines
    everything = reports.make(Query(all_time()))
    for name in ("cost_usd", "compute_cost_usd"):
        total = sum(
            (usd for usd in Attempt.objects.exclude(finished_at=None).values_list(name, flat=True) if usd),
            Decimal(0),
        )
        assert (
            getattr(everything.total.sums, "llm_usd" if name == "cost_usd" else "compute_usd") or 0
        ) == total
    assert everything.total.sums.attempts == Attempt.objects.exclude(finished_at=None).count()
    assert CostCell.objects.exclude(corrects=None).exists(), "the history has to correct a closed month"


def _lines(query: Query) -> dict[str, tuple[Plain, Decimal | None]]:
    return {line.key: (Plain.of(line), line.money.total) for line in reports.make(query).lines}


def test_every_dimension_adds_up_to_the_unfiltered_total(history) -> None:
    for _ in range(80):
        history.act()
    totals = set()
    for by in DIMENSIONS:
        report = reports.make(Query(all_time(), by))
        llm = sum((line.sums.llm_usd or Decimal(0) for line in report.lines), Decimal(0))
        assert llm == (report.total.sums.llm_usd or 0)
        assert sum(line.sums.attempts for line in report.lines) == report.total.sums.attempts
        totals.add((llm, report.total.sums.attempts))
    assert len(totals) == 1


def test_a_change_of_an_old_day_is_seen_at_once_and_after_it_is_worked_in(history) -> None:
    history.hand_in()
    history.claim()
    while history.running:
        history.settle()
    history.clock.forward(3 * 86_400)
    cells_up_to_date()
    assert cells.state(history.db).stored_until == reports.today() and not CostChange.objects.exists()
    Attempt.objects.update(compute_cost_usd=Decimal("7.1"), compute_cost_state="settled")
    assert CostChange.objects.exists()
    assert_equal(Query(all_time()))
    cells_up_to_date()
    assert not CostChange.objects.exists()
    assert_equal(Query(all_time()))


def test_a_process_with_an_old_snapshot_does_nothing_and_tries_again(history, monkeypatch) -> None:
    """Else it would forget the change of a day that it does not know to be stored."""
    history.hand_in()
    history.claim()
    while history.running:
        history.settle()
    history.clock.forward(86_400)
    while sum_up_once():
        pass
    while cells.state(history.db).stored_until is None:
        assert cells.step()
    begun, go, real, here = threading.Event(), threading.Event(), queue.first, threading.current_thread()

    def first(db, name: str, **values):
        """Both have a snapshot before either has the lock; the other one, which has the older, is first."""
        if name == "costs_try_lock":
            real(db, "costs_state")
            if threading.current_thread() is here:
                go.set()
                other.join(30)
            else:
                begun.set()
                assert go.wait(30)
        return real(db, name, **values)

    def store() -> None:
        queue.connection().execute(
            "SELECT set_config('agentaudit.clock_offset', %s, false)", (f"{history.clock.seconds} seconds",)
        )
        cells.step()
        connection.close()

    monkeypatch.setattr(queue, "first", first)
    other = threading.Thread(target=store, daemon=True)
    other.start()
    assert begun.wait(30)
    Attempt.objects.update(compute_cost_usd=Decimal("7.1"), compute_cost_state="settled")
    with pytest.raises(errors.SerializationFailure):
        cells.step()
    monkeypatch.undo()
    assert cells.state(history.db).stored_until == reports.today() and CostChange.objects.exists()
    assert_equal(Query(all_time()))
