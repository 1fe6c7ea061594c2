"""Finds the number of a document by its labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from tasks.agent.layout import Cell
from tasks.agent.rules.kind import DAYS, heads_column, is_priced, kinds_in, lists_documents
from tasks.agent.rules.labels import Hit
from tasks.agent.rules.numbers import code_of
from tasks.agent.rules.patterns import TOWN
from tasks.agent.rules.text import Candidate, Text, words_at

NUMBER = re.compile(
    r"#?(?:[A-Za-z]{1,4} (?=\d)|[A-Z]{1,4} (?=[A-Z]{1,3}[/\-]\d))?[A-Za-z]{0,12}[\w\-/.\\\[\]#]*\d[\w\-/.\\\[\]]*"
)
LEAD = re.compile(r"^[\s:.#\-–°º|=]*(?:(?:nr|no|n|o)\b[.\s:°º]*)?")
MONEY = re.compile(r"^[-+]?\d{1,3}(?:[.,' ]?\d{3})*[.,]\d{2}$")
NOT_NUMBERS = re.compile(
    r"^(?:page|seite)$|^[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3}|@|^www\.|^\d{1,2}:\d\d|^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-"
)
PAGE_OF = re.compile(r"\d{1,2}/\d{1,2}$")
"""A page of so many; behind a label that says that it is the number it is one."""
OF_DAYS = re.compile(DAYS)
"""Not a number but a time to pay in: "Recibo 60 días"."""
PREFIXED = re.compile(
    r"(?:INV|IN|BILL|RE|RG|FA|FT|FV|FAC|FACT|QUO|QT|EST|ANG|AN|RCPT|REC|RCT|CN|GS|AV)[ /-]?\d{2,}(?:[/-]\d+)*"
)
"""A number that begins with the abbreviation of its document."""
SAID = re.compile(r"[ ,][^\d:]{30,}(?=: ?\S)")
"""How a label goes on that is a sentence: "Invoice number, given in one or more series, that names the invoice without doubt: ..."."""
OF_ANOTHER = re.compile(
    r"\b(?:korygowan|corrected|credited|original invoice|ursprungsrechnung|korrigierte|d'origine|rectifie|rectificada|di riferimento|rettificata|oorspronkelijk|alkuperai|alkup\b"
    r"|ursprunglig|opprinnelig|oprindelig|fatura original|puvodni)"
)
"""What says that a number is that of the document which this one corrects."""
PREFIX = re.compile(r"[A-Z]{2,5}[-/]\d")
"""A label in capitals that a number begins with: "TXN-98765"."""
MONTHLY = re.compile(r"\d{1,4}/\d{1,2}/(?:19|20)\d\d(?![\w/])")
"""A number within its month, which looks like a date, and behind a label of the number is none: "Faktura nr 12/03/2024"."""
BLANKED = re.compile(r" ?/ ?(?=\S)[A-Za-z]{0,4}\d[\w/-]*")
"""How a number goes on behind a stroke with blanks around it: "2024 / 0815"."""
OF_OTHERS = frozenset(["kind:none", "other_number", "column:other"])
"""What a title says that is no document of these kinds: its number is that of an order or a delivery."""
SAID_ALSO = re.compile(
    r"[\s/|(]+[^\W\d]+(?: [^\W\d]+)?[\s)]*(?:n[o°º]|nr|#)?[ .]*:\s*|.{0,20}?(?:\bn\W?[o°º]|\bnr\b|#)[\s.:]*"
)
"""What may stand between a title and its number: the title in another language, a series: "Invoice / Sąskaita #: 12", "NFC-e Série 1 Nº 9914"."""
BARE = ("number", "numero", "nummer", "numer")
"""Labels that do not say whose number it is."""

VALUE = re.compile(r"[\s.:]*[^\s\d]{0,12}\d\S{0,30}[\s,;|·-]*")
BARE_LABEL = re.compile(
    r"^(?:n[o.°º]{0,2}|nr|num(?:ber|mer|ero)?|#)(?:(?<![a-z])|(?![a-z]))\W{0,2}\s?[:.]?\s*(?=$|\W*[a-z]{0,6}[-/ ]?\d)"
)
"""What stands alone for "number" under a title: "N° :", "Nr.", "No.", "Number"; never the beginning of another word."""
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
ORDER = re.compile(
    r"(?:your |ihre |votre |uw )?(?:order|purchase order|bestell|auftrag|commande|n[o°] (?:de )?commande|pedido|ordine|zamowieni|tilau|ordre|encomenda|objednavk)"
)
ONLY_ORDER = "Only the number of an order is printed; it was taken as the receipt's number."
ONLY_REFERENCE = "Only a reference is printed; it was taken as the document's number."
GROUPS = re.compile(r"(?: \d{2,})+$")
PARTED = re.compile(r" \d{3,}(?=$| [^\W\d_]{2})")
SERIES = re.compile(r"[A-Z]{1,5}[ /-]?\d[\dA-Z]*(?:[/-]\d+)+")
"""A number of a series within its year, which nothing else looks like."""
BY_MONTH = re.compile(r"[A-Z]{2,4} \d{1,4}/(?:\d{1,2}/)?\d{4}$")
"""A number with its month and year, which holds what looks like a date: "FV 14/03/2025"."""
ALIGNED = 6.0
FAR = 6.0
"""Heights between a label and a cell on its line, beyond which one right below the label is as likely its value."""
NEAR_TITLE = 4
MOST_BARE = 3
ANOTHERS = 0.1
"""By so much less weighs a label that names another kind of document: the invoice that a receipt or a credit note is for."""
SAME_CELL, RIGHT, BELOW = 1.0, 0.97, 0.86


def numbers_of(text: Text, kind: str) -> list[Candidate]:
    """Candidates for the document's number, best first."""
    found = numbers_on(text, kind)
    for candidate in found:
        page = candidate.words[0].page
        candidate.score -= 0.05 * min(page - min(text.pages), 3)
    return ranked(found)


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
        found += _number_values(text, cell, hit, weight)
    for cell, hit in text.labelled("kind:"):
        # "Invoice B/2024/117", "Rechnung Nr. 815": the title itself names the number.
        leads = text.leads(cell, hit) or _says_again(text, cell, hit)
        if leads and not is_priced(text, cell) and not hit.roles <= OF_OTHERS:
            weight = 0.88 if not kind or f"kind:{kind}" in hit.roles else 0.6
            found += list(_number_values(text, cell, hit, weight, near=True)) or list(
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
        or list(_references(text))
    )
    return found or (list(_orders(text)) if kind == "receipt" else [])


