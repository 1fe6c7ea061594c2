"""Spend limits: what is committed and reserved is never above an agent's stop limit, each cost counts once, and stops are told once."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from types import SimpleNamespace

import pytest
from django.db.models import Sum
from hypothesis import given
from hypothesis import strategies as st

from tasks import claims, events, operations, queue, spending
from tasks.agent.contract import Usage
from tasks.models import Agent, Attempt, AuditEntry, Client, Price, SpendNotice, Spent, Task
from tasks.sql import running
from tasks.states import Priority
from tests.factories import database_now, make_agent, make_client
from tests.queue_tools import SYSTEM, Clock, claim, completed, failed, hand_in, new_worker, session, together

pytestmark = pytest.mark.django_db
USD = Decimal


@pytest.fixture
def clock(db) -> Clock:
    return Clock(queue.connection())


def priced_agent(**limits) -> Agent:
    """Each page is expected to cost 0.10 USD: 10,000 input tokens at 10 USD per million."""
    Price.objects.get_or_create(
        model="m",
        valid_from=database_now() - timedelta(days=400),
        defaults={"input_usd": 10, "output_usd": 10},
    )
    agent = make_agent(model="m", **limits)
    version = agent.current_version
    version.input_tokens_per_page, version.tokens_per_document = 10_000, 0
    version.save()
    return agent


def use(usd: str) -> Usage:
    """Tokens that cost so much at priced_agent's price."""
    return Usage(model="m", calls=1, input_tokens=int(USD(usd) * 100_000), output_tokens=0)


def spend(row, usd: str = "0.10") -> None:
    events.apply(queue.connection(), [completed(row.attempt_id, usage=use(usd))])


def counted(holder: str, id: int, period: str = "day") -> Decimal:
    return Spent.objects.filter(holder=holder, holder_id=id, period=period).aggregate(usd=Sum("usd"))[
        "usd"
    ] or USD(0)


# The arithmetic


def row(**fields) -> SimpleNamespace:
    limits = {
        f"spend_{level}_per_{period}": None for level in ("warn", "stop") for period in ("day", "month")
    }
    of = {
        "holder": "agent",
        "id": 1,
        "day": "2026-03-01",
        "month": "2026-03-01",
        "day_usd": USD(0),
        "month_usd": USD(0),
    }
    return SimpleNamespace(**{**limits, **of, "reserved_usd": USD(0), "notices": [], **fields})


def test_a_purse_holds_what_the_stricter_limit_leaves():
    assert spending.purse(row()) is None
    assert spending.purse(row(spend_warn_per_day=USD(1))) is None
    both = row(
        spend_stop_per_day=USD(10),
        spend_stop_per_month=USD(100),
        day_usd=USD(4),
        month_usd=USD(97),
        reserved_usd=USD(1),
    )
    assert spending.purse(both).left == USD(2)


def test_a_level_is_told_when_it_is_reached_and_not_again():
    limits = {"spend_warn_per_day": USD("5.00"), "spend_stop_per_day": USD("10.00")}
    assert spending.reached(row(**limits, day_usd=USD("4.99"))) == []
    assert [notice["level"] for notice in spending.reached(row(**limits, day_usd=USD(5)))] == ["warn"]
    assert [
        notice["level"] for notice in spending.reached(row(**limits, day_usd=USD(5), reserved_usd=USD(5)))
    ] == ["warn", "stop"]
    assert spending.reached(row(**limits, day_usd=USD(10), notices=["day warn 5.00", "day stop 10.00"])) == []


def test_asking_in_vain_reaches_a_stop_limit_before_it_is_spent():
    limits = {"spend_stop_per_month": USD(10)}
    assert spending.reached(row(**limits, month_usd=USD(9))) == []
    assert [
        notice["period"] for notice in spending.reached(row(**limits, month_usd=USD(9)), USD("1.01"))
    ] == ["month"]


@given(
    st.integers(0, 10**9),
    st.integers(0, 10**9),
    st.decimals(0, 1000, places=2),
    st.decimals(0, 1000, places=2),
)
def test_what_is_expected_is_never_less_than_the_price(tokens, output, input_usd, output_usd):
    exact = (max(tokens - output, 0) * input_usd + output * output_usd) / 1_000_000
    assert 0 <= spending.expected_usd(tokens, output, input_usd, output_usd) - exact <= USD("0.000001")


