"""Runs one attempt: loads the agent's program, turns what happens into events, and writes the outcome before it is spoken, if it can be written."""

from __future__ import annotations

import importlib
import json
import logging
import os
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from tasks.agent import result_rows, signatures, tracing
from tasks.agent.contract import (
    LONGEST_WAIT_SECONDS,
    MOST_MESSAGE,
    NOT_HANDED_IN,
    Code,
    Completed,
    Event,
    Failed,
    Order,
    Problem,
    Progress,
    Result,
    Started,
    Usage,
    is_handed_in,
)

Emit = Callable[[Event], None]
ReportProgress = Callable[[int, int, Usage], None]
Read = Callable[[Order, ReportProgress], tuple[Result, Usage]]

BUILT_IN = {
    "rules": "tasks.agent.rules.reader:read",
    "llm": "tasks.agent.llm.reader:read",
    "databricks-ai-extract": "tasks.agent.databricks.extract:read",
    "contract-rules": "tasks.agent.agreements:read",
    "statement-rules": "tasks.agent.statements:read",
}
WITHOUT_MODEL = frozenset({"rules", "contract-rules", "statement-rules"})
"""Programs that ask no model; what they may ask besides (a service that recognises pages) they count as calls."""
NONE_USED = {"input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0}
PROGRESS_SECONDS = 0.25
"""Pages may take a millisecond each; nobody watches faster than this."""

log = logging.getLogger(__name__)


def run(
    order: Order,
    emit: Emit,
    should_stop: Callable[[], bool] = lambda: False,
    hand_over: tracing.HandOver | None = None,
) -> bool:
    """Do what `order` asks; emit Started, Progress…, then exactly one of Completed and Failed. Raises only what `emit` raises.

    Whether the outcome stands as a row or in a file, so that it is not lost where nobody takes what is emitted.
    `hand_over` gets each span as it ends, all of them before the outcome is emitted; what it raises is of no consequence.
    """
    emit(Started(attempt=order.attempt))
    traced = order.tracing is not None and hand_over is not None
    outcome = traced_attempt(order, Reporter(order, emit, should_stop), hand_over if traced else None)
    if traced:
        outcome = outcome.model_copy(update={"trace_id": tracing.trace_id(order.attempt)})
    outcome, is_kept = keep_outcome(order, writable(counted(order, outcome)))
    emit(outcome)
    return is_kept


def counted(order: Order, outcome: Completed | Failed) -> Completed | Failed:
    """The outcome; where nothing can have used tokens it says none, and not that nobody knows."""
    if order.program not in WITHOUT_MODEL or outcome.usage.calls:
        return outcome
    return outcome.model_copy(update={"usage": outcome.usage.model_copy(update=NONE_USED)})


def writable(outcome: Completed | Failed) -> Completed | Failed:
    """The outcome, or a failure that keeps what was paid where one of its texts holds half a pair of UTF-16, which is no text to any file."""
    try:
        outcome.model_dump_json()
    except PydanticSerializationError:
        message = "The agent gave an invalid result: one of its texts holds half a character, which cannot be written."
        return Failed(
            attempt=outcome.attempt, code=Code.INVALID_RESULT, message=message, retryable=False, usage=outcome.usage,
            trace_id=outcome.trace_id,
        )  # fmt: skip
    return outcome


def traced_attempt(
    order: Order, progress: ReportProgress, hand_over: tracing.HandOver | None
) -> Completed | Failed:
    """`attempt` as the root of its trace, which says how it ended."""
    content = order.tracing is not None and order.tracing.content
    with tracing.recording(order.attempt, hand_over, keep_content=content, program=order.program) as root:
        outcome = attempt(order, progress)
        if isinstance(outcome, Failed):
            root.fail(str(outcome.code))
        root.set(calls=outcome.usage.calls, model=outcome.usage.model or None)
    return outcome


def attempt(order: Order, progress: ReportProgress) -> Completed | Failed:
    """The outcome of reading the document; every exception becomes a Failed with a fitting code."""
    try:
        program = load(order.program)
        must_be_what_was_handed_in(order)
        result, usage = program(order, progress)
        return Completed(attempt=order.attempt, result=result, usage=usage)
    except Problem as problem:
        return failed(order, problem, progress)
    except MemoryError:
        limit = order.limits.memory_mib
        message = f"Reading this document needs more memory than its agent may use ({limit:,} MiB)."
        return failed(order, Problem(Code.OUT_OF_MEMORY, message, retryable=True), progress)
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in fault["loc"])
        return failed(
            order,
            Problem(Code.INVALID_RESULT, f"The agent gave an invalid result ({where}: {fault['msg']})."),
            progress,
        )
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a program does, its attempt ends with an event
        # The exception's text may quote the document, so that only its type and the places in the code are kept.
        log.error("%s\n%s", type(error).__name__, "".join(traceback.format_tb(error.__traceback__)))
        message = f"The agent stopped on an unexpected error ({type(error).__name__}); the attempt's log says where."
        return failed(order, Problem(Code.CRASHED, message, retryable=True), progress)


