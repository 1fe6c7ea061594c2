"""The page with the list of tasks: narrowed like the dashboard, searched, and operated on in bulk after a confirmation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from dashboard import asking, exports, ordering, queries, saved, summary, tasklist, words
from dashboard.access import may_see
from dashboard.extractions import unless_known
from dashboard.filters import FilterForm, Filters
from dashboard.ordering import Order
from dashboard.streaming import download
from tasks.models import Task
from tasks.states import TERMINAL, Priority
from tasks.verbs import VERBS as TITLES

PER_PAGE = 50
CHUNK = 500
"""So many tasks of an export are read at once."""
MOST_AT_ONCE = 2 * tasklist.MOST_SORTED
"""More than a sorted list has, which grows while it is read."""
VERBS: dict[str, tuple[str, Any]] = {
    "retry": ("retry", gettext_lazy("Retry them")),
    "reprocess": ("reprocess", gettext_lazy("Read them again")),
    "cancel": ("cancel", gettext_lazy("Cancel them")),
    "run-next": ("run_next", gettext_lazy("Run them next")),
    "priority": ("reprioritise", gettext_lazy("Change it")),
}
"""Verb in the address → verb of `tasks.verbs`, and the word on its button."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of the list: `number` tasks in all; `following`: where the page after it begins ("": nowhere). `orders` are those that the list can have, being no longer than it is."""

    rows: list[Task]
    number: int
    order: Order
    orders: Mapping[str, bool]
    following: str = ""


@require_GET
@may_see
@ordering.sized
def page(request: HttpRequest) -> HttpResponse:
    form = FilterForm(request.GET)
    filters, text = form.filters(), _text(request)
    size = ordering.size_of(request, PER_PAGE)
    listed = _found(request) if text else _listed(request, filters, size)
    queries.with_running_attempts(listed.rows)
    wanted = Order.parse(request.GET.get("sort", ""), tasklist.ORDERS)
    news = reverse("operations_tasks_news", args=(listed.number, _mark(listed.rows)))
    context = {
        "form": form, "filters": filters, "tasks": listed.rows, "text": text, "number": listed.number, "is_cut": text and listed.number == tasklist.MOST_FOUND,
        "query": filters.query(), "selection": filters.query().removeprefix("?"), "next": listed.following, "after": request.GET.get("after", ""),
        "here": request.get_full_path(), "is_narrowed": bool(text) or filters != Filters(last="all"), "size": size,
        "order": listed.order, "orders": listed.orders, "most_sorted": tasklist.MOST_SORTED,
        "error": words.error_word(filters.error) if filters.error else "", "levels": [int(level) for level in sorted(Priority, reverse=True)],
        "may_operate": request.user.has_perm("tasks.operate_task"), "saved": saved.of(request, "operations_tasks", filters, wanted),
        "news": "" if text else news,
    }  # fmt: skip
    return render(request, "operations_tasks.html", context)


@require_GET
@may_see
def news(request: HttpRequest, number: int, mark: str) -> HttpResponse:
    """Whether the list is another one than a page shows that had `number` tasks in all and rows with this `mark`. The page itself stays
    as it is, so that nothing moves under a pointer; it offers to be loaded again."""
    filters = FilterForm(request.GET).filters()
    listed = _listed(request, filters, ordering.size_of(request, PER_PAGE))
    query = request.GET.urlencode()
    context = {
        "has_changed": _mark(listed.rows) != mark,
        "more": listed.number - number,
        "here": reverse("operations_tasks") + (f"?{query}" if query else ""),
    }
    return unless_known(request, render(request, "operations_tasks_news.html", context))


def _mark(rows: list[Task]) -> str:
    """Tells two pages of the list apart: which tasks, in which order and state."""
    told = ";".join(f"{task.pk} {task.status} {task.attempts_made}" for task in rows)
    return sha256(told.encode()).hexdigest()[:16]


def _text(request: HttpRequest) -> str:
    return request.GET.get("q", "").strip()[:200]


def _found(request: HttpRequest) -> Listed:
    """What was searched for, at once; the newest first where no other order is asked for."""
    order = Order.parse(request.GET.get("sort", ""), tasklist.ORDERS)
    rows = tasklist.tasks(tasklist.found(_text(request)))
    number = len(rows)
    if order.name:
        tasklist.sort(rows, order)
    return Listed(rows, number, order, tasklist.ORDERS)


