"""Takes one authenticated callback: each message once, its event applied, the word that its sender gets.

What a sender can do wrong is a `Rejected` with the HTTP status and one sentence; nothing of it changes any state.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from pydantic import ValidationError

from tasks import events, faults, notify, queue
from tasks.agent import signatures
from tasks.agent.contract import Completed, Failed, Progress, Result, Started, parse_event, row_name
from tasks.audit import Actor, Entry, record
from tasks.changes import Outcome
from tasks.clock import database_seconds
from tasks.events import News
from tasks.orders import callback_secrets, outcome_name
from tasks.outcomes import Word
from tasks.queue import AWAY, inbox
from tasks.storage import NotStored, StorageError, get_storage

log = logging.getLogger(__name__)

MOST_RESULT_BYTES = 16 * 2**20
MOST_OUTCOME_BYTES = 2 * MOST_RESULT_BYTES
"""A result within its envelope, where quotation marks take two bytes."""


class Rejected(Exception):
    """An HTTP status (4xx), a reason in a word for the counters, and one sentence for the sender."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status, self.reason, self.message = status, reason, message


@dataclass(frozen=True, slots=True)
class Message:
    """An authenticated callback, as it came."""

    attempt: UUID
    webhook_id: str
    body: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.body).hexdigest()


def authenticate(attempt: UUID, headers: Any, body: bytes) -> Message:
    """The message, if its signature is this attempt's own and its time is now. Raises Rejected (401)."""
    try:
        return Message(
            attempt, signatures.verify(callback_secrets(attempt), headers, body, database_seconds()), body
        )
    except signatures.SignatureError as error:
        raise Rejected(401, error.reason, error.message) from None


def receive(message: Message) -> Word:
    """Apply the message's event, durably, and say what became of it. Raises Rejected (404, 409, 422)."""
    event = _event(message)
    if isinstance(event, Completed | Failed):
        return _settle(message, _with_result(event))
    return _note(message, event)


def _event(message: Message) -> Started | Progress | Completed | Failed:
    try:
        event = parse_event(message.body)
    except ValidationError as error:
        raise Rejected(422, "invalid", _first_fault(error)) from None
    if event.attempt != message.attempt:
        raise Rejected(422, "invalid", "attempt: the body names another attempt than the address.")
    return event


def _outcome(message: Message) -> Completed | Failed | None:
    """The terminal event of a message that is kept, its result read; None if it is another event. Raises Rejected."""
    event = _event(message)
    return _with_result(event) if isinstance(event, Completed | Failed) else None


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(str(part) for part in fault["loc"])
    return f"{where}: {fault['msg']}." if where else f"{fault['msg']}."


def _with_result(event: Completed | Failed) -> Completed | Failed:
    """A result that was sent by reference is read from our own storage or our own table, and from nowhere else."""
    if isinstance(event, Failed) or (event.result is not None and not event.result_uri):
        return event
    if event.result is None and event.result_uri == row_name(event.attempt):
        return _with_inserted_result(event)
    prefix = f"attempts/{event.attempt}"
    if event.result is not None or not event.result_uri.startswith(prefix) or not event.result_sha256:
        raise Rejected(
            422,
            "invalid",
            f"result_uri: send either a result, or a name that begins with {prefix} and its result_sha256.",
        )
    try:
        with get_storage().open(event.result_uri) as file:
            body = file.read(MOST_RESULT_BYTES + 1)
    except StorageError as error:
        raise Rejected(422, "invalid", f"result_uri: {error}") from None
    if len(body) > MOST_RESULT_BYTES:
        raise Rejected(422, "invalid", f"result_uri: a result has at most {MOST_RESULT_BYTES} bytes.")
    if not constant_time_compare(hashlib.sha256(body).hexdigest(), event.result_sha256):
        raise Rejected(422, "invalid", "result_sha256: the stored result has another checksum.")
    try:
        return event.model_copy(update={"result": Result.model_validate_json(body), "result_uri": ""})
    except ValidationError as error:
        raise Rejected(422, "invalid", f"result: {_first_fault(error)}") from None


