"""Finds who sends the document and who it is for: labels, letterhead, sender line, legal forms, web addresses, account holder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tasks.agent.layout import Cell
from tasks.agent.page import Word
from tasks.agent.rules import names
from tasks.agent.rules.labels import Hit, fold
from tasks.agent.rules.text import Candidate, Text, words_at

_LEGAL = "|".join(
    re.escape(form).replace(r"\ ", r"[.\s]*")
    for form in sorted(map(fold, names.LEGAL_FORMS.split("|")), key=len, reverse=True)
)
LEGAL = re.compile(
    rf"^(?P<name>.{{2,60}}?[\w)\"’'.&])[\s,]+(?P<form>(?:{_LEGAL})\.?)(?=$|[\s,;•|(\-–/])|^.*(?:株式会社|有限会社).*$"
)
SPLIT = re.compile(r"\s+[•·|–—−*]\s*|\s*[•·|]\s+|\s-\s|,\s|\s/\s|;\s")
TOWN = re.compile(
    r"(?:^|\s)(?:[A-Z]{1,2}-)?\d{4,5} [A-Z]{0,2} ?[^\W\d_]{3,}|\b[A-Z]{1,2}\d[\dA-Z]? \d[A-Z]{2}\b|\b\d{2}-\d{3} |\b[A-Z]{2},? \d{5}\b"
)
POSTCODE = re.compile(
    r"\b(?:[A-Z]{1,2}-)?\d{4,5}\b(?!\.\d)|\b[A-Z]{1,2}\d[\dA-Z]? \d[A-Z]{2}\b|\b\d{2}-\d{3}\b|〒"
)
STREET = re.compile(
    r"\b\d{1,5}[a-z]?\b.*\b(?:st|street|rd|road|ave|avenue|blvd|lane|ln|drive|dr|way|rue|avenue|place|suite|floor)\b|(?:stra(?:ss|ß)e|str\.|weg|allee|platz|gasse"
    r"|ring|damm|straat|laan|katu|tie)\s*\d|^(?:ul\.|rue|via|calle|c/|av\.)\s|\b(?:rue|chemin|avenue|boulevard|ulica|piazza|plaza)\b",
    re.IGNORECASE,
)
DOMAIN = re.compile(r"(?:@|www\.|https?://(?:www\.)?)([\w.-]+)\.[a-z]{2,6}\b")
FREE_MAIL = frozenset(
    [
        "gmail",
        "googlemail",
        "outlook",
        "hotmail",
        "yahoo",
        "gmx",
        "web",
        "icloud",
        "t-online",
        "aol",
        "orange",
        "wanadoo",
        "free",
        "laposte",
        "proton",
        "protonmail",
        "live",
        "mail",
    ]
)
NOT_NAMES = re.compile(
    r"@|www\.|https?:|^\W*$|^\d[\d\s./-]*$|\bpowered by\b|^\W*(?:page|seite|tel|fax|phone|email|e-mail|original|copy|kopie|duplicata)\b|[:?!]$"
    r"|^(?:herr|frau|herrn|mr|mrs|ms|mme|m|an|to)\.?$|\d{1,2}:\d\d|^[=\-_*#.]{3,}",
    re.IGNORECASE,
)
BANK = re.compile(rf"\b\w*(?:{names.BANKS})\b")
CONTACT = re.compile(
    r"^(?:tel|phone|telefon|fon|fax|mobil|e-?mail|puh)\b|@|^www\.|\bvat\b|\btva\b|ust-?id|\bp\.? ?iva\b|\bbtw\b|\bnip\b"
)
FOOTER_WORDS = re.compile(
    r"siege social|au capital|registergericht|amtsgericht|handelsregister|geschaftsfuhr|sitz der gesellschaft|\brcs\b|registered (?:office|in)|company (?:no|reg)"
    r"|vorstand|\bhrb\b|\bkvk\b|y-tunnus|\bregon\b|\bsiret\b|ust-?id|\bvat\b|\btva\b|gstin|\biban\b"
)
PREFIX = re.compile(
    r"^(?:nazwa|name|firma|company|nom|societe|nombre|nome|ragione sociale|raison sociale|naam|bedrijf|nimi)\s*[:.]\s*",
    re.IGNORECASE,
)
TITLES = re.compile(
    r"^(?:herrn?|frau|mr|mrs|ms|mme|m|dr|prof|madame|monsieur|z\.? ?hd\.?|attn|c/o)\b\.?", re.IGNORECASE
)


@dataclass(slots=True)
class _Party:
    """One name, wherever it stands, with what speaks for and against it."""

    name: str
    words: list[Word]
    score: float = 0.0
    signs: set[str] = field(default_factory=set)
    best: float = 0.0

    def add(self, sign: str, weight: float) -> None:
        if sign not in self.signs:
            self.signs.add(sign)
            self.score += weight


class Parties:
    """All names of the document, scored as its supplier."""

    def __init__(self, text: Text, taken: set[int] = frozenset()):  # type: ignore[assignment]
        """`taken`: lines of the table of items, where no party stands."""
        self.text, self.taken = text, taken
        self.found: dict[str, _Party] = {}
        self.first = min(text.pages)
        self.tallest = max((c.height for c in text.cells if c.page == self.first), default=1.0)
        self.buyers = {key_of(candidate.value) for candidate in buyers_of(text)}
        self.addressed: list[Candidate] = []
        self.domains = _domains(text)
        self._look()

    def suppliers(self) -> list[Candidate]:
        """Best first; the margin to the second best tells how sure the choice is."""
        for key, party in self.found.items():
            if key in self.buyers:
                party.add("buyer", -2.5)
            self._weigh_domain(key, party)
            self._weigh_relatives(key, party)
            if BANK.search(fold(party.name)) and "label" not in party.signs:
                party.add("bank", -1.2)
        ordered = sorted(self.found.values(), key=lambda p: (-p.score, p.words[0].page, p.words[0].y0))
        ordered = [party for party in ordered if party.score > 0.6]
        if not ordered:
            return []
        best = ordered[0]
        rivals = [
            p
            for p in ordered[1:]
            if key_of(p.name) not in key_of(best.name) and key_of(best.name) not in key_of(p.name)
        ]
        margin = best.score - (rivals[0].score if rivals else 0.0)
        confidence = min(0.45 + 0.1 * best.score + 0.2 * min(margin, 1.2), 0.6 + 0.35 * margin, 0.97)
        return [Candidate(best.name, confidence, best.words)]

    def _look(self) -> None:
        for cell in self.text.cells:
            self._letterhead(cell)
            self._sender_line(cell)
            self._legal_form(cell)
            self._imprint(cell)
        for cell, hit in self.text.labelled("supplier"):
            opens = self.text.leads(cell, hit) or (
                cell.text[hit.end :].lstrip().startswith(":")
                and re.search(r"[–—\-•|;,]\s*$", cell.text[: hit.start])
            )
            if "supplier" in hit.roles and opens:
                strong = not self.text.folded[cell].startswith(("from", "zahl", "payable", "pay to", "remit"))
                for candidate in named(self.text, cell, hit):
                    self._add(
                        candidate.value,
                        candidate.words,
                        "label" if strong else "weak label",
                        2.2 if strong else 1.0,
                    )

    def _add(self, name: str, words: list[Word], sign: str, weight: float) -> None:
        name = clean(name)
        key = key_of(name)
        if len(key) < 2 or not words or NOT_NAMES.search(name) or len(name) > 70:
            return
        party = self.found.get(key)
        if party is None:
            party = self.found[key] = _Party(name, words)
        elif weight > party.best:
            party.name, party.words = name, words
        party.best = max(party.best, weight)
        party.add(sign, weight)
        if party.words[0].y0 != words[0].y0:
            party.add("again", 0.3)

    def _letterhead(self, cell: Cell) -> None:
        """Large or first text at the top of the first page."""
        page = self.text.pages[cell.page]
        if (
            cell.page != self.first
            or cell.line in self.taken
            or cell.y0 > 0.3 * page.height
            or len(cell.words) > 7
            or not re.search(r"[^\W\d_]{2}", cell.text)
        ):
            return
        if self._is_something_else(cell):
            return
        position = self.text.lines[cell.line].index
        weight = 0.9 * max(0.0, 1.0 - cell.y0 / (0.3 * page.height))
        weight += 0.9 if position == 0 else 0.5 if position == 1 else 0.0
        weight += 0.8 * (cell.height / self.tallest) ** 2 if self.tallest > 11 else 0.2
        weight += 0.4 if self._address_follows(cell) else 0.0
        weight += 0.4 if any(CONTACT.search(self.text.folded[c]) for c in self.text.below(cell, 6)) else 0.0
        self._add(cell.text, cell.words, "letterhead", weight)

    def _is_something_else(self, cell: Cell) -> bool:
        text = self.text
        if (
            text.dates(cell)
            or POSTCODE.search(cell.text)
            or STREET.search(cell.text)
            or TITLES.search(cell.text)
        ):
            return True
        hit = text.leading_hit(cell)
        if hit is None:
            return False
        covers = hit.end - hit.start >= 0.6 * len(cell.text.strip(" .:"))
        return covers or cell.text[hit.end :].lstrip().startswith((":", "#"))

    def _address_follows(self, cell: Cell) -> bool:
        return any(POSTCODE.search(c.text) or STREET.search(c.text) for c in self.text.below(cell, 3))

    def _sender_line(self, cell: Cell) -> None:
        """ "Name • Street 1 • 12345 Town" in one line, as over the window of an envelope; cells side by side count as well."""
        line = self.text.lines[cell.line]
        whole = (
            cell.text
            if SPLIT.search(cell.text)
            else "  |  ".join(c.text for c in line.cells)
            if cell.column == 0
            else ""
        )
        parts = [part.strip() for part in SPLIT.split(whole) if part.strip()]
        if not 3 <= len(parts) <= 7 or not any(TOWN.search(part) for part in parts[1:]) or len(whole) > 170:
            return
        hit = self.text.leading_hit(cell)
        if hit is not None and (hit.end > len(parts[0]) // 2 or ":" in parts[0]):
            return
        if (
            POSTCODE.search(parts[0])
            or STREET.search(parts[0])
            or cell.line in self.taken
            or any(a.money for a in self.text.amounts(cell))
        ):
            return
        start = cell.text.find(parts[0])
        if start >= 0:
            early = cell.page == self.first and cell.y0 < 0.4 * self.text.pages[cell.page].height
            self._add(
                parts[0], words_at(cell, start, start + len(parts[0])), "sender line", 1.7 if early else 0.8
            )
            self._addressed(cell)

    def _addressed(self, sender: Cell) -> None:
        """What stands right below a sender line, in the window of the envelope, is who the letter is for."""
        for cell in self.text.below(sender, 1):
            if abs(cell.x0 - sender.x0) < 6 and self.text.leading_hit(cell) is None:
                self.buyers.add(key_of(clean(cell.text)))
                self.addressed.append(Candidate(clean(cell.text), 0.85, cell.words))

    def _legal_form(self, cell: Cell) -> None:
        """A company's name ends in its legal form."""
        start = 0
        for part in SPLIT.split(cell.text):
            at = cell.text.find(part, start)
            start = at + len(part)
            match = LEGAL.match(fold(part))
            if match is None or len(part) > 140:
                continue
            end = match.end("form") if match.group("form") else len(part)
            first = next(
                (
                    hit.end
                    for hit in self.text.hits.get(cell, ())
                    if at <= hit.start <= at + 1 and cell.text[hit.end : hit.end + 1] == ":"
                ),
                at,
            )
            name = cell.text[first : at + end].lstrip(": ")
            behind = part[end:].split()
            if len(name.split()) > 8 or re.match(r"[a-z]", name):
                continue
            if behind and behind[0][:1].islower() and not FOOTER_WORDS.search(fold(part)):
                continue  # a company in the middle of a sentence
            page = self.text.pages[cell.page]
            weight = 1.2 + (0.2 if cell.y0 < 0.3 * page.height else 0.0)
            words = words_at(cell, first, at + end)
            footer = cell.y0 > 0.75 * page.height
            self._add(name, words, "legal form", weight)
            if footer or FOOTER_WORDS.search(self._around(cell)):
                self._add(name, words, "imprint", 0.9)

    def _around(self, cell: Cell) -> str:
        lines = self.text.lines[cell.line : cell.line + 3]
        return " ".join(
            self.text.folded[c]
            for line in lines
            if line.page == cell.page
            for c in line.cells
            if abs(c.x0 - cell.x0) < 150
        )

    def _weigh_domain(self, key: str, party: _Party) -> None:
        """A web or mail address of the same name as the company."""
        for domain in self.domains:
            words = [
                word
                for word in re.findall(r"[^\W_]{3,}", fold(party.name))
                if word not in ("the", "und", "and", "gmbh", "ltd", "inc")
            ]
            if (
                key == domain
                or (len(key) >= 4 and domain.startswith(key))
                or key.startswith(domain)
                or (
                    words
                    and (
                        (domain.startswith(words[0]) and len(words[0]) >= 4)
                        or sum(word in domain for word in words) >= 2
                    )
                )
            ):
                party.add("domain", 1.1)

    def _weigh_relatives(self, key: str, party: _Party) -> None:
        """A short form of a company's full name elsewhere speaks for the full name."""
        match = LEGAL.match(fold(party.name))
        if "legal form" not in party.signs or match is None or not match.group("name"):
            return
        bare = key_of(match.group("name"))
        for other, relative in self.found.items():
            if (
                other != key
                and len(min(bare, other, key=len)) >= 4
                and (other.startswith(bare) or bare.startswith(other))
            ):
                party.add("short form", 0.4 * max(relative.score, 0.0))

    def _imprint(self, cell: Cell) -> None:
        """A short line at the foot of the page, right above the company's registration."""
        page = self.text.pages[cell.page]
        if (
            cell.y0 < 0.75 * page.height
            or len(cell.words) > 5
            or self.text.leading_hit(cell) is not None
            or self.text.amounts(cell)
        ):
            return
        below = " ".join(self.text.folded[other] for other in self.text.below(cell, 2))
        if (
            FOOTER_WORDS.search(below)
            and not FOOTER_WORDS.search(self.text.folded[cell])
            and re.search(r"[A-ZÀ-Ý]", cell.text)
        ):
            self._add(cell.text, cell.words, "imprint", 0.9)


