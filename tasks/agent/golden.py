"""An agent in a folder of its own: what it is, how it reads a file, and whether its samples still come out as expected.

agent.json                    program, model, and further settings
schema.json                   the fields that it is asked for
samples/NAME.pdf              with NAME.expected.json: what has to come out of it
samples/NAME.answer.json      what a model is taken to have answered, for an agent that asks one
"""

from __future__ import annotations

import hashlib
import json
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from tasks.agent.contract import Completed, Endpoint, Failed, Order
from tasks.agent.predictions import differences, prediction
from tasks.agent.program import attempt
from tasks.agent.schema import NAME, Schema, storable
from tasks.agent.scripted import scripted

NO_MODEL = "scripted"
"""Named to an agent without a model, for answers that are scripted."""
LONGEST = {"name": 60, "title": 200, "program": 200, "model": 200}
"""Characters, as the database has room for them."""


class FolderError(ValueError):
    """A folder holds no agent that can be used: one sentence that names the file."""


@dataclass(frozen=True, slots=True)
class Folder:
    """An agent as its files describe it. `options`: its settings with the schema, as a version keeps them."""

    path: Path
    name: str
    title: str
    program: str
    model: str
    options: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, path: Path) -> Folder:
        """Raises FolderError."""
        said = _json(path / "agent.json", dict)
        if unknown := set(said) - {"name", "title", "program", "model", "options"}:
            raise FolderError(f"{path / 'agent.json'} holds {sorted(unknown)[0]!r}, which no agent has.")
        schema = _json(path / "schema.json", dict)
        try:
            Schema.of(schema)
        except ValueError as error:
            raise FolderError(f"{path / 'schema.json'}: {error}") from None
        if not isinstance(said.get("options", {}), dict) or not storable([said, schema]):
            raise FolderError(
                f"{path / 'agent.json'}: options has to be a JSON object, and nothing may stand there that a database cannot keep, such as NUL."
            )
        name, title, program, model = (
            _text(path, said, one) for one in ("name", "title", "program", "model")
        )
        name = name or path.name
        if name.replace("-", "_") != path.name or not NAME.fullmatch(path.name):
            # A copied folder that kept the name would become the next version of the agent that it was copied from
            raise FolderError(
                f"{path / 'agent.json'} is of {name!r}, and the folder is called {path.name!r}: give both one name."
            )
        return cls(path, name, title, program, model, {**said.get("options", {}), "schema": schema})

    def samples(self) -> list[Path]:
        """Those that something is expected of."""
        return [
            file
            for file in sorted((self.path / "samples").glob("*.pdf"))
            if file.with_suffix(".expected.json").exists()
        ]

    def read(self, file: Path, *, endpoint: Endpoint | None = None, password: str = "") -> Completed | Failed:
        """Without `endpoint` the answer beside the file, if there is one, is taken for the model's."""
        script = file.with_suffix(".answer.json")
        with ExitStack() as stack:
            model = self.model
            if endpoint is None and script.exists():
                answers = _json(script, object)
                endpoint = stack.enter_context(scripted(answers if isinstance(answers, list) else [answers]))
                model = model or NO_MODEL
            return read(file, self.program, self.options, model, endpoint or Endpoint(), password)

    def differences(self, sample: Path) -> list[str]:
        """Where what is read differs from what is expected, in words."""
        expected = _json(sample.with_suffix(".expected.json"), dict)
        outcome = self.read(sample)
        found = differences(outcome, expected)
        return [*found, outcome.message] if found and isinstance(outcome, Failed) else found


def read(
    file: Path, program: str, options: dict[str, Any], model: str, endpoint: Endpoint, password: str = ""
) -> Completed | Failed:
    """One file, here and now, outside any queue. Raises OSError if it cannot be opened."""
    order = Order(
        attempt=uuid4(), task=0, number=1, program=program, settings={**options, "model": model} if model else options,
        document=str(file), document_sha256=hashlib.sha256(file.read_bytes()).hexdigest(), document_name=file.name,
        password=password, endpoint=endpoint,
    )  # fmt: skip
    return attempt(order, lambda _done, _total, _usage: None)


def expectation(outcome: Completed | Failed) -> dict[str, Any]:
    """What came out in the form of NAME.expected.json, to be checked by a person before it is believed."""
    told: dict[str, Any] = {"outcome": prediction(outcome)["outcome"]}
    if isinstance(outcome, Completed) and outcome.result and outcome.result.records:
        record = outcome.result.records[0]
        values = {name: one.value for name, one in record.fields.items() if one.value is not None}
        told |= {"kind": outcome.result.kind, "fields": values, "line_count": len(record.lines)}
        told["flagged"] = prediction(outcome)["flagged"]
    return told


def _text(path: Path, said: dict[str, Any], name: str) -> str:
    value = said.get(name, "")
    if not isinstance(value, str) or len(value) > LONGEST[name]:
        raise FolderError(
            f"{path / 'agent.json'}: {name} has to be text of at most {LONGEST[name]} characters."
        )
    return value


def _json(path: Path, kind: type) -> Any:
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FolderError(f"There is no {path}.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise FolderError(f"{path} cannot be read as JSON: {error}.") from None
    if not isinstance(said, kind):
        raise FolderError(f"{path} has to hold a JSON object.")
    return said
