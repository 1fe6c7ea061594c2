"""Puts the events and spans of one attempt together from the bytes it sends, and never trusts them."""

from __future__ import annotations

import contextlib
from uuid import UUID

from pydantic import ValidationError

from tasks.agent.contract import Completed, Failed, Progress, Started, parse_event
from tasks.agent.tracing import MOST_SPANS, SPAN_LINE, Span

MAX_EVENT_BYTES = (16 << 20) + 65_536
"""The largest result of DESIGN §10 and what stands around it."""


class EventStream:
    """One line of JSON per event. After the first fault, and after the outcome, nothing more is taken."""

    def __init__(self, attempt: UUID):
        self.attempt = attempt
        self.outcome: Completed | Failed | None = None
        self.fault = ""
        """What was wrong with an event, in one sentence; the attempt has failed by it."""
        self._heard: list[Started | Progress] = []
        self._spans: list[Span] = []
        self._spans_taken = 0
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Take bytes as they come, in pieces of any size."""
        unfinished = len(self._buffer)
        self._buffer += data
        while not self.fault and self.outcome is None:
            end = self._buffer.find(b"\n", unfinished)
            if end < 0:
                break
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            unfinished = 0
            self._take(line)
        if len(self._buffer) > MAX_EVENT_BYTES and self.outcome is None:
            self.fault = self.fault or f"The agent sent an event of more than {MAX_EVENT_BYTES >> 20} MiB."
        if self.fault or self.outcome is not None:
            self._buffer.clear()

    def _take(self, line: bytes) -> None:
        if len(line) > MAX_EVENT_BYTES:
            self.fault = f"The agent sent an event of more than {MAX_EVENT_BYTES >> 20} MiB."
            return
        if line.startswith(SPAN_LINE):
            self._take_span(line.removeprefix(SPAN_LINE))
            return
        try:
            event = parse_event(line)
        except ValidationError as error:
            # Without the input: it may be text of the document.
            first = error.errors(include_input=False, include_url=False, include_context=False)[0]
            place = ".".join(str(part) for part in first["loc"]) or "the whole"
            self.fault = (
                f"The agent sent an event that does not follow the contract ({place}: {first['msg']})."
            )
            return
        if event.attempt != self.attempt:
            self.fault = "The agent sent an event in the name of another attempt."
        elif isinstance(event, Completed | Failed):
            self.outcome = event
        else:
            if isinstance(event, Progress):
                self._heard = [known for known in self._heard if not isinstance(known, Progress)]
            self._heard = [*self._heard, event][-2:]

    def _take_span(self, line: bytes) -> None:
        """A span that is wrong, or one too many, is dropped: a trace is never a reason to fail."""
        if self._spans_taken > MOST_SPANS:
            return
        with contextlib.suppress(ValidationError):
            self._spans.append(Span.model_validate_json(line))
            self._spans_taken += 1

    def take_spans(self) -> tuple[Span, ...]:
        """The spans that were heard since the last call."""
        taken, self._spans = tuple(self._spans), []
        return taken

    def heard(self) -> bool:
        """Whether there is news other than the outcome."""
        return bool(self._heard)

    def take(self) -> tuple[Started | Progress, ...]:
        """What was heard since the last call: of several progress events only the last. The outcome is not among it."""
        taken, self._heard = tuple(self._heard), []
        return taken
