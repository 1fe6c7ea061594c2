"""Finds tax numbers and the bank account, says whose tax number each is, and checks their check digits."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from tasks.agent.layout import Cell
from tasks.agent.rules.checksums import iban_holds, tax_id_holds
from tasks.agent.rules.patterns import key_of
from tasks.agent.rules.text import Candidate, Text, words_at

TAX_ID = re.compile(r"(?:[A-Z]{2,3}[ -]?)?[A-Z0-9](?:[ .\-/]?[A-Z0-9]){6,18}(?![^\W\d_])")
IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
BUYERS = re.compile(
    r"\b(?:customer|client|buyer|your|kunden?|ihre?|votre|acheteur|cliente|klant|uw|nabywc\w*|ostaja\w*|asiakas)\b"
)
NATIONAL = re.compile(r"\b(?:steuer ?-?(?:nummer|nr)|st\.?-? ?nr|codice fiscale|cod\.? fiscale|c\.? ?f\.?)\b")
NATIONS = {"nip": "PL", "ytunnus": "FI", "piva": "IT", "partitaiva": "IT"}
"""What only one country calls its tax numbers, which are printed without its letters as well."""
GAP = 6
NEAR = 160.0
"""Points within which a tax number belongs to the name above it."""
FOOT, ALONE = 0.75, 0.8


@dataclass(slots=True)
class _Found:
    candidate: Candidate
    cell: Cell
    label: str


def tax_ids_of(text: Text, supplier: str, buyer: str) -> dict[str, Candidate]:
    """{"supplier_tax_id": …, "buyer_tax_id": …}, each only where a number is printed that is its; both names may be empty."""
    by_owner: dict[str, list[_Found]] = defaultdict(list)
    for found in _distinct(text):
        by_owner[_owner(text, found, supplier, buyer)].append(found)
    own, theirs = by_owner["supplier"], by_owner["buyer"]
    imprint = [found for found in own if _is_at_foot(text, found)]
    if imprint and not theirs:
        # Of two without a name near them, who writes has the one at the foot of the page
        theirs = [f for f in own if f not in imprint and _distance(text, f.cell, supplier) > NEAR]
        own = [found for found in own if found not in theirs]
    sides = {"supplier_tax_id": own, "buyer_tax_id": theirs}
    return {name: min(side, key=_is_national).candidate for name, side in sides.items() if side}


def iban_of(text: Text) -> dict[str, Candidate]:
    """{"iban": the first bank account whose check digits hold, else the first one, flagged}; empty where none is printed."""
    doubtful: dict[str, Candidate] = {}
    for cell in text.cells:
        for match in IBAN.finditer(cell.text):
            value = match.group().replace(" ", "")
            candidate = Candidate(value, 0.9, words_at(cell, match.start(), match.end()))
            if iban_holds(value):
                return {"iban": candidate}
            if "iban" in text.folded[cell] and not doubtful:
                candidate.reasons.append(f"The check digits of the account {value} are wrong.")
                doubtful = {"iban": candidate}
    return doubtful


def _distinct(text: Text) -> Iterator[_Found]:
    seen: set[str] = set()
    for cell, hit in text.labelled("tax_id"):
        if "tax_id" not in hit.roles:
            continue
        places = [(cell, hit.end), *((other, 0) for other in list(text.right_of(cell))[:1])]
        for place, start in places:
            match = TAX_ID.search(place.text, start)
            if (
                match is None
                or not _follows(text.folded[place][start : match.start()])
                or sum(map(str.isdigit, match.group())) < 6
            ):
                continue
            value = re.sub(r"[ .\-/]", "", match.group())
            if value not in seen:
                seen.add(value)
                candidate = Candidate(value, 0.9, words_at(place, match.start(), match.end()))
                if tax_id_holds(f"{_country(text.folded[cell][hit.start : hit.end], value)}{value}") is False:
                    candidate.reasons.append(f"The check digits of the tax number {value} are wrong.")
                yield _Found(candidate, cell, text.folded[cell][: match.start() if place is cell else None])
            break


def _country(label: str, value: str) -> str:
    """The letters that a number lacks, where its label is that of one country; empty where it has letters."""
    bare = "".join(filter(str.isalpha, label))
    return (
        next((land for name, land in NATIONS.items() if bare.startswith(name)), "") if value.isdigit() else ""
    )


def _follows(between: str) -> bool:
    """Whether so little stands between the label and its number, or who it is for: "USt-IdNr. Kunde: …"."""
    return len(BUYERS.sub("", between)) <= GAP


def _owner(text: Text, found: _Found, supplier: str, buyer: str) -> str:
    """supplier, buyer or other_party: by the words of its label, else by what is nearest above it, one of the two names or a heading of a party."""
    if BUYERS.search(found.label):
        return "buyer"
    if _is_at_foot(text, found):
        return "supplier"
    own, other = _distance(text, found.cell, supplier), _distance(text, found.cell, buyer)
    far, headed = min(_headings_above(text, found.cell), default=(NEAR, ""))
    if far < min(own, other, NEAR):
        return headed
    return "buyer" if other < own and other < NEAR else "supplier"


def _headings_above(text: Text, cell: Cell) -> Iterator[tuple[float, str]]:
    """How far above stand headings in the same column, and of whose data: labels of several words and of nothing else ("Dati del cedente")."""
    for role in ("supplier", "buyer", "other_party"):
        for other, hit in text.labelled(role):
            alone = (
                hit.words > 1 and role in hit.roles and hit.end - hit.start > ALONE * len(text.folded[other])
            )
            if alone and other.page == cell.page and other.y0 < cell.y0:
                yield _apart(other, cell), role


def _apart(above: Cell, cell: Cell) -> float:
    """Points down, and across twice: what stands in another column is far."""
    return cell.y0 - above.y0 + 2 * abs(cell.x0 - above.x0)


def _is_at_foot(text: Text, found: _Found) -> bool:
    return found.cell.y0 > FOOT * text.pages[found.cell.page].height


def _is_national(found: _Found) -> bool:
    """Whether it is the number at a tax office, which tells nobody abroad who it is, rather than the one for VAT."""
    return NATIONAL.search(found.label) is not None


def _distance(text: Text, cell: Cell, name: str) -> float:
    """Points down from the nearest cell with this name in the same column; far for any other column."""
    key = key_of(name)
    if len(key) < 3:
        return 1e9
    return min(
        (
            _apart(other, cell)
            for other in text.cells
            if other.page == cell.page and other.y0 <= cell.y0 + 2 and key in key_of(other.text)
        ),
        default=1e9,
    )
