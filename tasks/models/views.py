"""Filters of pages that people keep under a name."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class SavedView(models.Model):
    """One person's name for what a page shows: `query` is the end of the address, without the question mark."""

    class Page(models.TextChoices):
        OPERATIONS = "operations", _("operations")
        TASKS = "operations_tasks", _("tasks")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="saved_views", db_index=False
    )
    page = models.CharField(_("page"), max_length=20, choices=Page)
    name = models.CharField(_("name"), max_length=60)
    query = models.CharField(_("filter"), max_length=500, db_default="", blank=True)

    class Meta:
        db_table = "saved_views"
        verbose_name, verbose_name_plural = _("saved view"), _("saved views")
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(fields=("user", "page", "name"), name="saved_views_name"),
            models.CheckConstraint(
                condition=Q(page__in=("operations", "operations_tasks")), name="saved_views_page_known"
            ),
        )

    def __str__(self) -> str:
        return self.name
