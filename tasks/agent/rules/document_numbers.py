"""Finds the number of a document by its labels."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tasks.agent.layout import Cell
from tasks.agent.rules.kind import heads_column, is_priced, kinds_in, lists_documents
from tasks.agent.rules.labels import Hit
from tasks.agent.rules.number_values import (
    ALIGNED,
    BARE_LABEL,
    BELOW,
    MONTHLY,
    RIGHT,
    lead_end,
    number_in,
    values_behind,
)
from tasks.agent.rules.text import Candidate, Text, words_at

OWN = {"invoice": "INV|IN|BILL|RE|RG|FA|FT|FV|FAC|FACT", "quotation": "QUO|QT|EST|ANG|AN|DEV|PRE"}
"""Abbreviations of the kinds that seldom refer to another document of their own kind."""
_DIGITS = r"[ /-]?\d{2,}(?:[/-]\d+)*"
PREFIXED = re.compile(rf"(?:{'|'.join(OWN.values())}|RCPT|REC|RCT|CN|GS|AV){_DIGITS}")
"""A number that begins with the abbreviation of its document."""
OF_OTHERS = frozenset(["kind:none", "other_number", "column:other"])
"""What a title says that is no document of these kinds: its number is that of an order or a delivery."""
SAID_ALSO = re.compile(
    r"[\s/|(]+[^\W\d]+(?: [^\W\d]+)?[\s)]*(?:n[o°º]|nr|#)?[ .]*:\s*|.{0,20}?(?:\bn\W?[o°º]|\bnr\b|#)[\s.:]*"
)
"""What may stand between a title and its number: the title in another language, a series: "Invoice / Sąskaita #: 12", "NFC-e Série 1 Nº 9914"."""
BARE = ("number", "numero", "nummer", "numer")
"""Labels that do not say whose number it is."""

VALUE = re.compile(r"[\s.:]*[^\s\d]{0,12}\d\S{0,30}[\s,;|·-]*")
BARE_WITHIN = re.compile(r"\b(?:no|nr|num(?:ber|mer|ero)?)\b\W{0,3}(?=[a-z]{0,6}[-/ ]?\d)")
REGISTER = re.compile(
    r"\b(?:registro mercantil|tomo|libro|hoja|inscripcion|inscrita|registre du commerce|registro (?:delle )?imprese|handelsregister|kamer van koophandel"
    r"|chamber of commerce|conservatoria|registered (?:office|in)|sad rejonowy)\b"
)
"""Where a company is entered, folded: its volumes and folios number no document."""
REFERENCE = re.compile(
    r"(?:our |unsere? |notre |nuestra |ns |ons |var )?(?:ref\w*|riferimento|rif|kenmerk|zeichen)(?: (?:no|nr|n|number|num|nummer|#))?"
)
"""The writer's own reference, folded, which numbers a document that has no other number."""
SERIAL = re.compile(
    r"(?:(?:n[o°]|num\w*) (?:de |di )?)?seri(?:e|al|en)(?: ?(?:no|nr|number|nummer))?|numer seryjny|sarjanumero"
)
"""What numbers goods, folded, and beside the title the document: "FACTURE | Numéro de série FA.00318"."""
ORDER = re.compile(
    r"(?:your |ihre |votre |uw )?(?:order|purchase order|bestell|auftrag|commande|n[o°] (?:de )?commande|pedido|ordine|zamowieni|tilau|ordre|encomenda|objednavk)"
)
ONLY_ORDER = "Only the number of an order is printed; it was taken as the receipt's number."
ONLY_REFERENCE = "Only a reference is printed; it was taken as the document's number."
SERIES = re.compile(
    r"[A-Z]{1,5}[ /-]?\d[\dA-Z]*(?:[/-]\d+)+|(?:19|20)\d\d[/-](?:[A-Z]{1,4}[/-])?(?!(?:19|20)\d\d$)\d{3,6}"
)
"""A number of a series within its year, which nothing else looks like."""
GLUED_SIGN = re.compile(r"N[°º] ?(?=[A-Z]{1,6}[-/ ]?\d)", re.IGNORECASE)
"""The sign of a number right before its letters: "N°PXL-26-0041"."""
ALONE = re.compile(r"(?!(?:19|20)\d\d(?:[/-](?:19|20)?\d\d)?$)(?=(?:\D{0,3}\d){3})[A-Z]{0,4}[\d/-]+")
"""What may be a number without a label: three digits or more that are no years."""
UNNAMED = "No label says whose number this is."
NEAR_TITLE = 4
MOST_BARE = 3
ORDERS = 0.3
"""By so much less weighs a number that is an order's as well, where another one is printed."""
ANOTHERS = 0.1
"""By so much less weighs a label that names another kind of document: the invoice that a receipt or a credit note is for."""


