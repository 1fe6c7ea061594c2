"""A report of money as JSON: amounts as text with every place, unknown as null. Pure but for the names of its lines."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from tasks.costs.names import names
from tasks.costs.reports import Line, Report

MAY_BE_EMPTY = ("engagement", "model")


def amount(usd: Decimal | None) -> str | None:
    return None if usd is None else str(usd.quantize(Decimal("0.000001")))


def line(line: Line) -> dict[str, Any]:
    """The figures of one line. *_unknown_attempts: how many of `attempts` have no known cost; the sums are without them."""
    sums, money = line.sums, line.money
    return {
        "attempts": sums.attempts, "documents": sums.documents, "completed": line.completed,
        "total_usd": amount(money.total), "llm_usd": amount(money.llm), "compute_usd": amount(money.compute),
        "llm_settled_usd": amount(sums.llm_settled_usd), "llm_estimated_usd": amount(sums.llm_estimated_usd),
        "llm_unknown_attempts": sums.llm_unknown, "compute_unknown_attempts": sums.compute_unknown,
        "compute_settled_usd": amount(sums.compute_settled_usd), "compute_estimated_usd": amount(sums.compute_estimated_usd),
        "per_document_usd": amount(line.per_document), "per_completed_usd": amount(line.per_completed), "charged_usd": amount(money.charged),
        "converted": amount(money.converted) if money.is_converted else None, "currency": money.currency if money.is_converted else "",
        "tokens": {"input": sums.input_tokens, "output": sums.output_tokens, "cache_read": sums.cache_read_tokens,
                   "cache_write": sums.cache_write_tokens, "attempts_known": sums.metered},
    }  # fmt: skip


def report(report: Report) -> dict[str, Any]:
    query, called = report.query, names(report.query.by, [line.key for line in report.lines])
    narrowed = {
        name: value
        for name, value in query.values().items()
        if value not in (0, None) and (value or name in MAY_BE_EMPTY)
    }
    for name in ("client", "agent", "version", "uploader"):
        if name in narrowed:
            narrowed[name] = names(name, [str(narrowed[name])])[str(narrowed[name])]
    return {
        "since": query.period.since.isoformat(), "until": query.period.last_day.isoformat(), "zone": report.zone, "as_of": report.at.isoformat(),
        "filter": narrowed, "by": query.by, "is_closed": report.is_closed, "running_attempts": report.running,
        "total": line(report.total), "lines": [{"key": each.key, "name": called[each.key], **line(each)} for each in report.lines],
        "waste": {"retries": line(report.retries), "failures": line(report.failures), "share": report.waste_share and round(report.waste_share, 4)},
        "corrections_of_closed_months": line(report.corrections), "not_attributed_usd": amount(report.other_usd),
        "median_task_usd": amount(report.median.usd),
        "median_of": {"tasks": report.median.tasks, "known": report.median.known, "too_many": report.median.is_too_many},
    }  # fmt: skip
