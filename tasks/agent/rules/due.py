"""Tells the total apart from what is left of it: a price reduction or a charge behind the total changes it, a payment does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from tasks.agent.layout import Line
from tasks.agent.rules.combining import UNPRINTED, Amounts, sums_of
from tasks.agent.rules.headings import ENDS_ITEMS
from tasks.agent.rules.numbers import CENT, ROUNDING, plain
from tasks.agent.rules.sums import Figure
from tasks.agent.rules.tables import Table
from tasks.agent.rules.text import Text, rivalled

LEAST = Decimal(1)
"""Smaller changes round what is paid."""
MOST_BELOW, MOST_WORDS, LETTERS = 5, 8, re.compile(r"[^\W\d_]{3}")
"""Lines below a total, and words of one, in which a larger sum may have a label that nobody knows."""
BALANCE = "{before} from before and {rest} are this total: it may be what is owed altogether, and not what this document charges."
MOST_ABOVE = 40
"""Lines in which a balance from before and what is charged stand above their sum."""
NEAR = 0.06
"""A figure whose label says so little less clearly that it is the total could be it as well."""


def settle_net(text: Text, by_role: dict[str, list[Figure]], chosen: Amounts) -> None:
    """Count among the net amount the discounts and charges that stand between it and the tax, unless the printed rate is one of what stands before them.

    Where no label that is known leads from net and tax to the total, a figure alone on its line does, if the rate is one of both: it may be called as who delivers.
    """
    net, tax, total = chosen.net, chosen.tax, chosen.total
    if not (net and tax and total and net.words and tax.words and total.words):
        return
    rest = total.amount - net.amount - tax.amount
    first, taxed = text.cell_of(net.words[0]).line, text.cell_of(tax.words[-1]).line
    if abs(rest) <= ROUNDING:
        return
    amounts = [amount for cell in text.lines[taxed].cells for amount in text.amounts(cell)]
    rates = [amount.value / 100 for amount in amounts if amount.percent]
    alone, whole = (
        any(abs(rate * value - tax.amount) <= ROUNDING for rate in rates)
        for value in (net.amount, net.amount + rest)
    )
    between = [value for line, value in _changes(by_role) if first < line < taxed]
    if rest in sums_of(between):
        taken = whole or not alone
    else:
        alone_between = (_only_figure(text, line) for line in text.lines[first + 1 : taxed])
        taken = whole and rest in (*alone_between, *reductions(text, net.amount))
        chosen.adjustments += [rest] if taken else []
    if taken:
        chosen.net = replace(net, value=plain(net.amount + rest), source="computed")


def reductions(text: Text, amount: Decimal) -> list[Decimal]:
    """What the printed rates of discounts take off an amount."""
    offered = [cell for cell, hit in text.labelled("discount") if text.leads(cell, hit)]
    near = [other for cell in offered for other in (cell, *text.right_of(cell))]
    rates = [a.value / 100 for cell in near for a in text.amounts(cell) if a.percent and a.value]
    return [(-amount * rate).quantize(CENT) for rate in rates]


def _only_figure(text: Text, line: Line) -> Decimal | None:
    """The figure of a line that has but one, which no label calls another sum."""
    figures = [amount.value for cell in line.cells for amount in text.money(cell)]
    named = any(hit.plays_one(ENDS_ITEMS) for cell in line.cells for hit in text.hits.get(cell, ()))
    return figures[0] if len(figures) == 1 and not named and LETTERS.search(line.text) else None


def settle_due(by_role: dict[str, list[Figure]], chosen: Amounts) -> None:
    """Take what is left where a discount or a charge stands between it and the total, or say that it is doubtful.

    Net and tax that add up to the total keep it. Taxes withheld and discounts for early payment change only what is paid.
    """
    total = next((f for f in _sums(by_role) if f.candidate is chosen.total), None)
    if total is None:
        return
    later = [f for f in _sums(by_role) if f.line > total.line and f.amount.value != total.amount.value]
    for left in later:
        changes = [value for line, value in _changes(by_role) if total.line < line < left.line]
        rest = left.amount.value - total.amount.value
        if not any(abs(rest - change) <= ROUNDING for change in sums_of(changes)):
            continue
        if chosen.adds_up and chosen.tax is not None and chosen.tax.amount:
            if left.role == "total" and rest > 0:
                _charge_last(by_role, chosen, left, rest)
            else:
                total.candidate.reasons.append(
                    f"A reduction or charge of {abs(rest)} stands below this total, and {left.amount.value} is left to pay."
                )
            return
        chosen.subtotals.append(total.amount.value)
        if left.role == "amount_due":
            reason = f"A reduction or charge of {abs(rest)} stands below the printed total of {total.amount.value}; what is left was taken as the total."
            chosen.total = replace(left.candidate, reasons=[reason])
        else:
            chosen.total = left.candidate
        return


def _charge_last(by_role: dict[str, list[Figure]], chosen: Amounts, left: Figure, charge: Decimal) -> None:
    """Take a second total that a charge leads to. Its tax may be the larger one, if a single one is printed; net and tax are known no more."""
    tax = chosen.tax
    reason = f"A charge of {charge} stands between two totals; the last one was taken, and the tax may lack that of the charge."
    larger = {
        figure.amount.value: figure.candidate
        for figure in by_role["tax"]
        if tax is not None and tax.amount < figure.amount.value < tax.amount + charge / 2
    }
    chosen.tax = next(iter(larger.values())) if len(larger) == 1 else tax
    chosen.total = left.candidate
    chosen.subtotals.append(left.amount.value - charge)
    for candidate in (chosen.net, chosen.tax, chosen.total):
        if candidate is not None:
            candidate.reasons.append(reason)


def doubt_rivals(by_role: dict[str, list[Figure]], chosen: Amounts) -> None:
    """Say that another figure is called the total as plainly, and nothing else: sums or line items that prove the total take that back."""
    total, totals = chosen.total, by_role["total"]
    if total is None or not any(figure.candidate is total for figure in totals):
        return
    near = {f.amount.value: f.candidate for f in totals if f.candidate.score > total.score - NEAR}
    others = [f for role, figures in by_role.items() if role != "total" for f in figures]
    named = {f.amount.value for f in others if f.candidate.label not in UNPRINTED}
    named |= {total.amount - net for net in chosen.subtotals}  # the tax, under whatever name
    rivals = [value for value in near if value not in (0, total.amount, *chosen.subtotals, *named)]
    if rivals and sum(rivals) != total.amount:
        total.reasons.append(rivalled(near[rivals[0]].value))


def doubt_balance(text: Text, by_role: dict[str, list[Figure]], chosen: Amounts) -> None:
    """Say that the total holds a balance from before: it stands above the total, and so does what is left of the total without it."""
    total = next((f for f in _sums(by_role) if f.candidate is chosen.total), None)
    if total is None or chosen.adds_up:
        return
    above = text.lines[max(total.line - MOST_ABOVE, 0) : total.line]
    printed = {amount.value for line in above for cell in line.cells for amount in text.money(cell)}
    for before in by_role["settled"]:
        rest = total.amount.value - before.amount.value
        if before.line < total.line and before.amount.value > 0 and rest > 0 and rest in printed:
            total.candidate.reasons.append(BALANCE.format(before=before.candidate.value, rest=rest))
            return


def _sums(by_role: dict[str, list[Figure]]) -> Iterator[Figure]:
    yield from by_role["total"]
    yield from by_role["amount_due"]


def _changes(by_role: dict[str, list[Figure]]) -> Iterator[tuple[int, Decimal]]:
    """The lines of printed discounts (negative) and charges that change the price, and by how much."""
    for role, sign in (("discount", -1), ("charge", 1)):
        for figure in by_role[role]:
            value = sign * abs(figure.amount.value)
            if figure.of_price and not figure.amount.percent and abs(value) >= LEAST:
                yield figure.line, value


def doubt_larger(text: Text, table: Table, chosen: Amounts) -> None:
    """Say that a larger sum stands below a total that no tax proves, under words which no label is made of: it may include the tax."""
    total = chosen.total
    if total is None or chosen.tax is not None or not total.words or total.amount <= 0:
        return
    first = text.cell_of(total.words[0])
    for line in text.lines[first.line + 1 : first.line + 1 + MOST_BELOW]:
        figures = [amount for cell in line.cells for amount in text.money(cell)]
        known = line.index in table.taken or any(text.hits.get(cell) for cell in line.cells)
        if line.page != first.page or known or len(figures) != 1 or len(line.text.split()) > MOST_WORDS:
            continue
        if total.amount < figures[0].value < 2 * total.amount and LETTERS.search(line.text):
            total.reasons.append(
                f"A larger sum stands below it, and no label that is known: {line.text[:60]}."
            )
            return
