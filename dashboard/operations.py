"""The operators' page: the queue, tokens, money and confidence together, each number narrowed and leading to the tasks behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from dashboard import charts, exports, health, saved, summary, traces, words
from dashboard.access import may_see
from dashboard.extractions import unless_known
from dashboard.filters import FilterForm, Filters
from dashboard.streaming import download
from tasks import maintenance
from tasks.alerts import rounds
from tasks.models import Task
from tasks.totals import FOREVER

TWENTIETHS = 20


@dataclass(frozen=True, slots=True)
class StateTile:
    """One state: its number is the length of the list that it leads to."""

    state: str
    number: int
    url: str
    is_chosen: bool


@require_GET
@may_see
def page(request: HttpRequest) -> HttpResponse:
    form = FilterForm(request.GET)
    filters = form.filters()
    return render(
        request,
        "operations.html",
        {
            "form": form,
            "settle_seconds": settings.WEB_WORKERS + 1,
            "saved": saved.of(request, "operations", filters),
            **_context(request, filters),
        },
    )


@require_GET
@may_see
def fragment(request: HttpRequest) -> HttpResponse:
    """The page's live parts alone."""
    return unless_known(
        request, render(request, "operations_live.html", _context(request, FilterForm(request.GET).filters()))
    )


def _context(request: HttpRequest, filters: Filters) -> dict[str, Any]:
    board = summary.board(filters)
    listed = reverse("operations_tasks")
    states = [
        StateTile(state, board.states[state], listed + filters.query(status=state, error=""), filters.status == state)
        for state in words.TASK
    ]  # fmt: skip
    silent = Task.objects.select_related("document", "agent").in_bulk([run.task_id for run in board.silent])
    return {
        "board": board, "filters": filters, "query": filters.query(), "listed": listed + filters.query(), "states": states,
        "time": time_used(filters, board), "series": _series(board), "confidence": _confidence(board),
        "errors": _errors(board, filters), "agents": [(line, charts.spark(line.spark)) for line in board.agents],
        "silent": [(run, silent.get(run.task_id)) for run in board.silent], "paused": maintenance.paused(), "still": health.standing_still(),
        "alive": sum(worker.alive and worker.slots > 0 for worker in board.workers),
        "unknown_costs": board.totals.attempts - board.totals.cost_settled - board.totals.cost_estimated,
        "unknown_compute": board.totals.attempts - board.totals.compute_settled - board.totals.compute_estimated,
        "traces": traces.pace(),
        "unmetered": board.totals.attempts - board.totals.metered,
        "may_operate": request.user.has_perm("tasks.operate_task"), "may_see_workers": request.user.has_perm("tasks.view_worker"),
        "alerts": rounds.open_alerts() if request.user.has_perm("tasks.view_alert") else [],
    }  # fmt: skip


def time_used(filters: Filters, board: summary.Board) -> str:
    """Which tasks the numbers are about, in a sentence."""
    until = _("now") if board.until == FOREVER else moment(board.until)
    return _("Tasks that finished between %(since)s and %(until)s (UTC), and all that wait or are processed.") % {
        "since": moment(board.since), "until": until,
    }  # fmt: skip


def moment(at: datetime) -> str:
    return f"{formats.date_format(at, 'SHORT_DATE_FORMAT')} {formats.time_format(at, 'H:i')}"


def _period(board: summary.Board, at: datetime) -> str:
    if board.unit == "hour":
        return moment(at)
    return formats.date_format(at, "SHORT_DATE_FORMAT" if board.unit == "day" else "YEAR_MONTH_FORMAT")


def _series(board: summary.Board) -> dict[str, Any]:
    """Throughput and failures over time: the picture, and the rows of the table beside them."""
    rows = [
        (_period(board, at), counts["completed"] + counts["review"], counts["review"], counts["failed"], counts["cancelled"])
        for at, counts in board.series.items()
    ]  # fmt: skip
    shapes = charts.columns(
        [
            (f"{name}: {done} / {failed}", [("completed", done - review), ("review", review), ("failed", failed), ("cancelled", cancelled)])
            for name, done, review, failed, cancelled in rows
        ]
    )  # fmt: skip
    highest = max((done + failed + cancelled for _n, done, _r, failed, cancelled in rows), default=0)
    return {
        "picture": charts.drawn(shapes),
        "rows": rows,
        "highest": highest,
        "first": rows[0][0] if rows else "",
        "final": rows[-1][0] if rows else "",
    }


