"""A pure model of one task, its attempts and the runs that they started: every step that may happen in a state, and where it leads.

Outcomes are decided by the real `tasks.outcomes.decide`; the rest mirrors what the statements of tasks/sql do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from tasks import outcomes
from tasks.agent.contract import Code
from tasks.outcomes import Answer, AttemptFacts, Decision, TaskFacts
from tasks.states import LIVE, TERMINAL, AttemptStatus, TaskStatus

MAX_ATTEMPTS = 2
HOLDER, STRANGER = UUID(int=1), UUID(int=2)


class Remote(StrEnum):
    """What is true of a run, whoever knows it. Of the first two an executor says "not found"."""

    NONE = "none"
    ASKED = "asked"  # the request is on its way: it may still arrive, whatever becomes of who sent it
    RUNNING = "running"
    OK = "ok"
    FAIL = "fail"
    KILLED = "killed"


class Attempt(NamedTuple):
    generation: int
    status: AttemptStatus = AttemptStatus.CLAIMED
    remote: Remote = Remote.NONE
    known: bool = False  # its run can be found
    ended: bool = False  # its end is confirmed
    flagged: bool = False  # it is to be stopped
    counted: int = 0  # how often its cost was counted
    declared: bool = False


class State(NamedTuple):
    status: TaskStatus = TaskStatus.ENQUEUED
    generation: int = 1
    current: int | None = None
    held_by_sweeper: bool = False
    lease_holds: bool = False
    cancel: bool = False
    burnt: int = 0
    attempts: tuple[Attempt, ...] = ()
    completions: int = 0  # of the present generation
    conclusion: tuple[int, bool] | None = (
        None  # a sweeper is about to give this attempt up; whether it still holds the lease
    )


class Step(NamedTuple):
    """`name` and the attempt that it concerns; `moved` tells of a step that had no right to move the task and did."""

    name: str
    attempt: int | None
    state: State
    wrong: str = ""


OPERATOR = frozenset({"cancel", "reprocess", "declare"})
UNSURE = frozenset({"callback"})  # may all be lost


@dataclass(frozen=True)
class Rules:
    """How the system works; every field that is not at its default is a fault that the checker has to find."""

    decide: Callable[[TaskFacts, AttemptFacts, Answer, float], Decision] = outcomes.decide
    sweep_asks_first: bool = True
    sweep_is_fenced: bool = True
    not_found_confirms: bool = False
    flags_when_moved: bool = True
    flags_when_cancelled: bool = True
    found_by_token: bool = True
    counts_once: bool = True
    executor_answers: bool = True  # not a fault: without it the executor may be out of reach at any time
    declared_is_settled: bool = True
    most_attempts: int = field(default=3)
    most_generations: int = field(default=2)
    operator_declares: bool = field(default=False)
    decisions: dict[Key, Decision] = field(default_factory=dict, compare=False, repr=False)  # made before


Key = tuple[object, ...]


def changed(state: State, number: int, **values: object) -> State:
    attempts = list(state.attempts)
    attempts[number] = attempts[number]._replace(**values)
    return state._replace(attempts=tuple(attempts))


def flag_all(state: State) -> State:
    return state._replace(attempts=tuple(a if a.ended else a._replace(flagged=True) for a in state.attempts))


def settle(rules: Rules, state: State, number: int, answer: Answer, *, spoken: bool = False) -> State:
    """What `events.apply` does with one answer. `spoken`: it came with the attempt's own figures."""
    attempt = state.attempts[number]
    decision = decided(rules, state, number, answer)
    counted = attempt.counted
    if spoken:
        counted = 1 if rules.counts_once else min(counted + 1, 2)
    state = changed(
        state, number, status=decision.attempt_status, ended=attempt.ended or answer.ended, counted=counted
    )
    return state if decision.task_status is None else moved(rules, state, number, decision, answer.ended)


def decided(rules: Rules, state: State, number: int, answer: Answer) -> Decision:
    """The rule book's word, asked once for the same facts."""
    attempt = state.attempts[number]
    key = (
        *state[:3], state.burnt, state.cancel, number, attempt.generation, attempt.status, attempt.ended, attempt.declared,
        answer.status, answer.ended, answer.holder,
    )  # fmt: skip
    if key not in rules.decisions:
        current = None if state.current is None else UUID(int=100 + state.current)
        task = TaskFacts(
            1, state.status, state.generation, current, state.burnt, 0, 1, 0, state.cancel, MAX_ATTEMPTS,
            HOLDER if state.status == TaskStatus.PROCESSING else None,
        )  # fmt: skip
        facts = AttemptFacts(
            UUID(int=100 + number),
            attempt.generation,
            attempt.status,
            attempt.ended,
            declared=attempt.declared,
        )
        rules.decisions[key] = rules.decide(task, facts, answer, 0.5)
    return rules.decisions[key]


