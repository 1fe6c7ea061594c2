"""Actions on many rows: how far each is, what became of every row, and the way back; and the audit log to take away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from dashboard import ordering, queries
from dashboard.exports import csv_pieces
from dashboard.extractions import unless_known
from dashboard.ordering import Order
from dashboard.streaming import download
from tasks import bulk, trail
from tasks.audit import Actor, reason_of
from tasks.models import AuditEntry, BulkAction
from tasks.operations import Refused
from tasks.verbs import VERBS

PER_PAGE, ROWS_SHOWN, PIECES = 50, 200, 50
ORDERS, NEWEST_FIRST = {"begun": True}, Order("begun", True)
may_see = permission_required("tasks.view_bulkaction", raise_exception=True)


@require_GET
@may_see
@ordering.sized
def index(request: HttpRequest) -> HttpResponse:
    """Newest first where nothing else is asked for."""
    size, before = ordering.size_of(request, PER_PAGE), request.GET.get("before", "")
    order = Order.parse(request.GET.get("sort", ""), ORDERS)
    order = order if order.name else NEWEST_FIRST
    found = ordering.ordered(BulkAction.objects.all(), "id", order.falls)
    rows, following = ordering.page(found, order.falls, size, before)
    for action in rows:
        _describe(action)
    context = {
        "actions": rows, "next": following, "before": before, "order": order, "orders": ORDERS, "size": size,
    }  # fmt: skip
    return render(request, "bulk_actions.html", context)


@require_GET
@may_see
def page(request: HttpRequest, pk: int) -> HttpResponse:
    return render(request, "bulk_action.html", _context(request, pk))


@require_GET
@may_see
def fragment(request: HttpRequest, pk: int) -> HttpResponse:
    """The page's live parts alone; 304 where they are what the browser has already."""
    return unless_known(request, render(request, "bulk_action_live.html", _context(request, pk)))


def _describe(action: BulkAction) -> None:
    action.title = VERBS[action.verb].title
    action.sentence = bulk.sentence(action)
    action.left = action.total - action.done - action.skipped


def _context(request: HttpRequest, pk: int) -> dict[str, Any]:
    action = get_object_or_404(BulkAction, pk=pk)
    _describe(action)
    rows = []
    for row in _results(action):
        rows.append(row)
        if len(rows) > ROWS_SHOWN:
            break
    return {
        "action": action, "rows": rows[:ROWS_SHOWN], "more": len(rows) > ROWS_SHOWN,
        "undone_by": action.undone_by.first(),
        "may_undo": request.user.has_perm("tasks.operate_task") and bulk.undo_of(action) is not None,
        "no_worker": not action.finished_at and not queries.living_workers().exists(),
    }  # fmt: skip


def _results(action: BulkAction) -> Iterator[tuple[Any, bool, str]]:
    """(id, whether it was done, why not) of every row that had its turn, in that order; read in chunks."""
    ended, last = action.pieces.filter(finished_at__isnull=False).order_by("number"), -1
    while pieces := list(ended.filter(number__gt=last)[:PIECES]):
        for piece in pieces:
            for row in piece.done:
                yield row, True, ""
            for row, why in piece.skipped.items():
                yield row, False, _(why)
        last = pieces[-1].number


@require_GET
@may_see
def results_csv(request: HttpRequest, pk: int) -> HttpResponseBase:
    action = get_object_or_404(BulkAction, pk=pk)
    head = [(action.object_type, _("done"), _("skipped because"))]
    lines = ((row, int(done), why) for row, done, why in _results(action))
    return download(request, csv_pieces(_chained(head, lines)), f"action-{pk}.csv", "text/csv; charset=utf-8")


@require_POST
@permission_required("tasks.operate_task", raise_exception=True)
def undo(request: HttpRequest, pk: int) -> HttpResponse:
    """Take back what nobody has changed since."""
    action = get_object_or_404(BulkAction, pk=pk)
    try:
        undoing = bulk.undo(Actor.of(request, "web"), action, reason_of(request)[:500])
    except Refused as refusal:
        messages.error(request, refusal.message)
        return redirect("bulk_action", pk=pk)
    return redirect("bulk_action", pk=undoing.pk)


@require_GET
@permission_required("tasks.view_auditentry", raise_exception=True)
def trail_csv(request: HttpRequest) -> HttpResponseBase:
    """The audit log, narrowed by `from` and `to` (days), `of` (what was acted on) and `q` (its number, or who)."""
    given = request.GET
    rows = trail.narrowed(
        AuditEntry.objects.all(),
        given.get("from", ""),
        given.get("to", ""),
        given.get("of", ""),
        given.get("q", "").strip(),
    )
    lines = _chained([trail.COLUMNS], trail.in_order(rows))
    return download(request, csv_pieces(lines), "audit-log.csv", "text/csv; charset=utf-8")


def _chained(*parts: Any) -> Iterator[Any]:
    for part in parts:
        yield from part
