"""Finds tax numbers by their labels; the first beside a party's name is that party's."""

from __future__ import annotations

import re

from tasks.agent.rules.text import Candidate, Text, words_at

TAX_ID = re.compile(r"(?:[A-Z]{2,3}[ -]?)?[A-Z0-9][A-Z0-9 .\-/]{5,18}[A-Z0-9]")


def tax_ids_of(text: Text) -> dict[str, Candidate]:
    """{"tax_ids": all printed tax numbers, comma-separated}; empty where none is printed."""
    found: dict[str, Candidate] = {}
    for cell, hit in text.labelled("tax_id"):
        if "tax_id" not in hit.roles:
            continue
        places = [(cell, hit.end), *((other, 0) for other in list(text.right_of(cell))[:1])]
        for place, start in places:
            match = TAX_ID.search(place.text, start)
            if match is None or match.start() - start > 6 or sum(map(str.isdigit, match.group())) < 6:
                continue
            value = re.sub(r"[ .\-/]", "", match.group())
            found.setdefault(value, Candidate(value, 0.9, words_at(place, match.start(), match.end())))
            break
    if not found:
        return {}
    values = list(found.values())[:8]
    if len(values) == 1:
        return {"tax_ids": values[0]}
    return {
        "tax_ids": Candidate(
            ", ".join(c.value for c in values), 0.9, [word for c in values for word in c.words]
        )
    }