@pytest.mark.parametrize(
    ("usd", "text"), [("0", "0.00"), ("5", "5.00"), ("0.123", "0.12"), ("0.0004", "0.0004")]
)
def test_money_is_shown_in_cents_and_smaller_where_it_is_smaller(usd, text):
    assert spending.money(USD(usd)) == text


# What was spent, counted once


def test_a_cost_counts_once_for_agent_and_client_by_day_and_month_whatever_is_repeated():
    agent = priced_agent()
    hand_in(agent, 1)
    (got,) = claim(1)
    for _ in range(3):
        spend(got)
    client = Task.objects.get(pk=got.task_id).client_id
    for holder, id in (("agent", agent.pk), ("client", client)):
        assert [counted(holder, id, period) for period in ("day", "month")] == [USD("0.1"), USD("0.1")]


def test_late_and_higher_news_adds_only_the_difference():
    agent = priced_agent()
    hand_in(agent, 1)
    (got,) = claim(1)
    spend(got, "0.10")
    spend(got, "0.35")
    spend(got, "0.20")
    assert Attempt.objects.get().cost_usd == USD("0.35")
    assert counted("agent", agent.pk) == USD("0.35")


def test_what_a_superseded_or_failed_attempt_cost_counts_as_well():
    agent = priced_agent()
    hand_in(agent, 1)
    (got,) = claim(1)
    events.apply(queue.connection(), [failed(got.attempt_id, usage=use("0.07"))])
    assert counted("agent", agent.pk) == USD("0.07")


def test_a_cost_counts_on_the_utc_day_on_which_it_became_known(clock):
    agent = priced_agent()
    hand_in(agent, 2)
    one, two = claim(2)
    spend(one)
    clock.forward(86_400)
    spend(two, "0.30")
    days = (
        Spent.objects.filter(holder="agent", period="day").order_by("starts_on").values_list("usd", flat=True)
    )
    assert list(days) == [USD("0.1"), USD("0.3")]


def test_who_costs_nothing_writes_no_counters():
    hand_in(make_agent(), 1)
    (got,) = claim(1)
    events.apply(queue.connection(), [completed(got.attempt_id)])
    assert Attempt.objects.get().cost_usd == 0
    assert not Spent.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_settlements_that_meet_at_the_same_counters_lose_nothing():
    agents = [priced_agent(), priced_agent()]
    clients = [make_client(), make_client()]
    for agent in agents:
        for client in clients:
            hand_in(agent, 20, client)
    rows = claim(80)

    def work(mine):
        with session() as db:
            for start in range(0, len(mine), 4):
                events.apply(
                    db, [completed(row.attempt_id, usage=use("0.10")) for row in mine[start : start + 4]]
                )

    together(*(lambda mine=rows[place::6]: work(mine) for place in range(6)))
    assert [counted("agent", agent.pk) for agent in agents] == [USD(4)] * 2
    assert [counted("client", client.pk) for client in clients] == [USD(4)] * 2


# Agents


def test_an_agent_starts_nothing_that_would_take_it_above_its_stop_limit():
    agent = priced_agent(spend_stop_per_day=USD("0.25"))
    hand_in(agent, 5)
    rows = claim(9)
    assert len(rows) == 2, "0.20 are reserved, a third would make it 0.30"
    assert set(Attempt.objects.values_list("reserved_usd", flat=True)) == {USD("0.1")}
    spend(rows[0], "0.02")
    assert len(claim(9)) == 1, "it cost less than expected: 0.02 + 0.10 + 0.10"
    spend(rows[1], "0.20")
    assert claim(9) == []


def test_a_new_day_and_a_higher_limit_go_on(clock):
    agent = priced_agent(spend_stop_per_day=USD("0.10"), spend_stop_per_month=USD("10"))
    hand_in(agent, 5)
    spend(*claim(9))
    assert claim(9) == []
    clock.forward(86_400)
    spend(*claim(9))
    assert claim(9) == []
    Agent.objects.filter(pk=agent.pk).update(spend_stop_per_day=USD("0.20"))
    assert len(claim(9)) == 1


