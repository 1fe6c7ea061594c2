"""Writes the trail: who did what to what, why, and from where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from tasks.models import AuditEntry


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


def record(actor: Actor, entries: Iterable[Entry], reason: str = "") -> None:
    """Append entries, in the transaction of what they tell of."""
    AuditEntry.objects.bulk_create(
        AuditEntry(
            actor_id=actor.user_id, actor_name=actor.name, source=actor.source, verb=entry.verb, reason=reason,
            object_type=entry.object_type, object_id=entry.object_id, before=entry.before, after=entry.after,
        )
        for entry in entries
    )  # fmt: skip
