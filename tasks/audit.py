"""Writes the trail: who did what to what, why, and from where."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest

from tasks.models import AuditEntry

HIDDEN = "•••"
_SECRET_NAME = re.compile(r"(?i)passw|secret|token$|api_?key|credential|authorization|private_?key")
_SECRET_IN_TEXT = re.compile(
    r"(?i)(://[^/\s:@]*:)[^/\s@]+(?=@)|(\bbearer\s+)\S+|\b(dapi|sk-|whsec_)[\w+/=-]{8,}"
)


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: a person from somewhere, or a part of the system."""

    name: str
    user_id: int | None = None
    source: str = ""

    @classmethod
    def person(cls, user: AbstractBaseUser, source: str = "") -> Actor:
        return cls(user.get_username(), user.pk, source)

    @classmethod
    def of(cls, request: HttpRequest, page: str) -> Actor:
        """Who sent a request, by which kind of page ("web", "admin"), and from which address."""
        return cls.person(request.user, f"{page} {address_of(request)}".strip())

    @classmethod
    def system(cls, part: str) -> Actor:
        return cls(part, None, "system")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the trail. `before` and `after` hold only what changed; secrets never go in."""

    verb: str
    object_type: str
    object_id: str
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None


def address_of(request: HttpRequest) -> str:
    """Where a request came from. What a proxy says counts only where one is told to be in front; its own word is the last one."""
    told = request.META.get("REMOTE_ADDR", "")
    if settings.SECURE_PROXY_SSL_HEADER:
        told = request.headers.get("X-Forwarded-For", "").rsplit(",", 1)[-1].strip() or told
    try:
        return str(ipaddress.ip_address(told))
    except ValueError:
        return ""


def reason_of(request: HttpRequest) -> str:
    """What somebody wrote as the reason of a posted action, without what no text of the database can hold."""
    return request.POST.get("reason", "").replace("\0", "").strip()


def without_secrets(value: Any, name: str = "") -> Any:
    """A JSON value with what names or shapes give away as secret put out of sight."""
    if isinstance(value, dict):
        return {key: without_secrets(inner, str(key)) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_secrets(inner, name) for inner in value]
    if isinstance(value, str) and value:
        if _SECRET_NAME.search(name):
            return HIDDEN
        return _SECRET_IN_TEXT.sub(lambda found: (found[1] or found[2] or "") + HIDDEN, value)
    return value


def record(actor: Actor, entries: Iterable[Entry], reason: str = "") -> None:
    """Append entries, in the transaction of what they tell of."""
    AuditEntry.objects.bulk_create(
        AuditEntry(
            actor_id=actor.user_id, actor_name=actor.name, source=actor.source, verb=entry.verb, reason=without_secrets(reason),
            object_type=entry.object_type, object_id=entry.object_id, before=without_secrets(entry.before),
            after=without_secrets(entry.after),
        )
        for entry in entries
    )  # fmt: skip
