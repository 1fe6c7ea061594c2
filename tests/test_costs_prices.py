"""Prices: exact arithmetic by kind of token, dated, never reaching back; imported as a whole, after a look, or not at all."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client as Browser
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from tasks import events, queue
from tasks.agent.contract import Progress, Usage
from tasks.audit import Actor
from tasks.costs import price_list
from tasks.costs.prices import PriceRow, Tokens, cost, process_cost
from tasks.models import Attempt, AuditEntry, Price
from tests import queue_tools as tools
from tests.factories import make_agent, make_user

HEAD = "model,valid_from,input_usd,output_usd,cache_read_usd,cache_write_usd\n"
GOOD = HEAD + "m1,2026-01-01,2.5,10,0.25,3\nm2,2026-01-01T00:00:00+01:00,1,2,,\n"
counts = st.integers(0, 10**9)
amounts = st.decimals(0, 1000, places=6)


@given(counts, counts, counts, counts, st.tuples(*[amounts] * 4))
def test_each_token_is_charged_once_at_the_price_of_its_kind(plain, output, read, write, usd) -> None:
    tokens = Tokens(
        plain + read + write, output, read, write
    )  # input includes both kinds of cached tokens; output the reasoning ones
    exact = (plain * usd[0] + output * usd[1] + read * usd[2] + write * usd[3]) / 1_000_000
    found = cost(tokens, PriceRow(1, *usd))
    assert found is not None and abs(found - exact) <= Decimal("0.0000005")


@pytest.mark.parametrize(
    ("tokens", "usd"),
    [
        (Tokens(2006, 300, 1920), "0.000337"),  # 86 × 0.15, 1,920 × 0.075 and 300 × 0.60, by a million
        (Tokens(2006, 300, 1920, 50), "0.000339"),  # 36 fresh, and 50 × 0.1875 for writing the cache
        (Tokens(100, 10, 500), "0.000014"),  # more cached than there was: all of it was
        (Tokens(100, 10, 500, 500), "0.000014"),
        (Tokens(100, 10, 60, 500), "0.000018"),  # 60 read; what was written are the 40 others at most
    ],
)
def test_sums_that_were_made_by_hand_come_out(tokens: Tokens, usd: str) -> None:
    price = PriceRow(1, *map(Decimal, ("0.15", "0.60", "0.075", "0.1875")))
    assert cost(tokens, price) == Decimal(usd)


@given(st.lists(st.tuples(*[st.one_of(st.none(), counts)] * 4), min_size=1, max_size=6), st.randoms())
def test_reports_of_tokens_that_repeat_or_come_in_another_order_say_the_same(reports, luck) -> None:
    def told(order: list) -> Tokens:
        found = Tokens()
        for report in order:
            found = found.at_least(Tokens(*report))
        return found

    again = [*reports, *luck.choices(reports, k=3)]
    luck.shuffle(again)
    assert told(again) == told(reports)


def test_unknown_is_none_and_never_nothing() -> None:
    price = PriceRow(1, Decimal(1), Decimal(1))
    assert cost(Tokens(None, 5), price) is None and cost(Tokens(5, None), price) is None
    assert cost(Tokens(5, 5, cache_read=1), price) is None, "a kind without a price"
    assert cost(Tokens(0, 0), price) == 0
    assert process_cost(None, Decimal(1)) is None and process_cost(3.0, None) is None
    assert process_cost(1800.0, Decimal("0.12")) == Decimal("0.06")


# In the course of a run


@pytest.fixture
def clock(transactional_db):
    made = tools.Clock(queue.connection())
    yield made
    made.end()


def price(model: str, usd: int) -> None:
    with queue.connection().cursor() as cursor:
        cursor.execute(
            "INSERT INTO prices (model, valid_from, input_usd, output_usd) VALUES (%s, agentaudit_now(), %s, %s)", (model, usd, usd)
        )  # fmt: skip


def spent(attempt) -> tuple[Decimal | None, str, int | None]:
    row = Attempt.objects.get(pk=attempt)
    return row.cost_usd, row.cost_state, row.price_id


def test_a_price_that_changes_while_an_attempt_runs_is_that_of_its_settlement_and_later_ones_change_nothing(
    clock,
) -> None:
    tools.hand_in(make_agent(model="m"), 1)
    price("m", 1)
    [row] = tools.claim(lease=10**6)
    clock.forward(60)
    events.progress(
        queue.connection(), [Progress(attempt=row.attempt_id, pages_done=1, pages_total=2, usage=Usage(model="m", input_tokens=1_000_000, output_tokens=0))]
    )  # fmt: skip
    price("m", 2)
    clock.forward(60)
    news = tools.completed(
        row.attempt_id, usage=Usage(model="m", calls=1, input_tokens=2_000_000, output_tokens=0)
    )
    events.apply(queue.connection(), [news])
    settled = spent(row.attempt_id)
    assert settled[:2] == (Decimal(4), "estimated") and settled[2] == Price.objects.latest("valid_from").pk
    clock.forward(60)
    price("m", 50)
    assert spent(row.attempt_id) == settled


def test_an_unpriced_model_is_unknown(clock) -> None:
    tools.hand_in(make_agent(model="new"), 1)
    [row] = tools.claim()
    events.apply(
        queue.connection(),
        [tools.completed(row.attempt_id, usage=Usage(model="new", calls=1, input_tokens=5, output_tokens=5))],
    )
    assert spent(row.attempt_id) == (None, "unknown", None)


def test_processor_time_is_an_estimate_at_the_rate_of_its_day_or_unknown(clock, settings) -> None:
    tools.hand_in(make_agent(), 2)
    for rate, expected in ((None, (None, "unknown")), (Decimal("0.36"), (Decimal("0.012"), "estimated"))):
        settings.COMPUTE_USD_PER_HOUR = rate
        [row] = tools.claim()
        news = tools.completed(row.attempt_id)
        events.apply(
            queue.connection(), [events.News(row.attempt_id, news.event, ended=True, process_seconds=120.0)]
        )
        settings.COMPUTE_USD_PER_HOUR = Decimal(99)
        events.apply(
            queue.connection(), [events.News(row.attempt_id, ended=True, process_seconds=120.0)]
        ) if rate else None
        found = Attempt.objects.get(pk=row.attempt_id)
        assert (found.compute_cost_usd, found.compute_cost_state) == expected


# From a file


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("m,2026-13-01,1,1,,", "no day"), ("m,2026-01-01T00:00,1,1,,", "zone"), ("m,2026-01-01,-1,1,,", "0 or more"), ("m,2026-01-01,x,1,,", "no number"),
        ("m,2026-01-01,,1,,", "no number"), (",2026-01-01,1,1,,", "missing"), ("m,2026-01-01,NaN,1,,", "0 or more"), ("m,2026-01-01,1,1,,,,7", "more values"),
        ("m,2026-01-01,0.0000001,1,,", "places"), ("m,2026-01-01,1,1,,\nm,2026-01-01,2,1,,", "two prices"), ("m1,2026-01-01,9,10,0.25,3", "another price"),
        ("m\0,2026-01-01,1,1,,", "nobody sees"), ("\u200bm,2026-01-01,1,1,,", "nobody sees"), ("m,2026-01-01,1_0,1,,", "no number"),
        ("m,0001-01-01T00:00:00+14:00,1,1,,", "lie between"), ("m,9999-12-31T23:59:59-14:00,1,1,,", "lie between"),
    ],
)  # fmt: skip
def test_a_file_with_a_fault_is_refused_as_a_whole_in_words(db, line: str, fault: str) -> None:
    price_list.write(Actor("fiona"), price_list.plan(GOOD))
    found = price_list.plan(HEAD + "fine,2026-01-01,1,1,,\n" + line)
    assert any(fault in sentence for _, sentence in found.faults), found.faults
    with pytest.raises(ValueError, match="faults"):
        price_list.write(Actor("fiona"), found)
    assert not Price.objects.filter(model="fine").exists()


@pytest.mark.parametrize("nought", ["-0", "0E-9999999", "0E+9999999"])
def test_nothing_is_a_price_however_it_is_written(db, nought: str) -> None:
    assert price_list.write(Actor("fiona"), price_list.plan(HEAD + f"m,2026-01-01,{nought},1,,\n")) == 1
    assert Price.objects.get(model="m").input_usd == 0


def test_line_ends_of_old_machines_are_read_and_columns_named_twice_are_not(db) -> None:
    assert [
        price.model for price in price_list.plan((HEAD + "m,2026-01-01,1,2,,\n").replace("\n", "\r")).new
    ] == ["m"]
    twice = price_list.plan("model,model,valid_from,input_usd,output_usd\na,b,2026-01-01,1,1\n")
    assert (twice.new, twice.faults) == ([], [(1, "The first line names model more than once.")])


def test_a_file_is_added_once_and_its_days_are_those_of_utc(db) -> None:
    assert price_list.write(Actor("fiona"), price_list.plan("\ufeff" + GOOD)) == 2
    again = price_list.plan(GOOD)
    assert (len(again.new), len(again.known), again.faults) == (0, 2, [])
    assert Price.objects.get(model="m2").valid_from == datetime(2025, 12, 31, 23, tzinfo=UTC)
    assert Price.objects.get(model="m2").cache_read_usd is None
    assert AuditEntry.objects.filter(verb="import", actor_name="fiona").count() == 2


def test_the_command_shows_before_it_adds_and_says_which_lines_to_mend(db, tmp_path: Path) -> None:
    file = tmp_path / "prices.csv"
    file.write_text(GOOD)
    call_command("import_prices", str(file), dry_run=True)
    assert not Price.objects.exists()
    call_command("import_prices", str(file))
    assert Price.objects.count() == 2
    file.write_text(HEAD + "m,yesterday,1,1,,")
    with pytest.raises(CommandError, match="line 2"):
        call_command("import_prices", str(file))
    file.write_bytes(b"m,\xff")
    with pytest.raises(CommandError, match="is no text in UTF-8"):
        call_command("import_prices", str(file))
    file.unlink()
    with pytest.raises(CommandError, match=r"prices\.csv cannot be read: No such file or directory") as wrong:
        call_command("import_prices", str(file))
    assert wrong.value.returncode == 2


def test_the_admin_shows_before_it_adds_and_a_price_in_use_stays(db) -> None:
    fiona = Browser()
    fiona.force_login(make_user("fiona", "Finance", is_staff=True))
    url = reverse("admin:tasks_price_import")
    shown = fiona.post(url, {"file": io.BytesIO(GOOD.encode())})
    assert "2 prices would be added" in shown.content.decode() and not Price.objects.exists()
    fiona.post(url, {"text": shown.context["text"], "confirmed": "1"})
    assert Price.objects.count() == 2
    assert "no text in UTF-8" in fiona.post(url, {"file": io.BytesIO(b"\xff\xfe")}).content.decode()
    tools.hand_in(make_agent(model="m1"), 1)
    [row] = tools.claim()
    events.apply(
        queue.connection(),
        [tools.completed(row.attempt_id, usage=Usage(model="m1", calls=1, input_tokens=5, output_tokens=5))],
    )
    used = Price.objects.get(model="m1")
    values = {
        "model": "m1",
        "valid_from_0": "2026-01-01",
        "valid_from_1": "00:00:00",
        "input_usd": "99",
        "output_usd": "10",
    }
    answer = fiona.post(reverse("admin:tasks_price_change", args=(used.pk,)), values)
    assert "Costs were computed with this price" in answer.content.decode()
    assert Price.objects.get(pk=used.pk).input_usd == Decimal("2.5")
