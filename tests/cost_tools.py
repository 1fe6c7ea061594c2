"""What tests of money share: random histories with prices, engagements and late bills, and the same figures by the plainest recount."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings

from tasks.audit import Actor
from tasks.costs import cells, closing, reports
from tasks.costs.periods import Period, first_of_month
from tasks.costs.questions import Query
from tasks.models import Attempt, Extraction, Price, Task
from tests.factories import database_now, make_user
from tests.test_operations_numbers import History, sum_up_once

MODELS = ("small", "large", "unpriced")
FINANCE = Actor("fiona")
LONG_AGO = date(2000, 1, 1)


def cells_up_to_date() -> None:
    """Every day that is over has its cells, and every change is worked in."""
    while sum_up_once():
        pass
    while cells.step():
        pass


def all_time() -> Period:
    return Period(LONG_AGO, reports.today() + timedelta(days=1))


class Spending(History):
    """Random work whose money comes late, changes, is unknown for a while or for ever, and whose months are closed now and then."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.people_who_upload = [make_user(), make_user()]
        self.price(Decimal(1))

    def act(self) -> None:
        if self.luck.random() < 0.7:
            super().act()
        else:
            self.luck.choice(
                (self.keep_cells, self.bill, self.reprice, self.label, self.close, self.days_pass, self.work)
            )()

    def work(self) -> None:
        """A day on which much is read."""
        for step in (self.hand_in, self.label, self.claim, self.claim, self.settle, self.settle, self.settle):
            step()
            self.clock.forward(self.luck.randint(1, 20_000))

    def days_pass(self) -> None:
        self.clock.forward(self.luck.randint(1, 12) * 86_400 + self.luck.randint(0, 86_400))

    def price(self, factor: Decimal) -> None:
        for model, usd in (("small", 3), ("large", 20)):
            Price.objects.create(
                model=model, valid_from=database_now(), input_usd=usd * factor, output_usd=4 * usd * factor, cache_read_usd=usd * factor / 10
            )  # fmt: skip

    def reprice(self) -> None:
        self.clock.forward(1)
        self.price(Decimal(self.luck.randint(1, 30)) / 10)

    def usage(self) -> Any:
        return super().usage().model_copy(update={"model": self.luck.choice(MODELS)})

    def label(self) -> None:
        """Extractions say for which engagement and by whom; only before anything of them has run."""
        fresh = Extraction.objects.filter(engagement="", created_by=None).exclude(tasks__attempts_made__gt=0)
        for extraction in fresh:
            extraction.engagement = self.luck.choice(("2025", "2026", ""))
            extraction.created_by = self.luck.choice((*self.people_who_upload, None))
            extraction.save()

    def bill(self) -> None:
        """The bill of some runs: for the first time, again, corrected, or taken back."""
        ended = list(Attempt.objects.exclude(finished_at=None).values_list("pk", flat=True))
        for pk in self.luck.sample(ended, min(len(ended), 3)):
            usd = self.luck.choice((Decimal("0.123456"), Decimal("2.5"), Decimal(0), None))
            state = "unknown" if usd is None else self.luck.choice(("estimated", "settled"))
            Attempt.objects.filter(pk=pk).update(compute_cost_usd=usd, compute_cost_state=state)

    def keep_cells(self) -> None:
        for _ in range(self.luck.randint(1, 40)):
            sum_up_once()
            cells.step()

    def close(self) -> None:
        found = cells.state(self.db)
        month = closing.closable(found)
        if month and cells.are_complete(found, month):
            closing.close(FINANCE, month)


@dataclass
class Plain:
    """Figures of some attempts by plain addition."""

    attempts: int = 0
    documents: int = 0
    completed: int = 0
    tokens: int = 0
    unknown: int = 0
    unknown_compute: int = 0
    llm: Decimal = Decimal(0)
    compute: Decimal = Decimal(0)
    wasted: Decimal = Decimal(0)

    def add(self, attempt: Attempt, is_first: bool) -> None:
        self.attempts += 1
        self.documents += is_first
        self.completed += attempt.status == "completed"
        self.tokens += sum(
            getattr(attempt, f"{kind}_tokens") or 0
            for kind in ("input", "output", "cache_read", "cache_write")
        )
        self.unknown += attempt.cost_usd is None
        self.unknown_compute += attempt.compute_cost_usd is None
        self.llm += attempt.cost_usd or 0
        self.compute += attempt.compute_cost_usd or 0
        if attempt.status != "completed":
            self.wasted += (attempt.cost_usd or 0) + (attempt.compute_cost_usd or 0)

    @classmethod
    def of(cls, line: reports.Line) -> Plain:
        sums = line.sums
        tokens = sums.input_tokens + sums.output_tokens + sums.cache_read_tokens + sums.cache_write_tokens
        return cls(sums.attempts, sums.documents, line.completed, tokens, sums.llm_unknown, sums.compute_unknown,
                   sums.llm_usd or Decimal(0), sums.compute_usd or Decimal(0))  # fmt: skip


VALUES: dict[str, Callable[[Attempt, Task, Extraction, date], str]] = {
    "client": lambda a, t, e, day: str(t.client_id),
    "engagement": lambda a, t, e, day: f"{t.client_id} {e.engagement}",
    "agent": lambda a, t, e, day: str(a.agent_id),
    "version": lambda a, t, e, day: str(a.agent_version_id),
    "model": lambda a, t, e, day: a.model,
    "outcome": lambda a, t, e, day: a.status,
    "status": lambda a, t, e, day: t.status if t.finished_at else "open",
    "uploader": lambda a, t, e, day: str(e.created_by_id or 0),
    "day": lambda a, t, e, day: day.isoformat(),
    "month": lambda a, t, e, day: first_of_month(day).isoformat(),
}


def recounted(query: Query) -> dict[str, Plain]:
    """What the report should say, from every attempt one by one."""
    zone = ZoneInfo(settings.COST_TIME_ZONE)
    found: dict[str, Plain] = {}
    rows = (
        Attempt.objects.exclude(finished_at=None)
        .select_related("task__extraction")
        .order_by("task", "number")
    )
    for attempt in rows:
        task, extraction = attempt.task, attempt.task.extraction
        day = attempt.finished_at.astimezone(zone).date()
        is_first = not Attempt.objects.filter(
            task=task, generation=attempt.generation, number__lt=attempt.number
        ).exists()
        values = {name: value(attempt, task, extraction, day) for name, value in VALUES.items()}
        wanted = (
            query.period.since <= day < query.period.until
            and (query.clients is None or task.client_id in query.clients)
            and query.client in (0, task.client_id)
            and query.agent in (0, attempt.agent_id)
            and query.version in (0, attempt.agent_version_id)
            and query.model in (None, attempt.model)
            and query.engagement in (None, extraction.engagement)
            and query.outcome in ("", attempt.status)
            and query.status in ("", values["status"])
            and query.uploader in (0, extraction.created_by_id)
        )
        if wanted:
            found.setdefault(values[query.by], Plain()).add(attempt, is_first)
    return found
