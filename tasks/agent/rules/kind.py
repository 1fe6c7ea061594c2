"""Says what kind of document this is, from its title and the names of its fields."""

from __future__ import annotations

import re
from collections import defaultdict

from tasks.agent.layout import Cell
from tasks.agent.rules.labels import Hit, find, fold
from tasks.agent.rules.text import Text

JOINED = re.compile(r"^[^\W\d_][\w .]{2,24}[^\W\d_] ?[/&] ?$|^td[o\d][\d)] ?$")
"""What a title may open with: "Repair order / Invoice", and the code that Italy has for each kind."""
LETTERS = re.compile(r"[^\W\d_]{3}")
SPACED = re.compile(r"\b(?:\w ){3,}\w\b|(?<!\S)(?:[\u3040-\u9fff] ){2,}[\u3040-\u9fff](?!\S)")
DAYS = r"\d{1,3} ?(?:days?|tagen?|jours?|dias?|giorni|gg|dagen|dni|paivaa|pv|dagar|dage|dager|dnu)\b"
PAID_IN = re.compile(rf"\s+(?:a |à )?{DAYS}")
"""What makes of a title a way to pay: "Recibo 60 días"."""
YOURS = re.compile(
    r"\s+(?:for|to|zu|fur|uber|de|del|pour|di|del|della|per|voor|van|na|do|for|til)\s+(?:your|ihre\w*|deine\w*|votre|vos|su|tu|vuestro|suo|sua|tuo|tua|uw|je|jouw|seu|din|ditt|twoje\w*)\b"
)
"""How a title goes on into a sentence to its reader: "Receipt for your order 7, paid on Monday"."""
NAMES = {
    "invoice": "an invoice",
    "receipt": "a receipt",
    "credit_note": "a credit note",
    "quotation": "a quotation",
}
TITLE_SCORE = 3.0
SURE_TITLE = 2.6
NAMED = 2.4
"""What a label of the number counts for as to how sure the kind is, wherever it stands."""
CLEARLY = 0.5
TITLE_LINES, TALL = 15, 0.9
MOST_TIMES = 2.5
"""By so much a title is higher than the other words at most."""
LEAST_OF_TILL, MOST_PAGES_OF_TILL = 2, 2
LEAST_COLUMNS, LEAST_LISTED, DIGIT = 3, 2, re.compile(r"\d")
TILL = re.compile(
    r"^\W*(cashier|change|cash|visa|mastercard|amex|card|tendered|items sold|server|chk|covers|table \d|tisch \d|mesa \d|tavolo \d|couverts|tip|gratuity|guests|check #|payments?|thank|thanks|merci|vielen dank|danke|gracias|grazie|bedankt|reg|trans|store|till|rueckgeld|ruckgeld|geg|bar|kasse|girocard|ec"
    r"|bediener|rendu|especes|cb|caisse|caissier|efectivo|cambio|tarjeta|cajero|contanti|resto|bancomat|cassa|pin|wisselgeld|kassa|contant"
    r"|gotowka|reszta|kasjer|karta|kateinen|takaisin|pankkikortti|kontant|vaxel|byttepenge|dankort|troco|numerario|hotovost|vraceno"
    r"|auth|authorisation|authorization|approval|app code|aid|tvr|tsi|merchant|(?:customer|merchant|cardholder) copy|tran type|chip read|contactless"
    r"|terminal-?id|genehmigungs-?nr|kundenbeleg|handlerbeleg|autorisation|numero d'autorisation|autorizacion|autorizzazione|autorisatie|autoryzacja"
    r"|現金|お釣り|お預り|お預かり|釣銭|会員番号|承認番号|お客様控え|加盟店控え)\b"
)
ELSEWHERE = re.compile(
    r"\b(?:(?:gross|net|basic|base) (?:pay|wages?)|salary|payroll|pay period|minimum (?:payment|amount)|credit limit|available credit"
    r"|(?:opening|closing|statement) balance|withdrawals?|valid until|we (?:are pleased to )?(?:offer|quote)|our offer|this (?:agreement|contract)"
    r"|(?:brutto|netto)lohn|lohnsteuer|steuerklasse|gehalt|kreditrahmen|kontostand|gultig bis|freibleibend|wir bieten|dieser vertrag|vertrag zwischen"
    r"|salaire|net imposable|cotisations|solde (?:initial|final)|decouvert|valable jusqu|(?:nous )?vous proposons|notre offre|present contrat"
    r"|salario|sueldo|devengos|limite de credito|valid[oa] hasta|nuestra oferta|(?:le|les) ofrecemos|presente contrato"
    r"|retribuzione|stipendio|trattenute|fido|valid[oa] fino|nostra offerta|presente contratto"
    r"|(?:bruto|netto) ?loon|salaris|loonheffing|geldig tot|bieden wij|deze overeenkomst"
    r"|wynagrodzenie|saldo (?:poczatkowe|koncowe|inicial|final|iniziale|finale)|wazna do|oferujemy|niniejsza umowa"
    r"|brutto ?palkka|ennakonpidatys|voimassa|tarjoamme|(?:brutto|netto)lon|skatteavdrag|a-skat|giltigt? till|gyldig til|offererar|tilbyder vi|tilbyr vi"
    r"|vencimento base|valid[oa] ate|propomos|(?:hruba|cista) mzda|platnost (?:do|nabidky)|nabizime)\b"
    r"|総支給|差引支給|有効期限|見積"
)
"""What payslips, accounts, offers and contracts say, and nobody who asks for his money or has just taken it."""


