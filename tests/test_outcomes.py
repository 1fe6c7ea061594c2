"""The rule book for the end of an attempt, one property per test; over every combination of facts where that is cheap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.agent.contract import Code
from tasks.outcomes import (
    BACKOFF_MOST_SECONDS,
    BACKOFF_SECONDS,
    MAX_RATE_LIMITED,
    MAX_RELEASED,
    Answer,
    AttemptFacts,
    Decision,
    TaskFacts,
    Word,
    backoff,
    decide,
)
from tasks.states import LIVE, TASK_TRANSITIONS, TERMINAL, AttemptStatus, TaskStatus

ONE, OTHER, SWEEPER = UUID(int=1), UUID(int=2), UUID(int=3)
ENDS = sorted(set(AttemptStatus) - LIVE - {AttemptStatus.SUPERSEDED})
RESULT = Answer(AttemptStatus.COMPLETED, True)
FAILURES = [
    Answer(status, True, code, "why", retryable)
    for status, code in (
        (AttemptStatus.FAILED, Code.CRASHED),
        (AttemptStatus.FAILED, Code.RATE_LIMITED),
        (AttemptStatus.TIMEOUT, Code.TIMEOUT),
        (AttemptStatus.CANCELLED, Code.CANCELLED),
        (AttemptStatus.LOST, Code.LOST),
        (AttemptStatus.RELEASED, Code.RELEASED),
    )
    for retryable in (True, False)
]


def task(status: TaskStatus = TaskStatus.PROCESSING, **facts) -> TaskFacts:
    return TaskFacts(**{"id": 1, "status": status, "generation": 1, "current_attempt": ONE, **facts})


def attempt(status: AttemptStatus = AttemptStatus.RUNNING, **facts) -> AttemptFacts:
    return AttemptFacts(**{"id": ONE, "generation": 1, "status": status, **facts})


def everything(answers: list[Answer]) -> Iterator[tuple[TaskFacts, AttemptFacts, Answer, Decision]]:
    """Every combination of facts that differ in kind, with what is decided."""
    for status, generation, current, burnt, released, timeouts, cancel in product(
        TaskStatus, (1, 2), (ONE, OTHER, None), (0, 2), (0, MAX_RELEASED), (0, 1), (False, True)
    ):
        if (status == TaskStatus.PROCESSING and current is None) or (
            cancel and status != TaskStatus.PROCESSING
        ):
            continue
        facts = TaskFacts(1, status, generation, current, burnt, released, 3, timeouts, cancel)
        for state, answer in product(AttemptStatus, answers):
            of = AttemptFacts(ONE, 1, state, error_code=answer.code if state == answer.status else "")
            yield facts, of, answer, decide(facts, of, answer, 0.5)


# Results


@pytest.mark.parametrize("status", [TaskStatus.PROCESSING, TaskStatus.ENQUEUED, TaskStatus.FAILED])
@pytest.mark.parametrize("current", [ONE, OTHER])
@pytest.mark.parametrize("state", sorted(set(AttemptStatus) - {"completed", "superseded"}))
def test_the_first_valid_result_wins_from_any_attempt_however_late(status, current, state):
    decision = decide(task(status, current_attempt=current), attempt(state), RESULT, 0.5)
    assert (decision.word, decision.task_status, decision.attempt_status) == (
        Word.APPLIED,
        TaskStatus.COMPLETED,
        AttemptStatus.COMPLETED,
    )
    assert not decision.error_code


def test_a_result_never_moves_a_cancelled_or_completed_task():
    for facts, _of, _answer, decision in everything([RESULT]):
        if facts.status in (TaskStatus.CANCELLED, TaskStatus.COMPLETED):
            assert decision.task_status is None
            assert decision.word != Word.APPLIED


def test_a_result_of_an_older_generation_never_moves_the_task():
    for facts, of, _answer, decision in everything([RESULT]):
        if facts.generation != of.generation:
            assert decision.task_status is None


def test_a_result_that_comes_twice_is_told_that_it_did():
    for facts, of, _answer, decision in everything([RESULT]):
        if of.status == AttemptStatus.COMPLETED:
            assert (decision.word, decision.task_status) == (Word.DUPLICATE, None), facts


def test_a_result_wins_over_a_wish_to_cancel():
    decision = decide(task(cancel_requested=True), attempt(), RESULT, 0.5)
    assert decision.task_status == TaskStatus.COMPLETED


def test_a_result_after_an_operator_declared_the_attempt_ended_changes_nothing():
    for status in TaskStatus:
        for state in AttemptStatus:
            decision = decide(task(status), attempt(state, declared=True), RESULT, 0.5)
            assert (decision.task_status, decision.attempt_status) == (None, state)


# Failures


def test_a_failure_of_an_attempt_that_is_not_current_is_only_recorded():
    for facts, of, answer, decision in everything(FAILURES):
        if facts.current_attempt == of.id and facts.generation == 1 and facts.status == TaskStatus.PROCESSING:
            continue
        assert decision.task_status is None, (facts, of, answer)
        assert (decision.burnt, decision.released, decision.timeouts) == (0, 0, 0)
        assert decision.attempt_status == (answer.status if of.status in LIVE else of.status)


def test_an_attempt_that_has_ended_is_not_ended_again():
    for facts, of, answer, decision in everything(FAILURES):
        if of.status not in LIVE:
            assert decision.task_status is None, (facts, of, answer)
            assert decision.attempt_status == of.status
            assert decision.keeps_error


def test_a_failure_of_the_current_attempt_always_moves_its_task_on():
    """A processing task whose current attempt has ended would stay so for ever."""
    for facts, of, answer, decision in everything(FAILURES):
        if facts.status == TaskStatus.PROCESSING and facts.current_attempt == of.id and facts.generation == 1:
            moved = decision.task_status in TERMINAL | {TaskStatus.ENQUEUED}
            assert moved == (of.status in LIVE), (facts, of, answer)


def test_a_terminal_task_is_moved_by_nothing_but_a_late_result():
    for facts, of, answer, decision in everything([RESULT, *FAILURES]):
        if facts.status in TERMINAL and decision.task_status is not None:
            assert answer is RESULT and facts.status == TaskStatus.FAILED, (facts, of)


def test_every_decision_is_a_legal_transition():
    for facts, of, answer, decision in everything([RESULT, *FAILURES]):
        if decision.task_status is not None:
            assert decision.task_status in TASK_TRANSITIONS[facts.status], (facts, of, answer)


def test_a_permanent_failure_fails_at_once():
    decision = decide(
        task(), attempt(), Answer(AttemptStatus.FAILED, True, Code.CORRUPT, "Damaged.", False), 0.5
    )
    assert (decision.task_status, decision.burnt, decision.error_code) == (TaskStatus.FAILED, 1, Code.CORRUPT)


def test_a_cancel_wins_over_every_failure():
    for facts, of, answer, decision in everything(FAILURES):
        if facts.cancel_requested and decision.task_status is not None:
            assert decision.task_status == TaskStatus.CANCELLED, (facts, of, answer)


def test_a_contradiction_is_kept_as_evidence():
    told_failed = attempt(AttemptStatus.FAILED, error_code=Code.CRASHED)
    assert decide(task(TaskStatus.FAILED), told_failed, RESULT, 0.5).conflict
    told_done = attempt(AttemptStatus.COMPLETED)
    assert decide(task(TaskStatus.COMPLETED), told_done, FAILURES[0], 0.5).conflict
    other_reason = replace(FAILURES[0], code=Code.CORRUPT)
    assert decide(task(TaskStatus.FAILED), told_failed, other_reason, 0.5).conflict


def test_what_others_concluded_is_no_contradiction():
    """A lost attempt that speaks after all contradicts nobody: it never said anything else."""
    for state in (
        AttemptStatus.LOST,
        AttemptStatus.TIMEOUT,
        AttemptStatus.SUPERSEDED,
        AttemptStatus.CANCELLED,
    ):
        assert not decide(task(), attempt(state), RESULT, 0.5).conflict
        assert not decide(task(), attempt(state), FAILURES[0], 0.5).conflict


def test_a_conclusion_from_a_lease_that_was_lost_changes_nothing():
    for facts, of, answer, _decision in everything(FAILURES):
        stale = decide(replace(facts, lease_owner=OTHER), of, replace(answer, holder=SWEEPER), 0.5)
        assert (stale.word, stale.task_status, stale.attempt_status) == (Word.STALE, None, of.status)


def test_a_conclusion_from_a_lease_that_is_held_counts():
    lost = Answer(AttemptStatus.LOST, False, Code.LOST, "", True, holder=SWEEPER)
    assert decide(task(lease_owner=SWEEPER), attempt(), lost, 0.5).task_status == TaskStatus.ENQUEUED


# Counting


@pytest.mark.parametrize("most", [1, 2, 3, 7])
@pytest.mark.parametrize("status", [AttemptStatus.FAILED, AttemptStatus.LOST, AttemptStatus.CANCELLED])
def test_burnt_attempts_are_counted_however_they_were_burnt(most, status):
    answer, facts, tries = Answer(status, True, Code.CRASHED, "", True), task(max_attempts=most), 0
    while facts.status == TaskStatus.PROCESSING:
        tries += 1
        decision = decide(facts, attempt(), answer, 0.5)
        again = decision.task_status == TaskStatus.ENQUEUED
        facts = replace(
            facts,
            attempts_burnt=facts.attempts_burnt + decision.burnt,
            status=TaskStatus.PROCESSING if again else decision.task_status,
        )
    assert (facts.status, tries) == (TaskStatus.FAILED, most)


def test_released_attempts_are_not_burnt_three_times_and_then_they_are():
    released, facts, burnt = Answer(AttemptStatus.RELEASED, True, Code.RELEASED), task(), []
    for _ in range(MAX_RELEASED + 1):
        decision = decide(facts, attempt(), released, 0.5)
        burnt.append(decision.burnt)
        assert decision.task_status == TaskStatus.ENQUEUED
        facts = replace(facts, attempts_released=facts.attempts_released + decision.released)
    assert burnt == [0, 0, 0, 1]
    assert facts.attempts_released == MAX_RELEASED == 3


def test_what_goes_back_because_its_worker_could_read_nothing_never_counts():
    unread = Answer(AttemptStatus.RELEASED, True, Code.STORAGE, "no document is here")
    decision = decide(task(attempts_released=MAX_RELEASED), attempt(), unread, 0.5)
    assert decision.task_status == TaskStatus.ENQUEUED
    assert (decision.burnt, decision.released) == (0, 0)


def test_a_released_task_waits_for_nothing():
    assert decide(task(), attempt(), Answer(AttemptStatus.RELEASED, True), 0.9).wait_seconds == 0


def test_the_second_timeout_fails_with_advice_however_many_attempts_are_left():
    late = Answer(AttemptStatus.TIMEOUT, True, Code.TIMEOUT, "Stopped after 30 minutes.", True)
    assert decide(task(max_attempts=9), attempt(), late, 0.5).task_status == TaskStatus.ENQUEUED
    second = decide(task(max_attempts=9, timeouts=1, attempts_burnt=1), attempt(), late, 0.5)
    assert second.task_status == TaskStatus.FAILED
    assert second.error_message.startswith("Stopped after 30 minutes.")
    assert "raise the agent's longest run" in second.error_message


def test_what_a_provider_turned_away_is_not_burnt_but_does_not_go_on_for_ever():
    turned_away = Answer(AttemptStatus.FAILED, True, Code.RATE_LIMITED, "", True, retry_after=1)
    patient = decide(task(max_attempts=1), attempt(), turned_away, 0.5)
    assert (patient.task_status, patient.burnt) == (TaskStatus.ENQUEUED, 0)
    last = decide(task(max_attempts=1, attempts_made=MAX_RATE_LIMITED), attempt(), turned_away, 0.5)
    assert (last.task_status, last.burnt) == (TaskStatus.FAILED, 1)


# Waiting


@given(failures=st.integers(0, 40_000), luck=st.floats(0, 1))
def test_backoff_stays_in_its_bounds(failures, luck):
    most = min(BACKOFF_MOST_SECONDS, BACKOFF_SECONDS * 2 ** min(max(failures - 1, 0), 30))
    assert 0 <= backoff(failures, luck) <= most


@given(failures=st.integers(1, 40_000))
def test_backoff_has_full_jitter(failures):
    """Every wait from nothing to the bound is as likely, so that rivals do not come back together."""
    most = backoff(failures, 1)
    assert backoff(failures, 0) == 0
    assert backoff(failures, 0.25) == pytest.approx(most / 4)
    assert (
        most == backoff(failures + 1, 1) == BACKOFF_MOST_SECONDS
        or backoff(failures + 1, 1) == 2 * most
        or (backoff(failures + 1, 1) == BACKOFF_MOST_SECONDS)
    )


@given(failures=st.integers(1, 30), wish=st.floats(1, 86_400), luck=st.floats(0, 1))
def test_what_the_upstream_asked_for_wins_and_is_spread_by_a_fifth_at_least(failures, wish, luck):
    assert wish <= backoff(failures, luck, wish)
    assert backoff(failures, 1, wish) - backoff(failures, 0, wish) >= 0.2 * wish


def test_an_upstream_that_asks_for_nothing_still_spreads_its_callers():
    assert backoff(1, 1, 0.0) > backoff(1, 0, 0.0)


def test_a_retry_waits_as_long_as_it_was_told_to():
    told = Answer(AttemptStatus.FAILED, True, Code.RATE_LIMITED, "", True, retry_after=60)
    waits = [decide(task(), attempt(), told, luck / 10).wait_seconds for luck in range(11)]
    assert min(waits) >= 60
    assert max(waits) - min(waits) >= 12
    assert waits == sorted(set(waits))


def test_an_end_that_says_nothing_new_leaves_everything_as_it_is():
    for facts, of, _answer, decision in everything([Answer(None, True)]):
        assert (decision.task_status, decision.attempt_status) == (None, of.status), facts
