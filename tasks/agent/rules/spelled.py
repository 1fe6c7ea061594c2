"""Reads amounts that are written in words, and what they say of the total: "Rupees Four Hundred Ninety Six Only"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tasks.agent.page import Word
from tasks.agent.rules.labels import fold
from tasks.agent.rules.text import Candidate, Text, words_at

ONES: dict[str, str] = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
    "de": "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dixsept dixhuit dixneuf",
    "es": "cero un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve",
    "it": "zero un due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove",
    "nl": "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien",
    "pl": "zero jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście trzynaście czternaście piętnaście szesnaście siedemnaście osiemnaście dziewiętnaście",
    "pt": "zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezasseis dezassete dezoito dezanove",
}  # fmt: skip
TENS: dict[str, str] = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreissig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante septante quatrevingt nonante",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "nl": "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
    "pl": "dwadzieścia trzydzieści czterdzieści pięćdziesiąt sześćdziesiąt siedemdziesiąt osiemdziesiąt dziewięćdziesiąt",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
}  # fmt: skip
HUNDREDS: dict[str, str] = {
    "es": "ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos",
    "pl": "sto dwieście trzysta czterysta pięćset sześćset siedemset osiemset dziewięćset",
    "pt": "cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos",
}
SCALES: dict[str, dict[str, int]] = {
    "en": {"hundred": 100, "thousand": 1000, "lakh": 10**5, "lakhs": 10**5, "lac": 10**5, "lacs": 10**5, "million": 10**6, "crore": 10**7, "crores": 10**7},
    "de": {"hundert": 100, "tausend": 1000, "eine": 1, "eins": 1, "million": 10**6, "millionen": 10**6, "dreißig": 30},
    "fr": {"cent": 100, "cents": 100, "mille": 1000, "une": 1, "vingts": 20, "quatrevingts": 80, "million": 10**6, "millions": 10**6},
    "es": {"cien": 100, "mil": 1000, "uno": 1, "una": 1, "veinti": 20, "millón": 10**6, "millones": 10**6},
    "it": {
        "cento": 100, "mille": 1000, "mila": 1000, "uno": 1, "una": 1, "vent": 20, "trent": 30, "quarant": 40, "cinquant": 50, "sessant": 60, "settant": 70,
        "ottant": 80, "novant": 90, "milione": 10**6, "milioni": 10**6,
    },
    "nl": {"honderd": 100, "duizend": 1000, "één": 1, "miljoen": 10**6},
    "pl": {"tysiąc": 1000, "tysiące": 1000, "tysięcy": 1000, "milion": 10**6},
    "pt": {"cem": 100, "mil": 1000, "uma": 1, "duas": 2, "dezesseis": 16, "dezessete": 17, "dezenove": 19, "milhão": 10**6, "milhões": 10**6},
}  # fmt: skip
CONNECTED = {"en": "and", "de": "und", "fr": "et", "es": "y", "it": "e", "nl": "en", "pl": "i", "pt": "e"}
COINS = frozenset(
    [
        "paise",
        "paisa",
        "cents",
        "cent",
        "pence",
        "centimes",
        "centimos",
        "centavos",
        "centesimi",
        "groszy",
        "eurocent",
    ]
)
LETTERS = re.compile(r"[^\W\d_]+")
BEFORE, LINES = 3, 2
"""Words between the label and the number ("US dollars"), and further lines that it may take."""
SCORE = 0.6
ONLY_WORDS = "Only words say this amount, and no figure beside a label does."
TAX = re.compile(r"\b(?:tax|vat|gst)\b")


@cache
def _words(language: str) -> tuple[dict[str, int], re.Pattern[str]]:
    """What each folded word is worth, and the pattern of words, which may be written as one."""
    worth = {fold(word): value for value, word in enumerate(ONES[language].split())}
    worth |= {fold(word): 10 * value for value, word in enumerate(TENS[language].split(), 2)}
    worth |= {fold(w): 100 * value for value, w in enumerate(HUNDREDS.get(language, "").split(), 1)}
    worth |= {fold(word): value for word, value in SCALES[language].items()}
    known = sorted([*worth, CONNECTED[language]], key=len, reverse=True)
    return worth, re.compile("|".join(known).replace("quatrevingt", "quatre ?vingt").replace("dix", "dix ?"))


def value_of(words: list[str], language: str) -> int | None:
    """The number that the folded words say, all of which belong to it; None where some do not."""
    worth, pattern = _words(language)
    whole = " ".join(words)
    parts = [part.replace(" ", "") for part in pattern.findall(whole)]
    if not whole or "".join(parts) != whole.replace(" ", ""):
        return None
    total = rest = 0
    for part in parts:
        value = worth.get(part, 0)
        if value >= 1000:
            total, rest = total + max(rest, 1) * value, 0
        else:
            rest = max(rest, 1) * value if value == 100 else rest + value
    return total + rest


def spelled_of(text: Text) -> Iterator[Candidate]:
    """Whole amounts that labels announce in words, without those of a tax."""
    for cell, hit in text.labelled("in_words"):
        if TAX.search(text.folded[cell]):
            continue
        language = text.language if text.language in hit.languages else min(hit.languages)
        lines = text.lines[cell.line + 1 : cell.line + 1 + LINES]
        further = [
            *text.lines[cell.line].cells[cell.column + 1 :],
            *(c for line in lines for c in line.cells),
        ]
        words = [*words_at(cell, hit.end + 1, len(cell.text)), *(word for c in further for word in c.words)]
        tokens = [(token, word) for word in words for token in LETTERS.findall(fold(word.text))]
        starts = [i for i, (token, _) in enumerate(tokens[: BEFORE + 1]) if value_of([token], language)]
        for start in starts[:1]:
            end = next(
                (
                    i
                    for i, (token, _) in enumerate(tokens)
                    if i > start and value_of([token], language) is None
                ),
                len(tokens),
            )
            run = tokens[start:end]
            if any(token in COINS for token, _ in tokens[end : end + 1]):
                run = run[: _last(run, CONNECTED[language])]  # "... and fifty paise"
            if run:
                value = value_of([token for token, _ in run], language)
                yield Candidate(str(value), SCORE, [word for _, word in run], [ONLY_WORDS])


def _last(run: list[tuple[str, Word]], connected: str) -> int:
    """The place of the last word that connects numbers; 0 where none does."""
    return max((i for i, (token, _) in enumerate(run) if token == connected), default=0)