def _references(text: Text) -> Iterator[Candidate]:
    """ "Ref no: #1721", where nothing else numbers the document."""
    for cell, hit in text.labelled("other_number"):
        said = text.folded[cell][hit.start : hit.end].replace(".", "")
        high = cell.y0 < text.pages[cell.page].height / 2 and not heads_column(text, cell)
        if text.leads(cell, hit) and REFERENCE.fullmatch(said) and high:
            for candidate in _number_values(text, cell, hit, 0.65):
                candidate.reasons.append(ONLY_REFERENCE)
                yield candidate


def _orders(text: Text) -> Iterator[Candidate]:
    """ "Receipt for your order MB-20931", where nothing else numbers the receipt."""
    for cell, hit in text.labelled("other_number"):
        if ORDER.match(text.folded[cell], hit.start):
            for candidate in _number_values(text, cell, hit, 0.6, near=True):
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
        place = (beside, _lead_end(beside)) if beside is not None else (cell, match.end())
        if (found := _number_in(text, *place, 0.8)) is not None:
            yield found


def _bare(text: Text) -> Iterator[Candidate]:
    """ "Nº 2024-031", or "Invoice on insurance no. 031" as a title, where nothing else names the number."""
    titles = {cell for cell, hit in text.labelled("kind:") if text.leads(cell, hit)}
    for cell in text.cells:
        label = BARE_LABEL if len(cell.text.split()) <= MOST_BARE else BARE_WITHIN
        if cell.y0 >= text.pages[cell.page].height / 2 or (label is BARE_WITHIN and cell not in titles):
            continue
        match = label.search(text.folded[cell])
        if match and match.end() < len(cell.text) and (found := _number_in(text, cell, match.end(), 0.65)):
            found.reasons.append("No label says whose number this is.")
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
        candidate = _number_in(text, cell, match.end(), weight * RIGHT, first_only=True)
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
        candidate = _number_in(text, other, _lead_end(other), weight * BELOW)
        if candidate is not None and text.leading_hit(other) is None:
            yield candidate
            return


