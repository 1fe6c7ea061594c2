"""Every number that is published about work and money (pages, CSV, workbook, JSON, lists, admin) equals a plain sum over the rows.

After a long mixed series, on real workers, of everything that happens: tests/mixed_work.py. The seed is printed; PUBLISHED_SEED asks for one again.
"""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.urls import reverse

from dashboard.templatetags.show import usd as money
from tasks.models import BulkAction, CostCell, Extraction, Summary
from tasks.storage import get_storage
from tests.commands import Place, wait_until
from tests.mixed_work import MixedWork
from tests.plain_sql import file, number, one, page, rows, table
from tests.process_tools import django_at
from tests.published_costs import costs_agree

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

SECONDS_A_DAY = 3.0
ATTEMPTS = "SELECT count(*) FROM task_attempts"
STATES = {
    "enqueued": "Waiting", "processing": "Processing", "completed": "Completed", "review": "Needs review", "failed": "Failed", "cancelled": "Cancelled",
}  # fmt: skip


@pytest.fixture
def work(place: Place, settings) -> Iterator[MixedWork]:
    seed = int(os.environ.get("PUBLISHED_SEED") or random.randrange(10**6))
    print(f"PUBLISHED_SEED={seed}")
    run = place.run("migrate", "--verbosity", "0")
    assert run.returncode == 0, run.stderr
    settings.STORAGE_URL = place.environment["STORAGE_URL"]
    get_storage.cache_clear()
    with django_at(place):
        made = MixedWork(place, seed)
        yield made
        made.end_day()
        print("Steps:", *made.steps)


def test_every_published_number_is_a_plain_sum_over_the_rows(work: MixedWork) -> None:
    for days in (0, 2, 33):
        work.begin_day(days)
        work.resume()
        work.upload()
        begun, tried = time.monotonic(), one(ATTEMPTS)
        while (passed := time.monotonic() - begun) < SECONDS_A_DAY or (
            one(ATTEMPTS) < tried + 40 and passed < 3 * SECONDS_A_DAY
        ):
            work.act()
        work.end_day()
        work.finish_actions()
        compare(work)
    work.begin_day(0)
    wait_until(work.is_recovered, 30, "the recovery of what killed workers left")
    work.end_day()
    erased = work.erase()
    work.prune(20)
    for _ in range(100):
        work.sum_up()
    compare(work)
    assert Summary.objects.exists() and CostCell.objects.exists(), "days have to be summed up"
    print(f"{len(work.steps)} steps, {one(ATTEMPTS)} attempts, erased: {erased}")


def compare(work: MixedWork) -> None:
    work.browser.force_login(work.users[0])
    operations_agree(work)
    costs_agree(work)
    spending_agrees(work)
    extractions_agree(work)
    admin_agrees(work)
    actions_agree(work)


# Operations

WHOSE = "(%s = 0 OR t.agent_id = %s) AND (%s = 0 OR t.client_id = %s)"
SINCE = {
    "all": "'-infinity'",
    "7d": "date_trunc('day', agentaudit_now(), 'UTC') - interval '6 days'",
    "24h": "date_trunc('hour', agentaudit_now(), 'UTC') - interval '23 hours'",
}


def operations_agree(work: MixedWork) -> None:
    narrowed = [("all", "", 0, 0)]
    for _ in range(2):
        narrowed.append(
            (
                work.luck.choice(list(SINCE)), work.luck.choice(("", *STATES)),
                work.luck.choice((0, *(agent.pk for agent in work.agents))), work.luck.choice((0, *(client.pk for client in work.clients))),
            )
        )  # fmt: skip
    for last, status, agent, client in narrowed:
        board_agrees(work, last, status, agent, client)


