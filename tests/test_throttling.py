"""Limits hold in the database as admission says: counted from rows, read from the locked row, and nobody idles because another is full."""

from __future__ import annotations

import itertools
import os
import tempfile
import threading
import time
from datetime import timedelta
from uuid import uuid4

import pytest
from psycopg import pq

from tasks import claims, events, queue
from tasks.admission import lingering
from tasks.agent.contract import Code
from tasks.models import Agent, Attempt, Pool, Task
from tasks.outcomes import backoff
from tasks.states import Priority
from tests.factories import database_now, make_agent, make_client
from tests.queue_tools import Clock, claim, completed, failed, hand_in, new_worker, session, together

pytestmark = pytest.mark.django_db


@pytest.fixture
def clock(db) -> Clock:
    return Clock(queue.connection())


def set_agent(agent: Agent, **fields) -> None:
    """Like the admin: by an UPDATE of its own."""
    Agent.objects.filter(pk=agent.pk).update(**fields)


def estimate(tasks: list[int], tokens: int, seconds: float = 6.0) -> None:
    Task.objects.filter(pk__in=tasks).update(estimated_tokens=tokens, estimated_seconds=seconds)


def settle(rows) -> None:
    events.apply(queue.connection(), [completed(row.attempt_id) for row in rows])


# Concurrency


def test_lowering_a_limit_stops_no_run_and_nothing_starts_until_the_count_is_below_it():
    """THR-679, both ways, without a restart: the row that is locked says what holds."""
    agent = make_agent(max_concurrent_tasks=1)
    hand_in(agent, 8)
    running = claim(9)
    assert len(running) == 1
    set_agent(agent, max_concurrent_tasks=3)
    running += claim(9)
    assert len(running) == 3
    set_agent(agent, max_concurrent_tasks=1)
    assert claim(9) == []
    settle(running[:2])
    assert claim(9) == []
    settle(running[2:])
    assert len(claim(9)) == 1


def test_what_is_not_confirmed_ended_counts_whatever_its_task_says():
    """THR-143: after all processes were killed, the runs of their lives still count until they are swept."""
    agent = make_agent(max_concurrent_tasks=1)
    hand_in(agent, 3)
    (row,) = claim(9)
    events.apply(queue.connection(), [completed(row.attempt_id, ended=False)])
    assert Task.objects.get(pk=row.task_id).status == "completed"
    assert claim(9, worker=new_worker()) == []
    events.apply(queue.connection(), [completed(row.attempt_id, ended=True)])
    assert len(claim(9)) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("limits", [{"max_concurrent_tasks": 1}, {"max_tpm": 100}])
def test_a_cap_of_one_runs_one_whatever_number_of_workers_claims_at_once(limits):
    """THR-417 and THR-767: the count is newer than the lock, and what is taken is reserved in the same transaction."""
    agent = make_agent(**limits)
    estimate(hand_in(agent, 40), 60)
    terms = [claims.Terms(new_worker(), 60.0) for _ in range(8)]
    seen: list[int] = []
    taken: list[int] = []
    deadline = time.monotonic() + 60

    def work(mine: claims.Terms):
        with session() as db:
            while len(taken) < 20 and time.monotonic() < deadline:
                rows = claims.claim(db, mine, ["local"], 5).rows
                taken.extend(row.task_id for row in rows)
                seen.append(
                    db.execute("SELECT count(*) FROM task_attempts WHERE ended_at IS NULL").fetchone()[0]
                )
                for row in rows:
                    # What it held is given up with it, so that the next round may start at once
                    events.apply(db, [completed(row.attempt_id)])
                    db.execute(
                        "UPDATE task_attempts SET rate_held_until = agentaudit_now() WHERE id = %s",
                        (row.attempt_id,),
                    )

    together(*(lambda mine=mine: work(mine) for mine in terms), seconds=90)
    assert max(seen) == 1
    assert len(taken) >= 20


