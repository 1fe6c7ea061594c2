"""What one answer about an attempt does to its task. Pure: facts in, decision out; the database only writes it down."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from tasks.agent.contract import Code
from tasks.states import BURNT, LIVE, TERMINAL, AttemptStatus, TaskStatus

MAX_RELEASED = 3
"""Attempts of a task that may be handed back unworked before the next one counts like a failure."""
MAX_TIMEOUTS = 2
MAX_RATE_LIMITED = 20
"""Attempts that a provider turned away do not count as burnt until a task has had so many attempts."""
BACKOFF_SECONDS, BACKOFF_MOST_SECONDS, BACKOFF_DOUBLINGS = 4.0, 600.0, 20


class Word(StrEnum):
    """What became of an answer; callbacks get it as their reply."""

    APPLIED = "applied"
    DUPLICATE = "duplicate"
    STALE = "stale"
    ALREADY_TERMINAL = "already_terminal"


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """A task as its locked row says. `max_attempts` is its agent's."""

    id: int
    status: TaskStatus
    generation: int
    current_attempt: UUID | None
    attempts_burnt: int = 0
    attempts_released: int = 0
    attempts_made: int = 1
    timeouts: int = 0
    cancel_requested: bool = False
    max_attempts: int = 3
    lease_owner: UUID | None = None


@dataclass(frozen=True, slots=True)
class AttemptFacts:
    """An attempt as its locked row says. `declared`: an operator has vouched that nothing of it runs any more."""

    id: UUID
    generation: int
    status: AttemptStatus
    ended: bool = False
    error_code: str = ""
    declared: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What was learnt: how the attempt ended (None: nothing new but its end), and whether the executor confirmed that it did end.

    `status` is one of completed, failed, timeout, cancelled, lost, released.
    `holder`: who concludes this from holding the task's lease (None: the attempt or its executor says so itself).
    """

    status: AttemptStatus | None
    ended: bool
    code: str = ""
    message: str = ""
    retryable: bool = False
    retry_after: float | None = None
    holder: UUID | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """`task_status` None leaves the task alone. `attempt_status` is what the attempt's row says from now on."""

    word: Word
    attempt_status: AttemptStatus
    task_status: TaskStatus | None = None
    wait_seconds: float = 0.0
    burnt: int = 0
    released: int = 0
    timeouts: int = 0
    error_code: str = ""
    error_message: str = ""
    conflict: bool = False
    keeps_error: bool = False
    """The attempt's own error texts stay as they are."""


def backoff(failures: int, luck: float, retry_after: float | None = None) -> float:
    """Seconds until the next attempt: exponential with full jitter; what the upstream asked for wins and is only ever spread out.

    luck: a random number in 0..1.
    """
    if retry_after is not None:
        return retry_after * (1 + 0.3 * luck) + luck
    doublings = min(max(failures - 1, 0), BACKOFF_DOUBLINGS)
    return luck * min(BACKOFF_MOST_SECONDS, BACKOFF_SECONDS * 2**doublings)


def decide(task: TaskFacts, attempt: AttemptFacts, answer: Answer, luck: float) -> Decision:
    """The one rule book for the end of an attempt, whoever brings the news: pipe, callback, poll or sweep (DESIGN §3)."""
    if answer.holder is not None and answer.holder != task.lease_owner:
        return Decision(Word.STALE, attempt.status, keeps_error=True)
    if answer.status is None:
        return Decision(
            Word.APPLIED if not attempt.ended else Word.DUPLICATE, attempt.status, keeps_error=True
        )
    if answer.status == AttemptStatus.COMPLETED:
        return _completed(task, attempt)
    return _not_completed(task, attempt, answer, luck)


