"""What the page of a task tells of its attempts: their course with durations, their log, and what they were given and gave."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, BinaryIO
from uuid import UUID

from django.contrib.auth.decorators import permission_required
from django.db.models import F, Func, TextField
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from dashboard import errors
from dashboard.streaming import download
from tasks.access import visible_to
from tasks.models import Attempt, Task
from tasks.storage import NotStored, StorageError, get_storage

TAIL_BYTES = 16 * 1024
PIECE = 1 << 18
STEPS: tuple[tuple[str, str | Promise], ...] = (
    ("queued_at", gettext_lazy("Queued")), ("claimed_at", gettext_lazy("Claimed")), ("started_at", gettext_lazy("Started")),
    ("last_seen_at", gettext_lazy("Last heard of")), ("finished_at", gettext_lazy("Outcome known")),
    ("settled_at", gettext_lazy("Money settled")), ("ended_at", gettext_lazy("End confirmed")),
)  # fmt: skip
_WITH_MARKS = Task.objects.select_related("client", "extraction")


@dataclass(frozen=True, slots=True)
class Step:
    """A moment of an attempt, and how long after the one before it (seconds; None for the first)."""

    word: str
    at: datetime
    seconds: float | None


def is_deleted(task: Task) -> bool:
    """Whether its document and results were deleted, or are being deleted: those of its extraction, or all of its client."""
    return task.client.deletion_began_at is not None or task.extraction.pruned_at is not None


def with_courses(task: Task, attempts: list[Attempt]) -> None:
    """Give each attempt (newest first) its `course`: the moments that are known, in the order in which they were."""
    before: Attempt | None = None
    for attempt in reversed(attempts):
        same = before is not None and before.generation == attempt.generation
        first = task.enqueued_at if attempt.generation == task.generation else None
        attempt.queued_at = before.finished_at if same and before is not None else first
        moments = [(str(word), at) for name, word in STEPS if (at := getattr(attempt, name))]
        moments = sorted(moments, key=lambda moment: moment[1])
        attempt.course = [
            Step(word, at, (at - moments[place - 1][1]) / timedelta(seconds=1) if place else None)
            for place, (word, at) in enumerate(moments)
        ]
        before = attempt


def log_name(attempt: UUID) -> str:
    return f"attempts/{attempt}.log"


def log_tail(attempt: UUID) -> tuple[str, bool] | None:
    """The end of an attempt's log (or why it cannot be read), and whether something was left out before it; None where it has printed nothing."""
    try:
        with get_storage().open(log_name(attempt)) as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - TAIL_BYTES))
            text = file.read(TAIL_BYTES).decode(errors="replace")
    except NotStored:
        return None
    except StorageError:
        return str(errors.STORAGE_IS_AWAY), False
    if size > TAIL_BYTES:
        text = text.partition("\n")[2] or text
    return (text, size > TAIL_BYTES) if text else None


def exact_result(attempt: UUID | None) -> str:
    """The result as JSON to read and to copy, with every number as it is stored; empty where there is none."""
    pretty = Func(F("result"), function="jsonb_pretty", output_field=TextField())
    found = (
        Attempt.objects.filter(pk=attempt, result__isnull=False)
        .annotate(pretty=pretty)
        .values_list("pretty", flat=True)
    )
    return found.first() or "" if attempt else ""


def payload(task: Task) -> str:
    """What an attempt of this task is given, as JSON. The agent's own settings are not in it: they may hold what only engineers see."""
    document, version = task.document, task.agent_version
    given: dict[str, Any] = {
        "task": task.pk, "generation": task.generation, "client": task.client.name, "engagement": task.extraction.engagement,
        "document": {
            "name": document.original_name, "sha256": document.sha256, "size_bytes": document.size_bytes, "pages": document.pages,
            "stored_as": document.storage_name,
        },
        "agent": {"name": task.agent.name, "version": version.number, "program": version.program, "model": version.model},
        "limits": {"timeout_seconds": task.agent.timeout_seconds, "memory_mib": task.agent.memory_mib},
    }  # fmt: skip
    return json.dumps(given, ensure_ascii=False, indent=2)


def command_line(task: Task) -> str:
    """What reads the same document the same way from a terminal."""
    words = [
        "manage.py",
        "extract",
        task.document.original_name,
        "--client",
        task.client.name,
        "--agent",
        task.agent.name,
    ]
    if task.extraction.engagement:
        words += ["--engagement", task.extraction.engagement]
    return shlex.join([*words, "--again"])


@require_GET
@permission_required("tasks.view_attempt", raise_exception=True)
def log(request: HttpRequest, pk: int, attempt: UUID) -> HttpResponseBase:
    """The whole log of an attempt, as an attachment."""
    task = get_object_or_404(visible_to(request.user, _WITH_MARKS), pk=pk)
    get_object_or_404(Attempt.objects.only("pk"), pk=attempt, task=task)
    if is_deleted(task):
        return errors.gone(request, task.extraction.pruned_at)
    try:
        file = get_storage().open(log_name(attempt))
    except NotStored:
        raise Http404(_("This attempt has printed nothing.")) from None
    return download(request, _pieces(file), f"task-{pk}-{attempt}.log", "text/plain; charset=utf-8")


@require_GET
def result(request: HttpRequest, pk: int) -> HttpResponse:
    """The result of a task as JSON, every number as it is stored."""
    task = get_object_or_404(visible_to(request.user, _WITH_MARKS), pk=pk)
    if is_deleted(task):
        return errors.gone(request, task.extraction.pruned_at)
    text = exact_result(task.result_attempt)
    if not text:
        raise Http404
    return download(request, iter([text.encode()]), f"task-{pk}.json", "application/json")


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while piece := file.read(PIECE):
            yield piece