def moved(rules: Rules, state: State, number: int, decision: Decision, ended: bool) -> State:
    """The task leaves the state that it was in: nobody holds it, and whatever may still run of it is to be stopped."""
    status = decision.task_status
    assert status is not None
    if status == TaskStatus.COMPLETED:
        state = state._replace(completions=min(state.completions + 1, 2))
    state = state._replace(
        status=status, held_by_sweeper=False, lease_holds=False, cancel=False, burnt=min(state.burnt + decision.burnt, MAX_ATTEMPTS + 1),
        conclusion=unheld(state.conclusion),
    )  # fmt: skip
    for other, attempt in enumerate(state.attempts):
        if attempt.ended or (other == number and ended):
            continue
        rival = other != number and attempt.status in LIVE
        status_now = AttemptStatus.SUPERSEDED if rival else attempt.status
        state = changed(state, other, status=status_now, flagged=attempt.flagged or rules.flags_when_moved)
    return state


def unheld(conclusion: tuple[int, bool] | None) -> tuple[int, bool] | None:
    return conclusion and (conclusion[0], False)


LOST = Answer(AttemptStatus.LOST, False, Code.LOST, "", True, holder=HOLDER)
SAYS = {
    Remote.OK: Answer(AttemptStatus.COMPLETED, False),
    Remote.FAIL: Answer(AttemptStatus.FAILED, False, Code.UPSTREAM, "", True),
}
KILLED = Answer(AttemptStatus.CANCELLED, True, Code.CANCELLED, "", True)
DECLARED = Answer(AttemptStatus.LOST, True, Code.LOST, "", True)


def steps(rules: Rules, state: State) -> Iterator[Step]:
    yield from task_steps(rules, state)
    yield from sweep_steps(rules, state)
    for number, attempt in enumerate(state.attempts):
        yield from run_steps(rules, state, number, attempt)
        yield from news_steps(rules, state, number, attempt)
        yield from stop_steps(rules, state, number, attempt)


def task_steps(rules: Rules, state: State) -> Iterator[Step]:
    """The claim, and what operators do."""
    if state.status == TaskStatus.ENQUEUED:
        if len(state.attempts) < rules.most_attempts:
            taken = state._replace(
                status=TaskStatus.PROCESSING, current=len(state.attempts), lease_holds=True,
                attempts=(*state.attempts, Attempt(state.generation)),
            )  # fmt: skip
            yield Step("claim", None, taken)
        yield Step("cancel", None, _cancelled(rules, state))
    if state.status == TaskStatus.PROCESSING and not state.cancel:
        wished = state._replace(cancel=True)
        yield Step("cancel", None, flag_all(wished) if rules.flags_when_cancelled else wished)
    if state.status in TERMINAL and state.generation < rules.most_generations:
        again = state._replace(
            status=TaskStatus.ENQUEUED, generation=state.generation + 1, burnt=0, completions=0, current=None,
            conclusion=unheld(state.conclusion),
        )  # fmt: skip
        yield Step("reprocess", None, flag_all(again))


def _cancelled(rules: Rules, state: State) -> State:
    gone = state._replace(
        status=TaskStatus.CANCELLED,
        lease_holds=False,
        held_by_sweeper=False,
        conclusion=unheld(state.conclusion),
    )
    return flag_all(gone) if rules.flags_when_cancelled else gone


def run_steps(rules: Rules, state: State, number: int, attempt: Attempt) -> Iterator[Step]:
    """What the worker that claimed it and the run itself do."""
    holds = state.status == TaskStatus.PROCESSING and state.current == number and state.lease_holds
    if attempt.remote == Remote.NONE and holds and not state.held_by_sweeper:
        yield Step("ask to start", number, changed(state, number, remote=Remote.ASKED))
    if attempt.remote == Remote.ASKED:
        there = changed(state, number, remote=Remote.RUNNING)
        yield Step(
            "start, die before store", number, _known(there, number) if rules.found_by_token else there
        )
        yield Step("start", number, _known(there, number))
    if attempt.remote == Remote.RUNNING:
        yield Step("run succeeds", number, changed(state, number, remote=Remote.OK))
        yield Step("run fails", number, changed(state, number, remote=Remote.FAIL))


def _known(state: State, number: int) -> State:
    """The run can be found from now on: its id is stored, or its token finds it."""
    return changed(state, number, known=True)


