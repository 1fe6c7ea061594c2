"""What pages share that ask before they act on many tasks: what is told beforehand, and how it is begun (as in the admin, by `tasks.bulk`)."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard import summary
from tasks import bulk, consequences
from tasks.audit import Actor, reason_of
from tasks.models import Task
from tasks.operations import Refused

SHOWN_FIRST, MOST_REASON = 5, 500


def told(request: HttpRequest, verb: str, rows: QuerySet[Task]) -> dict[str, Any]:
    """The context of confirm_words.html: how many, the first of them, what it costs or loses, and the token that lets it happen once."""
    number = rows.count()
    return {
        "number": number, "first": rows.select_related("document").order_by("pk")[:SHOWN_FIRST], "more": max(0, number - SHOWN_FIRST),
        "sentence": ngettext("%(number)s task is concerned.", "%(number)s tasks are concerned.", number)
        % {"number": number_format(number, force_grouping=True)},
        "consequences": consequences.of(verb, rows) if number else [], "later": number > bulk.AT_ONCE, "token": uuid4(),
        "reason": request.GET.get("reason", ""),
    }  # fmt: skip


def begin(
    request: HttpRequest, verb: str, rows: QuerySet[Task], back: str, *, selection: str = "", parameters: dict[str, Any] | None = None
) -> HttpResponse:  # fmt: skip
    """Begin it, and lead to where its course is told: `back` with a sentence if it is done already, else the action's own page."""
    try:
        action = bulk.begin(
            Actor.of(request, "web"), verb, rows, selection=selection, parameters=parameters,
            reason=reason_of(request)[:MOST_REASON], token=_token(request),
        )  # fmt: skip
    except Refused as refusal:
        messages.error(request, refusal.message)
        return redirect(back)
    summary.shared.clear()
    if not action.finished_at:
        return redirect("bulk_action", pk=action.pk)
    link = format_html(
        '<a href="{}">{}</a>', reverse("bulk_action", args=(action.pk,)), _("See what became of each")
    )
    sentence = format_html("{} {}", action.error or bulk.sentence(action), link)
    (messages.success if action.done else messages.warning)(request, sentence)
    return redirect(back)


def _token(request: HttpRequest) -> UUID | None:
    try:
        return UUID(request.POST.get("token", ""))
    except ValueError:
        return None