def must_be_what_was_handed_in(order: Order) -> None:
    """Raises Problem for a file with other bytes: of one that was cut short, PDFium may well read a part. A file that cannot be read is left
    to the program, and so is one whose digest nobody has said.
    """
    try:
        unchanged = is_handed_in(order.document, order.document_sha256)
    except OSError:
        return
    if not unchanged:
        raise Problem(Code.STORAGE, NOT_HANDED_IN, retryable=True)


def failed(order: Order, problem: Problem, progress: ReportProgress) -> Failed:
    """With what was paid until then: as the problem says, else as the program told last. What an upstream says may have any length."""
    told: Usage = getattr(progress, "usage", Usage())
    message, wait = problem.message, problem.retry_after
    return Failed(
        attempt=order.attempt,
        code=problem.code,
        message=message if len(message) <= MOST_MESSAGE else f"{message[: MOST_MESSAGE - 1]}…",
        retryable=problem.retryable,
        retry_after=None if wait is None else max(0, min(LONGEST_WAIT_SECONDS, wait)),
        usage=problem.usage or told,
    )


class Reporter:
    """What a program calls after each page: tells about progress, and ends the attempt when it was asked to stop.

    `usage` is the last that the program told: what an attempt that ends by an error has paid for.
    """

    def __init__(self, order: Order, emit: Emit, should_stop: Callable[[], bool]):
        self._order, self._emit, self._should_stop = order, emit, should_stop
        self._quiet_until = -PROGRESS_SECONDS
        self.usage = Usage()

    def __call__(self, done: int, total: int, usage: Usage) -> None:
        # What was paid is told at once: an attempt that is killed a moment later has paid all the same
        paid, self.usage = usage != self.usage, usage
        now = time.monotonic()
        if paid or done == total or now >= self._quiet_until:
            self._quiet_until = now + PROGRESS_SECONDS
            self._emit(Progress(attempt=self._order.attempt, pages_done=done, pages_total=total, usage=usage))
        if self._should_stop():
            raise Problem(Code.CANCELLED, "Stopped on request.")


def load(name: str) -> Read:
    """The program called `name`: a built-in one, or any "package.module:function". Raises Problem: agent_not_available."""
    path = BUILT_IN.get(name, name)
    module_name, colon, function_name = path.partition(":")
    if not (colon and module_name and function_name):
        known = ", ".join(BUILT_IN)
        message = f"There is no program “{name}”; use one of {known} or a path like package.module:function."
        raise Problem(Code.AGENT_NOT_AVAILABLE, message)
    try:
        program = getattr(importlib.import_module(module_name), function_name)
    except (ImportError, AttributeError) as error:
        message = f"The program “{name}” cannot be loaded here: {error}."
        raise Problem(Code.AGENT_NOT_AVAILABLE, message) from None
    if not callable(program):
        raise Problem(Code.AGENT_NOT_AVAILABLE, f"The program “{name}” is not a function.")
    return program


def keep_outcome(order: Order, outcome: Completed | Failed) -> tuple[Completed | Failed, bool]:
    """Make the final event durable, as a row or as a file, before anybody hears of it; how it is to be spoken, and whether it is durable."""
    sealed = sealed_outcome(order, outcome)
    if order.result_table and result_rows.insert(order.result_table, order.attempt, sealed):
        return result_rows.as_named(outcome, sealed), True
    if not order.outcome:
        return outcome, False
    try:
        _write_outcome(order, sealed)
    except OSError as error:
        # What is spoken arrives as a rule, and what was paid for would have to be paid for again
        log.error("The outcome could not be written, and is only spoken (%s).", error.strerror)
        return outcome, False
    return outcome, True


def _write_outcome(order: Order, sealed: dict[str, object]) -> None:
    """Store the sealed outcome at `order.outcome`, whole or not at all."""
    target = Path(order.outcome)
    partial = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with open(partial, "w", encoding="utf-8") as file:
            json.dump(sealed, file, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    except OSError:
        partial.unlink(missing_ok=True)  # of a full disk it would keep the last bytes
        raise


def sealed_outcome(order: Order, outcome: Event) -> dict[str, object]:
    """The content of the outcome file, or of the attempt's row: the event as a signed message, so that nobody else can have written it."""
    body = outcome.model_dump_json()
    headers = {}
    if order.callback_secret:
        headers = signatures.headers(
            order.callback_secret, f"outcome-{order.attempt}", int(time.time()), body.encode()
        )
    return {"headers": headers, "body": body}
