"""Real senders against a real server, with everything between them and below it going wrong: right at the end, and paid once."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from agentaudit.postgres.embedded import Server
from tasks.agent import signatures
from tasks.agent.contract import Order
from tasks.agent.program import run
from tasks.agent.sender import Sender
from tasks.bench.web import Web
from tasks.models import Attempt, Delivery, Task
from tests.callback_programs import COST
from tests.callback_proxy import MISHAPS, Proxy
from tests.callback_tools import (
    body_of,
    claim_attempts,
    environment,
    money_of_agents,
    order_for,
    send_raw,
    signed,
)
from tests.commands import Place

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
USAGE = {"calls": 1, "model": "m", "input_tokens": 10, "output_tokens": 5, "cost_usd": str(COST)}


def briefly(seconds: float) -> None:
    """Senders wait as they are told, only not so long."""
    time.sleep(min(seconds, 0.2))


def carry_out(orders: list[Order], at_once: int = 8) -> None:
    """As many runs, each with a sender of its own."""
    with ThreadPoolExecutor(at_once) as runs:
        list(runs.map(lambda told: run(told, Sender(told, pause=briefly)), orders))


def insist(url: str, headers: dict[str, str], body: bytes) -> tuple[int, Any]:
    """Send the same message until it is answered with something else than "later"."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            status, said, _headers = send_raw(url, headers, body)
        except OSError:
            status = 0
        if status not in (0, 503):
            return status, said
        time.sleep(0.1)
    raise AssertionError("no answer in a minute")


def test_a_thousand_copies_of_one_completion_at_once_settle_it_once() -> None:
    attempt = claim_attempts()[0].attempt_id
    body = json.dumps(body_of(attempt, "completed", usage=USAGE)).encode()
    headers = signed(attempt, body)
    with Web(variables=environment()) as web:
        url = f"{web.url}/webhooks/attempts/{attempt}/"
        with ThreadPoolExecutor(32) as senders:
            answers = Counter(
                said["outcome"]
                for _status, said in senders.map(lambda _n: insist(url, headers, body), range(1000))
            )
    assert answers == {"applied": 1, "duplicate": 999}
    row = Attempt.objects.select_related("task").get(pk=attempt)
    assert (row.task.status, row.input_tokens, row.cost_usd) == ("completed", 10, COST)
    assert money_of_agents() == COST
    assert Delivery.objects.get().repeats == 999


def test_through_a_network_that_drops_delays_cuts_and_repeats_every_result_arrives_once(
    tmp_path: Path,
) -> None:
    rows = claim_attempts(40)
    with Web(variables=environment()) as web:
        proxy = Proxy(web.port, seed=7)
        carry_out(
            [order_for(row, proxy.url, outcome=str(tmp_path / f"{row.attempt_id}.json")) for row in rows]
        )
        proxy.close()
    assert set(proxy.happened) == set(MISHAPS), proxy.happened
    assert Counter(Task.objects.values_list("status", flat=True)) == {"completed": 40}
    assert Counter(Attempt.objects.values_list("status", "cost_usd", "input_tokens")) == {
        ("completed", COST, 1000): 40
    }
    assert money_of_agents() == 40 * COST
    assert sum(Delivery.objects.filter(event="attempt.completed").values_list("repeats", flat=True)) > 0


def test_a_web_process_killed_between_commit_and_answer_costs_a_duplicate_and_no_more(tmp_path: Path) -> None:
    (row,) = claim_attempts()
    armed = tmp_path / "armed"
    armed.touch()
    variables = {**environment(), "DIES_WHILE_THIS_EXISTS": str(armed)}
    with Web("tests.callback_dying_settings", workers=1, variables=variables) as web:
        carry_out([order_for(row, web.url, outcome=str(tmp_path / "outcome.json"))])
    assert not armed.exists()
    delivery = Delivery.objects.get(event="attempt.completed")
    assert (delivery.outcome, delivery.repeats) == ("applied", 1)
    assert Task.objects.get().status == "completed"
    assert money_of_agents() == COST


