"""Chooses, among all figures that could be net, tax and total, the three that add up best."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from itertools import product

from tasks.agent.rules.numbers import ROUNDING
from tasks.agent.rules.sums import OF_RATES, Figure
from tasks.agent.rules.text import Candidate

OF_LINES = "line items"
ALONE = "alone"
UNPRINTED = (OF_LINES, OF_RATES)
"""Labels of net amounts that are computed."""
MOST = 9
MOST_CHANGES = 7
SURE_TAX = 0.8
LARGEST_TAX = Decimal("0.5")
"""Share of what is taxed; more is hardly a tax."""


@dataclass(slots=True)
class Amounts:
    """The chosen figures; `adjustments` are printed discounts (negative), charges (positive) and payments (negative)."""

    net: Candidate | None = None
    tax: Candidate | None = None
    total: Candidate | None = None
    amount_due: Candidate | None = None
    adjustments: list[Decimal] = field(default_factory=list)
    settled: list[Decimal] = field(default_factory=list)
    subtotals: list[Decimal] = field(default_factory=list)
    """Everything that is printed as a net amount, the one before discounts and charges as well."""
    adds_up: bool | None = None
    """None: not all three are printed, so that nothing can be checked."""


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


def choose(by_role: dict[str, list[Figure]]) -> Amounts:
    """`by_role`: the candidates for net, tax, total, amount_due, discount, charge and settled."""
    nets, taxes, totals = (_distinct(by_role[role]) for role in ("net", "tax", "total"))
    due = _distinct(by_role["amount_due"])
    if any(figure.amount.value for figure in (*totals, *due)):
        # Nothing added and nothing taken off are sums as well, and not those of the document
        nets, totals = ([f for f in figures if f.amount.value] for figures in (nets, totals))
    totals = totals + [
        f for f in due if f.amount.value and f.amount.value not in {t.amount.value for t in totals}
    ]
    # "Brutto" or "Total" before the tax may be what others call net.
    known = {figure.amount.value for figure in nets if figure.candidate.label not in UNPRINTED}
    before = [f for f in by_role["total"] if any(t.line >= f.line for t in taxes)]
    spare = [f for f in _distinct(before) if f.amount.value not in known]
    nets = nets + [Figure("net", f.amount, _weaker(f.candidate), f.line, spare=True) for f in spare]
    changes = _changes(by_role)
    paid = [*changes, *(-abs(figure.amount.value) for figure in by_role["settled"])]
    best, best_score = None, 0.0
    taxed = any(f.amount.value and f.candidate.score > SURE_TAX for f in taxes)
    nets = [f for f in nets if not (taxed and _is_gross(f, taxes, totals, changes))]
    whole = {figure.amount.value for figure in totals}
    for net, tax, total in product([*nets, None], [*taxes, None], [*totals, None]):
        if net and tax and tax.held and net.amount.value in whole:
            continue  # that sum holds the tax
        score = _score(net, tax, total, paid if total and total.role == "amount_due" else changes, taxed)
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
        if total.role == "amount_due" and not chosen.adds_up and _adds_up(net, tax, total, paid):
            # What is left after a payment proves net and tax; the total itself is not printed
            chosen.adds_up, chosen.total = True, None
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
    if abs(rest) <= ROUNDING:
        return 2
    return 1 if any(abs(change - rest) <= ROUNDING for change in sums_of(changes)) else 0


def _is_gross(net: Figure, taxes: list[Figure], totals: list[Figure], changes: list[Decimal]) -> bool:
    """Whether discounts and charges alone lead to a total: so the goods have their tax in them. No tax leads there."""
    return any(
        total.amount.value - net.amount.value in sums_of(changes)
        and not any(_adds_up(net, tax, total, changes) for tax in taxes if tax.amount.value)
        for total in totals
    )


@lru_cache(maxsize=8)
def _sums(changes: tuple[Decimal, ...]) -> frozenset[Decimal]:
    sums = {Decimal(0)}
    for change in changes:
        sums |= {value + change for value in sums}
    return frozenset(sums - {Decimal(0)})


def sums_of(changes: list[Decimal]) -> frozenset[Decimal]:
    """The sums of all choices of some of the changes."""
    return _sums(tuple(changes[:MOST_CHANGES]))


def _contradict(net: Figure | None, tax: Figure | None, total: Figure | None) -> bool:
    """Whether the figures cannot be net, tax and total of one document."""
    if tax and total and abs(tax.amount.value) >= abs(total.amount.value) and total.amount.value:
        return True
    if net and tax and net.candidate.words[:1] == tax.candidate.words[:1] != []:
        return True  # one printed figure is not both
    if net and net.spare and not tax:
        return True
    return bool(
        net
        and tax
        and total
        and abs(net.amount.value - total.amount.value) <= ROUNDING < abs(tax.amount.value)
    )


def _is_computed(figure: Figure | None) -> bool:
    """Whether the figure is worth something only where it proves the others; what was added up may have its own sum in it."""
    if figure is None:
        return False
    return figure.candidate.label in (*UNPRINTED, ALONE) or (
        figure.role == "net" and figure.candidate.source == "computed"
    )


def _score(
    net: Figure | None, tax: Figure | None, total: Figure | None, changes: list[Decimal], taxed: bool
) -> float:
    """How well the three go together; `taxed`: a tax is printed, so that net and total cannot be the same figure."""
    if _contradict(net, tax, total):
        return 0.0
    score = sum(figure.candidate.score for figure in (net, tax, total) if figure)
    computed = any(map(_is_computed, (net, tax, total)))
    if net and tax and total:
        agreement = _adds_up(net, tax, total, changes)
        if computed and agreement < 2:
            return 0.0
        score += (0.0, 0.5, 1.0)[agreement]
        if abs(tax.amount.value) > abs(net.amount.value) * LARGEST_TAX:
            score -= 0.8
    elif computed:
        return 0.0
    elif net and tax:
        score -= 1.0 if abs(tax.amount.value) > abs(net.amount.value) * LARGEST_TAX else 0.0
    elif net and total:
        if abs(net.amount.value - total.amount.value) <= ROUNDING:
            score += -0.4 if taxed else 0.4
        elif abs(net.amount.value) > abs(total.amount.value):
            score -= 0.6
    elif tax and total:
        score -= 0.8 if abs(tax.amount.value) > abs(total.amount.value) * LARGEST_TAX else 0.0
    elif tax:
        score -= 0.3
    if total:
        # What is due may be less than it. It stands at the end of the sums, and later pages repeat it rather than change it
        score += 0.0005 * min(total.line, 100) - (0.3 if total.role == "amount_due" else 0.0)
    return score
