"""A document itself: its bytes, pictures of its pages, and where on a page each value was found."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any, BinaryIO

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import permission_required
from django.db import connection
from django.db.models import Max
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from dashboard import errors, words
from dashboard.attempts import is_deleted
from dashboard.sayings import spoken
from dashboard.streaming import download
from tasks import pictures, results
from tasks.access import visible_to
from tasks.models import Attempt, Document, Extraction, Task
from tasks.storage import NotStored, StorageError, get_storage

log = logging.getLogger(__name__)

PIECE = 1 << 18
FRESH_SECONDS = 300
"""A picture is not asked for again so soon; it may be what somebody pages back to."""

AIR = 0.003
"""Between the ink of a value and the frame around it, as a share of the page."""


@dataclass(slots=True)
class Finding:
    """A value with its places on one page; of a line item if it has a `line` (1-based)."""

    record: int
    line: int | None
    name: str
    value: Any
    confidence: float
    reasons: list[str]
    quote: str = ""
    boxes: list[dict[str, Any]] = field(default_factory=list)
    """In shares of the page; `flagged`: a value in it needs a look, `again`: a finding before this one draws it."""

    @property
    def anchor(self) -> str:
        return anchor_of(self.record, self.line, self.name)

    @property
    def is_drawn_before(self) -> bool:
        """Whether it has no place of its own: others are drawn there already."""
        return all(box["again"] for box in self.boxes)


def anchor_of(record: int, line: int | None, name: str) -> str:
    """What the address of a page may point at: a field of a record (from 0), or a cell of one of its line items (from 1)."""
    return "-".join(str(part) for part in (record, line, name) if part is not None)


@require_GET
def document_file(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The document's bytes as they came, as an attachment."""
    return _file(request, _document(request, pk))


@require_GET
async def page_picture(request: HttpRequest, pk: int, number: int) -> HttpResponseBase:
    """One page as people see it. Where there is none, the reason as text: 503 if it may come yet, else 404.

    Asynchronous, so that somebody who goes away before it is his turn has no picture drawn.
    """
    known, document = await sync_to_async(_known_picture)(request, pk, number)
    if known is not None:
        return known
    try:
        content = await pictures.in_turn(document.storage_name, number, document.sha256)
    except pictures.Undrawable as error:
        return no_picture(str(error), later=error.later)
    except NotStored:
        return no_picture("The file of this document is not where it was stored.", later=False)
    except StorageError as error:
        log.warning("No picture of document %d: %s", pk, error)
        return no_picture(str(errors.STORAGE_IS_AWAY), later=True)
    return _kept(HttpResponse(content, pictures.CONTENT_TYPE), _tag(document, number))


@require_GET
def sheet(request: HttpRequest, pk: int, number: int) -> HttpResponseBase:
    """One page of a task's document beside what was read from it, each value tied to its place."""
    related = ("document", "extraction", "client", "agent_version")
    task = get_object_or_404(visible_to(request.user, Task.objects.select_related(*related)), pk=pk)
    return _sheet(request, task, number)


def _document(request: HttpRequest, pk: int) -> Document:
    return get_object_or_404(visible_to(request.user, Document.objects.select_related("client")), pk=pk)


def _gone(request: HttpRequest, document: Document) -> HttpResponse | None:
    """The page that says so, where the document was deleted or is being deleted."""
    if not document.client.deletion_began_at and document.storage_name:
        return None
    pruned = Extraction.objects.filter(tasks__document=document).aggregate(at=Max("pruned_at"))
    return errors.gone(request, pruned["at"])


@permission_required("tasks.view_document", raise_exception=True)
def _file(request: HttpRequest, document: Document) -> HttpResponseBase:
    if gone := _gone(request, document):
        return gone
    try:
        file = get_storage().open(document.storage_name)
    except NotStored:
        raise Http404(_("The file of this document is not where it was stored.")) from None
    response = download(request, _pieces(file), document.original_name, "application/pdf")
    response.headers["Content-Length"] = str(document.size_bytes)
    return response


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while piece := file.read(PIECE):
            yield piece


