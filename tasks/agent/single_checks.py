"""Checks the values of a contract, and the figures of a statement, against each other."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from itertools import pairwise

from tasks.agent.checks import Findings
from tasks.agent.rules.figures import Figure, Grid
from tasks.agent.rules.flow import Flow
from tasks.agent.rules.numbers import ROUNDING
from tasks.agent.rules.patterns import key_of
from tasks.agent.rules.text import Candidate

DAYS = {"d": 1.0, "t": 1.0, "j": 1.0, "w": 7.0, "s": 7.0, "m": 30.44, "y": 365.25, "a": 365.25}
"""Days of a unit of time by its first letter: days, Tage, jours; weeks, Wochen, semaines; months, Monate, mois; years, années. Jahre stand below."""
MOST_SUMMED = 40
"""Rows that are tried as the parts of a sum."""


def check_contract(found: dict[str, Candidate | None], flow: Flow) -> Findings:
    """A contract ends after it begins, by its term; and whoever makes it is named again, where he signs."""
    findings = Findings()
    start, end, term = (found.get(name) for name in ("effective_date", "end_date", "term"))
    if start is not None and end is not None:
        lasts = date.fromisoformat(end.value) - date.fromisoformat(start.value)
        if lasts.days < 0:
            reason = f"The end date {end.value} lies before the effective date {start.value}."
            findings.doubt(reason, "effective_date", "end_date")
        elif term is not None and abs(lasts.days + 0.5 - days_of(term.value)) <= 2 + lasts.days / 365:
            findings.confirm("effective_date", "end_date", "term")
    plain = key_of(flow.text)
    for name, candidate in found.items():
        if name.startswith("party") and candidate is not None and plain.count(key_of(candidate.value)) > 1:
            findings.confirm(name)
    return findings


def days_of(span: str) -> float:
    """ "3 years", "6 Monate": about how many days these are; 0 for what is none."""
    count, _, unit = span.partition(" ")
    days = 365.25 if unit.lower().startswith("jahr") else DAYS.get(unit[:1].lower(), 0.0)
    return int(count) * days if count.isdigit() else 0.0


def check_figures(
    opening: Candidate | None, closing: Candidate | None, grids: list[Grid]
) -> tuple[Findings, set[int]]:
    """What confirms the two balances; and the ids of figures that are parts of a sum, or the sum, or lead from one balance to the next."""
    findings, proven = Findings(), set()
    for grid in grids:
        for column in {figure.column for row in grid.rows for figure in row.figures}:
            figures = [figure for row in grid.rows for figure in row.figures if figure.column == column]
            proven |= {id(figure) for figure in summed(figures)}
        proven |= {id(figure) for figure in led(grid)}
        if opening is not None and closing is not None:
            moved = list(movements(grid, closing.amount - opening.amount))
            proven |= {id(figure) for figure in moved}
            if moved:
                findings.confirm("opening_balance", "closing_balance")
    return findings, proven


def summed(figures: list[Figure]) -> Iterator[Figure]:
    """Figures of a column that are the sum of two or more right above them, with these."""
    for position, figure in enumerate(figures):
        total, first = Decimal(0), max(position - MOST_SUMMED, 0)
        for start in range(position - 1, first - 1, -1):
            total += figures[start].value
            if position - start > 1 and total and abs(total - figure.value) <= ROUNDING:
                yield from figures[start : position + 1]
                break


def led(grid: Grid) -> Iterator[Figure]:
    """Figures of rows whose last figure is that of the row before, more or less what else the row says."""
    for before, row in pairwise(row for row in grid.rows if row.figures):
        steps, balance = row.figures[:-1], row.figures[-1]
        moved = balance.value - before.figures[-1].value
        if moved and any(abs(abs(step.value) - abs(moved)) <= ROUNDING for step in steps):
            yield from row.figures


def movements(grid: Grid, moved: Decimal) -> Iterator[Figure]:
    """The figures of a column of dated rows that sum up to what the balance moved by."""
    dated = [row for row in grid.rows if row.when]
    for column in {figure.column for row in dated for figure in row.figures}:
        figures = [figure for row in dated for figure in row.figures if figure.column == column]
        if moved and abs(sum((figure.value for figure in figures), Decimal(0)) - moved) <= ROUNDING:
            yield from figures
