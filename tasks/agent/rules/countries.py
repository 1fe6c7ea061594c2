"""Tells which country the writer of a document is in: by tax numbers and telephone prefixes, else by the words of an address."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tasks.agent.rules.checksums import iban_holds
from tasks.agent.rules.names import IBAN_LENGTHS

TAXES = {
    "AR": "CUIT", "AU": "ABN|ACN", "CA": "HST|QST|TVQ|TPS|TVH|RT0001|RT 0001", "CL": "RUT", "CO": "NIT", "DK": "CVR", "GB": "HMRC",
    "IN": "GSTIN|CGST|SGST|IGST|IFSC|FSSAI", "MX": "RFC|CFDI", "NZ": "NZBN", "PK": "NTN|STRN", "SG": "UEN|PTE|Pte",
}  # fmt: skip
"""Country → what only its taxes, tax numbers and companies are called."""
PREFIXES = {
    "20": "EG", "27": "ZA", "31": "NL", "32": "BE", "33": "FR", "34": "ES", "351": "PT", "353": "IE", "354": "IS", "358": "FI", "39": "IT",
    "41": "CH", "420": "CZ", "43": "AT", "44": "GB", "45": "DK", "46": "SE", "47": "NO", "48": "PL", "49": "DE", "52": "MX", "54": "AR",
    "55": "BR", "56": "CL", "57": "CO", "61": "AU", "63": "PH", "64": "NZ", "65": "SG", "81": "JP", "852": "HK", "86": "CN", "886": "TW",
    "91": "IN", "92": "PK", "94": "LK", "977": "NP", "230": "MU", "234": "NG", "254": "KE", "971": "AE", "60": "MY",
}  # fmt: skip
PLACES = {
    "AE": "united arab emirates|dubai|abu dhabi", "AR": "argentina|buenos aires", "AU": "australia", "CA": "canada|ontario|quebec|british columbia",
    "CL": "santiago de chile", "CN": "pr china|p.r. china|shanghai|beijing|shenzhen|guangdong", "CO": "bogota", "DK": "danmark|denmark|kobenhavn|copenhagen",
    "EG": "egypt|cairo", "GB": "united kingdom|england|scotland|wales|london|uk", "HK": "hong kong|hongkong|kowloon", "IE": "ireland|dublin",
    "IN": "india|mumbai|new delhi|bengaluru|bangalore|chennai|kolkata|maharashtra", "IS": "iceland|reykjavik", "JP": "japan|tokyo", "KE": "kenya|nairobi",
    "LK": "sri lanka|colombo", "MU": "mauritius|port louis", "MX": "mexico city|ciudad de mexico|mexico df|cdmx", "MY": "malaysia|kuala lumpur", "NG": "nigeria|lagos",
    "NO": "norge|norway|oslo", "NP": "nepal|kathmandu|lalitpur|pokhara", "NZ": "new zealand|auckland", "PH": "philippines|manila",
    "PK": "pakistan|karachi|lahore|islamabad", "SE": "sverige|sweden|stockholm", "SG": "singapore", "TW": "taiwan|taipei",
    "US": "usa|u.s.a|united states", "ZA": "south africa|johannesburg|cape town",
}  # fmt: skip
"""Folded names of countries, and of towns where few write the country."""
MONTH_FIRST = frozenset(["US"])
EITHER_ORDER = frozenset(["CA", "CN", "JP", "NP", "PH", "TW"])
"""Where people write dates in more than one order, or by another calendar as well."""

AMERICAN_ADDRESS = re.compile(r"\b[A-Z]{2},? \d{5}(?:-\d{4})?\b")
_NUMBERS = {
    "IN": re.compile(r"₹|\d\d[A-Z]{5}\d{4}[A-Z][A-Z\d]Z[A-Z\d]\b"),
    "JP": re.compile(r"T\d{13}\b"),
    "NO": re.compile(r"\d{9} ?MVA\b"),
}
"""What tax numbers of some countries look like."""
_NUMBERED = re.compile(r"\b(?:VAT|UID|USt|TVA|BTW|NIP|MWST)[^A-Z\n]{0,12}([A-Z]{2})[A-Z]?[ -]?\d{3}")
"""A tax number with its country's letters."""
_ACCOUNT = re.compile(r"\b([A-Z]{2})\d{2}[ \d]{10,40}")
"""An account without letters; an invoice may be numbered so: "CA202400012345"."""
_TELEPHONE = re.compile(r"\+ ?(\d{2,3}) ?(\d?)(?=(?:[ ()./-]{0,3}\d){5})")
"""The prefix of a country, behind which a number goes on: in "+20% VAT" and "128 + 64 GB" none does."""
_WORD = re.compile(r"\w+")


def _by_word(table: dict[str, str]) -> dict[str, list[tuple[re.Pattern[str], str]]]:
    """First word of a name → the names that begin so, not within a longer word or an address of the web, and their countries."""
    found: dict[str, list[tuple[re.Pattern[str], str]]] = {}
    for country, called in table.items():
        for name in called.split("|"):
            pattern = re.compile(rf"(?<![\w@.]){re.escape(name)}(?![\w@])")
            found.setdefault(_WORD.match(name).group(), []).append((pattern, country))  # type: ignore[union-attr]
    return found


_TAX, _PLACE = _by_word(TAXES), _by_word(PLACES)


@dataclass(frozen=True, slots=True)
class Countries:
    """Countries that tax numbers and telephone prefixes name, and those that addresses do."""

    numbered: frozenset[str]
    placed: frozenset[str]

    def among(self, countries: Iterable[str]) -> tuple[frozenset[str], bool]:
        """Those of `countries` that are named, and whether numbers say so: these go before addresses."""
        wanted = frozenset(countries)
        numbered = self.numbered & wanted
        return (numbered, True) if numbered else (self.placed & wanted, False)

    @property
    def month_first(self) -> bool | None:
        """Whether 3/4/2024 is the fourth of March there; None where the countries differ, or nothing names one."""
        named = self.numbered or self.placed
        if not named or named & EITHER_ORDER:
            return None
        return None if named & MONTH_FIRST and named - MONTH_FIRST else bool(named & MONTH_FIRST)


def countries_of(whole: str, folded: str) -> Countries:
    """What a document says, as it is printed and folded, without the address that it is sent to."""
    numbered = _named(_TAX, whole) | {country for country, form in _NUMBERS.items() if form.search(whole)}
    numbered |= {match[1] for match in _NUMBERED.finditer(whole)}
    numbered |= {match[1] for match in _ACCOUNT.finditer(whole) if _is_account(match)}
    for match in _TELEPHONE.finditer(whole):
        prefixes = (match[1], match[1][:2], match[1] + match[2])
        numbered.update(PREFIXES[prefix] for prefix in prefixes if prefix in PREFIXES)
    placed = _named(_PLACE, folded)
    if AMERICAN_ADDRESS.search(whole):
        placed.add("US")
    return Countries(frozenset(numbered), frozenset(placed))


def _is_account(match: re.Match[str]) -> bool:
    """Whether the check digits hold; figures of the next column may stand behind it."""
    return iban_holds(match.group().replace(" ", "")[: IBAN_LENGTHS.get(match[1], 0)])


def _named(names: dict[str, list[tuple[re.Pattern[str], str]]], text: str) -> set[str]:
    words = names.keys() & set(_WORD.findall(text))
    return {country for word in words for pattern, country in names[word] if pattern.search(text)}
