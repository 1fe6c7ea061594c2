"""Check digits of tax numbers and bank accounts: whether a number can be one at all."""

from __future__ import annotations

import re
from collections.abc import Callable

from tasks.agent.rules.names import IBAN_LENGTHS

LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def iban_holds(value: str) -> bool:
    """The length of its country and the rest of 97."""
    bare = re.sub(r"[\W_]+", "", value).upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", bare):
        return False
    if len(bare) != IBAN_LENGTHS.get(bare[:2], len(bare)):
        return False
    return int("".join(str(LETTERS.index(sign)) for sign in bare[4:] + bare[:4])) % 97 == 1


def tax_id_holds(value: str) -> bool | None:
    """Whether a tax number with its country's letters (or an Indian one) has the right form and check digits; None: nothing is known."""
    bare = re.sub(r"[\W_]+", "", value).upper()
    if re.fullmatch(r"\d{2}[A-Z]{5}\d{4}[A-Z][A-Z0-9]Z[A-Z0-9]", bare):
        return _indian(bare)
    rule = RULES.get(bare[:2])
    if rule is None:
        return None
    form, check = rule
    match = re.fullmatch(form, bare[2:])
    if match is None:
        return False
    return check(bare[2:])


def _digits(text: str) -> list[int]:
    return [int(sign) for sign in text if sign.isdigit()]


def _weighted(text: str, weights: str) -> int:
    return sum(int(weight, 16) * digit for weight, digit in zip(weights, _digits(text), strict=False))


def _german(text: str) -> bool:
    product = 10
    for digit in _digits(text[:8]):
        rest = (digit + product) % 10 or 10
        product = 2 * rest % 11
    return (11 - product) % 10 == int(text[8])


def _luhn(text: str) -> bool:
    doubled = [digit * (2 if place % 2 else 1) for place, digit in enumerate(reversed(_digits(text)))]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _french(text: str) -> bool:
    if not text[:2].isdigit():
        return _luhn(text[2:])  # the newer keys hold letters
    return (12 + 3 * (int(text[2:]) % 97)) % 97 == int(text[:2])


def _dutch(text: str) -> bool:
    if _weighted(text[:8], "98765432") % 11 == int(text[8]):
        return True
    return int("".join(str(LETTERS.index(sign)) for sign in "NL" + text)) % 97 == 1


def _british(text: str) -> bool:
    rest = _weighted(text[:7], "8765432") + int(text[7:9])
    return rest % 97 == 0 or (rest + 55) % 97 == 0


def _finnish(text: str) -> bool:
    rest = _weighted(text[:7], "79A5842") % 11
    return rest != 1 and (11 - rest) % 11 == int(text[7])


def _swiss(text: str) -> bool:
    rest = _weighted(text[1:9], "54327654") % 11
    return (11 - rest) % 11 == int(text[9])


def _austrian(text: str) -> bool:
    tens = [digit * (2 if place % 2 else 1) for place, digit in enumerate(_digits(text[1:8]))]
    return (10 - (sum(value // 10 + value % 10 for value in tens) + 4) % 10) % 10 == int(text[8])


def _indian(text: str) -> bool:
    total = 0
    for place, sign in enumerate(text[:14]):
        product = LETTERS.index(sign) * (2 if place % 2 else 1)
        total += product // 36 + product % 36
    return LETTERS[(36 - total % 36) % 36] == text[14]


RULES: dict[str, tuple[str, Callable[[str], bool]]] = {
    "AT": (r"U\d{8}", _austrian),
    "BE": (r"[01]\d{9}", lambda text: 97 - int(text[:8]) % 97 == int(text[8:])),
    "CH": (r"E\d{9}(?:MWST|TVA|IVA|VAT)?", _swiss),
    "DE": (r"[1-9]\d{8}", _german),
    "DK": (r"\d{8}", lambda text: _weighted(text, "27654321") % 11 == 0),
    "FI": (r"\d{8}", _finnish),
    "FR": (r"[A-Z0-9]{2}\d{9}", _french),
    "GB": (r"\d{9}(?:\d{3})?", _british),
    "IT": (r"\d{11}", _luhn),
    "LU": (r"\d{8}", lambda text: int(text[:6]) % 89 == int(text[6:])),
    "NL": (r"\d{9}B\d{2}", _dutch),
    "PL": (r"\d{10}", lambda text: _weighted(text, "657234567") % 11 == int(text[9])),
    "PT": (r"\d{9}", lambda text: (11 - _weighted(text, "98765432") % 11) % 11 % 10 == int(text[8])),
    "SE": (r"\d{12}", lambda text: _luhn(text[:10])),
}
"""Country → the form behind its letters, and its check."""
