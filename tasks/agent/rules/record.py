"""Puts one document's fields together: the rules' candidates, the checks, the electronic invoice, the proof on the page."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import islice

from tasks.agent import checks, confidence
from tasks.agent.checks import Findings
from tasks.agent.contract import FieldValue, Record
from tasks.agent.einvoice import EInvoice
from tasks.agent.pdf import Document
from tasks.agent.rules.amounts import amounts_of
from tasks.agent.rules.buyers import addressee, buyers_of
from tasks.agent.rules.combining import Amounts
from tasks.agent.rules.days import dates_of
from tasks.agent.rules.document_numbers import numbers_of
from tasks.agent.rules.headings import ENDS_ITEMS
from tasks.agent.rules.items import proved
from tasks.agent.rules.kind import NAMES
from tasks.agent.rules.labels import find, fold
from tasks.agent.rules.lines import table_of
from tasks.agent.rules.money import currency_of, unit_of
from tasks.agent.rules.names import SHARED
from tasks.agent.rules.numbers import ROUNDING
from tasks.agent.rules.parties import Parties
from tasks.agent.rules.patterns import key_of
from tasks.agent.rules.products import FACTORS, products
from tasks.agent.rules.received import closed_of, only_figure, received_of
from tasks.agent.rules.recognised import LOST, UNCLEAR, lost_accents, unclear
from tasks.agent.rules.spelled import spelled_of
from tasks.agent.rules.tables import Row, Table, worths
from tasks.agent.rules.taxids import iban_of, tax_ids_of
from tasks.agent.rules.text import Candidate, Text, figure_at, rivalled
from tasks.agent.rules.unnamed import gives_back, kind_by_content
from tasks.agent.rules.values import PROVEN_LINES, Judge, missing
from tasks.agent.tracing import span

SURE_KIND = 0.6
RIVAL = 0.06
"""A second candidate that comes this near makes the first one doubtful."""
OF_THOUSANDTHS = ("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND")
"""Currencies with three decimals."""
MOST_LINES = 2000
ONLY_NET = "Neither a tax nor a total is printed; the net amount was taken as the total."
ONLY_NET_SCORE = 0.6
PART = 0.85
"""How well the rule supports each part of a line item."""
ONLY_XML = "Only the embedded electronic invoice says so; no label on the page does."


def record_of(
    document: Document, text: Text, kind: tuple[str, float], xml: EInvoice | None, today: date
) -> Record | None:
    """The business document in the text; None where nothing says that it is one."""
    name, sureness = kind
    if name == "none" and xml is None:
        return None
    table = table_of(text)
    amounts = amounts_of(text, table)
    table = proved(text, table, amounts)
    spelled = first(list(spelled_of(text)))
    complete_total(text, name, amounts, table, spelled)
    numbers = numbers_of(text, name)
    if not is_business(text, name, sureness, numbers, amounts, table) and xml is None:
        name = kind_by_content(text, amounts)
    if not name:
        return None
    name = final_kind(name, gives_back(amounts, table))
    chosen = candidates_of(text, name, numbers, amounts, table)
    if xml is not None and xml.credit:
        name = "credit_note"
    doubt_recognised(text, chosen)
    found = findings(chosen, amounts, table, xml, today)
    doubt_currency(text, chosen, found)
    doubt_thousands(chosen, found)
    if spelled is not None and spelled is not amounts.total:
        checks.check_words(found, spelled.amount, value_of(chosen["total"]), other_sums(amounts))
    if xml is not None:
        complete_from_xml(text, chosen, found, xml)
    with span("grounding", kind="TOOL"):
        judge = Judge(document, text, confidence.INVOICE, found)
        fields = {
            key: judge.field(key, candidate) for key, candidate in chosen.items() if candidate is not None
        }
        lines = lines_of(judge, table)
    for key in confidence.REQUIRED:
        fields.setdefault(key, FieldValue(value=None, confidence=0.0, reasons=(missing(key),)))
    return Record(
        kind=name,
        fields=fields,
        lines=lines,
        first_page=min(text.pages),
        last_page=max(text.pages),
    )


def final_kind(name: str, gives_back: bool) -> str:
    """The kind of a business document: an invoice where its words name none, a credit note where its sums are given back."""
    kind = name if name in NAMES else "invoice"
    return "credit_note" if gives_back and kind in ("invoice", "receipt") else kind


def candidates_of(
    text: Text, name: str, numbers: list[Candidate], amounts: Amounts, table: Table
) -> dict[str, Candidate | None]:
    """The rules' best candidate for each field; those of tax numbers and accounts only where there are any."""
    parties = Parties(text, table.taken)
    supplier, buyer = first(parties.suppliers()), first(buyers_of(text) or parties.addressed)
    if buyer is None and supplier is not None:
        buyer = first(addressee(text, supplier.value))
    number, days = first(numbers), dates_of(text, "date", name)
    numbering = number.words if number is not None else []  # "2024-03-12" behind its label is no day
    day = first([c for c in days if c.words[0] not in numbering] or days)
    if number is not None and day is not None and day.words[0] in numbering:
        number.reasons.append("It looks like a date.")
    chosen: dict[str, Candidate | None] = {
        "supplier": supplier,
        "buyer": buyer,
        "number": number,
        "date": day,
        "due_date": first(dates_of(text, "due_date")),
        "currency": first(currency_of(text)),
        "net": amounts.net or untaxed(text, name, amounts, table),
        "tax": amounts.tax,
        "total": amounts.total or without_tax(text, amounts),
        "amount_due": amounts.amount_due,
    }
    names = [party.value if party is not None else "" for party in (supplier, buyer)]
    return chosen | tax_ids_of(text, *names) | iban_of(text)


