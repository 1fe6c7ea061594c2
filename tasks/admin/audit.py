"""The audit log: who did what to what, when and why. To read only; the database refuses changes too."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from tasks import trail
from tasks.admin.base import ReadOnly
from tasks.admin.lists import choice, days
from tasks.models import AuditEntry


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly):
    change_list_template = "admin/trail.html"
    list_display = ("at", "actor_name", "verb", "object_type", "object_id", "reason", "source")
    search_fields = ("=object_id",)
    search_help_text = _("Number or id of what was acted on, or a user's name")
    list_filter = (
        days(_("day"), None, "at"),
        choice(
            _("of what"), "of", {kind: (word, {"object_type": kind}) for kind, word in trail.OBJECTS.items()}
        ),
    )
    ordering = ("-at", "-id")
    sortable_by = ()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet, search_term: str
    ) -> tuple[QuerySet, bool]:
        term = search_term.strip()
        return (trail.found(queryset, term) if term else queryset), False

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        query = request.GET.urlencode()
        export = reverse("trail_csv") + (f"?{query}" if query else "")
        return super().changelist_view(request, {**(extra_context or {}), "export": export})
