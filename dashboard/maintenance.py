"""The page of the maintenance switch: how it stands, what still runs, and the button for operators."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from dashboard.access import may_see
from tasks import bulk, maintenance
from tasks.audit import Actor, reason_of
from tasks.models import Switches
from tasks.operations import Refused

VERBS = {"begin": "begin_maintenance", "end": "end_maintenance"}
MOST_REASON = 200


@require_http_methods(["GET", "POST"])
@may_see
def page(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        return _switch(request)
    context = {"now": maintenance.now(), "may_operate": request.user.has_perm("tasks.operate_task")}
    return render(request, "maintenance.html", context)


def _switch(request: HttpRequest) -> HttpResponse:
    if not request.user.has_perm("tasks.operate_task"):
        raise PermissionDenied
    verb = VERBS.get(request.POST.get("what", ""))
    if verb is None:
        raise Http404
    reason = reason_of(request)[:MOST_REASON]
    try:
        action = bulk.begin(Actor.of(request, "web"), verb, Switches.objects.all(), reason=reason)
    except Refused as refusal:
        messages.error(request, refusal.message)
        return redirect("maintenance")
    (messages.success if action.done else messages.warning)(request, bulk.sentence(action))
    return redirect("maintenance")
