"""Results of an extraction to take away: CSV and JSON for programs, a workbook for people, and the list of refused files.

What is for programs is English whatever the language of the page, so that a heading, a state and a reason are the same for everybody.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_GET

from dashboard import words
from dashboard.chosen import Chosen
from dashboard.extractions import listed, visible_extraction, with_counts
from dashboard.sayings import spoken
from dashboard.streaming import download
from tasks import confidence, results
from tasks.models import Attempt, Extraction, Task

CHUNK = 100
TASK_COLUMNS = (
    "task", "document", "SHA-256", "state", "needs review", "client", "agent", "priority", "attempts", "confidence", "handed in", "finished",
    "error code", "error",
)  # fmt: skip
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")


@require_GET
def extractions_csv(request: HttpRequest) -> HttpResponseBase:
    """The whole list of extractions as its page shows it, in that order."""
    return download(request, csv_pieces(_extractions(request)), "extractions.csv", "text/csv; charset=utf-8")


@require_GET
def results_csv(request: HttpRequest, pk: int) -> HttpResponseBase:
    """One line per record (per document, where it has none), one column per field that any record has."""
    extraction, chosen = visible_extraction(request, pk), Chosen.asked(request)
    lines = csv_pieces(_lines(extraction, chosen))
    return download(request, lines, _named(extraction, chosen, "csv"), "text/csv; charset=utf-8")


@require_GET
def results_json(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Every document with its whole result: values, confidence, reasons, evidence, line items."""
    extraction, chosen = visible_extraction(request, pk), Chosen.asked(request)
    name = _named(extraction, chosen, "json")
    return download(request, _json(extraction, chosen), name, "application/json")