def news_steps(rules: Rules, state: State, number: int, attempt: Attempt) -> Iterator[Step]:
    """Callbacks come any number of times; the executor is asked by whoever looks after the attempt."""
    holds = state.status == TaskStatus.PROCESSING and state.current == number and state.lease_holds
    looked_after = holds or attempt.flagged
    if attempt.remote in SAYS:
        yield Step("callback", number, settle(rules, state, number, SAYS[attempt.remote], spoken=True))
        if looked_after and not attempt.ended and attempt.known:
            final = replace(SAYS[attempt.remote], ended=True)
            yield Step("poll", number, settle(rules, state, number, final, spoken=True))
    if attempt.remote == Remote.KILLED and looked_after and not attempt.ended:
        yield Step("confirm killed", number, settle(rules, state, number, KILLED))
    if rules.operator_declares and not attempt.ended:
        declared = changed(state, number, ended=True, declared=True, flagged=True)
        yield Step("declare", number, settle(rules, declared, number, DECLARED) if rules.declared_is_settled else
                   changed(declared, number, status=AttemptStatus.LOST if attempt.status in LIVE else attempt.status))  # fmt: skip


def stop_steps(rules: Rules, state: State, number: int, attempt: Attempt) -> Iterator[Step]:
    """Whoever sees the flag stops the run. One that is not found may still be starting: it is asked for again, and then stopped."""
    if not attempt.flagged or attempt.ended:
        return
    if attempt.remote == Remote.RUNNING and attempt.known:
        yield Step("kill", number, changed(state, number, remote=Remote.KILLED))
    hidden = attempt.remote == Remote.RUNNING and not attempt.known
    if attempt.remote in (Remote.NONE, Remote.ASKED) or hidden:
        if rules.not_found_confirms:
            yield Step(
                "confirm not found", number, settle(rules, state, number, replace(KILLED, status=None))
            )
        elif not hidden:
            yield Step(
                "ask again by token", number, _known(changed(state, number, remote=Remote.RUNNING), number)
            )


def sweep_steps(rules: Rules, state: State) -> Iterator[Step]:
    if state.status == TaskStatus.PROCESSING and state.lease_holds:
        yield Step("lease expires", None, state._replace(lease_holds=False))
    if state.status == TaskStatus.PROCESSING and not state.lease_holds:
        took = state._replace(held_by_sweeper=True, lease_holds=True, conclusion=unheld(state.conclusion))
        yield Step("take over", state.current, took)
    if (
        state.status == TaskStatus.PROCESSING
        and state.held_by_sweeper
        and state.lease_holds
        and state.conclusion is None
    ):
        yield from _asked(rules, state)
    if state.conclusion is not None:
        yield from _concluded(rules, state)


def _asked(rules: Rules, state: State) -> Iterator[Step]:
    number = state.current
    assert number is not None
    attempt = state.attempts[number]
    if rules.sweep_asks_first and attempt.remote == Remote.RUNNING and not attempt.flagged and attempt.known:
        yield Step("adopt", number, _known(state._replace(held_by_sweeper=False), number))
    # An ended run is settled by the steps of `news_steps`. Not found, being stopped, or out of reach: it is given up
    healthy = not attempt.flagged and attempt.remote in (Remote.RUNNING, *SAYS)
    if not attempt.ended and (not healthy or not rules.sweep_asks_first or not rules.executor_answers):
        unasked = healthy and not rules.sweep_asks_first
        concluded = state._replace(conclusion=(number, True))
        yield Step("conclude", number, concluded, "a healthy run is given up unasked" if unasked else "")


def _concluded(rules: Rules, state: State) -> Iterator[Step]:
    assert state.conclusion is not None
    number, holds = state.conclusion
    answer = replace(LOST, holder=HOLDER if holds or not rules.sweep_is_fenced else STRANGER)
    after = settle(rules, state._replace(conclusion=None), number, answer)
    same = (after.status, after.generation, after.current, after.lease_holds, after.cancel, after.burnt) == (
        state.status, state.generation, state.current, state.lease_holds, state.cancel, state.burnt,
    )  # fmt: skip
    yield Step(
        "give up", number, after, "" if holds or same else "somebody who lost the lease moved the task"
    )


# What must hold