def _with_inserted_result(event: Completed) -> Completed:
    """With the result of the attempt's row. That it is the one which is meant, the digest says; that it is the attempt's own, its signature."""
    row = inbox.inserted_result(queue.connection(), event.attempt, MOST_OUTCOME_BYTES)
    message = _signed(event.attempt, row.encode()) if row else None
    if message is None:
        raise Rejected(422, "invalid", "result_uri: there is no row that this attempt has signed.")
    if not constant_time_compare(message.sha256, event.result_sha256):
        raise Rejected(422, "invalid", "result_sha256: the inserted result has another checksum.")
    kept = _event(message)
    if not isinstance(kept, Completed) or kept.result is None:
        raise Rejected(422, "invalid", "result_uri: the row holds no result.")
    return event.model_copy(update={"result": kept.result, "result_uri": ""})


def _settle(message: Message, event: Completed | Failed) -> Word:
    word = queue.retried(partial(_settle_once, message, event))
    faults.point("callback:committed")
    notify.hint(notify.CHANGED, notify.WORK)
    return word


def _settle_once(message: Message, event: Completed | Failed) -> Word:
    """One transaction: the delivery's row, and what its event does to attempt and task."""
    began = time.monotonic()
    db = queue.connection()
    with queue.pipelined(db), db.transaction():  # what is only written travels with what is waited for
        delivery = inbox.begin_callback(
            db, attempt=message.attempt, webhook_id=message.webhook_id, sha256=message.sha256, size=len(message.body),
            event=event.type, body=message.body,
        )  # fmt: skip
        _check(delivery, message)
        if not delivery.fresh:
            return Word.DUPLICATE
        word = events.apply(db, [News(message.attempt, event)])[message.attempt]
        inbox.end_callback(
            db, delivery=delivery.id, outcome=word, milliseconds=(time.monotonic() - began) * 1000
        )
        faults.point("callback:before_commit")
    return word


def _note(message: Message, event: Started | Progress) -> Word:
    progress = event if isinstance(event, Progress) else None
    usage = progress.usage if progress else None
    found = inbox.note_callback(
        queue.connection(), attempt=message.attempt, webhook_id=message.webhook_id, sha256=message.sha256, size=len(message.body),
        event=event.type, hurry=progress is None,
        run_id=getattr(event, "run_id", ""), run_page_url=getattr(event, "run_page_url", ""),
        pages_done=progress.pages_done if progress else None, pages_total=progress.pages_total if progress else None,
        model=usage.model if usage else "", input=usage.input_tokens if usage else None, output=usage.output_tokens if usage else None,
        cache_read=usage.cache_read_tokens if usage else None, cache_write=usage.cache_write_tokens if usage else None,
    )  # fmt: skip
    if found is not None and found.fresh is None:
        # Too soon after the last one: the next says more
        return Word.STALE if found.finished else Word.APPLIED
    _check(found, message)
    if not found.fresh:
        return Word.DUPLICATE
    if found.is_news:
        queue.name_runs(queue.connection(), [message.attempt])
    notify.hint(notify.CHANGED)
    return Word.STALE if found.finished else Word.APPLIED


def _check(found: Any, message: Message) -> None:
    if found is None:
        raise Rejected(404, "unknown", "There is no such attempt.")
    if not found.fresh and found.body_sha256 != message.sha256:
        raise Rejected(
            409,
            "conflict",
            "This message id was used for another body before; use a new id for a new message.",
        )


def apply_again(actor: Actor, deliveries: Iterable[int], reason: str = "") -> Outcome:
    """Apply stored deliveries once more, as an operator asks for after a fault of ours was mended. Each is its own transaction."""
    outcome = Outcome()
    for delivery in deliveries:
        stored = inbox.stored_callback(queue.connection(), delivery)
        try:
            event = (
                _outcome(Message(stored.attempt, stored.webhook_id, bytes(stored.body))) if stored else None
            )
        except Rejected as rejected:
            outcome.skipped[delivery] = rejected.message
            continue
        if event is None:
            outcome.skipped[delivery] = _("its body is not kept")
            continue
        with transaction.atomic():
            word = events.apply_event(queue.connection(), event)
            told = {"attempt": str(event.attempt), "event": event.type, "outcome": word and str(word)}
            record(actor, [Entry("apply_again", "delivery", str(delivery), after=told)], reason)
        if word in (Word.APPLIED, Word.ALREADY_TERMINAL):
            outcome.done.append(delivery)
        else:
            outcome.skipped[delivery] = _("it changes nothing (%(word)s)") % {
                "word": word or "no such attempt"
            }
    if outcome.done:
        notify.hint(notify.CHANGED, notify.WORK)
    return outcome