def buyers_of(text: Text) -> list[Candidate]:
    """Who the document is for, by label; best first."""
    found = []
    for cell, hit in text.labelled("buyer"):
        if "buyer" in hit.roles and text.leads(cell, hit) and hit.end - hit.start > 2:
            found += [Candidate(clean(c.value), c.score, c.words) for c in named(text, cell, hit)]
    found = [
        c
        for c in found
        if len(key_of(c.value)) > 2 and not NOT_NAMES.search(c.value) and re.search(r"[^\W\d_]{3}", c.value)
    ]
    return sorted(found, key=lambda c: -c.score)


def addressee(text: Text, supplier: str) -> list[Candidate]:
    """Without a label: the first line of a block of address lines in the upper half of the first page that is not the supplier's."""
    own = key_of(supplier)
    first = min(text.pages)
    found = []
    for cell in text.cells:
        page = text.pages[cell.page]
        if (
            cell.page != first
            or cell.y0 > 0.45 * page.height
            or text.leading_hit(cell) is not None
            or len(cell.words) > 7
        ):
            continue
        if (
            not re.search(r"[^\W\d_]{3}", cell.text)
            or STREET.search(cell.text)
            or TOWN.search(cell.text)
            or NOT_NAMES.search(cell.text)
        ):
            continue
        above = [
            c
            for line in text.lines[max(cell.line - 2, 0) : cell.line]
            for c in line.cells
            if abs(c.x0 - cell.x0) < 4
        ]
        if any(cell.y0 - c.y1 < 0.7 * cell.height and c.page == cell.page for c in above):
            continue
        block = [c for c in text.below(cell, 4) if abs(c.x0 - cell.x0) < 4]
        key = key_of(cell.text)
        if any(TOWN.search(c.text) for c in block) and key not in own and own not in key:
            found.append(Candidate(clean(cell.text), 0.7, cell.words))
    if len(found) == 1:
        found[0].score = 0.83
    return found


