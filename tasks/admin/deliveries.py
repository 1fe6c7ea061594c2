"""Deliveries: every callback that was accepted, and what it did; and counts of those that were refused."""

from __future__ import annotations

from django.contrib import admin

from tasks.admin.base import ReadOnly
from tasks.models import Delivery, RefusedDelivery


@admin.register(Delivery)
class DeliveryAdmin(ReadOnly):
    list_display = ("received_at", "attempt", "event", "outcome", "repeats", "size_bytes", "milliseconds")
    search_fields = ("=attempt", "=webhook_id")
    list_filter = ("outcome",)
    ordering = ("-received_at",)
    exclude = ("body",)


@admin.register(RefusedDelivery)
class RefusedDeliveryAdmin(ReadOnly):
    list_display = ("hour", "reason", "count", "last_attempt", "last_at")
    ordering = ("-hour",)
