"""Who failed to sign in of late: operators let somebody in before their time of waiting is over."""

from __future__ import annotations

from axes.models import AccessAttempt
from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from tasks.admin.base import ReadOnly, actor_of, confirmed
from tasks.audit import Actor, Entry, record
from tasks.operations import Outcome


@admin.register(AccessAttempt)
class AccessAttemptAdmin(ReadOnly):
    list_display = ("username", "ip_address", "failures_since_start", "attempt_time")
    search_fields = ("username", "ip_address")
    fields = list_display
    ordering = ("-attempt_time",)
    actions = ("unlock",)

    @admin.action(description=_("Let them try again at once"), permissions=["operate"])
    def unlock(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return confirmed(
            self, request, queryset, "unlock", title=_("Let them try again at once"),
            do=lambda ids, reason: unlocked(actor_of(request), ids, reason),
        )  # fmt: skip


def unlocked(actor: Actor, ids: list[int], reason: str) -> Outcome:
    """Forget these failures. The trail keeps the name, and no address."""
    with transaction.atomic():
        rows = AccessAttempt.objects.select_for_update().filter(pk__in=ids).order_by("pk")
        entries = [Entry("unlock", "accessattempt", str(row.pk), {"username": row.username}) for row in rows]
        record(actor, entries, reason)
        AccessAttempt.objects.filter(pk__in=ids).delete()
    return Outcome([int(entry.object_id) for entry in entries], {})
