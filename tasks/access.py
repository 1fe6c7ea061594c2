"""Whose work a person may see: one place that every view, export and stream goes through."""

from __future__ import annotations

from typing import TypeVar

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Model, QuerySet

from tasks.models import Client, Membership

M = TypeVar("M", bound=Model)

# How each model leads to the client that it belongs to
_CLIENT_PATH = {
    "client": "pk",
    "attempt": "task__client",
    "document": "client",
    "extraction": "client",
    "task": "client",
}

# What a role has to say of a model before a membership counts for it; the others have checks of their own where they are read
_RIGHT = {"extraction": "tasks.view_extraction", "task": "tasks.view_task", "attempt": "tasks.view_task"}


def sees_every_client(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether memberships do not limit this person: superusers, and groups that work across clients."""
    return user.is_active and user.has_perm("tasks.view_every_client")


def visible_to(user: AbstractBaseUser | AnonymousUser, queryset: QuerySet[M]) -> QuerySet[M]:
    """The rows of `queryset` whose client the user is a member of (all of them for those who work across clients).

    Somebody without a role sees no work, whatever they are a member of.
    """
    right = _RIGHT.get(queryset.model._meta.model_name)
    if not user.is_authenticated or not user.is_active or (right and not user.has_perm(right)):
        return queryset.none()
    if sees_every_client(user):
        return queryset
    clients = Membership.objects.filter(user=user).values("client")
    return queryset.filter(**{f"{_CLIENT_PATH[queryset.model._meta.model_name]}__in": clients})


def clients_of(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Client]:
    """The clients that this person may see and hand in documents for."""
    return visible_to(user, Client.objects.all())