def doubt_recognised(text: Text, chosen: dict[str, Candidate | None]) -> None:
    """Say of names and numbers from a picture where letters may have been taken for others."""
    for party in (chosen["supplier"], chosen["buyer"]):
        if party is not None and lost_accents(text, party.words):
            party.reasons.append(LOST)
    number = chosen["number"]
    if number is not None and unclear(number.value, number.words):
        number.reasons.append(UNCLEAR)


def doubt_thousands(chosen: dict[str, Candidate | None], found: Findings) -> None:
    """Say that three decimals of a sum may be thousands, in a currency that has two or none."""
    currency = chosen["currency"]
    for key in (*ENDS_ITEMS, "amount_due"):
        candidate = chosen[key]
        thousandths = candidate is not None and len(candidate.value.partition(".")[2]) == 3
        if thousandths and (currency is None or currency.value not in OF_THOUSANDTHS):
            found.doubt("Three digits stand behind its mark, which may part thousands.", key)


def doubt_currency(text: Text, chosen: dict[str, Candidate | None], found: Findings) -> None:
    """Say that another currency stands beside the total; what a sign means that several countries share was decided before."""
    currency, total = chosen["currency"], chosen["total"]
    if currency is None or total is None:
        return
    units = unit_of(text, total.words)
    if units and not any(currency.value in (unit, *SHARED.get(unit, {}).values()) for unit in units):
        found.doubt(f"The total is printed in {', '.join(sorted(units))}.", "currency")


def complete_total(text: Text, name: str, amounts: Amounts, table: Table, spelled: Candidate | None) -> None:
    """What words and a figure say alike is the total where sums prove none; a receipt says what was received."""
    known = [*other_sums(amounts), *([amounts.total.amount] if amounts.total is not None else [])]
    if spelled is not None and not amounts.adds_up and int(spelled.value) not in map(int, known):
        amounts.total = printed(text, spelled.amount, whole=True) or amounts.total
    if name != "receipt" or amounts.adds_up:
        return
    received, total = received_of(text, table), amounts.total
    if total is None:
        amounts.total = received or closed_of(text) or spelled or only_figure(text)
    elif received is not None and received.amount - total.amount not in (0, *map(abs, amounts.settled)):
        total.reasons.append(rivalled(received.value))


def other_sums(amounts: Amounts) -> list[Decimal]:
    """All sums but the total."""
    return [
        c.amount for c in (amounts.net, amounts.tax, amounts.amount_due) if c is not None
    ] + amounts.subtotals


def is_business(
    text: Text, name: str, sureness: float, numbers: list[Candidate], amounts: Amounts, table: Table
) -> bool:
    """A title alone, or a total alone, makes no invoice: two signs are needed, and three where nothing names its kind."""
    signs = (sureness >= SURE_KIND) + bool(numbers and numbers[0].score > 0.6) + (amounts.total is not None)
    signs += amounts.net is not None and amounts.tax is not None
    signs += name in NAMES and all(map(text.labels, ("supplier", "buyer")))
    signs += name in NAMES and any(row.parts.keys() >= {"quantity", "amount"} for row in table.rows)
    return signs >= (2 if name in NAMES else 3)


def first(candidates: list[Candidate]) -> Candidate | None:
    """The best candidate, flagged where another value comes near; the same value in other letters is none."""
    if not candidates:
        return None
    best = candidates[0]
    rivals = (other for other in candidates[1:] if key_of(other.value) != key_of(best.value))
    for rival in islice(rivals, 1):
        if best.score - rival.score < RIVAL and not best.reasons:
            best.reasons.append(rivalled(rival.value))
    return best