def numbers_of(text: Text, kind: str) -> list[Candidate]:
    """Candidates for the document's number, best first."""
    found = numbers_on(text, kind)
    for candidate in found:
        page = candidate.words[0].page
        candidate.score -= 0.05 * min(page - min(text.pages), 3)
    best = ranked(found)
    if len(best) > 1:
        ordered = {candidate.value for candidate in _orders(text, near=False)}
        for candidate in best:
            candidate.score -= ORDERS if candidate.value in ordered else 0.0
        best.sort(key=lambda candidate: -candidate.score)
    return best


def numbers_on(text: Text, kind: str = "") -> list[Candidate]:
    """All candidates for a document's number, wherever they stand; a title of `kind` says more than another."""
    found: list[Candidate] = []
    for cell, hit in text.labelled("number"):
        if lists_documents(text, cell):
            continue
        leads = text.leads(cell, hit) or _follows_value(text, cell, hit)
        bare = text.folded[cell][hit.start : hit.end] in BARE
        if not leads and (bare or REGISTER.search(text.folded[cell])):
            continue  # "Registration number", "Tomo 12, Folio 203": the words before say whose it is
        if bare and heads_column(text, cell):
            continue  # a list of instalments
        weight = (0.95 if leads else 0.75) - (0.1 if bare else 0.0)
        if kind and (kinds := kinds_in(text.folded[cell][hit.start : hit.end])) and kind not in kinds:
            weight -= ANOTHERS
        found += values_behind(text, cell, hit, weight)
    for cell, hit in text.labelled("kind:"):
        # "Invoice B/2024/117", "Rechnung Nr. 815": the title itself names the number.
        leads = text.leads(cell, hit) or _says_again(text, cell, hit)
        if leads and not is_priced(text, cell) and not hit.roles <= OF_OTHERS:
            weight = 0.88 if not kind or f"kind:{kind}" in hit.roles else 0.6
            found += list(values_behind(text, cell, hit, weight, near=True)) or list(
                _said_also(text, cell, hit, weight)
            )
            found += _hashed(text, cell, weight)
            found += _beside_title(text, cell, weight)
            found += _under_heading(text, cell, weight)
            found += _under_title(text, cell, weight)
    found = (
        found
        or list(_over_label(text))
        or list(_initials(text))
        or list(_bare(text))
        or list(_alone_under_title(text))
        or list(_dated_behind_title(text))
        or list(_references(text, kind))
    )
    return found or (list(_orders(text)) if kind == "receipt" else [])


def _dated_behind_title(text: Text) -> Iterator[Candidate]:
    """ "FAKTURA VAT 8/29/2025": what looks like a date behind the title, where the date has a label of its own."""
    dated = {cell for cell, hit in text.labelled("date") if "date" in hit.roles and text.leads(cell, hit)}
    for cell, hit in text.labelled("kind:") if dated else ():
        match = MONTHLY.match(cell.text, hit.end + 1) if text.leads(cell, hit) and cell not in dated else None
        if match is not None:
            words = words_at(cell, *match.span())
            yield Candidate(match.group(), 0.6, words, ["It looks like a date."], label="number")


