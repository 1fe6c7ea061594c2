"""How values look on a page: states, times, shares, money, and the honest dash for what is not known."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from django import template
from django.contrib.humanize.templatetags.humanize import naturaltime
from django.db import DatabaseError
from django.http import QueryDict
from django.templatetags.static import static
from django.utils import formats, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from dashboard import accounts, ordering, sayings, words
from tasks import confidence, maintenance

register = template.Library()
UNKNOWN = "—"
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
SPANS = ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s"))
"""A time is told in the largest unit that it fills and the next smaller one, both as seconds."""


@register.simple_tag
def icon(name: str, extra: str = "") -> SafeString:
    """A picture that says nothing new: the word stands beside it."""
    classes = f"icon {extra}".strip()
    return format_html(
        '<svg class="{}" aria-hidden="true"><use href="{}#{}"/></svg>',
        classes,
        static("dashboard/icons.svg"),
        name,
    )


@register.simple_tag(takes_context=True)
def maintenance_notice(context: Any) -> maintenance.Maintenance | None:
    """What every page of those who are signed in says while a maintenance is on. Nothing where the database cannot be asked."""
    user = getattr(context.get("request"), "user", None)
    if user is None or not user.is_authenticated:
        return None
    try:
        return maintenance.now()
    except DatabaseError:
        return None


@register.simple_tag(takes_context=True)
def sort_head(context: Any, name: str, label: str, classes: str = "") -> SafeString:
    """The head of a column: a link that sorts by it, where the page's `orders` offer that."""
    order, offered = context.get("order", ordering.OWN), context.get("orders", {})
    if name not in offered:
        return format_html('<th scope="col" class="{}">{}</th>', classes, label)
    query = _query(context, sort=str(ordering.following(name, order, offered)))
    if order.name != name:
        link = '<th scope="col" class="{}"><a class="sort" id="sort-{}" href="{}">{}</a></th>'
        return format_html(link, classes, name, query, label)
    way = "descending" if order.falls else "ascending"
    link = '<th scope="col" class="{}" aria-sort="{}"><a class="sort" id="sort-{}" href="{}">{}{}</a></th>'
    return format_html(link, classes, way, name, query, label, icon(way))


@register.inclusion_tag("sizes.html", takes_context=True)
def sizes(context: Any) -> dict[str, Any]:
    """How many rows a list shows at once, each number a link."""
    now = context["size"]
    return {"choices": [(size, _query(context, size=str(size)), size == now) for size in ordering.SIZES]}


@register.inclusion_tag("sort_choice.html", takes_context=True)
def sort_choice(context: Any) -> dict[str, Any]:
    """All orders that a list offers, in a form of its own: for screens too narrow for the heads of all columns."""
    order, offered = context["order"], context["orders"]
    falling = {False: _("%(column)s, ascending"), True: _("%(column)s, descending")}
    orders = [ordering.Order(name, falls) for name, first in offered.items() for falls in (first, not first)]
    choices = [(str(one), falling[one.falls] % {"column": words.ORDERS[one.name]}) for one in orders]
    if not order.name:
        choices.insert(0, ("", words.ORDERS[""]))
    kept = [(name, value) for name, value in _first_page(context).items() if name != "sort"]
    return {"choices": choices if offered else [], "now": str(order), "kept": kept}


def _first_page(context: Any) -> QueryDict:
    """What the address of this list says, without a place in it, and without what a form was told."""
    query = context["request"].GET.copy()
    for name in ("after", "before", "wrong", "empty"):
        query.pop(name, None)
    return query


def _query(context: Any, **changes: str) -> str:
    """The address of this list's first page, with another order or number of rows."""
    query = _first_page(context)
    for name, value in changes.items():
        query[name] = value
        if not value:
            del query[name]
    return f"?{query.urlencode()}"


@register.filter
def has_password(user: Any) -> bool:
    return accounts.has_password(user)


def _badge(look: words.Look) -> SafeString:
    return format_html('<span class="badge {}">{}{}</span>', look.tone, icon(look.icon), look.word)


@register.simple_tag
def task_state(task: Any) -> SafeString:
    return _badge(words.task_look(task.status, task.needs_review))


@register.simple_tag
def attempt_state(attempt: Any) -> SafeString:
    return _badge(words.ATTEMPT[attempt.status])


@register.simple_tag
def difference(state: str) -> SafeString:
    """How a value of one run compares with that of another."""
    return _badge(words.DIFFERENCES[state])


@register.filter
def state_word(state: str) -> str:
    return str(words.TASK[state].word)


@register.filter
def tile_word(state: str) -> str:
    """What a number counts; what needs review stands beside the completed, and is among them."""
    return _("of these to review") if state == "review" else state_word(state)