def _known_picture(request: HttpRequest, pk: int, number: int) -> tuple[HttpResponseBase | None, Document]:
    """The answer where nothing has to be drawn for it."""
    document = _document(request, pk)
    known = _without_drawing(request, document, number)
    if known is None and not connection.in_atomic_block:
        connection.close()  # of the few of this process; a turn and a drawing may take longer than others wait for one
    return known, document


@permission_required("tasks.view_document", raise_exception=True)
def _without_drawing(request: HttpRequest, document: Document, number: int) -> HttpResponse | None:
    if gone := _gone(request, document):
        return gone
    etag = _tag(document, number)
    unchanged = get_conditional_response(request, etag=etag)
    return _kept(unchanged, etag) if unchanged else None


def _tag(document: Document, number: int) -> str:
    return f'"{document.sha256}-{number}-{pictures.DRAWING}"'


def _kept(response: HttpResponse, etag: str) -> HttpResponse:
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = f"private, max-age={FRESH_SECONDS}"
    return response


def no_picture(sentence: str, *, later: bool) -> HttpResponse:
    """Why there is none, as text in the reader's language; with `later` also when to ask again."""
    response = HttpResponse(spoken(sentence), "text/plain; charset=utf-8", status=503 if later else 404)
    response.headers["Cache-Control"] = "no-store"
    if later:
        response.headers["Retry-After"] = "5"
    return response


@permission_required("tasks.view_document", raise_exception=True)
def _sheet(request: HttpRequest, task: Task, number: int) -> HttpResponseBase:
    document = task.document
    if is_deleted(task):
        return errors.gone(request, task.extraction.pruned_at)
    last = document.pages or 1
    if not 1 <= number <= last:
        raise Http404(_("This document has no such page."))
    stored = Attempt.objects.filter(pk=task.result_attempt).values_list("result", flat=True).first()
    found = findings(results.shown(stored), number)
    lines = groupby((finding for finding in found if finding.line), attrgetter("record", "line"))
    context = {
        "task": task, "document": document, "number": number, "last": last, "findings": found, "fault": results.fault(stored),
        "fields": [finding for finding in found if not finding.line], "lines": [(line, list(cells)) for (_, line), cells in lines],
    }  # fmt: skip
    return render(request, "sheet.html", context)


def findings(result: dict[str, Any], page: int) -> list[Finding]:
    """What was read from places on this page (1-based), fields in reading order before line items, record by record."""
    found = []
    for place, record in enumerate(result.get("records", ())):
        for line, values in enumerate((record["fields"], *record.get("lines", ()))):
            found += [
                _finding(place, line or None, name, values[name], page) for name in words.ordered(values)
            ]
    found = [finding for finding in found if finding.boxes]
    _share_boxes(found)
    return found


def _share_boxes(found: list[Finding]) -> None:
    """Line items often stand under one heading: the first finding of a box draws it for all, flagged if any of them is."""
    first: dict[tuple[str, ...], dict[str, Any]] = {}
    for finding in found:
        for box in finding.boxes:
            place = tuple(f"{box[side]:.4f}" for side in ("x", "y", "width", "height"))
            owner = first.setdefault(place, box)
            box["again"] = owner is not box
            box["flagged"] = bool(finding.reasons)
            owner["flagged"] |= box["flagged"]


def _finding(record: int, line: int | None, name: str, value: dict[str, Any], page: int) -> Finding:
    here = [evidence for evidence in value.get("evidence", ()) if evidence["page"] == page]
    boxes = [
        {"x": box["x0"] - AIR, "y": box["y0"] - AIR, "width": box["x1"] - box["x0"] + 2 * AIR, "height": box["y1"] - box["y0"] + 2 * AIR}
        for box in (evidence["box"] for evidence in here)
    ]  # fmt: skip
    quote = " … ".join(evidence["quote"] for evidence in here)
    return Finding(
        record, line, name, value["value"], value["confidence"], value.get("reasons", []), quote, boxes
    )
