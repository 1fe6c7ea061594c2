"""The files that a new agent begins with: a small schema, a sample with a scripted answer or a program of its own, and a golden test."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tasks.agent.schema import NAME as IDENTIFIER

SAMPLE = Path(__file__).resolve().parent.parent / "agent" / "samples" / "01-invoice-english.pdf"
FIELDS: list[dict[str, Any]] = [
    {
        "name": "issuer",
        "type": "text",
        "description": "Who issued the document, as printed",
        "required": True,
    },
    {"name": "number", "type": "text", "description": "The document's own number", "required": True},
    {"name": "date", "type": "date", "description": "Date of the document", "required": True},
    {"name": "currency", "type": "currency"},
    {"name": "total", "type": "money", "description": "What is to be paid in the end"},
]
ANSWER = {
    "issuer": "Harbour Lane Books Ltd", "number": "HLB-2024-0187", "date": "2024-03-14", "currency": "GBP", "total": "725.40",
}  # fmt: skip
TEST = '''"""The samples of {name} come out as expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.agent.golden import Folder

AGENT = Folder.of(Path(__file__).parent)


@pytest.mark.parametrize("sample", AGENT.samples(), ids=lambda path: path.name)
def test_sample(sample: Path) -> None:
    assert AGENT.differences(sample) == []
'''
PROGRAM = '''"""Reads {name}: a value is what stands beside its label."""

from __future__ import annotations

from tasks.agent import confidence
from tasks.agent.contract import FieldValue, Order, Record, Result, Usage
from tasks.agent.pdf import Document
from tasks.agent.reading import Tell, read_document
from tasks.agent.rules import dates, numbers
from tasks.agent.rules.text import Candidate, Text
from tasks.agent.rules.values import grounded, missing
from tasks.agent.schema import Field, Schema, Type

LABELS = {{"number": "invoice number", "date": "invoice date", "total": "total"}}


def read(order: Order, tell: Tell) -> tuple[Result, Usage]:
    """What the queue calls: the order in, the result and what it cost out. Raise contract.Problem for what cannot be read."""
    schema = Schema.of(order.settings["schema"])
    with Document.open(order.document, order.password, order.limits) as document:
        reading = read_document(document, order, tell)
        text = Text(reading.readable)
        fields = {{}}
        for field in schema.fields:
            candidate = beside_label(text, field) if field.name in LABELS else None
            if candidate:
                fields[field.name] = grounded(document, text, candidate)
            elif field.required:
                fields[field.name] = FieldValue(value=None, confidence=0.0, reasons=(missing(field.name),))
        record = Record(kind=schema.kind, fields=fields, last_page=document.page_count)
        required = tuple(field.name for field in schema.fields if field.required)
        return Result(
            kind=schema.kind,
            pages=document.page_count,
            records=(record,),
            confidence=confidence.of_records((record,), required),
            needs_review=confidence.needs_review((record,), required),
        ), Usage()


def beside_label(text: Text, field: Field) -> Candidate | None:
    """The text right of the label, in the form that the field's type asks for."""
    for cell in text.cells:
        if text.folded[cell] != LABELS[field.name]:
            continue
        for beside in text.right_of(cell):
            if field.type is Type.DATE:
                value = next((found.value.isoformat() for found in dates.find(text.folded[beside])), "")
            elif field.type is Type.MONEY:
                value = next((numbers.plain(found.value) for found in numbers.amounts(beside.text, text.mark)), "")
            else:
                value = beside.text
            if value:
                return Candidate(value, 0.9, beside.words)
    return None
'''


def is_name(name: str) -> bool:
    """Agents' names become folders and modules: delivery-notes is own_agents/delivery_notes."""
    return bool(IDENTIFIER.fullmatch(name.replace("-", "_"))) and len(name) <= 40


def write(folder: Path, name: str, *, own_program: bool) -> list[Path]:
    """The files of a new agent, in the order in which they are worth reading. Raises OSError; FileExistsError where there is one."""
    folder.mkdir(parents=True)
    samples = folder / "samples"
    samples.mkdir()
    shutil.copyfile(SAMPLE, samples / "sample.pdf")
    kind, module = name.replace("-", "_"), f"{folder.parent.name}.{folder.name}"
    program = f"{module}.program:read" if own_program else "llm"
    labelled = ("number", "date", "total") if own_program else tuple(ANSWER)
    fields = [one for one in FIELDS if one["name"] in labelled]
    values = {one: ANSWER[one] for one in labelled}
    expected = {"outcome": "result", "kind": kind, "fields": values, "line_count": 0, "flagged": []}
    about = {
        "name": name,
        "title": name.replace("-", " ").capitalize(),
        "program": program,
        "model": "",
        "options": {},
    }
    files = [
        _json(folder / "schema.json", {"kind": kind, "fields": fields}), _json(folder / "agent.json", about),
        samples / "sample.pdf", _json(samples / "sample.expected.json", expected), _text(folder / f"test_{kind}.py", TEST.format(name=name)),
    ]  # fmt: skip
    if own_program:
        return [_text(folder / "program.py", PROGRAM.format(name=name)), *files]
    return [*files, _json(samples / "sample.answer.json", ANSWER)]


def _json(path: Path, content: dict[str, Any]) -> Path:
    return _text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def _text(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path
