"""What people do with their own account: they sign in, not too often in vain, and change the password that they sign in with."""

from __future__ import annotations

import math
from ipaddress import ip_address
from typing import Any

from axes.backends import AxesStandaloneBackend
from axes.models import AccessAttempt
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.contrib.auth.views import PasswordChangeView
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

LONGEST_NAME = 150


def has_password(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether it is a password that this person signs in with."""
    by_header = settings.TRUST_DATABRICKS_IDENTITY and settings.DATABRICKS_APP_NAME
    return user.is_authenticated and not by_header and user.has_usable_password()


class ChangePassword(PasswordChangeView):
    """Asks for the old one, and ends all other sessions of this person. 404 for those who sign in by other means."""

    template_name = "password.html"
    success_url = reverse_lazy("home")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not has_password(request.user):
            raise Http404(_("You do not sign in with a password."))
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        messages.success(self.request, _("Your password is changed. You are signed out everywhere else."))
        return super().form_valid(form)


class Throttle(AxesStandaloneBackend):
    """Refuses whoever failed too often; a command or a test that signs somebody in without a request is nobody from outside."""

    def authenticate(self, request: HttpRequest | None, *args: Any, **values: Any) -> None:
        if request is not None:
            super().authenticate(request, *args, **values)


def address_of(request: HttpRequest) -> str | None:
    """Where a request comes from: what the proxy in front saw, where the settings trust one (its word is the last of the header)."""
    seen = request.META.get("REMOTE_ADDR")
    if settings.SECURE_PROXY_SSL_HEADER:
        seen = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip() or seen
    try:
        return str(ip_address((seen or "").partition("%")[0]))
    except ValueError:
        return None


def name_of(request: HttpRequest, credentials: dict[str, Any] | None) -> str:
    """Whom somebody tries to sign in as, no longer than a name can be."""
    return ((credentials or request.POST).get("username") or "")[:LONGEST_NAME]


class _SaysHowLong:
    """A form that tells whoever failed too often when they may try again."""

    request: HttpRequest
    cleaned_data: dict[str, Any]

    def get_invalid_login_error(self) -> forms.ValidationError:
        if not getattr(self.request, "axes_locked_out", False):
            return super().get_invalid_login_error()  # type: ignore[misc]  # of the form
        minutes = _minutes_left(self.request, self.cleaned_data["username"])
        return forms.ValidationError(
            ngettext(
                "Too many attempts to sign in as %(name)s have failed from here. Try again in %(n)d minute; an operator can let you in sooner.",
                "Too many attempts to sign in as %(name)s have failed from here. Try again in %(n)d minutes; an operator can let you in sooner.",
                minutes,
            )
            % {"name": self.cleaned_data["username"], "n": minutes}
        )


class SignIn(_SaysHowLong, AuthenticationForm):
    """Of our own page."""


class AdminSignIn(_SaysHowLong, AdminAuthenticationForm):
    """Of the admin's."""


def _minutes_left(request: HttpRequest, username: str) -> int:
    name = name_of(request, {"username": username})
    failures = AccessAttempt.objects.filter(username=name, ip_address=address_of(request))
    last = failures.order_by("-attempt_time").values_list("attempt_time", flat=True).first()
    left = settings.AXES_COOLOFF_TIME - (timezone.now() - last) if last else settings.AXES_COOLOFF_TIME
    return max(1, math.ceil(left.total_seconds() / 60))