def kind_of(text: Text) -> tuple[str, float]:
    """(invoice | receipt | credit_note | quotation | none | other, 0..1): "none" where a title says that it is none of them. A word inside a sentence names no kind."""
    scores: dict[str, float] = defaultdict(float)
    other = 0.0
    tallest = tallest_of(text)
    for cell, hit in text.labelled("kind:"):
        if (
            not (text.leads(cell, hit) or JOINED.match(text.folded[cell][: hit.start]))
            or is_priced(text, cell)
            or is_listed(text, cell)
            or heads_column(text, cell)
        ):
            continue
        words_behind = sum(1 for word in text.folded[cell][hit.end :].split() if LETTERS.search(word))
        if PAID_IN.match(text.folded[cell], hit.end):
            continue
        yours = YOURS.match(text.folded[cell], hit.end)
        if words_behind > 5 and hit.words < 2 and not yours:
            continue
        score = 1.0 + (TITLE_SCORE if yours or words_behind == 0 else 1.0) * min(cell.height / tallest, 1.0)
        score += 0.5 if text.lines[cell.line].y0 < text.pages[cell.page].height / 2 else 0.0
        for role in hit.roles:
            if role == "kind:none":
                other = max(other, score if is_title(text, cell, hit, tallest) else 0.0)
            elif role.startswith("kind:"):
                scores[role[5:]] = max(scores[role[5:]], score + 0.1 * hit.words)
    if other > max(scores.values(), default=0.0) + CLEARLY:
        return "none", min(other / 4.0, 1.0)
    named = _read_labels(text, scores, tallest)
    if (
        text.pages
        and scores.get("receipt", 0.0) < SURE_TITLE
        and max(scores.values(), default=0.0) < SURE_TITLE
    ):
        _read_till(text, scores)
    _read_spaced_titles(text, scores)
    if not scores:
        return "other", 0.0
    (best, score), *_ = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return best, min(max(score, NAMED if best in named else 0.0) / 4.0, 1.0)


