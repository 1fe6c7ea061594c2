"""Prices of models, dated: costs keep the row that they were computed with, so that one in use is never changed. Imported from CSV with a look before."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tasks.admin.base import Audited, actor_of
from tasks.costs import price_list
from tasks.models import Attempt, Price


class PriceForm(forms.ModelForm):
    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        for name in price_list.AMOUNTS:
            if (cleaned.get(name) or 0) < 0:
                self.add_error(name, _("A price is 0 or more."))
        if (
            self.instance.pk
            and self.has_changed()
            and Attempt.objects.filter(price=self.instance.pk).exists()
        ):
            raise ValidationError(
                _(
                    "Costs were computed with this price, so it stays as it is. Add a new one that is valid from a later moment."
                )
            )
        return cleaned


class ImportForm(forms.Form):
    """A file at first; at the second step its text, as it was shown."""

    file = forms.FileField(label=gettext_lazy("CSV file"), required=False)
    text = forms.CharField(required=False, widget=forms.HiddenInput, strip=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if (file := cleaned.get("file")) is not None:
            if file.size > price_list.MOST_BYTES:
                raise ValidationError(_("The file is too long; split it."))
            try:
                cleaned["text"] = file.read().decode("utf-8-sig")
            except UnicodeDecodeError:
                raise ValidationError(_("The file is no text in UTF-8. Save it as “CSV UTF-8”.")) from None
        if not cleaned.get("text"):
            raise ValidationError(_("Choose a file."))
        return cleaned


@admin.register(Price)
class PriceAdmin(Audited):
    form = PriceForm
    list_display = ("model", "valid_from", "input_usd", "output_usd", "cache_read_usd", "cache_write_usd")
    search_fields = ("model",)
    date_hierarchy = "valid_from"
    change_list_template = "admin/price_list.html"

    def get_urls(self) -> list[Any]:
        return [
            path("import/", self.admin_site.admin_view(self.import_view), name="tasks_price_import"),
            *super().get_urls(),
        ]

    def import_view(self, request: HttpRequest) -> HttpResponse:
        """Read a file and show what it would add; on the second post add it, if it is still the same."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = ImportForm(request.POST or None, request.FILES or None)
        found = price_list.plan(form.cleaned_data["text"]) if form.is_bound and form.is_valid() else None
        if found is not None and not found.faults and "confirmed" in request.POST:
            added = price_list.write(actor_of(request), found)
            told = ngettext("%(number)d price was added.", "%(number)d prices were added.", added) % {
                "number": added
            }
            self.message_user(request, told, messages.SUCCESS)
            return redirect("admin:tasks_price_changelist")
        context = {
            **self.admin_site.each_context(request), "title": _("Import prices"), "opts": self.model._meta, "form": form, "plan": found,
            "columns": ", ".join(price_list.COLUMNS), "text": form.cleaned_data.get("text", "") if found is not None else "",
        }  # fmt: skip
        return TemplateResponse(request, "admin/import_prices.html", context)
