"""Finds labels in text: the longest phrase of the vocabulary that starts at a word, little words in between aside."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from tasks.agent.rules import names
from tasks.agent.rules.vocabulary import Words, columns, dates, kinds, numbers, own, parties, sums

TOKEN = re.compile(r"[^\W\d_]+|\d+|[#%&]")


class _Fold(dict[int, str]):
    """Maps a character to its plain lower-case form, one for one, so that places in the text stay the same."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        plain = unicodedata.normalize("NFKD", character)[:1].lower()[:1] or character
        self[code] = plain
        return plain


_FOLD = _Fold(
    {
        ord("°"): "o",
        ord("º"): "o",
        ord("ł"): "l",
        ord("Ł"): "l",
        ord("ø"): "o",
        ord("Ø"): "o",
        ord("ß"): "s",
        ord("’"): "'",
    }
)


def fold(text: str) -> str:
    """Lower case without accents; as long as `text`."""
    return text.translate(_FOLD)


WRITTEN_OUT = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "å": "aa", "ø": "oe", "æ": "ae"}

ABBREVIATIONS = "ht htva tva tvac ttc iva btw mva vat gst alv dph nif cif nip"
POINTED = {word: " ".join(word) for word in ABBREVIATIONS.split()}
"""Abbreviations that are printed with points as well: "B.T.W."."""


def spellings(words: str) -> set[str]:
    """Folded words as they are printed with their letters, with points, and as people write them who lack letters: "fällig" and "faellig"."""
    lower = words.lower()
    pointed = " ".join(POINTED.get(word, word) for word in lower.split())
    return {fold(lower), fold(pointed), fold("".join(WRITTEN_OUT.get(letter, letter) for letter in lower))}


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase found in a text: characters start..end, the roles it may play, the languages that call it so."""

    start: int
    end: int
    roles: frozenset[str]
    languages: frozenset[str]
    words: int

    def plays(self, prefix: str) -> bool:
        return any(role.startswith(prefix) for role in self.roles)

    def plays_one(self, roles: tuple[str, ...]) -> bool:
        return not self.roles.isdisjoint(roles)


LEAST_PARTY = 5
"""Letters of a party's label that is not a little word: "name to" names nobody."""
LITTLE = frozenset(word for words in own.LITTLE.values() for word in words.split("|"))


class _Node:
    __slots__ = ("languages", "next", "roles")

    def __init__(self) -> None:
        self.next: dict[str, _Node] = {}
        self.roles: set[str] = set()
        self.languages: set[str] = set()

    def add(self, role: str, language: str) -> None:
        self.roles.add(role)
        self.languages.add(language)


def _vocabulary() -> _Node:
    root = _Node()
    groups: list[tuple[str, dict[str, Words]]] = [
        ("kind:", kinds.KINDS),
        ("", numbers.NUMBERS | dates.DATES | sums.SUMS | parties.PARTIES),
        ("column:", columns.COLUMNS),
    ]
    for prefix, group in groups:
        for name, words in group.items():
            for language, phrases in words.items():
                for phrase in phrases.split("|"):
                    for node in _nodes(root, phrase):
                        node.add(prefix + name, language)
    made = (*_joined(), *_names_of())
    joined = [(node, role, language) for role, phrase, language in made for node in _nodes(root, phrase)]
    for node, role, language in [entry for entry in joined if not entry[0].roles]:
        node.add(role, language)
    _freeze(root)
    return root


def _nodes(root: _Node, phrase: str) -> Iterator[_Node]:
    """Where the phrase ends, in each of its spellings; little words within it are left out."""
    for spelling in spellings(phrase):
        first, *rest = TOKEN.findall(spelling)
        node = root.next.setdefault(first, _Node())
        for token in [word for word in rest[:-1] if word not in LITTLE] + rest[-1:]:
            node = node.next.setdefault(token, _Node())
        yield node


def _joined() -> Iterator[tuple[str, str, str]]:
    """(role, phrase, language) of each document's own name with each word that is joined to it."""
    for role, words in own.JOINED.items():
        for language, names_ in own.OWN.items():
            for name, word in product(names_.split("|"), words[language].split("|")):
                yield role, f"{name} {word}", language
                if word not in own.LAST:
                    yield role, f"{word} {name}", language
                if language in own.COMPOUND:
                    yield role, name + word, language


