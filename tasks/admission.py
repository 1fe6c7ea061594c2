"""What may start now: limits, token budgets, reservations, money. Pure arithmetic over plain values (DESIGN §5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal

FLOOR_MINUTES = 1.0
"""A provider counts by the minute: what runs for six seconds uses its minute's budget all the same."""
GENTLE_SECONDS = 10.0
"""After a cool-down one task may run, then twice as many every ten seconds, until the limits themselves are lower."""
GENTLE_DOUBLINGS = 12
GENTLE_FOR = timedelta(seconds=GENTLE_SECONDS * GENTLE_DOUBLINGS)
NOTHING = Decimal(0)


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


def lingering(seconds: float, ago: float) -> float:
    """The share of its rate that an attempt still holds which ran for `seconds` and ended `ago` seconds ago.

    Whatever it used evenly over its run counts against a provider until that lies a minute back: all of it for a minute from its start,
    then less and less until a minute after its end. So no 60 seconds, wherever they begin, see more tokens than the budget allows.
    The claim counts by the same formula (claim_count in claim.sql).
    """
    if seconds <= 0:
        return float(ago < 60.0)
    return min(1.0, max(0.0, 60.0 - ago) / min(seconds, 60.0))


@dataclass(frozen=True, slots=True)
class Waiting:
    """A task in line. `blocked_since`: when it was first in order and did not fit. `usd`: what it is expected to cost."""

    id: int
    priority: int
    rates: Rates
    client_id: int = 0
    blocked_since: datetime | None = None
    blocked_by: str = ""
    usd: Decimal = NOTHING


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

    def is_full(self) -> bool:
        """No task whatever its size may start."""
        most = self.limits.max_concurrent_tasks
        return most is not None and self.running >= most

    def lacks(self, rates: Rates) -> str:
        """Which limit a task of these rates would break now: "tasks", "tokens", "output", "requests"; empty: it fits.

        A task that is larger than a whole budget fits when nothing else uses that budget: it runs alone.
        """
        if self.is_full():
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
    return replace(limits, max_concurrent_tasks=most)


@dataclass(frozen=True, slots=True)
class Purse:
    """USD that may still be spent: what a spend limit leaves beside all that is spent and all that live attempts may cost."""

    left: Decimal

    def affords(self, usd: Decimal) -> bool:
        return self.left > 0 and usd <= self.left

    def less(self, usd: Decimal) -> Purse:
        return Purse(self.left - usd)


@dataclass(frozen=True, slots=True)
class Purses:
    """The money of the agent (None: no limit) and of the clients that have a limit, by their id."""

    agent: Purse | None = None
    clients: Mapping[int, Purse] = field(default_factory=dict)

    def afford(self, task: Waiting) -> bool:
        return all(
            purse.affords(task.usd) for purse in (self.agent, self.clients.get(task.client_id)) if purse
        )

    def less(self, task: Waiting) -> Purses:
        client = self.clients.get(task.client_id)
        return Purses(
            self.agent.less(task.usd) if self.agent else None,
            {**self.clients, task.client_id: client.less(task.usd)} if client else self.clients,
        )


@dataclass(frozen=True, slots=True)
class Reserved:
    """A task of another agent that the shared pool is kept free for, by now."""

    priority: int


@dataclass(frozen=True, slots=True)
class Admission:
    """The tasks that may start, in order.

    block: the task to stamp as blocked, and by whose budget. too_dear: tasks for which a purse holds too little.
    below: tasks of levels under `least_priority` were left for a later look.
    """

    admitted: tuple[Waiting, ...] = ()
    block: int | None = None
    blocked_by: str = ""
    too_dear: tuple[Waiting, ...] = ()
    below: bool = False


def admit(
    waiting: Sequence[Waiting],
    budgets: Sequence[Budget],
    slots: int,
    now: datetime,
    reserve_after: timedelta,
    elsewhere: Reserved | None = None,
    purses: Purses = Purses(),
    least_priority: int | None = None,
) -> Admission:
    """Go down the line and admit what fits into every budget, until the slots are full.

    Smaller tasks may pass one that does not fit, until it has been first in order for `reserve_after`; from then on nothing of its
    own or a lower level starts before it. Higher levels always pass. `elsewhere` says the same for the pool's sake.
    What no purse pays for is left out before all this: it neither reserves nor blocks.
    """
    affordable = [task for task in waiting if purses.afford(task)]
    too_dear = [task for task in waiting if not purses.afford(task)]
    admitted: list[Waiting] = []
    block: tuple[int, str] | None = None
    first, below = True, False
    for task in _in_order(affordable, now, reserve_after):
        if len(admitted) >= slots or (elsewhere and task.priority <= elsewhere.priority):
            break
        if least_priority is not None and task.priority < least_priority:
            below = True
            break
        if not purses.afford(task):
            too_dear.append(task)
            continue
        lacking = {budget.name: lack for budget in budgets if (lack := budget.lacks(task.rates))}
        if not lacking:
            admitted.append(task)
            budgets = [budget.with_one_more(task.rates) for budget in budgets]
            purses = purses.less(task)
            continue
        if "tasks" in lacking.values():
            break
        if first:
            block, first = _stamp(task, "pool" if "pool" in lacking else "agent", affordable), False
        if _is_due(task, now, reserve_after):
            break
    blocked, blocked_by = block or (None, "")
    return Admission(tuple(admitted), blocked, blocked_by, tuple(too_dear), below)


def _is_due(task: Waiting, now: datetime, reserve_after: timedelta) -> bool:
    """Whether the budgets are kept free for it by now."""
    return task.blocked_since is not None and task.blocked_since + reserve_after <= now


def _in_order(waiting: Sequence[Waiting], now: datetime, reserve_after: timedelta) -> list[Waiting]:
    """The line; in each level the task that budgets are kept free for comes first, even if others were put before it since."""

    def place(task: Waiting) -> tuple[int, bool, datetime]:
        due = _is_due(task, now, reserve_after)
        return -task.priority, not due, task.blocked_since if due and task.blocked_since else now

    return sorted(waiting, key=place)


def _stamp(task: Waiting, lacking: str, waiting: Sequence[Waiting]) -> tuple[int, str] | None:
    """Stamp the first task that does not fit, unless its level keeps something free for another one already.

    A stamp is renewed only to say that the pool is too small as well: its time stays.
    """
    if task.blocked_since is not None:
        return (task.id, lacking) if lacking == "pool" and task.blocked_by != "pool" else None
    taken = any(other.blocked_since is not None and other.priority == task.priority for other in waiting)
    return None if taken else (task.id, lacking)
