"""The page of money: what was spent in a period, by what, how sure it is, what was wasted; budgets, estimates beside outcomes, closed months."""

from __future__ import annotations

from datetime import date

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from dashboard.cost_filters import BY, CostFilterForm, CostFilters, seen_by
from dashboard.cost_tables import Sheet, sheet, workbook
from dashboard.exports import csv_pieces
from dashboard.streaming import download
from tasks.audit import Actor, reason_of
from tasks.costs import budgets, cells, closing, reports
from tasks.costs.names import names
from tasks.costs.periods import EARLIEST, LATEST
from tasks.models import ClosedMonth
from tasks.queue import connection

may_see = permission_required("tasks.view_costs", raise_exception=True)
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def _made(request: HttpRequest) -> tuple[CostFilterForm, CostFilters, reports.Report, Sheet]:
    form = CostFilterForm(request)
    filters = form.filters()
    report = reports.make(filters.asked(reports.today(), seen_by(request.user)))
    return form, filters, report, sheet(report, filters)


@require_GET
@may_see
def page(request: HttpRequest) -> HttpResponse:
    form, filters, report, made = _made(request)
    state = cells.state(connection())
    context = {
        "form": form, "filters": filters, "report": report, "sheet": made, "query": filters.address().removeprefix("?"),
        "kinds": [(BY[by], filters.address(by=by), by == filters.by) for by in BY],
        "questions": _questions(), "budgets": budgets.budgets(seen_by(request.user)), "calibration": _calibration(report),
        "closed": ClosedMonth.objects.order_by("-month")[:12], "closable": closing.closable(state),
        "may_close": request.user.has_perm("tasks.close_month"),
        "compute_lacks_rate": settings.COMPUTE_USD_PER_HOUR is None and not settings.DATABRICKS_JOB_ID,
    }  # fmt: skip
    return render(request, "costs.html", context)


def _questions() -> list[tuple[str, str]]:
    """Reports that are often asked for, each one click away."""
    return [
        (_("Failed tasks of the last 7 days"), CostFilters(period="7d", status="failed").address()),
        (_("Clients, last month"), CostFilters(period="last-month", by="client").address()),
        (_("Each day of the last 30"), CostFilters(period="30d", by="day").address()),
    ]


def _calibration(report: reports.Report) -> list[tuple[str, reports.Line]]:
    """Versions by name, with what was expected of them at their start and what came."""
    found = reports.calibration(report.query)
    called = names("version", [line.key for line in found])
    return [(called[line.key], line) for line in found]


@require_GET
@may_see
def csv_file(request: HttpRequest) -> HttpResponseBase:
    """What the page shows, with its filter."""
    made = _made(request)[3]
    return download(request, csv_pieces(made.lines()), "costs.csv", "text/csv; charset=utf-8")


@require_GET
@may_see
def xlsx_file(request: HttpRequest) -> HttpResponseBase:
    return download(request, [workbook(_made(request)[3])], "costs.xlsx", XLSX)


@require_POST
@permission_required(("tasks.view_costs", "tasks.close_month"), raise_exception=True)
def close(request: HttpRequest) -> HttpResponse:
    """Close a month for good; the trail keeps who and why."""
    try:
        month = date.fromisoformat(f"{request.POST.get('month', '')}-01")
        if not EARLIEST <= month <= LATEST:
            raise ValueError
        closing.close(Actor.of(request, "web"), month, reason_of(request))
    except ValueError:
        messages.error(request, _("That is no month. Write one such as 2026-11."))
    except closing.Refused as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(
            request, _("%(month)s is closed: its figures never change again.") % {"month": f"{month:%Y-%m}"}
        )
    return redirect(reverse("costs"))
