"""What operators did to many rows at once. To read only; each has a page of its own with what became of every row."""

from __future__ import annotations

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from tasks.admin.base import Internal, ReadOnly
from tasks.admin.lists import days
from tasks.models import BulkAction, BulkPiece


@admin.register(BulkAction)
class BulkActionAdmin(ReadOnly):
    list_display = (
        "id",
        "created_at",
        "verb",
        "object_type",
        "actor_name",
        "state",
        "total",
        "done",
        "skipped",
        "reason",
        "result",
    )
    list_filter = (days(_("day"), BulkAction), "state", "verb")
    search_fields = ("=id", "=actor_name")
    ordering = ("-id",)

    @admin.display(description=_("result"))
    def result(self, row: BulkAction) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("bulk_action", args=(row.pk,)), _("See"))


@admin.register(BulkPiece)
class BulkPieceAdmin(Internal):
    list_display = ("action", "number", "finished_at")
    list_select_related = ("action",)
    ordering = ("-action_id", "number")
