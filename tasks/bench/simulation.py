"""One agent's token budget in simulated time: `tasks.admission` itself, beside three other ways of packing the same line of tasks."""

from __future__ import annotations

import heapq
import math
import random
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from tasks.admission import Budget, Limits, Rates, Waiting, admit, lingering, projected

MAX_TPM = 120_000
TASKS = 1_500
MEDIAN_TOKENS, P95_TOKENS = 8_000, 60_000
MEDIAN_SECONDS, P95_SECONDS = 30.0, 120.0
SEED = 7
LOOK_AHEAD = 200
RESERVE_AFTER = timedelta(seconds=300)
TICK_SECONDS = 5.0
Z95 = 1.6448536269514722
MORNING = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Job:
    """A document that takes `seconds` and uses its tokens evenly over them. Estimates are exact."""

    id: int
    tokens: int
    seconds: float
    rate: float

    @classmethod
    def of(cls, number: int, tokens: int, seconds: float) -> Job:
        return cls(number, tokens, seconds, projected(tokens, 1, 1, seconds).tpm)

    @property
    def is_over_sized(self) -> bool:
        return self.rate > MAX_TPM


def workload(count: int = TASKS, seed: int = SEED) -> list[Job]:
    """All in line at time 0. Sizes and durations are log-normal and independent of each other."""
    rng = random.Random(seed)  # noqa: S311 - a seeded workload

    def draw(median: float, p95: float) -> float:
        return median * math.exp(rng.gauss(0, 1) * math.log(p95 / median) / Z95)

    return [
        Job.of(number, max(1, round(draw(MEDIAN_TOKENS, P95_TOKENS))), draw(MEDIAN_SECONDS, P95_SECONDS))
        for number in range(count)
    ]


@dataclass(slots=True)
class Held:
    """What the budget holds in use: each job that runs or ended less than a minute ago, and when it started."""

    started: list[tuple[float, Job]] = field(default_factory=list)

    def used(self, now: float) -> float:
        return math.fsum(
            job.rate * (1.0 if now < at + job.seconds else lingering(job.seconds, now - at - job.seconds))
            for at, job in self.started
        )

    def forget(self, now: float) -> None:
        """Drop what holds nothing any more."""
        self.started = [(at, job) for at, job in self.started if now < at + job.seconds + 60.0]


def fits(job: Job, used: float) -> bool:
    return used + job.rate <= MAX_TPM or (job.is_over_sized and used <= 0)


@dataclass(slots=True)
class Run:
    """What came of a policy: when each job started, and since when it had been first in order without fitting."""

    started: dict[int, float] = field(default_factory=dict)
    first_in_order: dict[int, float] = field(default_factory=dict)
    tokens: float = 0.0
    last_start: float = 0.0

    @property
    def utilisation(self) -> float:
        """Tokens used by the jobs, over what the budget allows until nobody was in line any more."""
        return self.tokens / (MAX_TPM * self.last_start / 60.0)

    def longest_reservation(self) -> float:
        """Seconds from first in order to the start, of the job that waited longest so."""
        return max((self.started[number] - at for number, at in self.first_in_order.items()), default=0.0)


Policy = Callable[[list[Job], Held, float, Run], list[Job]]
"""(line, held, now, run) → the jobs to start now, in order."""


def simulate(jobs: Sequence[Job], policy: Policy) -> Run:
    """Run the policy until every job has started; it is asked whenever one ends, and every few seconds."""
    run, held, line, now = Run(tokens=sum(job.tokens for job in jobs)), Held(), list(jobs), 0.0
    ends: list[float] = []
    while True:
        held.forget(now)
        for job in policy(line[:LOOK_AHEAD], held, now, run):
            run.started[job.id] = run.last_start = now
            held.started.append((now, job))
            heapq.heappush(ends, now + job.seconds)
        line = [job for job in line if job.id not in run.started]
        if not line:
            return run
        while ends and ends[0] <= now:
            heapq.heappop(ends)
        now = min(ends[0] if ends else math.inf, now + TICK_SECONDS)


def ours(reserve_after: timedelta = RESERVE_AFTER) -> Policy:
    """The product's own decision."""
    stamps: dict[int, datetime] = {}

    def policy(line: list[Job], held: Held, now: float, run: Run) -> list[Job]:
        at = MORNING + timedelta(seconds=now)
        waiting = [Waiting(job.id, 0, Rates(job.rate), 0, stamps.get(job.id)) for job in line]
        budget = Budget("agent", Limits(max_tpm=MAX_TPM), len(held.started), Rates(held.used(now)))
        admission = admit(waiting, [budget], TASKS, at, reserve_after)
        if admission.block is not None:
            stamps[admission.block], run.first_in_order[admission.block] = at, now
        by_id = {job.id: job for job in line}
        return [by_id[task.id] for task in admission.admitted]

    return policy