def named(text: Text, cell: Cell, hit: Hit) -> Iterator[Candidate]:
    """The name that a label announces: behind it, else below it, else to its right."""
    behind = cell.text[hit.end :].lstrip(" :.-–")
    if re.search(r"[^\W\d_]{2}", behind):
        if cell.text[hit.end :].lstrip().startswith((":", "-", "–")) or behind[:1].isupper():
            start = len(cell.text) - len(behind)
            name = SPLIT.split(behind)[0]
            yield Candidate(name, 0.85, words_at(cell, start, start + len(name)))
        return
    precise = 0.8 if hit.words > 1 or hit.end - hit.start > 5 else 0.65
    for other in [*text.below(cell, 4), *list(text.right_of(cell))[:1]]:
        leading = text.leading_hit(other)
        name = PREFIX.sub("", fold(other.text))
        start = len(other.text) - len(name)
        if start == 0 and leading is not None and (leading.end - leading.start) * 2 > len(other.text):
            continue
        if leading is not None and start == 0 and other.text[leading.end :].lstrip().startswith(":"):
            continue
        if (
            not re.search(r"[^\W\d_]{2}", name)
            or re.match(r"^(?:gln|nip|id|ust)\b", name)
            or TITLES.fullmatch(name)
        ):
            continue
        value = SPLIT.split(other.text[start:])[0]
        yield Candidate(value, precise, words_at(other, start, start + len(value)))
        return


def clean(name: str) -> str:
    """Without the signs and labels around it."""
    name = name.strip(" \t:;,|•·*–—-")
    return re.sub(r"\s+", " ", name)


def key_of(name: str) -> str:
    return re.sub(r"[\W_]+", "", fold(name))


def _domains(text: Text) -> set[str]:
    found = set()
    for folded in text.folded.values():
        for match in DOMAIN.finditer(folded):
            for part in match.group(1).split("."):
                bare = re.sub(r"[\W_]+", "", part)
                if len(bare) >= 3 and bare not in FREE_MAIL and bare != "www":
                    found.add(bare)
            if "@" in match.group(0) or "www" in match.group(0):
                host = match.group(1).split(".")[-1]
                if host in FREE_MAIL and "www" in match.group(0):
                    found.add(host)
    return found
