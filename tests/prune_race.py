"""What processes of a race between prunings and people do who have documents read again by another agent, and what has to hold after it."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from time import monotonic, sleep

from tasks import operations
from tasks.models import Agent, Extraction, Task
from tasks.storage import get_storage
from tests.erasure_tools import ACTOR, has_read
from tests.factories import make_agent, make_client, make_extraction
from tests.prune_tools import age, document, prune

NUMBER = 30
STARTING_SHOT = "go"


def prepare() -> None:
    """Old extractions of two documents each; every second one shares a document with the one before."""
    client, reader = make_client("Nordwind"), make_agent("reader")
    make_agent("other", is_fair=True)
    shared = None
    for number in range(NUMBER):
        extraction = make_extraction(client, reader)
        own = has_read(extraction, document(client, f"own{number}")).document
        has_read(extraction, shared or document(client, f"second{number}"))
        shared = None if shared else own
        age(extraction)


def read_again(home: str, seed: str) -> None:
    """One of each extraction's documents by the other agent, in an order of its own; prints which were, and why others were not."""
    tasks = [task.pk for task in Task.objects.order_by("pk")][int(seed) % 2 :: 2]
    random.Random(seed).shuffle(tasks)
    agent, done, skipped = Agent.objects.get(name="other"), [], {}
    _wait(home)
    for pk in tasks:
        outcome = operations.reprocess(ACTOR, [pk], agent=agent)
        done += outcome.done
        skipped |= outcome.skipped
    sys.stdout.write(json.dumps({"done": done, "skipped": skipped}))


def delete(home: str, _seed: str) -> None:
    _wait(home)
    sys.stdout.write(json.dumps({"pruned": prune().extractions}))


def _wait(home: str) -> None:
    deadline = monotonic() + 60
    Path(home, f"ready-{random.getrandbits(64)}").touch()
    while not Path(home, STARTING_SHOT).exists():
        assert monotonic() < deadline
        sleep(0.01)


def faults(done: list[int]) -> list[str]:
    """What an extraction is in that is neither pruned as a whole nor read again from documents that are there."""
    found = []
    for extraction in Extraction.objects.all():
        tasks = list(extraction.tasks.select_related("document", "agent", "agent_version__agent"))
        again = [task for task in tasks if task.pk in done]
        for task in tasks:
            is_there = bool(task.document.storage_name) and get_storage().exists(task.document.storage_name)
            state = (task.status, task.generation, task.agent.name, task.agent_version.agent.name)
            kept = task.attempts.filter(result__isnull=False).exists()
            if state != (
                ("enqueued", 2, "other", "other") if task in again else ("completed", 1, "reader", "reader")
            ):
                found.append(f"task {task.pk} is {state}")
            if not extraction.pruned_at and not (is_there and kept):
                found.append(f"task {task.pk} has lost its document or its result")
            if extraction.pruned_at and kept:
                found.append(f"task {task.pk} keeps its result")
        if bool(extraction.pruned_at) == bool(again):
            found.append(
                f"extraction {extraction.pk}: pruned at {extraction.pruned_at}, read again {len(again)}"
            )
    return found
