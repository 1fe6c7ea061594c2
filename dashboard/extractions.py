"""Extractions: the list of them, and the page of one with the live state of each document."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import permission_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dashboard import asking, ordering, queries, words
from dashboard.chosen import ORDERS as DOCUMENT_ORDERS
from dashboard.chosen import Chosen
from dashboard.gist import with_gists
from dashboard.ordering import Order
from dashboard.pace import pace, with_places
from tasks import repeats
from tasks.access import clients_of, visible_to
from tasks.models import Extraction, ExtractionWatch, Task
from tasks.states import TaskStatus

PER_PAGE = 50
ROWS_PER_PAGE = 100
ORDERS = {"handed-in": True, "client": False, "agent": False}
"""What the list can be sorted by, and whether that falls at first."""
NEWEST_FIRST = Order("handed-in", True)
_COLUMNS = {"handed-in": "id", "client": "client__name", "agent": "agent__name"}

MOST_FILES = 100
"""More files that were not taken, or need no reading again, are in the list to download only."""


def with_counts(extractions: Collection[Extraction]) -> None:
    """Give each extraction its `counts`, in one query, and its files that became no task: `repeats` and `not_taken`.

    And whether it `broke_off`: its sender has gone and never said that this was all; `is_empty`, if before any file had come.
    """
    counts = queries.counts_of([extraction.pk for extraction in extractions])
    being_sent = queries.being_sent(extractions)
    for extraction in extractions:
        more = extraction.pk in being_sent
        extraction.counts = replace(counts[extraction.pk], more=more)
        extraction.broke_off = bool(extraction.more_until and not more)
        extraction.is_empty = extraction.broke_off and not (extraction.counts.total or extraction.refused)
        extraction.repeats, extraction.not_taken = repeats.parted(extraction.refused)


@require_GET
@ordering.sized
def index(request: HttpRequest) -> HttpResponse:
    """Newest first where nothing else is asked for, paged by key: rows that arrive meanwhile shift nothing on older pages."""
    return render(request, "extractions.html", _list(request))


@require_GET
def index_fragment(request: HttpRequest) -> HttpResponse:
    """The list alone; 304 where it is what the browser has already."""
    return unless_known(request, render(request, "extractions_live.html", _list(request)))


def _list(request: HttpRequest) -> dict[str, Any]:
    size, before = ordering.size_of(request, PER_PAGE), request.GET.get("before", "")
    rows, following = listed(request, size, before)
    with_counts(rows)
    client, mine = number_of(request, "client"), request.GET.get("mine") == "1"
    return {
        "extractions": rows, "next": following, "clients": clients_of(request.user)[:500], "client": client, "mine": mine,
        "is_filtered": bool(client or mine), "before": before, "orders": ORDERS, "order": _order(request), "size": size,
        "may_upload": request.user.has_perm("tasks.add_extraction"),
    }  # fmt: skip


def listed(request: HttpRequest, size: int, before: str) -> tuple[list[Extraction], str]:
    """The next `size` extractions of the list that an address names, after a row of it, and where those after them begin."""
    found = visible_to(request.user, Extraction.objects.select_related("client", "agent", "created_by"))
    if client := number_of(request, "client"):
        found = found.filter(client=client)
    if request.GET.get("mine") == "1":
        found = found.filter(created_by=request.user)
    order = _order(request)
    found = ordering.ordered(found, _COLUMNS[order.name], order.falls, newest=True)
    return ordering.page(found, order.falls, size, before, newest=True)


def _order(request: HttpRequest) -> Order:
    order = Order.parse(request.GET.get("sort", ""), ORDERS)
    return order if order.name else NEWEST_FIRST


def visible_extraction(request: HttpRequest, pk: int) -> Extraction:
    """Raises Http404 for what this person may not see, as for what is not there."""
    return get_object_or_404(
        visible_to(request.user, Extraction.objects.select_related("client", "agent", "created_by")), pk=pk
    )


@require_GET
@ordering.sized
def page(request: HttpRequest, pk: int) -> HttpResponse:
    context = _context(request, pk)
    awaited = ExtractionWatch.objects.filter(extraction=pk, user=request.user).exists()
    mails = settings.CAN_MAIL and bool(request.user.email)
    return render(request, "extraction.html", {**context, "is_awaited": awaited, "mails": mails})


@require_POST
def wait_for(request: HttpRequest, pk: int) -> HttpResponse:
    """Whether this person wants to be told when the extraction has ended: by the browser while the page is open, and by e-mail."""
    extraction = visible_extraction(request, pk)
    wanted = ExtractionWatch.objects.filter(extraction=extraction, user=request.user)
    if request.POST.get("wanted") == "1":
        ExtractionWatch.objects.get_or_create(extraction=extraction, user=request.user)
    else:
        wanted.delete()
    return redirect("extraction", pk=pk)


@require_GET
def fragment(request: HttpRequest, pk: int) -> HttpResponse:
    """The page's live parts alone; 304 where they are what the browser has already."""
    return unless_known(request, render(request, "extraction_live.html", _context(request, pk)))


