"""Terms of months (discount, mark-up, exchange rate) and the months that are closed, whose terms are fixed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.translation import gettext as _

from tasks.admin.base import Audited, ReadOnly
from tasks.models import ClosedMonth, MonthTerms


def _is_closed(month: Any) -> bool:
    return ClosedMonth.objects.filter(month=month).exists()


class TermsForm(ModelForm):
    def clean(self) -> dict[str, Any]:
        """Said in words, before the database says it in its own."""
        cleaned = super().clean()
        month = cleaned.get("month")
        if month and month.day != 1:
            self.add_error("month", _("A month is named by its first day, such as 2026-11-01."))
        for name in {month, self.instance.month} - {None}:
            if _is_closed(name):
                raise ValidationError(
                    _("%(month)s is closed; its terms are fixed.") % {"month": f"{name:%Y-%m}"}
                )
        if not 0 <= (cleaned.get("discount_percent") or 0) <= 100:
            self.add_error("discount_percent", _("A discount lies between 0 and 100 %."))
        if (cleaned.get("markup_percent") or 0) <= -100:
            self.add_error("markup_percent", _("A mark-up is more than -100 %."))
        currency, rate = cleaned.get("currency", ""), cleaned.get("rate")
        if bool(currency) != (rate is not None):
            self.add_error("rate", _("A currency and its rate belong together: give both, or neither."))
        elif currency and not (
            currency.isascii() and currency.isalpha() and currency.isupper() and len(currency) == 3
        ):
            self.add_error("currency", _("Write three capital letters, such as EUR."))
        elif rate is not None and rate <= 0:
            self.add_error("rate", _("A rate is more than 0."))
        return cleaned


@admin.register(MonthTerms)
class MonthTermsAdmin(Audited):
    form = TermsForm
    list_display = ("month", "discount_percent", "markup_percent", "currency", "rate")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Figures of the past would change."""
        return False


@admin.register(ClosedMonth)
class ClosedMonthAdmin(ReadOnly):
    list_display = ("month", "closed_at", "closed_by")
    ordering = ("-month",)
