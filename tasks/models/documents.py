"""What is handed in: documents, and the submissions that they came with."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from tasks.models.agents import Agent
from tasks.models.clients import Client


class Document(models.Model):
    """One uploaded PDF. The same bytes of the same client are one document, whatever their name."""

    client = models.ForeignKey(Client, models.PROTECT, related_name="documents", db_index=False)
    sha256 = models.CharField(max_length=64)
    size_bytes = models.BigIntegerField()
    pages = models.IntegerField(null=True, help_text=_("Unknown until the file could be opened."))
    needs_password = models.BooleanField(db_default=False, default=False)
    original_name = models.CharField(max_length=255)
    storage_name = models.CharField(max_length=200)
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    handed_in_again_at = models.DateTimeField(
        null=True, editable=False, help_text=_("When the same bytes last came again; pruning leaves them alone for a day.")
    )  # fmt: skip

    class Meta:
        db_table = "documents"
        verbose_name, verbose_name_plural = _("document"), _("documents")
        constraints = (
            models.UniqueConstraint(fields=("client", "sha256"), name="documents_client_sha256"),
            models.CheckConstraint(condition=models.Q(size_bytes__gt=0), name="documents_size_positive"),
            models.CheckConstraint(
                condition=models.Q(pages__isnull=True) | models.Q(pages__gt=0),
                name="documents_pages_positive",
            ),
        )
        # Looked for by the beginning of their digest; by that of their name there is an index of lower case in the migrations
        indexes = (
            models.Index(fields=("sha256",), opclasses=("varchar_pattern_ops",), name="documents_sha256"),
        )

    def __str__(self) -> str:
        return self.original_name


class Extraction(models.Model):
    """One submission: a client, an agent, a priority, N documents. Parent of N tasks."""

    client = models.ForeignKey(Client, models.PROTECT, related_name="extractions")
    engagement = models.CharField(_("engagement"), max_length=100, db_default="", default="", blank=True)
    agent = models.ForeignKey(Agent, models.PROTECT, related_name="extractions")
    priority = models.SmallIntegerField(_("priority"))
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(_("created"), db_default=Now(), editable=False)
    refused = models.JSONField(
        db_default=[], default=list, blank=True,
        help_text=_("Files that were not taken: name, code, sentence, and the document they repeat."),
    )  # fmt: skip
    key = models.UUIDField(
        null=True, editable=False, help_text=_("Chosen by a sender whose files come one by one, so that a repeated request finds what the first one made.")
    )  # fmt: skip
    more_until = models.DateTimeField(
        null=True, editable=False, help_text=_("Until when more files are awaited: moved on by each one that comes, empty once the sender has said that this is all.")
    )  # fmt: skip
    pruned_at = models.DateTimeField(
        _("pruned"), null=True, editable=False, help_text=_("When its documents and results were deleted, after their retention time.")
    )  # fmt: skip
    files_to_go = models.JSONField(
        null=True, editable=False, help_text=_("Names of files that its pruning has still to remove; empty once nothing is left.")
    )  # fmt: skip

    class Meta:
        db_table = "extractions"
        verbose_name, verbose_name_plural = _("extraction"), _("extractions")
        ordering = ("-id",)
        constraints = (
            models.CheckConstraint(
                condition=models.Q(pruned_at__isnull=True, files_to_go__isnull=True)
                | models.Q(pruned_at__isnull=False, refused=[]),
                name="extractions_pruned_is_empty",
            ),
            models.UniqueConstraint(
                fields=("key",), condition=models.Q(key__isnull=False), name="extractions_key"
            ),
        )
        indexes = (
            models.Index(
                "created_by", condition=models.Q(more_until__isnull=False), name="extractions_unfinished"
            ),
            models.Index("id", condition=models.Q(files_to_go__isnull=False), name="extractions_to_remove"),
        )

    def __str__(self) -> str:
        return f"{self.pk}"


class SeenNumber(models.Model):
    """Which task of a client was the first to show a number of a supplier. The key tells neither (tasks.seen)."""

    client = models.ForeignKey(Client, models.CASCADE, related_name="+", db_index=False)
    key = models.UUIDField()
    task = models.ForeignKey("tasks.Task", models.CASCADE, related_name="+")

    class Meta:
        db_table = "seen_numbers"
        default_permissions = ()
        constraints = (models.UniqueConstraint(fields=("client", "key"), name="seen_numbers_first"),)

    def __str__(self) -> str:
        return f"{self.task_id}"