def unless_known(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    tag = f'"{sha256(response.content).hexdigest()[:32]}"'
    if request.headers.get("If-None-Match") == tag:
        return HttpResponseNotModified(headers={"ETag": tag})
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def _context(request: HttpRequest, pk: int) -> dict[str, Any]:
    extraction = visible_extraction(request, pk)
    with_counts([extraction])
    chosen, after = Chosen.asked(request), request.GET.get("after", "")
    size = ordering.size_of(request, ROWS_PER_PAGE)
    rows, following = chosen.page(extraction, size, after)
    queries.with_running_attempts(rows)
    with_places(rows)
    with_gists(rows)
    comparable = queries.comparable([task.document_id for task in rows if task.result_attempt])
    counts = extraction.counts
    locked = [
        entry for entry in extraction.not_taken if entry["code"] == "encrypted" and entry.get("document_id")
    ]
    known = extraction.repeats[:MOST_FILES]
    return {
        "extraction": extraction, "counts": counts, "tasks": rows, "state": chosen.state, "after": after, "next": following,
        "orders": DOCUMENT_ORDERS, "order": chosen.order, "size": size, "query": chosen.query(), "comparable": comparable, "tiles": _tiles(counts),
        "pace": pace(extraction, counts) if counts.total else None, "is_final": counts.is_finished and bool(counts.total or not locked),
        "standstill": queries.standstill(extraction) if counts.enqueued else "",
        "locked": list(zip(locked, _faults(request, locked), strict=True)), "nothing_read": "" if counts.total else _why_nothing_is_read(extraction, locked),
        "not_taken": extraction.not_taken[:MOST_FILES], "repeats": list(zip(known, repeats.tasks_of(extraction, known), strict=True)),
        "may_operate": request.user.has_perm("tasks.operate_task") and not (extraction.pruned_at or extraction.client.deletion_began_at),
        "may_upload": request.user.has_perm("tasks.add_extraction"),
        "may_add": request.user.has_perm("tasks.add_extraction") and not (extraction.pruned_at or extraction.client.deletion_began_at),
    }  # fmt: skip


def _faults(request: HttpRequest, locked: list[dict[str, Any]]) -> list[str]:
    """What was wrong with the passwords that were typed last, by the address that `passwords.unlock` leads to."""
    wrong = set(request.GET.getlist("wrong"))
    said = _("This password does not open the file. Capital and small letters differ.")
    faults = [said if str(entry["document_id"]) in wrong else "" for entry in locked]
    if "empty" in request.GET and faults:
        faults[0] = _("Type the password of at least one file.")
    return faults


def _why_nothing_is_read(extraction: Extraction, locked: list[dict[str, Any]]) -> str:
    """One sentence for an extraction without tasks."""
    if extraction.pruned_at:
        return words.pruned(extraction.pruned_at)
    if extraction.counts.more:
        return _("Nothing is being read yet: the files are still being sent.")
    if locked:
        return _("Nothing is being read yet: what could be read needs its password first.")
    if extraction.repeats and extraction.not_taken:
        return _(
            "Nothing is being read: some of these files were already handed in, and the others could not be taken. Below is which, and why."
        )
    if extraction.repeats:
        return _("Nothing is read again: these files were already handed in. Below are their results.")
    if extraction.not_taken:
        return _("None of the files could be taken, so nothing is being read. Below is why.")
    return _("Nothing was handed in here.")


def _tiles(counts: queries.Counts) -> list[tuple[str, int]]:
    """(state, number) of the filters above the table; the usual ones stay, empty exceptions do not clutter."""
    usual = ("enqueued", "processing", "completed", "review", "failed")
    return [
        (state, getattr(counts, state)) for state in words.TASK if state in usual or getattr(counts, state)
    ]


@require_http_methods(["GET", "POST"])
@permission_required("tasks.operate_task", raise_exception=True)
def cancel_waiting(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask, then cancel what waits; what runs goes on."""
    return _confirmed(
        request, pk, TaskStatus.ENQUEUED, "cancel", _("Cancel waiting documents"), _("Cancel them")
    )


@require_http_methods(["GET", "POST"])
@permission_required("tasks.operate_task", raise_exception=True)
def retry_failed(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask, then hand what failed in again."""
    return _confirmed(request, pk, TaskStatus.FAILED, "retry", _("Retry failed documents"), _("Retry them"))


def _confirmed(
    request: HttpRequest, pk: int, status: TaskStatus, verb: str, title: str, button: str
) -> HttpResponse:
    extraction = visible_extraction(request, pk)
    rows = Task.objects.filter(extraction=extraction, status=status)
    if request.method == "POST":
        selection = urlencode({"extraction": pk, "status": status.value})
        return asking.begin(request, verb, rows, reverse("extraction", args=(pk,)), selection=selection)
    context = {
        "extraction": extraction, "title": title, "button": button, "is_dangerous": status == TaskStatus.ENQUEUED,
        **asking.told(request, verb, rows),
    }  # fmt: skip
    return render(request, "confirm.html", context)


def number_of(request: HttpRequest, name: str) -> int | None:
    """A whole number from the address; None where there is none, 404 where it is no id."""
    value = request.GET.get(name, "")
    if value == "":
        return None
    if not (value.isascii() and value.isdigit() and len(value) <= 18):
        raise Http404
    return int(value)
