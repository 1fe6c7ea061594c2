"""What a document will take of a model before anything was learnt: tokens, requests and seconds from the schema's size. Pure."""

from __future__ import annotations

import json
import math
from typing import Any

from tasks.agent.schema import Schema, Type

WINDOW_PAGES = 10
"""Pages that go to a model in one request, where the agent's settings do not say."""
CHARACTERS_PER_TOKEN = 4
INSTRUCTIONS = 600
"""Tokens of what a model is told besides the schema, once per request."""
PAGE_TEXT = 800
PAGE_IMAGE = 1500
IMAGE_SHARE = {"never": 0.0, "auto": 0.2, "always": 1.0}
"""Pages of which a picture is sent; with "auto" those whose text is poor."""
VALUE = 15
"""Tokens of a name and its value in the answer."""
ROWS_PER_PAGE = 8
TOKENS_PER_SECOND = 50
SECONDS_PER_REQUEST = 2.0


def prior(schema: Schema, settings: dict[str, Any]) -> dict[str, float]:
    """The five figures of an agent version (columns of agent_versions) for `schema` and the version's other `settings`.

    A document of n pages is asked about in ceil(n / window) requests, of which each sends instructions and schema again and answers
    every field. The first one counts for the document, so that a single page is not taken for a share of a request; the rest is
    spread over the pages. So short documents come out a little high, which is the side to err on before a limit.
    """
    window = _said(settings, "window_pages") or WINDOW_PAGES
    pictures = IMAGE_SHARE.get(str(settings.get("vision")), IMAGE_SHARE["auto"])
    asked = INSTRUCTIONS + len(json.dumps(schema.json_schema())) / CHARACTERS_PER_TOKEN
    lists = [one for one in schema.fields if one.type is Type.LIST]
    answered = VALUE * (len(schema.fields) - len(lists))
    rows = ROWS_PER_PAGE * VALUE * sum(len(one.fields) for one in lists)
    output = rows + answered / window
    if most := _said(settings, "max_output_tokens"):
        output = min(output, most / window)
    return {
        "input_tokens_per_page": float(math.ceil(PAGE_TEXT + pictures * PAGE_IMAGE + asked / window)),
        "output_tokens_per_page": float(math.ceil(output)),
        "tokens_per_document": float(math.ceil(asked + answered)),
        "requests_per_page": round(1 / window, 4),
        "seconds_per_page": round(output / TOKENS_PER_SECOND + SECONDS_PER_REQUEST / window, 2),
    }


def _said(settings: dict[str, Any], name: str) -> int:
    """A setting above zero; 0 where it is none, or none that makes sense: the agent itself complains of it in words."""
    value = settings.get(name)
    return value if isinstance(value, int) and value > 0 else 0
