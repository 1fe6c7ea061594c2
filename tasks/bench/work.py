"""Work and workers for the benches of the queue: documents that nobody reads, agents, submissions, crews of no-op workers."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.conf import settings

from tasks import operations
from tasks.audit import Actor
from tasks.bench.gate import Crew
from tasks.management import processes
from tasks.models import Agent, AgentVersion, Client, Document

DOCUMENTS = 500
MOST_PER_SUBMISSION = 20_000
FIRST_AGENT = "invoice-rules"


class Desk:
    """Hands in work for one client."""

    def __init__(self) -> None:
        self.client = Client.objects.create(name="Bench")
        self.documents = Document.objects.bulk_create(
            Document(
                client=self.client, sha256=f"{number:064d}", size_bytes=1, pages=2, original_name="a.pdf",
                storage_name=f"documents/{number % 100:02d}/{number:064d}.pdf",
            )
            for number in range(DOCUMENTS)
        )  # fmt: skip

    def hand_in(self, agent: Agent, count: int, priority: int | None = None) -> None:
        """As uploads would, in extractions of at most 20,000 documents."""
        for first in range(0, count, MOST_PER_SUBMISSION):
            some = range(first, min(count, first + MOST_PER_SUBMISSION))
            handed = [operations.Handed(self.documents[number % DOCUMENTS]) for number in some]
            operations.submit(
                Actor.system("bench"), client=self.client, agent=agent, documents=handed, priority=priority
            )


def free_agent() -> Agent:
    """The agent that migrations make; it has no limits."""
    return Agent.objects.get(name=FIRST_AGENT)


def make_agent(name: str, **limits: Any) -> Agent:
    agent = Agent.objects.create(name=name, **limits)
    agent.current_version = AgentVersion.objects.create(agent=agent, number=1, program="rules")
    agent.save(update_fields=["current_version"])
    return agent


@contextmanager
def crew(
    workers: int, slots: int, *, run_seconds: float = 0.0, variables: Mapping[str, str] | None = None
) -> Iterator[Crew]:
    """Real workers whose runs do nothing for `run_seconds`, behind one gate; gone at the end."""
    command = [sys.executable, "-m", "tasks.bench.noop", str(slots), str(run_seconds)]
    found = Crew(processes.start, command, workers, os.environ | dict(variables or {}), settings.BASE_DIR)
    try:
        found.ready()
        yield found
    finally:
        processes.stop(found.processes)
