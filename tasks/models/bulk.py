"""What operators did to many rows at once: the action, and its rows in pieces, with what became of each."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class BulkAction(models.Model):
    """One verb for the rows that a person chose, or that matched a filter when they confirmed.

    `token`: the confirmation page that it came from; sent twice, it acts once. `why`: how many rows were skipped, by reason.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    verb = models.CharField(_("what"), max_length=30)
    object_type = models.CharField(_("of what"), max_length=30)
    selection = models.TextField(
        _("chosen"), db_default="", blank=True, help_text=_("The filter, as it stood in the address; empty: picked by hand.")
    )  # fmt: skip
    parameters = models.JSONField(_("parameters"), db_default={}, default=dict, blank=True)
    reason = models.TextField(_("reason"), db_default="", blank=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.DO_NOTHING, null=True, related_name="+", db_constraint=False, verbose_name=_("user")
    )  # fmt: skip
    actor_name = models.CharField(_("who"), max_length=150)
    source = models.CharField(_("from where"), max_length=60, db_default="", blank=True)
    token = models.UUIDField(null=True, unique=True, editable=False)
    undoes = models.ForeignKey(
        "self", models.SET_NULL, null=True, related_name="undone_by", verbose_name=_("undoes")
    )
    state = models.CharField(
        _("state"), max_length=8, choices=State, db_default=State.WAITING.value, default=State.WAITING
    )
    total = models.IntegerField(_("rows"))
    done = models.IntegerField(_("done"), db_default=0, default=0)
    skipped = models.IntegerField(_("skipped"), db_default=0, default=0)
    why = models.JSONField(_("skipped because"), db_default={}, default=dict, blank=True)
    error = models.TextField(_("error"), db_default="", blank=True)
    created_at = models.DateTimeField(_("begun"), db_default=Now())
    touched_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)

    class Meta:
        db_table = "bulk_actions"
        verbose_name, verbose_name_plural = _("action"), _("actions")
        constraints = (
            models.CheckConstraint(
                condition=Q(state__in=("waiting", "running"), finished_at__isnull=True)
                | Q(state__in=("done", "failed"), finished_at__isnull=False),
                name="bulk_actions_ended_iff_finished",
            ),
        )
        indexes = (
            models.Index(
                models.F("touched_at").asc(nulls_first=True), "id", condition=Q(finished_at__isnull=True), name="bulk_actions_open"
            ),
        )  # fmt: skip

    def __str__(self) -> str:
        return f"{self.pk} {self.verb}"


class BulkPiece(models.Model):
    """Some rows of an action, done in one transaction. done: their ids; skipped: id → reason; before: what an undo needs, by id."""

    action = models.ForeignKey(BulkAction, models.CASCADE, related_name="pieces", db_index=False)
    number = models.IntegerField()
    ids = models.JSONField()
    parameters = models.JSONField(null=True)
    done = models.JSONField(db_default=[], default=list)
    skipped = models.JSONField(db_default={}, default=dict)
    before = models.JSONField(db_default={}, default=dict)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "bulk_action_pieces"
        verbose_name, verbose_name_plural = _("piece of an action"), _("pieces of actions")
        constraints = (
            models.UniqueConstraint(fields=("action", "number"), name="bulk_action_pieces_number"),
        )

    def __str__(self) -> str:
        return f"{self.action_id}.{self.number}"