def _references(text: Text, kind: str) -> Iterator[Candidate]:
    """ "Ref no: #1721", where nothing else numbers the document; "Réf. : FA2607-0231" says itself what it numbers."""
    for cell, hit in text.labelled("other_number"):
        said = text.folded[cell][hit.start : hit.end].replace(".", "")
        high = cell.y0 < text.pages[cell.page].height / 2 and not heads_column(text, cell)
        beside = text.lines[cell.line].cells[: cell.column]
        titled = any((first := text.leading_hit(c)) is not None and first.plays("kind:") for c in beside)
        own = REFERENCE.fullmatch(said) or (titled and SERIAL.fullmatch(said))
        if text.leads(cell, hit) and own and high:
            for candidate in values_behind(text, cell, hit, 0.65):
                if not (kind in OWN and re.fullmatch(rf"(?:{OWN[kind]}){_DIGITS}", candidate.value)):
                    candidate.reasons.append(ONLY_REFERENCE)
                yield candidate


def _orders(text: Text, near: bool = True) -> Iterator[Candidate]:
    """ "Receipt for your order MB-20931", where nothing else numbers the receipt."""
    for cell, hit in text.labelled("other_number"):
        if ORDER.match(text.folded[cell], hit.start):
            for candidate in values_behind(text, cell, hit, 0.6, near=near):
                candidate.reasons.append(ONLY_ORDER)
                yield candidate


def _initials(text: Text) -> Iterator[Candidate]:
    """ "SR No: 19" on a sale return: the label begins with the first letters of the title."""
    titles = [text.folded[c][h.start : h.end].split() for c, h in text.labelled("kind:") if text.leads(c, h)]
    short = {"".join(word[0] for word in words) for words in titles if len(words) > 1}
    label = re.compile(rf"(?:{'|'.join(map(re.escape, short))})[\s.]{{0,2}}(?:no|nr|num(?:ber)?|#)[\s.:]*")
    for cell in text.cells if short else ():
        match = label.match(text.folded[cell])
        if match is None:
            continue
        beside = next(text.right_of(cell), None) if match.end() == len(cell.text) else None
        place = (beside, lead_end(beside)) if beside is not None else (cell, match.end())
        if (found := number_in(text, *place, 0.8)) is not None:
            yield found


def _bare(text: Text) -> Iterator[Candidate]:
    """ "Nº 2024-031", or "Invoice on insurance no. 031" as a title, where nothing else names the number."""
    titles = {cell for cell, hit in text.labelled("kind:") if text.leads(cell, hit)}
    for cell in text.cells:
        label = BARE_LABEL if len(cell.text.split()) <= MOST_BARE else BARE_WITHIN
        if cell.y0 >= text.pages[cell.page].height / 2 or (label is BARE_WITHIN and cell not in titles):
            continue
        match = label.search(text.folded[cell])
        if match and match.end() < len(cell.text) and (found := number_in(text, cell, match.end(), 0.65)):
            found.reasons.append(UNNAMED)
            yield found


def _follows_value(text: Text, cell: Cell, hit: Hit) -> bool:
    """Whether another label with its value stands before the label in its cell: "Punto de Venta: 0007 Comp. Nro: 00012844"."""
    first = text.leading_hit(cell)
    return first is not None and VALUE.fullmatch(text.folded[cell], first.end, hit.start) is not None


def _says_again(text: Text, cell: Cell, hit: Hit) -> bool:
    """Whether the title is that of another language behind a stroke: "FACTUUR / FACTURE VF240118"."""
    first = text.leading_hit(cell)
    return (
        first is not None
        and first.plays("kind:")
        and first.end < hit.start
        and cell.text[first.end : hit.start].strip() == "/"
    )


def _said_also(text: Text, cell: Cell, hit: Hit, weight: float) -> Iterator[Candidate]:
    """The number behind a title that goes on in words which no label is made of."""
    match = SAID_ALSO.match(text.folded[cell], hit.end)
    if match and not any(
        hit.end <= other.start < match.end()
        for other in text.hits[cell]
        if other.words > 1 or not other.plays("column:")
    ):
        candidate = number_in(text, cell, match.end(), weight * RIGHT, first_only=True)
        if candidate is not None:
            yield candidate


