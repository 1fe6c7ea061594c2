"""Posts an attempt's events to the orchestrator, signed, until they are taken: for runs that have no pipe to their worker."""

from __future__ import annotations

import hashlib
import logging
import random
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
FIRST_PAUSE_SECONDS, MOST_PAUSE_SECONDS = 0.5, 60.0
FINAL = frozenset({400, 401, 403, 404, 405, 409, 410, 413, 415, 422})
"""Answers after which the same message will never be taken."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A signed message goes to the address that it was meant for, or nowhere."""

    def redirect_request(self, *_args: object, **_kwargs: object) -> None:
        return None


class Sender:
    """Sends in order. A terminal event is sent again, with the same id, until it is taken or the attempt's time is over.

    Whatever is lost here is not lost: the outcome file was written before, and the orchestrator reads it when it hears nothing.
    """

    def __init__(
        self,
        order: Order,
        *,
        bearer: Callable[[], str] | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """bearer: gives the token that a proxy in front of the orchestrator wants, fresh for each try."""
        self._order, self._bearer, self._pause = order, bearer, pause
        self._until = time.monotonic() + order.limits.wall_seconds
        self._opener = urllib.request.build_opener(_NoRedirects)

    def __call__(self, event: Event) -> bool:
        """Send one event; whether it was taken. Progress is tried once: the next one says more."""
        patient = isinstance(event, Completed | Failed)
        body = self._body(event)
        message_id = uuid4().hex
        failures = 0
        while True:
            taken, wait = self._try(message_id, body)
            if taken is not None or not patient:
                return bool(taken)
            failures += 1
            if wait is None:
                wait = random.uniform(0.5, 1.0) * min(MOST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2**failures)  # noqa: S311
            if time.monotonic() + wait >= self._until:
                log.error("The outcome was not taken in time; it stands in the outcome file.")
                return False
            self._pause(wait)

    def _try(self, message_id: str, body: bytes) -> tuple[bool | None, float | None]:
        """(taken, wait): taken None asks for another try, after `wait` seconds if the other side said so."""
        request = urllib.request.Request(self._order.callback_url, body, method="POST")  # noqa: S310 - http(s), checked by the orchestrator's own setting
        signed = signatures.headers(self._order.callback_secret, message_id, int(time.time()), body)
        for name, value in {**signed, "Content-Type": "application/json"}.items():
            request.add_header(name, value)
        if self._bearer is not None:
            request.add_header("Authorization", f"Bearer {self._bearer()}")
        try:
            with self._opener.open(request, timeout=ANSWER_SECONDS):
                return True, None
        except urllib.error.HTTPError as error:
            if error.code in FINAL:
                log.error("The orchestrator refused an event with status %d.", error.code)
                return False, None
            return None, _retry_after(error.headers.get("Retry-After"))
        except (OSError, ValueError) as error:
            log.warning("The orchestrator cannot be reached (%s).", type(error).__name__)
            return None, None

    def _body(self, event: Event) -> bytes:
        body = event.model_dump_json().encode()
        if len(body) <= MOST_BODY_BYTES or not isinstance(event, Completed) or event.result is None:
            return body
        name, checksum = self._store(event.result)
        smaller = event.model_copy(update={"result": None, "result_uri": name, "result_sha256": checksum})
        return smaller.model_dump_json().encode()

    def _store(self, result: Result) -> tuple[str, str]:
        """Write a large result beside the outcome; its name in the storage, and its SHA-256."""
        content = result.model_dump_json().encode()
        path = Path(self._order.outcome).with_name(f"{self._order.attempt}.result.json")
        path.write_bytes(content)
        return f"attempts/{path.name}", hashlib.sha256(content).hexdigest()


def _retry_after(value: str | None) -> float | None:
    try:
        return min(max(float(value), 0.0), 3600.0) if value else None
    except ValueError:
        return None
