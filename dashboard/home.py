"""The first page: what this person can do now, and, on an empty installation, the steps to the first result."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from dashboard import queries
from dashboard.extractions import with_counts
from tasks.access import clients_of, sees_every_client, visible_to
from tasks.models import Agent, Client, Extraction

RECENT = 8


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the checklist. `url` is empty where this person cannot do it."""

    title: str | Promise
    hint: str | Promise
    done: bool
    url: str = ""
    button: str | Promise = ""


def start(request: HttpRequest) -> HttpResponse:
    user = request.user
    recent = list(
        visible_to(user, Extraction.objects.select_related("client", "agent", "created_by"))[:RECENT]
    )
    with_counts(recent)
    looks_after = user.has_perm("tasks.view_worker")
    context = {
        "recent": recent,
        "steps": [] if recent else _steps(request),
        "overview": queries.overview() if looks_after else None,
        "may_upload": user.has_perm("tasks.add_extraction"),
        "has_no_role": not user.has_perm("tasks.view_extraction"),
        "is_outside": not sees_every_client(user) and not clients_of(user).exists(),
    }
    return render(request, "home.html", context)


def _steps(request: HttpRequest) -> list[Step]:
    """What is between an empty installation and its first result; nothing that this person could not even see done."""
    user = request.user

    def admin(view: str, permission: str) -> str:
        return (
            reverse(f"admin:tasks_{view}") if user.is_staff and user.has_perm(f"tasks.{permission}") else ""
        )

    return [
        Step(_("A client"), _("Who the audit is for. Documents, access and costs belong to a client."),
             Client.objects.exists(), admin("client_add", "add_client"), _("Add a client")),
        Step(_("Your access"), _("A client's members see its documents. Operators make people members."),
             clients_of(user).exists(), admin("membership_add", "add_membership"), _("Add a member")),
        Step(_("An agent"), _("What reads the documents. One for invoices and receipts is there from the first minute and works offline."),
             Agent.objects.filter(current_version__isnull=False).exists(), admin("agent_changelist", "view_agent"), _("See the agents")),
        Step(_("A worker"), _("The program that takes waiting documents and has them read: “manage.py worker”."),
             queries.living_workers().filter(slots__gt=0).exists()),
        Step(_("The first documents"), _("Pick some PDFs and watch them being read."),
             False, reverse("upload") if user.has_perm("tasks.add_extraction") else "", _("Upload documents")),
    ]  # fmt: skip
