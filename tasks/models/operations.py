"""Who works, what was done by whom, and the switches that concern everything."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class Worker(models.Model):
    """One process that claims tasks or sweeps, from its start to its end. Its id is never used twice."""

    id = models.UUIDField(primary_key=True, editable=False)
    host = models.CharField(_("host"), max_length=255)
    pid = models.IntegerField(_("process"))
    version = models.CharField(_("version"), max_length=60)
    slots = models.IntegerField(_("slots"))
    executors = ArrayField(models.CharField(max_length=20), default=list, db_default=[], blank=True)
    started_at = models.DateTimeField(_("started"))
    heartbeat_at = models.DateTimeField(_("last heartbeat"))
    drain_requested_at = models.DateTimeField(
        _("to be drained since"), null=True, help_text=_("It takes nothing more from its next heartbeat on; what runs goes on.")
    )  # fmt: skip
    stopping_at = models.DateTimeField(null=True)
    stopped_at = models.DateTimeField(_("stopped"), null=True)

    class Meta:
        db_table = "workers"
        verbose_name, verbose_name_plural = _("worker"), _("workers")

    def __str__(self) -> str:
        return f"{self.host}:{self.pid}"


class AuditEntry(models.Model):
    """One operation by a person or by the system. A trigger refuses every change and removal."""

    at = models.DateTimeField(_("at"), db_default=Now())
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.DO_NOTHING, null=True, related_name="+", db_constraint=False
    )
    actor_name = models.CharField(_("who"), max_length=150)
    verb = models.CharField(_("what"), max_length=40)
    object_type = models.CharField(max_length=40)
    object_id = models.CharField(max_length=60, db_default="", blank=True)
    reason = models.TextField(_("reason"), db_default="", blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    source = models.CharField(_("from where"), max_length=60, db_default="", blank=True)

    class Meta:
        db_table = "audit_log"
        verbose_name, verbose_name_plural = _("audit entry"), _("audit log")
        indexes = (
            models.Index("object_type", "object_id", name="audit_log_object"),
            models.Index("at", name="audit_log_at"),
            models.Index("actor_name", "id", name="audit_log_actor"),
        )

    def __str__(self) -> str:
        return (
            f"{self.at:%Y-%m-%d %H:%M:%S} {self.actor_name} {self.verb} {self.object_type} {self.object_id}"
        )


class Switches(models.Model):
    """One row: what concerns the whole installation."""

    id = models.SmallIntegerField(primary_key=True, default=1, db_default=1)
    is_paused = models.BooleanField(_("everything paused"), db_default=False, default=False)
    maintenance_since = models.DateTimeField(
        _("maintenance since"), null=True, help_text=_("Nothing is taken in and nothing is started; what runs goes on.")
    )  # fmt: skip
    maintenance_reason = models.TextField(_("maintenance because"), db_default="", default="", blank=True)

    class Meta:
        db_table = "switches"
        verbose_name = verbose_name_plural = _("switches")
        constraints = (models.CheckConstraint(condition=models.Q(id=1), name="switches_one_row"),)

    def __str__(self) -> str:
        return "switches"