def _listed(request: HttpRequest, filters: Filters, size: int) -> Listed:
    number, now, given = length(filters), queries.database_now(), request.GET.get("after", "")
    way = tasklist.way_to_sort(filters, summary.board(filters))
    orders = tasklist.ORDERS if way else {}
    order, wanted = (Order.parse(request.GET.get("sort", ""), known) for known in (orders, tasklist.ORDERS))
    if order != wanted:  # it has grown too long for it: from the beginning
        given = ""
    try:
        if order.name:
            after = tasklist.Place.parse(given) if given else None
            ids, place = tasklist.in_order(filters, now, order, way, size, after)
            following = str(place or "")
        else:
            begin = tasklist.Cursor.parse(given) if given else None
            ids, cursor = tasklist.page(filters, now, size, begin)
            following = str(cursor or "")
    except tasklist.BadCursor:
        raise Http404 from None
    return Listed(tasklist.tasks(ids), number, order, orders, following)


@require_GET
@may_see
def export(request: HttpRequest) -> HttpResponseBase:
    """The whole list as its page shows it, in that order."""
    lines = exports.csv_pieces(chain([exports.TASK_COLUMNS], map(exports.task_line, _all(request))))
    return download(request, lines, "tasks.csv", "text/csv; charset=utf-8")


def _all(request: HttpRequest) -> Iterator[Task]:
    if _text(request):
        yield from _found(request).rows
        return
    filters, now = FilterForm(request.GET).filters(), queries.database_now()
    way = tasklist.way_to_sort(filters, summary.board(filters))
    order = Order.parse(request.GET.get("sort", ""), tasklist.ORDERS if way else {})
    if order.name:
        ids, _none = tasklist.in_order(filters, now, order, way, MOST_AT_ONCE)
        for begin in range(0, len(ids), CHUNK):
            yield from tasklist.tasks(ids[begin : begin + CHUNK])
        return
    unfinished: set[int] = set()
    place: tasklist.Cursor | None = None
    while True:
        ids, place = tasklist.page(filters, now, CHUNK, place)
        rows = [task for task in tasklist.tasks(ids) if task.pk not in unfinished]
        # One that finishes meanwhile would come again, among the finished
        unfinished.update(task.pk for task in rows if task.status not in TERMINAL)
        yield from rows
        if place is None:
            return


def length(filters: Filters) -> int:
    """How many tasks the list holds, by the same numbers as the dashboard's."""
    board = summary.board(filters)
    if filters.error:
        return board.totals.errors[filters.error]
    if filters.status:
        return board.states[filters.status]
    return sum(number for state, number in board.states.items() if state != "review")


@require_http_methods(["GET", "POST"])
@may_see
@permission_required("tasks.operate_task", raise_exception=True)
def act(request: HttpRequest) -> HttpResponse:
    """Ask, then begin: on the tasks that were picked, or on all that a filter finds when it is confirmed.

    The filter is the address of a GET, or `selection` where `scope` is "all".
    """
    given = request.POST if request.method == "POST" else request.GET
    if given.get("verb") not in VERBS:
        raise Http404
    verb, button = VERBS[given["verb"]]
    parameters = {"priority": int(_level(given))} if verb == "reprioritise" else {}
    selection = _selection(request)
    ids = [] if selection is not None else _picked(request)
    rows = _matching(selection) if selection is not None else Task.objects.filter(pk__in=ids)
    back = _back(request, given, selection)
    if selection is None and not ids:
        messages.warning(request, _("No task was picked."))
        return redirect(back)
    if request.POST.get("confirmed"):
        chosen = "" if selection is None else selection or "*"
        return asking.begin(request, verb, rows, back, selection=chosen, parameters=parameters)
    context = {
        "title": TITLES[verb].title, "button": button, "verb": given["verb"], "ids": ids, "selection": selection, "back": back,
        "is_dangerous": verb == "cancel", "priority": parameters.get("priority"), **asking.told(request, verb, rows),
    }  # fmt: skip
    return render(request, "operations_confirm.html", context)


def _selection(request: HttpRequest) -> str | None:
    """The filter that says which tasks are meant, as the end of an address; None: those that were picked."""
    if request.method == "GET":
        return FilterForm(request.GET).filters().query().removeprefix("?")
    if request.POST.get("scope") != "all":
        return None
    return FilterForm(QueryDict(request.POST.get("selection", ""))).filters().query().removeprefix("?")


def _matching(selection: str) -> QuerySet[Task]:
    return tasklist.matching(FilterForm(QueryDict(selection)).filters(), queries.database_now())


def _level(given: Any) -> Priority:
    try:
        return Priority(int(given.get("priority", "")))
    except ValueError:
        raise Http404 from None


def _picked(request: HttpRequest) -> list[int]:
    """The ids that came along, in their order, without those that there are not."""
    try:
        wanted = [int(value) for value in request.POST.getlist("task")]
    except ValueError:
        raise Http404 from None
    known = set(Task.objects.filter(pk__in=wanted).values_list("pk", flat=True))
    return [task for task in wanted if task in known]


def _back(request: HttpRequest, given: Any, selection: str | None) -> str:
    """The list as it was left; never an address of somebody else."""
    back = given.get("back", "")
    if back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        return back
    return reverse("operations_tasks") + (f"?{selection}" if selection else "")
