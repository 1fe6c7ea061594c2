"""Filters that people keep under a name of their own, above the pages that they narrow."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from dashboard import tasklist
from dashboard.access import may_see
from dashboard.filters import FilterForm, Filters
from dashboard.ordering import OWN, Order
from tasks.models import SavedView

MOST = 30
"""Per person and page; more is no help to find one."""


class SaveForm(forms.ModelForm):
    class Meta:
        model = SavedView
        fields = ("page", "name", "query")


@require_POST
@may_see
def save(request: HttpRequest) -> HttpResponse:
    """Keep the filter of a page under a name; a name that was used before means the new filter."""
    form = SaveForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("A view needs a name of 60 characters at most. Nothing was saved."))
        return redirect(_back(request.POST.get("page", ""), request.POST.get("query", "")))
    page, name = form.cleaned_data["page"], form.cleaned_data["name"]
    query = _known(form.cleaned_data["query"])
    mine = SavedView.objects.filter(user=request.user, page=page)
    if mine.exclude(name=name).count() >= MOST:
        messages.error(request, _("You keep %(most)d views of this page already. Remove one, then save this one again.") % {"most": MOST})  # fmt: skip
        return redirect(_back(page, query))
    SavedView.objects.update_or_create(user=request.user, page=page, name=name, defaults={"query": query})
    messages.success(request, _("The view “%(name)s” is saved.") % {"name": name})
    return redirect(_back(page, query))


@require_POST
@may_see
def forget(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove one of one's own; what was shown stays."""
    view = get_object_or_404(SavedView, pk=pk, user=request.user)
    view.delete()
    messages.success(request, _("The view “%(name)s” is removed.") % {"name": view.name})
    return redirect(_back(view.page, view.query))


def of(request: HttpRequest, page: str, filters: Filters, order: Order = OWN) -> dict[str, object]:
    """What saved.html shows: a person's views of a page, and which of them is shown now."""
    views = list(SavedView.objects.filter(user=request.user, page=page))
    now = _told(filters, order)
    return {"page": page, "url": reverse(page), "query": now, "views": views, "current": next((view for view in views if view.query == now), None)}  # fmt: skip


def _known(query: str) -> str:
    """The end of an address with what filters and orders know of it, in their own order."""
    given = QueryDict(query.removeprefix("?"))
    return _told(FilterForm(given).filters(), Order.parse(given.get("sort", ""), tasklist.ORDERS))


def _told(filters: Filters, order: Order) -> str:
    named = [filters.query().removeprefix("?"), f"sort={order}" if order.name else ""]
    return "&".join(filter(None, named))


def _back(page: str, query: str) -> str:
    name = page if page in SavedView.Page.values else SavedView.Page.values[0]
    return reverse(name) + (f"?{_known(query)}" if _known(query) else "")