def faults(state: State) -> Iterator[str]:
    """What is wrong with a state in itself."""
    if state.completions > 1:
        yield "two completions in one generation"
    if sum(a.generation == state.generation for a in state.attempts) > MAX_ATTEMPTS:
        yield "more attempts than allowed"
    done = [
        a for a in state.attempts if a.status == AttemptStatus.COMPLETED and a.generation == state.generation
    ]
    if state.status == TaskStatus.FAILED and done:
        yield "failed though a result of its generation was delivered"
    if state.status == TaskStatus.COMPLETED and not done:
        yield "completed without a result of its generation"
    if state.cancel and state.status != TaskStatus.PROCESSING:
        yield "a wish to cancel outlives its run"
    if state.status == TaskStatus.PROCESSING and (
        state.current is None or state.attempts[state.current].status not in LIVE
    ):
        yield "processing though its current attempt has ended"
    for number, attempt in enumerate(state.attempts):
        yield from attempt_faults(state, number, attempt)


def attempt_faults(state: State, number: int, attempt: Attempt) -> Iterator[str]:
    current = state.status == TaskStatus.PROCESSING and state.current == number
    may_run = attempt.remote in (Remote.ASKED, Remote.RUNNING)
    if attempt.counted > 1:
        yield "cost counted twice"
    if attempt.status in LIVE and not current:
        yield "an attempt lives that is not its task's current one"
    if attempt.ended and may_run and not attempt.declared:
        yield "confirmed ended though it may run"
    if may_run and not current and not attempt.flagged and not attempt.ended:
        yield "a run that nobody will stop"
    if state.cancel and current and not attempt.flagged:
        yield "a wish to cancel that nobody heeds"


def step_fault(before: State, step: Step) -> str:
    """What is wrong with a step, though both its ends may be right."""
    after = step.state
    if step.wrong:
        return step.wrong
    stranger = step.attempt is not None and step.attempt != before.current
    if (
        stranger
        and (after.status, after.burnt) != (before.status, before.burnt)
        and after.completions == before.completions
    ):
        return "a failure of an attempt that is not current moved the task"
    if before.cancel and after.status == TaskStatus.ENQUEUED:
        return "a wish to cancel is forgotten"
    if before.status == TaskStatus.CANCELLED and after.status not in (
        TaskStatus.CANCELLED,
        TaskStatus.ENQUEUED,
    ):
        return "a cancelled task comes back by itself"
    return ""


def settled(state: State) -> bool:
    """Nothing is left to do: the task is terminal, every end is confirmed, every bill of a finished run is counted."""
    return state.status in TERMINAL and all(
        a.ended and (a.declared or a.remote not in (Remote.ASKED, Remote.RUNNING)) and (a.counted or a.declared or a.remote not in SAYS)
        for a in state.attempts
    )  # fmt: skip


@dataclass
class Explored:
    """Every reachable state with its steps, the faults found, and the shortest way to each."""

    rules: Rules
    steps: dict[State, tuple[Step, ...]]
    came_by: dict[State, tuple[State, Step] | None]
    faults: dict[str, str]

    def way(self, state: State) -> list[Step]:
        way: list[Step] = []
        while (came := self.came_by[state]) is not None:
            way.append(came[1])
            state = came[0]
        return way[::-1]

    def told(self, state: State, *last: Step) -> str:
        return " → ".join(
            step.name if step.attempt is None else f"{step.name} {step.attempt + 1}"
            for step in (*self.way(state), *last)
        )


def explore(rules: Rules, until: str = "") -> Explored:
    """Breadth first, so that every fault is told by a shortest way. `until`: no further than to this fault."""
    first = State()
    found = Explored(rules, {}, {first: None}, {})
    line = deque([first])
    while line and until not in found.faults:
        state = line.popleft()
        for fault in faults(state):
            found.faults.setdefault(fault, found.told(state))
        found.steps[state] = tuple(step for step in steps(rules, state) if step.state != state)
        for step in found.steps[state]:
            if wrong := step_fault(state, step):
                found.faults.setdefault(wrong, found.told(state, step))
            if step.state not in found.came_by:
                found.came_by[step.state] = (state, step)
                line.append(step.state)
    stuck = next(_stuck(found), None) if not line else None
    if stuck is not None:
        found.faults["stuck: nothing leads to a settled state"] = found.told(stuck)
    return found


def _stuck(found: Explored) -> Iterator[State]:
    """States from which no settled one can be reached without an operator and with every callback lost."""
    before: dict[State, list[State]] = {}
    for state, following in found.steps.items():
        for step in following:
            if step.name not in OPERATOR | UNSURE:
                before.setdefault(step.state, []).append(state)
    room = found.rules.most_attempts
    good = {
        state
        for state in found.steps
        if settled(state) or (state.status == TaskStatus.ENQUEUED and len(state.attempts) >= room)
    }  # a task that waits for an attempt which the model has no room for is not stuck
    line = deque(good)
    while line:
        for state in before.get(line.popleft(), ()):
            if state not in good:
                good.add(state)
                line.append(state)
    return (state for state in found.steps if state not in good)
