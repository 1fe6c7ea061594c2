"""The schema of fields that an agent is asked for: checked in words, sent to models as JSON schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Self

import pydantic
from pydantic import ValidationError, model_validator

from tasks.agent.contract import Model

MOST_FIELDS = 60
"""Columns of lists included; Databricks Model Serving takes schemas of up to 64 keys."""
MOST_CHOICES = 50
LONGEST_TEXT = 500
NAME = re.compile(r"[a-z][a-z0-9_]{0,59}", re.ASCII)
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Control characters, and those that hide or turn what is written; a schema is shown to people and sent to models."""


def storable(value: Any) -> bool:
    """Whether PostgreSQL takes a value as JSON: its numbers finite, its texts without NUL and without half a pair of UTF-16."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (ValueError, RecursionError):
        return False
    return r"\u0000" not in text


class Type(StrEnum):
    """What a value is. Money and numbers travel as decimal strings, dates as ISO 8601, lists as records of further fields."""

    TEXT = "text"
    DATE = "date"
    MONEY = "money"
    NUMBER = "number"
    INTEGER = "integer"
    CURRENCY = "currency"
    CHOICE = "choice"
    LIST = "list"


FORMATS = {
    Type.TEXT: "Text as printed.",
    Type.DATE: "A date as YYYY-MM-DD.",
    Type.MONEY: "An amount as a decimal string such as -1234.50: a point before the decimals, nothing between thousands, no currency.",
    Type.NUMBER: "A number as a decimal string such as 12.5: a point before the decimals, nothing between thousands, no unit.",
    Type.INTEGER: "A whole number.",
    Type.CURRENCY: "A currency as its ISO 4217 code of three letters, such as EUR.",
    Type.CHOICE: "One of the given words.",
    Type.LIST: "One record for each entry, in the order of the document.",
}
"""What a model is told of each type."""
REQUIRED = "Expected in every such document; null only if it is not stated."
OPTIONAL = "Null if it is not stated."
REQUIRED_LIST = "Expected in every such document; empty only if there is no entry."
OPTIONAL_LIST = "Empty if there is no entry."

Text = Annotated[str, pydantic.Field(max_length=LONGEST_TEXT)]
Choice = Annotated[str, pydantic.Field(min_length=1, max_length=100)]


class SchemaError(ValueError):
    """A schema cannot be used. `problems`: one sentence each, which name the field."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


class Field(Model):
    """One value that is asked for; a list has `fields` of its own, which are its columns."""

    name: str
    type: Type = Type.TEXT
    description: Text = ""
    required: bool = False
    choices: Annotated[tuple[Choice, ...], pydantic.Field(max_length=MOST_CHOICES)] = ()
    fields: Annotated[tuple[Field, ...], pydantic.Field(max_length=MOST_FIELDS)] = ()

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
        for complaint in _complaints(self):
            raise ValueError(complaint)
        return self

    def json_schema(self) -> dict[str, Any]:
        """The JSON schema of its value: null where it is not found (a list is empty instead)."""
        told = [self.description.strip(), FORMATS[self.type]]
        if self.type is Type.LIST:
            told.append(REQUIRED_LIST if self.required else OPTIONAL_LIST)
            return {"type": "array", "description": _sentences(told), "items": _object(self.fields, "")}
        told.append(REQUIRED if self.required else OPTIONAL)
        kind = "integer" if self.type is Type.INTEGER else "string"
        described: dict[str, Any] = {"type": [kind, "null"], "description": _sentences(told)}
        return described | {"enum": [*self.choices, None]} if self.choices else described


