"""Writes one trace, reads it back, and removes it."""

from __future__ import annotations

import time
from uuid import uuid4

from tasks.agent.trace_store import Trace, TraceStore
from tasks.agent.tracing import Span, root_id, trace_id

USED: dict[str, bool | int | float | str] = {"input_tokens": 12, "output_tokens": 3}


class NotRead(Exception):
    """The store took a trace and does not give it back, or gives another one."""


def written_and_read_back(store: TraceStore) -> None:
    """Raises NotRead, or what MLflow raises."""
    attempt, now = uuid4(), time.time_ns()
    root = Span(span_id=root_id(attempt), name="attempt", kind="AGENT", start_ns=now, end_ns=now)
    call = Span(
        span_id="1" * 16,
        parent_id=root.span_id,
        name="model call",
        kind="LLM",
        start_ns=now,
        end_ns=now,
        attributes=USED,
    )
    store.write([Trace(attempt, {"agent": "doctor", "attempt": str(attempt)}, (root, call))])
    try:
        found = store.read([trace_id(attempt)]).get(trace_id(attempt))
        if found is None:
            raise NotRead("The store took a trace and does not have it.")
        if found.spans != 2 or {name: found.tokens[name] for name in USED} != USED:
            raise NotRead(
                f"Two spans with 12 and 3 tokens were written; {found.spans} with {found.tokens} came back."
            )
    finally:
        store.delete([trace_id(attempt)])
