"""The bill of runs: our run ids only, every kind of record, the price of its time, unknown never 0, and safe to read twice."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tasks.costs import billing, warehouse
from tasks.management.checkups import Level
from tasks.management.checkups import bill as checkup
from tasks.models import Attempt, BilledRun, OtherSpend, Task
from tests import factories
from tests.database import superuser
from tests.fakes.warehouse import WAREHOUSE, Bill, Warehouse

pytest_plugins = ["tests.fakes.fixtures"]
pytestmark = pytest.mark.django_db
APP = "agentaudit-app"


@pytest.fixture(scope="module")
def kept_bill(django_db_setup, django_db_blocker) -> Iterator[Bill]:
    with django_db_blocker.unblock():
        bill = Bill(superuser)
        yield bill
        bill.drop()


@pytest.fixture
def bill(kept_bill: Bill) -> Bill:
    with kept_bill.connect() as db:
        db.execute("TRUNCATE bill.usage, bill.list_prices")
    kept_bill.price("0.10", "2020-01-01")
    return kept_bill


@pytest.fixture
def cloud(workspace, bill: Bill, settings) -> Warehouse:
    settings.BILLING_WAREHOUSE_ID, settings.DATABRICKS_APP_NAME = WAREHOUSE, ""
    return Warehouse(workspace, bill, billing.QUERY, checkup.PROBE)


@pytest.fixture
def now() -> datetime:
    return factories.database_now()


def make_run(run_id: str, ended: datetime | None, **fields: Any) -> Attempt:
    """An attempt on Databricks, with a run that took two hours."""
    task = factories.make_task(factories.make_extraction(factories.make_client(), factories.make_agent()))
    attempt = factories.make_attempt(task, "failed" if ended else "running")
    began = (ended or factories.database_now()) - timedelta(hours=2)
    times = {"claimed_at": began, "finished_at": ended, "ended_at": ended}
    Attempt.objects.filter(pk=attempt.pk).update(executor="databricks", run_id=run_id, **times | fields)
    return attempt


def cost(attempt: Attempt) -> tuple[Decimal | None, str]:
    attempt.refresh_from_db()
    return attempt.compute_cost_usd, attempt.compute_cost_state


def at(moment: datetime) -> str:
    return moment.isoformat()


DAYS_AGO = timedelta(days=3)


def test_the_usage_of_our_runs_is_priced_and_stored_on_their_attempts(cloud, bill, now):
    one, two = make_run("11", now - DAYS_AGO), make_run("12", now - DAYS_AGO)
    bill.use("11", at(now - DAYS_AGO - timedelta(hours=2)), "1.5")
    bill.use("11", at(now - DAYS_AGO - timedelta(hours=1)), "0.5")
    bill.use("12", at(now - DAYS_AGO), "7")
    bill.use("99", at(now - DAYS_AGO), "1000")  # somebody else's
    done = billing.settle()
    assert cost(one) == (Decimal("0.200000"), "settled") and cost(two) == (Decimal("0.700000"), "settled")
    assert (done.asked, done.settled, done.statements, done.usd) == (2, 2, 1, Decimal("0.9"))
    row = BilledRun.objects.get(pk="11")
    assert (row.usage_rows, row.unpriced_rows, row.quantity) == (2, 0, 2)


def test_a_run_that_is_not_in_the_bill_yet_stays_unknown(cloud, now):
    attempt = make_run("11", now - timedelta(hours=1))
    done = billing.settle()
    assert cost(attempt) == (None, "unknown") and done.missing == 1


def test_the_first_day_after_its_end_it_is_an_estimate(cloud, bill, now):
    attempt = make_run("11", now - timedelta(hours=5))
    bill.use("11", at(now - timedelta(hours=6)), "1")
    billing.settle()
    assert cost(attempt) == (Decimal("0.1"), "estimated")


def test_retractions_and_restatements_count_with_their_sign(cloud, bill, now):
    attempt, hour = make_run("11", now - DAYS_AGO), at(now - DAYS_AGO)
    bill.use("11", hour, "10")
    billing.settle()
    bill.use("11", hour, "-10", kind="RETRACTION")
    bill.use("11", hour, "4", kind="RESTATEMENT")
    for _ in range(2):
        billing.settle(again=True)
        assert cost(attempt) == (Decimal("0.4"), "settled")
    bill.use("11", hour, "-4", kind="RETRACTION")
    billing.settle(again=True)
    assert cost(attempt) == (Decimal("0"), "settled"), "all of it was withdrawn: that is 0, not unknown"


def test_a_price_counts_from_its_start_to_before_its_end(cloud, bill, now):
    change = (now - DAYS_AGO).replace(minute=0, second=0, microsecond=0)
    with bill.connect() as db:
        db.execute("TRUNCATE bill.list_prices")
    bill.price("1", "2020-01-01", at(change))
    bill.price("5", at(change))
    bill.price("77", "2020-01-01", currency="EUR")
    bill.price("88", "2020-01-01", sku="OTHER")
    attempt = make_run("11", now - DAYS_AGO)
    bill.use("11", at(change - timedelta(hours=1)), "1")
    bill.use("11", at(change), "1")
    billing.settle()
    assert cost(attempt) == (Decimal("6"), "settled")


@pytest.mark.parametrize("twice", [False, True], ids=["no price", "two prices"])
def test_usage_that_no_single_price_fits_makes_the_cost_unknown_and_is_counted(cloud, bill, now, twice):
    attempt = make_run("11", now - DAYS_AGO)
    bill.use("11", at(now - DAYS_AGO), "1")
    bill.use("11", at(now - DAYS_AGO), "1", sku="NEW")
    if twice:
        bill.price("1", "2020-01-01", sku="NEW")
        bill.price("2", "2020-01-01", sku="NEW")
    done = billing.settle()
    assert cost(attempt) == (None, "unknown")
    assert done.unpriced == 1 and "without a price" in done.sentence
    bill_row = BilledRun.objects.get(pk="11")
    assert bill_row.usd is None and bill_row.unpriced_rows == 1


def test_a_run_whose_id_the_attempt_lost_is_found_by_its_task(cloud, bill, now):
    attempt = make_run("", None)
    Task.objects.filter(pk=attempt.task_id).update(
        status="processing", locked_by="run:4711", lease_owner=attempt.worker, lease_expires_at=now, current_attempt=attempt.pk
    )  # fmt: skip
    bill.use("4711", at(now), "3")
    billing.settle()
    assert cost(attempt) == (Decimal("0.3"), "estimated")
    assert attempt.run_id == "4711"


def test_several_applications_on_one_warehouse_see_their_own(cloud, bill, now, settings):
    """The other one's workspace, its runs, and the usage of its app."""
    settings.DATABRICKS_APP_NAME = APP
    attempt = make_run("11", now - DAYS_AGO)
    bill.use("11", at(now - DAYS_AGO), "1")
    bill.use("11", at(now - DAYS_AGO), "50", workspace="another workspace")
    bill.use("22", at(now - DAYS_AGO), "60")
    bill.use(None, at(now - DAYS_AGO), "2", app=APP, product="APPS")
    bill.use(None, at(now - DAYS_AGO), "70", app="another-app", product="APPS")
    billing.settle()
    assert cost(attempt) == (Decimal("0.1"), "settled")
    (other,) = OtherSpend.objects.all()
    assert (other.product, other.usd, other.day) == ("APPS", Decimal("0.2"), (now - DAYS_AGO).date())


