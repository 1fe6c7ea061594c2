"""The callback view beside an empty view and one that commits one UPDATE; and what a web server that is killed again and again leaves.

All three views get the same messages from 16 senders, each message on a connection of its own, one view after the other within a round.
In the second part senders repeat what was not answered, with the same id, as agents do.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from http.client import HTTPConnection, HTTPException
from statistics import median
from typing import Any
from uuid import UUID, uuid4

from django.db.models import Sum

from tasks import claims, operations, queue
from tasks.agent import signatures
from tasks.agent.contract import Completed, Event, Progress, Result, Started, Usage
from tasks.audit import Actor
from tasks.bench import Measured, Say
from tasks.bench.web import Web
from tasks.clock import database_seconds
from tasks.models import Agent, AgentVersion, Attempt, Client, Delivery, Document, Spent
from tasks.orders import callback_secrets

SENDERS = 16
DUPLICATES, FORGED = 0.2, 0.05
KILLS, SEED = 5, 7
LEASE_SECONDS = 86_400.0
OURS, ONE_UPDATE, EMPTY = "/webhooks/attempts/", "/baselines/one_update/", "/baselines/empty/"
PAGES, COST = 12, Decimal("0.01")
USAGE = Usage(calls=3, model="bench", input_tokens=9000, output_tokens=800, cost_usd=COST)
RESULT = Result(kind="invoice", pages=PAGES, confidence=0.9, needs_review=False)
GIVE_UP_SECONDS = 60.0

Message = tuple[str, bytes, dict[str, str], bool]
"""Attempt, body, headers, and whether the signature is another attempt's."""


def run(full: bool, say: Say) -> Measured:
    rounds, each, under_fire = (7, 15, 60) if full else (3, 8, 10)
    with Web("tests.baselines.callback_settings") as web:
        speed, notes = _speed(web, rounds, each, say)
        state, more = _state(web, under_fire, say)
    return Measured(speed | state, notes + more)


# What is sent


def _attempts(count: int) -> list[UUID]:
    """Claimed attempts of as many new tasks."""
    client, _new = Client.objects.get_or_create(name="Callbacks")
    agent, new = Agent.objects.get_or_create(name="callbacks")
    if new:
        agent.current_version = AgentVersion.objects.create(
            agent=agent, number=1, program="rules", options={}
        )
        agent.save()
        Document.objects.create(
            client=client,
            original_name="a.pdf",
            pages=PAGES,
            size_bytes=1,
            sha256="0" * 64,
            storage_name="documents/00/0.pdf",
        )
    handed = [operations.Handed(Document.objects.get(client=client))] * count
    operations.submit(Actor.system("bench"), client=client, agent=agent, documents=handed)
    found: list[UUID] = []
    while len(found) < count:
        claimed = claims.claim(
            queue.connection(), claims.Terms(uuid4(), LEASE_SECONDS), ["local"], count - len(found)
        )
        found += [row.attempt_id for row in claimed.rows]
    return found


