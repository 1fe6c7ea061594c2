"""Where traces are, by the settings: the files of this machine, the MLflow store, and the address under which people open one."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from django.conf import settings

from tasks.agent.trace_store import TraceStore, local_uri
from tasks.traces.spool import Spool


def spool() -> Spool:
    return Spool(Path(settings.AGENTAUDIT_HOME) / "spans")


def tracking_uri() -> str:
    return settings.MLFLOW_TRACKING_URI or local_uri(Path(settings.AGENTAUDIT_HOME))


def open_store() -> TraceStore:
    """May take seconds, and raises whatever MLflow raises. It imports MLflow: only for processes that exist for traces."""
    return TraceStore(tracking_uri(), settings.MLFLOW_EXPERIMENT)


def page_of(trace_id: str) -> str:
    """Where people open a trace; empty where no address is known."""
    return f"{settings.MLFLOW_UI_URL}/traces/{quote(trace_id)}" if settings.MLFLOW_UI_URL and trace_id else ""
