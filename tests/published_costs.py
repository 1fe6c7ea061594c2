"""Every number of the reports of money, as CSV, workbook and JSON, beside a plain sum over the attempts."""

from __future__ import annotations

import io
import json
from decimal import Decimal

import openpyxl
import pytest
from django.core.management import call_command
from django.urls import reverse

from tests.mixed_work import MixedWork
from tests.plain_sql import file, number, one, rows, table

EVER = "from=2020-01-01&to=2100-01-01"

KEYS = {
    "client": "c.name", "agent": "g.name", "model": "coalesce(nullif(a.model, ''), 'none')", "outcome": "a.status", "uploader": "coalesce(u.username, 'none')",
    "status": "CASE WHEN t.finished_at IS NULL THEN 'open' ELSE t.status END", "version": "g.name || ' v' || v.number",
    "engagement": "c.name || ' · ' || e.engagement",
    "day": "to_char(a.finished_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')", "month": "to_char(a.finished_at AT TIME ZONE 'UTC', 'YYYY-MM-01')",
}  # fmt: skip
FIGURES = """count(*), count(*) FILTER (WHERE NOT EXISTS (SELECT FROM task_attempts b WHERE b.task_id = a.task_id AND b.generation = a.generation AND b.number < a.number)),
  count(*) FILTER (WHERE a.status = 'completed'), sum(a.cost_usd), sum(a.compute_cost_usd),
  CASE WHEN count(a.cost_usd) + count(a.compute_cost_usd) > 0 THEN coalesce(sum(a.cost_usd), 0) + coalesce(sum(a.compute_cost_usd), 0) END,
  coalesce(sum(a.cost_usd) FILTER (WHERE a.cost_state = 'settled'), 0) + coalesce(sum(a.compute_cost_usd) FILTER (WHERE a.compute_cost_state = 'settled'), 0),
  coalesce(sum(a.cost_usd) FILTER (WHERE a.cost_state = 'estimated'), 0) + coalesce(sum(a.compute_cost_usd) FILTER (WHERE a.compute_cost_state = 'estimated'), 0),
  count(*) FILTER (WHERE a.cost_usd IS NULL), count(*) FILTER (WHERE a.compute_cost_usd IS NULL)"""
SPENT = """FROM task_attempts a JOIN tasks t ON t.id = a.task_id JOIN extractions e ON e.id = t.extraction_id JOIN clients c ON c.id = a.client_id
  JOIN agents g ON g.id = a.agent_id JOIN agent_versions v ON v.id = a.agent_version_id LEFT JOIN auth_user u ON u.id = e.created_by_id WHERE a.finished_at IS NOT NULL"""
WORDS = {"open": "Not ended", "timeout": "Timed out", "released": "Handed back"}


def costs_agree(work: MixedWork) -> None:
    agent, client = work.luck.choice(work.agents), work.luck.choice(work.clients)
    narrowings = {
        f"&agent={agent.pk}": f"a.agent_id = {agent.pk}", f"&client={client.pk}&status=failed": f"a.client_id = {client.pk} AND t.status = 'failed'",
        "&attempts=lost": "a.status = 'lost'",
    }  # fmt: skip
    for by in ("agent", *work.luck.sample(list(KEYS), 4)):
        costs_agree_by(work, by, KEYS[by], "", "true")
        costs_agree_by(work, by, KEYS[by], *work.luck.choice(list(narrowings.items())))
    day = one("SELECT (agentaudit_now() AT TIME ZONE 'UTC')::date - 1")
    costs_agree_by(
        work,
        "agent",
        KEYS["agent"],
        "",
        f"(a.finished_at AT TIME ZONE 'UTC')::date <= '{day}'",
        f"from=2020-01-01&to={day}",
    )
    json_agrees()


def figures(lines: list[list[str]]) -> dict[str, list[Decimal | None]]:
    return {line[0]: [number(value) for value in line[1:9] + line[11:13]] for line in lines}


def costs_agree_by(
    work: MixedWork, by: str, key: str, query: str, condition: str, period: str = EVER
) -> None:
    address = f"?{period}&by={by}{query}"
    told = table(work, reverse("costs_csv") + address)
    head = next(at for at, line in enumerate(told) if line[1:2] == ["Attempts"])
    end = next(at for at in range(head, len(told)) if not told[at])
    said = figures(told[head + 1 : end])
    parts = {"Total": "true", "of it retries": "a.status <> 'completed' AND t.status NOT IN ('failed', 'cancelled')",
             "of it failures": "a.status <> 'completed' AND t.status IN ('failed', 'cancelled')"}  # fmt: skip
    counted = rows(f"SELECT {key}, {FIGURES} {SPENT} AND {condition} GROUP BY 1")
    expected = {
        WORDS.get(name, name.capitalize() if by in ("status", "outcome") else name): values
        for name, *values in counted
    }
    expected |= {
        name: list(rows(f"SELECT {FIGURES} {SPENT} AND {condition} AND {part}")[0])
        for name, part in parts.items()
    }
    assert set(said) == set(expected), address
    for name, values in expected.items():
        where = (address, name, values, said[name])
        for found, value in zip(said[name], values, strict=True):
            # Of what is not known nothing is settled or estimated; where nothing was done, nothing was spent
            assert (found or 0) == (value or 0), where
        if values[5] is None and values[0]:
            assert said[name][3:6] == [None] * 3, where
    if by != "agent":
        return
    book = openpyxl.load_workbook(io.BytesIO(file(work, reverse("costs_xlsx") + address))).active
    cells = {
        str(line[0]): line[1:] for line in book.iter_rows(min_row=head + 2, max_row=end, values_only=True)
    }
    for name, values in said.items():
        in_book = [*cells[name][:8], *cells[name][10:12]]
        assert [None if value == "—" else pytest.approx(value, abs=1e-9) for value in in_book] == [
            None if value is None else float(value) for value in values
        ], address


def json_agrees() -> None:
    out = io.StringIO()
    call_command("costs", "--since", "2020-01-01", "--until", "2100-01-01", "--json", stdout=out)
    total = json.loads(out.getvalue())["total"]
    expected = rows(
        f"SELECT sum(a.input_tokens), sum(a.output_tokens), sum(a.cache_read_tokens), count(a.input_tokens), sum(a.cost_usd) {SPENT}"
    )[0]
    assert [total["tokens"][name] for name in ("input", "output", "cache_read", "attempts_known")] == [
        value or 0 for value in expected[:4]
    ]
    assert Decimal(total["llm_usd"] or 0) == (expected[4] or 0)