def _under_title(text: Text, cell: Cell, weight: float) -> Iterator[Candidate]:
    """ "N° : FA-23-0419" in one of the lines right under the title, or nothing but "FT 2025A/99120" or "INV-0012" in the first of them."""
    for place, other in enumerate(text.below(cell, NEAR_TITLE)):
        if not place and (SERIES.fullmatch(other.text) or PREFIXED.fullmatch(other.text)):
            yield Candidate(other.text, weight * BELOW, other.words, label="number")
            return
        match = BARE_LABEL.match(text.folded[other])
        if match is None or not abs(other.x0 - cell.x0) < 6:
            continue
        if match.end() < len(other.text):
            candidate = _number_in(text, other, match.end(), weight * RIGHT)
        else:
            beside = next(text.right_of(other), None)
            candidate = (
                _number_in(text, beside, _lead_end(beside), weight * RIGHT) if beside is not None else None
            )
        if candidate is not None:
            yield candidate
            return


def _over_label(text: Text) -> Iterator[Candidate]:
    """Where labels are set in small print under their values: the value over the label."""
    for cell, hit in text.labelled("number"):
        if text.leads(cell, hit) and not cell.text[hit.end :].strip(" :."):
            for other in [c for c in text.above(cell) if text.leading_hit(c) is None]:
                candidate = _number_in(text, other, _lead_end(other), 0.7)
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
        candidate = _number_in(text, after[1], _lead_end(after[1]), weight * RIGHT)
        if candidate is not None:
            yield candidate


def _hashed(text: Text, cell: Cell, weight: float) -> Iterator[Candidate]:
    """ "# 23413" right under a title."""
    for other in text.below(cell, 1):
        if other.text.startswith("#"):
            candidate = _number_in(text, other, len(other.text) - len(other.text.lstrip("# ")), weight)
            if candidate is not None:
                yield candidate


GLUED = re.compile(r"(?:\bn|\bno|nr|num|nro|#|\bid|\bref)$")


def _number_values(
    text: Text, cell: Cell, hit: Hit, weight: float, near: bool = False
) -> Iterator[Candidate]:
    if hit.words == 1 and PREFIX.match(cell.text, hit.start):
        # The label is the beginning of the number itself
        if (own := _number_in(text, cell, hit.start, weight, first_only=True)) is not None:
            yield own
        return
    tail = text.folded[cell][hit.end :]
    if tail[:1].isdigit() and not GLUED.search(text.folded[cell][hit.start : hit.end]):
        weight -= 0.2  # a code that happens to start with the label's letters
    if OF_ANOTHER.search(text.folded[cell]):
        return
    if said := SAID.match(tail):
        tail, hit = tail[said.end() :], replace(hit, end=hit.end + said.end())
    start = hit.end + len(LEAD.match(tail).group())  # type: ignore[union-attr]
    own = _number_in(text, cell, start, weight * SAME_CELL, first_only=True, labelled=not near)
    if own is None and not near and hit.words > 1 and (monthly := MONTHLY.match(cell.text, start)):
        own = Candidate(monthly.group(), weight, words_at(cell, *monthly.span()), label="number")
    if own is not None:
        yield own
        return
    if cell.text[hit.end :].strip(" :.#-") and not near:
        weight -= 0.15
    beside = next(text.right_of(cell), None)
    town = beside is not None and TOWN.search(beside.text) is not None
    far = beside is not None and (town or beside.x0 - cell.x1 > FAR * cell.height)
    if beside is not None and not town:
        candidate = _number_in(text, beside, _lead_end(beside), weight * (RIGHT if not near else 0.8))
        if candidate is not None:
            candidate.score -= 0.2 if far and not near and _stacked(text, cell) else 0.0
            yield candidate
    if (beside is None or far or not re.search(r"\d", beside.text)) and not near:
        for other in text.below(cell, 1):
            if text.leading_hit(other) is None or BARE_LABEL.match(text.folded[other]):
                candidate = _number_in(text, other, _lead_end(other), weight * BELOW) or _dated_number(
                    other, weight * BELOW
                )
                if candidate is not None:
                    yield candidate
                    return


