"""In which order a list is shown, and how many rows at once. The address holds both; the number of rows is also kept for the next visit."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Expression, F, Field, Model, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

SIZES = (25, 50, 100, 200)
KEPT, KEPT_SECONDS = "rows", 365 * 86400
M = TypeVar("M", bound=Model)
View = Callable[..., HttpResponse]


@dataclass(frozen=True, slots=True)
class Order:
    """By a column, rising or falling; without a name the list's own order."""

    name: str = ""
    falls: bool = False

    @classmethod
    def parse(cls, text: str, offered: Container[str]) -> Order:
        """`confidence`, or `-confidence` where it falls, as in an address; what is not offered is the list's own order."""
        name = text.removeprefix("-")
        return cls(name, text.startswith("-")) if name in offered else OWN

    def __str__(self) -> str:
        return f"-{self.name}" if self.falls else self.name


OWN = Order()


def following(name: str, order: Order, offered: Mapping[str, bool]) -> Order:
    """What the head of a column leads to: the direction `offered` has for it (True: falling), the other one, the list's own order."""
    first = Order(name, offered[name])
    if order.name != name:
        return first
    return Order(name, not first.falls) if order == first else OWN


def size_of(request: HttpRequest, usual: int) -> int:
    given = request.GET.get("size", "")
    return int(given) if given in map(str, SIZES) else usual


def sized(view: View) -> View:
    """The page of a list: an address without a number of rows leads to the one with the number that this person chose last."""

    @wraps(view)
    def shown(request: HttpRequest, *args: Any, **values: Any) -> HttpResponse:
        choices, kept = set(map(str, SIZES)), request.COOKIES.get(KEPT, "")
        given = request.GET.get("size")
        if given is None and kept in choices:
            query = request.GET.copy()
            query["size"] = kept
            return redirect(f"{request.path}?{query.urlencode()}")
        response = view(request, *args, **values)
        if given in choices and given != kept:
            response.set_cookie(
                KEPT, given, max_age=KEPT_SECONDS, secure=settings.SESSION_COOKIE_SECURE, httponly=True, samesite="Lax"
            )  # fmt: skip
        return response

    return shown


def ordered(rows: QuerySet[M], column: str | Expression, falls: bool, *, newest: bool = False) -> QuerySet[M]:
    """All rows by a column, `sort_key`, unknown values last; equal ones by id, with `newest` the highest first."""
    key = F("sort_key")
    way = key.desc(nulls_last=True) if falls else key.asc(nulls_last=True)
    rows = rows.annotate(sort_key=F(column) if isinstance(column, str) else column)
    return rows.order_by(way, "-id" if newest else "id")


def page(
    rows: QuerySet[M], falls: bool, size: int, after: str = "", *, newest: bool = False
) -> tuple[list[M], str]:
    """The next `size` rows of what `ordered` made, and the cursor of the page after them ("": there is none).

    Raises Http404 for a cursor that no page has given out.
    """
    field = rows.query.annotations["sort_key"].output_field
    if after:
        rows = rows.filter(_beyond(after, field, falls, newest))
    found = list(rows[: size + 1])
    if len(found) <= size:
        return found, ""
    last: Any = found[size - 1]
    told = "" if field.primary_key or last.sort_key is None else f"~{last.sort_key}"
    return found[:size], f"{last.pk}{told}"


def _beyond(after: str, field: Field, falls: bool, newest: bool) -> Q:
    number, told, text = after.partition("~")
    if not (number.isascii() and number.isdigit() and len(number) <= 18) or "\0" in text:
        raise Http404
    pk = int(number)
    if field.primary_key:
        return Q(pk__lt=pk) if falls else Q(pk__gt=pk)
    rest = Q(pk__lt=pk) if newest else Q(pk__gt=pk)
    if not told:
        return Q(sort_key__isnull=True) & rest
    try:
        value = field.to_python(text)
    except ValidationError:
        raise Http404 from None
    further = Q(**{"sort_key__lt" if falls else "sort_key__gt": value})
    return further | (Q(sort_key=value) & rest) | Q(sort_key__isnull=True)
