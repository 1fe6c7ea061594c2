"""Says in a code and one sentence how an attempt's process ended. Pure."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from tasks.agent.contract import Code, Completed, Failed, Limits
from tasks.executors import child

SIGNAL_WORDS: dict[int, str] = {
    signal.SIGSEGV: "segmentation fault",
    signal.SIGBUS: "bus error",
    signal.SIGABRT: "abort",
    signal.SIGFPE: "arithmetic fault",
    signal.SIGILL: "illegal instruction",
    signal.SIGTRAP: "trap",
}
STOPPED = {
    "cancelled": (Code.CANCELLED, "Stopped on request."),
    "released": (Code.RELEASED, "The worker is shutting down and handed this attempt back."),
    "lease": (
        Code.LOST,
        "The worker could not renew its lease in time, so it stopped this attempt; another one follows.",
    ),
    "server": (
        Code.CRASHED,
        "The process that runs the attempts of this worker ended unexpectedly, and this attempt with it.",
    ),
}
NEARLY_ALL = 0.8


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended.

    exit: exit code, or minus the signal's number.  why: the reason for which it was ended from outside, or empty.
    kernel_killed: the kernel has killed a process for want of memory meanwhile, or it does not say whether.
    """

    exit: int = 0
    why: str = ""
    cpu_seconds: float | None = None
    max_rss_bytes: int | None = None
    kernel_killed: bool = False
    unconfirmed: bool = False
    """The fork server was lost: the process is dying, and its end shows in its channel."""


def describe(end: Exit, limits: Limits) -> tuple[Code, str]:
    """The code and the sentence for an attempt that gave no outcome."""
    if end.why in STOPPED:
        return STOPPED[end.why]
    if end.why == "timeout":
        return Code.TIMEOUT, (
            f"Not finished within {limits.wall_seconds:,} seconds, the agent's limit for one document. "
            "If documents like this need longer, raise the limit."
        )
    if end.why == "processes":
        return Code.LIMIT, "The agent started too many processes and was stopped."
    if end.exit < 0:
        return _by_signal(-end.exit, end, limits)
    if end.exit == child.EXIT_MEMORY:
        return _out_of_memory(limits)
    if end.exit == child.EXIT_DISK:
        return (
            Code.STORAGE,
            "The folder for temporary files cannot be written; free some space and try again.",
        )
    return (
        Code.CRASHED,
        f"The agent ended without a result (exit code {end.exit}); the attempt's log says more.",
    )


def _by_signal(number: int, end: Exit, limits: Limits) -> tuple[Code, str]:
    if number == signal.SIGXCPU:
        return Code.LIMIT, (
            f"Reading this file took all of its {limits.cpu_seconds:,} seconds of processor time. "
            "It may be damaged; if files like this need longer, raise the agent's limit."
        )
    if number == signal.SIGKILL:
        if end.kernel_killed:
            return Code.OUT_OF_MEMORY, "The machine ran out of memory and ended this attempt."
        return Code.CRASHED, "The attempt's process was killed from outside (SIGKILL)."
    if number in SIGNAL_WORDS:
        # C libraries do not report a failed allocation; they fall over.
        if (end.max_rss_bytes or 0) > NEARLY_ALL * limits.memory_mib * (1 << 20):
            return _out_of_memory(limits)
        return Code.CRASHED, f"The PDF library crashed ({SIGNAL_WORDS[number]}) while reading this file."
    return (
        Code.CRASHED,
        f"The attempt's process was ended by a signal ({signal.strsignal(number) or number}).",
    )


def _out_of_memory(limits: Limits) -> tuple[Code, str]:
    return Code.OUT_OF_MEMORY, (
        f"Reading this file needs more memory than its agent may use ({limits.memory_mib:,} MiB)."
    )


def reworded(outcome: Completed | Failed, end: Exit, limits: Limits) -> Completed | Failed:
    """The outcome of a stopped agent under the name of what stopped it: it knows only that it was asked to stop."""
    if (
        isinstance(outcome, Failed)
        and outcome.code is Code.CANCELLED
        and (end.why == "timeout" or end.why in STOPPED)
    ):
        code, message = describe(end, limits)
        return outcome.model_copy(
            update={"code": code, "message": message, "retryable": code is not Code.CANCELLED}
        )
    return outcome