@pytest.mark.django_db(transaction=True)
def test_an_agent_can_be_paused_and_its_limits_changed_while_a_claim_is_open():
    """DEQ-372: a claim holds the agent's row for as long as its short transaction takes, and another worker goes to the next agent meanwhile."""
    first, second = make_agent(max_concurrent_tasks=1), make_agent(max_concurrent_tasks=1)
    hand_in(first, 2), hand_in(second, 2)
    opened, go_on = threading.Event(), threading.Event()

    def hold():
        with session() as db, db.transaction():
            queue.execute(db, "claim_lock_agent", agent=first.pk).fetchall()
            opened.set()
            assert go_on.wait(20)

    def others():
        assert opened.wait(20)
        with session() as db:
            got = claims.claim(db, claims.Terms(uuid4(), 60.0), ["local"], 9)
            assert [row.agent_id for row in got.rows] == [second.pk]
            assert got.contended
            go_on.set()
            db.execute("SET lock_timeout = '5s'")
            db.execute("UPDATE agents SET is_paused = true WHERE id = %s", (first.pk,))
            assert claims.claim(db, claims.Terms(uuid4(), 60.0), ["local"], 9).rows == []

    together(hold, others)


# Rates


def test_ten_thousand_token_tasks_of_six_seconds_start_six_a_minute_and_not_sixty(clock):
    agent = make_agent(max_tpm=60_000)
    estimate(hand_in(agent, 60), 10_000)
    for _ in range(95):
        rows = claim(60)
        clock.forward(2)  # beside the time that the test itself takes
        settle(rows)
    starts = list(Attempt.objects.order_by("claimed_at").values_list("claimed_at", flat=True))
    starts = [(start - starts[0]).total_seconds() for start in starts]
    assert starts[:6] == [0] * 6
    assert 60 <= starts[6] <= 66 + 6
    assert all(starts[i + 6] - starts[i] >= 60 for i in range(len(starts) - 6)), "seven within a minute"
    assert len(starts) >= 18


def test_five_tasks_of_sixty_tokens_under_a_hundred_run_one_at_a_time():
    """THR-767."""
    agent = make_agent(max_tpm=100)
    estimate(hand_in(agent, 5), 60)
    assert len(claim(9)) == 1
    assert claim(9) == []


def test_a_task_without_a_known_length_gets_an_estimate_and_none_is_never_zero():
    """THR-761."""
    agent = make_agent(max_tpm=100)
    agent.current_version.input_tokens_per_page = 30
    agent.current_version.save()
    tasks = hand_in(agent, 20, pages=None)
    assert set(Task.objects.filter(pk__in=tasks).values_list("estimated_tokens", flat=True)) == {91}
    assert len(claim(20)) == 1
    agent = make_agent()
    agent.current_version.tokens_per_document = 0
    agent.current_version.save()
    (task,) = hand_in(agent, 1)
    assert Task.objects.get(pk=task).estimated_tokens == 1


@pytest.mark.parametrize("column", ["tokens", "output_tokens", "requests", "seconds"])
def test_the_database_refuses_an_estimate_of_nothing(column):
    """THR-761."""
    from django.db import IntegrityError, transaction

    tasks = hand_in(make_agent(), 1)
    with pytest.raises(IntegrityError, match="tasks_estimates_positive"), transaction.atomic():
        Task.objects.filter(pk__in=tasks).update(**{f"estimated_{column}": 0})


@pytest.mark.parametrize("seconds", [0.5, 6, 59, 61, 600])
def test_the_claim_counts_what_lingers_of_an_ended_attempt_by_the_formula(clock, seconds):
    agent = make_agent(max_tpm=1000)
    estimate(hand_in(agent, 1), 500)
    rows = claim(1)
    clock.forward(seconds)
    settle(rows)
    attempt = Attempt.objects.get()
    ran = (attempt.ended_at - attempt.started_at).total_seconds()
    for ago in (0, 1, 10, 20, 25, 10):
        clock.forward(ago)
        used = {row.holder: row.tpm for row in queue.rows(queue.connection(), "claim_count", agent=agent.pk)}
        since = (database_now() - attempt.ended_at).total_seconds()
        assert used.get("agent", 0.0) == pytest.approx(500 * lingering(ran, since), abs=2.0)


