"""What came in from attempts over the network: each delivery once, with what became of it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class Delivery(models.Model):
    """One callback. A message that is sent again finds its row here for as long as its attempt is kept.

    `attempt` is no foreign key: a delivery for an attempt that does not exist is a fact worth seeing, too.
    """

    attempt = models.UUIDField(_("attempt"))
    webhook_id = models.CharField(_("message id"), max_length=100)
    received_at = models.DateTimeField(_("received"))
    body_sha256 = models.CharField(max_length=64)
    size_bytes = models.IntegerField(_("size"))
    event = models.CharField(_("event"), max_length=40)
    outcome = models.CharField(_("outcome"), max_length=20)
    repeats = models.IntegerField(_("repeats"), db_default=0)
    milliseconds = models.FloatField(_("milliseconds"))
    body = models.BinaryField(null=True)

    class Meta:
        db_table = "webhook_deliveries"
        verbose_name, verbose_name_plural = _("delivery"), _("deliveries")
        constraints = (
            models.UniqueConstraint(
                fields=("attempt", "webhook_id"), name="webhook_deliveries_attempt_message"
            ),
        )
        indexes = (models.Index("received_at", name="webhook_deliveries_received"),)

    def __str__(self) -> str:
        return f"{self.attempt} {self.webhook_id}"


class RefusedDelivery(models.Model):
    """How many callbacks were refused, per hour and reason: nobody can fill a table by sending forgeries."""

    hour = models.DateTimeField(_("hour"))
    reason = models.CharField(_("reason"), max_length=20)
    count = models.BigIntegerField(_("count"))
    last_attempt = models.UUIDField(null=True)
    last_at = models.DateTimeField(_("last"))

    class Meta:
        db_table = "webhook_refusals"
        verbose_name, verbose_name_plural = _("refused deliveries"), _("refused deliveries")
        constraints = (
            models.UniqueConstraint(fields=("hour", "reason"), name="webhook_refusals_hour_reason"),
            models.CheckConstraint(condition=Q(count__gt=0), name="webhook_refusals_counted"),
        )

    def __str__(self) -> str:
        return f"{self.hour:%Y-%m-%d %H} {self.reason}"


class AttemptResult(models.Model):
    """The outcome that a run put here itself (RESULT_TRANSPORT=lakebase), signed as an outcome file is, until its attempt has ended.

    Whoever may insert can name any attempt, so that nothing here is believed without that attempt's signature; no foreign key either,
    as a run may not read. `sha256` is that of the event's text, by which the callback names the row.
    """

    attempt = models.UUIDField(primary_key=True)
    result = models.JSONField()
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "attempt_results"
        default_permissions = ()
        constraints = (
            models.CheckConstraint(
                condition=Q(sha256__regex="^[0-9a-f]{64}$"), name="attempt_results_sha256"
            ),
        )

    def __str__(self) -> str:
        return str(self.attempt)