class Refusals:
    """Counts refused deliveries in this process and writes the counts at most once a second, however many are forged.

    What was counted last waits for the next delivery of any kind; a process that ends may lose the counts of one second.
    """

    def __init__(self, seconds: float = 1.0) -> None:
        self.seconds = seconds
        self._counts: dict[str, tuple[int, UUID]] = {}
        self._written_at = float("-inf")
        self._lock = threading.Lock()

    def count(self, reason: str, attempt: UUID) -> None:
        with self._lock:
            self._counts[reason] = (self._counts.get(reason, (0, attempt))[0] + 1, attempt)

    def write_due(self) -> None:
        """Write what there is, if the last time is long enough ago. Never raises for a database that is away."""
        with self._lock:
            if not self._counts or time.monotonic() - self._written_at < self.seconds:
                return
            counts, self._counts, self._written_at = self._counts, {}, time.monotonic()
        try:
            for reason, (count, attempt) in sorted(counts.items()):
                inbox.count_refusal(queue.connection(), reason=reason, attempt=attempt, count=count)
        except AWAY as error:
            log.warning("%d refused callbacks could not be counted (%s).", len(counts), type(error).__name__)


refusals = Refusals()


def written_outcome(attempt: UUID, *, certain: bool = False) -> Completed | Failed | None:
    """The last word of an attempt as its outcome file in the storage says it; None if there is no such file, or none to believe.

    Asked outside of any transaction, wherever an attempt has gone silent: what was paid for is not paid for again.
    certain: a storage that cannot say whether there is one raises StorageError.
    """
    try:
        with get_storage().open(outcome_name(attempt)) as file:
            content = file.read(MOST_OUTCOME_BYTES + 1)
    except NotStored:
        return None
    except (StorageError, OSError):
        if certain:
            raise
        return None
    event = signed_outcome(attempt, content) if len(content) <= MOST_OUTCOME_BYTES else None
    if event is None:
        log.warning(
            "The outcome file of attempt %s is not signed by it, or holds no outcome; it is not used.",
            attempt,
        )
    return event


def left_outcome(attempt: UUID) -> Completed | Failed | None:
    """The same, wherever an attempt may have left it: as a row that its run inserted, or else as its file.

    Rows are looked for whatever RESULT_TRANSPORT is now: a run goes by what it was when its order was made. Only runs of a job insert any.
    """
    if settings.DATABRICKS_JOB_ID:
        row = inbox.inserted_result(queue.connection(), attempt, MOST_OUTCOME_BYTES)
        if row and (event := signed_outcome(attempt, row.encode())):
            return event
        if row:
            log.warning(
                "The row of attempt %s is not signed by it, or holds no outcome; it is not used.", attempt
            )
    return written_outcome(attempt)


def signed_outcome(attempt: UUID, content: bytes) -> Completed | Failed | None:
    """What a signed outcome says, of a file or a row; None if it is not signed by its own attempt, or is no outcome. It may be old."""
    message = _signed(attempt, content)
    try:
        return _outcome(message) if message else None
    except Rejected:
        return None


def _signed(attempt: UUID, content: bytes) -> Message | None:
    """The message within a kept envelope, if this attempt has signed it."""
    envelope = _envelope(content)
    if envelope is None:
        return None
    headers, body = envelope
    try:
        signatures.verify(callback_secrets(attempt), headers, body, None)
    except signatures.SignatureError:
        return None
    return Message(attempt, headers[signatures.ID], body)


def _envelope(content: bytes) -> tuple[dict[str, str], bytes] | None:
    try:
        outer = json.loads(content)
        headers = {str(name).lower(): str(value) for name, value in outer["headers"].items()}
        return headers, str(outer["body"]).encode()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
