"""Every interleaving of what may happen to one task, checked against what must always hold; and the model against the database."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from tasks import events, operations, queue
from tasks.agent.contract import Code, Completed, Failed, Usage
from tasks.audit import Actor
from tasks.events import News
from tasks.outcomes import Answer, Decision, Word, decide
from tasks.states import LIVE, AttemptStatus, TaskStatus
from tests import queue_tools as tools
from tests.factories import make_agent
from tests.task_model import (
    DECLARED,
    KILLED,
    LOST,
    MAX_ATTEMPTS,
    OPERATOR,
    Remote,
    Rules,
    State,
    Step,
    explore,
    steps,
)

SMALL = Rules(most_attempts=2)
STEPS = {
    "claim", "cancel", "reprocess", "ask to start", "start", "start, die before store", "run succeeds", "run fails", "callback", "poll",
    "lease expires", "take over", "adopt", "conclude", "give up", "kill", "ask again by token", "confirm killed",
}  # fmt: skip


def test_two_attempts_and_two_generations_never_go_wrong():
    assert explore(SMALL).faults == {}


def test_an_executor_out_of_reach_and_operators_who_declare_attempts_ended_do_no_harm():
    assert explore(replace(SMALL, executor_answers=False, operator_declares=True, decisions={})).faults == {}


@pytest.mark.slow
def test_three_attempts_and_two_generations_never_go_wrong():
    found = explore(Rules(executor_answers=False))
    assert found.faults == {}
    assert len(found.steps) > 50_000
    assert {step.name for following in found.steps.values() for step in following} == STEPS


# The checker finds what it is there to find


def late_results_are_thrown_away(task, attempt, answer, luck):
    if answer.status == AttemptStatus.COMPLETED and task.status == TaskStatus.FAILED:
        return Decision(Word.ALREADY_TERMINAL, AttemptStatus.COMPLETED)
    return decide(task, attempt, answer, luck)


def results_of_older_generations_count(task, attempt, answer, luck):
    return decide(task, replace(attempt, generation=task.generation), answer, luck)


def results_of_cancelled_tasks_count(task, attempt, answer, luck):
    status = TaskStatus.FAILED if task.status == TaskStatus.CANCELLED else task.status
    return decide(replace(task, status=status), attempt, answer, luck)


def every_result_counts(task, attempt, answer, luck):
    if answer.status == AttemptStatus.COMPLETED and attempt.generation == task.generation:
        return Decision(Word.APPLIED, AttemptStatus.COMPLETED, TaskStatus.COMPLETED)
    return decide(task, attempt, answer, luck)


def any_failure_counts(task, attempt, answer, luck):
    as_current = replace(attempt, status=AttemptStatus.RUNNING)
    return decide(replace(task, current_attempt=attempt.id), as_current, answer, luck)


def cancels_are_forgotten(task, attempt, answer, luck):
    return decide(replace(task, cancel_requested=False), attempt, answer, luck)


def lost_attempts_cost_nothing(task, attempt, answer, luck):
    decision = decide(task, attempt, answer, luck)
    return replace(decision, burnt=0) if answer.status == AttemptStatus.LOST else decision


FAULTY = {
    "a sweep gives up without asking": ({"sweep_asks_first": False}, "a healthy run is given up unasked"),
    "a sweep settles without its lease": (
        {"sweep_is_fenced": False},
        "somebody who lost the lease moved the task",
    ),
    "not found confirms an end": ({"not_found_confirms": True}, "confirmed ended though it may run"),
    "nothing is flagged when a task moves": ({"flags_when_moved": False}, "a run that nobody will stop"),
    "nothing is flagged by a cancel": ({"flags_when_cancelled": False}, "a wish to cancel that nobody heeds"),
    "runs are found by stored ids alone": (
        {"found_by_token": False},
        "stuck: nothing leads to a settled state",
    ),
    "cost is counted without a guard": ({"counts_once": False}, "cost counted twice"),
    "a declared end leaves its task alone": (
        {"declared_is_settled": False, "operator_declares": True},
        "processing though its current attempt has ended",
    ),
    "late results are thrown away": (
        {"decide": late_results_are_thrown_away},
        "failed though a result of its generation was delivered",
    ),
    "results of older generations count": (
        {"decide": results_of_older_generations_count},
        "completed without a result of its generation",
    ),
    "results of cancelled tasks count": (
        {"decide": results_of_cancelled_tasks_count},
        "a cancelled task comes back by itself",
    ),
    "every result counts": ({"decide": every_result_counts}, "two completions in one generation"),
    "any failure counts": (
        {"decide": any_failure_counts},
        "a failure of an attempt that is not current moved the task",
    ),
    "cancels are forgotten": ({"decide": cancels_are_forgotten}, "a wish to cancel is forgotten"),
    "lost attempts cost nothing": (
        {"decide": lost_attempts_cost_nothing, "most_attempts": 3, "most_generations": 1},
        "more attempts than allowed",
    ),
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_rule_is_found(name):
    rules, fault = FAULTY[name]
    assert fault in explore(replace(SMALL, decisions={}, **rules), until=fault).faults


# The model is what the database does


class Real:
    """One task in the database, led step by step along a path of the model."""

    def __init__(self, agent, clock: tools.Clock) -> None:
        self.agent, self.clock, self.db = agent, clock, queue.connection()
        (self.task,) = tools.hand_in(agent, 1)
        self.attempts: list = []
        self.sweeper = self.concluded = None

    def do(self, step: Step, before: State) -> None:
        action = getattr(self, step.name.replace(" ", "_").replace(",", ""), None)
        if action is not None:
            action(step.attempt, before)

    def claim(self, _number, _before) -> None:
        self.clock.forward(1000)  # past every backoff
        queue.promote_due(self.db)
        (row,) = tools.claim()
        assert row.task_id == self.task
        self.attempts.append(row.attempt_id)

    def start(self, number, _before) -> None:
        queue.mark_running(self.db, [(self.attempts[number], f"run-{number}", "")])

    ask_again_by_token = start

    def callback(self, number, before, ended=False) -> None:
        attempt, usage = self.attempts[number], Usage(calls=1, cost_usd="0.5")
        event = (
            Completed(attempt=attempt, result=tools.RESULT, usage=usage)
            if before.attempts[number].remote == Remote.OK
            else Failed(attempt=attempt, code=Code.UPSTREAM, message="", retryable=True, usage=usage)
        )
        events.apply(self.db, [News(attempt, event, ended=ended)])

    def poll(self, number, before) -> None:
        self.callback(number, before, ended=True)

    def confirm_killed(self, number, _before) -> None:
        self._learn(number, KILLED)

    def give_up(self, _number, before) -> None:
        number, holder = self.concluded
        self._learn(number, replace(LOST, holder=holder))

    def _learn(self, number: int, answer: Answer) -> None:
        events.apply(self.db, [News(self.attempts[number], answer=answer, ended=answer.ended)])

    def lease_expires(self, _number, _before) -> None:
        self.clock.forward(tools.LEASE + 1)

    def take_over(self, number, _before) -> None:
        self.sweeper = tools.new_worker()
        (row,) = queue.take_over_expired(
            self.db, sweeper=self.sweeper, lease_seconds=tools.LEASE, most=9, executors=["local"]
        )
        assert row.attempt_id == self.attempts[number]

    def conclude(self, number, _before) -> None:
        self.concluded = number, self.sweeper

    def adopt(self, number, _before) -> None:
        assert queue.adopt(
            self.db, task=self.task, attempt=self.attempts[number], sweeper=self.sweeper, run_id="run", lease_seconds=tools.LEASE
        )  # fmt: skip

    def cancel(self, _number, _before) -> None:
        assert operations.cancel(Actor.system("test"), [self.task]).done

    def reprocess(self, _number, _before) -> None:
        assert operations.reprocess(Actor.system("test"), [self.task]).done

    def declare(self, number, _before) -> None:
        assert operations.declare_ended(Actor.system("test"), [self.attempts[number]], "seen").done

    def leave(self) -> None:
        self.db.execute("DELETE FROM task_attempts")
        self.db.execute("DELETE FROM tasks")

    def seen(self) -> tuple:
        task = self.db.execute(
            "SELECT status, generation, current_attempt, lease_expires_at > agentaudit_now(), cancel_requested_at IS NOT NULL,"
            " attempts_burnt FROM tasks WHERE id = %s",
            (self.task,),
        ).fetchone()
        attempts = self.db.execute(
            "SELECT generation, CASE WHEN finished_at IS NULL THEN 'live' ELSE status END, ended_at IS NOT NULL,"
            " stop_requested_at IS NOT NULL, settled_at IS NOT NULL, stop_reason = 'declared', cost_usd"
            " FROM task_attempts ORDER BY number"
        ).fetchall()
        current = self.attempts.index(task[2]) if task[2] else None
        for row in attempts:
            assert row[6] in (None, 0.5), "a cost was counted twice"
        return (*task[:2], current, bool(task[3]), *task[4:], *(row[:6] for row in attempts))


def said(state: State) -> tuple:
    """What `Real.seen` has to say in this state of the model."""
    attempts = (
        (
            a.generation,
            "live" if a.status in LIVE else str(a.status),
            a.ended,
            a.flagged,
            bool(a.counted),
            a.declared,
        )
        for a in state.attempts
    )
    return (
        state.status,
        state.generation,
        state.current,
        state.lease_holds,
        state.cancel,
        state.burnt,
        *attempts,
    )


def paths(rules: Rules, count: int, length: int, seed: int) -> list[list[tuple[State, Step]]]:
    """Walks from the beginning, each towards kinds of steps that were walked least so far; operators meddle a little less."""
    luck, walked, walks = random.Random(seed), Counter(), []
    for _ in range(count):
        walk, state = [], State()
        while len(walk) < length and (following := [s for s in steps(rules, state) if s.state != state]):
            step = min(following, key=lambda step: walked[step.name, state.status] * luck.uniform(0.2, 1))
            walked[step.name, state.status] += 5 if step.name in OPERATOR else 1
            walk.append((state, step))
            state = step.state
        walks.append(walk)
    return walks


def replay(count: int, seed: int) -> None:
    agent, clock = make_agent(max_attempts=MAX_ATTEMPTS), tools.Clock(queue.connection())
    walks = paths(Rules(operator_declares=True, executor_answers=False), count, 24, seed)
    assert {step.name for walk in walks for _state, step in walk} == STEPS | {"declare"}
    for walk in walks:
        real, told = Real(agent, clock), []
        for before, step in walk:
            real.do(step, before)
            told.append(f"{step.name} {step.attempt}")
            assert real.seen() == said(step.state), " → ".join(told)
            assert tools.violations(real.db) == [], " → ".join(told)
        real.leave()
    clock.end()


def test_the_model_is_what_the_database_does(transactional_db):
    replay(25, seed=3)


@pytest.mark.slow
def test_the_model_is_what_the_database_does_on_many_paths(transactional_db):
    replay(300, seed=2)


def test_the_model_speaks_of_declared_ends_as_operations_do():
    assert (DECLARED.status, DECLARED.ended, DECLARED.holder) == (AttemptStatus.LOST, True, None)