def _names_of() -> Iterator[tuple[str, str, str]]:
    """(role, phrase, language) of each party's label, where it is one word, with the word for name."""
    for role, words in parties.PARTIES.items():
        for language, (noun, drop, add) in own.NAME_OF.items():
            for word in words.get(language, "").split("|"):
                if len(word) >= LEAST_PARTY and " " not in word:
                    whose = (word.removesuffix(drop) if word.endswith(drop) else word) + add
                    yield role, f"{whose} {noun}", language
                    yield role, f"{noun} {whose}", language


def _freeze(node: _Node) -> None:
    node.roles, node.languages = frozenset(node.roles), frozenset(node.languages)  # type: ignore[assignment]
    for child in node.next.values():
        _freeze(child)


LEGAL_FORM = "|".join(
    re.escape(form).replace(r"\ ", r"[.\s]*")
    for form in sorted(map(fold, names.LEGAL_FORMS.split("|")), key=len, reverse=True)
)
"""Endings of a company's name, as a pattern for folded text."""
PARTIES = frozenset(["supplier", "buyer", "other_party"])
NAMED_SO = re.compile(rf"[ ,]{{1,2}}(?:{LEGAL_FORM})\.?\s*(?=$|[,;|•·(/])")
"""What follows a word that would be a party's label, and is the name of one: "Lieferant GmbH"."""
MOST_SKIPPED = 8
"""Little words, rates and currencies in a row within a label."""
COMPOUND = re.compile(
    r"(?!\w*(?:storno|gutschrift|korrektur|kredit|credit|hyvitys|proforma))[^\W\d_]{3,}(?:(?<!ab)(?<!an)(?<!auf)(?<!aus)(?<!be)(?<!ein)(?<!hoch)(?<!um)(?<!ver)(?<!vor)(?<!zu)(?<!verlust)(?<!erfolgs)(?<!ergebnis)(?<!schus)(?<!flus)(?<!zins)(rechnung)"
    r"|(factuur|faktura|lasku))"
)
"""A title with what it is for, in one word: "Reparaturrechnung", "Servicefactuur"; a calculation, an account of profits and what takes an invoice back are none. Folded."""
LONGEST_RATE = 2
"""Digits; a longer number inside what could be a label is no rate, but the document's own ("Rechnung 20240456 vom")."""

# Made when this is imported, in the process that attempts are forked from, and not once for each of them
_ROOT = _vocabulary()
_SKIPPED = LITTLE | {code.lower() for code in names.CODES} | {"%"}


def find(folded: str) -> list[Hit]:
    """All labels in folded text, from left to right, not overlapping; at each place the longest."""
    root = _ROOT
    tokens = [(match.group(), match.start(), match.end()) for match in TOKEN.finditer(folded)]
    hits: list[Hit] = []
    index, count = 0, len(tokens)
    while index < count:
        node = root.next.get(tokens[index][0])
        if node is None:
            if (title := COMPOUND.fullmatch(tokens[index][0])) is not None:
                whole = root.next[title[1] or title[2]]
                roles = frozenset(role for role in whole.roles if role.startswith("kind:"))
                hits.append(Hit(*tokens[index][1:], roles, whole.languages, 1))  # type: ignore[arg-type]
            index += 1
            continue
        best, best_at, words, at = (node, index, 1, index + 1) if node.roles else (None, index, 0, index + 1)
        depth, skipped = 1, 0
        while at < count and skipped <= MOST_SKIPPED:
            word = tokens[at][0]
            # "VAT 20 %" is the label "VAT" with a rate, not the column "VAT %".
            follow = None if word == "%" and tokens[at - 1][0].isdigit() else node.next.get(word)
            if follow is None:
                if word in _SKIPPED or (word.isdigit() and len(word) <= LONGEST_RATE):
                    at, skipped = at + 1, skipped + 1
                    continue
                break
            node, depth, skipped = follow, depth + 1, 0
            if node.roles:
                best, best_at, words = node, at, depth
            at += 1
        if best is None:
            index += 1
            continue
        end = tokens[best_at][2]
        if PARTIES.isdisjoint(best.roles) or not NAMED_SO.match(folded, end):
            hits.append(Hit(tokens[index][1], end, best.roles, best.languages, words))  # type: ignore[arg-type]
        index = best_at + 1
    return hits