def test_a_pass_that_was_broken_off_goes_on_where_it_stopped(cloud, bill, now, monkeypatch):
    monkeypatch.setattr(billing, "RUNS_PER_STATEMENT", 2)
    attempts = [make_run(str(100 + i), now - DAYS_AGO + timedelta(minutes=i)) for i in range(5)]
    for i in range(5):
        bill.use(str(100 + i), at(now - DAYS_AGO), str(i + 1))

    class Stop(Exception):
        pass

    def stop(_sentence: str) -> None:
        raise Stop

    with pytest.raises(Stop):
        billing.settle(say=stop)
    assert BilledRun.objects.count() == 2
    assert billing.settle().asked == 3
    assert [cost(attempt)[0] for attempt in attempts] == [Decimal(i + 1) / 10 for i in range(5)]
    assert billing.settle().asked == 0, "what was read a moment ago is not asked for again"


@pytest.mark.slow
def test_ten_thousand_runs_take_a_few_statements(cloud, workspace, now):
    task = factories.make_task(factories.make_extraction(factories.make_client(), factories.make_agent()))
    first = factories.make_attempt(task, "failed", number=1)
    fields = {
        f.attname: getattr(first, f.attname)
        for f in Attempt._meta.concrete_fields
        if f.name not in ("id", "number", "run_id")
    }
    fields |= {"executor": "databricks", "finished_at": now - DAYS_AGO, "ended_at": now - DAYS_AGO}
    Attempt.objects.bulk_create(
        Attempt(number=2 + i, run_id=str(10**14 + i), **fields) for i in range(10_000)
    )
    done = billing.settle()
    assert done.asked == 10_000
    assert len(workspace.requests("/sql/statements", "POST")) == done.statements <= 20