def _stories(attempts: Sequence[UUID], luck: random.Random) -> Iterator[Message]:
    """The messages of one sender: all its attempts start, then all report two pages, then all complete; some are repeated, some forged."""
    chapters: tuple[Callable[[UUID], Event], ...] = (
        lambda attempt: Started(attempt=attempt),
        lambda attempt: Progress(attempt=attempt, pages_done=PAGES // 2, pages_total=PAGES, usage=USAGE),
        lambda attempt: Progress(attempt=attempt, pages_done=PAGES, pages_total=PAGES, usage=USAGE),
        lambda attempt: Completed(attempt=attempt, result=RESULT, usage=USAGE),
    )
    for tell in chapters:
        for attempt in attempts:
            message = _signed(attempt, tell(attempt))
            yield message
            if luck.random() < DUPLICATES:
                yield message
            if luck.random() < FORGED:
                yield _signed(attempt, tell(attempt), signed_by=uuid4())


def _signed(attempt: UUID, event: Event, signed_by: UUID | None = None) -> Message:
    body = event.model_dump_json().encode()
    secret = callback_secrets(signed_by or attempt)[0]
    headers = signatures.headers(secret, uuid4().hex, int(database_seconds()), body)
    return str(attempt), body, {**headers, "Content-Type": "application/json"}, signed_by is not None


def _post(line: HTTPConnection, address: str, message: Message) -> str:
    """Status and word of the answer."""
    attempt, body, headers, _forged = message
    line.request("POST", f"{address}{attempt}/", body, headers)
    answer = line.getresponse()
    text = answer.read()
    word = json.loads(text)["outcome"] if answer.status == 200 else ""
    return f"{answer.status} {word}".strip()


def _side_by_side(
    send: Callable[[list[Message]], None],
    stories: Sequence[list[Message]],
    meanwhile: Callable[[], None] = lambda: None,
) -> float:
    """Each story by a sender of its own, all at once; seconds until the last is through. `meanwhile` runs in this thread."""
    with ThreadPoolExecutor(len(stories)) as senders:
        began = time.monotonic()
        sent = [senders.submit(send, story) for story in stories]
        meanwhile()
        for story in sent:
            story.result()
    return time.monotonic() - began


def _told(count: int) -> list[list[Message]]:
    """The stories of all senders about fresh attempts, written down before any clock runs."""
    attempts, luck = _attempts(count * SENDERS), random.Random(SEED + count)  # noqa: S311
    return [list(_stories(attempts[first::SENDERS], luck)) for first in range(SENDERS)]


# Speed


def _speed(web: Web, rounds: int, each: int, say: Say) -> tuple[dict[str, Any], list[str]]:
    rates: dict[str, list[float]] = {EMPTY: [], ONE_UPDATE: [], OURS: []}
    seconds: list[float] = []
    answers: Counter[str] = Counter()

    def storm(address: str, stories: list[list[Message]]) -> float:
        def send(story: list[Message]) -> None:
            line = HTTPConnection("127.0.0.1", web.port, timeout=30)
            for message in story:
                began = time.monotonic()
                answer = _post(line, address, message)
                if not answer.startswith(("200", "401")):
                    raise RuntimeError(f"{address} answered {answer}; the lines above say why")
                if address == OURS:
                    seconds.append(time.monotonic() - began)
                    answers[answer] += 1
            line.close()

        return sum(map(len, stories)) / _side_by_side(send, stories)

    for address in rates:
        storm(address, _told(2))  # warms up what is fast only afterwards
    seconds.clear()
    answers.clear()
    for number in range(rounds):
        stories = _told(each)
        for address, found in rates.items():
            found.append(storm(address, stories))
        say(
            f"Round {number + 1} of {rounds}: "
            + ", ".join(f"{name} {found[-1]:.0f}/s" for name, found in rates.items())
        )
    seconds.sort()
    stored = Delivery.objects.filter(event="attempt.progress").count()
    figures = {
        "ratio_to_one_update_view": _ratio(rates[OURS], rates[ONE_UPDATE]),
        "ratio_to_empty_view": _ratio(rates[OURS], rates[EMPTY]),
        "requests_per_s": round(median(rates[OURS]), 1),
        "p99_ms": round(seconds[int(len(seconds) * 0.99)] * 1000, 1),
    }
    views = "; ".join(f"{name} {', '.join(f'{rate:.0f}' for rate in found)}" for name, found in rates.items())
    return figures, [
        f"Requests per second by round: {views}.",
        f"Answers of our view: {dict(sorted(answers.items()))}; {stored} progress messages of all rounds were stored, the others came too soon.",
    ]


def _ratio(one: list[float], other: list[float]) -> float:
    """The median of the ratios of each round."""
    return round(median(a / b for a, b in zip(one, other, strict=True)), 3)


# State


def _state(web: Web, each: int, say: Say) -> tuple[dict[str, Any], list[str]]:
    """The web server is killed while senders send, and started again; then everything is counted."""
    Delivery.objects.all().delete()
    before = _spent()
    answers: Counter[str] = Counter()
    believed: list[Message] = []
    stories = _told(each)
    total = sum(map(len, stories))

    def send(story: list[Message]) -> None:
        for message in story:
            answer = _insist(web, message)
            answers[answer] += 1
            if message[3] and not answer.startswith("401"):
                believed.append(message)

    def kill_again_and_again() -> None:
        # In the main thread: a child of a thread is sent away by the kernel when that thread ends
        for number in range(KILLS):
            while answers.total() < total * (number + 1) / (KILLS + 1):
                time.sleep(0.01)
            web.kill()
            say(f"Killed the web server, {number + 1} of {KILLS}.")
            web.start()

    _side_by_side(send, stories, kill_again_and_again)
    attempts = {UUID(message[0]) for story in stories for message in story}
    rows = Attempt.objects.filter(pk__in=attempts)
    settled = rows.filter(settled_at__isnull=False).count()
    right = rows.filter(
        status="completed", input_tokens=USAGE.input_tokens, output_tokens=USAGE.output_tokens, cost_usd=COST,
        result__isnull=False, task__status="completed", task__result_attempt__isnull=False,
    ).count()  # fmt: skip
    paid = (_spent() - before) / COST
    figures = {
        "lost": len(attempts) - settled,
        "double": int(abs(paid - settled)),
        "wrong_state": settled - right + len(believed),
    }
    return figures, [
        f"State: {len(attempts)} attempts, {total} messages, the web server was killed {KILLS} times; answers {dict(sorted(answers.items()))}."
    ]


def _spent() -> Decimal:
    """What counters say of all agents' spending of this month."""
    return Spent.objects.filter(holder="agent", period="month").aggregate(usd=Sum("usd"))["usd"] or Decimal(0)


def _insist(web: Web, message: Message) -> str:
    """Send until there is an answer that is final."""
    luck, until = random.Random(message[2][signatures.ID]), time.monotonic() + GIVE_UP_SECONDS  # noqa: S311
    while time.monotonic() < until:
        try:
            line = HTTPConnection("127.0.0.1", web.port, timeout=10)
            answer = _post(line, OURS, message)
            line.close()
            if not answer.startswith("5"):
                return answer
        except (OSError, HTTPException):
            pass
        time.sleep(luck.uniform(0.1, 0.4))
    return "given up"
