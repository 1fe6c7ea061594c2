"""Files that were handed in but need no reading again, because their bytes are known: which they are, and which task reads them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tasks.models import Extraction, Task


def parted(refused: Iterable[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The entries of `Extraction.refused` that repeat something readable, and those that were not taken.

    A copy of a file whose password is missing is as unread as that file.
    """
    entries = list(refused)
    locked = {entry.get("document_id") for entry in entries if entry["code"] == "encrypted"}
    repeats, not_taken = [], []
    for entry in entries:
        known = entry["code"] == "duplicate" and entry.get("document_id") not in locked
        (repeats if known else not_taken).append(entry)
    return repeats, not_taken


def tasks_of(extraction: Extraction, repeats: Iterable[dict[str, Any]]) -> list[int | None]:
    """For each of these entries the id of the task that reads its bytes, in this extraction or an earlier one."""
    entries = list(repeats)
    known = {entry["document_id"]: entry["task_id"] for entry in entries if entry.get("task_id")}
    beside = {entry.get("document_id") for entry in entries} - known.keys() - {None}
    if beside:
        tasks = Task.objects.filter(extraction=extraction, document__in=beside)
        known |= dict(tasks.values_list("document_id", "id"))
    return [known.get(entry.get("document_id")) for entry in entries]