def test_a_slow_warehouse_and_a_result_in_parts_lose_nothing(cloud, bill, now, monkeypatch):
    monkeypatch.setattr(warehouse, "LONGEST_PAUSE", 0.01)
    monkeypatch.setattr(warehouse.time, "sleep", lambda seconds: None)
    cloud.slow, cloud.chunk, cloud.states = 4, 2, ["PENDING", "RUNNING", "SOMETHING_NEW", "RUNNING"]
    attempts = [make_run(str(100 + i), now - DAYS_AGO) for i in range(5)]
    for i in range(5):
        bill.use(str(100 + i), at(now - DAYS_AGO), "1")
    billing.settle()
    assert [cost(attempt) for attempt in attempts] == [(Decimal("0.1"), "settled")] * 5


def test_a_statement_that_failed_is_http_200_and_told_in_words(cloud, now):
    attempt = make_run("11", now - DAYS_AGO)
    cloud.failure = (
        "BAD_REQUEST",
        "[INSUFFICIENT_PERMISSIONS] User lacks privilege SELECT on system.billing.usage",
    )
    with pytest.raises(billing.WarehouseError, match=r"SELECT on system\.billing\.usage and"):
        billing.settle()
    assert cost(attempt) == (None, "unknown") and not BilledRun.objects.exists()


def test_a_warehouse_that_never_answers_is_given_up_and_cancelled(cloud, now, monkeypatch):
    make_run("11", now - DAYS_AGO)
    cloud.slow = 10**6
    monkeypatch.setattr(warehouse, "PATIENCE_SECONDS", 0.0)
    with pytest.raises(billing.WarehouseError, match="did not answer"):
        billing.settle()
    assert cloud.cancelled == ["st1"]


def test_the_command_says_what_it_did_and_what_is_missing(cloud, bill, now, settings, capsys):
    make_run("11", now - DAYS_AGO)
    bill.use("11", at(now - DAYS_AGO), "1")
    call_command("settle_costs")
    assert "1 runs asked for in 1 statements: 1 settled; 0.10 USD." in capsys.readouterr().out
    settings.BILLING_WAREHOUSE_ID = "gone"
    make_run("12", now - DAYS_AGO)
    with pytest.raises(CommandError, match="BILLING_WAREHOUSE_ID"):
        call_command("settle_costs")
    settings.BILLING_WAREHOUSE_ID = ""
    with pytest.raises(CommandError, match="names no SQL warehouse"):
        call_command("settle_costs")


def test_doctor_says_whether_the_bill_can_be_read(cloud, bill, now, settings):
    bill.use("11", at(now), "1")
    (found,) = checkup.warehouse_sees_it()
    assert found.level is Level.OK and now.date().isoformat() in found.sentence
    cloud.failure = (
        "BAD_REQUEST",
        "[TABLE_OR_VIEW_NOT_FOUND] The table system.billing.usage cannot be found.",
    )
    (found,) = checkup.warehouse_sees_it()
    assert found.level is Level.FAULT and "USE SCHEMA on system.billing" in found.sentence
    settings.BILLING_WAREHOUSE_ID = ""
    assert list(checkup.warehouse_sees_it()) == []


def test_random_bills_equal_a_recount_to_the_cent(cloud, bill, now):
    chance = random.Random(5)
    with bill.connect() as db:
        db.execute("TRUNCATE bill.list_prices")
    start = (now - timedelta(days=10)).replace(minute=0, second=0, microsecond=0)
    changes = [start + timedelta(days=day) for day in (0, 2, 5, 11)]
    prices = [
        (since, until, Decimal(chance.randint(1, 999)) / 1000)
        for since, until in zip(changes, [*changes[1:], None], strict=True)
    ]
    for since, until, usd in prices:
        bill.price(str(usd), at(since), until and at(until))
    attempts, expected = {}, {}
    for run in range(20):
        attempts[str(run)] = make_run(str(run), now - timedelta(days=2))
        Attempt.objects.filter(pk=attempts[str(run)].pk).update(claimed_at=start)
        for _ in range(chance.randint(1, 6)):
            used, hour = (
                Decimal(chance.randint(-500, 900)) / 100,
                start + timedelta(hours=chance.randint(0, 180)),
            )
            usd = next(
                usd for since, until, usd in prices if since <= hour and (until is None or hour < until)
            )
            bill.use(str(run), at(hour), str(used), kind="RETRACTION" if used < 0 else "ORIGINAL")
            expected[str(run)] = expected.get(str(run), Decimal(0)) + used * usd
    billing.settle()
    assert {run: cost(attempt)[0] for run, attempt in attempts.items()} == {
        run: round(usd, 6) for run, usd in expected.items()
    }
