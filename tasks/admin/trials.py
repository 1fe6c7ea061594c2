"""The page on which an agent, or an earlier version of it, is tested with one PDF: handed in before all other work, and read like any other."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks import intake, operations
from tasks.access import clients_of
from tasks.admin.base import actor_of
from tasks.models import Agent, Client, Extraction
from tasks.states import Priority


class TrialForm(forms.Form):
    """One PDF, and who it belongs to: what a model costs is charged like everything else."""

    file = forms.FileField(label=gettext_lazy("PDF file"), allow_empty_file=True)
    client = forms.ModelChoiceField(Client.objects.none(), label=gettext_lazy("Client"))
    version = forms.ModelChoiceField(
        None, label=gettext_lazy("Version"), empty_label=None, to_field_name="number"
    )

    def __init__(self, user: Any, agent: Agent, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["client"].queryset = clients_of(user).filter(deletion_began_at=None)
        self.fields["version"].queryset = agent.versions.select_related("agent").order_by("-number")
        self.initial["version"] = agent.current_version.number if agent.current_version else None


class TrialPage(admin.ModelAdmin):
    """Adds the test to the admin of agents, for whoever may change an agent."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.trial_view)
        return [path("<int:pk>/test/", view, name="tasks_agent_trial"), *super().get_urls()]

    def trial_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        agent = get_object_or_404(Agent.objects.select_related("current_version"), pk=pk)
        if not self.has_change_permission(request, agent):
            raise PermissionDenied
        posted = (request.POST, request.FILES) if request.method == "POST" else ()
        form = TrialForm(request.user, agent, *posted)
        if form.is_bound and form.is_valid():
            try:
                extraction = hand_in(request, agent, form.cleaned_data)
                task = extraction.tasks.first()
                return redirect("task", task.pk) if task else redirect("extraction", extraction.pk)
            except (intake.NotTaken, operations.Refused) as refusal:
                form.add_error(None, refusal.message)
        title = _("Test %(agent)s with one PDF") % {"agent": agent.name}
        context = {
            **self.admin_site.each_context(request), "title": title, "opts": self.opts, "agent": agent, "form": form,
            "clients": form.fields["client"].queryset.exists(),
        }  # fmt: skip
        return TemplateResponse(request, "admin/trial.html", context)


def hand_in(request: HttpRequest, agent: Agent, chosen: dict[str, Any]) -> Extraction:
    """In the queue, so that a bad PDF or a slow model harms no page, and limits, costs and traces count as they always do."""
    version = chosen["version"].number
    return intake.take_in(
        actor_of(request),
        client=chosen["client"],
        agent=agent,
        uploads=[intake.Upload(chosen["file"].name or "", chosen["file"])],
        engagement=_("Test of %(agent)s v%(number)d") % {"agent": agent.name, "number": version},
        priority=int(Priority.INTERACTIVE),
        run_again=True,
        version=version,
    )
