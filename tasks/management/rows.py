"""One row per file that was handed in: its state, what was read, what needs a look; as CSV and as JSON."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from tasks import confidence, repeats, results
from tasks.management.places import Places
from tasks.models import Attempt, Document, Extraction, Task
from tasks.states import TaskStatus

REFUSED = "refused"
FIELDS = ("supplier", "number", "date", "due_date", "currency", "net", "tax", "total")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@dataclass(slots=True)
class Row:
    """What became of one file. `message` is the sentence for people; `seconds` is how long the attempt that decided ran.

    `repeat`: its bytes were handed in before, or stand beside it; the task is the one that reads them.
    """

    file: str
    state: str
    code: str = ""
    message: str = ""
    task: int | None = None
    repeat: bool = False
    kind: str = ""
    confidence: float | None = None
    needs_review: bool | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    flagged: list[str] = field(default_factory=list)
    attempts: int = 0
    seconds: float | None = None
    result: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def of_extraction(
    extraction: Extraction, paths: dict[str, list[Path]], unreadable: dict[Path, str] | None = None
) -> list[Row]:
    """Rows in the order of the tasks, then what was handed in before or twice, then what was refused.

    `paths`: digest → where the bytes came from.
    """
    known, not_taken = repeats.parted(extraction.refused)
    places = Places(paths)
    tasks = Task.objects.filter(extraction=extraction).select_related("document").order_by("id")
    rows = of_tasks(
        [(task, places.of_bytes(task.document.sha256, task.document.original_name)) for task in tasks]
    )
    rows += _of_repeats(extraction, known, places)
    rows += _of_refused(not_taken, places)
    rows += [
        Row(str(path), REFUSED, "unreadable", f"The file cannot be read: {why}.")
        for path, why in (unreadable or {}).items()
    ]
    return rows


def _of_repeats(extraction: Extraction, entries: list[dict[str, Any]], places: Places) -> list[Row]:
    ids = repeats.tasks_of(extraction, entries)
    tasks = Task.objects.select_related("document").in_bulk([pk for pk in ids if pk])
    found = [(tasks[pk], entry["name"]) for pk, entry in zip(ids, entries, strict=True) if pk in tasks]
    rows = of_tasks([(task, places.of_bytes(task.document.sha256, name)) for task, name in found])
    for row in rows:
        row.repeat = True
    return rows


def _of_refused(entries: list[dict[str, Any]], places: Places) -> list[Row]:
    stored = Document.objects.in_bulk([entry["document_id"] for entry in entries if entry.get("document_id")])
    rows = [Row(entry["name"], REFUSED, entry["code"], entry["sentence"]) for entry in entries]
    told = list(zip(rows, [stored.get(entry.get("document_id")) for entry in entries], strict=True))
    for row, document in told:
        if document:
            row.file = places.of_bytes(document.sha256, row.file)
    for row, document in told:  # what is left has no bytes here: its name is all there is
        if not document:
            row.file = places.of_name(row.file)
    return rows


def of_tasks(told: Sequence[tuple[Task, str]]) -> list[Row]:
    """One row per task and the name of its file, with what its deciding attempt read."""
    tasks = [task for task, _name in told]
    attempts: dict[int, Attempt] = {}
    for attempt in Attempt.objects.filter(task__in=tasks).order_by("task", "number"):
        attempts[attempt.task_id] = attempt  # the last one, unless another gave the result
    for attempt in Attempt.objects.filter(
        pk__in=[task.result_attempt for task in tasks if task.result_attempt]
    ):
        attempts[attempt.task_id] = attempt
    return [_of_task(task, attempts.get(task.pk), name) for task, name in told]


def _of_task(task: Task, attempt: Attempt | None, name: str) -> Row:
    row = Row(name, task.status, task.error_code, task.error_message, task.pk, attempts=task.attempts_made)
    if attempt and attempt.started_at and attempt.finished_at:
        row.seconds = round((attempt.finished_at - attempt.started_at).total_seconds(), 2)
    if task.status == TaskStatus.COMPLETED and attempt and attempt.result is not None:
        row.confidence, row.needs_review, row.result = task.confidence, task.needs_review, attempt.result
        result = results.shown(attempt.result)
        row.kind = result.get("kind", "")
        row.message = "; ".join(result.get("reasons", ()))
        for record in result.get("records", ())[:1]:
            row.fields = {name: value["value"] for name, value in record["fields"].items()}
            row.fields["line_count"] = len(record.get("lines", ()))
            row.flagged = [name for name, value in record["fields"].items() if value.get("reasons")]
    return row


def plain(text: str) -> str:
    """`text` without what could steer a terminal or reverse the reading."""
    return _CONTROL.sub("\ufffd", text)


def write_csv(path: Path, rows: Iterable[Row]) -> None:
    """One line per file, with every field that any of them has; readable by spreadsheets, in which no text of a document can become a
    formula. Raises OSError.
    """
    rows = list(rows)
    others = list(
        dict.fromkeys(name for row in rows for name in row.fields if name not in (*FIELDS, "line_count"))
    )
    # "replace": a name of a file need not be text
    with open(path, "w", newline="", encoding="utf-8-sig", errors="replace") as file:
        writer = csv.writer(file)
        writer.writerow(
            (
                "file",
                "state",
                "kind",
                "confidence",
                "needs_review",
                *FIELDS,
                *others,
                "line_count",
                "flagged",
                "attempts",
                "seconds",
                "repeat",
                "message",
            )
        )
        for row in rows:
            values = [row.fields.get(name) for name in (*FIELDS, *others, "line_count")]
            writer.writerow(
                _cell(value)
                for value in (
                    row.file, row.state, row.kind,
                    None if row.confidence is None else confidence.shown(row.confidence, places=4), row.needs_review, *values,
                    " ".join(row.flagged), row.attempts, row.seconds, row.repeat, row.message,
                )
            )  # fmt: skip


def _cell(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") and not _is_number(value):
        return f"'{value}"
    return value


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False
