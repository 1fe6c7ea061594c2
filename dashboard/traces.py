"""What pages tell of traces: how an attempt's tokens compare with those of its trace, and how fresh that comparison is."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.utils.translation import gettext as _

from dashboard.templatetags.show import usd, whole
from tasks import queue
from tasks.models import Attempt
from tasks.queue import traced
from tasks.traces.places import page_of

TraceState = Attempt.TraceState


def with_traces(attempts: Iterable[Attempt]) -> None:
    """Give each attempt its `trace_page` (empty: no address of MLflow is set) and its `trace_sentence`."""
    for attempt in attempts:
        attempt.trace_page = page_of(attempt.trace_id)
        attempt.trace_sentence = sentence(attempt)


def sentence(attempt: Attempt) -> str:
    """How the attempt's own tokens, its trace and its price compare; empty while there is nothing to compare."""
    said = {
        TraceState.AGREES: _("It has the same tokens."),
        TraceState.DIFFERS: _("It differs from what the attempt told, which is what counts."),
        TraceState.FILLED: _("The attempt did not tell all its tokens; they are taken from the trace."),
        TraceState.MISSING: _(
            "It is missing: MLflow does not have it. Tokens and cost are those that the attempt told."
        ),
        TraceState.NOT_READ: _("Not compared yet.") if attempt.trace_id else "",
    }[TraceState(attempt.trace_state)]
    if attempt.trace_state == TraceState.DIFFERS:
        said += " " + _("Trace: %(input)s tokens in, %(output)s out, %(cached)s of them cached.") % {
            "input": whole(attempt.trace_input_tokens), "output": whole(attempt.trace_output_tokens),
            "cached": whole(attempt.trace_cache_read_tokens),
        }  # fmt: skip
    if attempt.trace_cost_usd is not None:
        said += " " + _("MLflow's own estimate: %(theirs)s; by the prices here: %(ours)s.") % {
            "theirs": usd(attempt.trace_cost_usd), "ours": usd(attempt.cost_usd),
        }  # fmt: skip
    return said


def pace() -> tuple[datetime | None, int, int]:
    """When a trace was compared last (None: not lately), and how many of the last day's are missing or differ."""
    row = traced.pace_of_traces(queue.connection())
    return row.read_at, row.missing, row.differing
