"""What the state of a Lakeflow run means in our words. Pure.

`status` decides, never the older `state`: a serverless run whose program failed says INTERNAL_ERROR there, and to take that for a
fault of Databricks would repeat our own fault for ever. Words that this version of the SDK does not know arrive as None: still unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tasks.agent.contract import Code
from tasks.executors import RunState

_ALIVE = {
    "BLOCKED": RunState.STARTING,
    "PENDING": RunState.STARTING,
    "QUEUED": RunState.STARTING,
    "WAITING": RunState.STARTING,
    "RUNNING": RunState.RUNNING,
    "TERMINATING": RunState.RUNNING,
}
_NEVER_RAN = "Databricks had no room for the run"
_PLATFORM = "Databricks could not carry out the run"
_SET_UP = "The job or the rights of its principal have to be changed"
_ENDINGS: dict[Code, tuple[str, frozenset[str]]] = {
    Code.CANCELLED: ("The run was cancelled", frozenset({"USER_CANCELED", "CANCELED"})),
    Code.RELEASED: (
        _NEVER_RAN,
        frozenset(
            {"SKIPPED", "MAX_CONCURRENT_RUNS_EXCEEDED", "WORKSPACE_RUN_LIMIT_EXCEEDED", "MAX_JOB_QUEUE_SIZE_EXCEEDED", "CLUSTER_REQUEST_LIMIT_EXCEEDED"}
        ),
    ),
    Code.UPSTREAM: (
        _PLATFORM,
        frozenset({"CLOUD_FAILURE", "INTERNAL_ERROR", "CLUSTER_ERROR", "DRIVER_ERROR", "MAX_SPARK_CONTEXTS_EXCEEDED"}),
    ),
    Code.STORAGE: ("The run could not reach its storage", frozenset({"STORAGE_ACCESS_ERROR"})),
    Code.BAD_CONFIGURATION: (
        _SET_UP,
        frozenset(
            {
                "BREAKING_CHANGE", "BUDGET_POLICY_LIMIT_EXCEEDED", "DISABLED", "FEATURE_DISABLED", "INVALID_CLUSTER_REQUEST",
                "INVALID_RUN_CONFIGURATION", "LIBRARY_INSTALLATION_ERROR", "REPOSITORY_CHECKOUT_FAILED", "RESOURCE_NOT_FOUND",
                "UNAUTHORIZED_ERROR",
            }
        ),
    ),
    Code.CRASHED: ("The job's program ended without an outcome", frozenset({"RUN_EXECUTION_ERROR", "SUCCESS", "SUCCESS_WITH_FAILURES"})),
}  # fmt: skip
_BY_WORD = {word: (code, says) for code, (says, words) in _ENDINGS.items() for word in words}
_BY_TYPE = {
    "CLOUD_FAILURE": (Code.UPSTREAM, _PLATFORM),
    "INTERNAL_ERROR": (Code.UPSTREAM, _PLATFORM),
}


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run that left no outcome ended: a code and one sentence. CRASHED: our own program did not come to its end."""

    code: Code
    message: str


def state_of(run: Any) -> RunState:
    """Of the SDK's Run or BaseRun. UNREACHABLE: its word is not known here, so that it is asked for again."""
    state = _word(run.status and run.status.state)
    return RunState.ENDED if state == "TERMINATED" else _ALIVE.get(state, RunState.UNREACHABLE)


def ending_of(run: Any) -> Ending:
    """Of a run that has ended. Words that are not known here count as a fault of the platform, which another attempt may not meet."""
    details = run.status.termination_details
    word, kind = _word(details and details.code), _word(details and details.type)
    # The newer words have none for a run that took too long
    if _word(run.state and run.state.result_state) == "TIMEDOUT":
        return Ending(Code.TIMEOUT, "The run took longer than the job allows (timeout_seconds of the job).")
    code, says = _BY_WORD.get(word) or _BY_TYPE.get(kind) or (Code.UPSTREAM, _PLATFORM)
    reason = ((details and details.message) or "").strip().partition("\n")[0].rstrip(".")[:300]
    # What our own program printed may quote a document, and ends in no message
    shown = f": {reason}" if reason and code is not Code.CRASHED else ""
    return Ending(
        code, f"{says} ({word or 'a reason that is not known here'}){shown}. The run's page says more."
    )


def _word(value: Any) -> str:
    return value.value if value is not None else ""
