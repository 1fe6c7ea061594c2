"""Agent programs for crash tests: they cost money, and leave in a ledger when they lived, so that two at once would show."""

from __future__ import annotations

import os
import random
import signal
import time

from tasks.agent.contract import Code, Order, Problem, Result, Usage
from tasks.agent.rules.reader import read
from tests.standin.cloud import RESULT, USAGE

BREATH_SECONDS = 0.02


def completes(order: Order, progress) -> tuple[Result, Usage]:
    """Lives for settings["seconds"] (a first attempt for "first_seconds"), then gives a result that was paid for.

    The ledger is a file: attempt, task, time.
    """
    seconds = order.settings.get("seconds", 0.05)
    ends_at = time.monotonic() + (
        order.settings.get("first_seconds", seconds) if order.number == 1 else seconds
    )
    ledger = os.open(order.settings["ledger"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(ledger, f"{order.attempt} {order.task} {time.monotonic()} begins\n".encode())
    while time.monotonic() < ends_at:
        progress(0, 1, Usage())
        time.sleep(BREATH_SECONDS)
        os.write(ledger, f"{order.attempt} {order.task} {time.monotonic()} lives\n".encode())
    return RESULT, USAGE


def reads(order: Order, progress) -> tuple[Result, Usage]:
    """Really reads the document, and takes a moment for it."""
    time.sleep(0.3)
    return read(order, progress)


def by_chance(order: Order, progress) -> tuple[Result, Usage]:
    """Ends in any way that an attempt can end, after it has paid for something; the same way for the same document, generation and number."""
    luck = random.Random(
        f"{order.settings['seed']} {order.document_sha256} {order.generation} {order.number}"
    )
    paid = Usage(
        calls=1, model=luck.choice(("small", "large", "unpriced")), input_tokens=luck.randint(1, 9000), output_tokens=luck.randint(0, 900),
        cache_read_tokens=luck.choice((None, 0, 1)),
    )  # fmt: skip
    usage = luck.choice((paid, paid, paid, Usage(calls=1), Usage()))
    progress(1, 2, usage)
    time.sleep(luck.uniform(0.0, 0.2))
    end = luck.random()
    if end < 0.12:
        raise Problem(Code.CORRUPT, "This file is damaged.")
    if end < 0.24:
        raise Problem(
            Code.UPSTREAM, "It did not answer.", retryable=True, retry_after=luck.choice((0.0, 0.5, None))
        )
    if end < 0.28:
        os._exit(7)
    if end < 0.32:
        os.kill(os.getpid(), signal.SIGKILL)
    if end < 0.40:
        for _ in range(200):  # until it is asked to stop, or its time is over
            progress(1, 2, usage)
            time.sleep(BREATH_SECONDS)
    confidence = round(luck.random(), 3)
    return Result(kind="invoice", pages=1, confidence=confidence, needs_review=confidence < 0.6), usage
