"""What people are told outside of the pages: rules, alerts that they raise, and the notices that go out."""

from __future__ import annotations

from uuid import uuid4

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from tasks.models.documents import Extraction

MOST_MINUTES = 7 * 24 * 60


class AlertRule(models.Model):
    """When to raise an alert. `minutes`: how long something lasts or is silent, or the time that a share is taken over."""

    class Kind(models.TextChoices):
        WAITING = "waiting", _("the oldest waiting task of an agent waits longer")
        FAILURES = "failures", _("of what an agent finished, too much failed")
        WORKERS = "workers", _("no worker is alive")
        CLAIMS = "claims", _("work is ready and nothing is claimed")
        SILENT = "silent", _("a run is silent")
        BUDGET = "budget", _("a spend limit is reached")

    kind = models.CharField(_("when"), max_length=10, choices=Kind)
    minutes = models.IntegerField(
        _("minutes"), validators=(MinValueValidator(1), MaxValueValidator(MOST_MINUTES)),
        help_text=_("For so long; of failures: over the last so many minutes. A spend limit is told of at once."),
    )  # fmt: skip
    percent = models.SmallIntegerField(
        _("per cent"), null=True, blank=True, validators=(MinValueValidator(1), MaxValueValidator(100)),
        help_text=_("Of failures only: this share of what ended, ten tasks or more."),
    )  # fmt: skip
    quiet_minutes = models.IntegerField(
        _("quiet minutes"), db_default=60, default=60, validators=(MinValueValidator(1), MaxValueValidator(MOST_MINUTES)),
        help_text=_("Nobody is told of the same thing twice within this time; while it lasts, once in each such time."),
    )  # fmt: skip
    is_on = models.BooleanField(_("on"), db_default=True, default=True)
    looked_at = models.DateTimeField(_("looked at last"), null=True, editable=False)

    class Meta:
        db_table = "alert_rules"
        verbose_name, verbose_name_plural = _("alert rule"), _("alert rules")
        constraints = (
            models.CheckConstraint(
                condition=Q(kind__in=("waiting", "failures", "workers", "claims", "silent", "budget")),
                name="alert_rules_kind_known",
            ),
            models.CheckConstraint(
                condition=Q(kind="failures", percent__isnull=False, percent__range=(1, 100))
                | (~Q(kind="failures") & Q(percent__isnull=True)),
                name="alert_rules_percent_of_failures",
            ),
            models.CheckConstraint(
                condition=Q(minutes__gte=1, quiet_minutes__gte=1), name="alert_rules_positive"
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} ({self.minutes} min)"


class Alert(models.Model):
    """Something that a rule found, from the first time to the last. `told_at`: of this or an earlier one about the same subject."""

    rule = models.ForeignKey(
        AlertRule, models.PROTECT, related_name="alerts", db_index=False, verbose_name=_("rule")
    )
    subject = models.CharField(_("about"), max_length=200, db_default="", blank=True)
    sentence = models.TextField(_("what"))
    started_at = models.DateTimeField(_("since"))
    told_at = models.DateTimeField(_("told"), null=True)
    ended_at = models.DateTimeField(_("over since"), null=True)

    class Meta:
        db_table = "alerts"
        verbose_name, verbose_name_plural = _("alert"), _("alerts")
        constraints = (
            models.UniqueConstraint(
                fields=("rule", "subject"), condition=Q(ended_at__isnull=True), name="alerts_one_open"
            ),
        )
        indexes = (models.Index("rule", "subject", F("id").desc(), name="alerts_of_subject"),)

    def __str__(self) -> str:
        return self.sentence


class Notice(models.Model):
    """One message to one place outside, sent until it is taken or given up. `key`: the same for every try, so that it counts once."""

    class Channel(models.TextChoices):
        EMAIL = "email", _("e-mail")
        WEBHOOK = "webhook", _("webhook")

    key = models.UUIDField(default=uuid4, unique=True, editable=False)
    channel = models.CharField(_("by"), max_length=7, choices=Channel)
    event = models.CharField(_("event"), max_length=40)
    alert = models.ForeignKey(
        Alert, models.CASCADE, null=True, related_name="notices", verbose_name=_("alert")
    )
    recipients = ArrayField(
        models.EmailField(), db_default=[], default=list, blank=True, verbose_name=_("to"), help_text=_("Of e-mails.")
    )  # fmt: skip
    subject = models.CharField(_("subject"), max_length=200)
    text = models.TextField(_("text"))
    data = models.JSONField(db_default={}, default=dict, blank=True)
    created_at = models.DateTimeField(_("created"), db_default=Now())
    tries = models.SmallIntegerField(_("tries"), db_default=0, default=0)
    next_try_at = models.DateTimeField(_("next try"), db_default=Now())
    sent_at = models.DateTimeField(_("sent"), null=True)
    given_up_at = models.DateTimeField(_("given up"), null=True)
    error = models.CharField(_("error"), max_length=300, db_default="", blank=True)

    class Meta:
        db_table = "notices"
        verbose_name, verbose_name_plural = _("notice"), _("notices")
        constraints = (
            models.CheckConstraint(
                condition=Q(channel__in=("email", "webhook")), name="notices_channel_known"
            ),
        )
        indexes = (
            models.Index(
                "next_try_at", condition=Q(sent_at__isnull=True, given_up_at__isnull=True), name="notices_due"
            ),
        )

    def __str__(self) -> str:
        return self.subject


class ExtractionWatch(models.Model):
    """Somebody who wants an e-mail when an extraction has ended; gone once that is written."""

    extraction = models.ForeignKey(Extraction, models.CASCADE, related_name="watches", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")

    class Meta:
        db_table = "extraction_watches"
        verbose_name, verbose_name_plural = _("awaited extraction"), _("awaited extractions")
        constraints = (
            models.UniqueConstraint(fields=("extraction", "user"), name="extraction_watches_once"),
        )

    def __str__(self) -> str:
        return f"{self.user} · {self.extraction}"
