"""Posts an attempt's events to the orchestrator, signed, until they are taken: for runs that have no pipe to their worker."""

from __future__ import annotations

import hashlib
import logging
import random
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from tasks.agent import signatures
from tasks.agent.contract import Completed, Event, Failed, Order, Result

log = logging.getLogger(__name__)

MOST_BODY_BYTES = 256 * 2**10
ANSWER_SECONDS = 15.0
FIRST_PAUSE_SECONDS, MOST_PAUSE_SECONDS, PAUSE_DOUBLINGS = 0.5, 60.0, 10
NOTE_SECONDS = 0.5
"""No more than one start or progress event in so long: the orchestrator keeps no more than two a second."""
TRIED_AGAIN = frozenset({408, 425, 429})
"""Of the answers below 500, those after which the same message may be taken later. A redirect is never followed."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A signed message goes to the address that it was meant for, or nowhere."""

    def redirect_request(self, *_args: object, **_kwargs: object) -> None:
        return None


class Sender:
    """Sends in order. A terminal event is sent again, with the same id, until it is taken or the attempt's time is over.

    What was read is never held up by who listens: starts and progress are sent by a thread of their own, the newest only.
    Whatever is lost here is not lost: the outcome file was written before, and the orchestrator reads it when it hears nothing.
    """

    def __init__(
        self,
        order: Order,
        *,
        bearer: Callable[[], str] | None = None,
        pause: Callable[[float], None] = time.sleep,
        patience: float = float("inf"),
    ) -> None:
        """bearer: gives the token that a proxy in front of the orchestrator wants, fresh for each try.

        patience: seconds for which an outcome is sent again and again, where waiting costs money and the outcome file is read anyway.
        """
        self._order, self._bearer, self._pause = order, bearer, pause
        self._until = time.monotonic() + order.limits.wall_seconds
        self._patience = patience
        self._opener = urllib.request.build_opener(_NoRedirects)
        self._notes: dict[str, tuple[str, Event]] = {}
        self._news, self._over = threading.Event(), threading.Event()
        self._courier: threading.Thread | None = None

    def __call__(self, event: Event) -> bool:
        """Send one event; whether it was taken. A start or progress only sets out here: True."""
        if isinstance(event, Completed | Failed):
            self._over.set()
            self._news.set()
            return self._deliver(event)
        self._notes[event.type] = (uuid4().hex, event)  # type: ignore[attr-defined]
        self._news.set()
        if self._courier is None:
            self._courier = threading.Thread(target=self._carry, name="progress", daemon=True)
            self._courier.start()
        return True

    def _deliver(self, event: Event) -> bool:
        body, message_id, failures = self._body(event), uuid4().hex, 0
        until = min(self._until, time.monotonic() + self._patience)
        while True:
            taken, wait = self._try(message_id, body)
            if taken is not None:
                return taken
            failures += 1
            wait = _pause_seconds(failures) if wait is None else wait
            if time.monotonic() + wait >= until:
                log.error("The outcome was not taken in time; where it is kept, a poll finds it.")
                return False
            self._pause(wait)

    def _carry(self) -> None:
        """Send the newest of what there is to tell, one try each, more rarely while nobody listens, until the outcome is spoken."""
        failures = 0
        while self._news.wait() and not self._over.is_set():
            self._news.clear()
            for kind in sorted(self._notes, reverse=True):  # a start before progress
                message_id, event = self._notes.pop(kind)
                taken, wait = self._try(message_id, self._body(event))
                if taken is None:
                    failures += 1
                    self._notes.setdefault(kind, (message_id, event))
                    self._news.set()
                    self._over.wait(_pause_seconds(failures) if wait is None else wait)
                    break
                failures = 0
            else:
                self._over.wait(NOTE_SECONDS)

    def _try(self, message_id: str, body: bytes) -> tuple[bool | None, float | None]:
        """(taken, wait): taken None asks for another try, after `wait` seconds if the other side said so."""
        try:
            request = urllib.request.Request(self._order.callback_url, body, method="POST")  # noqa: S310 - the orchestrator's own address
            signed = signatures.headers(self._order.callback_secret, message_id, int(time.time()), body)
            for name, value in {**signed, "Content-Type": "application/json"}.items():
                request.add_header(name, value)
            if self._bearer is not None:
                request.add_header("Authorization", f"Bearer {self._bearer()}")
            with self._opener.open(request, timeout=ANSWER_SECONDS):
                return True, None
        except urllib.error.HTTPError as error:
            with error:
                if error.code < 500 and error.code not in TRIED_AGAIN:
                    log.error("The orchestrator refused an event with status %d.", error.code)
                    return False, None
                return None, _retry_after(error.headers.get("Retry-After"))
        except Exception as error:  # noqa: BLE001 - broken answers, and whatever a source of tokens raises, are worth another try
            log.warning("The orchestrator cannot be reached (%s).", type(error).__name__)
            return None, None

    def _body(self, event: Event) -> bytes:
        body = event.model_dump_json().encode()
        large = len(body) > MOST_BODY_BYTES and isinstance(event, Completed) and event.result is not None
        if not (large and self._order.outcome):
            return body
        try:
            name, checksum = self._store(event.result)  # type: ignore[attr-defined]
        except OSError as error:
            log.error("The result could not be written for itself (%s).", error.strerror)
            return body
        smaller = event.model_copy(update={"result": None, "result_uri": name, "result_sha256": checksum})
        return smaller.model_dump_json().encode()

    def _store(self, result: Result) -> tuple[str, str]:
        """Write a large result beside the outcome; its name in the storage, and its SHA-256."""
        content = result.model_dump_json().encode()
        path = Path(self._order.outcome).with_name(f"{self._order.attempt}.result.json")
        path.write_bytes(content)
        return f"attempts/{path.name}", hashlib.sha256(content).hexdigest()


def _pause_seconds(failures: int) -> float:
    """Doubles, and differs between senders, so that they do not all come back together."""
    longest = min(MOST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** min(failures, PAUSE_DOUBLINGS))
    return random.uniform(0.5, 1.0) * longest  # noqa: S311


def _retry_after(value: str | None) -> float | None:
    try:
        return min(max(float(value), 0.0), 3600.0) if value else None
    except ValueError:
        return None
