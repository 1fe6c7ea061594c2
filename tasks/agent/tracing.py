"""Records what an attempt does as spans: what was done, for how long, with how many tokens, and never with which words.

    with span("model call", kind="LLM", model=model) as call:
        answer = ask(…)
        call.set(input_tokens=answer.usage.prompt_tokens, output_tokens=answer.usage.completion_tokens)

Outside an attempt this does nothing. A finished span is handed on at once, so that an attempt that is killed leaves what it had done.
Nothing here imports MLflow or raises: what goes wrong with a trace never reaches the attempt.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from tasks.agent.contract import Model, Problem

Kind = Literal["AGENT", "CHAIN", "LLM", "PARSER", "TOOL", "RETRIEVER", "GUARDRAIL", "UNKNOWN"]
"""MLflow's span types. Only an LLM span's tokens count as tokens of the attempt."""
SpanId = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]

TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
"""Attributes of an LLM span, as in `contract.Usage`: totals of this one call; `input_tokens` includes both cache kinds."""
WORDS = frozenset({"model", "provider", "finish_reason", "code", "program", "language", "engine", "source"})
"""The only attributes that may hold text. Everything else is a number or a truth value, so that no word of a document slips in."""
SPAN_LINE = b"span "
"""Begins a line that holds a span where it shares a pipe with events, which begin with a brace."""
MOST_WORDS = 200
MOST_CONTENT = 32_768
MOST_SPANS = 2_000
"""Per attempt; what comes after is counted on the attempt's own span (`spans_left_out`) and not kept."""


class Span(Model):
    """One finished step. Times are nanoseconds since 1970; `parent_id` is empty for the attempt itself.

    error: the type of the exception, or the code of the problem, that ended it.
    inputs, outputs: text, kept only where TRACE_CONTENT says so.
    """

    span_id: SpanId
    parent_id: Annotated[str, Field(pattern=r"^([0-9a-f]{16})?$")] = ""
    name: Annotated[str, Field(max_length=100)]
    kind: Kind = "CHAIN"
    start_ns: Annotated[int, Field(ge=0, lt=1 << 63)]
    end_ns: Annotated[int, Field(ge=0, lt=1 << 63)]
    error: Annotated[str, Field(max_length=100)] = ""
    attributes: dict[Annotated[str, Field(max_length=60)], bool | int | float | str] = {}
    inputs: Annotated[str, Field(max_length=MOST_CONTENT)] = ""
    outputs: Annotated[str, Field(max_length=MOST_CONTENT)] = ""


HandOver = Callable[[Span], None]


def trace_id(attempt: UUID) -> str:
    """The id of an attempt's trace, known before there is one: its 128 bits are the attempt's."""
    return f"tr-{attempt.hex}"


def root_id(attempt: UUID) -> str:
    """The id of the span that stands for the whole attempt, so that others can name it as their parent before it ends."""
    return attempt.hex[16:]


class Step:
    """A span that is still open."""

    def __init__(self, keep_content: bool = False) -> None:
        self.attributes: dict[str, bool | int | float | str] = {}
        self.inputs = self.outputs = self.error = ""
        self._keep_content = keep_content

    def set(self, **attributes: object) -> None:
        """Numbers, truth values, and text for the names in WORDS; anything else, None included, is left out."""
        for name, value in attributes.items():
            if isinstance(value, bool | int | float):
                self.attributes[name] = value
            elif isinstance(value, str) and name in WORDS:
                self.attributes[name] = value[:MOST_WORDS]

    def fail(self, code: str) -> None:
        """It did not do what it was for, although nothing is raised here."""
        self.error = code

    def content(self, *, inputs: str = "", outputs: str = "") -> None:
        """What was said, which is kept only where TRACE_CONTENT says so."""
        if self._keep_content:
            self.inputs = inputs[:MOST_CONTENT] or self.inputs
            self.outputs = outputs[:MOST_CONTENT] or self.outputs


class _Nowhere(Step):
    """What is told to it is forgotten."""

    def set(self, **attributes: object) -> None: ...

    def fail(self, code: str) -> None: ...

    def content(self, *, inputs: str = "", outputs: str = "") -> None: ...


class _Recorder:
    """One attempt's spans on their way out."""

    def __init__(self, attempt: UUID, hand_over: HandOver, keep_content: bool) -> None:
        self.root, self.keep_content = root_id(attempt), keep_content
        self._hand_over, self._handed, self._left_out = hand_over, 0, 0

    def finish(self, step: Step, span_id: str, **about: Any) -> None:
        last = span_id == self.root
        if self._handed >= MOST_SPANS and not last:
            self._left_out += 1
            return
        if last and self._left_out:
            step.set(spans_left_out=self._left_out)
        self._handed += 1
        try:
            self._hand_over(
                Span(
                    span_id=span_id,
                    attributes=step.attributes,
                    inputs=step.inputs,
                    outputs=step.outputs,
                    **about,
                )
            )
        except Exception:  # noqa: BLE001 - whatever is wrong with a trace, the attempt goes on
            self._left_out += 1


_recorder: _Recorder | None = None
"""One attempt runs in a process at a time; its threads share it."""
_parent: ContextVar[str] = ContextVar("parent", default="")
_NOWHERE = _Nowhere()


@contextmanager
def span(name: str, kind: Kind = "CHAIN", **attributes: object) -> Iterator[Step]:
    """Record what happens inside as one step of the attempt, below the step that is open in this thread."""
    recorder = _recorder
    if recorder is None:
        yield _NOWHERE
        return
    with _step(recorder, os.urandom(8).hex(), _parent.get() or recorder.root, name, kind) as step:
        step.set(**attributes)
        yield step


@contextmanager
def recording(
    attempt: UUID, hand_over: HandOver | None, *, keep_content: bool = False, **attributes: object
) -> Iterator[Step]:
    """Hand every step that ends inside to `hand_over`, the attempt itself as the last one. None: nothing is recorded."""
    global _recorder
    if hand_over is None:
        yield _NOWHERE
        return
    before, _recorder = _recorder, _Recorder(attempt, hand_over, keep_content)
    try:
        with _step(_recorder, _recorder.root, "", "attempt", "AGENT") as step:
            step.set(**attributes)
            yield step
    finally:
        _recorder = before


@contextmanager
def _step(recorder: _Recorder, span_id: str, parent_id: str, name: str, kind: Kind) -> Iterator[Step]:
    step, started = Step(recorder.keep_content), time.time_ns()
    token = _parent.set(span_id)
    try:
        yield step
    except BaseException as raised:
        # Only its type or code: the text may quote the document
        step.error = str(raised.code) if isinstance(raised, Problem) else type(raised).__name__
        raise
    finally:
        _parent.reset(token)
        recorder.finish(
            step,
            span_id,
            parent_id=parent_id,
            name=name[:100],
            kind=kind,
            start_ns=started,
            end_ns=max(started, time.time_ns()),
            error=step.error[:100],
        )
