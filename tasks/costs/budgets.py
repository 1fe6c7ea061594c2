"""Spend limits of clients and agents beside what the present day and month have spent, by the counters that claims obey."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Q

from tasks import queue, spending
from tasks.models import Agent, Client

LIMITED = Q()
for _level in ("warn", "stop"):
    for _period in spending.PERIODS:
        LIMITED |= Q(**{f"spend_{_level}_per_{_period}__isnull": False})


@dataclass(frozen=True, slots=True)
class Budget:
    """One client's or agent's (holder) limits in USD for the present UTC day or month (period). reserved: what live attempts may still add."""

    holder: str
    id: int
    name: str
    period: str
    spent: Decimal
    reserved: Decimal
    warn: Decimal | None
    stop: Decimal | None

    @property
    def level(self) -> str:
        """What is reached: "stop", "warn" or nothing."""
        if self.stop is not None and self.spent >= self.stop:
            return "stop"
        return "warn" if self.warn is not None and self.spent >= self.warn else ""

    @property
    def share(self) -> float | None:
        """Of the stricter limit that there is, 1.0: used up. None: a limit of nothing."""
        limit = self.stop if self.stop is not None else self.warn
        return float(self.spent / limit) if limit else None


def budgets(clients: frozenset[int] | None = None) -> list[Budget]:
    """Every limit that is set, the fullest first. clients: those alone, and no agents; None: everybody's."""
    limited = Client.objects.filter(LIMITED)
    if clients is not None:
        limited = limited.filter(pk__in=clients)
    agents = Agent.objects.filter(LIMITED) if clients is None else Agent.objects.none()
    ids = {
        "clients": list(limited.values_list("pk", flat=True)),
        "agents": list(agents.values_list("pk", flat=True)),
    }
    if not any(ids.values()):
        return []
    found = []
    for row in queue.rows(queue.connection(), "spending", **ids):
        for period in spending.PERIODS:
            warn, stop = (spending.limit(row, level, period) for level in ("warn", "stop"))
            if warn is not None or stop is not None:
                spent = spending.committed(row, period)
                found.append(
                    Budget(row.holder, row.id, row.name, period, spent, row.reserved_usd, warn, stop)
                )
    return sorted(found, key=lambda budget: -(budget.share or 0))


def over(clients: frozenset[int] | None = None) -> list[Budget]:
    """Those that have reached a level, for banners and alerts."""
    return [budget for budget in budgets(clients) if budget.level]