def _stacked(text: Text, cell: Cell) -> bool:
    """Whether the words right below the label begin where it begins and look like a value."""
    return any(
        abs(other.x0 - cell.x0) < 3 and any(map(str.isdigit, other.text)) and text.leading_hit(other) is None
        for other in text.below(cell, 1)
    )


def _dated_number(cell: Cell, score: float) -> Candidate | None:
    """Numbers like 3/11/2024 (third of November's invoices) look like dates; alone under a number's label they are none."""
    if re.fullmatch(r"\d{1,4}/\d{1,2}/(?:19|20)\d\d", cell.text):
        return Candidate(cell.text, score, cell.words, label="number")
    return None


def _lead_end(cell: Cell) -> int:
    match = re.match(r"[\s:.|=]*", cell.text)
    return match.end() if match else 0


def _number_in(
    text: Text, cell: Cell, start: int, score: float, first_only: bool = False, labelled: bool = False
) -> Candidate | None:
    """The first thing behind `start` that looks like a document's number: has a digit, is no date, no money, no telephone.

    Behind a label of the number (`labelled`) it may be one that looks like the count of a page: "5/12".
    """
    match = NUMBER.match(cell.text, start)
    if match is None:
        if first_only:
            return None
        match = NUMBER.search(cell.text, start)
        if match is None or len(cell.text[start : match.start()].split()) > 1:
            return None
    value = match.group().rstrip(".-/\\[")
    value = value if value.count("[") == value.count("]") else value.rstrip("]")
    groups = GROUPS.match(cell.text, match.start() + len(value))
    if first_only and value.isdigit():
        groups = PARTED.match(cell.text, match.start() + len(value))
    if groups is not None and (not first_only or value.isdigit()):
        value += groups.group()
    end = match.start() + len(value)
    if (blanked := BLANKED.match(cell.text, end)) and not any(
        d.start < blanked.end() and end < d.end for d in text.dates(cell)
    ):
        value, end = value + blanked.group(), blanked.end()
    taken = [found for found in text.dates(cell) if found.start < end and match.start() < found.end]
    if taken and not BY_MONTH.match(value):
        return None
    currency, _, sum_ = value.rpartition(" ")
    if MONEY.match(sum_) and (not currency or code_of(currency)):
        return None
    if NOT_NUMBERS.search(value) or len(value) > 40 or cell.text[end : end + 1] == "%":
        return None
    if not labelled and (PAGE_OF.match(value) or OF_DAYS.match(text.folded[cell], match.start())):
        return None
    if re.match(r"\s?(?:[€$£%]|EUR\b|USD\b)", cell.text[end : end + 5]):
        return None
    words = words_at(cell, match.start(), end)
    if cell.text[end:] == "-" and (rest := _wrapped(text, cell)) is not None:
        value, words = f"{value}-{rest.text}", [*words, *rest.words]
    return Candidate(value.lstrip("#"), score, words, label="number")


def _wrapped(text: Text, cell: Cell) -> Cell | None:
    """The rest of a number that a hyphen at the end of its cell parts: it begins right below it."""
    rests = [c for c in text.below(cell, 1) if abs(c.x0 - cell.x0) < ALIGNED and len(c.words) == 1]
    return rests[0] if rests and any(map(str.isdigit, rests[0].text)) else None


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
