"""What the verbs of people have in common: their refusal, their outcome in words, the change of locked rows in pieces, and its trail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from tasks import notify, queue
from tasks.audit import Actor, Entry, record
from tasks.states import TaskStatus

MOST_AT_ONCE = 1000
"""Tasks per transaction; more are done in several, so that no claim waits long for a row."""


class Refused(Exception):
    """The whole operation cannot be done: one sentence that says why and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(slots=True)
class Outcome:
    """What an operation did: the ids that changed, and why the others did not."""

    done: list[Any] = field(default_factory=list)
    skipped: dict[Any, str] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """For people: "12 done, 3 skipped: already completed"."""
        return in_words(_("%(count)d done") % {"count": len(self.done)}, Counter(self.skipped.values()))


def in_words(done: str, skipped: Mapping[str, int]) -> str:
    """`done` ("12 retried") with how many rows were skipped for which reason: "12 retried, 3 skipped: already completed."."""
    if not skipped:
        return f"{done}."
    reasons = sorted(skipped.items(), key=lambda item: -item[1])
    why = "; ".join(_(reason) if len(reasons) == 1 else f"{count} {_(reason)}" for reason, count in reasons)
    rest = _("%(count)d skipped: %(why)s") % {"count": sum(skipped.values()), "why": why}
    return f"{done}, {rest}."


def each(
    actor: Actor, ids: Iterable[int], reason: str, change: Callable[[Any, list[Any], Outcome], list[Entry]]
) -> Outcome:
    """Lock, change and record, in pieces; ids that do not exist are skipped like the rest."""
    outcome, wanted = Outcome(), list(dict.fromkeys(ids))
    for start in range(0, len(wanted), MOST_AT_ONCE):
        piece = wanted[start : start + MOST_AT_ONCE]

        def once(piece: list[int] = piece) -> Outcome:
            part = Outcome()
            with transaction.atomic():
                db = queue.connection()
                rows = queue.lock_tasks(db, piece)
                record(actor, change(db, rows, part), reason)
                notify.hint_on_commit(notify.WORK, notify.CHANGED)
                part.skipped.update(
                    {missing: _("no such task") for missing in set(piece) - {row.id for row in rows}}
                )
            return part

        part = queue.retried(once)
        outcome.done += part.done
        outcome.skipped |= part.skipped
    return outcome


def told(verb: str, rows: list[Any], done: set[int], outcome: Outcome, **after: Any) -> list[Entry]:
    """Note in `outcome` what was done and, by the state that a row was found in, why not; gives the trail's entries of the former."""
    entries = []
    for row in rows:
        if row.id in done:
            outcome.done.append(row.id)
            before = {"status": row.status, "priority": row.priority, "generation": row.generation}
            entries.append(
                Entry(
                    verb,
                    "task",
                    str(row.id),
                    before=before,
                    after={key: value for key, value in after.items() if value is not None},
                )
            )
        else:
            outcome.skipped.setdefault(row.id, _skipped(row))
    return entries


def _skipped(row: Any) -> str:
    if row.is_deleted:
        return _("the data of its client were deleted")
    if row.status == TaskStatus.PROCESSING and row.cancel_requested:
        return _("already being cancelled")
    return {
        TaskStatus.ENQUEUED: _("already queued"),
        TaskStatus.PROCESSING: _("running now"),
        TaskStatus.COMPLETED: _("already completed"),
        TaskStatus.FAILED: _("already failed"),
        TaskStatus.CANCELLED: _("already cancelled"),
    }[TaskStatus(row.status)]
