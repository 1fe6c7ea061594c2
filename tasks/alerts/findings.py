"""What each kind of rule looks at, and what it finds: a subject that stays the same while it lasts, and a sentence."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks import queue, spending
from tasks.models import AlertRule

Findings = dict[str, str]
"""Subject → sentence. The subject tells two findings of one rule apart, and is empty where there can be only one."""
FEWEST_ENDED = 10
"""Of fewer tasks no share is told: one failure of one task is no failure rate."""
MOST_SILENT = 100


def find(rule: AlertRule, now: datetime) -> Findings:
    """What holds now. `now`: the database's clock."""
    return KINDS[rule.kind](rule, now)


def minutes(since: datetime, now: datetime) -> str:
    """A span for people, to the minute."""
    number = max(0, int((now - since).total_seconds() // 60))
    return ngettext("%(number)d minute", "%(number)d minutes", number) % {"number": number}


def _waiting(rule: AlertRule, now: datetime) -> Findings:
    rows = queue.rows(queue.connection(), "alert_waiting", seconds=rule.minutes * 60)
    return {
        f"agent {row.id}": _("The oldest waiting task of %(agent)s has waited for %(time)s.")
        % {"agent": row.name, "time": minutes(row.since, now)}
        for row in rows
    }


def _failures(rule: AlertRule, now: datetime) -> Findings:
    rows = queue.rows(
        queue.connection(),
        "alert_failures",
        seconds=rule.minutes * 60,
        percent=rule.percent,
        least=FEWEST_ENDED,
    )
    sentence = _("%(failed)d of the %(ended)d tasks that %(agent)s ended in the last %(minutes)d minutes failed (%(percent)d %%).")  # fmt: skip
    return {
        f"agent {row.id}": sentence
        % {
            "failed": row.failed, "ended": row.ended, "agent": row.name, "minutes": rule.minutes, "percent": row.failed * 100 // row.ended,
        }
        for row in rows
    }  # fmt: skip


def _workers(rule: AlertRule, now: datetime) -> Findings:
    """A process that was told to stop counts from then on; where there never was one, from the first task that waits."""
    db = queue.connection()
    [row] = queue.rows(db, "alert_workers", seconds=rule.minutes * 60)
    since = row.heard_at or queue.rows(db, "alert_first_waiting")[0].since
    if row.alive or since is None or (now - since).total_seconds() < rule.minutes * 60:
        return {}
    if row.heard_at is None:
        return {"": _("No worker has ever been alive, and a task has waited for %(time)s.") % {"time": minutes(since, now)}}  # fmt: skip
    return {"": _("No worker has been alive for %(time)s.") % {"time": minutes(since, now)}}


def _claims(rule: AlertRule, now: datetime) -> Findings:
    [row] = queue.rows(queue.connection(), "alert_claims", seconds=rule.minutes * 60)
    if row.since is None:
        return {}
    sentence = _("Work has been ready for %(time)s, and no attempt was begun for %(minutes)d minutes.")
    return {"": sentence % {"time": minutes(row.since, now), "minutes": rule.minutes}}


def _silent(rule: AlertRule, now: datetime) -> Findings:
    rows = queue.silent_attempts(queue.connection(), rule.minutes * 60, MOST_SILENT)
    if not rows:
        return {}
    number = f"{len(rows)}+" if len(rows) == MOST_SILENT else str(len(rows))
    sentence = ngettext(
        "%(number)s run has not been heard of for %(minutes)d minutes: that of task %(task)d.",
        "%(number)s runs have not been heard of for %(minutes)d minutes, longest that of task %(task)d.",
        len(rows),
    )
    return {"": sentence % {"number": number, "minutes": rule.minutes, "task": rows[0].task_id}}


def _budget(rule: AlertRule, now: datetime) -> Findings:
    """The subject holds the amount, so that a limit that is raised and reached again is told of again."""
    sentences = {
        "warn": _("%(holder)s %(name)s has reached its warning level of %(usd)s USD per %(period)s."),
        "stop": _("%(holder)s %(name)s has reached its limit of %(usd)s USD per %(period)s: nothing more of it is started."),
    }  # fmt: skip
    words = {"agent": _("Agent"), "client": _("Client"), "day": _("day"), "month": _("month")}
    return {
        f"{row.holder} {row.holder_id} {row.period} {row.level} {row.limit_usd}": sentences[row.level]
        % {
            "holder": words[row.holder], "name": row.name, "usd": spending.money(row.limit_usd), "period": words[row.period],
        }
        for row in queue.rows(queue.connection(), "alert_budget")
    }  # fmt: skip


KINDS: dict[str, Callable[[AlertRule, datetime], Findings]] = {
    "waiting": _waiting,
    "failures": _failures,
    "workers": _workers,
    "claims": _claims,
    "silent": _silent,
    "budget": _budget,
}
