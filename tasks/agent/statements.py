"""The program "statement-rules": the figures of statements and tables, each with its label, period, currency and unit where the table states them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from tasks.agent import confidence
from tasks.agent.contract import FieldValue, Order, Record, Result, Usage
from tasks.agent.page import Word
from tasks.agent.pdf import Document
from tasks.agent.reading import Tell
from tasks.agent.rules import dates, numbers
from tasks.agent.rules.figures import Figure, Grid, Row, grids_of
from tasks.agent.rules.flow import Flow
from tasks.agent.rules.labels import fold
from tasks.agent.rules.money import currency_of
from tasks.agent.rules.numbers import code_of
from tasks.agent.rules.parties import Parties
from tasks.agent.rules.patterns import LEGAL, clean
from tasks.agent.rules.text import Candidate, Text
from tasks.agent.rules.values import FURTHER, PROVEN_LINES, Judge, missing
from tasks.agent.single import Kind
from tasks.agent.single_checks import check_figures

NOTHING = "No table of figures was recognised in this document."
REQUIRED = ("period_end", "currency")
LEAST_FIGURES = 4
MOST_LINES = 2000
STATED, GUESSED = 0.9, 0.6
MOST_WORDS, APART = 9, 3.0

ENDED = re.compile(
    r"(?:(?:period|quarter|year|months?|weeks?|quarterly period|fiscal year)s? end(?:ed|ing)|as (?:of|at)|balance sheet date|zum|stichtag|per|au|arrete au|clos le"
    r"|exercice clos le|al)\W{0,3}(?:the |le |den )?$"
)
RANGE = re.compile(r"^\s*(?:to|until|through|bis|au|al|-|–|a)\s*(?:the |le |den )?$")
UNIT = re.compile(
    r"\b(?:in|en|expressed in|angaben in|amounts in)\s+(?:(?P<code>[a-z]{3}|us\$|\$|€|£)\s+)?(?P<unit>thousands?|millions?|billions?|crores?|lakhs?|tausend|tsd\.?|mio\.?|millionen"
    r"|milliers|mrd\.?|milliarden|milliards)(?:\s+(?:of|de|d'|d’)?\s*(?P<after>[a-z$€£]{1,12}))?|\b(?P<short>t€|teur|t eur|mio\.? (?:eur|€)|k€|m€)"
)
REMARK = re.compile(r":|\bpage \d")
BALANCES = {
    "opening_balance": re.compile(
        r"\b(?:beginning balance|opening balance|previous balance|starting balance|balance brought forward|balance at (?:start|beginning)|anfangssaldo|anfangskontostand|(?:konto)?stand (?:zu beginn|am anfang)|alter (?:konto)?saldo|anfangsbestand|solde initial|ancien solde|solde (?:de depart|precedent|au debut)|saldo (?:inicial|anterior|iniziale|precedente|poczatkowe)|(?:begin|vorig|oud)\w* ?saldo|alkusaldo)\b"
    ),
    "closing_balance": re.compile(
        r"\b(?:ending balance|closing balance|new balance|balance carried forward|balance at (?:end|close)|endsaldo|endkontostand|(?:konto)?stand am ende|neuer (?:konto)?saldo|endbestand|solde final|nouveau solde|solde a la fin|saldo (?:final|actual|finale|attuale|koncowe)|(?:eind|nieuw)\w* ?saldo|loppusaldo)\b"
    ),
}
ACCOUNT = re.compile(
    r"^(?:account(?: (?:number|no|#))?|iban|konto(?:nummer|[ -]nr)?|numero de compte|compte(?: n[°o]?)?|numero de cuenta|cuenta|numero di conto|conto|rekening(?:nummer)?|numer rachunku|rachunek|tilinumero)\.?\s*:?(?=\s*[A-Z]{0,2}\d|\s*$)"
)


def read(order: Order, tell: Tell) -> tuple[Result, Usage]:
    """The program "statement-rules". Raises Problem for a document that cannot be opened."""
    return Kind("statement", REQUIRED, NOTHING, record_of).read(order, tell)


def record_of(document: Document, text: Text) -> Record | None:
    """All figures of the document as lines; None where hardly any stand in rows."""
    grids = list(grids_of(text))
    if not has_figures(grids):
        return None
    flow = Flow(text)
    found: dict[str, Candidate | None] = {"company": company_of(text)}
    found |= periods_of(text, flow, grids) | unit_of(text, flow) | balances_of(grids) | account_of(text)
    checked, proven = check_figures(found.get("opening_balance"), found.get("closing_balance"), grids)
    judge = Judge(document, text, confidence.STATEMENT, checked)
    fields = {
        name: judge.field(name, candidate) for name, candidate in found.items() if candidate is not None
    }
    for name in REQUIRED:
        fields.setdefault(name, FieldValue(value=None, confidence=0.0, reasons=(missing(name),)))
    return Record(
        kind="statement",
        fields=fields,
        lines=tuple(lines_of(judge, grids, proven)),
        first_page=min(text.pages),
        last_page=max(text.pages),
    )


def has_figures(grids: Iterable[Grid]) -> bool:
    """Whether these tables are worth reading as a statement."""
    return sum(len(row.figures) for grid in grids for row in grid.rows) >= LEAST_FIGURES


def company_of(text: Text) -> Candidate | None:
    """The first name with a legal form that stands alone, else whoever the letterhead says."""
    for cell in text.cells:
        match = LEGAL.match(text.folded[cell])
        named = all(word.text[0].isupper() or not word.text[0].isalpha() for word in cell.words)
        if match and match.group("form") and match.end("form") >= len(cell.text) - 1 and named:
            return Candidate(clean(cell.text), 0.85, cell.words)
    return next(iter(Parties(text).suppliers()), None)


def lines_of(judge: Judge, grids: list[Grid], proven: set[int]) -> list[dict[str, FieldValue]]:
    """One line for each figure: item, amount, and period and date where the table states them. `proven`: ids of figures that checks confirm."""
    lines: list[dict[str, FieldValue]] = []
    for grid, row, figure in figures_of(grids):
        if len(lines) == MOST_LINES:
            break
        cells = dict(cells_of(judge.text, grid, row, figure))
        if len(lines) < PROVEN_LINES:
            confirmed = {"amount": int(id(figure) in proven)}
            line = {
                name: judge.value(f"line {name}", cell, confirmed.get(name, 0))
                for name, cell in cells.items()
            }
        else:
            line = {
                name: FieldValue(value=cell.value, confidence=confidence.UNPROVEN, reasons=(FURTHER,))
                for name, cell in cells.items()
            }
        lines.append(line)
    return lines


def figures_of(grids: list[Grid]) -> Iterator[tuple[Grid, Row, Figure]]:
    """All but the number of an account, which is no figure."""
    for grid in grids:
        for row in grid.rows:
            if not ACCOUNT.match(fold(row.text)):
                yield from ((grid, row, figure) for figure in row.figures)


def cells_of(text: Text, grid: Grid, row: Row, figure: Figure) -> Iterator[tuple[str, Candidate]]:
    dated = dates.find(fold(row.text), text.month_first)
    plain = not dated and len(row.label) <= MOST_WORDS and is_together(row.label)
    yield "item", Candidate(row.text[:500].rstrip(" :"), STATED if plain else GUESSED, row.label)
    amount = Candidate(numbers.plain(figure.value), STATED, figure.words)
    heading = grid.heading(figure.column)
    if not heading and len(row.figures) > 1:
        amount.score = GUESSED
        amount.reasons.append("No heading says what this column holds.")
    yield "amount", amount
    if heading:
        yield (
            "column",
            Candidate(
                heading[:500], GUESSED if REMARK.search(heading) else STATED, grid.headings[figure.column]
            ),
        )
        period = dates.find(fold(heading), text.month_first)
        if period:
            yield "period_end", Candidate(period[-1].value.isoformat(), STATED, grid.headings[figure.column])
    if row.when:
        when = dates.find(fold(" ".join(word.text for word in row.when)), text.month_first)
        if when:
            yield "date", Candidate(when[0].value.isoformat(), STATED, row.when)
    if figure.currency:
        yield "currency", Candidate(figure.currency, STATED, figure.words)


def is_together(words: list[Word]) -> bool:
    """Whether no word of a line stands far from the one before it."""
    pairs = pairwise(words)
    return all(other.x0 - one.x1 < APART * (one.y1 - one.y0) or other.y0 > one.y1 for one, other in pairs)


def periods_of(text: Text, flow: Flow, grids: list[Grid]) -> dict[str, Candidate | None]:
    """period_from and period_to of a range of dates; period_end as a sentence or the first heading with a date says."""
    found: dict[str, Candidate | None] = {}
    all_dates = dates.find(flow.folded, text.month_first)
    for first, second in pairwise(all_dates):
        if first.value < second.value and RANGE.match(flow.folded[first.end : second.start]):
            found["period_from"] = flow.dated(first, STATED)
            found["period_to"] = found["period_end"] = flow.dated(second, STATED)
            return found
    for one in all_dates:
        if ENDED.search(flow.folded[max(one.start - 50, 0) : one.start]):
            return {"period_end": flow.dated(one, STATED)}
    for grid in grids:
        for words in grid.headings:
            heading = " ".join(word.text for word in words)
            said = dates.find(fold(heading), text.month_first)
            if said:
                return {"period_end": Candidate(said[-1].value.isoformat(), 0.85, words)}
    return {}


def unit_of(text: Text, flow: Flow) -> dict[str, Candidate | None]:
    """unit ("millions") as the heading says it, and the currency there, else the one beside the figures."""
    found: dict[str, Candidate | None] = {"currency": next(iter(currency_of(text)), None)}
    match = UNIT.search(flow.folded)
    if match is not None:
        words = flow.words_at(match.start(), match.end())
        found["unit"] = Candidate(match["unit"] or match["short"], STATED, words)
        named = match["code"] or match["after"] or re.sub(r"^(?:t|k|m|mio\.?)\s?", "", match["short"] or "")
        code = "INR" if named.startswith("rupee") else code_of(named) or code_of(named.rstrip("s"))
        if code:
            found["currency"] = Candidate(code, STATED, words)
    return found


def balances_of(grids: list[Grid]) -> dict[str, Candidate | None]:
    found: dict[str, Candidate | None] = {}
    for grid in grids:
        for row in grid.rows:
            for name, pattern in BALANCES.items():
                if row.figures and name not in found and pattern.search(fold(row.text)):
                    found[name] = Candidate(numbers.plain(row.figures[0].value), STATED, row.figures[0].words)
    return found


def account_of(text: Text) -> dict[str, Candidate | None]:
    """The account's number, right of its label or behind it."""
    for cell in text.cells:
        match = ACCOUNT.match(text.folded[cell])
        if match is None:
            continue
        for other, start in [(cell, match.end()), *((o, 0) for o in list(text.right_of(cell))[:1])]:
            value = re.search(r"[A-Z]{0,2}\d[\dA-Z \-]{3,33}", other.text[start:])
            if value is not None:
                words = [word for word in other.words if word.text in value.group().split()]
                return {"account": Candidate(value.group().strip(), STATED, words)}
    return {}
