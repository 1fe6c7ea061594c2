"""What ai_extract is asked for and how it answers: an agent's fields in its form, and its values with the text that it cites. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tasks.agent.finding import Habits, PageText, places
from tasks.agent.page import Word
from tasks.agent.schema import Field, Schema, Type

LETTER, HEIGHT = 5.0, 10.0
"""Points of words that stand on no page, so that they lie beside each other as in a line."""

Span = tuple[int, int]
"""First character of a cited text, and the one behind its last."""


def asked_of(schema: Schema) -> dict[str, Any]:
    """The schema as ai_extract takes it: a type and a description by name.

    Everything but whole numbers is asked for as text, in the form that our own types are read from; the words of a choice stand in the description.
    """
    return {one.name: _asked(one) for one in schema.fields}


def _asked(one: Field) -> dict[str, Any]:
    told = one.json_schema()
    if one.type is Type.LIST:
        columns = {column.name: _asked(column) for column in one.fields}
        return {
            "type": "array",
            "description": told["description"],
            "items": {"type": "object", "properties": columns},
        }
    words = f" One of: {', '.join(one.choices)}." if one.choices else ""
    kind = "integer" if one.type is Type.INTEGER else "string"
    return {"type": kind, "description": told["description"] + words}


def values_of(schema: Schema, said: Mapping[str, Any]) -> dict[str, Any]:
    """The bare values of an answer, which may each stand in a record beside what it cites. What was not asked for is left out."""
    made: dict[str, Any] = {}
    for one in schema.fields:
        value = _bare(said.get(one.name))
        if one.type is Type.LIST and isinstance(value, list):
            value = [_row(one, row) for row in value]
        made[one.name] = value
    return made


def _row(one: Field, row: Any) -> Any:
    if isinstance(row, Mapping) and isinstance(row.get("value"), Mapping):
        row = row["value"]
    if not isinstance(row, Mapping):
        return row
    return {column.name: _bare(row.get(column.name)) for column in one.fields}


def _bare(value: Any) -> Any:
    return value.get("value") if isinstance(value, Mapping) else value


def cited_by(
    schema: Schema, said: Mapping[str, Any], spans: Mapping[int, Span], text: str
) -> dict[str, list[str]]:
    """The texts that an answer cites for each field that is no list; spans that lie outside of `text` count for nothing."""
    made: dict[str, list[str]] = {}
    for one in schema.fields:
        value = said.get(one.name)
        names = value.get("citation_ids") if isinstance(value, Mapping) else None
        if one.type is Type.LIST or not isinstance(names, Sequence):
            continue
        found = [spans[name] for name in names if isinstance(name, int) and name in spans]
        texts = [text[start:stop] for start, stop in found if 0 <= start < stop <= len(text)]
        if texts:
            made[one.name] = texts
    return made


def is_held_by(texts: Iterable[str], one: Field, value: str | int, habits: Habits) -> bool:
    """Whether our own reading finds the value in one of these texts."""
    return any(places(PageText(_as_words(text)), one.type, value, habits) for text in texts)


def _as_words(text: str) -> list[Word]:
    words, at = [], 0.0
    for part in text.split():
        end = at + LETTER * len(part)
        words.append(Word(part, at, 0.0, end, HEIGHT, 1, -1, -1))
        at = end + HEIGHT / 4
    return words