@register.filter
def ago(moment: datetime | None) -> SafeString | str:
    """How long ago, with the exact time one pointer away."""
    if moment is None:
        return UNKNOWN
    exact = formats.date_format(timezone.localtime(moment), "DATETIME_FORMAT") + " UTC"
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(),
        exact,
        naturaltime(moment).replace("\xa0", " "),
    )


@register.filter
def exact(moment: datetime | None) -> SafeString | str:
    """Date and time to the second; a line may break between the two, and nowhere else."""
    if moment is None:
        return UNKNOWN
    day, time = timezone.localtime(moment).strftime("%Y-%m-%d %H:%M:%S").split()
    return format_html(
        '<time datetime="{}" title="{} {} UTC"><span class="nowrap">{}</span> <span class="nowrap">{}</span></time>',
        moment.isoformat(), day, time, day, time,
    )  # fmt: skip


@register.filter
def pruned(moment: datetime) -> str:
    return words.pruned(moment)


@register.filter
def clock(moment: datetime) -> SafeString:
    shown = timezone.localtime(moment).strftime("%H:%M")
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>',
        moment.isoformat(),
        moment.strftime("%Y-%m-%d %H:%M:%S"),
        shown,
    )


@register.filter
def share(value: float | None) -> str:
    """0.968 → 96 %."""
    return UNKNOWN if value is None else f"{confidence.shown(value) * 100:.0f}\u202f%"


@register.filter
def whole(value: int | None) -> str:
    return UNKNOWN if value is None else formats.number_format(value, use_l10n=True, force_grouping=True)


@register.filter
def per(value: float, number: int) -> float | None:
    return value / number if number else None


@register.filter
def rounded(value: float | None) -> str:
    return whole(None if value is None else round(value))


@register.filter
def rate(value: float | None) -> str:
    """A share to the tenth of a per cent; one that exists is never shown as none."""
    if value is None:
        return UNKNOWN
    if 0 < value < 0.001:
        return "<\u202f" + formats.number_format(0.1, 1) + "\u202f%"
    return formats.number_format(value * 100, 1) + "\u202f%"


@register.filter
def usd(value: Decimal | None) -> str:
    """Money to the cent, small sums to the millionth; a sum that is not known is a dash."""
    if value is None:
        return UNKNOWN
    digits = 2 if value == 0 or abs(value) >= 1 else 6
    return formats.number_format(value, digits, use_l10n=True, force_grouping=True) + "\u202fUSD"


@register.filter
def seconds(value: float | None) -> str:
    if value is None:
        return UNKNOWN
    if value < 10:
        return formats.number_format(round(value, 1), 1) + "\u202fs"
    for length, unit, part_length, part in SPANS:
        if value >= length:
            whole, rest = divmod(int(value), length)
            return f"{whole}\u202f{unit} {rest // part_length}\u202f{part}"
    return f"{int(value)}\u202fs"


@register.filter
def first_line(text: str) -> tuple[str, str]:
    """The first line, and the rest."""
    first, _newline, rest = text.strip().partition("\n")
    return first, rest


@register.filter
def error_word(code: str) -> str:
    return words.error_word(code)


@register.filter
def priority(value: int) -> str:
    return words.priority_word(value)


@register.filter
def field_word(name: str) -> str:
    return words.field_word(name)


@register.filter
def is_amount(name: str) -> bool:
    return name in words.AMOUNTS


@register.filter
def kind_word(kind: str) -> str:
    return words.kind_word(kind)


@register.filter
def source_word(source: str) -> str:
    return str(words.SOURCES.get(source, source))


@register.filter
def spoken(sentence: str) -> str:
    return sayings.spoken(sentence)


@register.simple_tag
def field_value(name: str, value: str | int | None) -> SafeString | str:
    """A value as its reader writes it, with what was stored one pointer away where the two differ."""
    if value is None:
        return format_html('<span class="muted">{}</span>', _("not found on page"))
    shown = localised(name, str(value))
    if shown != str(value):
        return format_html('<span title="{}">{}</span>', value, shown)
    return format_html('<span class="nowrap">{}</span>', shown) if ISO_DATE.fullmatch(shown) else shown


def localised(name: str, value: str) -> str:
    """The value of a field as its reader writes it."""
    if name in words.DATES or name.endswith("_date"):
        try:
            return formats.date_format(date.fromisoformat(value), "DATE_FORMAT")
        except ValueError:
            return value
    if name in words.AMOUNTS and re.fullmatch(r"-?\d+(\.\d+)?", value):
        try:
            return formats.number_format(Decimal(value), use_l10n=True, force_grouping=True)
        except InvalidOperation:
            return value
    return value
