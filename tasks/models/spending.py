"""What agents and clients have spent by day and month, and which of their limits were reached."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

KNOWN = Q(holder__in=("agent", "client")) & Q(period__in=("day", "month"))


class Spent(models.Model):
    """One of several counters of one agent or client and one UTC day or month; their sum is what was spent.

    Settlements add the difference between an attempt's new cost and its old one, on the day on which it became known. Several shards,
    so that settlements rarely wait for each other; a claim still reads few rows.
    """

    holder = models.CharField(max_length=6)
    holder_id = models.BigIntegerField()
    period = models.CharField(max_length=5)
    starts_on = models.DateField()
    shard = models.SmallIntegerField()
    usd = models.DecimalField(max_digits=16, decimal_places=6)

    class Meta:
        db_table = "spending"
        verbose_name = verbose_name_plural = _("money spent")
        constraints = (
            models.UniqueConstraint(
                fields=("holder", "holder_id", "period", "starts_on", "shard"), name="spending_counter"
            ),
            models.CheckConstraint(condition=KNOWN, name="spending_known"),
        )

    def __str__(self) -> str:
        return f"{self.holder} {self.holder_id}, {self.period} {self.starts_on}: {self.usd}"


class SpendNotice(models.Model):
    """A warn or stop level that was reached in a day or month; each is written to the audit log once."""

    holder = models.CharField(max_length=6)
    holder_id = models.BigIntegerField()
    period = models.CharField(max_length=5)
    starts_on = models.DateField()
    level = models.CharField(max_length=4)
    limit_usd = models.DecimalField(max_digits=12, decimal_places=2)
    at = models.DateTimeField()

    class Meta:
        db_table = "spend_notices"
        verbose_name, verbose_name_plural = _("reached spend limit"), _("reached spend limits")
        constraints = (
            models.UniqueConstraint(
                fields=("holder", "holder_id", "period", "starts_on", "level", "limit_usd"),
                name="spend_notices_once",
            ),
            models.CheckConstraint(
                condition=KNOWN & Q(level__in=("warn", "stop")), name="spend_notices_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.level} {self.holder} {self.holder_id}, {self.period} {self.starts_on}"