def no_reservation(line: list[Job], held: Held, now: float, run: Run) -> list[Job]:
    """Whatever fits starts; what is large waits for luck."""
    used, chosen = held.used(now), []
    for job in line:
        if fits(job, used):
            used += job.rate
            chosen.append(job)
    return chosen


def drain(line: list[Job], held: Held, now: float, run: Run) -> list[Job]:
    """Strictly in order: the first that does not fit stops everything behind it."""
    used, chosen = held.used(now), []
    for job in line:
        if not fits(job, used):
            break
        used += job.rate
        chosen.append(job)
    return chosen


def backfill(line: list[Job], held: Held, now: float, run: Run) -> list[Job]:
    """The first that does not fit is promised the moment at which it will; others may pass it that do not delay it, by exact estimates."""
    used, chosen = held.used(now), []
    ahead, promised, beside = Held(list(held.started)), math.inf, math.inf
    for job in line:
        if fits(job, used):
            delays = now + job.seconds + 60.0 > promised
            if delays and job.rate > beside:
                continue
            beside -= job.rate if delays else 0.0
            used += job.rate
            ahead.started.append((now, job))
            chosen.append(job)
        elif promised == math.inf:
            promised, beside = _promise(job, ahead, now)
    return chosen


def _promise(job: Job, held: Held, now: float) -> tuple[float, float]:
    """When there will be room for it if nothing more starts, and how much will be left beside it then."""
    at = now
    while not fits(job, used := held.used(at)):
        at += TICK_SECONDS
    return at, max(0.0, MAX_TPM - used - job.rate)


def worst_minute(jobs: Sequence[Job], run: Run) -> float:
    """The most tokens that were used in any 60 seconds, but for those of over-sized jobs, which run alone and exceed a budget by themselves."""
    large = sorted(
        (run.started[job.id], run.started[job.id] + job.seconds) for job in jobs if job.is_over_sized
    )
    times, used_by = _consumption(jobs, run)

    def alone(begin: float) -> bool:
        near = bisect_left(large, (begin + 60.0,))
        return any(end > begin for _, end in large[max(0, near - 2) : near])

    windows = (begin for time in times for begin in (time, time - 60.0) if not alone(begin))
    return max(used_by(begin + 60.0) - used_by(begin) for begin in windows)


def _consumption(jobs: Sequence[Job], run: Run) -> tuple[list[float], Callable[[float], float]]:
    """The moments at which the speed of use changes, and a function: all tokens used until a moment."""
    changes: dict[float, float] = {}
    for job in jobs:
        begin, speed = run.started[job.id], job.tokens / job.seconds
        changes[begin] = changes.get(begin, 0.0) + speed
        changes[begin + job.seconds] = changes.get(begin + job.seconds, 0.0) - speed
    times = sorted(changes)
    speeds = list(_sums(changes[time] for time in times))
    steps = (speed * (then - time) for speed, time, then in zip(speeds, times, times[1:], strict=False))
    totals = [0.0, *_sums(steps)]

    def used_by(at: float) -> float:
        i = bisect_right(times, at) - 1
        return 0.0 if i < 0 else totals[i] + speeds[i] * (at - times[i])

    return times, used_by


def _sums(values: Iterator[float]) -> Iterator[float]:
    total = 0.0
    for value in values:
        total += value
        yield total


def figures() -> dict[str, float]:
    """The simulated figures of the bench `admission`, and how much of the budget each way of packing used."""
    jobs = workload()
    run = simulate(jobs, ours())
    others = {
        policy.__name__: simulate(jobs, policy).utilisation for policy in (no_reservation, drain, backfill)
    }
    return {
        "worst_60s_tokens_ratio": round(worst_minute(jobs, run) / MAX_TPM, 4),
        "utilisation_to_best": round(run.utilisation / max(others.values()), 4),
        "longest_reservation_s": round(run.longest_reservation(), 1),
        "reservation_bound_s": round(RESERVE_AFTER.total_seconds() + max(job.seconds for job in jobs), 1),
        "utilisation": round(run.utilisation, 4),
        **{f"utilisation_{name}": round(value, 4) for name, value in others.items()},
    }