def test_all_budgets_of_agent_and_pool_hold_together_and_room_that_one_leaves_the_other_uses():
    pool = Pool.objects.create(name="account", max_concurrent_tasks=4, max_tpm=1000)
    one, two = make_agent(pool=pool, max_concurrent_tasks=3), make_agent(pool=pool, max_concurrent_tasks=3)
    estimate(hand_in(one, 9) + hand_in(two, 9), 100)
    rows = claim(20)
    assert sorted(row.agent_id for row in rows) == [one.pk] * 3 + [two.pk]
    settle([row for row in rows if row.agent_id == one.pk])
    set_agent(one, is_paused=True)
    assert [row.agent_id for row in claim(20)] == [two.pk] * 2


def test_an_attempt_counts_for_the_pool_that_it_was_started_in():
    old, new = (
        Pool.objects.create(name="old", max_concurrent_tasks=1),
        Pool.objects.create(name="new", max_concurrent_tasks=1),
    )
    one, two = make_agent(pool=old), make_agent(pool=old)
    hand_in(one, 1), hand_in(two, 1)
    assert len(claim(1)) == 1
    set_agent(one, pool=new)
    assert claim(9) == [], "the old pool is still full"
    hand_in(one, 1)
    assert [row.agent_id for row in claim(9)] == [one.pk]


# Reservation, through the database


def reserve(agent: Agent, clock: Clock, used: int = 50) -> tuple[list, int]:
    """An agent of 100 TPM with a long run under way and a larger task that has waited for too long: (running rows, task)."""
    estimate(hand_in(agent, 1), used, 60)
    running = claim(1)
    (large,) = hand_in(agent, 1)
    estimate([large], 90, 60)
    assert claim(9) == []
    clock.forward(299)
    estimate(hand_in(agent, 1), 10, 60)
    passing = claim(9)
    assert len(passing) == 1, "smaller ones pass for a while"
    clock.forward(2)
    estimate(hand_in(agent, 3), 5, 60)
    return running + passing, large


def test_nothing_passes_a_task_that_was_first_for_too_long_until_it_starts(clock):
    agent = make_agent(max_tpm=100)
    running, large = reserve(agent, clock)
    assert claim(9) == []
    hand_in(agent, 1, priority=Priority.URGENT)
    estimate(list(Task.objects.filter(priority=Priority.URGENT).values_list("pk", flat=True)), 5, 60)
    higher = claim(9)
    assert [Task.objects.get(pk=row.task_id).priority for row in higher] == [Priority.URGENT]
    clock.forward(200)
    settle(running + higher)
    assert claim(9) == [], "the provider's minute still counts what has just ended"
    clock.forward(61)
    assert large in {row.task_id for row in claim(9)}
    assert Task.objects.get(pk=large).blocked_since is None


def test_the_stamp_is_set_once_and_a_paused_client_keeps_nothing_free(clock):
    agent = make_agent(max_tpm=100)
    estimate(hand_in(agent, 1), 50, 60)
    claim(1)
    other = make_client()
    (large,) = hand_in(agent, 1, other)
    estimate([large], 90, 60)
    claim(9)
    stamped = Task.objects.get(pk=large).blocked_since
    assert stamped is not None
    clock.forward(400)
    claim(9)
    assert Task.objects.get(pk=large).blocked_since == stamped
    (small,) = hand_in(agent, 1)
    estimate([small], 5, 60)
    assert claim(9) == []
    type(other).objects.filter(pk=other.pk).update(is_paused=True)
    assert [row.task_id for row in claim(9)] == [small]


def pool_with_a_blocked_task(clock: Clock) -> tuple[Agent, Agent, int]:
    """A pool that another agent's task has waited for: (who is blocked, who would pass, the blocked task)."""
    pool = Pool.objects.create(name="account", max_tpm=100)
    blocked, passing = make_agent(pool=pool), make_agent(pool=pool)
    estimate(hand_in(passing, 1), 50, 60)
    claim(1)
    (large,) = hand_in(blocked, 1)
    estimate([large], 90, 60)
    assert claim(9) == []
    assert Task.objects.get(pk=large).blocked_by == "pool"
    clock.forward(301)
    estimate(hand_in(passing, 1), 5, 60)
    return blocked, passing, large


