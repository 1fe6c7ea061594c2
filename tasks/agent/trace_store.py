"""Writes finished traces into MLflow with the ids and times that they came with, and reads them back. Only here is MLflow imported.

Three kinds of store take the same traces: a SQLite or other SQL store and an MLflow server take spans (`log_spans`, which replaces a
span that it has already, so that writing twice changes nothing); a Databricks workspace takes a trace and its spans as a file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from tasks.agent import tracing
from tasks.agent.tracing import Span

if TYPE_CHECKING:
    from mlflow.entities import Span as MlflowSpan
    from mlflow.entities import Trace as MlflowTrace

QUIET = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "MLFLOW_MODEL_CATALOG_URI": "",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "20",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_LOGGING_LEVEL": "WARNING",
    "GIT_PYTHON_REFRESH": "quiet",
}
"""Nothing is told to anybody, no price list is fetched, and a store that does not answer is given up soon: the trace waits in its file."""
USAGE = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_creation_input_tokens",
}
"""Our names of tokens → MLflow's."""
TAG = "mlflow.traceTag."
"""Begins an attribute of the attempt's own span that becomes a tag of the trace."""
MODEL_CALLS = ("LLM", "CHAT_MODEL")
MILLIONTH = Decimal("0.000001")
MOST_COST = Decimal(10) ** 8


@dataclass(frozen=True, slots=True)
class Trace:
    """An attempt's finished spans, and the tags to find it by (task, attempt, client, agent, version)."""

    attempt: UUID
    tags: dict[str, str]
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Stored:
    """What a stored trace says was used, and the model of its last call. Tokens: sums over the model calls, None where none reported that kind.

    cost_usd: MLflow's own estimate from its list prices, six places; None where it has no price for the model.
    """

    trace_id: str
    spans: int
    calls: int
    model: str
    tokens: dict[str, int | None]
    cost_usd: Decimal | None


class TraceStore:
    """One experiment of one MLflow store. Every method may raise whatever MLflow raises."""

    def __init__(self, uri: str, experiment: str):
        """Opens the store and makes the experiment where it is missing; the first time on a SQLite file takes half a minute."""
        prepare(uri)
        import mlflow
        from mlflow.tracing.client import TracingClient

        mlflow.set_tracking_uri(uri)
        self.uri, self.client = uri, TracingClient(uri)
        self.is_workspace = uri.partition(":")[0] == "databricks"
        store = self.client.store
        found = store.get_experiment_by_name(experiment)
        # A SQL store would invent a folder below the present one for files, of which a trace has none
        path = _path(uri)
        files = f"file://{path.parent}/files" if path else None
        self.experiment_id: str = (
            found.experiment_id if found else store.create_experiment(experiment, files, [])
        )

    def write(self, traces: Sequence[Trace]) -> None:
        """Store them all or raise; writing one again replaces it."""
        made = [_mlflow_spans(trace, priced=self.is_workspace) for trace in traces]
        if self.is_workspace:
            for spans in made:
                self._write_whole(spans)
        else:
            self.client.log_spans(self.experiment_id, [span for spans in made for span in spans])

    def read(self, trace_ids: Sequence[str]) -> dict[str, Stored]:
        """Those of the traces that are there, by id."""
        if self.is_workspace:
            found = [trace for trace in map(self._one, trace_ids) if trace]
        else:
            found = self.client.batch_get_traces(list(trace_ids))
        return {trace.info.trace_id: stored(trace) for trace in found}

    def delete(self, trace_ids: Sequence[str]) -> None:
        for start in range(0, len(trace_ids), 100):
            self.client.delete_traces(self.experiment_id, trace_ids=list(trace_ids[start : start + 100]))

    def _one(self, trace_id: str) -> MlflowTrace | None:
        from mlflow.exceptions import MlflowException

        try:
            return self.client.get_trace(trace_id)
        except MlflowException as error:
            if error.error_code in ("RESOURCE_DOES_NOT_EXIST", "NOT_FOUND", "BAD_REQUEST"):
                return None
            raise

    def _write_whole(self, spans: list[MlflowSpan]) -> None:
        from mlflow.entities import TraceData

        info = self.client.start_trace(_trace_info(spans, self.experiment_id))
        self.client._upload_trace_data(info, TraceData(spans=spans))


def prepare(uri: str) -> None:
    """What has to be said before MLflow is imported; for a SQLite file also its folder, which only this user can enter."""
    os.environ.update(QUIET)
    if path := _path(uri):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)


def _path(uri: str) -> Path | None:
    """The file of a SQLite store."""
    return Path(uri.removeprefix("sqlite:///")) if uri.startswith("sqlite:///") else None


def local_uri(home: Path) -> str:
    """MLflow's SQLite store below `home`, where no other one is named."""
    return f"sqlite:///{home.absolute() / 'mlflow' / 'mlflow.db'}"