def board_agrees(work: MixedWork, last: str, status: str, agent: int, client: int) -> None:
    query = (
        f"?last={last}&status={status}"
        + (f"&agent={agent}" if agent else "")
        + (f"&client={client}" if client else "")
    )
    asked = f"{WHOSE} AND (t.finished_at IS NULL OR t.finished_at >= {SINCE[last]})"
    chosen = {"": "true", "review": "t.status = 'completed' AND t.needs_review"}.get(
        status, f"t.status = '{status}'"
    )
    whose = (agent, agent, client, client)
    told = table(work, reverse("operations_csv") + query)
    shown = page(work, reverse("operations") + query)

    def said(part: str) -> dict[str, str]:
        return {line[1]: line[2] for line in told if line[0] == part}

    states = dict(rows(f"SELECT t.status, count(*) FROM tasks t WHERE {asked} GROUP BY 1", *whose))
    states["review"] = one(
        f"SELECT count(*) FROM tasks t WHERE {asked} AND t.status = 'completed' AND t.needs_review", *whose
    )
    assert {name: int(said("tasks")[word]) for name, word in STATES.items()} == {
        name: states.get(name, 0) for name in STATES
    }, query
    tiles = dict(re.findall(r'id="state-(\w+)"[^>]*data-number="(\d+)"', shown))
    assert {name: int(value) for name, value in tiles.items()} == {
        name: states.get(name, 0) for name in STATES
    }, query

    totals = rows(
        f"""SELECT count(*), count(input_tokens), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), coalesce(sum(cache_read_tokens), 0),
        sum(cost_usd), coalesce(sum(cost_usd) FILTER (WHERE cost_state = 'settled'), 0), coalesce(sum(cost_usd) FILTER (WHERE cost_state = 'estimated'), 0),
        count(*) FILTER (WHERE cost_usd IS NULL),
        sum(compute_cost_usd), coalesce(sum(compute_cost_usd) FILTER (WHERE compute_cost_state = 'settled'), 0),
        coalesce(sum(compute_cost_usd) FILTER (WHERE compute_cost_state = 'estimated'), 0), count(*) FILTER (WHERE compute_cost_usd IS NULL)
        FROM task_attempts a JOIN tasks t ON t.id = a.task_id WHERE {asked} AND {chosen}""", *whose
    )[0]  # fmt: skip
    attempts, metered, *tokens = totals[:5]
    if metered:
        assert [int(said("tokens")[name]) for name in ("input", "output", "cache_read")] == tokens, query
    assert f"{metered} of {attempts} attempts known" in {line[3] for line in told if line[0] == "tokens"}
    for part, (known, settled, estimated, unknown) in {
        "LLM cost in USD": totals[5:9],
        "compute cost in USD": totals[9:13],
    }.items():
        found = said(part)
        assert f"{unknown} attempts unknown" in {line[3] for line in told if line[0] == part}, query
        if known is None:
            assert number(found["known"]) in ((None, Decimal(0)) if not attempts else (None,)), query
        else:
            assert [Decimal(found[name]) for name in ("known", "settled", "estimated")] == [
                known,
                settled,
                estimated,
            ], (query, part)
            tile = "tile-cost" if part.startswith("LLM") else "tile-compute"
            assert money(known) in shown.partition(f'id="{tile}"')[2].partition("</section>")[0], query

    done = f"FROM tasks t WHERE {asked} AND {chosen} AND t.status = 'completed'"
    took = "extract(epoch FROM t.finished_at - t.enqueued_at)"
    times = rows(
        f"SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY {took}), percentile_disc(0.95) WITHIN GROUP (ORDER BY {took}) {done}",
        *whose,
    )[0]
    found = [number(said("response time in s")[name]) for name in ("median", "p95")]
    assert found == [
        None if value is None else pytest.approx(value, abs=Decimal("0.001")) for value in times
    ], query
    parts = dict(
        rows(
            f"SELECT least(floor(confidence::numeric * 20), 19)::int, count(*) {done} AND t.confidence IS NOT NULL GROUP BY 1",
            *whose,
        )
    )
    assert [int(line[2]) for line in told if line[0] == "confidence"] == [
        parts.get(place, 0) for place in range(20)
    ], query
    errors = rows(
        f"SELECT t.error_code, count(*) FROM tasks t WHERE {asked} AND {chosen} AND t.status = 'failed' GROUP BY 1",
        *whose,
    )
    assert {name: int(value) for name, value in said("errors").items()} == dict(errors), query
    over_time = [int(line[2]) for line in told if line[0] == "over time"]
    assert sum(over_time) == one(
        f"SELECT count(*) FROM tasks t WHERE {asked} AND {chosen} AND t.finished_at IS NOT NULL", *whose
    ), query

    of_agents = {(line[1], line[3]): int(line[2]) for line in told if line[0] == "agent"}
    for name, key in rows("SELECT name, id FROM agents WHERE %s IN (0, id)", agent):
        ended = dict(
            rows(
                f"SELECT t.status, count(*) FROM tasks t WHERE {asked} AND {chosen} AND t.agent_id = %s GROUP BY 1",
                *whose,
                key,
            )
        )
        waiting = one(
            f"SELECT count(*) FROM tasks t WHERE {WHOSE} AND t.agent_id = %s AND t.status = 'enqueued'",
            *whose,
            key,
        )
        running = one("SELECT count(*) FROM task_attempts WHERE agent_id = %s AND ended_at IS NULL", key)
        expected = {
            "running": running,
            "waiting": waiting,
            "completed": ended.get("completed", 0),
            "failed": ended.get("failed", 0),
        }
        assert {what: of_agents[name, what] for what in expected} == expected, (query, name)

    listed = [int(line[0]) for line in table(work, reverse("operations_tasks_csv") + query)[1:]]
    assert sorted(listed) == [
        row[0] for row in rows(f"SELECT t.id FROM tasks t WHERE {asked} AND {chosen} ORDER BY 1", *whose)
    ], query


