"""What may start now: limits, token budgets, reservations. Pure arithmetic over plain values (DESIGN §5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

FLOOR_MINUTES = 1.0
"""A provider counts by the minute: what runs for six seconds uses its minute's budget all the same."""
GENTLE_SECONDS = 10.0
"""After a cool-down one task may run, then twice as many every ten seconds, until the limits themselves are lower."""
GENTLE_DOUBLINGS = 12


@dataclass(frozen=True, slots=True)
class Rates:
    """What an attempt reserves, or what a budget holds in use, per minute."""

    tpm: float = 0.0
    output_tpm: float = 0.0
    rpm: float = 0.0

    def __add__(self, other: Rates) -> Rates:
        return Rates(self.tpm + other.tpm, self.output_tpm + other.output_tpm, self.rpm + other.rpm)


def projected(tokens: int, output_tokens: int, requests: int, seconds: float) -> Rates:
    """The rates of a task: its estimates over its estimated minutes, at least one."""
    minutes = max(seconds / 60.0, FLOOR_MINUTES)
    return Rates(tokens / minutes, output_tokens / minutes, requests / minutes)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A task in line. `blocked_since`: when it was first in order and did not fit."""

    id: int
    priority: int
    rates: Rates
    client_id: int = 0
    blocked_since: datetime | None = None
    blocked_by: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """None: no limit of that kind."""

    max_concurrent_tasks: int | None = None
    max_tpm: int | None = None
    max_output_tpm: int | None = None
    max_requests_per_minute: int | None = None

    def rates(self) -> tuple[float | None, float | None, float | None]:
        return self.max_tpm, self.max_output_tpm, self.max_requests_per_minute


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of an agent or a pool, and what is in use of them. `name` is "agent" or "pool"."""

    name: str
    limits: Limits
    running: int = 0
    used: Rates = field(default_factory=Rates)

    def lacks(self, rates: Rates) -> str:
        """Which limit a task of these rates would break now: "tasks", "tokens", "output", "requests"; empty: it fits.

        A task that is larger than a whole budget fits when nothing else uses that budget: it runs alone.
        """
        if self.limits.max_concurrent_tasks is not None and self.running >= self.limits.max_concurrent_tasks:
            return "tasks"
        wanted = (rates.tpm, rates.output_tpm, rates.rpm)
        used = (self.used.tpm, self.used.output_tpm, self.used.rpm)
        for name, limit, want, use in zip(
            ("tokens", "output", "requests"), self.limits.rates(), wanted, used, strict=True
        ):
            if limit is not None and use + want > limit * (1 + 1e-9) and not (want > limit and use <= 0):
                return name
        return ""

    def with_one_more(self, rates: Rates) -> Budget:
        return Budget(self.name, self.limits, self.running + 1, self.used + rates)


def gentle(limits: Limits, cooldown_until: datetime | None, now: datetime) -> Limits:
    """The limits shortly after a cool-down: few at first, so that a provider that still struggles is asked by few."""
    if cooldown_until is None:
        return limits
    doublings = int((now - cooldown_until).total_seconds() // GENTLE_SECONDS)
    if doublings < 0 or doublings >= GENTLE_DOUBLINGS:
        return limits
    most = min(2**doublings, limits.max_concurrent_tasks or 2**GENTLE_DOUBLINGS)
    return Limits(most, *limits.rates())  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Reserved:
    """A task of another agent that the shared pool is being kept free for."""

    priority: int
    blocked_since: datetime


@dataclass(frozen=True, slots=True)
class Admission:
    """The tasks that may start, in order; the one to stamp as blocked, and whose budget blocked it."""

    admitted: tuple[Waiting, ...] = ()
    block: int | None = None
    blocked_by: str = ""


def admit(
    waiting: Sequence[Waiting],
    budgets: Sequence[Budget],
    slots: int,
    now: datetime,
    reserve_after: timedelta,
    elsewhere: Reserved | None = None,
) -> Admission:
    """Go down the line and admit what fits into every budget, until the slots are full.

    Smaller tasks may pass one that does not fit, until it has been first in order for `reserve_after`; from then on nothing of its
    own or a lower level starts before it. Higher levels always pass. `elsewhere` says the same for the pool's sake.
    """
    held = _reservation(waiting, now, reserve_after)
    barrier = elsewhere.priority if elsewhere and elsewhere.blocked_since + reserve_after <= now else None
    stamped = any(task.blocked_since is not None for task in waiting)
    admitted: list[Waiting] = []
    block: tuple[int, str] | None = None
    for task in _in_order(waiting, held):
        if len(admitted) >= slots:
            break
        if barrier is not None and task.priority <= barrier:
            break
        lacking = next((budget.name for budget in budgets if budget.lacks(task.rates)), "")
        if not lacking:
            admitted.append(task)
            budgets = [budget.with_one_more(task.rates) for budget in budgets]
            continue
        if block is None and not stamped:
            block = (task.id, lacking)
        if task is held:
            break
        if all(_full(budget) for budget in budgets if budget.name == lacking):
            break
    return Admission(tuple(admitted), *(block or (None, "")))


def _full(budget: Budget) -> bool:
    """No task whatever its size fits any more, so looking further down the line is useless."""
    return (
        budget.limits.max_concurrent_tasks is not None
        and budget.running >= budget.limits.max_concurrent_tasks
    )


def _reservation(waiting: Sequence[Waiting], now: datetime, reserve_after: timedelta) -> Waiting | None:
    """The task that the agent is being kept free for: blocked for longest, and long enough."""
    blocked = [task for task in waiting if task.blocked_since is not None]
    first = min(blocked, key=lambda task: task.blocked_since, default=None)  # type: ignore[arg-type,return-value]
    return first if first and first.blocked_since and first.blocked_since + reserve_after <= now else None


def _in_order(waiting: Sequence[Waiting], held: Waiting | None) -> Sequence[Waiting]:
    """The line; a task with a due reservation comes before the rest of its level."""
    if held is None:
        return waiting
    higher = [task for task in waiting if task.priority > held.priority]
    rest = [task for task in waiting if task.priority <= held.priority and task is not held]
    return [*higher, held, *rest]
