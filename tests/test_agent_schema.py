"""A schema says in words what is wrong with it; every attribute of it reaches the model; answers become typed values, with their faults by field."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.agent import answers
from tasks.agent.prior import prior
from tasks.agent.schema import MOST_FIELDS, Schema, SchemaError, ready_made
from tasks.estimates import Figures, estimate

INVOICE = {
    "kind": "invoice",
    "fields": [
        {"name": "number", "description": "The document's number", "required": True},
        {"name": "date", "type": "date"},
        {"name": "total", "type": "money"},
        {"name": "rate", "type": "number"},
        {"name": "copies", "type": "integer"},
        {"name": "currency", "type": "currency"},
        {"name": "method", "type": "choice", "choices": ["cash", "card"]},
        {"name": "lines", "type": "list", "fields": [{"name": "item"}, {"name": "amount", "type": "money"}]},
    ],
}


def with_change(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """INVOICE with one value at another: ("fields", 0, "name")."""
    changed = copy.deepcopy(INVOICE)
    place: Any = changed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return changed


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "has to be an object"),
        ([], "has to be an object"),
        ({"kind": "invoice"}, "Fields is missing"),
        ({"kind": "invoice", "fields": []}, "needs at least one field"),
        ({"kind": "invoice", "fields": "x"}, "Fields has to be a list"),
        (with_change(("kind",), "My invoice"), "The kind “My invoice” has to begin with a letter"),
        (with_change(("kind",), "a" * 41), "Kind has more than 40 characters"),
        (with_change(("fields", 0, "name"), "Number"), "The name “Number” has to begin with a letter"),
        (with_change(("fields", 0, "name"), "nümber"), "The name “nümber”"),
        (with_change(("fields", 0, "name"), "a" * 61), "up to 60"),
        (with_change(("fields", 0, "name"), "a\n"), "The name"),
        (with_change(("fields", 0, "name"), 7), "Field 1, name has to be text"),
        (with_change(("fields", 0, "name"), "date"), "“date” is the name of two fields"),
        (with_change(("fields", 0, "type"), "float"), "Field 1, type has to be one of"),
        (with_change(("fields", 0, "required"), "perhaps"), "Field 1, required has to be true or false"),
        (with_change(("fields", 0, "extra"), 1), "Field 1, extra is nothing that a schema knows"),
        (with_change(("fields", 0, "description"), "x" * 501), "more than 500 characters"),
        (with_change(("fields", 0, "description"), "a\x00b"), "control characters"),
        (with_change(("fields", 0, "description"), "pay \u202eelttil"), "control characters or invisible ones"),
        (with_change(("fields", 6, "choices"), []), "needs words to choose from"),
        (with_change(("fields", 6, "choices"), ["cash", "cash"]), "the same word twice"),
        (with_change(("fields", 6, "choices"), [""]), "is empty"),
        (with_change(("fields", 6, "choices"), [str(n) for n in range(51)]), "more than 50 entries"),
        (with_change(("fields", 1, "choices"), ["cash"]), "only a choice has them"),
        (with_change(("fields", 7, "fields"), []), "needs columns"),
        (with_change(("fields", 1, "fields"), [{"name": "x"}]), "only a list has them"),
        (with_change(("fields", 7, "fields", 0, "name"), "amount"), "has two columns “amount”"),
        (with_change(("fields", 7, "fields", 0), INVOICE["fields"][7]), "lists go one level deep"),  # type: ignore[index]
        (with_change(("fields", 7, "fields"), [{"name": f"c{n}"} for n in range(MOST_FIELDS)]), "at most 60"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_schema_is_said_in_words(data: Any, said: str) -> None:
    with pytest.raises(SchemaError) as caught:
        Schema.of(data)
    assert said in " ".join(caught.value.problems)
    assert "Input should" not in str(caught.value) and len(str(caught.value)) < 2000


@pytest.mark.parametrize("depth", [3, 50, 5000])
def test_a_nested_one_is_refused_in_a_sentence(depth: int) -> None:
    field: dict[str, Any] = {"name": "x"}
    for _level in range(depth):
        field = {"name": "x", "type": "list", "fields": [field]}
    with pytest.raises(SchemaError, match="one level deep"):
        Schema.of({"kind": "k", "fields": [field]})


CHANGES = [
    (("kind",), "receipt"),
    (("fields", 0, "name"), "reference"),
    (("fields", 0, "type"), "integer"),
    (("fields", 0, "type"), "money"),
    (("fields", 0, "description"), "Another description"),
    (("fields", 0, "required"), False),
    (("fields", 6, "choices"), ["cash", "card", "transfer"]),
    (("fields", 7, "required"), True),
    (("fields", 7, "fields", 1, "name"), "price"),
    (("fields", 7, "fields", 1, "type"), "number"),
    (("fields", 7, "fields", 1, "description"), "In the currency of the total"),
    (("fields", 7, "fields", 1, "required"), True),
]


@pytest.mark.parametrize(("path", "value"), CHANGES)
def test_every_attribute_changes_what_a_model_is_asked(path: tuple[Any, ...], value: Any) -> None:
    changed = Schema.of(with_change(path, value)).json_schema()
    assert changed != Schema.of(INVOICE).json_schema()


def test_no_two_types_ask_for_the_same() -> None:
    asked = {
        kind: json.dumps(Schema.of(with_change(("fields", 0, "type"), kind)).json_schema())
        for kind in ("text", "date", "money", "number", "integer", "currency")
    }
    assert len(set(asked.values())) == len(asked)


@pytest.mark.parametrize("schema", [Schema.of(INVOICE), *ready_made().values()], ids=lambda one: one.kind)
def test_the_json_schema_is_what_structured_outputs_take(schema: Schema) -> None:
    """Strict: nothing beside, every member required and nullable; and none of the keywords that servers do not know."""

    def look(part: dict[str, Any]) -> None:
        if part["type"] == "object":
            assert part["additionalProperties"] is False
            assert part["required"] == list(part["properties"])
            for inner in part["properties"].values():
                look(inner)
        elif part["type"] == "array":
            look(part["items"])
        else:
            assert part["type"] in (["string", "null"], ["integer", "null"])
            assert None in part.get("enum", [None])
        assert set(part) <= {
            "type", "description", "properties", "required", "additionalProperties", "items", "enum",
        }  # fmt: skip

    look(schema.json_schema())
    assert schema.size <= MOST_FIELDS


def test_an_answer_becomes_typed_values() -> None:
    said = {
        "number": " 2026-17 ", "date": "2026-02-28", "total": "-1234.50", "rate": 19, "copies": 2.0, "currency": "eur", "method": "Card",
        "lines": [{"item": "Paper", "amount": 0.1}, {"item": None, "amount": None}, {"item": "Ink", "amount": "7"}],
    }  # fmt: skip
    answer = answers.parse(Schema.of(INVOICE), json.dumps(said))
    assert answer.problems == {}
    assert answer.values == {
        "number": "2026-17", "date": "2026-02-28", "total": "-1234.50", "rate": "19", "copies": 2, "currency": "EUR", "method": "card",
        "lines": [{"item": "Paper", "amount": "0.1"}, {"item": "Ink", "amount": "7"}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("date", "2026-02-30", "no date of the calendar"),
        ("date", "28.02.2026", "written as YYYY-MM-DD"),
        ("date", "2026-02-28T00:00:00", "YYYY-MM-DD"),
        ("date", "٢٠٢٦-٠٢-٢٨", "YYYY-MM-DD"),
        ("total", "1.234,50", "no decimal number"),
        ("total", "1e3", "no decimal number"),
        ("total", "NaN", "no decimal number"),
        ("total", True, "no decimal number"),
        ("copies", "two", "no whole number"),
        ("copies", 2.5, "no whole number"),
        ("copies", False, "no whole number"),
        ("currency", "Euro", "ISO 4217"),
        ("method", "cheque", "none of cash, card"),
        ("number", {"a": 1}, "is no text"),
        ("number", "x" * 4001, "more than a value may have"),
        ("lines", "none", "no list"),
    ],
)
def test_what_does_not_fit_is_named_by_its_field_and_kept_out(name: str, value: Any, said: str) -> None:
    answer = answers.parse(Schema.of(INVOICE), {name: value})
    assert said in answer.problems[name]
    assert not answer.values[name]
    assert len(answer.problems[name]) < 300


def test_faults_in_lists_name_their_row_and_column() -> None:
    answer = answers.parse(
        Schema.of(INVOICE),
        {"lines": [{"item": "a", "amount": "1"}, {"item": "b", "amount": "x"}, 3], "sum": 1},
    )
    assert set(answer.problems) == {"lines[2].amount", "lines[3]", "sum"}
    assert [row["item"] for row in answer.values["lines"]] == ["a", "b"]
    many = answers.parse(Schema.of(INVOICE), {"lines": [{"item": "a"}] * 2001})
    assert "first 2,000" in many.problems["lines"] and len(many.values["lines"]) == 2000


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"x"', "[" * 100_000, '{"number": "unfin', b"\xff"])
def test_what_is_no_json_object_is_a_problem_of_the_whole(text: str | bytes) -> None:
    answer = answers.parse(Schema.of(INVOICE), text)
    assert "" in answer.problems and answer.values["lines"] == [] and answer.values["total"] is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NAMES = [one["name"] for one in INVOICE["fields"]]  # type: ignore[index]


@given(st.dictionaries(st.sampled_from(NAMES), JSON))
def test_whatever_is_answered_comes_out_in_types_and_can_be_stored(said: dict[str, Any]) -> None:
    values = answers.parse(Schema.of(INVOICE), said).values
    assert set(values) == set(NAMES)
    assert all(
        isinstance(value, str | int | None | list) and not isinstance(value, bool)
        for value in values.values()
    )
    assert "\\u0000" not in json.dumps(values)


def test_the_prior_grows_with_pages_fields_columns_and_pictures() -> None:
    def tokens(data: dict[str, Any], pages: int = 10, **settings: Any) -> int:
        return estimate(Figures(**prior(Schema.of(data), settings)), pages).tokens

    small = {"kind": "k", "fields": [{"name": "a"}]}
    assert tokens(small) < tokens(INVOICE) < tokens(INVOICE, 20)
    assert tokens(INVOICE, vision="never") < tokens(INVOICE, vision="auto") < tokens(INVOICE, vision="always")
    assert tokens(INVOICE, 100, window_pages=50) < tokens(INVOICE, 100, window_pages=5)
    assert tokens(INVOICE, max_output_tokens=100) < tokens(INVOICE)


@pytest.mark.parametrize(
    ("window", "pages", "requests"), [(10, 1, 1), (10, 10, 1), (10, 11, 2), (10, 200, 20), (1, 7, 7)]
)
def test_the_prior_counts_a_request_per_window(window: int, pages: int, requests: int) -> None:
    figures = Figures(**prior(Schema.of(INVOICE), {"window_pages": window}))
    assert estimate(figures, pages).requests == requests
