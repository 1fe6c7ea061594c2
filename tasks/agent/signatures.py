"""Signs and checks what an attempt says, after the Standard Webhooks specification (v1, HMAC-SHA256). Pure.

Every attempt has a secret of its own, derived from a master that no attempt ever sees: what one job leaks signs nothing else.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from uuid import UUID

TOLERANCE_SECONDS = 300
PREFIX = "whsec_"
ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"

# Neither may hold the dot that joins the parts of the signed text: nothing can be shifted across a border
_ID = re.compile(r"[A-Za-z0-9_-]{1,100}", re.ASCII)
_TIMESTAMP = re.compile(r"[0-9]{1,12}", re.ASCII)
_MOST_SIGNATURES = 10


class SignatureError(Exception):
    """A message that is not to be believed. `reason` is "missing", "malformed", "clock" or "wrong"."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason, self.message = reason, message


def derive(master: str, attempt: UUID) -> str:
    """The secret of one attempt, in the specification's notation (`whsec_…`)."""
    key = hmac.digest(master.encode(), b"agentaudit attempt\0" + attempt.bytes, hashlib.sha256)
    return PREFIX + base64.b64encode(key).decode()


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """The value of `webhook-signature`. Raises ValueError for an id that the specification's text could be shifted by."""
    if not _ID.fullmatch(message_id):
        raise ValueError("a message id consists of letters, digits, - and _")
    return "v1," + _digest(secret, message_id, str(timestamp), body)


def headers(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The three headers of a signed message."""
    return {ID: message_id, TIMESTAMP: str(timestamp), SIGNATURE: sign(secret, message_id, timestamp, body)}


def verify(secrets: Sequence[str], given: Mapping[str, str], body: bytes, now: float | None) -> str:
    """The id of a message that one of `secrets` signed. Raises SignatureError.

    now: seconds since 1970 by the clock that decides; None for a message that is kept (an outcome file) and may be old.
    """
    message_id, timestamp, signature = (given.get(name, "") for name in (ID, TIMESTAMP, SIGNATURE))
    if not (message_id and timestamp and signature):
        raise SignatureError("missing", f"The headers {ID}, {TIMESTAMP} and {SIGNATURE} are needed.")
    if not _ID.fullmatch(message_id) or not _TIMESTAMP.fullmatch(timestamp):
        raise SignatureError(
            "malformed", f"{ID} may hold letters, digits, - and _ (100 at most), {TIMESTAMP} digits only."
        )
    offered = [part[3:] for part in signature.split(" ")[:_MOST_SIGNATURES] if part.startswith("v1,")]
    expected = [_digest(secret, message_id, timestamp, body) for secret in secrets]
    # Every pair is compared, and each in constant time, so that nothing is learnt from how long a refusal takes
    matches = [
        hmac.compare_digest(one.encode(), other.encode("utf-8", "replace"))
        for one in expected
        for other in offered
    ]
    if not any(matches):
        raise SignatureError("wrong", "The signature does not fit this body and these headers.")
    if now is not None and abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        raise SignatureError(
            "clock",
            f"The timestamp is more than {TOLERANCE_SECONDS} s from this server's clock; set the sender's clock.",
        )
    return message_id


def _digest(secret: str, message_id: str, timestamp: str, body: bytes) -> str:
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("a secret is whsec_ and base64") from None
    return base64.b64encode(
        hmac.digest(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256)
    ).decode()
