"""Where an attempt runs: the small interface that the worker and the sweeper speak to every executor.

An executor never touches the database. It is told to start and stop attempts, and it is asked for news.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from tasks.agent.contract import Code, Completed, Failed, Order, Progress, Started


class RunState(StrEnum):
    """What an executor knows of a run. Only ENDED confirms anything; NOT_FOUND does not while the run may be starting."""

    STARTING = "starting"
    RUNNING = "running"
    ENDED = "ended"
    NOT_FOUND = "not_found"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Run:
    """Names a run to its executor: the attempt, and the executor's own id once it is known."""

    attempt: UUID
    run_id: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """News of one attempt: events in the order they were spoken, and whether the run is confirmed to have ended.

    An ended run without a Completed or Failed event among `events` ended silently: `code` and `message` say how.
    """

    attempt: UUID
    state: RunState
    events: tuple[Started | Progress | Completed | Failed, ...] = ()
    run_id: str = ""
    run_page_url: str = ""
    code: Code = Code.CRASHED
    message: str = ""
    cpu_seconds: float | None = None
    max_rss_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A start that did not happen, for certain: nothing runs and nothing will."""

    attempt: UUID
    code: Code
    message: str
    retryable: bool
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class StartAnswer:
    """`unsure` attempts may or may not have been started: they are asked for again with the same token."""

    started: tuple[Report, ...] = ()
    refused: tuple[Refusal, ...] = ()
    unsure: tuple[UUID, ...] = field(default=())


class Executor(Protocol):
    """One kind of place where attempts run. Methods may block for seconds, never for minutes; none may raise for one bad run."""

    name: str
    remote: bool
    """True: its runs outlive the worker that started them, and another worker may adopt them."""

    def start(self, orders: Sequence[Order]) -> StartAnswer:
        """Start runs. The attempt id is the idempotency token: asked twice, one run exists (I4)."""

    def news(self, timeout: float) -> list[Report]:
        """What was heard since the last call, waiting up to `timeout` seconds for the first of it. Remote runs may only tell when asked."""

    def wake(self) -> None:
        """Let a waiting `news` return at once. Safe from other threads and signal handlers."""

    def ask(self, runs: Sequence[Run]) -> list[Report]:
        """The present state of runs, one report each."""

    def stop(self, runs: Sequence[Run]) -> None:
        """Ask runs to end. Their end is confirmed later, by `news` or `ask`."""

    def extend(self, seconds: float) -> None:
        """The worker's leases hold for `seconds` more, counted from before it asked; local runs die when that runs out."""

    def close(self, grace: float) -> None:
        """Let go: local runs are stopped within `grace` seconds, remote ones are left running."""
