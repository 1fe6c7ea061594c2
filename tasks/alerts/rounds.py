"""One look at every rule: alerts open, go on and end, and whoever is to be told is told once, however many processes look."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max, Q
from psycopg import errors

from tasks import queue
from tasks.alerts import outbox
from tasks.alerts.findings import Findings, find
from tasks.audit import Actor, Entry, record
from tasks.clock import NOW
from tasks.models import Alert, AlertRule
from tasks.queue import AWAY

log = logging.getLogger(__name__)

EVERY_SECONDS = 15.0
"""No rule is looked at more often, whatever the number of processes that could."""
PATIENCE = "SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = '10s'"
"""What is stuck behind a lock is what alerts are about: they do not wait there themselves."""
STUCK = (errors.LockNotAvailable, errors.QueryCanceled)
ACTOR = Actor.system("alerts")


def look() -> int:
    """Look at the rules whose turn it is; how many these were. A short transaction per rule, nothing outside the database is called.

    A rule belongs to who holds its row: replicas pass it by, and `looked_at` says when it was done last.
    """
    looked = 0
    while _one():
        looked += 1
    _end_of_switched_off()
    return looked


def _one() -> bool:
    with transaction.atomic():
        due = Q(looked_at=None) | Q(looked_at__lte=NOW - timedelta(seconds=EVERY_SECONDS))
        rule = (
            AlertRule.objects.select_for_update(skip_locked=True)
            .filter(due, is_on=True)
            .annotate(now=NOW)
            .order_by("id")
            .first()
        )
        if rule is None:
            return False
        AlertRule.objects.filter(pk=rule.pk).update(looked_at=NOW)
        try:
            with transaction.atomic():
                queue.connection().execute(PATIENCE)
                settle(rule, find(rule, rule.now), rule.now)
        except Exception as error:  # one rule that cannot be looked at must not silence the others
            if isinstance(error, AWAY) and not isinstance(error, STUCK):
                raise
            log.exception("The alert rule %d (%s) could not be looked at.", rule.pk, rule.kind)
    return True


def settle(rule: AlertRule, found: Findings, now: datetime) -> None:
    """Make the open alerts of a rule those that were found, and tell whom that concerns. Inside a transaction that holds the rule's row."""
    open_now = {alert.subject: alert for alert in rule.alerts.filter(ended_at=None)}
    for subject in open_now.keys() - found.keys():
        _end(open_now.pop(subject), now)
    for subject, sentence in found.items():
        alert = open_now.get(subject) or _begin(rule, subject, sentence, now)
        if alert.sentence != sentence:
            alert.sentence = sentence
            alert.save(update_fields=("sentence",))
        if alert.told_at is None or alert.told_at <= now - timedelta(minutes=rule.quiet_minutes):
            _tell(alert, now)


def _begin(rule: AlertRule, subject: str, sentence: str, now: datetime) -> Alert:
    """An alert that comes back within the quiet time of an earlier one is shown, and not told of before that is over."""
    told = Alert.objects.filter(rule=rule, subject=subject).aggregate(at=Max("told_at"))["at"]
    alert = Alert.objects.create(rule=rule, subject=subject, sentence=sentence, started_at=now, told_at=told)
    record(
        ACTOR, [Entry("alert", "alertrule", str(rule.pk), after={"subject": subject, "sentence": sentence})]
    )
    return alert


def _tell(alert: Alert, now: datetime) -> None:
    again = alert.told_at is not None and alert.told_at >= alert.started_at
    alert.told_at = now
    alert.save(update_fields=("told_at",))
    outbox.about(alert, "alert.repeated" if again else "alert.fired")


def _end(alert: Alert, now: datetime) -> None:
    """Who was told of it is told that it is over."""
    alert.ended_at = now
    alert.save(update_fields=("ended_at",))
    record(ACTOR, [Entry("recover", "alertrule", str(alert.rule_id), after={"subject": alert.subject})])
    if alert.told_at is not None and alert.told_at >= alert.started_at:
        outbox.about(alert, "alert.recovered")


def _end_of_switched_off() -> None:
    """A rule that is off has no open alerts, and nobody needs to be told so."""
    Alert.objects.filter(ended_at=None, rule__is_on=False).update(ended_at=NOW)


def open_alerts() -> list[Alert]:
    """What is wrong at this moment, the oldest first."""
    return list(Alert.objects.filter(ended_at=None).select_related("rule").order_by("started_at", "id"))


def extractions_ended() -> int:
    """Write to those who wait for extractions that have ended; how many messages."""
    with transaction.atomic():
        rows = queue.rows(queue.connection(), "alert_extractions_ended")
        return sum(outbox.ended(row.extraction_id, row.user_id) for row in rows)
