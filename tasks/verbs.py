"""What can be done to many rows at once: each verb with its words, what it acts on, how it is done, and how it is undone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Model
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from tasks import interventions, maintenance, operations, queue
from tasks.audit import Actor
from tasks.changes import Outcome, Refused, in_words
from tasks.models import Agent, Attempt, BulkAction, Client, Pool, Switches, Task, Worker

CHANGED_SINCE = gettext_noop("changed since")


@dataclass(frozen=True, slots=True)
class Call:
    """Some rows of one model that a verb is to be done to."""

    actor: Actor
    model: type[Model]
    ids: Sequence[Any]
    reason: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Did:
    """What came of it; `before` by id (as text) is what an undo needs."""

    outcome: Outcome
    before: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Undo:
    """The verb that takes an action back, and its rows in groups with a group's parameters each."""

    verb: str
    groups: list[tuple[list[Any], dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Verb:
    """`done` says what became of the rows: "%(count)d retried". `backwards`: pieces are done from the last to the first."""

    title: str | Promise
    done: str | Promise
    models: tuple[type[Model], ...]
    run: Callable[[Call], Did]
    undo: Callable[[BulkAction], Undo] | None = None
    needs_reason: bool = False
    backwards: bool = False


def _plain(verb: Callable[..., Outcome]) -> Callable[[Call], Did]:
    return lambda call: Did(verb(call.actor, call.ids, call.reason))


def _with_agent(verb: Callable[..., Outcome], *others: str) -> Callable[[Call], Did]:
    """`others`: further parameters that the verb takes as they are."""

    def run(call: Call) -> Did:
        name = call.parameters.get("agent")
        agent = Agent.objects.select_related("current_version").filter(name=name).first() if name else None
        if name and agent is None:
            raise Refused(_("There is no agent %(agent)s any more.") % {"agent": name})
        given = {other: call.parameters.get(other) for other in others}
        return Did(verb(call.actor, call.ids, call.reason, agent=agent, **given))

    return run


def _reprioritise(call: Call) -> Did:
    """With `expected`, only what still has that priority: an undo never takes back what somebody else did since."""
    expected = call.parameters.get("expected")
    with transaction.atomic():
        rows = queue.lock_tasks(queue.connection(), list(call.ids))
        before = {row.id: row.priority for row in rows}
        others = {
            task: _(CHANGED_SINCE)
            for task, level in before.items()
            if expected is not None and level != expected
        }
        ids = [task for task in call.ids if task not in others]
        outcome = operations.reprioritise(call.actor, ids, int(call.parameters["priority"]), call.reason)
    outcome.skipped |= others
    return Did(outcome, {str(task): before[task] for task in outcome.done})


def _undo_reprioritise(action: BulkAction) -> Undo:
    groups: dict[int, list[int]] = defaultdict(list)
    for piece in action.pieces.all():
        for task, level in piece.before.items():
            groups[level].append(int(task))
    expected = action.parameters.get("priority")
    return Undo(
        "reprioritise",
        [(ids, {"priority": level, "expected": expected}) for level, ids in sorted(groups.items())],
    )


def _switch(verb: Callable[..., bool]) -> Callable[[Call], Did]:
    def run(call: Call) -> Did:
        outcome = Outcome()
        for row in call.model.objects.filter(pk__in=call.ids).order_by("pk"):
            if verb(call.actor, None if isinstance(row, Switches) else row, call.reason):
                outcome.done.append(row.pk)
            else:
                outcome.skipped[row.pk] = _("already so")
        return Did(outcome)

    return run


def _set_limits(call: Call) -> Did:
    limits, expected = call.parameters["limits"], call.parameters.get("expected")
    with transaction.atomic():
        ids, others = list(call.ids), {}
        if expected is not None:
            rows = (
                call.model.objects.select_for_update(no_key=True, of=("self",))
                .filter(pk__in=ids)
                .order_by("pk")
            )
            kept = {
                row.pk for row in rows if all(getattr(row, name) == expected.get(name) for name in limits)
            }
            others = {pk: _(CHANGED_SINCE) for pk in ids if pk not in kept}
            ids = [pk for pk in ids if pk in kept]
        outcome, before = interventions.set_limits(call.actor, call.model, ids, call.reason, limits=limits)
    outcome.skipped |= others
    return Did(outcome, before)


def _end_cooldown(call: Call) -> Did:
    return Did(interventions.end_cooldown(call.actor, call.model, call.ids, call.reason))


def _undo_limits(action: BulkAction) -> Undo:
    befores = [item for piece in action.pieces.all() for item in piece.before.items()]
    expected = action.parameters.get("limits")
    return Undo("set_limits", [([int(pk)], {"limits": old, "expected": expected}) for pk, old in befores])


def _opposite(verb: str) -> Callable[[BulkAction], Undo]:
    return lambda action: Undo(verb, [(_done(action), {})])


def _done(action: BulkAction) -> list[Any]:
    return [pk for piece in action.pieces.all() for pk in piece.done]


SWITCHED = (Agent, Client, Switches)
VERBS: dict[str, Verb] = {
    "retry": Verb(gettext_lazy("Retry tasks"), gettext_lazy("%(count)d retried"), (Task,), _plain(operations.retry)),
    "reprocess": Verb(
        gettext_lazy("Read documents again"), gettext_lazy("%(count)d handed in again"), (Task,), _with_agent(operations.reprocess, "version")
    ),
    "reassign": Verb(
        gettext_lazy("Give waiting tasks to another agent"), gettext_lazy("%(count)d given to another agent"), (Task,), _with_agent(interventions.reassign)
    ),
    "cancel": Verb(gettext_lazy("Cancel tasks"), gettext_lazy("%(count)d cancelled"), (Task,), _plain(operations.cancel)),
    "reprioritise": Verb(
        gettext_lazy("Change priority"), gettext_lazy("%(count)d changed"), (Task,), _reprioritise, undo=_undo_reprioritise
    ),
    "run_next": Verb(
        gettext_lazy("Run tasks next"), gettext_lazy("%(count)d put first"), (Task,), _plain(operations.run_next), backwards=True
    ),
    "release": Verb(
        gettext_lazy("Take tasks from their workers"), gettext_lazy("%(count)d being taken back"), (Task,), _plain(interventions.release), needs_reason=True
    ),
    "declare_ended": Verb(
        gettext_lazy("Declare attempts ended"), gettext_lazy("%(count)d declared ended"), (Attempt,), _plain(operations.declare_ended), needs_reason=True
    ),
    "pause": Verb(
        gettext_lazy("Pause: nothing more is started, what runs goes on"), gettext_lazy("%(count)d paused"), SWITCHED, _switch(operations.pause),
        undo=_opposite("resume"),
    ),
    "resume": Verb(
        gettext_lazy("Resume"), gettext_lazy("%(count)d resumed"), SWITCHED, _switch(operations.resume), undo=_opposite("pause")
    ),
    "begin_maintenance": Verb(
        gettext_lazy("Begin maintenance: nothing is taken in, nothing is started, what runs goes on"), gettext_lazy("%(count)d closed for maintenance"),
        (Switches,), _switch(lambda actor, _row, reason: maintenance.begin(actor, reason)), undo=_opposite("end_maintenance"), needs_reason=True,
    ),
    "end_maintenance": Verb(
        gettext_lazy("End maintenance: take in and start again"), gettext_lazy("%(count)d opened again"), (Switches,),
        _switch(lambda actor, _row, reason: maintenance.end(actor, reason)),
    ),
    "set_limits": Verb(
        gettext_lazy("Set limits"), gettext_lazy("%(count)d changed"), (Agent, Pool), _set_limits, undo=_undo_limits
    ),
    "end_cooldown": Verb(
        gettext_lazy("End the cool-down"), gettext_lazy("%(count)d start again"), (Agent, Pool), _end_cooldown, needs_reason=True
    ),
    "drain": Verb(
        gettext_lazy("Drain workers: they take nothing more, what runs goes on"), gettext_lazy("%(count)d to be drained"), (Worker,),
        _plain(interventions.drain), undo=_opposite("undrain"),
    ),
    "undrain": Verb(
        gettext_lazy("Let workers take work again"), gettext_lazy("%(count)d take work again"), (Worker,), _plain(interventions.undrain),
        undo=_opposite("drain"),
    ),
}  # fmt: skip
MODELS = {model._meta.model_name: model for verb in VERBS.values() for model in verb.models}


def told(verb: str, done: int, why: dict[str, int]) -> str:
    """For people: "12 retried, 3 skipped: already completed"."""
    return in_words(str(VERBS[verb].done) % {"count": done}, why)


def native(model: type[Model], ids: Iterable[Any]) -> list[Any]:
    """Ids as the model has them, from JSON."""
    return [model._meta.pk.to_python(pk) for pk in ids]
