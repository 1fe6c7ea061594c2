"""Deliveries: every callback that was accepted, and what it did; and counts of those that were refused."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from tasks import callbacks
from tasks.admin.base import ReadOnly, actor_of, confirmed
from tasks.admin.lists import days
from tasks.models import Delivery, RefusedDelivery


@admin.register(Delivery)
class DeliveryAdmin(ReadOnly):
    list_display = ("received_at", "attempt", "event", "outcome", "repeats", "size_bytes", "milliseconds")
    search_fields = ("=attempt",)
    search_help_text = _("Id of the attempt")
    list_filter = (days(_("day"), None, "received_at"),)
    ordering = ("-received_at",)
    sortable_by = ()
    exclude = ("body",)
    actions = ("apply_again",)

    @admin.action(description=_("Apply again"), permissions=["operate"])
    def apply_again(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        """For results that could not be stored when they came. What was applied already stays as it is."""
        return confirmed(
            self, request, queryset, "apply_again", title=_("Apply deliveries again"),
            do=lambda ids, reason: callbacks.apply_again(actor_of(request), ids, reason),
        )  # fmt: skip


@admin.register(RefusedDelivery)
class RefusedDeliveryAdmin(ReadOnly):
    list_display = ("hour", "reason", "count", "last_attempt", "last_at")
    ordering = ("-hour",)
