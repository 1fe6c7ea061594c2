"""Alert rules, what they found, and the messages about it: whether each left, and if not why."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from tasks.admin.base import Audited, Internal, Page, ReadOnly, actor_of, confirmed
from tasks.admin.lists import choice, clock, days, in_words
from tasks.alerts import delivery, outbox
from tasks.audit import Entry, record
from tasks.changes import Outcome
from tasks.models import Alert, AlertRule, ExtractionWatch, Notice, SavedView

NOWHERE = _(
    "Alerts are shown on the pages only: neither ALERT_EMAILS with EMAIL_URL nor ALERT_WEBHOOK_URL is set."
)


class Placed(Page):
    """Lists that say so when nothing would leave, whatever the rules are."""

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        if request.method == "GET" and not outbox.places() and self.has_view_permission(request):
            self.message_user(request, NOWHERE, messages.WARNING)
        return super().changelist_view(request, extra_context)


@admin.register(AlertRule)
class AlertRuleAdmin(Placed, Audited):
    list_display = (
        "__str__",
        in_words("is_on", _("on")),
        "percent",
        "quiet_minutes",
        "looked_at",
        "open_alerts",
    )
    list_filter = ("kind", "is_on")
    ordering = ("id",)
    fields = ("kind", "minutes", "percent", "quiet_minutes", "is_on", "looked_at")
    readonly_fields = ("looked_at",)
    actions = ("send_test",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What it found refers to it; one that is off does nothing."""
        return False

    @admin.display(description=_("open"))
    def open_alerts(self, rule: AlertRule) -> int:
        return rule.alerts.filter(ended_at=None).count()

    @admin.action(description=_("Send a test to every address"), permissions=["operate"])
    def send_test(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        def do(ids: list[Any], reason: str) -> Outcome:
            outcome = Outcome()
            for rule in AlertRule.objects.filter(pk__in=ids):
                if outbox.test(rule):
                    outcome.done.append(rule.pk)
                else:
                    outcome.skipped[rule.pk] = str(NOWHERE)
            entries = [Entry("test", "alertrule", str(rule)) for rule in outcome.done]
            record(actor_of(request), entries, reason)
            return outcome

        return confirmed(self, request, queryset, "send_test", title=_("Send a test to every address"), do=do)


@admin.register(Alert)
class AlertAdmin(Placed, ReadOnly):
    list_display = ("sentence", "started_at", "ended_at", "told_at", "messages_sent")
    list_filter = (
        choice(_("state"), "state", {"open": (_("open"), {"ended_at": None}), "over": (_("over"), {"ended_at__isnull": False})}),
        days(_("day"), Alert, "started_at"),
    )  # fmt: skip
    ordering = ("-id",)
    sortable_by = ()
    fields = ("rule", "subject", "sentence", "started_at", "told_at", "ended_at", "messages_sent")
    readonly_fields = ("messages_sent",)

    @admin.display(description=_("messages"))
    def messages_sent(self, alert: Alert) -> Any:
        number = alert.notices.count()
        if not number:
            return "—"
        link = f"{reverse('admin:tasks_notice_changelist')}?alert__id__exact={alert.pk}"
        return format_html('<a href="{}">{}</a>', link, number)


@admin.register(Notice)
class NoticeAdmin(ReadOnly):
    list_display = ("subject", "channel", "condition", "tries", "error", "created_at")
    list_filter = (
        choice(
            _("state"), "state",
            {
                "sent": (_("sent"), {"sent_at__isnull": False}),
                "waiting": (_("waiting"), {"sent_at": None, "given_up_at": None}),
                "given_up": (_("given up"), {"given_up_at__isnull": False}),
            },
        ),
        choice(_("channel"), "channel", {"email": (_("e-mail"), {"channel": "email"}), "webhook": (_("webhook"), {"channel": "webhook"})}),
        days(_("day"), Notice),
    )  # fmt: skip
    ordering = ("-id",)
    sortable_by = ()
    exclude = ("data",)
    readonly_fields = ("condition",)
    actions = ("send_again",)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup == "alert__id__exact" or super().lookup_allowed(lookup, value, request)

    @admin.display(description=_("state"))
    def condition(self, notice: Notice) -> str:
        if notice.sent_at:
            return _("sent %(at)s") % {"at": clock(notice.sent_at)}
        if notice.given_up_at:
            return _("given up %(at)s") % {"at": clock(notice.given_up_at)}
        return _("next try %(at)s") % {"at": clock(notice.next_try_at)}

    @admin.action(description=_("Send again now"), permissions=["operate"])
    def send_again(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        """What was not sent; a second copy of what was would be a lie."""

        def do(ids: list[Any], reason: str) -> Outcome:
            outcome = delivery.again(ids)
            record(actor_of(request), [Entry("send_again", "notice", str(pk)) for pk in outcome.done], reason)
            return outcome

        return confirmed(self, request, queryset, "send_again", title=_("Send again now"), do=do)


@admin.register(ExtractionWatch)
class ExtractionWatchAdmin(Internal):
    list_display = ("extraction", "user")
    list_select_related = ("extraction", "user")


@admin.register(SavedView)
class SavedViewAdmin(Internal):
    list_display = ("name", "page", "user", "query")
    list_select_related = ("user",)