def _confidence(board: summary.Board) -> dict[str, Any]:
    counts = board.totals.confidence
    rows = [(f"{5 * place}–{5 * place + 5}\u202f%", counts[place]) for place in range(TWENTIETHS)]
    shapes = charts.columns([(f"{name}: {number}", [("processing", number)]) for name, number in rows])
    return {
        "picture": charts.drawn(shapes),
        "rows": rows,
        "number": counts.total(),
        "highest": max(counts.values(), default=0),
    }


def _errors(board: summary.Board, filters: Filters) -> list[tuple[str, int, list[dict[str, Any]]]]:
    """(cause, number, its kinds of error) with the list of each, the most frequent cause first."""
    listed, act = reverse("operations_tasks"), reverse("operations_act")
    causes: dict[str, list[dict[str, Any]]] = {}
    for code, number in board.totals.errors.most_common():
        query = filters.query(status="failed", error=code)
        line = {
            "code": code,
            "number": number,
            "word": words.error_word(code),
            "url": listed + query,
            "retry": f"{act}{query}&verb=retry",
        }
        causes.setdefault(words.cause_of(code), []).append(line)
    found = [
        (str(words.CAUSES[cause]), sum(line["number"] for line in lines), lines)
        for cause, lines in causes.items()
    ]
    return sorted(found, key=lambda cause: -cause[1])


@require_GET
@may_see
def export(request: HttpRequest) -> HttpResponseBase:
    """What the page shows as CSV, with the filter and the time in it."""
    filters = FilterForm(request.GET).filters()
    return download(
        request,
        exports.csv_pieces(_lines(filters, summary.board(filters))),
        "operations.csv",
        "text/csv; charset=utf-8",
    )


def _lines(filters: Filters, board: summary.Board) -> Iterator[list[object]]:
    totals, response = board.totals, board.response
    yield [_("part"), _("name"), _("value"), _("remark")]
    yield [_("filter"), _("time"), time_used(filters, board), board.at.isoformat()]
    for name in ("status", "agent", "client"):
        yield [_("filter"), name, getattr(filters, name) or _("all"), ""]
    for state, number in board.states.items():
        yield [_("tasks"), words.TASK[state].word, number, ""]
    yield [_("tasks"), _("oldest waiting since"), board.oldest.isoformat() if board.oldest else "", ""]
    for name, value in (("input", totals.input_tokens), ("output", totals.output_tokens), ("cache_read", totals.cache_read_tokens),
                        ("cache_write", totals.cache_write_tokens)):  # fmt: skip
        yield [_("tokens"), name, value if totals.metered else "", _("%(known)d of %(all)d attempts known") % {"known": totals.metered, "all": totals.attempts}]  # fmt: skip
    yield from _money(_("LLM cost in USD"), totals.cost_usd, totals.settled_usd, totals.estimated_usd, totals.attempts - totals.cost_settled - totals.cost_estimated)  # fmt: skip
    yield from _money(_("compute cost in USD"), totals.compute_usd, totals.compute_settled_usd, totals.compute_estimated_usd, totals.attempts - totals.compute_settled - totals.compute_estimated)  # fmt: skip
    remark = _("approximate") if response.approximate else _("exact")
    yield [
        _("response time in s"),
        _("median"),
        "" if response.median is None else round(response.median, 3),
        remark,
    ]
    yield [_("response time in s"), "p95", "" if response.p95 is None else round(response.p95, 3), remark]
    for name, number in _confidence(board)["rows"]:
        yield [_("confidence"), name, number, ""]
    for at, counts in board.series.items():
        for outcome, number in counts.items():
            yield [_("over time"), at.isoformat(), number, outcome]
    for code, number in totals.errors.most_common():
        yield [_("errors"), code, number, words.error_word(code)]
    for line in board.agents:
        for name, value in (
            ("running", line.now.running),
            ("waiting", line.waiting),
            ("completed", line.completed),
            ("failed", line.failed),
        ):
            yield [_("agent"), line.now.name, value, name]


def _money(
    part: str, known: Decimal | None, settled: Decimal, estimated: Decimal, unknown: int
) -> Iterator[list[object]]:
    yield [
        part,
        _("known"),
        "" if known is None else known,
        _("%(count)d attempts unknown") % {"count": unknown},
    ]
    yield [part, _("settled"), "" if known is None else settled, ""]
    yield [part, _("estimated"), "" if known is None else estimated, ""]
