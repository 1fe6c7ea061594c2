"""What tests of the program "llm" share: documents of several pages, a small schema, and an attempt against a scripted server."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fpdf import FPDF

from tasks.agent.contract import Completed, Failed, FieldValue, Record
from tests.fakes.openai import KEY, MODEL, Asked, ModelServer, Reply, answer
from tests.pdfs import outcome_of

SCHEMA = {
    "kind": "bill",
    "fields": [
        {"name": "supplier", "type": "text", "required": True},
        {"name": "date", "type": "date"},
        {"name": "total", "type": "money", "required": True},
        {"name": "lines", "type": "list", "fields": [{"name": "item"}, {"name": "amount", "type": "money"}]},
    ],
}


def pages_pdf(path: Path, pages: list[list[str]]) -> Path:
    """A document with these lines on its pages; two spaces and more set what follows apart."""
    pdf = FPDF()
    pdf.set_font("Helvetica", size=11)
    for lines in pages:
        pdf.add_page()
        for line in lines:
            at = 10.0
            for cell in re.split(r"  +", line):
                pdf.set_x(at)
                pdf.cell(80, 7, cell)
                at += 90
            pdf.ln(7)
    pdf.output(str(path))
    return path


def bill(path: Path, pages: int, per_page: int = 2) -> Path:
    """Page n holds the entries "Entry n.1", "Entry n.2", … of n × 100 + their number; the first one supplier and date, the last one the total."""
    made = []
    for page in range(1, pages + 1):
        lines = [f"Entry {page}.{row}  {page * 100 + row}.00" for row in range(1, per_page + 1)]
        head = ["Harbour Books Ltd", "Date: 14 March 2024"] if page == 1 else []
        made.append([*head, *lines, *([f"Total  {total_of(pages, per_page)}"] if page == pages else [])])
    return pages_pdf(path, made)


def total_of(pages: int, per_page: int = 2) -> str:
    return f"{sum(page * 100 + row for page in range(1, pages + 1) for row in range(1, per_page + 1))}.00"


def honest(asked: Asked, **members: Any) -> Reply:
    """What a good model answers about pages of a bill: all of what they say, and nothing else."""
    total = re.search(r"^Total\s+([\d.]+)", asked.text, re.M)
    lines = re.findall(r"^(Entry [\d.]+)\s+([\d.]+)$", asked.text, re.M)
    first = "Harbour Books Ltd" in asked.text
    return answer(
        {
            "supplier": "Harbour Books Ltd" if first else None,
            "date": "2024-03-14" if first else None,
            "total": total[1] if total else None,
            "lines": [{"item": item, "amount": amount} for item, amount in lines],
        },
        **members,
    )


def attempt(server: ModelServer, path: Path, *, key: str = KEY, **settings: Any) -> Completed | Failed:
    """One attempt at the document; `settings` are the agent's, and members of the order by the name of `order`."""
    members = {"endpoint": {"base_url": server.url, "key": key}, **settings.pop("order", {})}
    return outcome_of(path, program="llm", settings={"schema": SCHEMA, "model": MODEL, **settings}, **members)


def record(outcome: Completed | Failed) -> Record:
    assert isinstance(outcome, Completed) and outcome.result is not None, outcome
    return outcome.result.records[0]


def field(outcome: Completed | Failed, name: str) -> FieldValue:
    return record(outcome).fields[name]


def failure(outcome: Completed | Failed) -> Failed:
    assert isinstance(outcome, Failed), outcome
    return outcome


def in_turn(*replies: Any) -> Callable[[Asked], Any]:
    """Each reply once, the last one for ever; one may be a function of what was asked."""
    left = list(replies)

    def script(asked: Asked) -> Any:
        reply = left.pop(0) if len(left) > 1 else left[0]
        return reply(asked) if callable(reply) else reply

    return script
