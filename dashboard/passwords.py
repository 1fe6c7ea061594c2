"""Takes the passwords of encrypted documents, one for each, and hands in what they open."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from dashboard.extractions import visible_extraction
from tasks import intake, operations
from tasks.audit import Actor

PREFIX = "password-"


@require_POST
@permission_required("tasks.add_extraction", raise_exception=True)
@sensitive_post_parameters()
def unlock(request: HttpRequest, pk: int) -> HttpResponse:
    """Fields are named password-<document id>; empty ones are left for later."""
    extraction = visible_extraction(request, pk)
    passwords = {
        int(name.removeprefix(PREFIX)): value
        for name, value in request.POST.items()
        if value and name.startswith(PREFIX) and name.removeprefix(PREFIX).isdecimal()
    }
    try:
        others = intake.unlock(Actor.of(request, "web"), extraction, passwords)
    except (intake.NotTaken, operations.Refused) as refusal:
        messages.error(request, refusal.message)
        return redirect("extraction", pk=pk)
    if not passwords:
        messages.error(request, _("No password was typed, so nothing was opened."))
        return redirect(_page(pk, {"empty": 1}))
    for name in others:
        messages.error(request, _("The password does not open “%(name)s”.") % {"name": name})
    if opened := len(passwords) - len(others):
        messages.success(
            request,
            ngettext("%(number)d document opened.", "%(number)d documents opened.", opened)
            % {"number": opened},
        )
    extraction.refresh_from_db(fields=("refused",))
    still = {entry.get("document_id") for entry in extraction.refused if entry["code"] == "encrypted"}
    return redirect(_page(pk, {"wrong": sorted(passwords.keys() & still)}))


def _page(pk: int, faults: dict[str, Any]) -> str:
    """The extraction's page, which marks these fields and puts the cursor into the first."""
    query = urlencode(faults, doseq=True)
    return reverse("extraction", args=(pk,)) + (f"?{query}" if query else "")
