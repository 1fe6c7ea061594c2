"""The verbs of people: submit, retry, reprocess, cancel, reprioritise, run next, pause, resume, declare ended.

Each is one transaction that changes only what is still in a legal state, says what it skipped and why, and leaves a trail.
Whether somebody may do it is checked by the caller (permission `tasks.operate_task`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from tasks import events, fairness, learning, maintenance, notify, queue, versions
from tasks.agent.contract import Code
from tasks.audit import Actor, Entry, record
from tasks.changes import Outcome, Refused, each, told
from tasks.estimates import Figures, estimate, figures_of
from tasks.events import News
from tasks.models import Agent, AgentVersion, Client, Document, Extraction
from tasks.outcomes import Answer
from tasks.sealing import seal
from tasks.states import TERMINAL, AttemptStatus, Priority, TaskStatus

TIER_PRIORITY = {Client.Tier.STANDARD: Priority.NORMAL, Client.Tier.PREMIUM: Priority.INTERACTIVE}
DECLARED_MESSAGE = "An operator declared that nothing of this attempt runs any more."


@dataclass(frozen=True, slots=True)
class Handed:
    """A stored document that is handed in, and the password that opens it (if any)."""

    document: Document
    password: str = field(default="", repr=False)


def must_be_open() -> None:
    """Raises Refused during maintenance, when nothing new is taken in."""
    if closed := maintenance.sentence():
        raise Refused(closed)


def must_take_from(client: Client) -> None:
    """Raises Refused for a client whose data were deleted, or are being deleted. Within a transaction no deletion begins after it."""
    if not queue.takes_from(queue.connection(), client.pk):
        raise Refused(
            _(
                "All data of %(client)s were deleted, or are being deleted: nothing is taken in for this client any more. "
                "Choose another client, or make a new one."
            )
            % {"client": client.name}
        )


def must_add_to(extraction: Extraction) -> None:
    """Raises Refused for an extraction that was pruned. Within a transaction it is not pruned after it."""
    if not queue.adds_to(queue.connection(), extraction.pk):
        raise Refused(
            _(
                "The documents and results of extraction %(number)d were deleted after their retention time: nothing is added to it any more. "
                "Hand the documents in anew."
            )
            % {"number": extraction.pk}
        )


def submit(
    actor: Actor, *, client: Client, agent: Agent, documents: Sequence[Handed],
    engagement: str = "", priority: int | None = None, refused: Iterable[dict] = (), extraction: Extraction | None = None,
    version: int | None = None, key: UUID | None = None, more_until: Any = None,
) -> Extraction:  # fmt: skip
    """Hand documents in: one extraction, one task each. `priority` None: the client's tier decides.

    `extraction`: the documents are added to this one, of the same client and agent, instead. `version`: a number of the agent's
    (None: the current one). `key`, `more_until`: of a new extraction whose files come one by one. Raises Refused during maintenance, if the extraction was pruned, or if the agent has no such version that
    could read anything.
    """
    must_be_open()
    reads = version_of(agent, version)
    level = TIER_PRIORITY[Client.Tier(client.tier)] if priority is None else priority
    figures = figures_of(reads)
    with transaction.atomic():
        must_take_from(client)
        if extraction is not None:
            must_add_to(extraction)
        extraction = extraction or Extraction.objects.create(
            client=client,
            agent=agent,
            engagement=engagement,
            priority=level,
            created_by_id=actor.user_id,
            refused=list(refused),
            key=key,
            more_until=more_until,
        )
        if documents:
            queue.enqueue(
                queue.connection(), fair=agent.is_fair, weight=fairness.weight(client.tier),
                documents=[_Line.of(handed, figures) for handed in documents],
                extraction=extraction.pk, client=client.pk, agent=agent.pk, version=reads.pk, priority=int(level),
            )  # fmt: skip
        after = {
            "documents": len(documents),
            "refused": len(extraction.refused),
            "agent": agent.name,
            "priority": int(level),
        }
        record(actor, [Entry("submit", "extraction", str(extraction.pk), after=after)])
        notify.hint_on_commit(notify.WORK, notify.CHANGED)
    return extraction


def version_of(agent: Agent, number: int | None = None) -> AgentVersion:
    """The agent's version of this number (None: the current one). Raises Refused if there is none, or if it lacks something to read."""
    version = agent.current_version
    if number is not None:
        version = AgentVersion.objects.filter(agent=agent, number=number).first()
        if version is None:
            raise Refused(
                _("The agent %(agent)s has no version %(number)d.") % {"agent": agent.name, "number": number}
            )
    lack = versions.lacking(agent, version)
    if lack or version is None:
        raise Refused(lack)
    return version


