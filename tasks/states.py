"""States of tasks and attempts, and which may follow which. Pure; read by models, queue, tests and docs."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class TaskStatus(StrEnum):
    ENQUEUED = "enqueued"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class AttemptStatus(StrEnum):
    CLAIMED = "claimed"  # taken by a worker, nothing runs yet
    STARTING = "starting"  # the executor was asked; the answer is not known
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    TIMEOUT = "timeout"  # ran longer than its agent allows
    CANCELLED = "cancelled"
    LOST = "lost"  # its lease expired and nothing answered for it
    RELEASED = "released"  # handed back unworked; not counted against max_attempts
    SUPERSEDED = "superseded"  # another attempt's result won


class Priority(IntEnum):
    """Four named levels on an integer; values between them are legal and order as expected."""

    BULK = 0
    NORMAL = 10
    INTERACTIVE = 20
    URGENT = 30


TERMINAL = frozenset({TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.CANCELLED})
LIVE = frozenset({AttemptStatus.CLAIMED, AttemptStatus.STARTING, AttemptStatus.RUNNING})
BURNT = frozenset(
    {
        AttemptStatus.FAILED,
        AttemptStatus.TIMEOUT,
        AttemptStatus.LOST,
        AttemptStatus.COMPLETED,
        AttemptStatus.SUPERSEDED,
    }
)
"""Attempts that count against `max_attempts`; a poison document cannot loop for ever."""

TASK_TRANSITIONS: dict[TaskStatus, dict[TaskStatus, str]] = {
    TaskStatus.ENQUEUED: {
        TaskStatus.PROCESSING: "claim",
        TaskStatus.COMPLETED: "a late valid result",
        TaskStatus.FAILED: "no attempts left, or its agent is gone",
        TaskStatus.CANCELLED: "cancel",
    },
    TaskStatus.PROCESSING: {
        TaskStatus.COMPLETED: "valid result",
        TaskStatus.FAILED: "permanent error, or no attempts left",
        TaskStatus.CANCELLED: "cancel, confirmed by the executor or by the lease's end",
        TaskStatus.ENQUEUED: "retry, lease expired, released",
    },
    TaskStatus.COMPLETED: {TaskStatus.ENQUEUED: "reprocess (new generation)"},
    TaskStatus.FAILED: {
        TaskStatus.ENQUEUED: "reprocess (new generation)",
        TaskStatus.COMPLETED: "a late valid result",
    },
    TaskStatus.CANCELLED: {TaskStatus.ENQUEUED: "reprocess (new generation)"},
}
"""old state → new state → what makes it so."""


def may_become(old: TaskStatus, new: TaskStatus) -> bool:
    """Whether a task may go from `old` to `new` (staying is always legal)."""
    return old == new or new in TASK_TRANSITIONS[old]
