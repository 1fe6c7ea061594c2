"""The switches that concern everything: pause and resume of the whole installation."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from tasks.admin.base import Pausable, ReadOnly
from tasks.models import Switches


@admin.register(Switches)
class SwitchesAdmin(Pausable, ReadOnly):
    list_display = ("everything", "is_paused")

    @admin.display(description=_("what"))
    def everything(self, row: Switches) -> str:
        return str(_("everything"))

    def described(self, row: Switches) -> str:
        return str(_("everything"))
