"""How many tokens and seconds a document will take, before anything of it is read."""

from __future__ import annotations

import math
from dataclasses import dataclass

DEFAULT_PAGES = 3
"""A document whose pages could not be counted is taken for one of this length."""


@dataclass(frozen=True, slots=True)
class Prior:
    """Per-page figures of an agent version."""

    input_tokens_per_page: float = 0.0
    output_tokens_per_page: float = 0.0
    tokens_per_document: float = 1.0
    requests_per_page: float = 0.0
    seconds_per_page: float = 1.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """All at least one (or above zero): a task without an estimate would pass every token limit."""

    tokens: int
    output_tokens: int
    requests: int
    seconds: float


def estimate(prior: Prior, pages: int | None) -> Estimate:
    """Tokens (input and output together), output tokens, requests and seconds of a document with `pages` pages (None: unknown)."""
    count = pages or DEFAULT_PAGES
    output = prior.output_tokens_per_page * count
    tokens = prior.tokens_per_document + prior.input_tokens_per_page * count + output
    return Estimate(
        tokens=max(1, math.ceil(tokens)),
        output_tokens=max(1, math.ceil(output)),
        requests=max(1, math.ceil(prior.requests_per_page * count)),
        seconds=max(0.1, prior.seconds_per_page * count),
    )
