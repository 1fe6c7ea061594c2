"""Agent programs for crash tests: they cost money, and leave in a ledger when they lived, so that two at once would show."""

from __future__ import annotations

import os
import time

from tasks.agent.contract import Order, Result, Usage
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
