"""Where lines were found to begin, kept for a few seconds after a look at them was slow.

While any transaction stays open, nothing that claims leave behind in an index can be removed, and every look at the head of a line steps
over all of it. A look that begins where the last full one found the first task steps over little. What comes in before that place
(run next, a retry, a slow transaction's documents) or on another level waits for the next full look.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

SLOW_SECONDS = 0.02
"""A full look that takes longer is not repeated before its time; usually it takes a millisecond or two."""
KEPT_SECONDS = 3.0

Starts = Mapping[int, Mapping[int, int]]
"""By agent and level: the start key of the first ready task."""


@dataclass(slots=True)
class Heads:
    """What one claimer remembers."""

    _starts: dict[int, dict[int, int]] = field(default_factory=dict)
    _until: float = 0.0

    @property
    def starts(self) -> Starts:
        """Empty where nothing is remembered, so that everything is to be looked at."""
        return self._starts if time.monotonic() < self._until else {}

    def remember(self, levels: Sequence[Any]) -> None:
        """`levels`: rows with agent_id, priority and start_key."""
        self._starts = {}
        for level in levels:
            self._starts.setdefault(level.agent_id, {})[level.priority] = level.start_key
        self._until = time.monotonic() + KEPT_SECONDS

    def forget(self, agent: int) -> None:
        """Look at its whole line next time."""
        self._starts.pop(agent, None)

    def start(self, agent: int, level: int) -> int | None:
        return self.starts.get(agent, {}).get(level)
