"""Recognises text layers whose fonts name the wrong characters, so that what is read is not what is printed."""

from __future__ import annotations

import re

from tasks.agent.rules.text import Text

ODD = re.compile(
    r"[\ufffd\u0080-\u009f\ue000-\uf8ff]|[¡-¿ˆ˜†‡‰‹›ƒ¨¯´¸](?=[^\W\d_])|(?<=[^\W\d_])[¡-¿ˆ˜†‡‰‹›ƒ¨¯¸\^~|`^]"
)
MIXED = re.compile(r"[a-z][A-Z]{1,2}[a-z]|[^\W\d_][{}~^|`][^\W\d_]|[a-z]+[A-Z][a-z]?$")
SHARE = 0.12


def is_garbage(text: Text) -> bool:
    """Whether too many words hold signs that no word holds."""
    words = [
        word.text
        for cell in text.cells
        for word in cell.words
        if re.search(r"[^\W\d_]{2}|[^\x00-\x7f]", word.text)
    ]
    if len(words) < 5:
        return False
    odd = sum(1 for word in words if ODD.search(word) and not re.fullmatch(r"[\d.,\s€£¥°%-]+", word))
    return odd / len(words) > SHARE
