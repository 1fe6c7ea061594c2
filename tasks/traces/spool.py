"""Keeps finished spans in files until the exporter has written them, so that neither's death loses one.

A worker puts, the exporter takes. A file is whole or not there (written beside, then renamed); it outlives every process of ours. It is
not synced to the disk: a machine that loses power loses the attempt too, whose next one has a trace of its own.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from pydantic import ValidationError

from tasks.agent.contract import Model, Order
from tasks.agent.trace_store import Trace
from tasks.agent.tracing import Span, root_id

MOST_FILES = 20_000
COUNT_SECONDS = 5.0
ENDED = ".end.json"
NOTHING_CAME = "lost"
"""The error of an attempt of which no outcome was heard."""

log = logging.getLogger(__name__)


class Part(Model):
    """What one file holds. The last part of an attempt also says from when to when its process lived and what became of it."""

    tags: dict[str, str]
    spans: tuple[Span, ...] = ()
    start_ns: int = 0
    end_ns: int = 0
    error: str = ""


@dataclass(slots=True)
class Waiting:
    """The files of one attempt. `ended`: no more will come."""

    attempt: UUID
    paths: list[Path] = field(default_factory=list)
    ended: bool = False


class Spool:
    """A folder of files `<attempt>-<time>.json`, the last one of an attempt `….end.json`; private to the user, bounded in number."""

    def __init__(self, folder: Path, most_files: int = MOST_FILES):
        self.folder, self._most_files = folder, most_files
        self._count_at, self._files, self._left_out = 0.0, 0, 0

    def put(self, order: Order, spans: Sequence[Span]) -> None:
        """Keep spans of an attempt that goes on. Never raises: what cannot be kept is missing in the trace, and said in the log."""
        if order.tracing and spans:
            self._put(order, Part(tags=order.tracing.tags, spans=tuple(spans)), ".json")

    def end(self, order: Order, started_ns: int, error: str) -> None:
        """Say that nothing more comes of an attempt, which began at `started_ns` and ended now. Never raises."""
        if order.tracing:
            last = Part(tags=order.tracing.tags, start_ns=started_ns, end_ns=time.time_ns(), error=error)
            self._put(order, last, ENDED)

    def _put(self, order: Order, part: Part, suffix: str) -> None:
        try:
            if not self._has_room():
                self._left_out += 1
                return
            path = self.folder / f"{order.attempt.hex}-{time.time_ns()}{suffix}"
            partial = path.with_suffix(".part")
            with open(partial, "x", encoding="utf-8", opener=_private) as file:
                file.write(part.model_dump_json(exclude_defaults=True))
            os.replace(partial, path)
            self._files += 1
        except OSError as error:
            log.warning("The trace of attempt %s could not be kept: %s.", order.attempt, error.strerror)

    def _has_room(self) -> bool:
        now = time.monotonic()
        if now >= self._count_at:
            self._count_at = now + COUNT_SECONDS
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._files = sum(1 for _ in self.folder.iterdir())
            if self._left_out:
                log.warning(
                    "%d files of spans wait in %s, the most that are kept, and %d more were left out. Their traces will be shown as "
                    "missing; tokens and costs are not touched. manage.py doctor says why none is written.",
                    self._files, self.folder, self._left_out,
                )  # fmt: skip
                self._left_out = 0
        return self._files < self._most_files

    # For the exporter

    def waiting(self) -> list[Waiting]:
        """All attempts of which there are files, in the order of their oldest one."""
        found: dict[str, Waiting] = {}
        for path in sorted(self._names(), key=lambda path: path.name.partition("-")[2]):
            attempt = path.name.partition("-")[0]
            with suppress(ValueError):  # not a file of ours
                entry = found.setdefault(attempt, Waiting(UUID(attempt)))
                entry.paths.append(path)
                entry.ended |= path.name.endswith(ENDED)
        return list(found.values())

    def _names(self) -> list[Path]:
        try:
            return [path for path in self.folder.iterdir() if path.suffix == ".json"]
        except FileNotFoundError:
            return []

    def remove(self, entries: Iterable[Waiting]) -> None:
        for entry in entries:
            for path in entry.paths:
                path.unlink(missing_ok=True)

    def set_aside(self, entry: Waiting) -> None:
        """Keep files that the store refuses where nobody takes them for waiting."""
        for path in entry.paths:
            with suppress(OSError):
                os.replace(path, path.with_suffix(".refused"))

    # For whoever deletes

    def every(self) -> dict[UUID, list[Path]]:
        """The files of each attempt, whatever state they are in."""
        found: dict[UUID, list[Path]] = {}
        with suppress(FileNotFoundError):
            for path in self.folder.iterdir():
                with suppress(ValueError):  # not a file of ours
                    found.setdefault(UUID(path.name.partition("-")[0]), []).append(path)
        return found


def read(entry: Waiting) -> Trace:
    """The trace in an attempt's files, each span once, with a span for the attempt itself where it died before it could tell one."""
    parts, spans = [], {}
    for path in entry.paths:
        try:
            parts.append(Part.model_validate_json(path.read_bytes()))
        except (ValidationError, json.JSONDecodeError, FileNotFoundError):
            log.warning("%s holds no spans that can be read; it is left out of its trace.", path.name)
            continue
        spans.update({span.span_id: span for span in parts[-1].spans})
    root = root_id(entry.attempt)
    if root not in spans:
        spans[root] = _root(root, parts, list(spans.values()))
    return Trace(entry.attempt, parts[-1].tags if parts else {}, tuple(spans.values()))


def _root(root: str, parts: list[Part], spans: list[Span]) -> Span:
    starts = [part.start_ns for part in parts if part.start_ns] or [span.start_ns for span in spans]
    ends = [part.end_ns for part in parts if part.end_ns] or [span.end_ns for span in spans]
    error = next((part.error for part in parts if part.error), NOTHING_CAME)
    start = min(starts, default=time.time_ns())
    return Span(
        span_id=root,
        name="attempt",
        kind="AGENT",
        start_ns=start,
        end_ns=max(start, *ends),
        error=error[:100],
    )


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
