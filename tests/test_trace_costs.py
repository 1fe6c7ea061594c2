"""An attempt's tokens and cost agree with its trace, or the difference is kept and shown: whatever comes first, late, twice or never."""

from __future__ import annotations

from decimal import Decimal
from uuid import UUID

import pytest
from django.db.models import Sum

from tasks import events, queue
from tasks.agent.contract import Code, Completed, Progress, Usage
from tasks.agent.trace_store import Stored
from tasks.agent.tracing import trace_id
from tasks.costs.traces import Reconciler
from tasks.events import News
from tasks.models import Agent, Attempt, Price, Spent
from tasks.outcomes import Answer
from tasks.queue import traced
from tasks.states import AttemptStatus
from tests.factories import make_agent
from tests.queue_tools import RESULT, claim, failed, hand_in

pytestmark = pytest.mark.django_db
MODEL = "gpt-4o-mini"
TEN_MINUTES = 601
DAY = 86_400


@pytest.fixture
def agent(db) -> Agent:
    Price.objects.create(
        model=MODEL,
        valid_from="2020-01-01T00:00Z",
        input_usd=Decimal(10),
        output_usd=Decimal(20),
        cache_read_usd=Decimal(1),
    )
    return make_agent("llm")


class Store:
    """What is in MLflow, by the id of the trace; `asked` counts how often somebody looked."""

    def __init__(self) -> None:
        self.traces: dict[str, Stored] = {}
        self.asked = 0

    def has(self, attempt: UUID, *, calls: int = 1, cost: str | None = None, **tokens: int) -> None:
        kinds = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
        found = {kind: tokens.get(kind.removesuffix("_tokens")) for kind in kinds}
        name = trace_id(attempt)
        self.traces[name] = Stored(
            name, 3, calls, MODEL if calls else "", found, Decimal(cost) if cost else None
        )

    def read(self, wanted) -> dict[str, Stored]:
        self.asked += 1
        return {name: self.traces[name] for name in wanted if name in self.traces}


@pytest.fixture
def store() -> Store:
    return Store()


def one_attempt(agent: Agent) -> UUID:
    hand_in(agent, 1)
    return claim()[0].attempt_id


def completes(attempt: UUID, **usage: object) -> None:
    told = Completed(attempt=attempt, result=RESULT, trace_id=trace_id(attempt), usage=Usage(**usage))
    events.apply(queue.connection(), [News(attempt, told, ended=True)])


def is_killed(attempt: UUID) -> None:
    """It ends without a word."""
    answer = Answer(AttemptStatus.FAILED, True, Code.CRASHED, "It was killed.", retryable=True)
    events.apply(queue.connection(), [News(attempt, answer=answer, ended=True)])


def look(store: Store, attempt: UUID, *, seconds: float = 0) -> Attempt:
    """The attempt after one comparison, `seconds` after its end."""
    if seconds:
        queue.connection().execute(
            "SELECT set_config('agentaudit.clock_offset', %s, false)", (f"{seconds} seconds",)
        )
    Reconciler().tick(queue.connection(), store.read)
    return Attempt.objects.get(pk=attempt)


@pytest.fixture(autouse=True)
def true_time(db):
    yield
    queue.connection().execute("SELECT set_config('agentaudit.clock_offset', '0 seconds', false)")


def spent(agent: Agent) -> Decimal:
    of_today = Spent.objects.filter(holder="agent", holder_id=agent.pk, period="day")
    return of_today.aggregate(usd=Sum("usd"))["usd"] or Decimal(0)


CALLED = {"calls": 1, "model": MODEL, "input_tokens": 1000, "output_tokens": 100}


def test_the_same_tokens_agree_and_mlflow_s_estimate_stands_beside_our_price(agent, store):
    attempt = one_attempt(agent)
    completes(attempt, **CALLED)
    store.has(attempt, input=1000, output=100, cost="0.000210")
    row = look(store, attempt)
    assert row.trace_state == "agrees" and row.trace_read_at is not None
    assert (row.cost_usd, row.trace_cost_usd) == (Decimal("0.012000"), Decimal("0.000210"))