def test_a_secret_is_rotated_below_running_attempts(tmp_path: Path) -> None:
    old, new = "the-old-master-of-enough-length", "the-new-master-of-enough-length"
    early, late = claim_attempts(2)
    with Web(workers=1, variables={**environment(), "WEBHOOK_SECRETS": old}) as web:

        def told(row: Any, master: str) -> Order:
            secret = signatures.derive(master, row.attempt_id)
            return order_for(row, web.url, outcome=str(tmp_path / f"{row.attempt_id}.json")).model_copy(
                update={"callback_secret": secret}
            )

        begun = Sender(told(early, old), pause=briefly)
        for secrets, row, master in ((f"{new},{old}", early, old), (f"{new},{old}", late, new)):
            web.kill()
            web.variables["WEBHOOK_SECRETS"] = secrets
            web.start()
            run(told(row, master), begun if row is early else Sender(told(row, master), pause=briefly))
        assert Counter(Task.objects.values_list("status", flat=True)) == {"completed": 2}
        (after,) = claim_attempts()
        web.kill()
        web.variables["WEBHOOK_SECRETS"] = new
        web.start()
        run(told(after, old), Sender(told(after, old), pause=briefly))
    assert Attempt.objects.get(pk=after.attempt_id).settled_at is None


def test_while_the_database_is_away_senders_are_asked_for_patience() -> None:
    attempt = claim_attempts()[0].attempt_id
    body = json.dumps(body_of(attempt, "completed")).encode()
    with Web(
        workers=1, variables={**environment(), "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing"}
    ) as web:
        status, said, headers = send_raw(
            f"{web.url}/webhooks/attempts/{attempt}/", signed(attempt, body), body
        )
    assert (status, int(headers["Retry-After"]) > 0) == (503, True)
    assert "database" in said["error"]


MAKE_ATTEMPTS = (
    "from tests.callback_tools import claim_attempts, order_for\n"
    "print('\\n'.join(order_for(row, '{url}', outcome='{folder}/' + str(row.attempt_id) + '.json', seconds=0.3).model_dump_json() "
    "for row in claim_attempts({count})))"
)


def test_a_database_that_is_restarted_in_a_storm_loses_nothing(tmp_path: Path) -> None:
    home, count = tmp_path / "home", 120
    variables = {
        "AGENTAUDIT_HOME": str(home),
        "DATABASE_URL": "",
        "STORAGE_URL": f"file:{home}/storage",
        "WEBHOOK_SECRETS": "m" * 40,
        "SECRET_KEY": "s" * 40,
    }
    place = Place({**os.environ, "DJANGO_SETTINGS_MODULE": "agentaudit.settings", **variables})
    try:
        assert place.run("migrate", "-v0").returncode == 0
        with Web("agentaudit.settings", variables=variables) as web:
            made = place.run(
                "shell", "--no-imports", "-c", MAKE_ATTEMPTS.format(url=web.url, folder=tmp_path, count=count)
            )
            orders = [Order.model_validate_json(line) for line in made.stdout.splitlines()]
            assert len(orders) == count, made.stderr
            asked, over = Counter(), threading.Event()
            watcher = threading.Thread(target=_keep_asking, args=(orders[0], asked, over), daemon=True)
            watcher.start()
            storm = threading.Thread(target=carry_out, args=(orders[1:],), daemon=True)
            storm.start()
            for _ in range(3):
                storm.join(2.0)
                assert storm.is_alive()
                Server(home).stop()
            storm.join()
            over.set()
            watcher.join()
        assert set(asked) <= {"200", "503 with Retry-After"}, asked
        assert asked["200"]
        assert (
            place.ask("list(Task.objects.values_list('status', flat=True))").count("completed") == count - 1
        )
        spent = "str(sum(Spent.objects.filter(holder='agent', period='month').values_list('usd', flat=True)))"
        assert Decimal(place.ask(spent)) == (count - 1) * COST
    finally:
        Server(home).remove()


def _keep_asking(told: Order, asked: Counter[str], over: threading.Event) -> None:
    """Progress of an attempt that is not part of the storm, all the while."""
    while not over.is_set():
        body = json.dumps(body_of(told.attempt, "progress")).encode()
        headers = signatures.headers(told.callback_secret, os.urandom(8).hex(), int(time.time()), body)
        status, _said, given = send_raw(told.callback_url, headers, body)
        asked[f"{status} with Retry-After" if given.get("Retry-After") else str(status)] += 1
