"""What may start now, decided without a database: every rule of DESIGN §5 by itself, and all of them under random lines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.admission import (
    Budget,
    Limits,
    Purse,
    Purses,
    Rates,
    Reserved,
    Waiting,
    admit,
    gentle,
    lingering,
    projected,
)

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
AFTER = timedelta(seconds=300)
BULK, NORMAL, URGENT = 0, 10, 30
UNLIMITED = Limits()


def agent(*, running: int = 0, used: float = 0.0, name: str = "agent", **limits: int | None) -> Budget:
    return Budget(name, Limits(**limits), running, Rates(used, used, used))


def pool(**fields: float | int | None) -> Budget:
    return agent(name="pool", **fields)


def task(
    number: int, tpm: float = 1.0, priority: int = NORMAL, *, blocked: float | None = None, **fields
) -> Waiting:
    """`blocked`: so many seconds ago it was first in order and did not fit."""
    since = None if blocked is None else NOW - timedelta(seconds=blocked)
    return Waiting(
        number,
        priority,
        Rates(tpm, tpm, tpm),
        blocked_since=since,
        blocked_by="agent" if since else "",
        **fields,
    )


def started(waiting, *budgets, slots: int = 100, **options) -> list[int]:
    return [one.id for one in admit(waiting, budgets, slots, NOW, AFTER, **options).admitted]


# Rates


def test_a_short_task_uses_its_whole_minute():
    assert projected(10_000, 1_000, 3, 6.0) == Rates(10_000, 1_000, 3)


def test_a_long_task_spreads_its_tokens_over_its_minutes():
    assert projected(10_000, 1_000, 5, 300.0) == Rates(2_000, 200, 1)


def test_ten_thousand_tokens_of_six_seconds_start_six_at_a_time_under_sixty_thousand():
    rates = projected(10_000, 1, 1, 6.0)
    line = [Waiting(number, NORMAL, rates) for number in range(60)]
    assert started(line, agent(max_tpm=60_000)) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(("seconds", "ago", "share"), [
    (6, 0, 1), (6, 53.9, 1), (6, 57, 0.5), (6, 60, 0), (60, 0, 1), (60, 30, 0.5), (600, 0, 1), (600, 45, 0.25), (600, 61, 0), (0, 59, 1), (0, 60, 0),
])  # fmt: skip
def test_an_ended_attempt_holds_what_the_last_minute_still_counts_of_it(seconds, ago, share):
    assert lingering(seconds, ago) == pytest.approx(share)


# Limits


def test_without_limits_the_slots_decide():
    assert started([task(number) for number in range(9)], agent(), slots=4) == [0, 1, 2, 3]


def test_no_slots_start_nothing():
    assert started([task(1)], agent(), slots=0) == []


def test_concurrency_and_tokens_hold_together_the_stricter_first():
    line = [task(number, 10) for number in range(9)]
    assert len(started(line, agent(max_concurrent_tasks=3, max_tpm=1000))) == 3
    assert len(started(line, agent(max_concurrent_tasks=100, max_tpm=45))) == 4


def test_what_runs_counts():
    assert started([task(number) for number in range(9)], agent(max_concurrent_tasks=3, running=2)) == [0]
    assert started([task(1), task(2)], agent(max_concurrent_tasks=3, running=7)) == []
    assert started([task(number, 10) for number in range(9)], agent(max_tpm=100, used=75)) == [0, 1]


@pytest.mark.parametrize("kind", ["max_tpm", "max_output_tpm", "max_requests_per_minute"])
def test_each_kind_of_rate_is_a_limit_of_its_own(kind):
    assert started([task(1, 40), task(2, 40), task(3, 40)], agent(**{kind: 100})) == [1, 2]


def test_nothing_is_taken_unless_agent_and_pool_both_have_room():
    line = [task(number, 10) for number in range(9)]
    assert len(started(line, agent(max_tpm=100), pool(max_tpm=30))) == 3
    assert len(started(line, agent(max_tpm=30), pool(max_tpm=100))) == 3
    assert len(started(line, agent(), pool(max_concurrent_tasks=4, running=2))) == 2


def test_room_that_another_agent_leaves_in_the_pool_is_usable():
    line = [task(number, 10) for number in range(9)]
    assert len(started(line, agent(), pool(max_tpm=100, used=80))) == 2
    assert len(started(line, agent(), pool(max_tpm=100, used=20))) == 8


# Over-sized


def test_an_over_sized_task_starts_when_nothing_else_uses_the_budget_and_then_alone():
    line = [task(1, 500), task(2, 1)]
    assert started(line, agent(max_tpm=100)) == [1]
    assert started(line, agent(max_tpm=100, used=1)) == [2]


def test_an_over_sized_task_of_a_pool_waits_for_the_other_agents_of_it():
    assert started([task(1, 500)], agent(), pool(max_tpm=100, used=1)) == []
    assert started([task(1, 500)], agent(), pool(max_tpm=100)) == [1]


def test_an_over_sized_task_is_never_starved_by_small_ones():
    """A small task is always there to take the room; the reservation keeps them out until the large one is alone."""
    line = [task(1, 500, blocked=300), *(task(number, 1) for number in range(2, 50))]
    assert started(line, agent(max_tpm=100, used=99)) == []
    assert started(line, agent(max_tpm=100, used=0)) == [1]


# Reservation


def test_the_first_that_does_not_fit_is_stamped_and_smaller_ones_pass_it():
    admission = admit([task(1, 5), task(2, 90), task(3, 5)], [agent(max_tpm=50)], 9, NOW, AFTER)
    assert [one.id for one in admission.admitted] == [1, 3]
    assert (admission.block, admission.blocked_by) == (2, "agent")


def test_only_the_first_one_is_stamped_and_only_once():
    line = [task(1, 90), task(2, 80), task(3, 5)]
    assert admit(line, [agent(max_tpm=50, used=1)], 9, NOW, AFTER).block == 1
    line[0] = task(1, 90, blocked=10)
    assert admit(line, [agent(max_tpm=50, used=1)], 9, NOW, AFTER).block is None


def test_what_waits_only_for_a_free_place_is_not_stamped():
    """Every task takes one place: the next in order gets the next one, there is nothing to keep free."""
    assert admit([task(1), task(2)], [agent(max_concurrent_tasks=1)], 9, NOW, AFTER).block is None
    assert admit([task(1)], [agent(max_concurrent_tasks=1, running=1)], 9, NOW, AFTER).block is None


def test_once_reserve_after_is_over_none_of_the_same_or_a_lower_level_passes():
    small = [task(2, 5), task(3, 5, BULK)]
    for blocked, passing in ((299.9, [2, 3]), (300, [])):
        assert started([task(1, 90, blocked=blocked), *small], agent(max_tpm=100, used=20)) == passing


def test_higher_levels_always_pass_a_reservation():
    line = [task(2, 5, URGENT), task(1, 90, blocked=900), task(3, 5)]
    assert started(line, agent(max_tpm=100, used=20)) == [2]


def test_a_reservation_ends_with_its_task_and_the_rest_goes_on():
    line = [task(1, 80, blocked=900), task(2, 5), task(3, 5)]
    assert started(line, agent(max_tpm=100)) == [1, 2, 3]


def test_a_reservation_holds_though_others_were_put_before_it_since():
    line = [task(2, 5), task(3, 5), task(1, 90, blocked=900)]
    assert started(line, agent(max_tpm=100, used=20)) == []
    assert started(line, agent(max_tpm=100)) == [1, 2, 3]


def test_of_one_level_one_holds_the_reservation_and_the_next_is_stamped_after_it():
    line = [task(2, 80), task(1, 90, blocked=10)]
    assert admit(line, [agent(max_tpm=100, used=50)], 9, NOW, AFTER).block is None
    assert admit(line[:1], [agent(max_tpm=100, used=50)], 9, NOW, AFTER).block == 2


def test_a_higher_level_gets_a_reservation_of_its_own_though_a_lower_one_holds_one():
    """Else the small tasks of the higher level, which pass the lower reservation, would starve the large one among them."""
    line = [task(2, 80, URGENT), task(3, 5, URGENT), task(1, 90, BULK, blocked=900)]
    admission = admit(line, [agent(max_tpm=100, used=50)], 9, NOW, AFTER)
    assert (admission.block, [one.id for one in admission.admitted]) == (2, [3])
    line[0] = task(2, 80, URGENT, blocked=900)
    assert started(line, agent(max_tpm=100, used=50)) == []
    assert started(line, agent(max_tpm=100)) == [2, 3]


def test_that_the_pool_is_too_small_as_well_is_added_to_a_stamp():
    line = [task(1, 90, blocked=10)]
    admission = admit(line, [agent(max_tpm=100, used=50), pool(max_tpm=100, used=50)], 9, NOW, AFTER)
    assert (admission.block, admission.blocked_by) == (1, "pool")
    line = [replace(line[0], blocked_by="pool")]
    assert admit(line, [agent(max_tpm=100, used=50), pool(max_tpm=100, used=50)], 9, NOW, AFTER).block is None


def test_who_is_blocked_by_the_pool_says_so():
    admission = admit([task(1, 90)], [agent(max_tpm=1000), pool(max_tpm=100, used=50)], 9, NOW, AFTER)
    assert (admission.block, admission.blocked_by) == (1, "pool")


def test_a_reservation_of_another_agent_keeps_the_pool_free_up_to_its_level():
    line = [task(1, 1, URGENT), task(2, 1, NORMAL), task(3, 1, BULK)]
    assert started(line, agent(), pool(max_tpm=100), elsewhere=Reserved(NORMAL)) == [1]
    assert started(line, agent(), pool(max_tpm=100), elsewhere=Reserved(BULK)) == [1, 2]
    assert admit(line[1:], [agent(), pool(max_tpm=100)], 9, NOW, AFTER, Reserved(NORMAL)).block is None


def test_the_number_of_slots_limits_what_is_admitted_not_what_is_looked_at():
    line = [*(task(number, 90) for number in range(50)), task(99, 5)]
    assert started(line, agent(max_tpm=100, used=50), slots=1) == [99]


# Money


def test_what_the_purse_does_not_pay_for_is_left_out_and_the_rest_goes_on():
    line = [task(1, usd=Decimal("0.40")), task(2, usd=Decimal("0.30")), task(3, usd=Decimal("0.10"))]
    admission = admit(line, [], 9, NOW, AFTER, purses=Purses(Purse(Decimal("0.5"))))
    assert [one.id for one in admission.admitted] == [1, 3]
    assert [one.id for one in admission.too_dear] == [2]


def test_a_purse_is_spent_to_the_cent_and_an_empty_one_pays_for_nothing():
    line = [task(number, usd=Decimal("0.25")) for number in range(9)]
    assert started(line, purses=Purses(Purse(Decimal("1.00")))) == [0, 1, 2, 3]
    assert started([task(1)], purses=Purses(Purse(Decimal(0)))) == []
    assert started([task(1)], purses=Purses(Purse(Decimal("-0.01")))) == []


def test_each_client_has_a_purse_of_its_own():
    line = [task(1, client_id=1), task(2, client_id=2, usd=Decimal(3)), task(3, client_id=3, usd=Decimal(3))]
    purses = Purses(None, {1: Purse(Decimal(0)), 2: Purse(Decimal(2))})
    assert started(line, purses=purses) == [3]


def test_what_cannot_be_paid_for_neither_reserves_nor_blocks():
    line = [task(1, 90, blocked=900, usd=Decimal(9)), task(2, 60, usd=Decimal(1)), task(3, 5, usd=Decimal(1))]
    admission = admit(line, [agent(max_tpm=100, used=50)], 9, NOW, AFTER, purses=Purses(Purse(Decimal(5))))
    assert ([one.id for one in admission.admitted], admission.block) == ([3], 2)


# Levels of other agents


def test_lower_levels_are_left_for_a_later_look():
    line = [task(1, 1, URGENT), task(2, 1, NORMAL), task(3, 1, BULK)]
    admission = admit(line, [], 9, NOW, AFTER, least_priority=NORMAL)
    assert ([one.id for one in admission.admitted], admission.below) == ([1, 2], True)
    assert not admit(line[:2], [], 9, NOW, AFTER, least_priority=NORMAL).below


# Gentle return


@pytest.mark.parametrize(
    ("seconds", "most"), [(0, 1), (9.9, 1), (10, 2), (25, 4), (45, 16), (59, 20), (500, 20)]
)
def test_after_a_cool_down_few_start_at_first_and_twice_as_many_every_ten_seconds(seconds, most):
    limits = gentle(Limits(max_concurrent_tasks=20, max_tpm=7), NOW - timedelta(seconds=seconds), NOW)
    assert limits == Limits(max_concurrent_tasks=most, max_tpm=7)


def test_without_limits_a_return_is_gentle_too_and_ends():
    assert gentle(UNLIMITED, NOW, NOW).max_concurrent_tasks == 1
    assert gentle(UNLIMITED, NOW - timedelta(seconds=121), NOW) == UNLIMITED
    assert gentle(UNLIMITED, None, NOW) == UNLIMITED


# All of it, under random lines

RATES = st.floats(0.5, 300.0)
MAYBE = st.one_of(st.none(), st.integers(1, 200))
LIMITS = st.builds(Limits, st.one_of(st.none(), st.integers(1, 6)), MAYBE, MAYBE, MAYBE)
TASKS = st.lists(
    st.builds(
        lambda tpm, output, rpm, priority, blocked, usd: Waiting(
            0, priority, Rates(tpm, output, rpm), blocked % 3 if blocked else 0,
            NOW - timedelta(seconds=blocked) if blocked else None, "agent" if blocked else "", Decimal(usd) / 100,
        ),
        RATES, RATES, RATES, st.sampled_from([BULK, NORMAL, URGENT]), st.one_of(st.none(), st.integers(1, 900)), st.integers(0, 300),
    ),
    max_size=25,
).map(lambda line: sorted((replace(one, id=i) for i, one in enumerate(line)), key=lambda one: -one.priority))  # fmt: skip


def breaks(limits: Limits, held: list[Rates]) -> bool:
    """Whether these together are above a limit, other than one over-sized alone."""
    if limits.max_concurrent_tasks is not None and len(held) > limits.max_concurrent_tasks:
        return True
    for kind, limit in zip(("tpm", "output_tpm", "rpm"), limits.rates(), strict=True):
        if (
            limit is not None
            and len(held) > 1
            and sum(getattr(one, kind) for one in held) > limit * (1 + 1e-6)
        ):
            return True
    return False


@settings(max_examples=300, deadline=None)
@given(TASKS, LIMITS, LIMITS, st.integers(0, 12), st.integers(0, 500))
def test_never_above_a_budget_but_one_over_sized_alone(line, of_agent, of_pool, slots, cents):
    purses = Purses(Purse(Decimal(cents) / 100), {1: Purse(Decimal(cents) / 200)})
    admission = admit(
        line, [Budget("agent", of_agent), Budget("pool", of_pool)], slots, NOW, AFTER, purses=purses
    )
    rates = [one.rates for one in admission.admitted]
    assert not breaks(of_agent, rates) and not breaks(of_pool, rates)
    assert len(rates) <= slots
    assert len({one.id for one in admission.admitted}) == len(rates)
    assert sum(one.usd for one in admission.admitted) <= Decimal(cents) / 100
    assert sum(one.usd for one in admission.admitted if one.client_id == 1) <= Decimal(cents) / 200


@settings(max_examples=300, deadline=None)
@given(TASKS, LIMITS)
def test_nothing_of_the_same_or_a_lower_level_passes_a_due_reservation(line, limits):
    admission = admit(line, [Budget("agent", limits)], 25, NOW, AFTER)
    ids = {one.id for one in admission.admitted}
    for due in line:
        if due.blocked_since and due.blocked_since + AFTER <= NOW and due.id not in ids:
            passing = [one for one in admission.admitted if one.priority <= due.priority]
            earlier = [one for one in passing if one.blocked_since and one.blocked_since + AFTER <= NOW]
            assert passing == earlier, "only another due reservation may come before it"


@dataclass
class Held:
    rates: Rates
    until: int


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(RATES, st.integers(1, 20)), min_size=1, max_size=30), LIMITS, st.integers(1, 10))
def test_whatever_comes_and_goes_every_task_starts_and_no_budget_is_ever_exceeded(work, limits, slots):
    """Rounds of one minute each; a task with a stamp starts at the latest RESERVE_AFTER and the longest run after it."""
    line = {i: Waiting(i, NORMAL, Rates(rate, rate, rate)) for i, (rate, _) in enumerate(work)}
    held: list[Held] = []
    longest = max(run for _, run in work)
    for minute in range(30 * (longest + 6)):
        now = NOW + timedelta(minutes=minute)
        held = [one for one in held if one.until > minute]
        used = sum((one.rates for one in held), Rates())
        budget = Budget("agent", limits, len(held), used)
        admission = admit(list(line.values()), [budget], slots, now, AFTER)
        if admission.block is not None:
            line[admission.block] = replace(line[admission.block], blocked_since=now, blocked_by="agent")
        for one in admission.admitted:
            if one.blocked_since:
                assert now - one.blocked_since <= AFTER + timedelta(minutes=longest)
            held.append(Held(one.rates, minute + work[one.id][1]))
            del line[one.id]
        assert not breaks(limits, [one.rates for one in held])
        if not line:
            return
    raise AssertionError(f"never started: {line}")
