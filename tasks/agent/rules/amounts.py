"""Finds net, tax and total: every labelled figure is a candidate, and the combination that adds up best wins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import accumulate

from tasks.agent.layout import Cell, Line
from tasks.agent.rules import numbers
from tasks.agent.rules.combining import ALONE, OF_LINES, UNPRINTED, Amounts, choose, sums_of
from tasks.agent.rules.due import doubt_balance, doubt_larger, doubt_rivals, settle_due, settle_net
from tasks.agent.rules.headings import ENDS_ITEMS, SUMMARY
from tasks.agent.rules.labels import Hit
from tasks.agent.rules.numbers import code_of
from tasks.agent.rules.patterns import IN_BRACKETS
from tasks.agent.rules.sums import Figure, columned, doubt_rate, total_headings
from tasks.agent.rules.tables import Table, worth
from tasks.agent.rules.taxes import OTHER_IN_ROW, add_rates
from tasks.agent.rules.text import Candidate, Text, figure_at
from tasks.agent.rules.unexplained import explain
from tasks.agent.rules.untaxed import TAXED, is_untaxed

FOREIGN_WORDS = re.compile(r"[^\W\d_]{3,}")
GENERIC_NET = re.compile(
    r"subtotal|subtotaal|zwischensumme|sous total|subtotale|sub total|suma|base|ht|netto|net"
)
GENERIC_TOTAL = re.compile(
    r"total|brutto|summe|gesamt|totaal|totale|yhteensa|razem|suma|summa|betrag|gross|balance"
)
INCLUDING = re.compile(
    r"\b(?:inkl|inklusive|einschl|einschliesslich|incl|including|inclusief|inkludert)\b[^a-z]*[a-z ]{0,20}$"
)
INCLUDED = re.compile(
    r"\b(?:enthaltene?|contained|included|comprise|incluse|incluid[ao]|compres[ao]|inbegrepen)\b[^a-z]*[a-z ]{0,20}$"
)
"""What says before the name of a tax that a sum includes it, or that it is included in one. Folded."""
REMARKED = re.compile(
    rf"[\s.(]*(?:(?:{TAXED.pattern})[\s.]*)?(?:(?P<with>in[ck]l\w*|inbegrepen|compr?[ei]s\w*|enthalten)|e[xk]s?[ck]l\w*|escl\w*)\b[^()]{{0,20}}\)"
)
"""What brackets behind the name of a sum say of its tax. Folded."""
_OF_WHICH = r"(?:it |this )?(?:includ\w*|incl|inkl|inklusive|einschl|davon|darin|enthaelt|enthalt|inclu\w*|dont|di cui|compres\w*|inclusief|waarvan|w tym|sisaltaa|sis|varav|heraf|herav|z toho|dos quais|of which)\b"
OF_WHICH = re.compile(rf"\({_OF_WHICH}")
"""What opens brackets behind a sum with the tax that is in it. Folded."""
HELD = re.compile(rf"\W*{_OF_WHICH}\W*")
"""What stands before a tax that the sum over it holds: "davon USt.", "of which VAT". Folded."""
OF = re.compile(r"\b(?:von|auf|of|on|sur|sobre|van|over|from|del|sul|dal)\b")
COUNTED = re.compile(
    r"\b(?:items?|products?|goods|services|positionen|arti[ck]\w+|produ[ckt]\w+|mercanc\w+|tuot\w+)$"
)
"""Whose sum may be their worth or their number, folded: "Total items: 4"."""
CLOSING, MOST_BEFORE = 0.75, 2
COMPLETING, BESIDE = 0.75, 0.25
BEHIND = re.compile(rf"{IN_BRACKETS.pattern}|%.*| on .*| inkl.*| incl.*")
"""What may follow a label without being a word of it."""
BRACKETED = 0.9
LINES_OF_BRACKETS = 3
NEXT, SUMMED = 4, 0.8
ROWS = 4
"""Lines below a heading that may hold the rows of its table."""
SENTENCE = 5
"""Words beside a figure that make it part of what somebody says."""
REMARK = re.compile(r"[^\d(]*\)")
"""How brackets close that say of a sum what it holds, and no figure: "Sub total (without tax): 120"."""


def amounts_of(text: Text, table: Table) -> Amounts:
    figures = [*_labelled(text, table), *columned(text, table)]
    by_role: dict[str, list[Figure]] = {role: [] for role in (*SUMMARY, "subtotal")}
    for figure in figures:
        by_role[figure.role].append(figure)
    add_rates(by_role)
    if not by_role["net"]:
        by_role["net"] += _net_of_lines(table)
    if not (by_role["total"] or by_role["amount_due"]):
        by_role["total"] += _alone(text, table)
    chosen = choose(by_role)
    nets = (*by_role["net"], *by_role["subtotal"])
    chosen.subtotals = [figure.amount.value for figure in nets if figure.candidate.label not in UNPRINTED]
    if chosen.total is None and not by_role["amount_due"]:
        chosen.total = _sum_of_lines(text, table)
    due = max(by_role["amount_due"], key=lambda f: f.candidate.score, default=None)
    chosen.amount_due = due.candidate if due else None
    settle_due(by_role, chosen)
    _complete(text, table, chosen)
    settle_net(text, by_role, chosen)
    explain(text, table, by_role["tax"], chosen)
    doubt_larger(text, table, chosen)
    doubt_rivals(by_role, chosen)
    doubt_balance(text, by_role, chosen)
    three = [c for c in (chosen.net, chosen.tax, chosen.total) if c is not None]
    doubt_rate(text, three)
    return chosen


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
    changed = {value + change for change in sums_of(chosen.adjustments)} if name == "total" else set()
    if (
        not value
        or abs(value) in others
        or (name == "tax" and not 0 < value / (net or value) < Decimal("0.5"))
        or (name == "net" and abs(value) < 2 * abs(tax or Decimal(0)))
    ):
        return
    for cell in text.cells:
        taken = cell.line in table.taken or _names_other(text, text.lines[cell.line], name)
        for amount in text.money(cell) if not taken else ():
            if amount.value == value or (amount.value in changed and amount.value not in others):
                setattr(chosen, name, figure_at(cell, amount, COMPLETING, "completes"))
                return


def _names_other(text: Text, line: Line, role: str) -> bool:
    """Whether a label on the line calls its only figure something else than this role of a sum: "Discount". Of a row of sums it names the last."""
    if sum(len(text.money(cell)) for cell in line.cells) > 1:
        return False
    leading = (text.leading_hit(cell) for cell in line.cells)
    return any(hit is not None and hit.plays_one(SUMMARY) and role not in hit.roles for hit in leading)


def _labelled(text: Text, table: Table) -> Iterator[Figure]:
    """Figures to the right of a label that opens a cell, else right below it."""
    for cell, hits in text.hits.items():
        if cell.line in table.taken:
            continue
        yield from _included(text, cell)
        of_price = not any("of_payment" in hit.roles for hit in hits)
        for hit in hits:
            roles = _roles(text, cell, hit)
            held = "tax" in hit.roles and HELD.fullmatch(text.folded[cell], 0, hit.start)
            leads = bool(held) or text.leads(cell, hit) or _follows_amount(text, cell, hit)
            if not roles or not (leads or _closes(text, cell, hit)):
                continue
            placed = _figure_for(text, cell, hit)
            if placed is None:
                continue
            other, amount, weight = placed
            if other.line in table.taken or (
                not amount.money and COUNTED.search(text.folded[cell], hit.start, hit.end)
            ):
                continue  # an item's figure, or how many there are
            is_rate = not hit.plays_one(SUMMARY)
            if ((not leads or is_rate) and not amount.money) or (is_rate and other.line != cell.line):
                continue
            weight *= 1.0 if leads else CLOSING
            for role in roles:
                score = weight * _label_weight(text, cell, hit, role)
                candidate = figure_at(other, amount, score, text.folded[cell][hit.start : hit.end])
                yield Figure(role, amount, candidate, cell.line, of_price=of_price, held=bool(held))
                if role == "tax":
                    yield from _beside(text, cell, amount, score)
                elif role == "total" and other not in text.hits:
                    yield from _included(text, other)


def _included(text: Text, cell: Cell) -> Iterator[Figure]:
    """The taxes that brackets behind a sum say to be in it: "€120,00 (inclusief €20,83 BTW)"; the brackets may go on in the lines below."""
    found = OF_WHICH.search(text.folded[cell])
    if found is None or not any(amount.end <= found.start() for amount in text.money(cell)):
        return
    said, within, start = "", [], found.end()
    for part in (cell, *text.below(cell, LINES_OF_BRACKETS)):
        end = part.text.find(")", start)
        stop = len(part.text) if end < 0 else end
        said = f"{said} {text.folded[part][start:stop]}"
        within += [(part, amount) for amount in text.money(part) if start <= amount.start < stop]
        start = 0
        if end >= 0:
            break
    if not within or not TAXED.search(said):
        return
    for part, amount in within:
        yield Figure("tax", amount, figure_at(part, amount, BRACKETED, "included"), cell.line)


def _roles(text: Text, cell: Cell, hit: Hit) -> list[str]:
    """What the label may be: something that includes a tax is a total ("Monthly fee including 19 % VAT")."""
    roles = [role for role in SUMMARY if role in hit.roles]
    said = text.folded[cell][: hit.end]
    if (remark := REMARKED.match(text.folded[cell], hit.end)) is not None:
        if "tax" in roles and "(" in said[hit.start :]:
            return ["total" if remark["with"] else "net"]  # "Total (tax incl.)"
        if "net" in roles and remark["with"] and TAXED.search(remark.group()):
            return []  # "Subtotal (incl. VAT)"
    whole = INCLUDING.search(said) if "tax" in roles else None
    money = any(amount.end <= hit.start for amount in text.money(cell))
    if not roles and "column:tax_rate" in hit.roles and said.endswith("%"):
        return ["tax"]  # "VAT % | 1,326.21"
    if whole and FOREIGN_WORDS.search(said, 0, whole.start()) and not money:
        return ["total"]
    if {"tax", "total"} & set(roles) and is_untaxed(text, cell, hit):
        return ["net"]
    return roles


def _beside(text: Text, cell: Cell, chosen: numbers.Amount, score: float) -> Iterator[Figure]:
    """The other figures in the row of a tax, one of which may be it where the last one is a running sum."""
    for other, amount in _to_the_right(text, cell):
        if amount.money and amount is not chosen:
            yield Figure("tax", amount, figure_at(other, amount, score - BESIDE, OTHER_IN_ROW), cell.line)


def _follows_amount(text: Text, cell: Cell, hit: Hit) -> bool:
    return any(amount.end <= hit.start <= amount.end + 3 for amount in text.money(cell))


def _closes(text: Text, cell: Cell, hit: Hit) -> bool:
    """Whether a word or two stand before the label and nothing but a rate and remarks behind it: "Honorar netto", "Parts tax 7 %".

    What stands in brackets is a remark itself ("Getränke (19 % USt)"), and a label of something else has the figure ("Points balance").
    """
    opening = text.leading_hit(cell)
    if text.brackets(cell, hit) or (opening is not None and opening.plays_one(("other_number",))):
        return False
    folded = text.folded[cell]
    behind = OF.sub("", IN_BRACKETS.sub("", _up_to_amount(text, cell, hit)))
    said = folded[: hit.end]
    close = len(folded[: hit.start].split()) <= MOST_BEFORE or INCLUDING.search(said) or INCLUDED.search(said)
    return bool(close) and not FOREIGN_WORDS.search(behind)


def _up_to_amount(text: Text, cell: Cell, hit: Hit) -> str:
    first = min([a.start for a in text.money(cell) if a.start >= hit.end], default=len(cell.text))
    return text.folded[cell][hit.end : first]


def _figure_for(text: Text, cell: Cell, hit: Hit) -> tuple[Cell, numbers.Amount, float] | None:
    behind = text.folded[cell][hit.end :]
    foreign = sum(1 for word in FOREIGN_WORDS.findall(BEHIND.sub("", behind)) if not code_of(word))
    stop = min(
        [
            h.start
            for h in text.hits[cell]
            if h.start >= hit.end and h.plays_one(SUMMARY) and not REMARK.match(behind, h.end - hit.end)
        ],
        default=len(cell.text),
    )
    own = [a for a in _outside(text, cell, hit.end) if hit.end <= a.start < stop and not a.percent]
    right = list(_to_the_right(text, cell))
    choices = [[p for p in right if p[1].money], [(cell, a) for a in own if a.money]]
    if _waits(text, cell, hit):
        choices.reverse()
    for choice in choices:
        if choice:
            other, amount = choice[-1]
            return other, amount, 0.95 - 0.12 * min(foreign, 4) - 0.03 * (len(choice) - 1)
    bare = [p for p in [*right, *((cell, a) for a in own)] if p[1].decimals != 1 and abs(p[1].value) < 10**9]
    if bare and not foreign:
        other, amount = bare[-1]
        return other, amount, 0.62
    before = _left_of(text, cell, hit)
    if before is not None and not right and not own:
        return *before, 0.7
    if right or own or foreign or _heads_several(text, cell):
        return None
    for other in [*text.below(cell, 1), *_last_below(text, cell)]:
        money = [] if _in_sentence(other) else text.money(other)
        left = text.lines[other.line].cells[: other.column + 1]
        if money and not any(text.leading_hit(c) for c in left):
            return other, money[0], 0.72
    return None


def _last_below(text: Text, cell: Cell) -> Iterator[Cell]:
    """The last figure of the next line below the last label of its line: a box may be far wider than its heading."""
    line = text.lines[cell.line]
    after = text.lines[cell.line + 1 : cell.line + 2]
    if cell is line.cells[-1] and cell.column and after and after[0].page == line.page:
        last = after[0].cells[-1]
        if last.x0 > cell.x0 and last.y0 - cell.y1 < 2.2 * cell.height:
            yield last


def _in_sentence(cell: Cell) -> bool:
    return len(FOREIGN_WORDS.findall(cell.text)) >= SENTENCE


def _waits(text: Text, cell: Cell, hit: Hit) -> bool:
    """Whether a label before this one on its line has no figure but the one at the right: "TVA 5,5 % | HT 15,67 | 0,86"."""
    if any(h.end <= hit.start and h.plays_one(SUMMARY) for h in text.hits[cell]):
        return True
    before = text.lines[cell.line].cells[: cell.column]
    return any(not text.money(c) and h.plays_one(SUMMARY) for c in before[-1:] for h in text.hits.get(c, ()))


def _to_the_right(text: Text, cell: Cell) -> Iterator[tuple[Cell, numbers.Amount]]:
    """The figures to the right, without those of another label: "Net 609.50   Tax 51.03", "Taxable | 100.00 Tax | 10.00"."""
    for other in text.right_of(cell):
        hit = text.leading_hit(other)
        figures = [amount for amount in _outside(text, other) if not amount.percent]
        named = hit is not None and hit.plays_one(SUMMARY)
        if hit is not None and named and any(amount.start >= hit.end for amount in figures):
            continue
        for amount in figures:
            yield other, amount
        if named:
            return


def _outside(text: Text, cell: Cell, start: int = 0) -> list[numbers.Amount]:
    """The figures without those in brackets behind another one, which are remarks: "22.00 (100.00)". One alone in brackets behind a label is no less than nothing."""
    amounts = text.amounts(cell)
    depths = (
        list(accumulate((letter == "(") - (letter == ")") for letter in cell.text))
        if "(" in cell.text
        else []
    )
    bracketed = {a.start for a in amounts if depths and a.start > start and depths[a.start] > 0}
    plain_ = [a for a in amounts if a.start not in bracketed]
    if start and not any(a.money for a in plain_):
        return [replace(a, value=abs(a.value)) if a.start in bracketed else a for a in amounts]
    return plain_ if any(a.money for a in plain_) else amounts


def _left_of(text: Text, cell: Cell, hit: Hit) -> tuple[Cell, numbers.Amount] | None:
    """The figure of a row whose figures stand before their labels: alone before the label in its cell, else in the only other cell of its line."""
    cells = text.lines[cell.line].cells
    own = [amount for amount in text.money(cell) if amount.end <= hit.start]
    other = cell if own else cells[0]
    money = own or text.money(other)
    said = "".join(c.text for c in cells[: cell.column]) + cell.text[: hit.start if own else 0]
    alone = len(money) == 1 and cell.column == len(cells) - 1 <= 1 and (own or other is not cell)
    return (other, money[0]) if alone and all(map(code_of, FOREIGN_WORDS.findall(said))) else None


def _heads_several(text: Text, cell: Cell) -> bool:
    """Whether the cell heads a table of sums with more than one row: which of the rows counts, the columns say."""
    below = [other for other in text.below(cell, ROWS) if text.money(other)]
    return len(below) > 1 and any(True for _ in total_headings(text, text.lines[cell.line]))


def _label_weight(text: Text, cell: Cell, hit: Hit, role: str) -> float:
    """Precise names ("total incl VAT") weigh more than those that also stand elsewhere ("total")."""
    phrase = text.folded[cell][hit.start : hit.end].strip()
    weight = 1.0 if hit.words > 1 else 0.93
    if (role == "net" and GENERIC_NET.fullmatch(phrase)) or (
        role == "total" and GENERIC_TOTAL.fullmatch(phrase)
    ):
        weight = 0.85
    if role == "tax" and hit.words == 1 and "rate" in phrase:
        weight = 0.5
    return weight


def _net_of_lines(table: Table) -> Iterator[Figure]:
    """Where no net amount is printed: what the line items sum to, which counts only if tax and total prove it."""
    rows = [row for row in table.rows if "amount" in row.parts]
    if not rows:
        return
    value = worth(rows)
    words = rows[0].parts["amount"][1] if len(rows) == 1 else []
    source = "page" if words else "computed"
    candidate = Candidate(numbers.plain(value), 0.45, words, label=OF_LINES, source=source)
    yield Figure("net", numbers.Amount(value, 0, 0, "", 2, False), candidate, rows[-1].line)


def _sum_of_lines(text: Text, table: Table) -> Candidate | None:
    """Where no label names a total: what the line items sum to, if it stands alone on one of the next lines."""
    rows = [row for row in table.rows if "amount" in row.parts]
    after = rows[-1].line + 1 if len(rows) > 1 else len(text.lines)
    for line in text.lines[after : after + NEXT]:
        for amount in text.money(line.cells[0]) if len(line.cells) == 1 else ():
            if amount.value == worth(rows) and all(map(code_of, FOREIGN_WORDS.findall(line.text))):
                return figure_at(line.cells[0], amount, SUMMED, ALONE)
    return None


def _alone(text: Text, table: Table) -> Iterator[Figure]:
    """Where no label names a total: figures with nothing else on their lines ("received: | 120.80" in a box), which count only if net and tax prove them."""
    for line in text.lines:
        amounts = (
            text.amounts(line.cells[0]) if len(line.cells) == 1 and line.index not in table.taken else []
        )
        if len(amounts) == 1 and amounts[0].money and not FOREIGN_WORDS.search(line.text):
            yield Figure("total", amounts[0], figure_at(line.cells[0], amounts[0], 0.5, ALONE), line.index)
