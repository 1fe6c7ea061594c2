"""Money by day: sums of attempts for the reports, months that are closed, and what holds for a month. Sums are written by `tasks.costs.cells` alone."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from tasks.states import AttemptStatus

FIRST_OF_MONTH = Q(month__day=1)


class CostCell(models.Model):
    """The sums of all attempts that ended on one day and agree in client, engagement, uploader, agent version, model and states.

    Days are those of COST_TIME_ZONE. uploader 0: nobody who is still known. documents: attempts that were the first of their task's
    generation. Counts beside each sum say how many attempts it is made of: what is neither settled nor estimated is unknown, not zero.
    corrects: the day of a closed month that this row puts right; it counts in the month that was open when the correction came.
    expected_tokens, actual_tokens: of completed attempts whose tokens are known. expected_usd, actual_usd: whose cost is known, too.
    """

    day = models.DateField()
    corrects = models.DateField(null=True)
    client = models.BigIntegerField()
    engagement = models.CharField(max_length=100)
    uploader = models.BigIntegerField()
    agent = models.BigIntegerField()
    version = models.BigIntegerField()
    model = models.CharField(max_length=200)
    outcome = models.CharField(max_length=12, choices=[(s.value, s.value) for s in AttemptStatus])
    status = models.CharField(
        max_length=10, help_text="Of the task: completed, failed, cancelled, or open while it has not ended."
    )
    attempts = models.BigIntegerField()
    documents = models.BigIntegerField()
    metered = models.BigIntegerField()
    input_tokens = models.BigIntegerField()
    output_tokens = models.BigIntegerField()
    cache_read_tokens = models.BigIntegerField()
    cache_write_tokens = models.BigIntegerField()
    llm_settled = models.BigIntegerField()
    llm_estimated = models.BigIntegerField()
    llm_settled_usd = models.DecimalField(max_digits=20, decimal_places=6)
    llm_estimated_usd = models.DecimalField(max_digits=20, decimal_places=6)
    compute_settled = models.BigIntegerField()
    compute_estimated = models.BigIntegerField()
    compute_settled_usd = models.DecimalField(max_digits=20, decimal_places=6)
    compute_estimated_usd = models.DecimalField(max_digits=20, decimal_places=6)
    expected_tokens = models.BigIntegerField()
    actual_tokens = models.BigIntegerField()
    expected_usd = models.DecimalField(max_digits=20, decimal_places=6)
    actual_usd = models.DecimalField(max_digits=20, decimal_places=6)

    class Meta:
        db_table = "cost_cells"
        default_permissions = ()
        indexes = (
            models.Index("day", "client", name="cost_cells_day"),
            models.Index("corrects", condition=Q(corrects__isnull=False), name="cost_cells_corrects"),
        )

    def __str__(self) -> str:
        return f"{self.day} {self.client}/{self.version} {self.outcome}"


class CostChange(models.Model):
    """An attempt that had ended at this moment, or the state of its task, was changed since; the sums of its day have to be made anew.

    Triggers write these, in the transaction of the change: nobody who settles a cost has to think of it.
    """

    at = models.DateTimeField()

    class Meta:
        db_table = "cost_changes"
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M}"


class CostState(models.Model):
    """One row: every day before `stored_until` has its cells, and days are those of `zone`."""

    id = models.SmallIntegerField(primary_key=True, default=1, db_default=1)
    zone = models.CharField(max_length=60)
    stored_until = models.DateField()

    class Meta:
        db_table = "cost_state"
        default_permissions = ()
        constraints = (models.CheckConstraint(condition=Q(id=1), name="cost_state_one_row"),)

    def __str__(self) -> str:
        return f"until {self.stored_until} ({self.zone})"


class OtherSpend(models.Model):
    """What the platform charges on a day and no run carries: the database, the app, the warehouse. Latest figure of the bill."""

    day = models.DateField(_("day"))
    product = models.CharField(_("product"), max_length=100)
    corrects = models.DateField(null=True, help_text=_("The day of a closed month that this row puts right."))
    usd = models.DecimalField(_("USD"), max_digits=14, decimal_places=6)
    as_of = models.DateTimeField(_("as of"))

    class Meta:
        db_table = "cost_other"
        default_permissions = ()
        constraints = (
            models.UniqueConstraint(
                fields=("day", "product", "corrects"), nulls_distinct=False, name="cost_other_key"
            ),
        )

    def __str__(self) -> str:
        return f"{self.day} {self.product}: {self.usd}"


class MonthTerms(models.Model):
    """What holds for one month: the discount on list prices of compute, the mark-up, and the fixed rate of another currency."""

    month = models.DateField(_("month"), unique=True, help_text=_("Its first day."))
    discount_percent = models.DecimalField(
        _("discount on compute in per cent"), max_digits=5, decimal_places=2, db_default=0, default=0
    )
    markup_percent = models.DecimalField(
        _("mark-up in per cent"), max_digits=6, decimal_places=2, db_default=0, default=0
    )
    currency = models.CharField(
        _("currency"), max_length=3, db_default="", default="", blank=True, help_text=_("Such as EUR.")
    )
    rate = models.DecimalField(
        _("of it for one USD"), max_digits=14, decimal_places=6, null=True, blank=True
    )  # fmt: skip

    class Meta:
        db_table = "cost_terms"
        verbose_name, verbose_name_plural = _("terms of a month"), _("terms of months")
        ordering = ("-month",)
        constraints = (
            models.CheckConstraint(condition=FIRST_OF_MONTH, name="cost_terms_first_of_month"),
            models.CheckConstraint(
                condition=Q(discount_percent__gte=0, discount_percent__lte=100, markup_percent__gt=-100),
                name="cost_terms_sensible",
            ),
            models.CheckConstraint(
                condition=Q(currency="", rate__isnull=True)
                | (Q(currency__regex="^[A-Z]{3}$") & Q(rate__gt=0)),
                name="cost_terms_rate_has_currency",
            ),
        )

    def __str__(self) -> str:
        return f"{self.month:%Y-%m}"


class ClosedMonth(models.Model):
    """A month whose figures never change again; what is learnt later counts in the month that is open then."""

    month = models.DateField(_("month"), primary_key=True)
    closed_at = models.DateTimeField(_("closed"), db_default=Now())
    closed_by = models.CharField(_("by"), max_length=150)

    class Meta:
        db_table = "closed_months"
        verbose_name, verbose_name_plural = _("closed month"), _("closed months")
        default_permissions = ("view",)
        permissions = (
            ("view_costs", "Can see what was spent"),
            ("close_month", "Can close a month"),
        )
        constraints = (models.CheckConstraint(condition=FIRST_OF_MONTH, name="closed_months_first_of_month"),)

    def __str__(self) -> str:
        return f"{self.month:%Y-%m}"