def _completed(task: TaskFacts, attempt: AttemptFacts) -> Decision:
    """The first valid result of the present generation wins, whichever attempt brings it and however late: it is paid for."""
    if attempt.status == AttemptStatus.COMPLETED:
        return Decision(Word.DUPLICATE, attempt.status, keeps_error=True)
    if attempt.declared:
        return Decision(Word.STALE, attempt.status, keeps_error=True)
    conflict = attempt.status == AttemptStatus.FAILED
    kept = attempt.status if attempt.status == AttemptStatus.SUPERSEDED else AttemptStatus.COMPLETED
    if attempt.generation != task.generation:
        return Decision(Word.STALE, kept, conflict=conflict)
    if task.status in (TaskStatus.COMPLETED, TaskStatus.CANCELLED):
        return Decision(Word.ALREADY_TERMINAL, kept, conflict=conflict)
    return Decision(Word.APPLIED, AttemptStatus.COMPLETED, TaskStatus.COMPLETED, conflict=conflict)


def _not_completed(task: TaskFacts, attempt: AttemptFacts, answer: Answer, luck: float) -> Decision:
    if attempt.status not in LIVE:
        return _second_word(task, attempt, answer)
    recorded = {"error_code": answer.code, "error_message": answer.message}
    if task.status in TERMINAL:
        return Decision(Word.ALREADY_TERMINAL, answer.status, **recorded)
    if (
        attempt.generation != task.generation
        or attempt.id != task.current_attempt
        or task.status != TaskStatus.PROCESSING
    ):
        return Decision(Word.STALE, answer.status, **recorded)
    if task.cancel_requested:
        burnt = int(answer.status in BURNT)
        return Decision(
            Word.APPLIED,
            answer.status,
            TaskStatus.CANCELLED,
            burnt=burnt,
            error_code=Code.CANCELLED,
            error_message="",
        )
    if answer.status == AttemptStatus.RELEASED:
        # Whoever could read nothing at all claims nothing more, so that no task goes round and round
        counts = int(answer.code != Code.STORAGE)
        if not counts or task.attempts_released < MAX_RELEASED:
            return Decision(Word.APPLIED, answer.status, TaskStatus.ENQUEUED, released=counts)
    return _retry_or_fail(task, answer, luck)


def _second_word(task: TaskFacts, attempt: AttemptFacts, answer: Answer) -> Decision:
    """The attempt had ended already. Another word never moves its task; one that contradicts the first is kept as evidence."""
    same = attempt.status == answer.status and attempt.error_code in (answer.code, "")
    if same:
        return Decision(Word.DUPLICATE, attempt.status, keeps_error=True)
    own_word = answer.status == AttemptStatus.FAILED and attempt.status in (
        AttemptStatus.COMPLETED,
        AttemptStatus.FAILED,
    )
    word = Word.ALREADY_TERMINAL if task.status in TERMINAL else Word.STALE
    return Decision(word, attempt.status, keeps_error=True, conflict=own_word)


def _retry_or_fail(task: TaskFacts, answer: Answer, luck: float) -> Decision:
    timeouts = int(answer.status == AttemptStatus.TIMEOUT)
    turned_away = answer.code == Code.RATE_LIMITED and task.attempts_made < MAX_RATE_LIMITED
    burnt = 0 if turned_away else 1
    common = {
        "burnt": burnt,
        "timeouts": timeouts,
        "error_code": answer.code,
        "error_message": answer.message,
    }
    failures = task.attempts_burnt + burnt
    advice = ""
    if timeouts and task.timeouts + 1 >= MAX_TIMEOUTS:
        advice = " It ran out of time twice: raise the agent's longest run, or split the document."
    retryable = answer.retryable or answer.status in (
        AttemptStatus.LOST,
        AttemptStatus.RELEASED,
        AttemptStatus.TIMEOUT,
        AttemptStatus.CANCELLED,
    )
    if not retryable or advice or failures >= task.max_attempts:
        common["error_message"] = f"{answer.message}{advice}"
        return Decision(Word.APPLIED, answer.status, TaskStatus.FAILED, **common)
    wait = backoff(max(failures, 1), luck, answer.retry_after)
    return Decision(Word.APPLIED, answer.status, TaskStatus.ENQUEUED, wait_seconds=wait, **common)
