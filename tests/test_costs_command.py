"""What people ask on the command line, the budgets that are over, and counters that nobody asks for any more."""

from __future__ import annotations

import json
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command

from tasks import queue
from tasks.costs import budgets, cells, reports
from tasks.models import Agent, ClosedMonth, CostState, Spent
from tests.factories import database_now, make_agent, make_client
from tests.test_costs_pages import made_of_money


@pytest.fixture
def money(db):
    return made_of_money()


def asked(capsys, *words: str) -> dict:
    call_command("costs", *words, "--json")
    return json.loads(capsys.readouterr().out)


def test_what_did_the_failed_tasks_of_the_last_seven_days_cost(money, capsys) -> None:
    told = asked(capsys, "--since", "7d", "--status", "failed")
    assert told["total"]["total_usd"] == "0.750000" and told["total"]["attempts"] == 1
    assert told["filter"] == {"status": "failed"} and told["not_attributed_usd"] is None
    today = reports.today()
    assert (told["since"], told["until"]) == (str(today - timedelta(days=6)), str(today))


def test_the_median_of_an_agent_this_month(money, capsys) -> None:
    told = asked(capsys, "--agent", "reader")
    assert told["median_task_usd"] == "0.750000" and told["median_of"] == {
        "tasks": 2,
        "known": 2,
        "too_many": False,
    }
    assert told["filter"] == {"agent": "reader"}


def test_unknown_is_null_and_counted_never_nothing(money, capsys) -> None:
    told = asked(capsys, "--by", "agent")
    plain = next(line for line in told["lines"] if line["name"] == "plain")
    assert (
        plain["total_usd"] is None
        and plain["per_document_usd"] is None
        and plain["llm_unknown_attempts"] == 1
    )
    assert told["total"]["llm_unknown_attempts"] == 1 and told["total"]["total_usd"] == "2.625000"
    assert told["waste"]["share"] == round(1 / 2.625, 4) and told["not_attributed_usd"] == "3.500000"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--since", "tomorrow"), "is no period"), (("--client", "Nobody"), "no client 'Nobody'"), (("--agent-version", "1"), "--agent"),
        (("--agent", "reader", "--agent-version", "9"), "no version 9"), (("--since", "7d", "--until", "2020-01-01"), "before it begins"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_in_words(money, words, complaint: str) -> None:
    with pytest.raises(CommandError, match=complaint):
        call_command("costs", *words)


def test_a_table_for_people(money, capsys) -> None:
    call_command("costs", "--by", "agent")
    out = capsys.readouterr().out
    assert (
        "reader" in out and "—" in out and "1 of 1" in out and "Not attributed to any run: 3.5000 USD" in out
    )


def test_budgets_that_are_over_are_named_with_their_level(money) -> None:
    agent = make_agent(spend_warn_per_month=10, spend_stop_per_month=20)
    Spent.objects.create(
        holder="agent",
        holder_id=agent.pk,
        period="month",
        starts_on=database_now().date().replace(day=1),
        shard=0,
        usd=15,
    )
    make_client(spend_stop_per_day=5)
    over = {(budget.holder, budget.period): budget.level for budget in budgets.over()}
    assert over == {("client", "day"): "stop", ("agent", "month"): "warn"}
    assert [budget.holder for budget in budgets.over(frozenset({money["north"].pk}))] == ["client"]
    Agent.objects.filter(pk=agent.pk).update(spend_warn_per_month=16)
    assert len(budgets.over()) == 1 and len(budgets.budgets()) == 3


def test_old_counters_are_pruned_and_those_that_claims_ask_for_stay(db) -> None:
    today = database_now().date()
    ages = {"day": (0, 61, 63, 4000), "month": (0, 399, 402, 4000)}
    for period, days in ages.items():
        for age in days:
            Spent.objects.create(
                holder="client",
                holder_id=1,
                period=period,
                starts_on=today - timedelta(days=age),
                shard=0,
                usd=Decimal(1),
            )
    assert queue.prune_spending(queue.connection(), most=3) == 3
    assert queue.prune_spending(queue.connection(), most=100) == 1
    left = {(row.period, (today - row.starts_on).days) for row in Spent.objects.all()}
    assert left == {("day", 0), ("day", 61), ("month", 0), ("month", 399)}


def test_the_zone_stays_once_a_month_is_closed_and_changes_before(db, settings) -> None:
    CostState.objects.create(zone="UTC", stored_until=date(2026, 2, 1))
    settings.COST_TIME_ZONE = "Europe/Berlin"
    found = cells.state(queue.connection())
    assert (found.zone.key, found.stored_until) == ("Europe/Berlin", None), (
        "days are made anew in the new zone"
    )
    ClosedMonth.objects.create(month=date(2026, 1, 1), closed_by="fiona")
    found = cells.state(queue.connection())
    assert (found.zone.key, found.stored_until) == ("UTC", date(2026, 2, 1))
