"""A report of money as one table, the same on the page, as CSV and as a workbook: what it is about, its lines, and what is said below them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.utils import formats
from django.utils.translation import gettext as _

from dashboard.cost_filters import BY, OUTCOMES, STATUSES, CostFilters
from tasks.costs.names import names
from tasks.costs.reports import Line, Report

UNKNOWN = "—"


@dataclass(frozen=True, slots=True)
class Column:
    """kind: count or usd (or the code of a currency); is_secondary: hidden on narrow screens."""

    title: str
    kind: str
    is_secondary: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One line: its name, the address of what is behind it, and a value per column. None is unknown."""

    name: str
    url: str
    values: list[Any]
    of: Line


@dataclass(slots=True)
class Sheet:
    """about: (title, value) of the filter. sums: total and parts of it. remarks: (title, value) below the table."""

    title: str
    about: list[tuple[str, str]]
    first: str
    columns: list[Column]
    rows: list[Row] = field(default_factory=list)
    sums: list[Row] = field(default_factory=list)
    remarks: list[tuple[str, str]] = field(default_factory=list)

    def lines(self) -> Iterator[list[Any]]:
        """Every line of a file for spreadsheets, amounts as Decimal."""
        yield [self.title]
        yield from ([title, value] for title, value in self.about)
        yield []
        yield [self.first, *(column.title for column in self.columns)]
        yield from (
            [row.name, *(UNKNOWN if value is None else value for value in row.values)]
            for row in (*self.rows, *self.sums)
        )
        yield []
        yield from ([title, value] for title, value in self.remarks)


def sheet(report: Report, filters: CostFilters) -> Sheet:
    called = names(report.query.by, [line.key for line in report.lines])
    has_terms = any(not terms.is_plain for terms in report.terms.values())
    currency = report.total.money.currency if report.total.money.is_converted else ""
    columns = _columns(has_terms, currency)
    rows = [
        Row(shown(report.query.by, called[line.key]), filters.opened(line.key), _values(line, has_terms, currency), line) for line in report.lines
    ]  # fmt: skip
    parts = [
        (_("Total"), report.total),
        (_("of it retries"), report.retries),
        (_("of it failures"), report.failures),
    ]
    if report.corrections.sums:
        parts.append((_("of it corrections of closed months"), report.corrections))
    sums = [Row(title, "", _values(line, has_terms, currency), line) for title, line in parts]
    return Sheet(
        _("Costs in USD"), _about(report), str(BY[report.query.by]), columns, rows, sums, _remarks(report)
    )


def _columns(has_terms: bool, currency: str) -> list[Column]:
    found = [
        Column(_("Attempts"), "count", True), Column(_("Documents"), "count", True), Column(_("Completed"), "count", True), Column(_("LLM"), "usd", True),
        Column(_("Compute"), "usd", True), Column(_("Total"), "usd"), Column(_("Settled"), "usd", True), Column(_("Estimated"), "usd", True),
        Column(_("Per document"), "usd", True), Column(_("Per completed"), "usd", True), Column(_("LLM unknown"), "count"),
        Column(_("Compute unknown"), "count", True),
    ]  # fmt: skip
    if has_terms:
        found.append(Column(_("Charged"), "usd"))
    if currency:
        found.append(Column(_("Charged in %(currency)s") % {"currency": currency}, currency))
    return found


def _values(line: Line, has_terms: bool, currency: str) -> list[Any]:
    sums, money = line.sums, line.money
    found = [
        sums.attempts, sums.documents, line.completed, money.llm, money.compute, money.total, money.settled, money.estimated,
        line.per_document, line.per_completed, sums.llm_unknown, sums.compute_unknown,
    ]  # fmt: skip
    if has_terms:
        found.append(money.charged)
    if currency:
        found.append(money.converted)
    return found


def shown(by: str, name: str) -> str:
    """A name for people: states in words, a dash where there is none."""
    if by in ("status", "outcome"):
        return str((STATUSES if by == "status" else OUTCOMES).get(name, name))
    return name or _("none")


def _about(report: Report) -> list[tuple[str, str]]:
    query, period = report.query, report.query.period
    found = [
        (_("Attempts that ended from"), str(period.since)), (_("to"), str(period.last_day)), (_("Time zone"), report.zone),
        (_("As of"), report.at.isoformat(timespec="seconds")),
    ]  # fmt: skip
    for name in ("client", "agent", "version", "uploader", "status", "outcome"):
        if value := getattr(query, name):
            found.append((str(BY[name]), shown(name, names(name, [str(value)])[str(value)])))  # type: ignore[arg-type]
    for name in ("engagement", "model"):
        if (value := getattr(query, name)) is not None:
            found.append((str(BY[name]), value or _("none")))
    if query.clients is not None:
        found.append((_("Clients"), _("those whose member you are")))
    return found


def _remarks(report: Report) -> list[tuple[str, str]]:
    median, found = report.median, []
    if median.is_too_many:
        found.append((_("Median per task"), _("not shown for so many attempts: narrow the period")))
    else:
        known = _("%(known)d of %(tasks)d tasks known") % {"known": median.known, "tasks": median.tasks}
        found.append((_("Median per task"), f"{amount(median.usd)} ({known})"))
    if not report.query.is_narrowed:
        found.append((_("Not attributed to any run"), amount(report.other_usd)))
    if report.running:
        found.append((_("Attempts still running"), str(report.running)))
    for month, terms in sorted(report.terms.items()):
        parts = [
            _("discount on compute %(n)s %%") % {"n": terms.discount_percent},
            _("mark-up %(n)s %%") % {"n": terms.markup_percent},
        ]
        if terms.rate is not None:
            parts.append(f"1 USD = {terms.rate.normalize():f} {terms.currency}")
        found.append((_("Terms of %(month)s") % {"month": f"{month:%Y-%m}"}, ", ".join(parts)))
    return found


def amount(usd: Decimal | None) -> str:
    return UNKNOWN if usd is None else f"{formats.number_format(usd, 6)} USD"


def workbook(made: Sheet) -> bytes:
    """The same as XLSX. Text stays text, whatever it begins with: no cell is ever a formula or a link."""
    import xlsxwriter  # only those who take a workbook away load it

    out = io.BytesIO()
    with xlsxwriter.Workbook(
        out,
        {
            "in_memory": True,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
        },
    ) as book:
        page = book.add_worksheet(_("Costs")[:31])
        bold, money = book.add_format({"bold": True}), book.add_format({"num_format": "#,##0.000000"})
        page.set_column(0, 0, 34)
        page.set_column(1, len(made.columns), 15)
        head = len(made.about) + 2
        for y, line in enumerate(made.lines()):
            for x, value in enumerate(line):
                if isinstance(value, Decimal):
                    page.write_number(y, x, float(value), money)
                elif isinstance(value, int):
                    page.write_number(y, x, value)
                else:
                    page.write_string(y, x, str(value), bold if y in (0, head) else None)
        page.freeze_panes(head + 1, 1)
    return out.getvalue()