def tallest_of(text: Text) -> float:
    """The height of the tallest words; on a recognised page those of a logo may be any height, and are not looked up to."""
    heights = sorted(cell.height for cell in text.cells)
    if not heights:
        return 0.0
    recognised = any(cell.words[0].source == "ocr" for cell in text.cells)
    return min(heights[-1], MOST_TIMES * heights[len(heights) // 2]) if recognised else heights[-1]


def is_title(text: Text, cell: Cell, hit: Hit, tallest: float) -> bool:
    """Whether the words are printed as large as any, near the top and on a line of their own."""
    tall = cell.height >= TALL * tallest and cell.line < TITLE_LINES
    return tall and len(text.lines[cell.line].cells) <= 2 and hit.end - hit.start >= 0.5 * len(cell.text)


def is_priced(text: Text, cell: Cell) -> bool:
    """Whether several figures stand beside the cell: then it is a row of a table, and no title ("Abono" is also what plants are fed with)."""
    beside = [text.amounts(other) for other in text.lines[cell.line].cells if other is not cell]
    return sum(map(bool, beside)) >= 2 and any(amount.money for amounts in beside for amount in amounts)


def is_listed(text: Text, cell: Cell) -> bool:
    """Whether a date stands before the cell and an amount behind it: a row of an account ("04/03/2024 | Invoice F-811 | 1,310.00")."""
    cells = text.lines[cell.line].cells
    before = any(text.dates(other) for other in cells if other.x1 <= cell.x0)
    return before and text.bears_money(other for other in cells if other.x0 >= cell.x1)


def heads_column(text: Text, cell: Cell) -> bool:
    """Whether the cell heads a column of a table with amounts: a list of invoices ("Invoice | Date | Balance") is none itself."""
    line = text.lines[cell.line]
    if len(line.cells) < LEAST_COLUMNS or any(map(DIGIT.search, (other.text for other in line.cells))):
        return False
    row = text.lines[line.index + 1 : line.index + 2]
    return bool(row) and len(row[0].cells) >= LEAST_COLUMNS and text.bears_money(row[0].cells)


def lists_documents(text: Text, cell: Cell) -> bool:
    """Whether the cell heads a column with one value in each of several rows with amounts: those are of other documents."""
    rows = text.lines[cell.line + 1 : cell.line + 1 + LEAST_LISTED]
    return (
        heads_column(text, cell)
        and len(rows) == LEAST_LISTED
        and all(
            any(c.x0 < cell.x1 and c.x1 > cell.x0 and DIGIT.search(c.text) for c in line.cells)
            and text.bears_money(line.cells)
            for line in rows
        )
    )


def _read_labels(text: Text, scores: dict[str, float], tallest: float) -> set[str]:
    """ "Invoice number" says invoice as well, if no title does; the kinds that a label of the number names, be the number legible or not."""
    named: set[str] = set()
    for cell, hit in [*text.labelled("number"), *text.labelled("date")]:
        if lists_documents(text, cell):
            continue
        phrase = text.folded[cell][hit.start : hit.end]
        leads = text.leads(cell, hit)
        titles = leads and cell.line < TITLE_LINES and cell.height >= TALL * tallest
        for name in kinds_in(phrase):
            scores[name] = max(scores[name], 2.5 if titles else 1.5)
            if leads and "number" in hit.roles:
                named.add(name)
    return named


def kinds_in(phrase: str) -> list[str]:
    """The kinds of documents that a folded label names: "credit note no"."""
    return [name for name in NAMES if any(f" {word}" in f" {phrase}" for word in _STEMS[name])]


def _read_till(text: Text, scores: dict[str, float]) -> None:
    """A receipt without a title says how it was paid: words of a till on lines of their own, at least three of them."""
    if len(text.pages) > MOST_PAGES_OF_TILL:
        return
    said = len(till_words(text))
    if said > LEAST_OF_TILL and not is_of_another_kind(text):
        scores["receipt"] = max(scores["receipt"], 2.4 + 0.3 * said)


def till_words(text: Text) -> set[str]:
    """Words of a till, or of the machine that cards are read by, each of which opens a cell that is no row of an account."""
    found = [(cell, match) for cell, folded in text.folded.items() if (match := TILL.match(folded))]
    return {match.group(1) for cell, match in found if not is_listed(text, cell)}


def is_of_another_kind(text: Text) -> bool:
    """Whether a title of another kind opens a cell anywhere, of whatever size, or words stand there that only other kinds print."""
    if any(text.leads(cell, hit) for cell, hit in text.labelled("kind:none")):
        return True
    return any(ELSEWHERE.search(folded) for folded in text.folded.values())


def _read_spaced_titles(text: Text, scores: dict[str, float]) -> None:
    """I N V O I C E, and titles whose letters stand in cells of their own."""
    for line in text.lines[:15]:
        joined = (
            "".join(cell.text for cell in line.cells) if all(len(c.text) == 1 for c in line.cells) else ""
        )
        for spaced in [*SPACED.findall(line.text), joined]:
            for hit in find(fold(spaced.replace(" ", ""))):
                for role in hit.roles:
                    if role.startswith("kind:"):
                        scores[role[5:]] = max(scores[role[5:]], TITLE_SCORE)


_STEMS = {
    "invoice": (
        "invoice",
        "inv ",
        "rechn",
        "factu",
        "fatt",
        "faktur",
        "lasku",
        "tax invoice",
        "bill",
        "note d",
        "honorar",
        "parcell",
        "fatura",
        "folio",
    ),
    "receipt": (
        "receipt",
        "quittung",
        "quittance",
        "kwitant",
        "bon",
        "recu",
        "ticket",
        "kuit",
        "paragon",
        "scontrin",
        "ricevut",
        "recibo",
        "kassabon",
        "kvitt",
        "uctenk",
    ),
    "credit_note": (
        "credit",
        "gutschrift",
        "avoir",
        "hyvitys",
        "faktura koryg",
        "nota di cred",
        "nota de cred",
        "factura rect",
        "kredit",
        "dobropis",
        "storno",
    ),
    "quotation": (
        "quot",
        "angebot",
        "devis",
        "offert",
        "ofert",
        "estimate",
        "preventiv",
        "presupuest",
        "tarjous",
        "prijsopg",
        "proposal",
        "tilbud",
        "orcament",
        "nabidk",
        "anbud",
        "見積",
    ),
}
