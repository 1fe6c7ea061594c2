"""What a report of money is about: a period, what its lines are, and what it is narrowed to. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tasks.costs.periods import Period
from tasks.costs.sums import Key

By = Literal[
    "client", "engagement", "agent", "version", "model", "outcome", "status", "uploader", "day", "month"
]
DIMENSIONS: tuple[By, ...] = (
    "client", "engagement", "agent", "version", "model", "outcome", "status", "uploader", "day", "month",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Query:
    """What a report is about. 0, "" and (for texts that may be empty) None: not narrowed. clients: those that a person may see; None: all.

    outcome: state of attempts. status: of their tasks; "open" while they have not ended.
    """

    period: Period
    by: By = "client"
    clients: frozenset[int] | None = None
    client: int = 0
    engagement: str | None = None
    agent: int = 0
    version: int = 0
    model: str | None = None
    outcome: str = ""
    status: str = ""
    uploader: int = 0

    @property
    def is_narrowed(self) -> bool:
        return self.clients is not None or self != Query(self.period, self.by)

    def holds(self, key: Key) -> bool:
        """Whether a cell is asked for; what `costs_read` says in SQL."""
        return (
            (self.clients is None or key.client in self.clients)
            and self.client in (0, key.client)
            and self.engagement in (None, key.engagement)
            and self.agent in (0, key.agent)
            and self.version in (0, key.version)
            and self.model in (None, key.model)
            and self.outcome in ("", key.outcome)
            and self.status in ("", key.status)
            and self.uploader in (0, key.uploader)
        )

    def values(self) -> dict[str, Any]:
        """Parameters of the statements."""
        names = ("client", "engagement", "agent", "version", "model", "outcome", "status", "uploader")
        clients = None if self.clients is None else sorted(self.clients)
        return {"clients": clients} | {name: getattr(self, name) for name in names}
