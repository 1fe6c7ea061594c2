"""Who the Databricks Apps proxy says is there: its headers are believed only when told so, and only where that proxy stands.

Anybody who reaches the port directly can send the same headers; so that this is off unless TRUST_DATABRICKS_IDENTITY says
otherwise and the platform's own DATABRICKS_APP_NAME is there too.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.contrib.auth import get_user_model, login, logout
from django.contrib.auth.models import AbstractUser, Group
from django.core.exceptions import MiddlewareNotUsed, PermissionDenied
from django.http import HttpRequest, HttpResponse

log = logging.getLogger(__name__)

HEADER = "X-Forwarded-Email"
LONGEST = 150
ONE_ADDRESS = re.compile(r"[^@\s,;<>\"]+@[^@\s,;<>\"]+")
BACKEND = "django.contrib.auth.backends.ModelBackend"


class DatabricksIdentity:
    """Logs in whoever the header names before a view that needs a login; other views (callbacks, health) never look at it."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable) -> None:
        if not (settings.TRUST_DATABRICKS_IDENTITY and settings.DATABRICKS_APP_NAME):
            raise MiddlewareNotUsed
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Callable, *_: Any) -> HttpResponse | None:
        if not getattr(view, "login_required", True):
            return None
        named, user = address(request), request.user
        if user.is_authenticated and user.get_username() == named:
            return None
        if user.is_authenticated:
            logout(request)  # somebody else, or nobody, sits there now
        if named:
            login(request, known(named), backend=BACKEND)
        return None


def address(request: HttpRequest) -> str:
    """In lower case; empty where the header is missing or holds no address, or two, as it does when it was sent twice."""
    named = request.headers.get(HEADER, "").strip().lower()
    return named if ONE_ADDRESS.fullmatch(named) and named.isprintable() and len(named) <= LONGEST else ""


def known(email: str) -> AbstractUser:
    """The user of this address, made at the first visit: without a password, in the groups of IDENTITY_GROUPS.

    IDENTITY_ADMINS become superusers at their next visit. Raises PermissionDenied for one who was switched off.
    """
    users = get_user_model().objects
    user, is_new = users.get_or_create(username=email, defaults={"email": email})
    if not user.is_active:
        raise PermissionDenied
    if is_new:
        user.set_unusable_password()
        user.groups.set(Group.objects.filter(name__in=settings.IDENTITY_GROUPS))
        if user.groups.count() != len(settings.IDENTITY_GROUPS):
            log.warning("IDENTITY_GROUPS (%s) names a role that is not there.", settings.IDENTITY_GROUPS)
    if email in settings.IDENTITY_ADMINS:
        user.is_staff = user.is_superuser = True
    user.save()
    return user
