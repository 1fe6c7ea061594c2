"""The page on which everything of a client is deleted: what is lost, its name to type, and a reason."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks import erasure
from tasks.access import visible_to
from tasks.admin.base import actor_of
from tasks.changes import Refused
from tasks.models import Client

RIGHT = "tasks.erase_client"


class ErasureForm(forms.Form):
    """Nobody deletes a client by a slip of the hand."""

    name = forms.CharField(
        label=gettext_lazy("Name of the client"), help_text=gettext_lazy("Type it, so that it is sure which one is meant.")
    )  # fmt: skip
    reason = forms.CharField(
        label=gettext_lazy("Reason"), max_length=500, help_text=gettext_lazy("The audit log keeps it.")
    )

    def __init__(self, client: Client, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._client = client

    def clean_name(self) -> str:
        if self.cleaned_data["name"] != self._client.name:
            raise forms.ValidationError(_("That is not the client's name. Nothing was deleted."))
        return self.cleaned_data["name"]


class ErasurePage(admin.ModelAdmin):
    """Adds the deletion to the admin of clients, for superusers and whoever was given the right to it."""

    change_form_template = "admin/client.html"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.erase_view)
        return [path("<int:pk>/erase/", view, name="tasks_client_erase"), *super().get_urls()]

    def erase_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        if not request.user.has_perm(RIGHT):
            raise PermissionDenied
        client = get_object_or_404(visible_to(request.user, Client.objects.all()), pk=pk)
        form = ErasureForm(client, request.POST if request.method == "POST" else None)
        if form.is_bound and form.is_valid():
            try:
                erasure.begin(actor_of(request), client, form.cleaned_data["reason"])
                told = _(
                    "The deletion has begun; a worker does it in the background. This page shows how much is left."
                )
                messages.success(request, told)
                return redirect("admin:tasks_client_erase", pk)
            except Refused as refusal:
                form.add_error(None, refusal.message)
        context = {
            **self.admin_site.each_context(request), "title": _("Delete all data of %(client)s") % {"client": client.name}, "opts": self.opts,
            "client": client, "scope": erasure.scope(client), "form": form,
        }  # fmt: skip
        return TemplateResponse(request, "admin/erase_client.html", context)
