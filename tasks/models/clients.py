"""Who the audits are for, and who may see what belongs to them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class Spending(models.Model):
    """Spend limits in USD: at `warn` people are told, at `stop` nothing more is started. Empty: no limit."""

    spend_warn_per_day = models.DecimalField(max_digits=12, decimal_places=2, null=True, blank=True)
    spend_stop_per_day = models.DecimalField(max_digits=12, decimal_places=2, null=True, blank=True)
    spend_warn_per_month = models.DecimalField(max_digits=12, decimal_places=2, null=True, blank=True)
    spend_stop_per_month = models.DecimalField(max_digits=12, decimal_places=2, null=True, blank=True)

    class Meta:
        abstract = True


HELD_OR_LIMITED = models.Q(is_paused=True)
for _name in ("spend_warn_per_day", "spend_stop_per_day", "spend_warn_per_month", "spend_stop_per_month"):
    HELD_OR_LIMITED |= models.Q(**{f"{_name}__isnull": False})


class Client(Spending):
    """Who the audit is for. Costs are attributed to it; its tier sets the default priority of its work."""

    class Tier(models.TextChoices):
        STANDARD = "standard", _("standard")
        PREMIUM = "premium", _("premium")

    name = models.CharField(_("name"), max_length=200, unique=True)
    tier = models.CharField(
        _("tier"), max_length=10, choices=Tier, db_default=Tier.STANDARD, default=Tier.STANDARD
    )
    is_paused = models.BooleanField(_("paused"), db_default=False, default=False)
    deletion_began_at = models.DateTimeField(
        _("being deleted since"),
        null=True,
        editable=False,
        help_text=_("Nothing is taken in for it any more."),
    )
    deleted_at = models.DateTimeField(_("data deleted"), null=True, editable=False)
    created_at = models.DateTimeField(_("created"), db_default=Now(), editable=False)

    class Meta:
        db_table = "clients"
        verbose_name, verbose_name_plural = _("client"), _("clients")
        ordering = ("name",)
        permissions = (
            ("view_every_client", "Can see the documents of every client, member or not"),
            ("erase_client", "Can delete everything that was handed in for a client"),
        )
        constraints = (
            models.CheckConstraint(
                condition=models.Q(tier__in=("standard", "premium")), name="clients_tier_known"
            ),
            models.CheckConstraint(
                condition=models.Q(deletion_began_at__isnull=True, deleted_at__isnull=True)
                | models.Q(deletion_began_at__isnull=False, is_paused=True),
                name="clients_deleted_is_paused",
            ),
        )
        # Few: every claim asks for them
        indexes = (models.Index("id", condition=HELD_OR_LIMITED, name="clients_held_or_limited"),)

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """Lets a user see and hand in documents of a client."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships", db_index=False
    )
    client = models.ForeignKey(Client, models.CASCADE, related_name="memberships")
    created_at = models.DateTimeField(_("created"), db_default=Now(), editable=False)

    class Meta:
        db_table = "memberships"
        verbose_name, verbose_name_plural = _("membership"), _("memberships")
        constraints = (models.UniqueConstraint(fields=("user", "client"), name="memberships_user_client"),)

    def __str__(self) -> str:
        return f"{self.user} · {self.client}"