@span("checks", kind="GUARDRAIL")
def findings(
    chosen: dict[str, Candidate | None], amounts: Amounts, table: Table, xml: EInvoice | None, today: date
) -> Findings:
    found = Findings()
    net, tax, total = (value_of(chosen[key]) for key in ("net", "tax", "total"))
    changes = [*amounts.adjustments, *(-abs(value) for value in amounts.settled)]
    checks.check_sums(found, net, tax, total, changes)
    if total is None and amounts.adds_up:
        found.confirm("net", "tax")
    subtotals = [*amounts.subtotals, *([total - tax] if total is not None and tax is not None else ())]
    agree = checks.check_lines(found, worths(table.rows), net, total, changes, subtotals)
    if agree is not None:
        found.confirm("lines") if agree else found.doubt(
            "The line items do not sum to the printed net or total.", "lines"
        )
    issued, due = chosen["date"], chosen["due_date"]
    checks.check_dates(found, issued.value if issued else None, due.value if due else None, today)
    if amounts.total is not None and total is not None and total == 0:
        found.doubt("The total is zero.", "total")
    if xml is not None:
        checks.compare(
            found, {key: candidate.value if candidate else None for key, candidate in chosen.items()}, xml
        )
        if xml.line_count and xml.line_count == len(table.rows):
            found.confirm("lines")
    return found


def untaxed(text: Text, name: str, amounts: Amounts, table: Table) -> Candidate | None:
    """Where no tax is printed and the line items sum to the total, the total is the net amount too; receipts include their tax."""
    total, rows = amounts.total, worths(table.rows)
    if name == "receipt" or amounts.tax is not None or total is None or not rows:
        return None
    if abs(sum(rows) - total.amount) > ROUNDING or any(map(names_tax, table.rows)) or names_rate(text):
        return None
    return Candidate(total.value, min(total.score, 0.8), total.words, label=total.label)


def without_tax(text: Text, amounts: Amounts) -> Candidate | None:
    """The net amount, where neither tax nor total nor what is due is printed: writers who charge no tax call their total so."""
    net = amounts.net
    if net is None or amounts.tax is not None or amounts.amount_due is not None or net.source != "page":
        return None
    taxed = (cell for cell, hit in text.labelled("tax") if text.leads(cell, hit))
    if names_rate(text) or any(text.bears_money(text.right_of(cell)) for cell in taxed):
        return None
    return Candidate(net.value, min(net.score, ONLY_NET_SCORE), net.words, [ONLY_NET], label=net.label)


def names_rate(text: Text) -> bool:
    """Whether a rate is said beside or below the name of a tax, whatever its amount: "The total includes 10% GST"."""
    taxed = [cell for cell, hit in text.labelled("tax") if "tax" in hit.roles]
    near = {other for cell in taxed for other in (cell, *text.right_of(cell), *text.below(cell, 2))}
    return any(amount.percent and amount.value for cell in near for amount in text.amounts(cell))


def names_tax(row: Row) -> bool:
    """Whether the item is a tax itself, as that of each night in a hotel's account."""
    return any("tax" in hit.roles for hit in find(fold(row.parts.get("description", ("",))[0])))


def value_of(candidate: Candidate | None) -> Decimal | None:
    return candidate.amount if candidate is not None else None


def complete_from_xml(
    text: Text, chosen: dict[str, Candidate | None], found: Findings, xml: EInvoice
) -> None:
    """What the page does not say the XML may, where the two agree on more than they contradict, or where its sums stand on the page without labels."""
    trusted = sum(found.confirmed.get(key, 0) for key in ("number", "total", "date")) >= 2
    contradicted = any(
        "electronic invoice" in reason for reasons in found.reasons.values() for reason in reasons
    )
    shown = {key: printed(text, getattr(xml, key)) for key in ENDS_ITEMS}
    proven = len({candidate.value for candidate in shown.values() if candidate is not None}) > 1
    for key in ("supplier", "buyer", "number", "date", "due_date", "currency", "net", "tax", "total"):
        said = getattr(xml, key)
        if chosen.get(key) is not None or said is None:
            continue
        candidate = shown.get(key) if proven else None
        if candidate is not None:
            found.confirm(key, key)
        elif trusted and not contradicted:
            candidate = Candidate(str(said), 0.85, source="xml")
        chosen[key] = candidate or Candidate(str(said), 0.5, source="xml", reasons=[ONLY_XML])


def printed(text: Text, value: Decimal | None, whole: bool = False) -> Candidate | None:
    """The first figure of money on the page that is this value, or has it before its decimal mark (`whole`); none for nothing and zero."""
    for cell in text.cells if value else ():
        for amount in text.money(cell):
            if (int(amount.value) if whole else amount.value) == value:
                return figure_at(cell, amount, 0.7)
    return None


def lines_of(judge: Judge, table: Table) -> tuple[dict[str, FieldValue], ...]:
    """Line items; proof for the first few hundred, for a look at more of them goes to the page itself."""
    found, rows = judge.found, table.rows[:MOST_LINES]
    confirmed = min(found.confirmed.get("lines", 0), 1)
    contradicted = products(judge.text, rows)
    lines = []
    for position, row in enumerate(rows):
        cells = {}
        for name, (value, words) in row.parts.items():
            doubts = list(found.reasons.get("lines", ()))
            if position in contradicted and name in FACTORS:
                doubts.append(contradicted[position])
            candidate = Candidate(value[:500], PART, words, doubts)
            cells[name] = judge.value("lines", candidate, confirmed, looked_up=position < PROVEN_LINES)
        lines.append(cells)
    return tuple(lines)