def test_a_pool_is_kept_free_for_the_task_of_another_agent(clock):
    _, passing, _ = pool_with_a_blocked_task(clock)
    assert claim(9) == []
    urgent = hand_in(passing, 1, priority=Priority.URGENT)
    estimate(urgent, 5, 60)
    assert [row.task_id for row in claim(9)] == urgent


@pytest.mark.parametrize("why", ["paused", "cooling", "client paused", "deferred", "nobody runs it"])
def test_a_pool_is_not_kept_free_for_what_could_not_start_anyway(clock, why):
    blocked, _, large = pool_with_a_blocked_task(clock)
    later = database_now() + timedelta(hours=1)
    if why == "paused":
        set_agent(blocked, is_paused=True)
    elif why == "cooling":
        set_agent(blocked, cooldown_until=later)
    elif why == "client paused":
        other = make_client(is_paused=True)
        Task.objects.filter(pk=large).update(client=other)
    elif why == "deferred":
        Task.objects.filter(pk=large).update(deferred=True, available_at=later)
    else:
        set_agent(blocked, executor="elsewhere")
    assert len(claim(9)) == 1


# Who is full stops nobody else


@pytest.mark.parametrize(
    "why",
    ["at its limit", "paused", "no tokens", "client paused", "pool full", "cooling", "too large for now"],
)
def test_a_full_agents_backlog_never_hides_another_agents_task(why):
    """DEQ-285: on the first look, with a look-ahead far shorter than the backlog."""
    pool = Pool.objects.create(name="account", max_concurrent_tasks=1)
    limits = {
        "at its limit": {"max_concurrent_tasks": 1}, "no tokens": {"max_tpm": 100}, "pool full": {"pool": pool},
        "too large for now": {"max_tpm": 100},
    }.get(why, {})  # fmt: skip
    full, other = make_agent(**limits), make_agent()
    busy = hand_in(full, 51)
    estimate(busy, 100 if why == "no tokens" else 60, 60)
    if limits:
        assert len(claim(1)) == 1
    if why == "paused":
        set_agent(full, is_paused=True)
    if why == "cooling":
        set_agent(full, cooldown_until=database_now() + timedelta(minutes=1))
    client = make_client()
    mine = hand_in(other, 1, client)
    if why == "client paused":
        type(client).objects.exclude(pk=client.pk).update(is_paused=True)
        mine += hand_in(full, 1, client)
    assert {row.task_id for row in claim(3, look_ahead=5)} == set(mine)


def test_the_heads_of_other_agents_come_before_lower_work_of_the_first(clock):
    """An urgent task is not stuck behind bulk work that happens to stand behind an urgent task of another agent."""
    one, two = make_agent(), make_agent()
    urgent = hand_in(one, 1, priority=Priority.URGENT)
    bulk = hand_in(one, 5, priority=Priority.BULK)
    urgent += hand_in(two, 1, priority=Priority.URGENT)
    assert [row.task_id for row in claim(2)] == urgent
    bulk += hand_in(two, 5, priority=Priority.BULK)
    assert {row.task_id for row in claim(20)} == set(bulk)


def test_an_agent_that_cannot_start_its_urgent_task_does_not_hold_up_the_others(clock):
    stuck, free = make_agent(max_tpm=100), make_agent()
    estimate(hand_in(stuck, 1), 50, 60)
    claim(1)
    estimate(hand_in(stuck, 1, priority=Priority.URGENT), 90, 60)
    bulk = hand_in(free, 3, priority=Priority.BULK)
    assert [row.task_id for row in claim(9)] == bulk


# Cool-down