@require_GET
def results_xlsx(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The same for people: what needs a look is amber and says why, and each value leads to its place on the page."""
    from dashboard import workbook  # only those who take a workbook away load it

    extraction, chosen = visible_extraction(request, pk), Chosen.asked(request)
    made = workbook.made(
        extraction, lambda: _shown(extraction, chosen), request.build_absolute_uri,
        may_see_pages=request.user.has_perm("tasks.view_document"),
    )  # fmt: skip
    return download(request, [made], _named(extraction, chosen, "xlsx"), workbook.XLSX)


def _named(extraction: Extraction, chosen: Chosen, ending: str) -> str:
    """Named after the state, too, and after files that may be missing, so that nobody takes a part for the whole."""
    part = "incomplete" if extraction.more_until else ""
    return "-".join(filter(None, ("extraction", str(extraction.pk), chosen.state, part))) + f".{ending}"


@require_GET
def refused_csv(request: HttpRequest, pk: int) -> HttpResponseBase:
    extraction = visible_extraction(request, pk)
    lines = [(_("file"), _("code"), _("reason"), _("repeats document"))]
    lines += [
        (e["name"], e["code"], spoken(e["sentence"]), e.get("document_id") or "") for e in extraction.refused
    ]
    if gone := words.gone(extraction):
        lines.append(("", "", gone, ""))
    return download(request, csv_pieces(lines), f"extraction-{pk}-refused.csv", "text/csv; charset=utf-8")


def harmless(value: object) -> object:
    """Text that a spreadsheet would run as a formula gets an apostrophe in front; numbers stay numbers."""
    if (
        isinstance(value, str)
        and value[:1] in ("=", "+", "-", "@", "\t", "\r")
        and not _NUMBER.fullmatch(value)
    ):
        return "'" + value
    return value


def task_line(task: Task) -> list[object]:
    """A task of the operators' list, as TASK_COLUMNS name it."""
    document = task.document
    return [
        task.pk, document.original_name, document.sha256, task.status, int(task.needs_review), task.client.name, task.agent.name, task.priority,
        task.attempts_made, _shown_share(task.confidence), task.enqueued_at.isoformat(),
        task.finished_at.isoformat() if task.finished_at else "", task.error_code, task.error_message,
    ]  # fmt: skip


def _shown_share(value: float | None) -> object:
    return "" if value is None else confidence.shown(value, places=4)


def csv_pieces(lines: Iterable[Iterable[object]]) -> Iterator[bytes]:
    """Lines of cells as a file for spreadsheets, piece by piece."""
    yield "\ufeff".encode()  # without it spreadsheets take UTF-8 for something else
    for line in lines:
        text = io.StringIO()
        csv.writer(text).writerow([harmless(value) for value in line])
        yield text.getvalue().encode()


def _lines(extraction: Extraction, chosen: Chosen) -> Iterator[list[object]]:
    names = words.ordered(
        name
        for _task, result in _shown(extraction, chosen)
        for record in _records(result)
        for name in record["fields"]
    )
    yield [
        "document", "SHA-256", "state", "confidence", "needs review", "kind", *names, "line items", "reasons", "error",
    ]  # fmt: skip
    for task, result in _shown(extraction, chosen):
        for record in _records(result) or [{"kind": "", "fields": {}, "lines": []}]:
            fields = record["fields"]
            reasons = [gone] if (gone := _gone(extraction)) else []
            reasons += result.get("reasons", ())
            reasons += [
                f"{name}: {reason}" for name, field in fields.items() for reason in field.get("reasons", ())
            ]
            yield [
                task.document.original_name, task.document.sha256, task.status,
                _shown_share(task.confidence), int(task.needs_review), record["kind"],
                *(fields.get(name, {}).get("value") for name in names),
                len(record["lines"]), "; ".join(reasons), task.error_message,
            ]  # fmt: skip


def _extractions(request: HttpRequest) -> Iterator[list[object]]:
    yield [
        "extraction", "client", "engagement", "agent", "handed in", "by", "documents", "done", "to review", "failed", "cancelled", "already handed in", "not taken", "sending",
    ]  # fmt: skip
    after, is_more = "", True
    while is_more:
        rows, after = listed(request, CHUNK, after)
        is_more = bool(after)
        with_counts(rows)
        for one in rows:
            counts = one.counts
            yield [
                one.pk, one.client.name, one.engagement, one.agent.name, one.created_at.isoformat(), one.created_by.get_username() if one.created_by else "",
                counts.total, counts.done, counts.review, counts.failed, counts.cancelled, len(one.repeats), len(one.not_taken), _sending(one),
            ]  # fmt: skip


def _sending(extraction: Extraction) -> str:
    """Whether files may still be missing, as the list says it; empty where its sender has said that this is all."""
    if extraction.counts.more:
        return "being sent"
    return "no file arrived" if extraction.is_empty else "broke off" if extraction.broke_off else ""


def _gone(extraction: Extraction) -> str:
    with override("en"):
        return words.gone(extraction)


def _json(extraction: Extraction, chosen: Chosen) -> Iterator[bytes]:
    head = {
        "extraction": extraction.pk, "client": extraction.client.name, "engagement": extraction.engagement,
        "agent": extraction.agent.name, "created_at": extraction.created_at.isoformat(), "refused": extraction.refused,
        "files_may_be_missing": bool(extraction.more_until),
    }  # fmt: skip
    yield json.dumps(head, ensure_ascii=False, indent=1)[:-2].encode() + b',\n "documents": ['
    separator = b"\n"
    for task, result in _results(extraction, chosen):
        document = {
            "task": task.pk, "name": task.document.original_name, "sha256": task.document.sha256, "pages": task.document.pages,
            "state": task.status, "confidence": task.confidence, "needs_review": task.needs_review,
            "error_code": task.error_code, "error": task.error_message, "result": result,
        }  # fmt: skip
        yield separator + json.dumps(document, ensure_ascii=False).encode()
        separator = b",\n"
    yield b"\n ]"
    if gone := _gone(extraction):  # known at the end only: a deletion may overtake those who read
        at = extraction.pruned_at
        said = {"pruned_at": at.isoformat(), "note": gone} if at else {"note": gone}
        yield b",\n" + json.dumps(said, ensure_ascii=False, indent=1)[2:-2].encode()
    yield b"\n}\n"


def _results(extraction: Extraction, chosen: Chosen) -> Iterator[tuple[Task, dict[str, Any] | None]]:
    """Each task with the result that holds for it, in the chosen order; read in chunks, never all at once.

    Where a result is gone meanwhile, the extraction knows why.
    """
    ids = chosen.ids(extraction)
    for begin in range(0, len(ids), CHUNK):
        tasks = page_of(ids[begin : begin + CHUNK])
        wanted = [task.result_attempt for task in tasks if task.result_attempt]
        found = dict(Attempt.objects.filter(pk__in=wanted).values_list("pk", "result"))
        if not all(found.get(attempt) for attempt in wanted) and not words.gone(extraction):
            extraction.refresh_from_db(fields=("pruned_at",))
            extraction.client.refresh_from_db(fields=("deletion_began_at",))
        for task in tasks:
            yield task, found.get(task.result_attempt)


def _shown(extraction: Extraction, chosen: Chosen) -> Iterator[tuple[Task, dict[str, Any]]]:
    """The same; of a result that breaks the contract, a reason that says so."""
    for task, result in _results(extraction, chosen):
        yield task, results.shown(result)


def page_of(ids: list[int]) -> list[Task]:
    """As many tasks as are read at once, in this order."""
    found = Task.objects.select_related("document").in_bulk(ids)
    return [found[pk] for pk in ids if pk in found]


def _records(result: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"lines": [], **record} for record in result.get("records", ())]
