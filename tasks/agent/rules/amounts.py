"""Finds net, tax and total: every labelled figure is a candidate, and the combination that adds up best wins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from itertools import product

from tasks.agent.layout import Cell
from tasks.agent.rules import numbers
from tasks.agent.rules.labels import Hit
from tasks.agent.rules.lines import ENDS_ITEMS, SUMMARY
from tasks.agent.rules.numbers import code_of
from tasks.agent.rules.sums import CENT, OF_RATES, Figure, columned, doubt_rate, total_headings
from tasks.agent.rules.tables import Table
from tasks.agent.rules.text import Candidate, Text, words_at

FOREIGN_WORDS = re.compile(r"[^\W\d_]{3,}")
GENERIC_NET = (
    "subtotal",
    "subtotaal",
    "zwischensumme",
    "sous total",
    "subtotale",
    "sub total",
    "suma",
    "suma ",
    "base",
    "ht",
    "netto",
    "net",
)
GENERIC_TOTAL = (
    "total",
    "brutto",
    "summe",
    "gesamt",
    "totaal",
    "totale",
    "yhteensa",
    "razem",
    "suma",
    "summa",
    "betrag",
    "gross",
    "balance",
)
OF_LINES = "line items"
CLOSING, MOST_BEFORE = 0.75, 2
MOST = 9
MOST_CHANGES = 7
SURE_TAX = 0.8
COMPLETING = 0.75


@dataclass(slots=True)
class Amounts:
    """The chosen figures; `adjustments` are printed discounts (negative), charges (positive) and payments (negative)."""

    net: Candidate | None = None
    tax: Candidate | None = None
    total: Candidate | None = None
    amount_due: Candidate | None = None
    adjustments: list[Decimal] = field(default_factory=list)
    settled: list[Decimal] = field(default_factory=list)
    adds_up: bool | None = None
    """None: not all three are printed, so that nothing can be checked."""


def amounts_of(text: Text, table: Table) -> Amounts:
    figures = [*_labelled(text, table), *columned(text, table)]
    by_role: dict[str, list[Figure]] = {role: [] for role in SUMMARY}
    for figure in figures:
        by_role[figure.role].append(figure)
    _sum_taxes(by_role)
    if not by_role["net"]:
        by_role["net"] += _net_of_lines(table)
    chosen = _choose(by_role)
    due = max(by_role["amount_due"], key=lambda f: f.candidate.score, default=None)
    chosen.amount_due = due.candidate if due else None
    _complete(text, table, chosen)
    _doubt_total(text, by_role["tax"], chosen)
    three = [c for c in (chosen.net, chosen.tax, chosen.total) if c is not None]
    doubt_rate(text, three)
    return chosen


def _doubt_total(text: Text, taxes: list[Figure], chosen: Amounts) -> None:
    """Where no net is printed and the tax is its printed rate of the total, that total lacks the tax."""
    tax, total = chosen.tax, chosen.total
    if chosen.net is not None or tax is None or total is None or not (tax.amount and total.amount):
        return
    lines = {figure.line for figure in taxes if figure.candidate is tax and tax.source == "page"}
    amounts = [amount for line in lines for cell in text.lines[line].cells for amount in text.amounts(cell)]
    for rate in [amount.value / 100 for amount in amounts if amount.percent and amount.value > 0]:
        if abs(rate * total.amount - tax.amount) <= CENT < abs(total.amount * rate / (1 + rate) - tax.amount):
            total.reasons.append("The tax is its rate of this amount, which so seems not to include it.")
            return


def _complete(text: Text, table: Table, chosen: Amounts) -> None:
    """Two of net, tax and total say what the third one is; where exactly that is printed beside no label we know, it is taken."""
    known = {name: getattr(chosen, name) for name in ENDS_ITEMS}
    if (
        sum(candidate is not None and candidate.source == "page" for candidate in known.values())
        != len(known) - 1
    ):
        return
    net, tax, total = (candidate.amount if candidate is not None else None for candidate in known.values())
    name, value = (
        ("net", total - tax) if net is None and total is not None and tax is not None
        else ("tax", total - net) if tax is None and total is not None and net is not None
        else ("total", (net or Decimal(0)) + (tax or Decimal(0)))
    )  # fmt: skip
    others = {abs(amount) for amount in (net, tax, total) if amount is not None}
    if (
        not value
        or abs(value) in others
        or (name == "tax" and not 0 < abs(value) < abs(net or Decimal(0)) / 2)
    ):
        return
    for cell in text.cells:
        for amount in text.amounts(cell) if cell.line not in table.taken else ():
            if amount.money and amount.value == value:
                words = words_at(cell, amount.start, amount.end)
                setattr(chosen, name, Candidate(numbers.plain(value), COMPLETING, words, label="completes"))
                return


def _labelled(text: Text, table: Table) -> Iterator[Figure]:
    """Figures to the right of a label that opens a cell, else right below it."""
    for cell, hits in text.hits.items():
        if cell.line in table.taken:
            continue
        for hit in hits:
            roles = [role for role in SUMMARY if role in hit.roles]
            leads = text.leads(cell, hit) or _follows_amount(text, cell, hit)
            if not roles or not (leads or _closes(text, cell, hit)):
                continue
            placed = _figure_for(text, cell, hit)
            if placed is None:
                continue
            other, amount, weight = placed
            if not leads and not amount.money:
                continue
            weight *= 1.0 if leads else CLOSING
            for role in roles:
                score = weight * _label_weight(text, cell, hit, role)
                words = words_at(other, amount.start, amount.end)
                candidate = Candidate(
                    numbers.plain(amount.value), score, words, label=text.folded[cell][hit.start : hit.end]
                )
                yield Figure(role, amount, candidate, cell.line)


def _follows_amount(text: Text, cell: Cell, hit: Hit) -> bool:
    return any(amount.end <= hit.start <= amount.end + 3 and amount.money for amount in text.amounts(cell))


def _closes(text: Text, cell: Cell, hit: Hit) -> bool:
    """Whether a word or two stand before the label and nothing but a rate and remarks behind it: "Honorar netto", "Parts tax 7 %"."""
    folded = text.folded[cell]
    behind = re.sub(r"\(.*?\)", "", _up_to_amount(text, cell, hit))
    return len(folded[: hit.start].split()) <= MOST_BEFORE and not FOREIGN_WORDS.search(behind)


def _up_to_amount(text: Text, cell: Cell, hit: Hit) -> str:
    first = min(
        [a.start for a in text.amounts(cell) if a.start >= hit.end and a.money], default=len(cell.text)
    )
    return text.folded[cell][hit.end : first]


def _figure_for(text: Text, cell: Cell, hit: Hit) -> tuple[Cell, numbers.Amount, float] | None:
    behind = text.folded[cell][hit.end :]
    foreign = sum(
        1
        for word in FOREIGN_WORDS.findall(re.sub(r"\(.*?\)|%.*| on .*| inkl.*| incl.*", "", behind))
        if not code_of(word)
    )
    stop = min(
        [h.start for h in text.hits[cell] if h.start >= hit.end and h.plays_one(SUMMARY)],
        default=len(cell.text),
    )
    own = [a for a in text.amounts(cell) if hit.end <= a.start < stop and not a.percent]
    right = [(other, a) for other in _unlabelled(text, cell) for a in text.amounts(other) if not a.percent]
    for choice in ([p for p in right if p[1].money], [(cell, a) for a in own if a.money]):
        if choice:
            other, amount = choice[-1]
            return other, amount, 0.95 - 0.12 * min(foreign, 4) - 0.03 * (len(choice) - 1)
    bare = [p for p in [*right, *((cell, a) for a in own)] if p[1].decimals != 1 and abs(p[1].value) < 10**9]
    if bare and not foreign:
        other, amount = bare[-1]
        return other, amount, 0.62
    before = _left_of(text, cell)
    if before is not None and not right and not own:
        return *before, 0.7
    if right or own or foreign or _heads_several(text, cell):
        return None
    for other in text.below(cell, 1):
        money = [a for a in text.amounts(other) if a.money]
        left = text.lines[other.line].cells[: other.column + 1]
        if money and not any(text.leading_hit(c) for c in left):
            return other, money[0], 0.72
    return None


def _unlabelled(text: Text, cell: Cell) -> Iterator[Cell]:
    """The cells to the right, up to one that names a sum of its own and its figure: "Net 609.50   Tax 51.03   Total 660.53"."""
    for other in text.right_of(cell):
        hit = text.leading_hit(other)
        if (
            hit is not None
            and hit.plays_one(SUMMARY)
            and any(a.start >= hit.end for a in text.amounts(other))
        ):
            return
        yield other


def _left_of(text: Text, cell: Cell) -> tuple[Cell, numbers.Amount] | None:
    """The figure of a row whose figures stand before their labels: the only other cell of its line."""
    line = text.lines[cell.line]
    if len(line.cells) != 2 or cell.column != 1:
        return None
    money = [amount for amount in text.amounts(line.cells[0]) if amount.money]
    alone = len(money) == 1 and not FOREIGN_WORDS.search(line.cells[0].text)
    return (line.cells[0], money[0]) if alone else None


def _heads_several(text: Text, cell: Cell) -> bool:
    """Whether the cell heads a table of sums with more than one row: which of the rows counts, the columns say."""
    below = [other for other in text.below(cell, 2) if any(a.money for a in text.amounts(other))]
    return len(below) > 1 and any(True for _ in total_headings(text, text.lines[cell.line]))


def _label_weight(text: Text, cell: Cell, hit: Hit, role: str) -> float:
    """Precise names ("total incl VAT") weigh more than those that also stand elsewhere ("total")."""
    phrase = text.folded[cell][hit.start : hit.end].strip()
    weight = 1.0 if hit.words > 1 else 0.93
    if (role == "net" and phrase in GENERIC_NET) or (role == "total" and phrase in GENERIC_TOTAL):
        weight = 0.85
    if role == "tax" and hit.words == 1 and "rate" in phrase:
        weight = 0.5
    return weight


def _sum_taxes(by_role: dict[str, list[Figure]]) -> None:
    """Several printed rates without a printed sum: their sum is one more candidate. A printed sum of them is more than its parts."""
    taxes = [f for f in by_role["tax"] if f.amount.money and f.candidate.label != "column"]
    lines = {figure.line: figure for figure in taxes}
    values = [figure.amount.value for figure in lines.values()]
    for figure in lines.values() if len(lines) > 2 else ():
        if figure.amount.value and abs(sum(values) - 2 * figure.amount.value) <= CENT:
            figure.candidate.score = min(figure.candidate.score + 0.03, 0.99)
            return
    if 2 <= len(lines) <= 6:
        value = sum((figure.amount.value for figure in lines.values()), Decimal(0))
        words = [word for figure in lines.values() for word in figure.candidate.words]
        candidate = Candidate(numbers.plain(value), 0.6, words, label="sum", source="computed")
        amount = numbers.Amount(value, 0, 0, "", 2, False)
        by_role["tax"].append(Figure("tax", amount, candidate, max(lines)))


def _net_of_lines(table: Table) -> Iterator[Figure]:
    """Where no net amount is printed: what the line items sum to, which counts only if tax and total prove it."""
    rows = [row for row in table.rows if "amount" in row.parts]
    if not rows:
        return
    value = sum((Decimal(row.amount) for row in rows), Decimal(0))
    words = rows[0].parts["amount"][1] if len(rows) == 1 else []
    source = "page" if words else "computed"
    candidate = Candidate(numbers.plain(value), 0.45, words, label=OF_LINES, source=source)
    yield Figure("net", numbers.Amount(value, 0, 0, "", 2, False), candidate, rows[-1].line)


def _distinct(figures: list[Figure]) -> list[Figure]:
    """The best figure of each value; a value printed more than once gains a little."""
    best: dict[Decimal, Figure] = {}
    for figure in figures:
        known = best.get(figure.amount.value)
        if known is None:
            best[figure.amount.value] = figure
        else:
            winner = max(known, figure, key=lambda f: f.candidate.score)
            winner.candidate.score = min(winner.candidate.score + 0.02, 0.99)
            best[figure.amount.value] = winner
    return sorted(best.values(), key=lambda f: -f.candidate.score)[:MOST]


def _choose(by_role: dict[str, list[Figure]]) -> Amounts:
    nets, taxes, totals = (_distinct(by_role[role]) for role in ("net", "tax", "total"))
    due = _distinct(by_role["amount_due"])
    totals = totals + [
        f for f in due if f.amount.value and f.amount.value not in {t.amount.value for t in totals}
    ]
    # "Brutto" or "Total" before the tax may be what others call net.
    known = {figure.amount.value for figure in nets if figure.candidate.label not in (OF_LINES, OF_RATES)}
    spare = [
        f
        for f in _distinct(by_role["total"])
        if f.amount.value not in known and any(t.line >= f.line for t in taxes)
    ]
    nets = nets + [Figure("net", f.amount, _weaker(f.candidate), f.line, spare=True) for f in spare]
    changes = _changes(by_role)
    best, best_score = None, -1.0
    taxed = any(f.amount.value and f.candidate.score > SURE_TAX for f in taxes)
    for net, tax, total in product([*nets, None], [*taxes, None], [*totals, None]):
        score = _score(net, tax, total, changes, taxed)
        if score > best_score:
            best, best_score = (net, tax, total), score
    net, tax, total = best or (None, None, None)
    chosen = Amounts(
        net=net.candidate if net else None,
        tax=tax.candidate if tax else None,
        total=total.candidate if total else None,
    )
    chosen.adjustments = changes
    chosen.settled = [figure.amount.value for figure in by_role["settled"]]
    if net and tax and total:
        chosen.adds_up = _adds_up(net, tax, total, changes) > 0
    if tax and not chosen.adds_up and _is_one_of_several(tax, by_role["tax"]):
        tax.candidate.reasons.append(
            "Several taxes are printed, and no sum says that this one is all of them."
        )
    return chosen


def _is_one_of_several(tax: Figure, taxes: list[Figure]) -> bool:
    printed = {
        f.amount.value for f in taxes if f.amount.money and f.amount.value and f.candidate.source == "page"
    }
    return len(printed) > 1 and tax.amount.value in printed and 2 * tax.amount.value != sum(printed)


def _weaker(candidate: Candidate) -> Candidate:
    return Candidate(candidate.value, candidate.score * 0.7, candidate.words, label=candidate.label)


def _changes(by_role: dict[str, list[Figure]]) -> list[Decimal]:
    """Printed discounts (negative) and charges, the last ones first: those of the whole document stand behind those of its lines."""
    discounts = sorted(_distinct(by_role["discount"]), key=lambda f: -f.line)
    changes = [-abs(figure.amount.value) for figure in discounts if not figure.amount.percent]
    charges = [figure.amount.value for figure in _distinct(by_role["charge"]) if figure.amount.money]
    return (changes[:5] + charges)[:MOST_CHANGES]


def _adds_up(net: Figure, tax: Figure, total: Figure, changes: list[Decimal]) -> int:
    """2: net + tax is the total; 1: it is with some of the printed discounts and charges; 0: it is not."""
    rest = total.amount.value - net.amount.value - tax.amount.value
    if abs(rest) <= CENT:
        return 2
    return 1 if any(abs(change - rest) <= CENT for change in sums_of(changes)) else 0


@lru_cache(maxsize=8)
def _sums(changes: tuple[Decimal, ...]) -> frozenset[Decimal]:
    sums = {Decimal(0)}
    for change in changes:
        sums |= {value + change for value in sums}
    return frozenset(sums - {Decimal(0)})


def sums_of(changes: list[Decimal]) -> frozenset[Decimal]:
    """The sums of all choices of some of the changes."""
    return _sums(tuple(changes[:MOST_CHANGES]))


def _score(
    net: Figure | None, tax: Figure | None, total: Figure | None, changes: list[Decimal], taxed: bool
) -> float:
    """`taxed`: a tax is printed, so that net and total cannot be the same figure."""
    score = sum(figure.candidate.score for figure in (net, tax, total) if figure)
    if tax and total and abs(tax.amount.value) >= abs(total.amount.value) and total.amount.value:
        return 0.0
    if net and tax and tax.candidate is net.candidate:
        return 0.0
    if net and net.spare and not tax:
        return 0.0
    computed = any(f and f.candidate.label in (OF_LINES, OF_RATES) for f in (net, tax))
    if computed and not (net and tax and total):
        return 0.0
    if (
        net
        and tax
        and total
        and tax.amount.value
        and abs(net.amount.value - total.amount.value) <= CENT < abs(tax.amount.value)
    ):
        return 0.0
    if total and total.role == "amount_due":
        score -= 0.3
    if net and tax and total:
        agreement = _adds_up(net, tax, total, changes)
        if computed and agreement < 2:
            return 0.0
        score += (0.0, 0.5, 1.0)[agreement]
        if tax.amount.value and abs(tax.amount.value) > abs(net.amount.value) * Decimal("0.5"):
            score -= 0.8
    elif net and total and not tax:
        if abs(net.amount.value - total.amount.value) <= CENT:
            score += -0.4 if taxed else 0.4
        elif abs(net.amount.value) > abs(total.amount.value):
            score -= 0.6
    if total:
        # The total stands at the end of the sums, and later pages repeat it rather than change it.
        score += 0.0005 * min(total.line, 100)
    return score