def test_the_month_is_a_limit_of_its_own(clock):
    agent = priced_agent(spend_stop_per_month=USD("0.10"))
    hand_in(agent, 5)
    spend(*claim(9))
    assert claim(9) == []
    clock.forward(32 * 86_400)
    assert len(claim(9)) == 1


def test_a_smaller_task_may_use_what_is_left_and_the_larger_one_blocks_nothing():
    agent = priced_agent(spend_stop_per_day=USD("0.25"), max_tpm=1_000_000)
    large = hand_in(agent, 1, pages=9)
    small = hand_in(agent, 2)
    assert [row.task_id for row in claim(9)] == small
    assert Task.objects.get(pk=large[0]).blocked_since is None


def test_what_the_agent_cannot_pay_for_gives_up_what_was_kept_free(clock):
    agent = priced_agent(max_tpm=12_000)
    hand_in(agent, 1)
    spend(*claim(1))
    (large,) = hand_in(agent, 1)
    assert claim(9) == []
    assert Task.objects.get(pk=large).blocked_since is not None
    Agent.objects.filter(pk=agent.pk).update(spend_stop_per_day=USD("0.15"))
    claim(9)
    assert Task.objects.get(pk=large).blocked_since is None


@pytest.mark.django_db(transaction=True)
def test_an_agents_limit_is_exact_whatever_number_of_workers_claims_and_settles():
    agent = priced_agent(spend_stop_per_day=USD("2.05"))
    hand_in(agent, 40)
    terms = [claims.Terms(new_worker(), 60.0) for _ in range(6)]

    def work(mine):
        with session() as db:
            for _ in range(30):
                for row in claims.claim(db, mine, ["local"], 3).rows:
                    events.apply(db, [completed(row.attempt_id, usage=use("0.10"))])

    together(*(lambda mine=mine: work(mine) for mine in terms))
    assert counted("agent", agent.pk) == USD("2.00")
    assert Attempt.objects.count() == 20


# Clients


def test_a_client_starts_nothing_above_its_stop_limit_and_others_go_on():
    agent = priced_agent()
    poor, rich = make_client(spend_stop_per_day=USD("0.15")), make_client()
    hand_in(agent, 5, poor)
    theirs = hand_in(agent, 3, rich)
    rows = claim(9)
    assert sorted(row.task_id for row in rows[1:]) == theirs
    assert Task.objects.get(pk=rows[0].task_id).client_id == poor.pk
    assert claim(9) == []


def test_a_clients_limit_counts_all_its_agents():
    one, two = priced_agent(), priced_agent()
    client = make_client(spend_stop_per_month=USD("0.25"))
    hand_in(one, 2, client), hand_in(two, 2, client)
    assert len(claim(9)) == 2
    assert claim(9) == []


def test_tasks_that_a_client_cannot_pay_for_hide_nobody_elses():
    """DEQ-285: they fill the look-ahead, and the client has something left, only not enough for any of them."""
    agent = priced_agent()
    poor, rich = make_client(spend_stop_per_day=USD("0.15")), make_client()
    hand_in(agent, 30, poor, pages=5)
    theirs = hand_in(agent, 2, rich)
    assert [row.task_id for row in claim(9, look_ahead=5)] == theirs


# Ceiling per document


def test_a_document_over_its_ceiling_fails_before_anything_is_started_and_says_why():
    agent = priced_agent(document_cost_ceiling=USD("0.25"))
    (task,) = hand_in(agent, 1)
    for _ in range(2):
        (got,) = claim(9)
        events.apply(queue.connection(), [failed(got.attempt_id, usage=use("0.10"))])
        operations.retry(SYSTEM, [task])
    claimed = claims.claim(queue.connection(), claims.Terms(new_worker(), 60.0), ["local"], 9)
    assert (claimed.rows, claimed.refused) == ([], 1)
    found = Task.objects.get(pk=task)
    assert (found.status, found.error_code, found.attempts_made) == ("failed", "over_budget", 2)
    assert found.error_message == (
        "This document has cost 0.20 USD so far, and another attempt would cost about 0.10 USD; its agent allows 0.25 USD per document. "
        "Raise the most USD per document of the agent, then reprocess it."
    )


