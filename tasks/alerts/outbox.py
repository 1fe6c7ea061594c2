"""Writes the messages that are to leave: to whom, and in which words. Sending them is `delivery`'s."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import Count, Q

from tasks.access import visible_to
from tasks.models import Alert, AlertRule, Extraction, Notice, Task

EVENTS = {
    "alert.fired": "ALERT",
    "alert.repeated": "STILL",
    "alert.recovered": "OVER",
    "alert.test": "TEST",
    "extraction.ended": "DONE",
}
"""Event → the first word of its subject."""
MOST_SUBJECT = 200


def places() -> list[str]:
    """The channels by which alerts go out; empty: they are seen on the pages only."""
    by_mail = settings.CAN_MAIL and settings.ALERT_EMAILS
    return ["email"] * bool(by_mail) + ["webhook"] * bool(settings.ALERT_WEBHOOK_URL)


def about(alert: Alert, event: str) -> None:
    """One notice per channel about an alert, in the transaction that changes it."""
    data: dict[str, Any] = {
        "rule": alert.rule.kind, "subject": alert.subject, "sentence": alert.sentence, "since": alert.started_at.isoformat(),
        "ended": alert.ended_at.isoformat() if alert.ended_at else None, "url": _page("operations"),
    }  # fmt: skip
    lines = [alert.sentence, f"Since: {alert.started_at:%Y-%m-%d %H:%M} UTC"]
    if alert.ended_at:
        lines.append(f"Over since: {alert.ended_at:%Y-%m-%d %H:%M} UTC")
    lines.append(f"Rule: {alert.rule}; no word of the same for {alert.rule.quiet_minutes} minutes.")
    _write(event, alert.sentence, [*lines, _page("operations")], data, alert=alert)


def test(rule: AlertRule) -> int:
    """A message to every place, which says that it is a test; how many."""
    sentence = f"This is a test of the rule: {rule}."
    return _write(
        "alert.test", sentence, [sentence, "Nothing is wrong."], {"rule": rule.kind, "sentence": sentence}
    )


def ended(extraction: int, user: int) -> bool:
    """Tell a person that an extraction has ended, unless they may not see it any more or have no address. Whether they are told."""
    person = get_user_model().objects.filter(pk=user, is_active=True).exclude(email="").first()
    if (
        person is None
        or not settings.CAN_MAIL
        or not visible_to(person, Extraction.objects.filter(pk=extraction))
    ):
        return False
    counts = Task.objects.filter(extraction=extraction).aggregate(
        total=Count("pk"),
        failed=Count("pk", filter=Q(status="failed")),
        review=Count("pk", filter=Q(needs_review=True, status="completed")),
    )
    sentence = f"Extraction {extraction} has ended"
    text = "{total} documents, {failed} failed, {review} to review.".format_map(counts)
    lines = [f"{sentence}: {text}", _page(f"extractions/{extraction}")]
    Notice.objects.create(
        channel="email", event="extraction.ended", recipients=[person.email], subject=_subject("extraction.ended", f"{sentence}: {text}"),
        text="\n".join(lines),
    )  # fmt: skip
    return True


def _write(
    event: str, sentence: str, lines: list[str], data: dict[str, Any], alert: Alert | None = None
) -> int:
    notices = [
        Notice(
            channel=channel, event=event, alert=alert, subject=_subject(event, sentence), text="\n".join(lines), data=data,
            recipients=settings.ALERT_EMAILS if channel == "email" else [],
        )
        for channel in places()
    ]  # fmt: skip
    return len(Notice.objects.bulk_create(notices))


def _subject(event: str, sentence: str) -> str:
    """One line, whatever names are in it."""
    return f"[agentaudit] {EVENTS[event]}: {' '.join(sentence.split())}"[:MOST_SUBJECT]


def _page(path: str) -> str:
    return f"{settings.PUBLIC_URL}/{path}/"
