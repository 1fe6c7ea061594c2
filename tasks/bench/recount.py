"""Recounts a run of the fire: every claim against the limits that held at its commit, from a log that triggers wrote. Pure.

Why the log's order is the order of commits where it matters. A claim of a limited agent holds the agent's row (and its pool's row)
locked from before its count until its commit, and so does every change of limits; their log lines take a serial number while that lock
is held. So for one agent, and for one pool, serial numbers of claims and of changes of limits rise in the order of commits. (A broken
claim without the lock still gets distinct numbers: of two that should have excluded each other the later one is found to be too many.)
Claims for an agent without any limit share the row, so they are ordered among each other by nothing, and nothing is to be checked of
them; but a change that sets a limit waits for all of them, and is a line between those before it and those after it.

Ends take no such lock. Each claim's line holds the snapshot of its own last statement, and an end counts as ended for this claim if that
snapshot sees its transaction. That is the strictest reading: an end which commits later, though before the claim does, still counts as
running. And it accuses nobody wrongly: the claim counted with an older snapshot, which saw no end that this one does not see.

Rates are held by time as well. They are reckoned at the moment at which the claim took its tasks, which is later than the moment at which
it counted, so they can only be lower than what it saw.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from tasks.admission import lingering

TOLERANCE = 1 + 1e-6
KINDS = ("tpm", "output_tpm", "rpm")
LIMIT_OF = dict(zip(KINDS, ("max_tpm", "max_output_tpm", "max_requests_per_minute"), strict=True))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Which transactions a statement saw."""

    least: int
    most: int
    running: frozenset[int]

    @classmethod
    def parse(cls, text: str) -> Snapshot:
        least, most, running = text.split(":")
        return cls(int(least), int(most), frozenset(int(xid) for xid in running.split(",") if xid))

    def sees(self, transaction: int) -> bool:
        return transaction < self.least or (transaction < self.most and transaction not in self.running)


@dataclass(frozen=True, slots=True)
class End:
    transaction: int
    began: datetime
    ended: datetime
    held_until: datetime

    def share(self, at: datetime) -> float:
        """How much of its rates the attempt holds at a moment after its end."""
        if at >= self.held_until:
            return 0.0
        return lingering(
            (self.ended - self.began).total_seconds(), max(0.0, (at - self.ended).total_seconds())
        )


@dataclass(slots=True)
class Holder:
    """An agent or a pool as the log has told so far: its limits, and the attempts that it was claimed for."""

    limits: Any = None
    open: dict[UUID, Any] = field(default_factory=dict)
    ended: dict[UUID, tuple[Any, End]] = field(default_factory=dict)

    def see(self, claim: Any, ends: Mapping[UUID, End]) -> None:
        """Move what this claim sees as ended, and forget what holds nothing any more."""
        snapshot = Snapshot.parse(claim.snapshot)
        gone = [
            attempt for attempt in self.open if attempt in ends and snapshot.sees(ends[attempt].transaction)
        ]
        for attempt in gone:
            self.ended[attempt] = (self.open.pop(attempt), ends[attempt])
        self.ended = {attempt: pair for attempt, pair in self.ended.items() if pair[1].share(claim.at) > 0}

    def used(self, kind: str, at: datetime) -> float:
        live = sum(getattr(claim, kind) for claim in self.open.values())
        return live + sum(getattr(claim, kind) * end.share(at) for claim, end in self.ended.values())


@dataclass(slots=True)
class Recount:
    """What was found. `examples`: the first faults in words."""

    claims: int = 0
    over_admissions: int = 0
    over_budget: int = 0
    while_closed: int = 0
    over_sized_alone: int = 0
    examples: list[str] = field(default_factory=list)

    def fault(self, kind: str, claim: Any, what: str) -> None:
        setattr(self, kind, getattr(self, kind) + 1)
        if len(self.examples) < 10:
            self.examples.append(f"line {claim.seq}: {what}")


def recount(log: Sequence[Any]) -> Recount:
    """Go through the log (rows of fire_log) in the order of its serial numbers."""
    found = Recount()
    ends = {
        line.attempt: End(line.transaction, line.began, line.at, line.held_until)
        for line in log
        if line.kind == "end"
    }
    holders: dict[tuple[str, int], Holder] = {}
    for line in sorted(log, key=lambda line: line.seq):
        if line.kind in ("agent", "pool"):
            holders.setdefault((line.kind, line.agent or line.pool), Holder()).limits = line
        elif line.kind == "claim":
            found.claims += 1
            for key in _holders_of(line):
                _check(found, holders[key], key, line, ends)
    return found


def _holders_of(claim: Any) -> Iterable[tuple[str, int]]:
    yield "agent", claim.agent
    if claim.pool is not None:
        yield "pool", claim.pool


def _check(
    found: Recount, holder: Holder, key: tuple[str, int], claim: Any, ends: Mapping[UUID, End]
) -> None:
    holder.see(claim, ends)
    limits, name = holder.limits, f"{key[0]} {key[1]}"
    if limits.is_paused or (limits.cooldown_until is not None and limits.cooldown_until > claim.at):
        found.fault("while_closed", claim, f"{name} was paused or cooling")
    most = limits.max_concurrent_tasks
    if most is not None and len(holder.open) + 1 > most:
        found.fault("over_admissions", claim, f"{name} ran {len(holder.open)} of {most}")
    alone = False
    for kind in KINDS:
        limit, want = getattr(limits, LIMIT_OF[kind]), getattr(claim, kind)
        use = holder.used(kind, claim.at) if limit is not None else 0.0
        if limit is None or use + want <= limit * TOLERANCE:
            continue
        if want > limit and use <= 1e-6:
            alone = True
        else:
            found.fault(
                "over_budget", claim, f"{name} had {use:.0f} of {limit} {kind} in use and took {want:.0f}"
            )
    found.over_sized_alone += alone
    holder.open[claim.attempt] = claim
