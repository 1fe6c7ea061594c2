"""Sends notices, outside of any transaction, each until it is taken or has been tried for half a day.

A notice is taken by moving its next try into the future in one guarded statement, so that of all replicas one sends it. Whoever dies
while sending leaves it to that next try; the key of a notice stays the same, so that a receiver counts it once.
"""

from __future__ import annotations

import logging
import time
from datetime import UTC, timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.utils.translation import gettext as _
from pydantic_core import to_json

from tasks import outward
from tasks.agent import signatures
from tasks.audit import Actor, Entry, record
from tasks.changes import Outcome
from tasks.clock import NOW
from tasks.models import Notice
from tasks.outward import Unanswered

log = logging.getLogger(__name__)

MOST_PER_ROUND = 20
ANSWER_SECONDS = 10.0
"""From the first byte sent to the last one read: a receiver that drips must not hold up the messages behind it."""
FIRST_PAUSE_SECONDS, MOST_PAUSE_SECONDS, MOST_TRIES = 60.0, 3600.0, 18
"""A minute, two, four … up to an hour: the last try is about half a day after the first."""
KEEP_DAYS = 90


class NotSent(Exception):
    """Why a message did not leave, in words that hold no address and no secret."""


def send_due() -> int:
    """Send what is due, one after the other; how many were tried."""
    tried = 0
    while tried < MOST_PER_ROUND and (notice := _take()):
        tried += 1
        try:
            CHANNELS[notice.channel](notice)
        except Exception as error:  # noqa: BLE001 - whatever mail and network raise: it is told, and tried again
            _failed(notice, error)
        else:
            Notice.objects.filter(pk=notice.pk).update(sent_at=NOW, error="")
    return tried


def again(ids: list[int]) -> Outcome:
    """Try what was given up, or waits for its next try, at once; what was sent is skipped."""
    done = list(Notice.objects.filter(pk__in=ids, sent_at=None).values_list("pk", flat=True))
    Notice.objects.filter(pk__in=done, sent_at=None).update(given_up_at=None, tries=0, next_try_at=NOW)
    return Outcome(done, {pk: _("sent already") for pk in ids if pk not in done})


def prune() -> None:
    """What was sent or given up long ago goes; alerts stay, they are few."""
    Notice.objects.filter(created_at__lt=NOW - timedelta(days=KEEP_DAYS)).exclude(
        sent_at=None, given_up_at=None
    ).delete()


def pause_seconds(tries: int) -> float:
    """How long after the n-th try the next one comes."""
    return min(MOST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (tries - 1))


def _take() -> Notice | None:
    with transaction.atomic():
        notice = (
            Notice.objects.select_for_update(skip_locked=True)
            .filter(sent_at=None, given_up_at=None, next_try_at__lte=NOW)
            .order_by("next_try_at", "id")
            .first()
        )
        if notice is not None:
            notice.tries += 1
            notice.next_try_at = NOW + timedelta(seconds=pause_seconds(notice.tries))
            notice.save(update_fields=("tries", "next_try_at"))
    return notice


def _failed(notice: Notice, error: Exception) -> None:
    told = (str(error) if isinstance(error, NotSent) else type(error).__name__)[:300]
    log.warning("Notice %d was not sent by %s (try %d): %s", notice.pk, notice.channel, notice.tries, told)
    given_up = notice.tries >= MOST_TRIES
    with transaction.atomic():
        Notice.objects.filter(pk=notice.pk).update(error=told, **({"given_up_at": NOW} if given_up else {}))
        if given_up:
            entry = Entry(
                "give_up", "notice", str(notice.pk), after={"channel": notice.channel, "error": told}
            )
            record(Actor.system("alerts"), [entry])


def _email(notice: Notice) -> None:
    message = EmailMessage(notice.subject, notice.text, to=notice.recipients)
    message.extra_headers["X-Agentaudit-Notice"] = notice.key.hex
    message.send()


def _webhook(notice: Notice) -> None:
    """After the Standard Webhooks specification. Raises NotSent where it was not taken."""
    address, secret = settings.ALERT_WEBHOOK_URL, settings.ALERT_WEBHOOK_SECRET
    if not address:
        raise NotSent("ALERT_WEBHOOK_URL is not set any more")
    body = to_json(
        {
            "type": notice.event,
            "timestamp": notice.created_at.astimezone(UTC).isoformat(),
            "data": notice.data,
        }
    )
    signed = signatures.headers(secret, notice.key.hex, int(time.time()), body)
    headers = {**signed, "Content-Type": "application/json"}
    try:
        said = outward.ask("POST", address, seconds=ANSWER_SECONDS, headers=headers, body=body)
    except Unanswered as unanswered:
        raise NotSent(f"the other side cannot be reached: {unanswered}") from None
    if not 200 <= said.status < 300:
        raise NotSent(f"the other side answered {said.status}")


CHANNELS = {"email": _email, "webhook": _webhook}
