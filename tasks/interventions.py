"""Verbs of operators besides those of every day: another agent for what waits, leases given back, limits set, workers drained.

Like those of `tasks.operations`: each changes only what is still in a legal state, says what it skipped and why, and leaves a trail.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from tasks import fairness, learning, notify, queue
from tasks.audit import Actor, Entry, record
from tasks.changes import Outcome, each, told
from tasks.models import BUDGET_FIELDS, Agent, Pool, Worker
from tasks.operations import version_of
from tasks.states import TaskStatus


def reassign(actor: Actor, task_ids: Iterable[int], reason: str = "", *, agent: Agent) -> Outcome:
    """Waiting tasks are read by another agent, in the order in which they were handed in. Raises Refused if it cannot read."""
    version = version_of(agent)

    def change(db: Any, rows: list[Any], outcome: Outcome) -> list[Entry]:
        moving = [row for row in rows if row.status == TaskStatus.ENQUEUED and row.agent_id != agent.pk]
        keys = fairness.stamp(db, fairness.moves(moving, agent=agent.pk))
        done = queue.changed(
            db, "reassign", tasks=[row.id for row in moving], agent=agent.pk, version=version.pk
        )
        queue.set_keys(db, keys)
        learning.estimate_again(db, sorted(done))
        for row in rows:
            if row.status == TaskStatus.ENQUEUED and row.id not in done:
                outcome.skipped[row.id] = _("already with this agent")
        return told("reassign", rows, done, outcome, agent=agent.name)

    return each(actor, task_ids, reason, change)


def release(actor: Actor, task_ids: Iterable[int], reason: str = "") -> Outcome:
    """Running tasks are taken from their worker: their run is stopped, and once that is confirmed they wait again."""

    def change(db: Any, rows: list[Any], outcome: Outcome) -> list[Entry]:
        running = [row.id for row in rows if row.status == TaskStatus.PROCESSING]
        done = queue.changed(db, "release", tasks=running) if running else set()
        for row in rows:
            if row.status == TaskStatus.PROCESSING and row.id not in done:
                outcome.skipped[row.id] = _("already being stopped")
            elif row.status == TaskStatus.ENQUEUED:
                outcome.skipped[row.id] = _("not running")
        return told("release", rows, done, outcome)

    return each(actor, task_ids, reason, change)


def set_limits(
    actor: Actor, model: type[Agent] | type[Pool], ids: Iterable[int], reason: str = "", *, limits: Mapping[str, int | None]
) -> tuple[Outcome, dict[str, Any]]:  # fmt: skip
    """Budgets of agents or pools, from the next claim on; None is no limit. With what they were before, by id."""
    if unknown := set(limits) - set(BUDGET_FIELDS):
        raise ValueError(f"no such limits: {sorted(unknown)}")
    outcome, before = Outcome(), {}
    with transaction.atomic():
        for row in (
            model.objects.select_for_update(no_key=True, of=("self",)).filter(pk__in=ids).order_by("pk")
        ):
            old = {name: getattr(row, name) for name in limits if getattr(row, name) != limits[name]}
            if not old:
                outcome.skipped[row.pk] = _("already so")
                continue
            new = {name: limits[name] for name in old}
            model.objects.filter(pk=row.pk).update(**new)
            record(actor, [Entry("set_limits", model._meta.model_name, str(row.pk), old, new)], reason)
            before[str(row.pk)] = old
            outcome.done.append(row.pk)
        notify.hint_on_commit(notify.WORK, notify.CHANGED)
    return outcome, before


def end_cooldown(
    actor: Actor, model: type[Agent] | type[Pool], ids: Iterable[int], reason: str = ""
) -> Outcome:
    """Agents or pools start again before the time that their provider asked them to wait; if it refuses again, they cool down anew."""
    wanted, kind = sorted(set(ids)), model._meta.model_name
    with transaction.atomic():
        rows = model.objects.select_for_update(no_key=True, of=("self",)).filter(pk__in=wanted).order_by("pk")
        before = {row.pk: row.cooldown_until for row in rows}
        done = queue.changed(queue.connection(), f"end_cooldown_{kind}", **{f"{kind}s": wanted})
        record(
            actor,
            [
                Entry("end_cooldown", kind, str(pk), {"cooldown_until": before[pk].isoformat()})
                for pk in sorted(done)
            ],
            reason,
        )
        notify.hint_on_commit(notify.WORK, notify.CHANGED)
    return Outcome(sorted(done), {pk: _("not cooling down") for pk in wanted if pk not in done})


def drain(actor: Actor, worker_ids: Iterable[UUID], reason: str = "") -> Outcome:
    """Workers take nothing more from their next heartbeat on; what they run goes on."""
    return _drained(actor, worker_ids, reason, True)


def undrain(actor: Actor, worker_ids: Iterable[UUID], reason: str = "") -> Outcome:
    """Undo `drain`."""
    return _drained(actor, worker_ids, reason, False)


def _drained(actor: Actor, worker_ids: Iterable[UUID], reason: str, drained: bool) -> Outcome:
    wanted = list(worker_ids)
    with transaction.atomic():
        done = queue.changed(queue.connection(), "drain", workers=wanted, drained=drained)
        stopped = set(
            Worker.objects.filter(pk__in=wanted, stopped_at__isnull=False).values_list("pk", flat=True)
        )
        verb = "drain" if drained else "undrain"
        record(actor, [Entry(verb, "worker", str(worker)) for worker in sorted(done)], reason)
        notify.hint_on_commit(notify.CHANGED)
    skipped = {w: _("has stopped") if w in stopped else _("already so") for w in wanted if w not in done}
    return Outcome(sorted(done), skipped)
