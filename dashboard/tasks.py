"""The page of one task: what was read and how sure it is, every attempt with its tokens and cost, and the verbs of operators."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from dashboard import attempts as course
from dashboard import queries, traces, words
from dashboard.extractions import unless_known
from tasks import operations, queue, results
from tasks.access import visible_to
from tasks.audit import Actor, reason_of
from tasks.costs.running import costs_so_far
from tasks.models import Agent, Attempt, Task
from tasks.states import TERMINAL, Priority, TaskStatus
from tasks.versions import usable
from tasks.why import why_waiting

VERBS = {
    "retry": operations.retry,
    "cancel": operations.cancel,
    "run-next": operations.run_next,
}


@require_GET
def page(request: HttpRequest, pk: int) -> HttpResponse:
    return render(request, "task.html", _context(request, pk))


@require_GET
def fragment(request: HttpRequest, pk: int) -> HttpResponse:
    """The page's live parts alone; 304 where they are what the browser has already."""
    return unless_known(request, render(request, "task_live.html", _context(request, pk)))


def _context(request: HttpRequest, pk: int) -> dict[str, Any]:
    related = (
        "document",
        "extraction",
        "client",
        "agent",
        "agent_version",
    )
    task = get_object_or_404(visible_to(request.user, Task.objects.select_related(*related)), pk=pk)
    queries.with_running_attempts([task])
    attempts = list(Attempt.objects.filter(task=task).defer("result", "conflict").order_by("-number"))
    so_far = costs_so_far(queue.connection(), attempts)
    for attempt in attempts:
        attempt.usd_so_far = so_far.get(attempt.pk)
        attempt.run_seconds = _seconds(attempt.started_at, attempt.finished_at)
    traces.with_traces(attempts)
    course.with_courses(task, attempts)
    latest = attempts[0] if attempts else None
    is_deleted = course.is_deleted(task)
    stored = Attempt.objects.filter(pk=task.result_attempt).values_list("result", flat=True).first()
    result = results.shown(stored)
    return {
        "task": task, "attempts": attempts, "result": result, "records": [_record(record) for record in result.get("records", ())],
        "fault": results.fault(stored),
        "is_final": task.status in TERMINAL and all(attempt.ended_at for attempt in attempts), "log": course.log_tail(latest.pk) if latest else None,
        "latest": latest, "result_text": course.exact_result(task.result_attempt), "payload": course.payload(task),
        "command_line": course.command_line(task), "may_see_log": not is_deleted and request.user.has_perm("tasks.view_attempt"),
        "response_seconds": _seconds(task.enqueued_at, task.finished_at),
        "why": why_waiting(task.pk) if task.status == TaskStatus.ENQUEUED else None,
        "agents": usable(Agent.objects.order_by("name")) if task.status in TERMINAL else (),
        "levels": [int(level) for level in sorted(Priority, reverse=True)],
        "is_deleted": is_deleted,
        "is_comparable": not is_deleted and bool(queries.comparable([task.document_id])),
        "may_operate": not is_deleted and request.user.has_perm("tasks.operate_task"),
        "may_download": not is_deleted and request.user.has_perm("tasks.view_document"),
    }  # fmt: skip


def _record(record: dict[str, Any]) -> dict[str, Any]:
    """A record for the page: fields in reading order, line items with the columns that any of them has."""
    fields, lines = record["fields"], record.get("lines", ())
    columns = words.ordered(name for line in lines for name in line)
    rows = [[(name, line.get(name)) for name in columns] for line in lines]
    return {
        **record,
        "fields": [(name, fields[name]) for name in words.ordered(fields)],
        "columns": columns,
        "rows": rows,
    }


def _seconds(start: Any, end: Any) -> float | None:
    return (end - start) / timedelta(seconds=1) if start and end else None


@require_POST
@permission_required("tasks.operate_task", raise_exception=True)
def operate(request: HttpRequest, pk: int, verb: str) -> HttpResponse:
    """One of the verbs for people, on one task. The outcome is told in words, also where there was nothing to do."""
    task = get_object_or_404(visible_to(request.user, Task.objects.all()), pk=pk)
    actor, reason = Actor.of(request, "web"), reason_of(request)
    if verb not in VERBS and verb not in ("priority", "reprocess"):
        raise Http404
    try:
        if verb == "priority":
            outcome = operations.reprioritise(actor, [task.pk], _level(request), reason)
        elif verb == "reprocess":
            outcome = operations.reprocess(actor, [task.pk], reason, agent=_agent(request))
        else:
            outcome = VERBS[verb](actor, [task.pk], reason)
    except operations.Refused as refusal:
        messages.error(request, refusal.message)
        return redirect("task", pk=pk)
    (messages.success if outcome.done else messages.warning)(request, outcome.sentence)
    return redirect("task", pk=pk)


def _agent(request: HttpRequest) -> Agent | None:
    """Who is to read it; None: the version that did."""
    name = request.POST.get("agent", "")
    return get_object_or_404(usable(Agent.objects.all()), name=name) if name else None


def _level(request: HttpRequest) -> Priority:
    try:
        return Priority(int(request.POST.get("priority", "")))
    except ValueError:
        raise Http404 from None
