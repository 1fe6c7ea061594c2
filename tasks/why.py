"""Why a task waits, in words: what the claim would find if it looked at it now, by the rows and the arithmetic of the claim itself."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import psycopg
from django.conf import settings
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks import claims, queue, spending
from tasks.admission import Budget, Rates
from tasks.estimates import FEWEST_SAMPLES
from tasks.states import TERMINAL, TaskStatus

MOST_AHEAD = 10_000
PERIOD_SECONDS = 600.0
STANDING = frozenset({"paused", "no_worker", "over_budget", "too_large"})
"""Reasons that do not pass by themselves, or not today: no time can be said."""


@dataclass(frozen=True, slots=True)
class Reason:
    """`code` for programs and styles, `sentence` for people. `until`: when it passes by itself, where that is known."""

    code: str
    sentence: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Why:
    """Why a task waits: the reasons, what stops it longest first; how many tasks are before it (None: it is not in line).

    eta: in how many seconds it will probably start, from and to; None: that cannot be said.
    """

    reasons: tuple[Reason, ...]
    ahead: int | None = None
    eta: tuple[float, float] | None = None

    @property
    def sentence(self) -> str:
        return " ".join(reason.sentence for reason in self.reasons)

    @property
    def eta_sentence(self) -> str:
        if self.eta is None:
            return ""
        low, high = (math.ceil(seconds / 60) for seconds in self.eta)
        if high <= 1:
            return _("It will probably start within a minute.")
        if low == high:
            return ngettext("It will probably start in about %(n)d minute.", "It will probably start in about %(n)d minutes.", low) % {"n": low}  # fmt: skip
        return _("It will probably start in %(low)d to %(high)d minutes.") % {"low": low, "high": high}


def why_waiting(task: int) -> Why:
    """Why the task with this id has not started. Raises LookupError if there is none."""
    db = queue.connection()
    facts = queue.first(db, "why_facts", task=task, lease_seconds=settings.LEASE_SECONDS)
    if facts is None:
        raise LookupError(_("There is no task %(id)s.") % {"id": task})
    if facts.status != TaskStatus.ENQUEUED:
        return Why((_not_waiting(facts),))
    reasons = [*_held(facts), *_deferred(facts), *_no_worker(facts), *_limited(db, facts)]
    ahead = None
    if not facts.deferred:
        ahead = queue.rows(
            db, "why_ahead", agent=facts.agent_id, priority=facts.priority, start_key=facts.start_key, task=facts.id, most=MOST_AHEAD
        )[0].ahead  # fmt: skip
        reasons += _in_line(facts, ahead, bool(reasons))
    eta = None if any(reason.code in STANDING for reason in reasons) else _eta(db, facts, ahead or 0, reasons)
    return Why(tuple(reasons), ahead, eta)


def _not_waiting(facts: Any) -> Reason:
    if facts.status in TERMINAL:
        return Reason("ended", _("It does not wait: it is %(state)s.") % {"state": _(facts.status)})
    return Reason("running", _("It does not wait: it is being processed."))


def _held(facts: Any) -> Iterator[Reason]:
    """What people have paused."""
    if facts.maintenance_since:
        yield Reason("paused", _("Maintenance is under way; nothing is started until it is over."))
    if facts.everything_is_paused:
        yield Reason("paused", _("Everything is paused by an operator."))
    if facts.agent_is_paused:
        yield Reason("paused", _("The agent %(agent)s is paused.") % {"agent": facts.agent_name})
    if facts.client_is_paused:
        yield Reason("paused", _("The work of %(client)s is paused.") % {"client": facts.client_name})


def _deferred(facts: Any) -> Iterator[Reason]:
    if not facts.deferred:
        return
    at = clock(facts.available_at, facts.now)
    if facts.old_run_lives and not facts.attempts_burnt:
        sentence = _("It waits for the run of its earlier attempt to end, until %(at)s at the latest.") % {
            "at": at
        }
        yield Reason("old_run", sentence, facts.available_at)
    else:
        sentence = _("Its next attempt is at %(at)s.") % {"at": at}
        if facts.error_message:
            sentence += " " + _("The last one failed: %(message)s") % {"message": facts.error_message}
        yield Reason("retry", sentence, facts.available_at)


def _no_worker(facts: Any) -> Iterator[Reason]:
    if facts.slots:
        return
    if facts.others:
        sentence = _("No living worker runs attempts of the kind %(executor)s.") % {
            "executor": facts.executor
        }
    else:
        sentence = _("No worker is alive. Start one with: manage.py worker")
    yield Reason("no_worker", sentence)


def _limited(db: psycopg.Connection, facts: Any) -> Iterator[Reason]:
    """Cool-down, money and budgets, by the statements and the arithmetic of the claim."""
    holders = {row.holder: row for row in queue.rows(db, "why_holders", agent=facts.agent_id)}
    for name, row in holders.items():
        if row.cooldown_until is not None and row.cooldown_until > facts.now:
            yield _cooling(name, row, facts)
    yield from _over_budget(db, facts)
    used = {row.holder: row for row in queue.rows(db, "claim_count", agent=facts.agent_id)}
    budgets = [claims.budget(name, row, used.get(name), facts.now) for name, row in holders.items()]
    lacking = [(budget, lack) for budget in budgets if (lack := budget.lacks(claims.rates_of(facts)))]
    for budget, lack in lacking:
        gentle = budget.limits.max_concurrent_tasks != holders[budget.name].max_concurrent_tasks
        yield _lacking(budget, lack, claims.rates_of(facts), facts, gentle)
    if not lacking:
        yield from _reserved(db, facts)


def _named(name: str, facts: Any) -> dict[str, str]:
    whose = _("The agent %(name)s") if name == "agent" else _("The pool %(name)s")
    return {"whose": whose % {"name": facts.agent_name if name == "agent" else facts.pool_name}}


def _cooling(name: str, row: Any, facts: Any) -> Reason:
    values = _named(name, facts) | {"at": clock(row.cooldown_until, facts.now)}
    return Reason(
        "cooling",
        _("%(whose)s is cooling down until %(at)s: its provider asked for a pause.") % values,
        row.cooldown_until,
    )


def _lacking(budget: Budget, lack: str, wanted: Rates, facts: Any, gentle: bool) -> Reason:
    values: dict[str, Any] = _named(budget.name, facts)
    if lack == "tasks":
        values |= {"running": budget.running, "most": budget.limits.max_concurrent_tasks}
        if gentle:
            return Reason(
                "gentle",
                _("%(whose)s comes back gently after a pause of its provider: %(running)d of %(most)d run.")
                % values,
            )
        return Reason("at_limit", _("%(whose)s is at its limit: %(running)d of %(most)d run.") % values)
    use, most, need = {
        "tokens": (budget.used.tpm, budget.limits.max_tpm, wanted.tpm),
        "output": (budget.used.output_tpm, budget.limits.max_output_tpm, wanted.output_tpm),
        "requests": (budget.used.rpm, budget.limits.max_requests_per_minute, wanted.rpm),
    }[lack]
    values |= {"used": short(use), "most": short(most or 0), "need": short(need)}
    sentence = {
        "tokens": _("%(whose)s has %(used)s of %(most)s tokens per minute in use; this task needs %(need)s."),
        "output": _(
            "%(whose)s has %(used)s of %(most)s output tokens per minute in use; this task needs %(need)s."
        ),
        "requests": _(
            "%(whose)s has %(used)s of %(most)s requests per minute in use; this task needs %(need)s."
        ),
    }[lack] % values
    if most and need > most:
        sentence += " " + _("That is more than the whole budget, so it will run alone.")
    if facts.blocked_since is not None:
        kept_from = facts.blocked_since + timedelta(seconds=settings.RESERVE_AFTER_SECONDS)
        sentence += " " + (
            _("The budget is being kept free for it.")
            if kept_from <= facts.now
            else _("From %(at)s on nothing smaller passes it.") % {"at": clock(kept_from, facts.now)}
        )
    return Reason(lack, sentence)


def _over_budget(db: psycopg.Connection, facts: Any) -> Iterator[Reason]:
    prices = {row.version_id: row for row in queue.rows(db, "claim_prices", agent=facts.agent_id)}
    usd = claims.usd_of(facts, prices)
    for row in queue.spending(db, agents=[facts.agent_id], clients=[facts.client_id]):
        for period in spending.PERIODS:
            most = spending.limit(row, "stop", period)
            spent = spending.committed(row, period) + row.reserved_usd
            if most is None or not spending.is_over(spent, usd, most):
                continue
            values = {
                "whose": (_("The agent %(name)s") if row.holder == "agent" else _("The client %(name)s")) % {"name": row.name},
                "spent": spending.money(spent), "most": spending.money(most), "need": spending.money(usd),
            }  # fmt: skip
            if usd > most:
                sentence = _(
                    "%(whose)s may spend %(most)s USD at most; this task alone is expected to cost %(need)s. Raise that limit."
                )
                yield Reason("too_large", sentence % values)
                continue
            day = _(
                "%(whose)s has spent or reserved %(spent)s of %(most)s USD for today; this task needs %(need)s. It goes on tomorrow (UTC)."
            )
            month = _(
                "%(whose)s has spent or reserved %(spent)s of %(most)s USD for this month; this task needs %(need)s. It goes on next month (UTC)."
            )
            yield Reason("over_budget", (day if period == "day" else month) % values)


def _reserved(db: psycopg.Connection, facts: Any) -> Iterator[Reason]:
    """Others that budgets are kept free for."""
    after = timedelta(seconds=settings.RESERVE_AFTER_SECONDS)
    held = [row.id for row in queue.clients_to_heed(db) if row.is_paused]
    own = queue.first(
        db,
        "why_reserved",
        agent=facts.agent_id,
        priority=facts.priority,
        task=facts.id,
        reserve_after=after,
        held_clients=held,
    )
    pool = queue.first(
        db, "claim_pool_reservation", agent=facts.agent_id, held_clients=held, executors=[], lease_seconds=settings.LEASE_SECONDS,
        reserve_after=after,
    )  # fmt: skip
    others = {own.id} if own else set()
    if pool and pool.agent_id != facts.agent_id and pool.priority >= facts.priority:
        others.add(pool.id)
    for other in sorted(others - {facts.id}):
        yield Reason(
            "reserved",
            _("The budget is kept free for task %(task)d, which is larger and has waited longer.")
            % {"task": other},
        )


def _in_line(facts: Any, ahead: int, stopped: bool) -> Iterator[Reason]:
    if ahead:
        count = f"{ahead:,}" if ahead < MOST_AHEAD else _("more than %(n)s") % {"n": f"{ahead:,}"}
        sentence = ngettext(
            "%(count)s task of the same agent is before it.",
            "%(count)s tasks of the same agent are before it.",
            ahead,
        )
        yield Reason("in_line", sentence % {"count": count})
    if stopped:
        return
    if facts.busy >= facts.slots:
        yield Reason("busy", _("All %(slots)d slots of the workers are busy.") % {"slots": facts.slots})
    elif not ahead:
        yield Reason("next", _("It is next: a worker will take it in a moment."))


def _eta(db: psycopg.Connection, facts: Any, ahead: int, reasons: list[Reason]) -> tuple[float, float] | None:
    """From the fastest and the slowest ten minutes of the last hour in which anything was completed."""
    pace = [row.completed for row in queue.rows(db, "why_pace", agent=facts.agent_id)]
    if sum(pace) < FEWEST_SAMPLES:
        return None
    wait = max(
        ((reason.until - facts.now).total_seconds() for reason in reasons if reason.until), default=0.0
    )
    low, high = ((ahead + 1) * PERIOD_SECONDS / completed for completed in (max(pace), min(pace)))
    return wait + low, wait + high


def clock(at: datetime, now: datetime) -> str:
    """A moment for people: the time of day, with the day where that is another one. In the reader's time zone."""
    local = timezone.localtime(at)
    text = formats.time_format(local, "H:i")
    return (
        text
        if local.date() == timezone.localtime(now).date()
        else f"{formats.date_format(local, 'SHORT_DATE_FORMAT')} {text}"
    )


def short(amount: float) -> str:
    """41000 → 41k."""
    return f"{amount / 1000:.0f}k" if amount >= 10_000 else f"{amount:.0f}"