def spending_agrees(work: MixedWork) -> None:
    """The counters of spend limits hold what each settlement added; what was corrected past them is known."""
    paid = one("SELECT coalesce(sum(cost_usd), 0) FROM task_attempts")
    for holder in ("agent", "client"):
        for period in ("day", "month"):
            counted = one(
                "SELECT coalesce(sum(usd), 0) FROM spending WHERE holder = %s AND period = %s", holder, period
            )
            assert counted == paid - work.corrections, (holder, period)


# Extractions, admin, actions


def extractions_agree(work: MixedWork) -> None:
    told = {int(line[0]): line for line in table(work, reverse("extractions_csv"))[1:]}
    assert set(told) == {row[0] for row in rows("SELECT id FROM extractions")}
    counted = rows(
        """SELECT extraction_id, count(*), count(finished_at), count(*) FILTER (WHERE status = 'completed' AND needs_review),
        count(*) FILTER (WHERE status = 'failed'), count(*) FILTER (WHERE status = 'cancelled') FROM tasks GROUP BY 1"""
    )  # fmt: skip
    for key, *numbers in counted:
        assert list(map(int, told[key][6:11])) == numbers, key
    for extraction in work.luck.sample(list(Extraction.objects.all()), min(len(told), 6)):
        one_extraction_agrees(work, extraction)


def one_extraction_agrees(work: MixedWork, extraction: Extraction) -> None:
    shown = page(work, reverse("extraction", args=(extraction.pk,)))
    states = dict(
        rows("SELECT status, count(*) FROM tasks WHERE extraction_id = %s GROUP BY 1", extraction.pk)
    )
    if not states:
        return
    tiles = {
        name: int(value.replace(",", ""))
        for name, value in re.findall(r'id="tile-(\w+)"[^>]*><b>([\d,]+)</b>', shown)
    }
    assert tiles["all"] == sum(states.values())
    assert {name: tiles.get(name, 0) for name in states} == states
    spent, unknown = rows(
        "SELECT sum(a.cost_usd), count(*) FILTER (WHERE a.cost_usd IS NULL) FROM task_attempts a JOIN tasks t ON t.id = a.task_id WHERE t.extraction_id = %s",
        extraction.pk,
    )[0]  # fmt: skip
    facts = shown.partition('id="pace"')[2].partition("</p>")[0]
    assert f"<b>{money(spent)}</b>" in facts, (extraction.pk, spent)
    assert spent is None or not unknown or f"{unknown} attempt" in facts
    documents = json.loads(file(work, reverse("results_json", args=(extraction.pk,))))["documents"]
    found = {(one["task"], one["state"], one["confidence"], one["needs_review"]) for one in documents}
    assert found == set(
        rows("SELECT id, status, confidence, needs_review FROM tasks WHERE extraction_id = %s", extraction.pk)
    )


def admin_agrees(work: MixedWork) -> None:
    for address, statement in {
        "task": "SELECT count(*) FROM tasks", "attempt": "SELECT count(*) FROM task_attempts", "extraction": "SELECT count(*) FROM extractions",
        "document": "SELECT count(*) FROM documents", "client": "SELECT count(*) FROM clients",
        "task?status__exact=failed": "SELECT count(*) FROM tasks WHERE status = 'failed'",
        "attempt?status__exact=lost": "SELECT count(*) FROM task_attempts WHERE status = 'lost'",
    }.items():  # fmt: skip
        name, _, query = address.partition("?")
        answer = work.browser.get(f"{reverse(f'admin:tasks_{name}_changelist')}?{query}")
        assert answer.status_code == 200, address
        assert answer.context["cl"].result_count == min(one(statement), 1001), address


def actions_agree(work: MixedWork) -> None:
    for action in BulkAction.objects.all():
        lines = table(work, reverse("bulk_action_csv", args=(action.pk,)))[1:]
        assert len(lines) == action.total and sum(line[1] == "1" for line in lines) == action.done, action
