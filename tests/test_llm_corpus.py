"""Real invoices and contracts with a scripted model: right values come with their evidence, invented ones are never shown as found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tasks.agent import printed
from tasks.agent.contract import FieldValue
from tasks.agent.llm.grounded import NOT_FOUND
from tests.fakes.openai import Asked, ModelServer, Reply, answer
from tests.llm_tools import attempt, pages_pdf, record

FOLDER = Path(os.environ.get("CORPUS_DIR", ""))
SCHEMAS = Path("tasks/agent/schemas")
pytestmark = pytest.mark.slow
needs_corpus = pytest.mark.skipif(
    not os.environ.get("CORPUS_DIR") or not (FOLDER / "manifest.json").is_file(),
    reason="set CORPUS_DIR to the folder of the corpus (manifest.json) to run these",
)
INVOICE = ("supplier", "number", "date", "due_date", "currency", "net", "tax", "total")
MONEY = {"net", "tax", "total", "amount"}
INVENTED = {
    "supplier": "Inventio Phantasia AG", "number": "ZQX-999-77", "date": "1999-09-09", "due_date": "1998-08-08", "currency": "ISK",
    "net": "98765.43", "tax": "8765.42", "total": "107530.85",
}  # fmt: skip
NOT_PRINTED = {
    ("inv_nexgen_grid_en_2p.pdf", "currency"), ("quote_citizen_ja.pdf", "supplier"), ("con_sydney_disclosure_en.pdf", "currency"),
}  # fmt: skip
"""True, but no text of the page says it: such values are flagged, and rightly."""
CONTRACTS: dict[str, dict[str, str]] = {
    "con_cymbal_license_en.pdf": {
        "party_1": "Cymbal Inc.", "party_2": "B-Cafetal, Inc.", "effective_date": "2015-08-06", "governing_law": "New York",
    },
    "con_sydney_disclosure_en.pdf": {"party_2": "Reino International Pty Ltd", "amount": "3148800.00", "currency": "AUD"},
    "con_policy_nexgen_en_13p.pdf": {
        "party_1": "NexGen", "party_2": "Joe Bloggs", "effective_date": "2024-06-03", "end_date": "2025-06-02", "amount": "532.19", "currency": "GBP",
    },
}  # fmt: skip


def invoices() -> dict[str, dict[str, str]]:
    """Values of the schema invoice by file, of everything that is one."""
    if not (FOLDER / "manifest.json").is_file():
        return {}
    found = {}
    for entry in json.loads((FOLDER / "manifest.json").read_text()):
        truth = entry.get("truth") or {}
        if {"supplier", "number", "total"} <= truth.keys():
            said = {name: truth[name] for name in INVOICE if truth.get(name) is not None}
            found[entry["file"]] = {
                name: f"{value:.2f}" if name in MONEY else str(value) for name, value in said.items()
            }
    return found


def read(file: str, kind: str, values: dict[str, str]) -> tuple[dict[str, FieldValue], list[Asked]]:
    """The fields of an attempt whose model says these values of whichever pages it is asked about."""
    schema = json.loads((SCHEMAS / f"{kind}.json").read_text())
    with ModelServer(lambda _: answer(values)) as there:
        return record(attempt(there, FOLDER / file, schema=schema)).fields, there.asked


def holds(value: FieldValue) -> bool:
    """Whether the quotes, read again here, hold the value."""
    quoted = " ".join(proof.quote for proof in value.evidence)
    if printed.key(str(value.value)) in printed.key(quoted):
        return True
    try:
        wanted = abs(float(str(value.value)))
    except ValueError:
        return len(str(value.value)) in (3, 10)  # a currency's sign, a date in its own way of writing
    return any(
        abs(float(one)) == wanted
        for number in printed.numbers(printed.plain(quoted))
        for one in number.values
    )


@needs_corpus
@pytest.mark.parametrize(("file", "kind", "values"), [
    *((file, "invoice", values) for file, values in invoices().items()), *((file, "contract", values) for file, values in CONTRACTS.items()),
])  # fmt: skip
def test_a_true_answer_gives_right_values_with_evidence(file: str, kind: str, values: dict[str, str]) -> None:
    fields, _ = read(file, kind, values)
    for name, value in values.items():
        assert fields[name].value == value
        if (file, name) in NOT_PRINTED:
            assert NOT_FOUND in fields[name].reasons
        else:
            assert fields[name].evidence and holds(fields[name]), (name, value)


@needs_corpus
@pytest.mark.parametrize("file", invoices())
def test_an_invented_value_is_never_shown_as_found(file: str) -> None:
    fields, _ = read(file, "invoice", INVENTED)
    for name in INVENTED:
        assert (
            fields[name].evidence == ()
            and NOT_FOUND in fields[name].reasons
            and fields[name].confidence < 0.6
        ), name


@needs_corpus
def test_what_a_hostile_invoice_hides_is_neither_sent_nor_found() -> None:
    values = invoices()["x_prompt_injection_invoice.pdf"]
    fields, (asked,) = read("x_prompt_injection_invoice.pdf", "invoice", values)
    assert all(fields[name].evidence for name in values)
    assert "1234.56" in asked.text.replace(",", "") and len(asked.messages) == 2


# A document of 1,200 pages

# The peak is VmHWM of the process's own memory: ru_maxrss goes through exec, so it begins at what the test
# process itself once held.
MEASURED = """
import re, resource, sys
from pathlib import Path
from tasks.agent.contract import Completed
from tests.llm_tools import attempt
from types import SimpleNamespace
resource.setrlimit(resource.RLIMIT_AS, (1536 << 20, 1536 << 20))
outcome = attempt(SimpleNamespace(url=sys.argv[1]), Path(sys.argv[2]), vision="never")
assert isinstance(outcome, Completed), outcome
fields = outcome.result.records[0]
print(len(fields.lines), fields.fields["total"].value, fields.fields["total"].evidence[0].page)
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


def test_a_document_of_1200_pages_is_read_whole_within_an_attempts_memory(tmp_path: Path) -> None:
    rows = [[f"Entry {page}.{row}  {page}.{row:02d}" for row in range(1, 31)] for page in range(1, 1201)]
    rows[-1] += ["Total  4321.00"]
    path = pages_pdf(tmp_path / "long.pdf", rows)

    def script(asked: Asked) -> Reply:
        last: dict[str, Any] = {"total": "4321.00"} if 1200 in asked.pages else {}
        return answer(
            {**last, "lines": [{"item": f"Entry {page}.1", "amount": f"{page}.01"} for page in asked.pages]}
        )

    with ModelServer(script) as there:
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, there.url, str(path)],
            capture_output=True,
            text=True,
            timeout=500,
        )
    assert done.returncode == 0, done.stderr[-2000:]
    lines, total, page, kib = done.stdout.split()
    assert (int(lines), total, page) == (1200, "4321.00", "1200")
    assert {page for asked in there.asked for page in asked.pages} == set(range(1, 1201))
    assert int(kib) < 400 * 1024
