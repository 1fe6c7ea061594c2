"""How figures of reports of money look on a page, and the budgets that are over, for banners."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django import template
from django.db import DatabaseError
from django.utils import formats
from django.utils.translation import gettext as _

from dashboard.cost_filters import seen_by
from dashboard.templatetags.show import UNKNOWN, usd, whole
from tasks.costs import budgets

register = template.Library()


@register.filter
def beside(columns: Sequence[Any], values: Sequence[Any]) -> Iterable[tuple[Any, Any]]:
    return zip(columns, values, strict=True)


@register.filter
def as_kind(value: Any, kind: str) -> str:
    """A count, USD, or an amount of another currency; what is not known is a dash."""
    if kind == "count":
        return whole(value)
    if value is None:
        return UNKNOWN
    digits = 4 if kind == "usd" else 2
    least = Decimal(1).scaleb(-digits)
    rounded = Decimal(value).quantize(least, ROUND_HALF_UP)
    if value and not rounded:  # something is never shown as nothing
        return (
            "<\u202f" + formats.number_format(least, digits)
            if value > 0
            else ">\u202f" + formats.number_format(-least, digits)
        )
    return formats.number_format(rounded, digits, use_l10n=True, force_grouping=True)


@register.simple_tag(takes_context=True)
def over_budget(context: Any) -> list[budgets.Budget]:
    """Budgets that have reached a level, for those who may see money. Nothing where the database cannot be asked."""
    user = getattr(context.get("request"), "user", None)
    if user is None or not user.has_perm("tasks.view_costs"):
        return []
    try:
        return budgets.over(seen_by(user))
    except DatabaseError:
        return []


@register.filter
def budget_sentence(budget: budgets.Budget) -> str:
    """Who has spent how much of what, and what follows from it."""
    limit = budget.stop if budget.level == "stop" else budget.warn
    values = {"name": budget.name, "spent": usd(budget.spent), "limit": usd(limit)}
    if budget.level == "stop":
        if budget.period == "day":
            return _("%(name)s has spent %(spent)s today and stops at %(limit)s: nothing more of it is started until tomorrow (UTC).") % values  # fmt: skip
        return _("%(name)s has spent %(spent)s this month and stops at %(limit)s: nothing more of it is started until the next.") % values  # fmt: skip
    if budget.period == "day":
        return _("%(name)s has spent %(spent)s today; a warning was asked for at %(limit)s.") % values
    return _("%(name)s has spent %(spent)s this month; a warning was asked for at %(limit)s.") % values