@dataclass(frozen=True, slots=True)
class _Line:
    """A task to be inserted."""

    document_id: int
    tokens: int
    output_tokens: int
    requests: int
    seconds: float
    sealed_password: bytes | None

    @classmethod
    def of(cls, handed: Handed, figures: Figures) -> _Line:
        guess = estimate(figures, handed.document.pages)
        return cls(
            handed.document.pk,
            guess.tokens,
            guess.output_tokens,
            guess.requests,
            guess.seconds,
            seal(handed.password),
        )


def retry(actor: Actor, task_ids: Iterable[int], reason: str = "") -> Outcome:
    """Failed and cancelled tasks run again as a new generation; what waits for its next attempt, and not for the end of its old run, runs now.

    Raises Refused during maintenance.
    """
    must_be_open()

    def change(db: Any, rows: list[Any], outcome: Outcome) -> list[Entry]:
        again = {row.id for row in rows if row.status in (TaskStatus.FAILED, TaskStatus.CANCELLED)}
        now = [row.id for row in rows if row.status == TaskStatus.ENQUEUED and row.deferred]
        done = _reprocess(db, [row for row in rows if row.id in again], None, outcome) | (
            queue.changed(db, "retry_now", tasks=now) if now else set()
        )
        return told("retry", rows, done, outcome)

    return each(actor, task_ids, reason, change)


def reprocess(
    actor: Actor, task_ids: Iterable[int], reason: str = "", *, agent: Agent | None = None, version: int | None = None
) -> Outcome:  # fmt: skip
    """Terminal tasks start a new generation; earlier results stay on their attempts.

    With `agent` they are read by its version of this number (None: its current one), else by the version that read them.
    Raises Refused during maintenance, if there is no such version, or if it lacks something to read.
    """
    must_be_open()
    if agent is None and version is not None:
        raise Refused(_("Say whose version %(number)d reads: choose an agent.") % {"number": version})
    reads = version_of(agent, version) if agent is not None else None

    def change(db: Any, rows: list[Any], outcome: Outcome) -> list[Entry]:
        done = _reprocess(db, [row for row in rows if row.status in TERMINAL], reads, outcome)
        after = {"agent": agent.name, "version": reads.number} if agent and reads else {}
        return told("reprocess", rows, done, outcome, **after)

    return each(actor, task_ids, reason, change)


def _reprocess(db: Any, rows: list[Any], version: AgentVersion | None, outcome: Outcome) -> set[int]:
    pruned = queue.pruned(db, [row.id for row in rows])
    outcome.skipped |= dict.fromkeys(
        pruned, _("its document and result were deleted after their retention time")
    )
    rows = [row for row in rows if not row.is_deleted and row.id not in pruned]
    if not rows:
        return set()
    agent = version.agent_id if version else None
    moves = fairness.moves(rows, agent=agent, least=int(Priority.INTERACTIVE))
    keys = fairness.stamp(db, moves)
    done = queue.changed(
        db, "reprocess", tasks=[row.id for row in rows], least_priority=int(Priority.INTERACTIVE), lease_seconds=settings.LEASE_SECONDS,
        agent=agent, version=version.pk if version else None,
    )  # fmt: skip
    queue.set_keys(db, keys)
    learning.estimate_again(db, sorted(done))
    return done


def cancel(actor: Actor, task_ids: Iterable[int], reason: str = "") -> Outcome:
    """Waiting tasks are cancelled at once; running ones as soon as their run is confirmed ended (a result that comes first wins)."""

    def change(db: Any, rows: list[Any], outcome: Outcome) -> list[Entry]:
        waiting = [row.id for row in rows if row.status == TaskStatus.ENQUEUED]
        running = [row.id for row in rows if row.status == TaskStatus.PROCESSING]
        done = queue.changed(db, "cancel_waiting", tasks=waiting) if waiting else set()
        done |= queue.changed(db, "cancel_running", tasks=running) if running else set()
        return told("cancel", rows, done, outcome)

    return each(actor, task_ids, reason, change)


