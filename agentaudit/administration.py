"""The admin's doors: whoever is signed in and may not enter is told so, as everywhere, instead of being asked to sign in once more."""

from __future__ import annotations

from typing import Any

from axes.apps import AppConfig as AxesConfig
from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache


class Administration(AdminSite):
    @method_decorator(never_cache)
    @login_not_required
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if request.user.is_authenticated and not self.has_permission(request):
            raise PermissionDenied
        from dashboard.accounts import (
            AdminSignIn,
        )  # has models, which are not there yet when this module is loaded

        self.login_form = AdminSignIn
        return super().login(request, extra_context)


class AdministrationConfig(AdminConfig):
    default_site = "agentaudit.administration.Administration"


class FailedSignInsConfig(AxesConfig):
    verbose_name = _("Failed sign-ins")
    default = False