def _under_heading(text: Text, cell: Cell, weight: float) -> Iterator[Candidate]:
    """ "Invoice | Issued | Payment" heads a row of values, and the first of them is the document's number."""
    others = [c for c in text.lines[cell.line].cells if c is not cell]
    if not any(
        (hit := text.leading_hit(c)) is not None and hit.plays_one(("date", "due_date")) for c in others
    ):
        return
    for other in text.below(cell, 1):
        candidate = number_in(text, other, lead_end(other), weight * BELOW)
        if candidate is not None and text.leading_hit(other) is None:
            yield candidate
            return


def _under_title(text: Text, cell: Cell, weight: float) -> Iterator[Candidate]:
    """ "N° : FA-23-0419" in one of the lines right under the title, or nothing but "FT 2025A/99120" or "INV-0012" in the first of them."""
    for place, other in enumerate(text.below(cell, NEAR_TITLE)):
        if not place and (SERIES.fullmatch(other.text) or PREFIXED.fullmatch(other.text)):
            yield Candidate(other.text, weight * BELOW, other.words, label="number")
            return
        match = BARE_LABEL.match(text.folded[other]) or GLUED_SIGN.match(other.text)
        if match is None or min(abs(other.x0 - cell.x0), abs(other.x1 - cell.x1)) >= ALIGNED:
            continue
        if match.end() < len(other.text):
            candidate = number_in(text, other, match.end(), weight * RIGHT)
        else:
            beside = next(text.right_of(other), None)
            candidate = (
                number_in(text, beside, lead_end(beside), weight * RIGHT) if beside is not None else None
            )
        if candidate is not None:
            yield candidate
            return


def _alone_under_title(text: Text) -> Iterator[Candidate]:
    """ "20240317" and nothing else in the line right under a title, where nothing else numbers the document."""
    for cell, hit in text.labelled("kind:"):
        if not text.leads(cell, hit) or hit.roles <= OF_OTHERS or hit.end < len(cell.text.rstrip(" .:")):
            continue
        for other in text.below(cell, 1):
            if ALONE.fullmatch(other.text) and text.leading_hit(other) is None:
                candidate = number_in(text, other, 0, 0.9 * BELOW, first_only=True)
                if candidate is not None:
                    candidate.reasons.append(UNNAMED)
                    yield candidate


def _over_label(text: Text) -> Iterator[Candidate]:
    """Where labels are set in small print under their values: the value over the label."""
    for cell, hit in text.labelled("number"):
        if text.leads(cell, hit) and not cell.text[hit.end :].strip(" :."):
            for other in [c for c in text.above(cell) if text.leading_hit(c) is None]:
                candidate = number_in(text, other, lead_end(other), 0.7)
                if candidate is not None:
                    yield candidate


def _beside_title(text: Text, cell: Cell, weight: float) -> Iterator[Candidate]:
    """ "N°" in the cell beside the title, and the number in the next one."""
    after = text.lines[cell.line].cells[cell.column + 1 : cell.column + 3]
    if (
        len(after) == 2
        and (label := BARE_LABEL.match(text.folded[after[0]]))
        and label.end() == len(after[0].text)
    ):
        candidate = number_in(text, after[1], lead_end(after[1]), weight * RIGHT)
        if candidate is not None:
            yield candidate


def _hashed(text: Text, cell: Cell, weight: float) -> Iterator[Candidate]:
    """ "# 23413" under a title, with nothing but a date between."""
    for other in text.below(cell, 2):
        if text.dates(other):
            continue
        if other.text.startswith("#"):
            candidate = number_in(text, other, len(other.text) - len(other.text.lstrip("# ")), weight)
            if candidate is not None:
                yield candidate
        return


def ranked(found: list[Candidate]) -> list[Candidate]:
    """Best first; a value found in several places gains a little, and keeps the best of its places."""
    best: dict[str, Candidate] = {}
    for candidate in found:
        known = best.get(candidate.value)
        if known is None:
            best[candidate.value] = candidate
        else:
            stronger, weaker = (known, candidate) if known.score >= candidate.score else (candidate, known)
            stronger.score = min(stronger.score + 0.02, 0.99)
            if not weaker.reasons:
                stronger.reasons = []
            best[candidate.value] = stronger
    return sorted(best.values(), key=lambda c: -c.score)
