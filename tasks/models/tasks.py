"""The queue's own tables: tasks, their attempts, and the lanes of fair agents. Written by `tasks.queue` alone."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tasks.models.agents import Agent, AgentVersion, Pool, Price
from tasks.models.clients import Client
from tasks.models.documents import Document, Extraction
from tasks.states import AttemptStatus, Priority, TaskStatus

READY = Q(status=TaskStatus.ENQUEUED, deferred=False)
BADLY_ENDED = Q(status__in=(
    AttemptStatus.FAILED, AttemptStatus.TIMEOUT, AttemptStatus.CANCELLED, AttemptStatus.LOST, AttemptStatus.RELEASED, AttemptStatus.SUPERSEDED,
))  # fmt: skip
TERMINAL = Q(status__in=(TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.CANCELLED))


class Task(models.Model):
    """One document to be read by one agent.

    start_key orders tasks of one agent and priority (microseconds of created_at, or a virtual start where the agent is fair).
    deferred: `available_at` lies ahead; the row is outside the ready index until a tick promotes it.
    lease_owner is who renews (a worker's or sweeper's id); locked_by says the same to people and to billing.
    """

    id = models.BigAutoField(primary_key=True)
    extraction = models.ForeignKey(Extraction, models.PROTECT, related_name="tasks", db_index=False)
    document = models.ForeignKey(Document, models.PROTECT, related_name="tasks")
    client = models.ForeignKey(Client, models.PROTECT, related_name="tasks", db_index=False)
    agent = models.ForeignKey(Agent, models.PROTECT, related_name="tasks", db_index=False)
    agent_version = models.ForeignKey(AgentVersion, models.PROTECT, related_name="+", db_index=False)

    status = models.CharField(
        _("state"),
        max_length=10,
        choices=[(s.value, s.value) for s in TaskStatus],
        db_default=TaskStatus.ENQUEUED.value,
    )
    generation = models.IntegerField(_("generation"), db_default=1)
    priority = models.SmallIntegerField(_("priority"), db_default=int(Priority.NORMAL))
    start_key = models.BigIntegerField()
    raised_from = models.SmallIntegerField(
        null=True, help_text=_("The level that ageing raised it from; its start counts for that level.")
    )
    created_at = models.DateTimeField(_("created"))
    enqueued_at = models.DateTimeField(
        help_text=_("When this generation was handed in; response time counts from here.")
    )
    available_at = models.DateTimeField()
    deferred = models.BooleanField(db_default=False)
    blocked_since = models.DateTimeField(
        null=True, help_text=_("When it was first in order and did not fit; it holds a reservation.")
    )
    blocked_by = models.CharField(
        max_length=5, db_default="", blank=True, help_text=_("agent or pool: whose budget was too small.")
    )
    finished_at = models.DateTimeField(_("finished"), null=True)

    locked_by = models.CharField(_("held by"), max_length=140, null=True)  # noqa: DJ001 - NULL says "nobody"
    lease_owner = models.UUIDField(null=True)
    lease_expires_at = models.DateTimeField(null=True)
    current_attempt = models.UUIDField(null=True)
    cancel_requested_at = models.DateTimeField(null=True)

    attempts_made = models.SmallIntegerField(_("attempts"), db_default=0)
    attempts_burnt = models.SmallIntegerField(db_default=0)
    attempts_released = models.SmallIntegerField(db_default=0)
    timeouts = models.SmallIntegerField(db_default=0)

    estimated_tokens = models.IntegerField(db_default=1)
    estimated_output_tokens = models.IntegerField(db_default=1)
    estimated_requests = models.IntegerField(db_default=1)
    estimated_seconds = models.FloatField(db_default=60.0)

    result_attempt = models.UUIDField(null=True, help_text=_("The attempt whose result is the task's."))
    confidence = models.FloatField(_("confidence"), null=True)
    needs_review = models.BooleanField(_("needs review"), db_default=False)
    error_code = models.CharField(max_length=40, db_default="", blank=True)
    error_message = models.TextField(db_default="", blank=True)
    sealed_password = models.BinaryField(null=True)

    class Meta:
        db_table = "tasks"
        verbose_name, verbose_name_plural = _("task"), _("tasks")
        permissions = (("operate_task", "Can retry, cancel, reprocess and reprioritise tasks"),)
        constraints = (
            models.CheckConstraint(
                condition=Q(status__in=[s.value for s in TaskStatus]), name="tasks_status_known"
            ),
            models.CheckConstraint(
                condition=Q(
                    status=TaskStatus.PROCESSING,
                    locked_by__isnull=False,
                    lease_owner__isnull=False,
                    lease_expires_at__isnull=False,
                    current_attempt__isnull=False,
                )
                | (
                    ~Q(status=TaskStatus.PROCESSING)
                    & Q(locked_by__isnull=True, lease_owner__isnull=True, lease_expires_at__isnull=True)
                ),
                name="tasks_processing_iff_leased",
            ),
            models.CheckConstraint(
                condition=(TERMINAL & Q(finished_at__isnull=False))
                | (~TERMINAL & Q(finished_at__isnull=True)),
                name="tasks_terminal_iff_finished",
            ),
            models.CheckConstraint(
                condition=~Q(status=TaskStatus.COMPLETED) | Q(result_attempt__isnull=False),
                name="tasks_completed_has_result",
            ),
            models.CheckConstraint(
                condition=Q(cancel_requested_at__isnull=True) | Q(status=TaskStatus.PROCESSING),
                name="tasks_cancel_only_processing",
            ),
            models.CheckConstraint(
                condition=Q(deferred=False) | Q(status=TaskStatus.ENQUEUED),
                name="tasks_deferred_only_enqueued",
            ),
            models.CheckConstraint(
                condition=Q(
                    estimated_tokens__gt=0,
                    estimated_output_tokens__gt=0,
                    estimated_requests__gt=0,
                    estimated_seconds__gt=0,
                ),
                name="tasks_estimates_positive",
            ),
            models.CheckConstraint(
                condition=~TERMINAL | Q(sealed_password__isnull=True), name="tasks_password_only_while_needed"
            ),
        )
        indexes = (
            models.Index(
                "agent", models.F("priority").desc(), "start_key", "id", condition=READY, name="tasks_ready"
            ),
            models.Index(
                "agent",
                "client",
                models.F("priority").desc(),
                "start_key",
                "id",
                condition=READY,
                name="tasks_ready_by_client",
            ),
            models.Index(
                "available_at", condition=Q(status=TaskStatus.ENQUEUED, deferred=True), name="tasks_deferred"
            ),
            models.Index(
                "agent",
                "blocked_since",
                condition=READY & Q(blocked_since__isnull=False),
                name="tasks_blocked",
            ),
            models.Index("id", condition=Q(status=TaskStatus.PROCESSING), name="tasks_processing"),
            models.Index(
                "agent",
                "raised_from",
                condition=Q(status=TaskStatus.ENQUEUED, raised_from__isnull=False),
                name="tasks_raised",
            ),
            # What waits is counted from this index alone; only handing in and a retry add to it
            models.Index(
                "agent",
                "enqueued_at",
                include=("client", "attempts_made", "id"),
                condition=Q(status=TaskStatus.ENQUEUED),
                name="tasks_waiting",
            ),
            models.Index(
                "agent", "status", models.F("finished_at").desc(), condition=TERMINAL, name="tasks_finished"
            ),
            # The documents of an extraction
            models.Index("extraction", "id", name="tasks_of_extraction"),
            # For lists by state, newest first; of what waits the newest are at hand anyway
            models.Index("id", condition=Q(status=TaskStatus.COMPLETED), name="tasks_completed"),
            models.Index("id", condition=Q(status=TaskStatus.FAILED), name="tasks_failed"),
            models.Index("id", condition=Q(status=TaskStatus.CANCELLED), name="tasks_cancelled"),
            models.Index("id", condition=Q(needs_review=True), name="tasks_needs_review"),
        )

    def __str__(self) -> str:
        return f"{self.pk}"


class Attempt(models.Model):
    """One run of one task. Its money is counted once (`settled_at`) whatever becomes of the task.

    rate_held_until: the reserved rates count against budgets up to this moment; the far future while it lives.
    ended_at: when the executor confirmed that nothing of it runs any more; until then it counts against limits.
    """

    class CostState(models.TextChoices):
        UNKNOWN = "unknown", _("unknown")
        ESTIMATED = "estimated", _("estimated")
        SETTLED = "settled", _("settled")

    class TraceState(models.TextChoices):
        """How the tokens that the event told compare with those in the trace."""

        NOT_READ = "", _("not read yet")
        AGREES = "agrees", _("agrees")
        DIFFERS = "differs", _("differs")
        FILLED = "filled", _("filled from the trace")
        MISSING = "missing", _("missing")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    task = models.ForeignKey(Task, models.PROTECT, related_name="attempts", db_index=False)
    number = models.SmallIntegerField(_("number"))
    generation = models.IntegerField()
    # Copies of what the task says, which its own foreign keys vouch for: a second check per attempt would only cost
    agent = models.ForeignKey(Agent, models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    agent_version = models.ForeignKey(
        AgentVersion, models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
    client = models.ForeignKey(Client, models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    pool = models.ForeignKey(
        Pool, models.PROTECT, null=True, related_name="+", db_index=False, db_constraint=False
    )
    priority = models.SmallIntegerField()
    executor = models.CharField(max_length=20)
    worker = models.UUIDField(_("worker"))
    run_id = models.CharField(_("run id"), max_length=100, db_default="", blank=True)
    run_page_url = models.CharField(max_length=500, db_default="", blank=True)
    trace_id = models.CharField(_("trace id"), max_length=100, db_default="", blank=True)

    status = models.CharField(
        _("state"),
        max_length=12,
        choices=[(s.value, s.value) for s in AttemptStatus],
        db_default=AttemptStatus.CLAIMED.value,
    )
    claimed_at = models.DateTimeField(_("claimed"))
    started_at = models.DateTimeField(_("started"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)
    ended_at = models.DateTimeField(_("end confirmed"), null=True)
    deadline_at = models.DateTimeField()
    last_seen_at = models.DateTimeField(null=True)
    stop_requested_at = models.DateTimeField(null=True)
    stop_reason = models.CharField(max_length=12, db_default="", blank=True)
    pages_done = models.IntegerField(null=True)
    pages_total = models.IntegerField(null=True)

    reserved_tpm = models.FloatField(db_default=0.0)
    reserved_output_tpm = models.FloatField(db_default=0.0)
    reserved_rpm = models.FloatField(db_default=0.0)
    reserved_usd = models.DecimalField(max_digits=14, decimal_places=6, db_default=0)
    rate_held_until = models.DateTimeField()

    model = models.CharField(_("model"), max_length=200, db_default="", blank=True)
    input_tokens = models.BigIntegerField(null=True)
    output_tokens = models.BigIntegerField(null=True)
    cache_read_tokens = models.BigIntegerField(null=True)
    cache_write_tokens = models.BigIntegerField(null=True)
    calls = models.IntegerField(null=True, help_text=_("Requests to the model."))
    cost_usd = models.DecimalField(max_digits=14, decimal_places=6, null=True)
    cost_state = models.CharField(max_length=10, choices=CostState, db_default=CostState.UNKNOWN.value)
    price = models.ForeignKey(Price, models.PROTECT, null=True, related_name="+", db_index=False)
    compute_cost_usd = models.DecimalField(max_digits=14, decimal_places=6, null=True)
    compute_cost_state = models.CharField(
        max_length=10, choices=CostState, db_default=CostState.UNKNOWN.value
    )
    compute_as_of = models.DateTimeField(null=True, help_text=_("When the bill was last read for it."))
    settled_at = models.DateTimeField(null=True)

    trace_state = models.CharField(
        _("trace"), max_length=8, choices=TraceState, db_default=TraceState.NOT_READ.value, blank=True
    )
    trace_read_at = models.DateTimeField(null=True, help_text=_("When the trace was last looked for."))
    trace_calls = models.IntegerField(null=True)
    trace_input_tokens = models.BigIntegerField(null=True)
    trace_output_tokens = models.BigIntegerField(null=True)
    trace_cache_read_tokens = models.BigIntegerField(null=True)
    trace_cache_write_tokens = models.BigIntegerField(null=True)
    trace_cost_usd = models.DecimalField(
        max_digits=14, decimal_places=6, null=True, help_text=_("MLflow's own estimate, from list prices.")
    )

    process_seconds = models.FloatField(null=True, help_text=_("Processor time of a local run."))
    max_rss_bytes = models.BigIntegerField(null=True)

    result = models.JSONField(null=True)
    confidence = models.FloatField(_("confidence"), null=True)
    error_code = models.CharField(max_length=40, db_default="", blank=True)
    error_message = models.TextField(db_default="", blank=True)
    conflict = models.JSONField(
        null=True, help_text=_("A second, different outcome that this attempt reported.")
    )
    erased_at = models.DateTimeField(
        null=True,
        help_text=_(
            "When what it read was removed, with its extraction or all data of its client; its money stays."
        ),
    )

    class Meta:
        db_table = "task_attempts"
        verbose_name, verbose_name_plural = _("attempt"), _("attempts")
        constraints = (
            models.UniqueConstraint(fields=("task", "number"), name="task_attempts_task_number"),
            models.CheckConstraint(
                condition=Q(status__in=[s.value for s in AttemptStatus]), name="task_attempts_status_known"
            ),
            models.CheckConstraint(
                condition=Q(status__in=("claimed", "starting", "running"), finished_at__isnull=True)
                | (~Q(status__in=("claimed", "starting", "running")) & Q(finished_at__isnull=False)),
                name="task_attempts_ended_iff_finished",
            ),
            models.CheckConstraint(
                condition=~Q(status=AttemptStatus.COMPLETED)
                | Q(result__isnull=False)
                | Q(erased_at__isnull=False),
                name="task_attempts_completed_has_result",
            ),
            models.CheckConstraint(
                condition=Q(erased_at__isnull=True)
                | Q(result__isnull=True, conflict__isnull=True, error_message=""),
                name="task_attempts_erased_is_empty",
            ),
            models.CheckConstraint(
                condition=Q(cost_usd__isnull=True) | Q(cost_usd__gte=0),
                name="task_attempts_cost_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(cost_state="unknown", cost_usd__isnull=True)
                | (~Q(cost_state="unknown") & Q(cost_usd__isnull=False)),
                name="task_attempts_unknown_cost_is_null",
            ),
            models.CheckConstraint(
                condition=Q(compute_cost_state="unknown", compute_cost_usd__isnull=True)
                | (~Q(compute_cost_state="unknown") & Q(compute_cost_usd__isnull=False)),
                name="task_attempts_unknown_compute_is_null",
            ),
            models.CheckConstraint(
                condition=Q(trace_state__in=("", "agrees", "differs", "filled", "missing")),
                name="task_attempts_trace_state_known",
            ),
        )
        indexes = (
            models.Index("agent", "rate_held_until", name="task_attempts_held_agent"),
            models.Index(
                "pool", "rate_held_until", condition=Q(pool__isnull=False), name="task_attempts_held_pool"
            ),
            models.Index("deadline_at", condition=Q(ended_at__isnull=True), name="task_attempts_deadline"),
            models.Index(
                "id",
                condition=Q(ended_at__isnull=True, stop_requested_at__isnull=False),
                name="task_attempts_to_stop",
            ),
            models.Index("run_id", condition=~Q(run_id=""), name="task_attempts_run_id"),
            models.Index("trace_id", condition=~Q(trace_id=""), name="task_attempts_trace_id"),
            models.Index(
                "finished_at",
                condition=~Q(trace_id="") & Q(trace_state__in=("", "missing"), finished_at__isnull=False),
                name="task_attempts_trace_to_read",
            ),
            models.Index(
                "finished_at",
                condition=Q(trace_state__in=("missing", "differs")),
                name="task_attempts_trace_faults",
            ),
            # By day, for money
            models.Index("finished_at", condition=Q(finished_at__isnull=False), name="task_attempts_by_end"),
            models.Index("status", "task", "number", condition=BADLY_ENDED, name="task_attempts_bad_ends"),
        )

    def __str__(self) -> str:
        return f"{self.task_id}.{self.number}"


class Lane(models.Model):
    """The last virtual start that a client's tasks were stamped with, for one fair agent and priority."""

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="+", db_index=False)
    priority = models.SmallIntegerField()
    client = models.ForeignKey(Client, models.CASCADE, related_name="+", db_index=False)
    last_key = models.BigIntegerField()

    class Meta:
        db_table = "lanes"
        verbose_name, verbose_name_plural = _("client's place in line"), _("clients' places in line")
        constraints = (
            models.UniqueConstraint(
                fields=("agent", "priority", "client"), name="lanes_agent_priority_client"
            ),
        )

    def __str__(self) -> str:
        return f"{self.agent_id}/{self.priority}/{self.client_id}"