def test_a_difference_is_kept_and_the_event_counts(agent, store):
    attempt = one_attempt(agent)
    completes(attempt, **CALLED)
    store.has(attempt, input=1500, output=100)
    row = look(store, attempt)
    assert row.trace_state == "differs"
    assert (row.input_tokens, row.trace_input_tokens) == (1000, 1500)
    assert row.cost_usd == Decimal("0.012000") and spent(agent) == Decimal("0.012")


def test_a_trace_that_comes_before_the_outcome_is_read_after_it(agent, store):
    attempt = one_attempt(agent)
    store.has(attempt, input=1000, output=100)
    traced.traces_written(queue.connection(), [attempt])
    assert look(store, attempt).trace_state == "" and store.asked == 0
    completes(attempt, **CALLED)
    assert look(store, attempt).trace_state == "agrees"


def test_a_trace_that_comes_late_is_looked_for_until_it_is_there(agent, store):
    attempt = one_attempt(agent)
    completes(attempt, **CALLED)
    assert look(store, attempt).trace_state == ""
    assert look(store, attempt, seconds=TEN_MINUTES).trace_state == "missing"
    store.has(attempt, input=1000, output=100)
    assert look(store, attempt, seconds=TEN_MINUTES).trace_state == "missing"  # asked a moment ago
    assert look(store, attempt, seconds=TEN_MINUTES + 3700).trace_state == "agrees"


def test_a_trace_that_never_comes_is_said_to_be_missing_and_changes_no_money(agent, store):
    attempt = one_attempt(agent)
    completes(attempt, **CALLED)
    row = look(store, attempt, seconds=TEN_MINUTES)
    assert (row.trace_state, row.input_tokens, row.cost_usd) == ("missing", 1000, Decimal("0.012000"))
    asked = store.asked
    look(store, attempt, seconds=2 * DAY)
    assert store.asked == asked, "a day later nobody looks any more"


def test_written_at_last_it_is_read_although_it_was_given_up(agent, store):
    attempt = one_attempt(agent)
    completes(attempt, **CALLED)
    assert look(store, attempt, seconds=TEN_MINUTES).trace_state == "missing"
    store.has(attempt, input=1000, output=100)
    traced.traces_written(queue.connection(), [attempt])
    assert look(store, attempt, seconds=3 * DAY).trace_state == "agrees"


def test_a_killed_attempt_gets_tokens_and_cost_from_its_trace_once(agent, store):
    attempt = one_attempt(agent)
    is_killed(attempt)
    assert Attempt.objects.get(pk=attempt).input_tokens is None
    store.has(attempt, input=1000, output=100, cache_read=500)
    for _ in range(3):
        traced.traces_written(queue.connection(), [attempt])
        row = look(store, attempt)
    assert row.trace_id == trace_id(attempt)
    assert (row.model, row.calls, row.input_tokens, row.cost_state) == (MODEL, 1, 1000, "estimated")
    assert row.cost_usd == Decimal("0.007500") and row.price_id is not None
    assert spent(agent) == Decimal("0.0075")


def test_what_was_filled_from_the_trace_is_not_paid_again_by_a_late_event(agent, store):
    attempt = one_attempt(agent)
    is_killed(attempt)
    store.has(attempt, input=1000, output=100)
    traced.traces_written(queue.connection(), [attempt])
    assert look(store, attempt).trace_state == "filled"
    events.apply(queue.connection(), [failed(attempt, usage=Usage(**CALLED))])
    row = Attempt.objects.get(pk=attempt)
    assert (row.input_tokens, row.cost_usd) == (1000, Decimal("0.012000"))
    assert spent(agent) == Decimal("0.012")


def test_an_unpriced_model_stays_unknown_and_is_never_nothing(agent, store):
    Price.objects.all().delete()
    attempt = one_attempt(agent)
    is_killed(attempt)
    store.has(attempt, input=1000, output=100, cost="0.0002")
    traced.traces_written(queue.connection(), [attempt])
    row = look(store, attempt)
    assert (row.cost_usd, row.cost_state, row.input_tokens) == (None, "unknown", 1000)
    assert row.trace_cost_usd == Decimal("0.000200") and spent(agent) == 0


