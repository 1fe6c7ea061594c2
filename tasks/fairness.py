"""Turns between the clients of a fair agent: virtual starts for what is moved or handed in again, and what waits when the switch is thrown.

A task's virtual start is the later of its level's clock and its client's last start, and the length of a task, which a greater weight
makes shorter (DESIGN §5). So clients with waiting work take turns, and whoever was away has saved up nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import psycopg

from tasks import queue
from tasks.models import Agent, Client

TIER_WEIGHT = {Client.Tier.STANDARD: 1.0, Client.Tier.PREMIUM: 2.0}


def weight(tier: str) -> float:
    return TIER_WEIGHT[Client.Tier(tier)]


def stamp(db: psycopg.Connection, moves: Sequence[tuple[int, int, int, int]]) -> dict[int, int]:
    """The start keys for tasks that are about to come to the end of a level: each move is (task, agent, priority, client), in order.

    Only tasks of fair agents get one. To be called before the tasks are there, or they would be taken for the level's clock.
    """
    fair = set(
        Agent.objects.filter(pk__in={agent for _, agent, _, _ in moves}, is_fair=True).values_list(
            "pk", flat=True
        )
    )
    groups: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for task, agent, priority, client in moves:
        if agent in fair:
            groups[agent, priority, client].append(task)
    tiers = dict(Client.objects.filter(pk__in={client for _, _, client in groups}).values_list("pk", "tier"))
    keys: dict[int, int] = {}
    for (agent, priority, client), tasks in sorted(groups.items()):
        first, step = queue.stamp_lane(
            db, agent=agent, priority=priority, client=client, count=len(tasks), weight=weight(tiers[client])
        )
        keys |= {task: first + place * step for place, task in enumerate(tasks)}
    return keys


def switched(db: psycopg.Connection, agent: int, fair: bool) -> None:
    """Place what waits anew after the agent's switch was thrown, in the same transaction.

    Fair from now on: its clients take turns with what waits, too. Not any more: that goes back to first come, first served.
    """
    if fair:
        queue.rekey_fair(db, agent, {str(tier): heavy for tier, heavy in TIER_WEIGHT.items()})
    else:
        queue.rekey_plain(db, agent)


def moves(
    rows: Sequence[Any], *, agent: int | None = None, priority: int | None = None, least: int = 0
) -> list[tuple[int, int, int, int]]:
    """Locked task rows as moves, to another agent or priority if one is given; never below `least`."""
    return [
        (
            row.id,
            agent or row.agent_id,
            max(row.priority if priority is None else priority, least),
            row.client_id,
        )
        for row in rows
    ]
