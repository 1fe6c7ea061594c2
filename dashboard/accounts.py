"""What people do with their own account: they change the password that they sign in with."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.contrib.auth.views import PasswordChangeView
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse_lazy
from django.utils.translation import gettext as _


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
