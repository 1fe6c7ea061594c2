"""Configured ways of reading a document, the quotas that they share, and what their models cost."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from tasks.models.clients import Spending


class Budgets(models.Model):
    """Limits that the claim obeys exactly. Empty: no limit. All that are set hold together."""

    max_concurrent_tasks = models.IntegerField(_("most tasks at once"), null=True, blank=True)
    max_tpm = models.IntegerField(_("most tokens per minute"), null=True, blank=True)
    max_output_tpm = models.IntegerField(_("most output tokens per minute"), null=True, blank=True)
    max_requests_per_minute = models.IntegerField(_("most requests per minute"), null=True, blank=True)
    cooldown_until = models.DateTimeField(_("cooling down until"), null=True, blank=True, editable=False)

    class Meta:
        abstract = True


BUDGET_FIELDS = ("max_concurrent_tasks", "max_tpm", "max_output_tpm", "max_requests_per_minute")


def _limits_positive(table: str) -> models.CheckConstraint:
    condition = models.Q()
    for name in BUDGET_FIELDS:
        condition &= models.Q(**{f"{name}__isnull": True}) | models.Q(**{f"{name}__gt": 0})
    return models.CheckConstraint(condition=condition, name=f"{table}_limits_positive")


class Pool(Budgets):
    """A provider account or model deployment whose quota several agents share."""

    name = models.CharField(_("name"), max_length=100, unique=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        db_table = "pools"
        verbose_name, verbose_name_plural = _("pool"), _("pools")
        ordering = ("name",)
        constraints = (_limits_positive("pools"),)

    def __str__(self) -> str:
        return self.name


class Agent(Budgets, Spending):
    """A named, configured way of reading a document: where it runs, its program and fields, limits and prices."""

    class Executor(models.TextChoices):
        LOCAL = "local", _("process on this machine")
        DATABRICKS = "databricks", _("run of a Databricks job")

    name = models.SlugField(_("name"), max_length=60, unique=True)
    title = models.CharField(_("title"), max_length=200, blank=True, db_default="", default="")
    executor = models.CharField(
        _("executor"), max_length=20, choices=Executor, db_default=Executor.LOCAL, default=Executor.LOCAL
    )
    pool = models.ForeignKey(
        Pool, models.PROTECT, null=True, blank=True, related_name="agents", verbose_name=_("pool")
    )
    current_version = models.ForeignKey(
        "AgentVersion", models.PROTECT, null=True, blank=True, related_name="+", verbose_name=_("version")
    )
    is_paused = models.BooleanField(_("paused"), db_default=False, default=False)
    is_fair = models.BooleanField(
        _("fair between clients"), db_default=False, default=False,
        help_text=_("Clients with waiting work take turns, instead of first come first served."),
    )  # fmt: skip
    timeout_seconds = models.IntegerField(_("longest run in seconds"), db_default=1800, default=1800)
    max_attempts = models.SmallIntegerField(_("most attempts"), db_default=3, default=3)
    memory_mib = models.IntegerField(_("memory per attempt in MiB"), db_default=1536, default=1536)
    document_cost_ceiling = models.DecimalField(
        _("most USD per document"), max_digits=12, decimal_places=2, null=True, blank=True,
        help_text=_("Over all attempts and generations of a task."),
    )  # fmt: skip
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        db_table = "agents"
        verbose_name, verbose_name_plural = _("agent"), _("agents")
        ordering = ("name",)
        constraints = (
            _limits_positive("agents"),
            models.CheckConstraint(
                condition=models.Q(max_attempts__gte=1), name="agents_max_attempts_positive"
            ),
            models.CheckConstraint(
                condition=models.Q(timeout_seconds__gte=1), name="agents_timeout_positive"
            ),
            models.CheckConstraint(condition=models.Q(memory_mib__gte=64), name="agents_memory_enough"),
        )

    def __str__(self) -> str:
        return self.name


class AgentVersion(models.Model):
    """What an agent was at a time: program and settings never change; a task keeps the version that reads it.

    The prior says what a document costs before anything is learnt; `learnt` figures replace it as attempts finish.
    """

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="versions", db_index=False)
    number = models.IntegerField()
    program = models.CharField(_("program"), max_length=200, help_text=_("rules, or package.module:function"))
    options = models.JSONField(_("settings"), db_default={}, default=dict, blank=True)
    model = models.CharField(_("model"), max_length=200, blank=True, db_default="", default="")
    input_tokens_per_page = models.FloatField(db_default=0.0, default=0.0)
    output_tokens_per_page = models.FloatField(db_default=0.0, default=0.0)
    tokens_per_document = models.FloatField(db_default=1.0, default=1.0)
    requests_per_page = models.FloatField(db_default=0.0, default=0.0)
    seconds_per_page = models.FloatField(db_default=1.0, default=1.0)
    learnt = models.JSONField(db_default={}, default=dict, blank=True, editable=False)
    learnt_at = models.DateTimeField(null=True, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+", editable=False
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        db_table = "agent_versions"
        verbose_name, verbose_name_plural = _("agent version"), _("agent versions")
        ordering = ("agent", "-number")
        constraints = (
            models.UniqueConstraint(fields=("agent", "number"), name="agent_versions_agent_number"),
        )

    def __str__(self) -> str:
        return f"{self.agent} v{self.number}"


class Price(models.Model):
    """What a million tokens of a model cost from a day on, by kind. Old costs keep the row that they were computed with.

    A kind without a price is unknown: tokens of that kind make the cost unknown, never zero.
    """

    model = models.CharField(_("model"), max_length=200)
    valid_from = models.DateTimeField(_("valid from"))
    input_usd = models.DecimalField(_("USD per million input tokens"), max_digits=14, decimal_places=6)
    output_usd = models.DecimalField(_("USD per million output tokens"), max_digits=14, decimal_places=6)
    cache_read_usd = models.DecimalField(
        _("USD per million cache reads"), max_digits=14, decimal_places=6, null=True, blank=True
    )
    cache_write_usd = models.DecimalField(
        _("USD per million cache writes"), max_digits=14, decimal_places=6, null=True, blank=True
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        db_table = "prices"
        verbose_name, verbose_name_plural = _("price"), _("prices")
        ordering = ("model", "-valid_from")
        constraints = (
            models.UniqueConstraint(fields=("model", "valid_from"), name="prices_model_from"),
            models.CheckConstraint(
                condition=models.Q(input_usd__gte=0, output_usd__gte=0)
                & (models.Q(cache_read_usd__isnull=True) | models.Q(cache_read_usd__gte=0))
                & (models.Q(cache_write_usd__isnull=True) | models.Q(cache_write_usd__gte=0)),
                name="prices_not_negative",
            ),
        )

    def __str__(self) -> str:
        return f"{self.model} · {self.valid_from:%Y-%m-%d}"
