"""Documents: what was handed in, by digest."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from tasks.admin.base import ReadOnly
from tasks.admin.lists import MOST_FOUND, days, documents_found, in_words
from tasks.models import Document


@admin.register(Document)
class DocumentAdmin(ReadOnly):
    belongs_to_client = True
    list_display = (
        "original_name",
        "client",
        "pages",
        "size_bytes",
        in_words("needs_password", _("needs password")),
        "created_at",
    )
    list_select_related = ("client",)
    list_filter = (days(_("day"), Document),)
    search_fields = ("=id",)
    search_help_text = _("Number, the beginning of the SHA-256, or of the name")
    ordering = ("-id",)
    sortable_by = ()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet, search_term: str
    ) -> tuple[QuerySet, bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        found = documents_found(term).order_by("-pk").values_list("pk", flat=True)[:MOST_FOUND]
        return queryset.filter(pk__in=list(found)), False
