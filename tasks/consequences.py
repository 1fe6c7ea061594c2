"""What an action on many rows would cost or lose, in sentences for the person who is about to confirm it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Now
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks import spending
from tasks.models import Attempt, Price, Task

READS = frozenset({"retry", "reprocess", "reassign"})
STOPS = frozenset({"cancel", "release"})


def of(verb: str, rows: QuerySet) -> list[str]:
    """Sentences, the most important first."""
    if rows.model is Task:
        told = [_states(rows)] if verb != "run_next" else []
        if verb in READS:
            told.append(_expected(rows))
        if verb in STOPS:
            told += _stopped(verb, rows)
        return [sentence for sentence in told if sentence]
    return {
        "declare_ended": [
            _("They no longer count against limits, and their tasks go on without them."),
            _("If something of them still runs, it is paid for twice, and its result does not count. Make sure first that it has ended."),
        ],
        "pause": [_("What runs goes on and is paid for; what waits keeps its place.")],
        "resume": [_("Waiting work starts at once, within the limits.")],
        "begin_maintenance": [
            _("Uploads, retries and new readings are refused with your reason, on every page. What runs goes on and is paid for; what waits keeps its place."),
        ],
        "end_maintenance": [_("Waiting work starts at once, within the limits. What was paused stays paused.")],
        "set_limits": [_("They hold from the next claim on. What runs above a lower limit goes on.")],
        "end_cooldown": [_("Their provider asked to wait. Work starts again at once, gently; if it is refused again, they cool down anew.")],
        "drain": [_("They take nothing more from their next heartbeat on; their processes stay.")],
    }.get(verb, [])  # fmt: skip


def _states(rows: QuerySet) -> str:
    counts = rows.order_by().values("status").annotate(number=Count("pk")).order_by("-number")
    return _("Now: %(states)s.") % {
        "states": ", ".join(
            f"{number_format(row['number'], force_grouping=True)} {_(row['status'])}" for row in counts
        )
    }


def _expected(rows: QuerySet) -> str:
    """Tokens by their estimates, and money by the prices of today; a model without a price makes no figure."""
    sums = list(
        rows.order_by().values("agent_version__model").annotate(tokens=Sum("estimated_tokens"), output=Sum("estimated_output_tokens"))
    )  # fmt: skip
    asked = [row for row in sums if row["agent_version__model"]]
    if not asked:
        return _("No model is asked: it costs processor time only.")
    tokens = sum(row["tokens"] for row in asked)
    values: dict[str, Any] = {"tokens": number_format(tokens, force_grouping=True)}
    prices = {row["agent_version__model"]: _price(row["agent_version__model"]) for row in asked}
    if not all(prices.values()):
        return (
            _("About %(tokens)s tokens are expected; what they cost is not known, for want of a price.")
            % values
        )
    usd = Decimal(0)
    for row in asked:
        if price := prices[row["agent_version__model"]]:
            usd += spending.expected_usd(row["tokens"], row["output"], price.input_usd, price.output_usd)
    values["usd"] = spending.money(usd)
    return _("About %(tokens)s tokens are expected, or %(usd)s USD at the prices of today.") % values


def _price(model: str) -> Price | None:
    return Price.objects.filter(model=model, valid_from__lte=Now()).order_by("-valid_from").first()


def _stopped(verb: str, rows: QuerySet) -> list[str]:
    live = Attempt.objects.filter(
        task__in=rows.filter(status="processing").order_by().values("pk"), ended_at=None
    )
    sums = live.aggregate(number=Count("pk"), usd=Sum("cost_usd"))
    if not sums["number"]:
        return []
    if not sums["usd"]:
        return [ngettext("%(number)d run is stopped.", "%(number)d runs are stopped.", sums["number"]) % sums]
    values = {"number": sums["number"], "usd": spending.money(sums["usd"])}
    told = ngettext(
        "%(number)d run is stopped; the %(usd)s USD that it has cost so far are lost.",
        "%(number)d runs are stopped; the %(usd)s USD that they have cost so far are lost.",
        sums["number"],
    )
    return [told % values]
