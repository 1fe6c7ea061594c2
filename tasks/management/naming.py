"""What people name on a command line: a name that nothing bears is a wrong call, told with the names that are near it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Any

from django.core.management import CommandError
from django.db.models import QuerySet

from tasks.management.base import wrong_call

NEAREST, MOST_TOLD = 3, 12
UNTOUCHED = "Nothing was done."


def one(among: QuerySet, word: str, name: str, otherwise: str = UNTOUCHED, *, field: str = "name") -> Any:
    """The row of this name. Raises CommandError."""
    found = among.filter(**{field: name}).first()
    if found is None:
        raise missing(word, name, among.values_list(field, flat=True), otherwise)
    return found


def must_be_borne(
    rows: QuerySet,
    word: str,
    value: str,
    otherwise: str = UNTOUCHED,
    *,
    field: str,
    also: Collection[str] = (),
) -> None:
    """Raises CommandError for a value that no row has in this field, unless it is among those that are known `also`."""
    if value not in also and not rows.filter(**{field: value}).exists():
        raise missing(
            word, value, [*also, *rows.order_by().values_list(field, flat=True).distinct()], otherwise
        )


def missing(word: str, name: str, known: Iterable[str], otherwise: str = UNTOUCHED) -> CommandError:
    """That there is no such `word`; `otherwise`: what follows from it, or what to do."""
    return wrong_call(f"There is no {word} {name!r}. {told(word, name, known)} {otherwise}".rstrip())


def told(word: str, name: str, known: Iterable[str]) -> str:
    """Those that are near the name; where none is, the first of all."""
    names = sorted(filter(None, set(known)))
    if not names:
        return f"There is no {word} yet."
    if near := nearest(name, names):
        return f"Near it: {', '.join(near)}."
    return f"Known: {', '.join(names[:MOST_TOLD])}{' …' if len(names) > MOST_TOLD else ''}."


def nearest(name: str, names: Iterable[str]) -> list[str]:
    """Those that hold it, then those that are written much like it; whatever the case."""
    asked, by_fold = name.casefold(), {known.casefold(): known for known in names}
    holding = [fold for fold in by_fold if asked and asked in fold]
    alike = get_close_matches(asked, by_fold, NEAREST)
    return [by_fold[fold] for fold in dict.fromkeys([*holding, *alike])][:NEAREST]