@pytest.mark.parametrize("of_pool", [False, True])
def test_a_429_lets_nothing_start_until_retry_after_and_then_gently(clock, of_pool):
    """THR-222: nobody comes back before 60 s, all spread out after it, and what waits is not sent into the same wall."""
    pool = Pool.objects.create(name="account") if of_pool else None
    agent = make_agent(pool=pool)
    other = make_agent(pool=pool)
    hand_in(agent, 60)
    running = claim(30)
    turned_away = [failed(row.attempt_id, Code.RATE_LIMITED, retry_after=60.0) for row in running]
    events.apply(queue.connection(), turned_away)
    holder = Pool.objects.get(pk=pool.pk) if pool else Agent.objects.get(pk=agent.pk)
    begun = database_now()
    assert 59 <= (holder.cooldown_until - begun).total_seconds() <= 60
    waits = [
        (at - begun).total_seconds()
        for at in Task.objects.filter(deferred=True).values_list("available_at", flat=True)
    ]
    assert len(waits) == 30
    assert min(waits) >= 59.5
    assert max(waits) - min(waits) >= 12, "spread over a fifth of the wait"
    if of_pool:
        hand_in(other, 5)
    assert claim(99) == []
    clock.forward(59)
    queue.promote_due(queue.connection())
    assert claim(99) == []
    clock.forward(1.5)
    starts = []
    for _ in range(4):
        starts.append(len(claim(99)))
        clock.forward(10)
    assert starts == [1, 1, 2, 4]


def test_a_repeated_or_late_429_cools_nothing_down_again(clock):
    agent = make_agent()
    hand_in(agent, 1)
    (row,) = claim(1)
    event = failed(row.attempt_id, Code.RATE_LIMITED, retry_after=5.0)
    events.apply(queue.connection(), [event])
    until = Agent.objects.get(pk=agent.pk).cooldown_until
    clock.forward(600)
    events.apply(queue.connection(), [event])
    assert Agent.objects.get(pk=agent.pk).cooldown_until == until


def test_waits_after_a_429_are_never_shorter_than_asked_and_spread_by_more_than_a_fifth():
    """THR-222, by the formula alone."""
    waits = [backoff(1, luck / 100, 60.0) for luck in range(101)]
    assert min(waits) >= 60.0
    assert max(waits) >= 72.0
    assert all(later > sooner for sooner, later in itertools.pairwise(waits))


# What a claim costs


def round_trips(db, action) -> int:
    """How often the client waits for the server while it does something: it has sent, and the server's answer comes."""
    with tempfile.NamedTemporaryFile("r") as file:
        db.pgconn.trace(os.open(file.name, os.O_WRONLY))
        db.pgconn.set_trace_flags(pq.Trace.SUPPRESS_TIMESTAMPS | pq.Trace.REGRESS_MODE)
        action()
        db.pgconn.untrace()
        senders = [line[0] for line in file.read().splitlines() if line[:1] in ("F", "B")]
    return sum(before + after == "FB" for before, after in itertools.pairwise(senders))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("limits", [{}, {"max_concurrent_tasks": 50, "max_tpm": 10**9}])
def test_a_claim_is_a_transaction_of_two_round_trips(limits):
    """Lock, count and look in one; take and commit in the other. Before it: whom to heed, and the heads."""
    agent = make_agent(**limits)
    hand_in(agent, 20)
    with session() as db:
        db.prepare_threshold = 0
        terms = claims.Terms(new_worker(), 60.0)
        for _ in range(2):
            claims.claim(db, terms, ["local"], 1)
        assert round_trips(db, lambda: claims.claim(db, terms, ["local"], 1)) == 4


# A backlog


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_an_urgent_task_behind_a_hundred_thousand_bulk_tasks_starts_at_the_next_free_slot():
    agent = make_agent(max_concurrent_tasks=2)
    (first,) = hand_in(agent, 1, priority=Priority.BULK)
    with session() as db:
        db.execute(
            """INSERT INTO tasks (extraction_id, document_id, client_id, agent_id, agent_version_id, priority, start_key, created_at,
                 enqueued_at, available_at)
               SELECT extraction_id, document_id, client_id, agent_id, agent_version_id, 0, start_key + i, created_at, enqueued_at, available_at
               FROM tasks, generate_series(1, 100000) i WHERE id = %s""",
            (first,),
        )
        db.execute("ANALYZE tasks")
    rows = claim(2)
    (urgent,) = hand_in(agent, 1, priority=Priority.URGENT)
    assert claim(2) == []
    settle(rows[:1])
    assert [row.task_id for row in claim(2)] == [urgent]
