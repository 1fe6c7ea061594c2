"""The switch for maintenance: nothing is taken in and nothing is started, what runs ends, and every page says so."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from tasks import notify, queue
from tasks.audit import Actor, Entry, record
from tasks.models import Agent, Attempt, Client, Switches

HANDS_IN = frozenset({"retry", "reprocess"})
"""Verbs that make new work; those in the background wait until the maintenance is over."""
MOST_NAMES = 20


@dataclass(frozen=True, slots=True)
class Maintenance:
    """One that is on: since when, why, and how many attempts have not ended yet."""

    since: datetime
    reason: str
    running: int


def now() -> Maintenance | None:
    """The maintenance that is on; None: none."""
    switches = Switches.objects.exclude(maintenance_since=None).first()
    if switches is None or switches.maintenance_since is None:
        return None
    running = Attempt.objects.filter(ended_at=None).count()
    return Maintenance(switches.maintenance_since, switches.maintenance_reason, running)


def sentence() -> str:
    """Why nothing is taken in at the moment, and what to do; empty: it is."""
    switches = Switches.objects.exclude(maintenance_since=None).first()
    if switches is None:
        return ""
    reason = f" ({switches.maintenance_reason})" if switches.maintenance_reason else ""
    return _("Nothing is taken in during maintenance%(reason)s. Try again when it is over.") % {
        "reason": reason
    }


def paused() -> list[str]:
    """Names of what operators have paused."""
    switches = Switches.objects.get()
    names = [_("everything, for maintenance")] if switches.maintenance_since else []
    names += [_("everything")] if switches.is_paused else []
    names += Agent.objects.filter(is_paused=True).values_list("name", flat=True)[:MOST_NAMES]
    return names + list(Client.objects.filter(is_paused=True).values_list("name", flat=True)[:MOST_NAMES])


def begin(actor: Actor, reason: str = "") -> bool:
    """Take nothing in and start nothing more; what was paused stays paused after it. Whether it was not on already."""
    return _switch(actor, True, reason)


def end(actor: Actor, reason: str = "") -> bool:
    """Take in and start again. Whether it was on."""
    return _switch(actor, False, reason)


def _switch(actor: Actor, on: bool, reason: str) -> bool:
    with transaction.atomic():
        done = bool(
            queue.changed(queue.connection(), "switch_maintenance", on=on, reason=reason if on else "")
        )
        if done:
            verb = "begin_maintenance" if on else "end_maintenance"
            record(
                actor, [Entry(verb, "everything", "", {"maintenance": not on}, {"maintenance": on})], reason
            )
            notify.hint_on_commit(notify.WORK, notify.CHANGED)
    return done