def stored(trace: MlflowTrace) -> Stored:
    """What a trace says was used: model calls only, and of calls inside calls the innermost, so that no token counts twice."""
    calls = [span for span in trace.data.spans if span.span_type in MODEL_CALLS]
    parents = {span.span_id: span.parent_id for span in trace.data.spans}
    outer = {above for span in calls for above in _above(span.span_id, parents)}
    usages = [
        span.get_attribute("mlflow.chat.tokenUsage") or {} for span in calls if span.span_id not in outer
    ]
    cost = (trace.info.cost or {}).get("total_cost")
    return Stored(
        trace_id=trace.info.trace_id,
        spans=len(trace.data.spans),
        calls=len(usages),
        model=str(calls[-1].get_attribute("mlflow.llm.model") or "") if calls else "",
        tokens={ours: _sum(usage.get(theirs) for usage in usages) for ours, theirs in USAGE.items()},
        cost_usd=_money(cost),
    )


def _above(span_id: str, parents: dict[str, str | None]) -> set[str]:
    """The spans around one, whatever the parents say: also when they go in a circle."""
    found: set[str] = set()
    while (above := parents.get(span_id)) and above not in found:
        found.add(above)
        span_id = above
    return found


def _sum(values: Iterable[int | None]) -> int | None:
    known = [int(value) for value in values if value is not None]
    return sum(known) if known else None


def _money(cost: float | None) -> Decimal | None:
    """None also for what cannot be the cost of one attempt."""
    if cost is None:
        return None
    exact = Decimal(str(cost))
    return exact.quantize(MILLIONTH) if exact.is_finite() and 0 <= exact < MOST_COST else None


def _mlflow_spans(trace: Trace, *, priced: bool) -> list[MlflowSpan]:
    """priced: with MLflow's estimate of each call's cost, for a store that makes none itself."""
    from mlflow.entities import Span as MlflowSpan

    return [MlflowSpan.from_dict(_as_dict(span, trace, priced=priced)) for span in trace.spans]


def _as_dict(span: Span, trace: Trace, *, priced: bool) -> dict[str, Any]:
    """A span in MLflow's own JSON form; attributes are JSON themselves."""
    attributes = _usage(span, priced=priced) | {
        "mlflow.traceRequestId": tracing.trace_id(trace.attempt),
        "mlflow.spanType": span.kind,
        **{name: value for name, value in span.attributes.items() if name not in USAGE},
        **{
            name: text
            for name, text in (("mlflow.spanInputs", span.inputs), ("mlflow.spanOutputs", span.outputs))
            if text
        },
    }
    if span.span_id == tracing.root_id(trace.attempt):
        tags = {"mlflow.traceName": trace.tags.get("agent") or "attempt", **trace.tags}
        attributes |= {f"{TAG}{name}": value for name, value in tags.items()}
    return {
        "trace_id": tracing.trace_id(trace.attempt),
        "span_id": span.span_id,
        "parent_span_id": span.parent_id,
        "name": span.name,
        "start_time_unix_nano": span.start_ns,
        "end_time_unix_nano": span.end_ns,
        "status": {"code": "STATUS_CODE_ERROR" if span.error else "STATUS_CODE_OK", "message": span.error},
        "attributes": {name: json.dumps(value, ensure_ascii=False) for name, value in attributes.items()},
    }


def _usage(span: Span, *, priced: bool) -> dict[str, Any]:
    """Model and tokens of a call under MLflow's names. Kinds that are not known are left out."""
    from mlflow.tracing.utils import calculate_cost_by_model_and_token_usage

    found: dict[str, Any] = {
        f"mlflow.llm.{name}": span.attributes[name]
        for name in ("model", "provider")
        if name in span.attributes
    }
    usage = {theirs: int(span.attributes[ours]) for ours, theirs in USAGE.items() if ours in span.attributes}
    if usage:
        usage["total_tokens"] = usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
        found["mlflow.chat.tokenUsage"] = usage
    if priced and (cost := calculate_cost_by_model_and_token_usage(found.get("mlflow.llm.model"), usage)):
        found["mlflow.llm.cost"] = cost
    return found


def _trace_info(spans: list[Any], experiment_id: str) -> Any:
    """The head of a trace for a store that takes whole traces; its sums are made here, not there."""
    from mlflow.entities import TraceInfo, TraceLocation, TraceState
    from mlflow.tracing.utils import aggregate_cost_from_spans, aggregate_usage_from_spans

    root = next(span for span in spans if span.parent_id is None)
    metadata = {
        "mlflow.trace.tokenUsage": aggregate_usage_from_spans(spans),
        "mlflow.trace.cost": aggregate_cost_from_spans(spans),
    }
    return TraceInfo(
        trace_id=root.trace_id,
        trace_location=TraceLocation.from_experiment_id(experiment_id),
        request_time=root.start_time_ns // 1_000_000,
        execution_duration=(root.end_time_ns - root.start_time_ns) // 1_000_000,
        state=TraceState.ERROR if str(root.status.status_code) == "ERROR" else TraceState.OK,
        trace_metadata={
            "mlflow.trace_schema.version": "3",
            **{name: json.dumps(value) for name, value in metadata.items() if value},
        },
        tags={
            name.removeprefix(TAG): str(value)
            for name, value in root.attributes.items()
            if name.startswith(TAG)
        },
    )
