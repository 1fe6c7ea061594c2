"""Closes months: their figures are what was paid by then, and whatever is learnt later counts in the month that is open."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from django.db import transaction
from django.utils.translation import gettext as _

from tasks import queue
from tasks.audit import Actor, Entry, record
from tasks.changes import Refused
from tasks.costs import cells
from tasks.costs.periods import first_of_month, next_month
from tasks.models import ClosedMonth, OtherSpend


def closable(found: cells.State) -> date | None:
    """The one month that may be closed next: the first that is over and not closed; None where there is none."""
    if found.stored_until is None:
        return None
    first = queue.first(queue.connection(), "costs_first_end").at
    if found.last_closed is not None:
        month = next_month(found.last_closed)
    elif first is not None:
        month = first_of_month(cells.day_of(first, found.zone))
    else:
        return None
    return month if next_month(month) <= found.today else None


@transaction.atomic
def close(actor: Actor, month: date, reason: str = "") -> None:
    """Close a month for good, in order. Raises Refused where it is not its turn, not over, or its sums are not made yet."""
    db = queue.connection()
    queue.execute(db, "costs_lock")
    found = cells.state(db)
    named = {"month": f"{month:%Y-%m}", "next": f"{next_month(month)}"}
    if found.is_closed(month):
        raise Refused(
            _("%(month)s is closed already; what is learnt of it counts in the present month.") % named
        )
    if next_month(month) > found.today:
        raise Refused(_("%(month)s is not over; close it from %(next)s on.") % named)
    if (turn := closable(found)) is not None and turn != month:
        named["turn"] = f"{turn:%Y-%m}"
        raise Refused(_("Months are closed one after another: %(turn)s comes before %(month)s.") % named)
    if not cells.are_complete(found, month):
        sums = _(
            "The sums of %(month)s are not made yet. A worker makes them in the background; is one running? Try again in a minute."
        )
        raise Refused(sums % named)
    while cells.renew(db, found):
        pass
    ClosedMonth.objects.create(month=month, closed_by=actor.name)
    record(actor, [Entry("close", "month", f"{month:%Y-%m}")], reason)


@transaction.atomic
def book_other(figures: Mapping[tuple[date, str], Decimal]) -> None:
    """Store what the bill says by (day, product) of spend that no run carries. Safe to repeat: each figure replaces the last one.

    A day of a closed month keeps its figure; the difference counts today.
    """
    db = queue.connection()
    queue.execute(db, "costs_lock")
    found = cells.state(db)
    for (day, product), usd in figures.items():
        if not found.is_closed(day):
            _put(day, product, None, usd, found)
            continue
        rows = OtherSpend.objects.filter(product=product)
        booked = [row.usd for row in rows.filter(day=day, corrects=None) | rows.filter(corrects=day)]
        missing = usd - sum(booked, Decimal(0))
        if missing:
            today = rows.filter(day=found.today, corrects=day).first()
            _put(found.today, product, day, missing + (today.usd if today else 0), found)


def _put(day: date, product: str, corrects: date | None, usd: Decimal, found: cells.State) -> None:
    OtherSpend.objects.update_or_create(
        day=day, product=product, corrects=corrects, defaults={"usd": usd, "as_of": found.now}
    )
