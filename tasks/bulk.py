"""One verb for many rows: begun once with a reason, done in pieces that survive crashes, told of on a page of its own, undone where that is possible.

    action = bulk.begin(actor, "retry", Task.objects.filter(status="failed"), selection="status=failed", reason="Quota was raised")

Up to AT_ONCE rows are done when `begin` returns; more are done by the workers, between two claims. Which rows are meant is fixed when the
person confirms; whether each still fits is decided when its turn comes. Permissions are checked by the callers.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.contrib.admin.models import CHANGE, LogEntry
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import override

from tasks import maintenance, notify
from tasks.audit import Actor, Entry, record
from tasks.changes import Refused
from tasks.clock import NOW
from tasks.models import BulkAction, BulkPiece
from tasks.queue import AWAY
from tasks.verbs import MODELS, VERBS, Call, Did, Undo, native, told

log = logging.getLogger(__name__)

AT_ONCE = 200
"""Up to so many rows are done at once, in the transaction that begins; more are left to the workers."""
PIECE = 200
"""Rows per transaction: a claim never waits for more of them than these."""
BESIDE_SECONDS = 0.05
"""How long before an action is asked for again that a worker is at."""


def begin(
    actor: Actor, verb: str, rows: QuerySet, *, selection: str = "", parameters: dict[str, Any] | None = None, reason: str = "",
    token: UUID | None = None,
) -> BulkAction:  # fmt: skip
    """Do `verb` to `rows` (those that `actor` may act on). `selection`: the filter in words of the address, for the trail.

    A `token` that came before gives the action that it began: a form that is sent twice acts once. Raises Refused with a sentence for
    people if the verb needs what is missing, ValueError if it does not act on such rows.
    """
    _check(verb, rows, reason)
    model, parameters = rows.model, parameters or {}
    groups = [(ids, None) for ids in _pieces(list(rows.order_by("pk").values_list("pk", flat=True)))]
    if VERBS[verb].backwards:
        groups.reverse()
    fields = {
        "object_type": model._meta.model_name,
        "selection": selection,
        "parameters": parameters,
        "reason": reason.strip(),
    }
    return _begin(actor, verb, groups, token, **fields)


def undo(actor: Actor, action: BulkAction, reason: str = "", token: UUID | None = None) -> BulkAction:
    """Take back what an action did, where nobody has changed it since. Raises Refused where that is not possible."""
    plan = undo_of(action)
    if plan is None:
        raise Refused(_("This cannot be undone."))
    groups = [(ids, given or None) for rows, given in plan.groups for ids in _pieces(rows)]
    return _begin(
        actor, plan.verb, groups, token, object_type=action.object_type, undoes=action, reason=reason.strip()
    )


def undo_of(action: BulkAction) -> Undo | None:
    """How an action would be undone; None where it cannot be, did nothing, was undone or is not finished."""
    undoing = VERBS[action.verb].undo if action.verb in VERBS else None
    if undoing is None or not action.finished_at or not action.done or action.undone_by.exists():
        return None
    return undoing(action)


def sentence(action: BulkAction) -> str:
    """What an action has done so far: "12 retried, 3 skipped: already completed"."""
    return told(action.verb, action.done, action.why)


def _check(verb: str, rows: QuerySet, reason: str) -> None:
    if verb not in VERBS or rows.model not in VERBS[verb].models:
        raise ValueError(f"{verb} is nothing that is done to {rows.model._meta.model_name}")
    if VERBS[verb].needs_reason and not reason.strip():
        raise Refused(_("Say why; the audit log keeps it."))


def _pieces(ids: list[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(ids), PIECE):
        yield ids[start : start + PIECE]


def _begin(
    actor: Actor, verb: str, groups: list[tuple[list[Any], Any]], token: UUID | None, **fields: Any
) -> BulkAction:
    total = sum(len(ids) for ids, _given in groups)
    who = {"actor_id": actor.user_id, "actor_name": actor.name, "source": actor.source}
    with transaction.atomic():
        values = {"verb": verb, "total": total, **who, **fields}
        action, is_new = (
            BulkAction.objects.get_or_create(token=token, defaults=values)
            if token
            else (BulkAction.objects.create(**values), True)
        )
        if not is_new:
            return action
        BulkPiece.objects.bulk_create(
            [
                BulkPiece(action=action, number=number, ids=[_as_json(pk) for pk in ids], parameters=given)
                for number, (ids, given) in enumerate(groups, 1)
            ],
            batch_size=500,
        )
        told_of = {
            "rows": total,
            "selection": action.selection,
            "undoes": action.undoes_id,
            **action.parameters,
        }
        entry = Entry(
            f"bulk_{verb}"[:40],
            action.object_type,
            after={k: v for k, v in told_of.items() if v not in ("", None)},
            object_id=f"action {action.pk}",
        )
        record(actor, [entry], action.reason)
        if total <= AT_ONCE:
            run(action)
        notify.hint_on_commit(notify.WORK, notify.CHANGED)
    action.refresh_from_db()
    return action


def _as_json(pk: Any) -> Any:
    return pk if isinstance(pk, int) else str(pk)


def run(action: BulkAction) -> None:
    """Do all that is left of an action, here and now."""
    while step(action.pk):
        pass


def finish(action: BulkAction) -> None:
    """Do what is left, here, beside workers that may be at it too, and return when nothing is."""
    while action.finished_at is None:
        if not step(action.pk):
            time.sleep(BESIDE_SECONDS)
        action.refresh_from_db()


def step(only: int | None = None) -> bool:
    """Do one piece of the open action that has waited longest (or of this one); whether there was one. One transaction.

    An action that somebody else is at is passed by; one whose process died is where it was before its last piece.
    """
    with transaction.atomic():
        found = BulkAction.objects.select_for_update(skip_locked=True).filter(finished_at=None)
        if only is not None:
            found = found.filter(pk=only)
        elif maintenance.sentence():
            found = found.exclude(verb__in=maintenance.HANDS_IN)
        action = found.order_by(F("touched_at").asc(nulls_first=True), "id").first()
        if action is None:
            return False
        piece = action.pieces.filter(finished_at=None).order_by("number").first()
        if piece is not None:
            _do(action, piece)
        is_over = (
            action.state != BulkAction.State.FAILED and not action.pieces.filter(finished_at=None).exists()
        )
        if is_over:
            action.state = BulkAction.State.DONE
        action.touched_at = NOW
        if action.state in (BulkAction.State.DONE, BulkAction.State.FAILED):
            action.finished_at = NOW
        action.save(update_fields=("state", "done", "skipped", "why", "error", "touched_at", "finished_at"))
        notify.hint_on_commit(notify.CHANGED)
    return True


def _do(action: BulkAction, piece: BulkPiece) -> None:
    """Do a piece. What goes wrong is told on the action's page, and ends the action: a worker has other work."""
    action.state = BulkAction.State.RUNNING
    model = MODELS[action.object_type]
    call = Call(
        Actor(action.actor_name, action.actor_id, action.source), model, native(model, piece.ids), action.reason,
        {**action.parameters, **(piece.parameters or {})},
    )  # fmt: skip
    try:
        # Reasons are stored in English, and translated for whoever reads them
        with transaction.atomic(), override("en"):
            did = VERBS[action.verb].run(call)
            _log(action, model, did)
    except Refused as refusal:
        action.state, action.error = BulkAction.State.FAILED, refusal.message
        return
    except AWAY:
        raise
    except Exception as error:
        log.exception("Action %d cannot go on.", action.pk)
        action.state, action.error = BulkAction.State.FAILED, f"{type(error).__name__}: {error}"[:500]
        return
    _note(action, piece, did)


def _log(action: BulkAction, model: Any, did: Did) -> None:
    """The history that Django's admin shows on each row's page."""
    if action.actor_id and did.outcome.done:
        message = f"{action.verb}: {action.reason}" if action.reason else action.verb
        rows = model.objects.filter(pk__in=did.outcome.done)
        LogEntry.objects.log_actions(action.actor_id, rows, CHANGE, message, single_object=False)


def _note(action: BulkAction, piece: BulkPiece, did: Did) -> None:
    piece.done = [_as_json(pk) for pk in did.outcome.done]
    piece.skipped = {str(pk): str(why) for pk, why in did.outcome.skipped.items()}
    piece.before, piece.finished_at = did.before, NOW
    piece.save(update_fields=("done", "skipped", "before", "finished_at"))
    action.done += len(piece.done)
    action.skipped += len(piece.skipped)
    action.why = dict(Counter(action.why) + Counter(piece.skipped.values()))