def reprioritise(actor: Actor, task_ids: Iterable[int], priority: int, reason: str = "") -> Outcome:
    """Change the level of what waits or runs (a running task keeps it for its next attempt)."""

    def change(db: Any, rows: list[Any], outcome: Outcome) -> list[Entry]:
        ids = [row.id for row in rows]
        moving = [row for row in rows if row.status not in TERMINAL and row.priority != priority]
        keys = fairness.stamp(db, fairness.moves(moving, priority=int(priority)))
        done = queue.changed(db, "reprioritise", tasks=ids, priority=int(priority))
        queue.set_keys(db, keys)
        for row in rows:
            if row.id not in done and row.status not in TERMINAL:
                outcome.skipped[row.id] = _("already at this priority")
        return told("reprioritise", rows, done, outcome, priority=int(priority))

    return each(actor, task_ids, reason, change)


def run_next(actor: Actor, task_ids: Iterable[int], reason: str = "") -> Outcome:
    """Put waiting tasks before everything of their agent that waits on the same level; the first given comes first."""
    backwards = list(reversed(list(dict.fromkeys(task_ids))))
    place = {task: number for number, task in enumerate(backwards)}

    def change(db: Any, rows: list[Any], outcome: Outcome) -> list[Entry]:
        done: set[int] = set()
        for row in sorted(rows, key=lambda row: place[row.id]):
            done |= queue.changed(db, "run_next", task=row.id)
        return told("run_next", rows, done, outcome)

    return each(actor, backwards, reason, change)


def pause(actor: Actor, target: Agent | Client | None, reason: str = "") -> bool:
    """Start nothing more of an agent, of a client, or (None) of anything; what runs goes on. Whether it changed anything."""
    return _switch(actor, target, True, reason)


def resume(actor: Actor, target: Agent | Client | None, reason: str = "") -> bool:
    """Undo `pause`. Whether it changed anything. Raises Refused for a client whose data were deleted, or are being deleted."""
    if isinstance(target, Client):
        must_take_from(target)
    return _switch(actor, target, False, reason)


def set_fair(actor: Actor, agent: Agent, fair: bool, reason: str = "") -> bool:
    """Let the agent's clients take turns, or go back to first come, first served; what waits is placed anew. Whether it changed anything."""
    with transaction.atomic():
        db = queue.connection()
        done = queue.set_fair(db, agent.pk, fair)
        if done:
            fairness.switched(db, agent.pk, fair)
            record(
                actor,
                [Entry("set_fair", "agent", str(agent.pk), {"is_fair": not fair}, {"is_fair": fair})],
                reason,
            )
            notify.hint_on_commit(notify.WORK, notify.CHANGED)
    return done


def _switch(actor: Actor, target: Agent | Client | None, paused: bool, reason: str) -> bool:
    kind = "everything" if target is None else target._meta.model_name
    values = {} if target is None else {"id": target.pk}
    with transaction.atomic():
        done = queue.changed(queue.connection(), f"pause_{kind}", paused=paused, **values)
        if done:
            verb = "pause" if paused else "resume"
            record(
                actor,
                [
                    Entry(
                        verb,
                        kind,
                        str(values.get("id", "")),
                        {"is_paused": not paused},
                        {"is_paused": paused},
                    )
                ],
                reason,
            )
            notify.hint_on_commit(notify.WORK, notify.CHANGED)
    return bool(done)


def declare_ended(actor: Actor, attempt_ids: Iterable[UUID], reason: str) -> Outcome:
    """An operator vouches that nothing of these attempts runs any more, so that they no longer count against limits.

    What they may still report changes nothing but their money. Raises Refused without a reason.
    """
    if not reason.strip():
        raise Refused(_("Say why you are sure that nothing of it runs any more."))
    wanted, outcome = list(dict.fromkeys(attempt_ids)), Outcome()
    with transaction.atomic():
        db = queue.connection()
        known = queue.lock_for_outcomes(db, wanted)[1].keys()
        done = queue.changed(db, "declared_ended", attempts=wanted)
        vouched = Answer(AttemptStatus.LOST, True, Code.LOST, DECLARED_MESSAGE, True)
        events.apply(db, [News(attempt, answer=vouched, ended=True) for attempt in sorted(done)])
        outcome.done = sorted(done)
        outcome.skipped = {
            a: _("its end is confirmed already") if a in known else _("no such attempt")
            for a in wanted
            if a not in done
        }
        record(actor, [Entry("declare_ended", "attempt", str(attempt)) for attempt in outcome.done], reason)
        notify.hint_on_commit(notify.WORK, notify.CHANGED)
    return outcome
