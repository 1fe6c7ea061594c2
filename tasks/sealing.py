"""A document's password is sealed while its task waits, so that a dump of the database does not show it."""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings


def _box() -> Fernet:
    key = hashlib.sha256(b"agentaudit document password\0" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))


def seal(password: str) -> bytes | None:
    """The sealed password; None for none."""
    return _box().encrypt(password.encode()) if password else None


def unseal(sealed: bytes | memoryview | None) -> str:
    """The password; empty if there is none, or if SECRET_KEY has changed since (the attempt then asks for it again)."""
    try:
        return _box().decrypt(bytes(sealed)).decode() if sealed else ""
    except InvalidToken:
        return ""
