"""Recognises text layers whose fonts name the wrong characters, so that what is read is not what is printed."""

from __future__ import annotations

import re

from tasks.agent.page import Word

NEVER = "\ufffd\u0080-\u009f\ue000-\uf8ff"
BEFORE = "¡-¿ˆ˜†‡‰‹›ƒ¨¯´¸"
AFTER = r"¡-¿ˆ˜†‡‰‹›ƒ¨¯¸\^~|`"
LETTER = r"[^\W\d_]"
# It begins with one set of signs, which `re` passes over a page without in no time; what stands around a sign is looked at then
ODD = re.compile(
    f"[{NEVER}{BEFORE}{AFTER}](?:(?<=[{NEVER}])|(?<=[{BEFORE}])(?={LETTER})|(?<={LETTER}[{AFTER}]))"
)
WORD = re.compile(r"[^\W\d_]{2}|[^\x00-\x7f]")
FIGURES = re.compile(r"[\d.,\s€£¥°%-]+")
SHARE = 0.12
LEAST = 5


def is_garbled(words: list[Word]) -> bool:
    """Whether too many of the words hold signs that no word holds."""
    # Most pages hold nothing odd at all, which one look at the whole says
    if not ODD.search(" ".join([word.text for word in words])):
        return False
    telling = [word.text for word in words if WORD.search(word.text)]
    odd = sum(1 for text in telling if ODD.search(text) and not FIGURES.fullmatch(text))
    return len(telling) >= LEAST and odd / len(telling) > SHARE