def test_an_attempt_that_asked_no_model_agrees_with_a_trace_without_calls(agent, store):
    attempt = one_attempt(agent)
    completes(attempt, calls=0)
    store.has(attempt, calls=0)
    row = look(store, attempt)
    assert (row.trace_state, row.cost_usd, row.input_tokens) == ("agrees", Decimal(0), None)


def test_each_trace_belongs_to_its_own_attempt(agent, store):
    hand_in(agent, 3)
    attempts = [row.attempt_id for row in claim(3)]
    for number, attempt in enumerate(attempts, start=1):
        completes(attempt, **{**CALLED, "input_tokens": 1000 * number})
        store.has(attempt, input=1000 * number, output=100)
    look(store, attempts[0])
    assert {row.trace_state for row in Attempt.objects.filter(pk__in=attempts)} == {"agrees"}
    assert sorted(Attempt.objects.values_list("trace_input_tokens", flat=True)) == [1000, 2000, 3000]


def test_a_store_that_does_not_answer_changes_nothing(agent):
    attempt = one_attempt(agent)
    completes(attempt, **CALLED)

    def away(_wanted):
        raise ConnectionError("nobody answers there")

    with pytest.raises(ConnectionError):
        Reconciler().tick(queue.connection(), away)
    assert Attempt.objects.get(pk=attempt).trace_state == ""


def test_traces_that_are_away_hold_up_no_other(agent, store, monkeypatch):
    monkeypatch.setattr("tasks.costs.traces.BATCH", 2)
    hand_in(agent, 5)
    attempts = [row.attempt_id for row in claim(5)]
    for attempt in attempts:
        completes(attempt, **CALLED)
    store.has(attempts[-1], input=1000, output=100)
    round_of_them = Reconciler()
    while round_of_them.tick(queue.connection(), store.read):
        pass
    assert Attempt.objects.get(pk=attempts[-1]).trace_state == "agrees"


# What people see


def page_of(client, attempt: UUID) -> str:
    return client.get(f"/tasks/{Attempt.objects.get(pk=attempt).task_id}/").content.decode()


def test_pages_tell_of_a_difference_a_loss_and_both_prices(agent, store, admin_client, settings):
    attempt = one_attempt(agent)
    completes(attempt, **CALLED)
    store.has(attempt, input=1500, output=100, cost="0.000285")
    look(store, attempt)
    page = page_of(admin_client, attempt)
    assert "1,500 tokens in, 100 out" in page and "which is what counts" in page
    assert "0.000285" in page and trace_id(attempt) in page
    assert f'/traces/{trace_id(attempt)}"' not in page
    settings.MLFLOW_UI_URL = "http://127.0.0.1:5000/#/experiments/1"
    link = f'href="http://127.0.0.1:5000/#/experiments/1/traces/{trace_id(attempt)}"'
    assert link in page_of(admin_client, attempt)
    assert link in admin_client.get(f"/admin/tasks/attempt/{attempt}/change/").content.decode()


def test_a_running_attempt_shows_what_it_has_cost_so_far(agent, admin_client):
    attempt = one_attempt(agent)
    told = Usage(calls=1, model=MODEL, input_tokens=1000, output_tokens=100)
    events.progress(queue.connection(), [Progress(attempt=attempt, pages_done=1, pages_total=3, usage=told)])
    page = page_of(admin_client, attempt)
    assert "0.012" in page and "so far" in page
    completes(attempt, **{**CALLED, "input_tokens": 2000})
    page = page_of(admin_client, attempt)
    assert "0.022" in page and "so far" not in page


def test_the_operators_page_says_when_traces_were_compared_and_what_is_wrong(agent, store, admin_client):
    differs, missing = one_attempt(agent), one_attempt(agent)
    completes(differs, **CALLED)
    completes(missing, **CALLED)
    store.has(differs, input=1, output=1)
    look(store, differs, seconds=TEN_MINUTES)
    page = admin_client.get("/operations/").content.decode()
    assert "MLflow, compared" in page and "1 missing, 1 differ" in page
    listed = admin_client.get("/admin/tasks/attempt/?trace=faulty").content.decode()
    assert str(differs) in listed and str(missing) in listed
