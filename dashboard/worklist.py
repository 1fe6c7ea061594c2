"""The page with the list of tasks: narrowed like the dashboard, searched, and operated on in bulk after a confirmation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods

from dashboard import operations as page_of_operations
from dashboard import queries, summary, tasklist, words
from dashboard.filters import FilterForm, Filters
from tasks import operations
from tasks.audit import Actor
from tasks.models import Task
from tasks.states import Priority

PER_PAGE, SHOWN_FIRST = 50, 5
MOST_AT_ONCE = 5000
"""So many are operated on while somebody waits for the page."""

Verb = Callable[[Actor, list[int], str], operations.Outcome]
VERBS: dict[str, tuple[Any, Any, Verb | None]] = {
    "retry": (gettext_lazy("Retry tasks"), gettext_lazy("Retry them"), operations.retry),
    "reprocess": (
        gettext_lazy("Read documents again"),
        gettext_lazy("Read them again"),
        operations.reprocess,
    ),
    "cancel": (gettext_lazy("Cancel tasks"), gettext_lazy("Cancel them"), operations.cancel),
    "run-next": (gettext_lazy("Run tasks next"), gettext_lazy("Run them next"), operations.run_next),
    "priority": (gettext_lazy("Change priority"), gettext_lazy("Change it"), None),
}


@require_GET
@page_of_operations.may_see
def page(request: HttpRequest) -> HttpResponse:
    form = FilterForm(request.GET)
    filters, text = form.filters(), request.GET.get("q", "").strip()[:200]
    now = queries.database_now()
    following: tasklist.Cursor | None = None
    if text:
        ids = tasklist.found(text)
        number, is_cut = len(ids), len(ids) == tasklist.MOST_FOUND
    else:
        ids, following = _ids(request, filters, now)
        number, is_cut = length(filters), False
    rows = tasklist.tasks(ids)
    queries.with_running_attempts(rows)
    context = {
        "form": form, "filters": filters, "tasks": rows, "text": text, "number": number, "is_cut": is_cut, "query": filters.query(),
        "next": str(following) if following else "", "after": request.GET.get("after", ""), "here": request.get_full_path(),
        "error": words.error_word(filters.error) if filters.error else "", "levels": [int(level) for level in sorted(Priority, reverse=True)],
        "may_operate": request.user.has_perm("tasks.operate_task"),
    }  # fmt: skip
    return render(request, "operations_tasks.html", context)


def _ids(request: HttpRequest, filters: Filters, now: Any) -> tuple[list[int], tasklist.Cursor | None]:
    try:
        after = tasklist.Cursor.parse(request.GET["after"]) if request.GET.get("after") else None
        return tasklist.page(filters, now, PER_PAGE, after)
    except tasklist.BadCursor:
        raise Http404 from None


def length(filters: Filters) -> int:
    """How many tasks the list holds, by the same numbers as the dashboard's."""
    board = summary.board(filters)
    if filters.error:
        return board.totals.errors[filters.error]
    if filters.status:
        return board.states[filters.status]
    return sum(number for state, number in board.states.items() if state != "review")


@require_http_methods(["GET", "POST"])
@page_of_operations.may_see
@permission_required("tasks.operate_task", raise_exception=True)
def act(request: HttpRequest) -> HttpResponse:
    """Ask, then operate on the tasks that were picked, or (`status`, `error` … in the address) on those that a filter finds."""
    given = request.POST if request.method == "POST" else request.GET
    verb = given.get("verb", "")
    if verb not in VERBS:
        raise Http404
    back = _back(request, given)
    ids, more = _picked(request)
    if not ids:
        messages.warning(request, _("No task was picked."))
        return redirect(back)
    if request.POST.get("confirmed"):
        outcome = _run(request, verb, ids)
        summary.shared.clear()
        (messages.success if outcome.done else messages.warning)(request, outcome.sentence)
        return redirect(back)
    title, button, _verb = VERBS[verb]
    sentence = ngettext("%(number)d task is concerned.", "%(number)d tasks are concerned.", len(ids)) % {
        "number": len(ids)
    }
    context = {
        "title": title, "button": button, "verb": verb, "sentence": sentence, "ids": ids, "back": back, "is_dangerous": verb == "cancel",
        "first": tasklist.tasks(ids[:SHOWN_FIRST]), "more": max(0, len(ids) - SHOWN_FIRST), "reason": given.get("reason", ""),
        "priority": _level(given) if verb == "priority" else None, "limit": MOST_AT_ONCE if more else 0,
    }  # fmt: skip
    return render(request, "operations_confirm.html", context)


def _run(request: HttpRequest, verb: str, ids: list[int]) -> operations.Outcome:
    actor, reason = Actor.of(request, "web"), request.POST.get("reason", "").strip()[:500]
    do = VERBS[verb][2]
    return do(actor, ids, reason) if do else operations.reprioritise(actor, ids, _level(request.POST), reason)


def _level(given: Any) -> Priority:
    try:
        return Priority(int(given.get("priority", "")))
    except ValueError:
        raise Http404 from None


def _picked(request: HttpRequest) -> tuple[list[int], bool]:
    """The ids, and whether more match than are taken at once."""
    if request.method == "GET":
        ids = tasklist.every(FilterForm(request.GET).filters(), queries.database_now(), MOST_AT_ONCE + 1)
        return ids[:MOST_AT_ONCE], len(ids) > MOST_AT_ONCE
    try:
        wanted = [int(value) for value in request.POST.getlist("task")][:MOST_AT_ONCE]
    except ValueError:
        raise Http404 from None
    known = set(Task.objects.filter(pk__in=wanted).values_list("pk", flat=True))
    return [task for task in wanted if task in known], False


def _back(request: HttpRequest, given: Any) -> str:
    """The list as it was left; never an address of somebody else."""
    back = given.get("back", "")
    if url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        return back
    query = FilterForm(request.GET).filters().query() if request.method == "GET" else ""
    return reverse("operations_tasks") + query
