"""The periodic step that learns what documents take: figures of each version from what it finished, and fresh estimates at the head of the line.

What is handed in gets the figures of that moment. Waiting tasks are refreshed where they are about to be decided on: a thousand at the
head of each line, when they are off by a tenth or more. So ten thousand tasks that were handed in before anything was known do not
break a limit all day, and nobody rewrites a whole backlog. An attempt keeps the rates that it was claimed with.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import psycopg

from tasks import queue
from tasks.estimates import Estimate, Figures, Sample, estimate, figures_of, known, learn
from tasks.models import AgentVersion, Task
from tasks.queue import estimating

EVERY_SECONDS = 60.0
"""How often a version is looked at, by whichever worker comes first."""
SAMPLES, LOOK_BACK = 100, 500
HEAD = 1000
PIECE = 200
"""Tasks per transaction: a claim that meets one leaves these out until its next tick."""
MOST_VERSIONS = 20


def step(db: psycopg.Connection, every_seconds: float = EVERY_SECONDS) -> int:
    """Learn for every version that is due; how many there were. Cheap where nothing finished."""
    return queue.retried(partial(_step, db, every_seconds))


def _step(db: psycopg.Connection, every_seconds: float) -> int:
    with db.transaction():
        versions = estimating.versions_to_learn(db, every_seconds=every_seconds, most=MOST_VERSIONS)
        learnt = []
        for row in versions:
            version = row._replace(learnt=json.loads(row.learnt))
            prior = figures_of(version)
            samples = [
                Sample(*one)
                for one in estimating.samples(db, version.agent_id, version.id, SAMPLES, LOOK_BACK)
            ]
            fresh = learn(prior, samples) or version.learnt
            estimating.store_learnt(db, version.id, json.dumps(fresh))
            learnt.append((version, replace(prior, **known(fresh))))
    for version, figures in learnt:
        _refresh(db, version, figures)
    return len(learnt)


def _refresh(db: psycopg.Connection, version: Any, figures: Figures) -> None:
    """Estimates of the version's waiting tasks at the head of its agent's line."""
    changed: list[tuple[int, Estimate]] = []
    for row in estimating.waiting_estimates(db, version.agent_id, version.id, HEAD):
        old = Estimate(
            row.estimated_tokens, row.estimated_output_tokens, row.estimated_requests, row.estimated_seconds
        )
        new = estimate(figures, row.pages)
        if old.differs(new):
            changed.append((row.id, new))
    for start in range(0, len(changed), PIECE):
        queue.retried(partial(estimating.refresh_estimates, db, changed[start : start + PIECE]))


def estimate_again(db: psycopg.Connection, tasks: Sequence[int]) -> None:
    """Fresh estimates for tasks that start over, maybe with another agent."""
    rows = Task.objects.filter(pk__in=tasks).values_list("pk", "agent_version", "document__pages")
    versions = AgentVersion.objects.in_bulk({version for _, version, _ in rows})
    fresh = [(task, estimate(figures_of(versions[version]), pages)) for task, version, pages in rows]
    if fresh:
        estimating.refresh_estimates(db, fresh)