class Schema(Model):
    """What one kind of document is asked for. `kind` is the kind of the records that come of it."""

    kind: Annotated[str, pydantic.Field(max_length=40)]
    fields: Annotated[tuple[Field, ...], pydantic.Field(max_length=MOST_FIELDS)]

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        if not NAME.fullmatch(self.kind):
            raise ValueError(f"{_naming('kind', self.kind)} {NAMES}")
        if not self.fields:
            raise ValueError("A schema needs at least one field.")
        if twice := _repeated(self.fields):
            raise ValueError(f"“{twice}” is the name of two fields; names have to differ.")
        if (count := self.size) > MOST_FIELDS:
            raise ValueError(
                f"These are {count} fields with the columns of lists; at most {MOST_FIELDS} can be asked for at once."
            )
        return self

    @classmethod
    def of(cls, data: object) -> Self:
        """The schema in data as JSON has it. Raises SchemaError, whose problems are sentences for people."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise SchemaError(_in_words(error)) from None

    @property
    def size(self) -> int:
        """How many values are asked for, columns of lists included."""
        return len(self.fields) + sum(len(one.fields) for one in self.fields)

    def json_schema(self) -> dict[str, Any]:
        """For structured outputs: strict (nothing beside it, every member required, what is missing is null)."""
        return _object(self.fields, f"What a document of kind “{self.kind}” states.")


READY_MADE = Path(__file__).parent / "schemas"


def ready_made() -> dict[str, Schema]:
    """Those that come with the product, by name: to be used as they are, or to begin with."""
    return {
        file.stem: Schema.of(json.loads(file.read_text(encoding="utf-8")))
        for file in sorted(READY_MADE.glob("*.json"))
    }


DEEPEST = 8
FAULTS = {
    "missing": "is missing", "extra_forbidden": "is nothing that a schema knows", "string_type": "has to be text", "bool_type": "has to be true or false",
    "bool_parsing": "has to be true or false", "enum": "has to be one of {expected}", "tuple_type": "has to be a list", "model_type": "has to be an object",
    "string_too_long": "has more than {max_length} characters", "string_too_short": "is empty", "too_long": "has more than {max_length} entries",
}  # fmt: skip
"""Faults in the words of people who write schemas."""
NAMES = "has to begin with a letter a-z and hold only a-z, 0-9 and _, up to 60 of them."


def _complaints(one: Field) -> Iterator[str]:
    """What is wrong with a field, beyond the types of its members."""
    if not NAME.fullmatch(one.name):
        yield f"{_naming('name', one.name)} {NAMES}"
    for text in (one.description, *one.choices):
        if UNPRINTABLE.search(text):
            yield f"The field “{one.name}” holds control characters or invisible ones; write plain text."
    if one.type is Type.CHOICE and not one.choices:
        yield f"The field “{one.name}” is a choice, so that it needs words to choose from."
    if one.choices and one.type is not Type.CHOICE:
        yield f"The field “{one.name}” has words to choose from, but its type is {one.type}; only a choice has them."
    if len(set(one.choices)) < len(one.choices):
        yield f"The field “{one.name}” has the same word twice among its choices."
    if one.type is Type.LIST and not one.fields:
        yield f"The field “{one.name}” is a list, so that it needs columns."
    if one.fields and one.type is not Type.LIST:
        yield f"The field “{one.name}” has columns, but its type is {one.type}; only a list has them."
    if any(column.type is Type.LIST for column in one.fields):
        yield f"The list “{one.name}” holds another list; lists go one level deep."
    if twice := _repeated(one.fields):
        yield f"The list “{one.name}” has two columns “{twice}”; names have to differ."


def _repeated(fields: tuple[Field, ...]) -> str:
    seen: set[str] = set()
    for one in fields:
        if one.name in seen:
            return one.name
        seen.add(one.name)
    return ""


def _naming(what: str, text: str) -> str:
    return f"The {what} “{UNPRINTABLE.sub('?', text[:60])}”"


def _object(fields: tuple[Field, ...], description: str) -> dict[str, Any]:
    described = {"description": description} if description else {}
    return {
        "type": "object", **described, "properties": {one.name: one.json_schema() for one in fields},
        "required": [one.name for one in fields], "additionalProperties": False,
    }  # fmt: skip


def _sentences(parts: list[str]) -> str:
    return " ".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in parts if part)


def _in_words(error: ValidationError) -> list[str]:
    """Each fault once, with the place where it stands; what was handed in is not repeated at length."""
    problems = []
    for fault in error.errors(include_url=False, include_input=False):
        if len(fault["loc"]) > DEEPEST:
            problems.append("This is nested too deeply; lists go one level deep.")
        elif fault["type"] == "value_error":
            problems.append(fault["msg"].removeprefix("Value error, "))
        else:
            told = FAULTS.get(fault["type"], fault["msg"].lower()).format(**fault.get("ctx", {}))
            problems.append(f"{_place(fault['loc'])} {told}.")
    return list(dict.fromkeys(problems))[:20]


def _place(location: tuple[int | str, ...]) -> str:
    """("fields", 2, "fields", 0, "name") is "Field 3, column 1, name"."""
    words, numbers = [], 0
    for part in location:
        if isinstance(part, int):
            numbers += 1
            words.append(
                f"{'field' if numbers == 1 else 'column'} {part + 1}" if numbers < 3 else f"entry {part + 1}"
            )
        elif part != "fields" or part == location[-1]:
            words.append(UNPRINTABLE.sub("?", str(part)[:60]))
    told = ", ".join(words) or "the schema"
    return told[0].upper() + told[1:]
