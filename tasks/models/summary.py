"""Sums of finished tasks by hour, day and month, so that pages need not count a million rows. Written by `tasks.rollup` alone.

They repeat what `tasks` and `task_attempts` say, and can be removed at any time: what is missing is counted from the rows.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Summary(models.Model):
    """The sums of one hour, day or month (UTC, by finished_at) for one outcome; agent or client 0: of all of them.

    outcome: completed, review (completed, needs a look), failed, cancelled. The three JSON columns count by bucket: of response time
    (totals.response_bucket), of confidence (twentieths), and by error code.
    """

    level = models.CharField(max_length=5)
    starts_at = models.DateTimeField()
    agent = models.BigIntegerField()
    client = models.BigIntegerField()
    outcome = models.CharField(max_length=9)
    tasks = models.BigIntegerField()
    attempts = models.BigIntegerField()
    metered = models.BigIntegerField(help_text="Attempts whose tokens are known.")
    input_tokens = models.BigIntegerField()
    output_tokens = models.BigIntegerField()
    cache_read_tokens = models.BigIntegerField()
    cache_write_tokens = models.BigIntegerField()
    cost_settled = models.BigIntegerField(help_text="Attempts whose LLM cost is settled.")
    cost_estimated = models.BigIntegerField()
    settled_usd = models.DecimalField(max_digits=20, decimal_places=6)
    estimated_usd = models.DecimalField(max_digits=20, decimal_places=6)
    compute_settled = models.BigIntegerField()
    compute_estimated = models.BigIntegerField()
    compute_settled_usd = models.DecimalField(max_digits=20, decimal_places=6)
    compute_estimated_usd = models.DecimalField(max_digits=20, decimal_places=6)
    response = models.JSONField()
    confidence = models.JSONField()
    errors = models.JSONField()

    class Meta:
        db_table = "summaries"
        verbose_name, verbose_name_plural = _("sum of a period"), _("sums by period")
        constraints = (
            models.UniqueConstraint(
                fields=("agent", "client", "level", "starts_at", "outcome"), name="summaries_key"
            ),
            models.CheckConstraint(
                condition=Q(level__in=("hour", "day", "month")), name="summaries_level_known"
            ),
        )
        indexes = (models.Index("level", "starts_at", name="summaries_period"),)

    def __str__(self) -> str:
        return f"{self.level} {self.starts_at:%Y-%m-%d %H:%M} {self.agent}/{self.client} {self.outcome}"


class SummaryChange(models.Model):
    """A task that had finished in this hour, or the money of its attempts, was changed since; its sums have to be made anew.

    Triggers write these, in the transaction of the change: nobody who changes a task has to think of it.
    """

    hour = models.DateTimeField()

    class Meta:
        db_table = "summary_changes"
        verbose_name, verbose_name_plural = _("hour to be summed anew"), _("hours to be summed anew")

    def __str__(self) -> str:
        return f"{self.hour:%Y-%m-%d %H:%M}"


class SummaryState(models.Model):
    """One row: how far the sums reach.

    Up to `closed_until` every finished task is in them; hours have rows of their own from `hours_from` on. The hours up to
    `next_until` are closed as soon as every transaction older than `fence` has ended, because such a one may still commit a task
    that finished in them.
    """

    id = models.SmallIntegerField(primary_key=True, default=1, db_default=1)
    closed_until = models.DateTimeField()
    hours_from = models.DateTimeField()
    next_until = models.DateTimeField(null=True)
    fence = models.BigIntegerField(null=True)

    class Meta:
        db_table = "summary_state"
        verbose_name = verbose_name_plural = _("how far sums reach")
        constraints = (models.CheckConstraint(condition=Q(id=1), name="summary_state_one_row"),)

    def __str__(self) -> str:
        return f"until {self.closed_until:%Y-%m-%d %H:%M}"
