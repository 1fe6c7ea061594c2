"""Says what a document without a title is, by what it holds: sums with a tax, a day until which to pay, marks of a till or of a supply."""

from __future__ import annotations

import re

from tasks.agent.rules.combining import OF_LINES, Amounts
from tasks.agent.rules.days import dates_of
from tasks.agent.rules.kind import LEAST_OF_TILL, MOST_PAGES_OF_TILL, is_of_another_kind, till_words
from tasks.agent.rules.sums import OF_RATES
from tasks.agent.rules.tables import Table, worths
from tasks.agent.rules.text import Candidate, Text

MOST_PAGES = 6
WELL = 0.62
"""A figure that is less well supported than this may belong to another label."""
LEAST_PRECISE = 9
"""Letters of a single word that speaks of nothing but payment ("Splatnost", "Zahlbetrag"), unlike "due" and "balance"."""
SUPPLY = re.compile(
    r"\b(?:billing period|service (?:period|address)|supply address|meter (?:no|number|reading)|(?:current|new) charges|previous bill"
    r"|abrechnungszeitraum|zahler(?:nummer|stand|nr)|verbrauchsstelle|lieferstelle|marktlokation|arbeitspreis"
    r"|periode de (?:facturation|consommation)|point de livraison|compteur|releve d'index"
    r"|periodo de facturacion|punto de suministro|contador|potencia contratada|periodo di fatturazione|punto di fornitura|codice p[od][dr]"
    r"|verbruiksperiode|meter(?:stand|nummer)|factuurperiode|okres rozliczeniowy|numer licznika|punkt poboru"
    r"|laskutusjakso|kayttopaikka|mittari(?:numero|lukema)|matarstallning|anlaggnings-? ?id|malernummer|opgorelsesperiode|malepunkt"
    r"|periodo de faturacao|local de consumo|zuctovaci obdobi|fakturacni obdobi|odberne misto|stav meridla)"
    r"|使用量|検針|ご使用期間|請求期間"
)
"""What is said where something is supplied over a time and billed by it."""


def kind_by_content(text: Text, amounts: Amounts) -> str:
    """invoice, receipt, or "" where it may as well be an order, a payslip, an account or a letter."""
    total = amounts.total
    if total is None or total.score < WELL or len(text.pages) > MOST_PAGES or is_of_another_kind(text):
        return ""
    taxed = amounts.tax is not None and is_printed(amounts.tax)
    taxed = taxed or (amounts.net is not None and is_printed(amounts.net) and text.labels("tax"))
    if taxed and len(text.pages) <= MOST_PAGES_OF_TILL and len(till_words(text)) >= LEAST_OF_TILL:
        return "receipt"
    due = dates_of(text, "due_date")
    if taxed and (due or is_precise(amounts.amount_due) or names_day(text)):
        return "invoice"
    supplied = any(SUPPLY.search(folded) for folded in text.folded.values())
    return "invoice" if supplied and due and amounts.amount_due is not None else ""


def is_printed(figure: Candidate) -> bool:
    """Whether a label or heading names the figure, which is not summed up of others."""
    return figure.source == "page" and figure.label not in (OF_LINES, OF_RATES) and figure.score >= WELL


def names_day(text: Text) -> bool:
    """Whether a label asks for a day of payment, be its value legible or not."""
    return any(
        text.leads(cell, hit) and (hit.words > 1 or hit.end - hit.start >= LEAST_PRECISE)
        for cell, hit in text.labelled("due_date")
    )


def is_precise(due: Candidate | None) -> bool:
    """Whether the label says that this is to be paid; a balance is that of any account."""
    return due is not None and (" " in due.label or len(due.label) >= LEAST_PRECISE)


def is_taxed(text: Text) -> bool:
    """Whether a tax with its rate is printed, or one beside a day of payment: what an account or a table of figures hardly bears."""
    rows = [
        text.lines[cell.line].cells
        for cell, hit in text.labelled("tax")
        if "tax" in hit.roles and text.leads(cell, hit)
    ]
    taxed = [[amount for cell in cells for amount in text.amounts(cell)] for cells in rows]
    rated = any(amount.percent for amounts in taxed for amount in amounts)
    return any(amount.money for amounts in taxed for amount in amounts) and (rated or names_day(text))


def gives_back(amounts: Amounts, table: Table) -> bool:
    """Whether the sums are negative, and more than one figure says so: a dash alone may be a stain."""
    figures = [
        candidate.amount for candidate in (amounts.net, amounts.tax, amounts.total) if candidate is not None
    ]
    negative = sum(amount < 0 for amount in [*figures, *worths(table.rows)])
    return amounts.total is not None and amounts.total.amount < 0 and max(figures) <= 0 and negative > 1
