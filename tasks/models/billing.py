"""What the platform's bill says of each run. Written by `tasks.costs.billing` alone."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class BilledRun(models.Model):
    """The latest figures of one run of ours; usd is NULL while nothing is billed, or while some of its usage has no price.

    quantity: units of usage (DBU), corrections included. unpriced_rows: rows of usage that no single price fits.
    """

    run_id = models.CharField(max_length=100, primary_key=True)
    as_of = models.DateTimeField()
    usd = models.DecimalField(max_digits=14, decimal_places=6, null=True)
    quantity = models.DecimalField(max_digits=20, decimal_places=6, null=True)
    usage_rows = models.IntegerField()
    unpriced_rows = models.IntegerField()

    class Meta:
        db_table = "billed_runs"
        default_permissions = ()
        constraints = (
            models.CheckConstraint(
                condition=Q(usd__isnull=True) | Q(usage_rows__gt=0, unpriced_rows=0),
                name="billed_runs_unknown_is_null",
            ),
        )

    def __str__(self) -> str:
        return f"{self.run_id}: {self.usd}"
