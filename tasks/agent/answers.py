"""Turns what a model answered into typed values, and says by field what is wrong with it. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from tasks.agent.schema import Field, Schema

MOST_ROWS = 2000
LONGEST_VALUE = 4000
DECIMAL = re.compile(r"-?\d{1,20}(\.\d{1,12})?", re.ASCII)
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""PostgreSQL keeps no NUL, no file half a pair of UTF-16, and a page shows none of the others."""

Scalar = str | int | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, in types.

    values: by field; text, ISO dates, decimal strings, integers, None where it is not stated; lists as rows of values by column.
    problems: a sentence by field ("total"), by cell ("lines[2].amount", rows from 1), or for the whole ("").
    """

    values: dict[str, Any] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)


def parse(schema: Schema, answer: str | bytes | Mapping[str, Any]) -> Answer:
    """The values of the schema's fields in a JSON answer. What does not fit its type is None and named among the problems; nothing raises."""
    fields = schema.fields
    made = Answer({one.name: [] if one.type == "list" else None for one in fields})
    try:
        said = answer if isinstance(answer, Mapping) else json.loads(answer)
    except (ValueError, RecursionError):
        made.problems[""] = "The answer is no JSON, or was cut short."
        return made
    if not isinstance(said, Mapping):
        made.problems[""] = "The answer is no JSON object."
        return made
    for one in fields:
        if one.type == "list":
            made.values[one.name] = _rows(one, said.get(one.name), made.problems)
        else:
            made.values[one.name] = _value(one, said.get(one.name), one.name, made.problems)
    for name in sorted({str(name) for name in said} - {one.name for one in fields})[:20]:
        made.problems[CONTROL.sub("?", name[:60])] = "Nothing of this name was asked for."
    return made


def _rows(one: Field, said: object, problems: dict[str, str]) -> list[dict[str, Scalar]]:
    if said is None:
        return []
    if not isinstance(said, list):
        problems[one.name] = "This is no list."
        return []
    if len(said) > MOST_ROWS:
        problems[one.name] = f"These are {len(said):,} entries; the first {MOST_ROWS:,} are kept."
    rows = []
    for number, row in enumerate(said[:MOST_ROWS], 1):
        place = f"{one.name}[{number}]"
        if not isinstance(row, Mapping):
            problems[place] = "This entry is no record."
            continue
        cells = {
            column.name: _value(column, row.get(column.name), f"{place}.{column.name}", problems)
            for column in one.fields
        }
        if any(cell is not None for cell in cells.values()):
            rows.append(cells)
    return rows


def _value(one: Field, said: object, place: str, problems: dict[str, str]) -> Scalar:
    """A value of the field's type; None where there is none, or where it does not fit."""
    if isinstance(said, str):
        said = CONTROL.sub(" ", said).strip()
    if said is None or said == "":
        return None
    try:
        return READ[one.type](one, said)
    except _Misfit as misfit:
        problems[place] = f"“{str(said)[:60]}” {misfit}."
        return None


class _Misfit(Exception):
    """Why a value does not fit, as the end of a sentence."""


def _text(one: Field, said: object) -> Scalar:
    if isinstance(said, bool) or not isinstance(said, str | int | float):
        raise _Misfit("is no text")
    if len(text := str(said)) > LONGEST_VALUE:
        raise _Misfit(f"has {len(text):,} characters, more than a value may have ({LONGEST_VALUE:,})")
    return text


def _date(one: Field, said: object) -> Scalar:
    try:
        if isinstance(said, str) and ISO_DATE.fullmatch(said):
            return date.fromisoformat(said).isoformat()
    except ValueError:
        pass
    raise _Misfit("is no date of the calendar, written as YYYY-MM-DD")


def _decimal(one: Field, said: object) -> Scalar:
    """Numbers are taken as they are printed: 12.50 stays 12.50. A JSON number has lost that, but is the same amount."""
    if isinstance(said, int | float) and not isinstance(said, bool):
        # repr, so that 0.1 is 0.1; what is no finite number matches nothing below
        said = format(Decimal(repr(said)), "f")
    if isinstance(said, str) and DECIMAL.fullmatch(said):
        return said
    raise _Misfit("is no decimal number such as -1234.50")


def _integer(one: Field, said: object) -> Scalar:
    if isinstance(said, float) and said.is_integer():
        said = int(said)
    if isinstance(said, str) and re.fullmatch(r"-?\d{1,18}", said, re.ASCII):
        said = int(said)
    if isinstance(said, int) and not isinstance(said, bool) and abs(said) < 10**18:
        return said
    raise _Misfit("is no whole number")


def _currency(one: Field, said: object) -> Scalar:
    if isinstance(said, str) and re.fullmatch(r"[A-Z]{3}", said.upper(), re.ASCII):
        return said.upper()
    raise _Misfit("is no ISO 4217 code such as EUR")


def _choice(one: Field, said: object) -> Scalar:
    for choice in one.choices:
        if isinstance(said, str) and choice.casefold() == said.casefold():
            return choice
    raise _Misfit(f"is none of {', '.join(one.choices)}")


READ: dict[str, Callable[[Field, object], Scalar]] = {
    "text": _text, "date": _date, "money": _decimal, "number": _decimal, "integer": _integer, "currency": _currency, "choice": _choice,
}  # fmt: skip