def test_the_ceiling_counts_all_generations_and_raising_it_lets_the_document_through():
    agent = priced_agent(document_cost_ceiling=USD("0.25"))
    (task,) = hand_in(agent, 1)
    spend(*claim(9), "0.16")
    operations.reprocess(SYSTEM, [task])
    assert claim(9) == []
    assert Task.objects.get(pk=task).error_code == "over_budget"
    Agent.objects.filter(pk=agent.pk).update(document_cost_ceiling=USD("0.30"))
    operations.reprocess(SYSTEM, [task])
    assert len(claim(9)) == 1


def test_a_document_that_is_too_dear_from_the_start_is_never_started():
    agent = priced_agent(document_cost_ceiling=USD("0.25"))
    (dear,), (cheap,) = hand_in(agent, 1, pages=3), hand_in(agent, 1)
    assert [row.task_id for row in claim(9)] == [cheap]
    found = Task.objects.get(pk=dear)
    assert found.error_message.startswith(
        "Nothing is spent on this document yet, and another attempt would cost about 0.30 USD;"
    )


def test_more_refused_documents_than_are_looked_at_hide_nothing():
    agent = priced_agent(document_cost_ceiling=USD("0.25"))
    hand_in(agent, 12, pages=3)
    (cheap,) = hand_in(agent, 1)
    assert [row.task_id for row in claim(9, look_ahead=5)] == [cheap]
    assert Task.objects.filter(error_code="over_budget").count() == 12


# The trail


def test_a_stop_is_written_to_the_audit_log_once_by_the_system(clock):
    agent = priced_agent(spend_warn_per_day=USD("0.10"), spend_stop_per_day=USD("0.15"))
    hand_in(agent, 5)
    spend(*claim(9))
    for _ in range(3):
        assert claim(9) == []
    trail = list(
        AuditEntry.objects.filter(object_type="agent")
        .order_by("verb")
        .values_list("verb", "object_id", "actor_name", "after")
    )
    assert [(verb, id, actor) for verb, id, actor, _ in trail] == [
        ("spend_stop", str(agent.pk), "queue"), ("spend_warn", str(agent.pk), "queue"),
    ]  # fmt: skip
    assert trail[0][3] == {"period": "day", "limit_usd": 0.15, "starts_on": str(database_now().date())}
    clock.forward(86_400)
    spend(*claim(9))
    claim(9)
    assert SpendNotice.objects.filter(level="stop").count() == 2


def test_a_stop_of_the_first_of_a_month_does_not_hide_that_of_the_second(clock):
    today = database_now().date()
    first = (today.replace(day=1) + timedelta(days=32)).replace(day=1)
    clock.forward(86_400 * (first - today).days)
    agent = priced_agent(spend_stop_per_day=USD("0.15"))
    hand_in(agent, 5)
    for _ in range(2):
        spend(*claim(9))
        assert claim(9) == []
        clock.forward(86_400)
    days = SpendNotice.objects.order_by("starts_on").values_list("starts_on", flat=True)
    assert list(days) == [first, first + timedelta(days=1)]


def test_a_clients_stop_is_told_too():
    agent = priced_agent()
    client = make_client(spend_stop_per_day=USD("0.10"))
    hand_in(agent, 3, client)
    spend(*claim(9))
    claim(9), claim(9)
    assert (
        AuditEntry.objects.filter(verb="spend_stop", object_type="client", object_id=str(client.pk)).count()
        == 1
    )


# What it costs those who do not need it


def test_an_agent_without_limits_is_claimed_for_without_any_statement_about_money(monkeypatch):
    hand_in(make_agent(max_concurrent_tasks=5), 3, priority=Priority.NORMAL)
    asked: list[str] = []
    real = running.execute
    for module in (queue, running):
        monkeypatch.setattr(
            module, "execute", lambda db, name, **values: asked.append(name) or real(db, name, **values)
        )
    assert len(claims.claim(queue.connection(), claims.Terms(new_worker(), 60.0), ["local"], 3).rows) == 3
    assert {"claim_take", "claim_candidates"} <= set(asked)
    assert not {"spending", "spend_notice", "claim_prices", "claim_costs", "claim_refuse"} & set(asked)
    assert not Client.objects.exclude(spend_stop_per_day=None).exists()
